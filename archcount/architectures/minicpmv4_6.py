"""MiniCPM-V 4.6, 4.7 and MiniCPM-OCR: Qwen3.5 behind SigLIP's tower, which merges windows midway and at the end."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import layer_norm, linear
from ..config import Count, ModelConfig, Size
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module, module, stack
from .towers.siglip import SiglipKeys, siglip_attention, siglip_tower

SQUARE = 4  # patches that the last merger joins, whatever `merge_kernel_size` says


class MiniCpmVisionConfig(SiglipKeys):
    model_type: str = "minicpmv4_6_vision"
    image_size: Size = 224
    window_kernel_size: tuple[Size, Size] = (2, 2)


class MiniCpmV46Config(CompositeConfig):
    text_config: ModelConfig = nested("qwen3_5_text")
    vision_config: MiniCpmVisionConfig = MiniCpmVisionConfig()
    merger_times: Count = 1
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset(
        {"image_size", "patch_size", "merge_kernel_size"}
    )  # how images are cut


class MiniCpmOcrConfig(MiniCpmV46Config):
    tie_word_embeddings: bool = True


@architecture("minicpmv4_6", "minicpmv4_7", config=MiniCpmV46Config)
@architecture("minicpm_ocr", config=MiniCpmOcrConfig)
def minicpmv4_6(config: MiniCpmV46Config) -> Module:
    vision, side = config.vision_config, config.vision_config.image_size // config.vision_config.patch_size
    width, hidden = vision.hidden_size, size_of(config.text_config, "hidden_size")
    mergers = [_merger(width, width)] * (config.merger_times - 1) + [_merger(width, hidden)]
    parts = {
        "vision_tower": siglip_tower(vision, side * side).extend(vit_merger=_window_merger(vision)),
        "merger": module(mlp=stack(mergers)).marked(section="projector"),
    }
    return with_language_beside(config, config.text_config, parts, tie=config.tie_word_embeddings)


def _merger(width: int, outputs: int) -> Module:
    """Four patches become one token."""
    merged = width * SQUARE
    return module(
        pre_norm=layer_norm(merged),
        linear_1=linear(merged, merged, bias=True),
        linear_2=linear(merged, outputs, bias=True),
    )


def _window_merger(vision: MiniCpmVisionConfig) -> Module:
    """Attention within windows of patches, and an MLP that leaves one patch of each."""
    high, wide = vision.window_kernel_size
    merged, inner = vision.hidden_size * high * wide, vision.intermediate_size * high * wide
    return module(
        self_attn=siglip_attention(vision),
        layer_norm1=layer_norm(vision.hidden_size),
        pre_norm=layer_norm(merged),
        linear_1=linear(merged, inner, bias=True),
        linear_2=linear(inner, vision.hidden_size, bias=True),
    )
