"""InternVL 1.2 to 3.5 as OpenGVLab writes it: InternViT, a norm and two matrices, and any language model."""

from __future__ import annotations

from ..config import Count, Factor, ModelConfig, Size
from ..errors import ConfigValueError
from ..images.seen import ImageRule, Picture, Seen
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, module, relocated
from .locateanything import merging_mlp
from .towers.internvit import InternVisionConfig, original_internvit, tiles


class InternChatVisionConfig(InternVisionConfig):
    """InternViT-6B's sizes are the class's defaults; the small one's stand in its configs."""

    model_type: str = "intern_vit_6b"
    hidden_size: Size = 3200
    intermediate_size: Size = 12800
    num_hidden_layers: Count = 48
    num_attention_heads: Count = 25
    image_size: Size | tuple[Size, Size] = 224
    use_qk_norm: bool = True
    norm_type: str = "rms_norm"


class InternVLChatConfig(CompositeConfig):
    llm_config: ModelConfig = nested("internlm2")
    vision_config: InternChatVisionConfig = InternChatVisionConfig()
    downsample_ratio: Factor = 0.5

    dynamic_image_size: bool = False
    min_dynamic_patch: Count = 1
    max_dynamic_patch: Count = 6
    use_thumbnail: bool = False

    @property
    def patches_a_side(self) -> int:
        """Of the square that becomes one token.

        Raises ConfigValueError: a ratio that merges nothing whole.
        """
        if not 0 < self.downsample_ratio <= 1:
            raise ConfigValueError(f"downsample_ratio is {self.downsample_ratio}: should be above 0 and at most 1")
        return int(1 / self.downsample_ratio)


def _images(config: InternVLChatConfig, picture: Picture) -> Seen:
    bounds = (config.min_dynamic_patch, config.max_dynamic_patch) if config.dynamic_image_size else (1, 1)
    return tiles(config.vision_config, picture, bounds, config.patches_a_side, with_whole=config.use_thumbnail)


@architecture("internvl_chat", config=InternVLChatConfig, images=ImageRule(_images))
def internvl_chat(config: InternVLChatConfig) -> Module:
    text, vision, side = config.llm_config, config.vision_config, config.patches_a_side
    return module(
        vision_model=original_internvit(vision),
        language_model=relocated(built(text), "", "language_model."),
        mlp1=merging_mlp(vision.hidden_size * (side * side), size_of(text, "hidden_size")),
    )
