"""LLaVA and its successors: a CLIP or SigLIP tower, two matrices, and a language model of any family."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import layer_norm, linear
from ..config import ModelConfig, Size
from ..multimodal import LLAVA_SPELLINGS, is_tied, tower, with_language_inside
from ..nested import CompositeConfig, built, nested, size_of, ties
from ..registry import architecture
from ..tree import Module, Node, Tensor, module
from .llava_images import LLAVA, LLAVA_NEXT, LLAVA_ONEVISION, VIDEO_LLAVA
from .towers.by_name import CLIP_LARGE, SIGLIP_SO400M


class LlavaKeys(CompositeConfig):
    text_config: ModelConfig = nested("llama")
    vision_config: ModelConfig = nested("clip_vision_model", **CLIP_LARGE, image_size=336)
    vision_feature_layer: int | tuple[int, ...] = -2
    vision_feature_select_strategy: str = "default"
    multimodal_projector_bias: bool = True
    tie_word_embeddings: bool = False


class Tiled(ModelConfig):
    image_grid_pinpoints: tuple[tuple[Size, Size], ...] | None = None


class LlavaNextConfig(LlavaKeys, Tiled):
    pass


class LlavaConfig(LlavaKeys):
    pass


class LlavaNextVideoConfig(LlavaConfig, Tiled):
    pass


class LlavaOnevisionConfig(LlavaConfig, Tiled):
    vision_feature_select_strategy: str = "full"
    vision_aspect_ratio: str = "anyres_max_9"
    text_config: ModelConfig = nested("qwen2")
    vision_config: ModelConfig = nested("siglip_vision_model", **SIGLIP_SO400M)
    vision_feature_layer: int | tuple[int, ...] = -1


class VideoLlavaConfig(LlavaKeys):
    vision_config: ModelConfig = nested("clip_vision_model", **CLIP_LARGE, image_size=224)


class VipLlavaConfig(LlavaKeys):
    vision_feature_layer: int | tuple[int, ...] = (-2, -5, -8, -11, 6)
    also_spelled: ClassVar[dict[str, str]] = {"vision_feature_layers": "vision_feature_layer"}


@architecture("llava", config=LlavaConfig, spellings=LLAVA_SPELLINGS, images=LLAVA)
@architecture("vipllava", config=VipLlavaConfig, spellings=LLAVA_SPELLINGS, images=LLAVA)
def llava(config: LlavaKeys) -> Module:
    return _seeing(config, vision_tower=_eyes(config))


@architecture("llava_next", config=LlavaNextConfig, spellings=LLAVA_SPELLINGS, images=LLAVA_NEXT)
@architecture("llava_next_video", config=LlavaNextVideoConfig, spellings=LLAVA_SPELLINGS, images=LLAVA_NEXT)
@architecture("llava_onevision", config=LlavaOnevisionConfig, spellings=LLAVA_SPELLINGS, images=LLAVA_ONEVISION)
def llava_next(config: LlavaKeys) -> Module:
    """An image is cut into tiles; a learned vector ends each of their rows."""
    newline = Tensor((size_of(config.text_config, "hidden_size"),))
    return _seeing(config, image_newline=newline, vision_tower=_eyes(config))


@architecture("video_llava", config=VideoLlavaConfig, spellings=LLAVA_SPELLINGS, images=VIDEO_LLAVA)
def video_llava(config: VideoLlavaConfig) -> Module:
    """One tower for images and another of the same form for the frames of a video."""
    return _seeing(config, image_tower=_eyes(config), video_tower=_eyes(config))


def _seeing(config: LlavaKeys, **parts: Node) -> Module:
    parts["multi_modal_projector"] = _projector(config)
    return with_language_inside(config, config.text_config, parts, tie=_is_tied(config))


def _is_tied(config: LlavaKeys) -> bool:
    """LLaVA itself and all but LLaVA-NeXT and its kin take the language model's word too."""
    inner = isinstance(config, LlavaConfig) and ties(config.text_config)
    return inner or is_tied(config, config.text_config)


def _eyes(config: LlavaKeys) -> Module:
    return tower(built(config.vision_config), config)


def _projector(config: LlavaKeys) -> Module:
    """From the features of one layer of the tower, or of several side by side, to the language model's width."""
    chosen, hidden = config.vision_feature_layer, size_of(config.text_config, "hidden_size")
    features = size_of(config.vision_config, "hidden_size") * (len(chosen) if isinstance(chosen, tuple) else 1)
    bias = config.multimodal_projector_bias
    return module(
        projector_layernorm=layer_norm(features) if isinstance(config, VipLlavaConfig) else None,
        linear_1=linear(features, hidden, bias=bias),
        linear_2=linear(hidden, hidden, bias=bias),
    ).marked(section="projector")
