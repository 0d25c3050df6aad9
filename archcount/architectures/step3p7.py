"""Step 3.7 and Step3-VL-10B: Step 3.5, or a Qwen3, with eyes beside it that leave a sixteenth of the patches."""

from __future__ import annotations

from ..blocks import linear
from ..config import ModelConfig
from ..errors import ConfigValueError
from ..multimodal import with_language_on_top
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module
from .step3p5 import Step3p5Config
from .towers.step3 import Step3VisionConfig, step3_vision


class Step3p7Config(ModelConfig):
    text_config: Step3p5Config = Step3p5Config()
    vision_config: Step3VisionConfig = Step3VisionConfig()
    projector_bias: bool = False


class StepPerceptionConfig(Step3VisionConfig):
    """Perception Encoder's own keys; with a class token or a last norm it was not published."""

    model_type: str = "perception_encoder"
    use_cls_token: bool = False
    use_ln_post: bool = False


class StepRoboticsConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen3")
    vision_config: StepPerceptionConfig = StepPerceptionConfig()
    projector_bias: bool = False
    tie_word_embeddings: bool = False


@architecture("step3p7", config=Step3p7Config)
def step3p7(config: Step3p7Config) -> Module:
    """The language model is of this family whatever the file calls it; its head is never the table."""
    text, vision = config.text_config.model_copy(update={"model_type": "step3p5"}), config.vision_config
    parts = _eyes(vision, text.hidden_size, config.projector_bias)
    return with_language_on_top(config, text, parts, tie=False)


@architecture("step_robotics", config=StepRoboticsConfig)
def step_robotics(config: StepRoboticsConfig) -> Module:
    """Its class is StepVLForConditionalGeneration, the model_type a name of its makers' own.

    Raises ConfigValueError: a tower with parts that the published one has not.
    """
    text, vision = config.text_config, config.vision_config
    if vision.use_cls_token or vision.use_ln_post:
        raise ConfigValueError("vision_config: use_cls_token and use_ln_post should be false")
    parts = _eyes(vision, size_of(text, "hidden_size"), config.projector_bias)
    return with_language_on_top(config, text, parts, tie=config.tie_word_embeddings)


def _eyes(vision: Step3VisionConfig, hidden: int, bias: bool) -> dict[str, Module]:
    projector = linear(4 * vision.hidden_size, hidden, bias=bias)
    return {"vision_model": step3_vision(vision), "vit_large_projector": projector.marked(section="projector")}
