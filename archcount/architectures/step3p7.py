"""Step 3.7: Step 3.5 with eyes beside it, which leave a sixteenth of the patches."""

from __future__ import annotations

from ..blocks import linear
from ..config import ModelConfig
from ..multimodal import with_language_on_top
from ..registry import architecture
from ..tree import Module
from .step3p5 import Step3p5Config
from .towers.step3 import Step3VisionConfig, step3_vision


class Step3p7Config(ModelConfig):
    text_config: Step3p5Config = Step3p5Config()
    vision_config: Step3VisionConfig = Step3VisionConfig()
    projector_bias: bool = False


@architecture("step3p7", config=Step3p7Config)
def step3p7(config: Step3p7Config) -> Module:
    """The language model is of this family whatever the file calls it; its head is never the table."""
    text, vision = config.text_config.model_copy(update={"model_type": "step3p5"}), config.vision_config
    projector = linear(4 * vision.hidden_size, text.hidden_size, bias=config.projector_bias)
    parts = {"vision_model": step3_vision(vision), "vit_large_projector": projector.marked(section="projector")}
    return with_language_on_top(config, text, parts, tie=False)
