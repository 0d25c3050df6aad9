"""Kimi K3 and Kimi-VL: MoonViT's eyes before Kimi Linear's layers, or DeepSeek-V3's."""

from __future__ import annotations

from ..blocks import layer_norm, linear, rms_norm
from ..config import ModelConfig
from ..multimodal import is_tied, with_language_inside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module, Node, module
from .towers.moonvit import KimiK3VisionConfig, MoonVitConfig, moonvit_layers, moonvit_patches, moonvit_positions


class KimiK3Config(CompositeConfig):
    text_config: ModelConfig = nested("kimi_linear")
    vision_config: KimiK3VisionConfig = KimiK3VisionConfig()
    tie_word_embeddings: bool = False


class KimiVLConfig(CompositeConfig):
    text_config: ModelConfig = nested("deepseek_v3")
    vision_config: MoonVitConfig = MoonVitConfig()
    tie_word_embeddings: bool = False


@architecture("kimi_k3", config=KimiK3Config)
def kimi_k3(config: KimiK3Config) -> Module:
    """Its projector norms what it gives, and has no biases."""
    merged, hidden = _merged(config.vision_config), size_of(config.text_config, "hidden_size")
    projector = module(
        post_norm=rms_norm(hidden), proj=Module((("0", linear(merged, merged)), ("2", linear(merged, hidden))))
    )
    parts = {"vision_tower": _eyes(config.vision_config), "mm_projector": projector.marked(section="projector")}
    return with_language_inside(config, config.text_config, parts, tie=is_tied(config, config.text_config))


@architecture("kimi_vl", config=KimiVLConfig)
def kimi_vl(config: KimiVLConfig) -> Module:
    merged, hidden = _merged(config.vision_config), size_of(config.text_config, "hidden_size")
    projector = module(
        pre_norm=layer_norm(config.vision_config.hidden_size),
        linear_1=linear(merged, merged, bias=True),
        linear_2=linear(merged, hidden, bias=True),
    )
    parts: dict[str, Node] = {
        "vision_tower": _eyes(config.vision_config),
        "multi_modal_projector": projector.marked(section="projector"),
    }
    return with_language_inside(config, config.text_config, parts, tie=is_tied(config, config.text_config))


def _merged(vision: MoonVitConfig) -> int:
    """The width of the square of patches that becomes one token."""
    high, wide = vision.merge_kernel_size
    return vision.hidden_size * high * wide


def _eyes(vision: MoonVitConfig) -> Module:
    patches = moonvit_patches(vision).extend(pos_emb=moonvit_positions(vision))
    return module(patch_embed=patches, encoder=module(**moonvit_layers(vision))).marked(section="vision")
