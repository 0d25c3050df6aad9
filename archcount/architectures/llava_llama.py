"""LLaVA as its authors' own code writes it: the projector, and where it was trained the tower, inside the decoder."""

from __future__ import annotations

from typing import ClassVar

from ..config import ModelConfig, Size
from ..flat import FlatTextConfig
from ..multimodal import with_parts_within
from ..nested import nested, size_of
from ..registry import architecture
from ..tree import Module, Node, Tensor, module
from .towers.by_name import tower_named
from .towers.mm_projector import mm_projector


class LlavaLlamaConfig(FlatTextConfig):
    """A tower that was not trained (1.0, 1.5) is not in the files: another repository's is loaded beside them."""

    text_config: ModelConfig = nested("llama")
    mm_hidden_size: Size
    mm_projector_type: str = "linear"
    mm_vision_tower: str | None = None
    unfreeze_mm_vision_tower: bool = False
    mm_patch_merge_type: str = "flat"
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"mm_spatial_pool_out_channels", "image_crop_resolution"})


class LlavaMistralConfig(LlavaLlamaConfig):
    text_config: ModelConfig = nested("mistral")


class LlavaQwenConfig(LlavaLlamaConfig):
    text_config: ModelConfig = nested("qwen2")


@architecture("llava_llama", config=LlavaLlamaConfig)
@architecture("llava_mistral", config=LlavaMistralConfig)
@architecture("llava_qwen", config=LlavaQwenConfig)
def llava_llama(config: LlavaLlamaConfig) -> Module:
    """`image_newline` ends a row of patches where the padding of an image is cut away (`spatial_unpad`)."""
    hidden, is_trained = size_of(config.text_config, "hidden_size"), config.unfreeze_mm_vision_tower
    eyes = module(vision_tower=tower_named(config.mm_vision_tower, "mm_vision_tower")) if is_trained else None
    parts: dict[str, Node | None] = {
        "image_newline": Tensor((hidden,)) if config.mm_patch_merge_type.endswith("unpad") else None,
        "vision_tower": eyes,
        "mm_projector": mm_projector(config.mm_projector_type, config.mm_hidden_size, hidden),
    }
    return with_parts_within(config, config.text_config, parts, tie=config.tie_word_embeddings)
