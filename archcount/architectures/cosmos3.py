"""Cosmos 3's reasoners under diffusers' names: Qwen3-VL with its parts side by side, and a decoder behind SigLIP 2."""

from __future__ import annotations

from ..blocks import layer_norm, linear, rms_norm
from ..config import Count, ModelConfig, Size
from ..images.grids import PIXELS, smart_grid
from ..images.seen import ImageRule, Picture, Seen
from ..multimodal import is_whole, with_language_beside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..renaming import renamed
from ..tree import Module, Node, Stack, module, relocated
from .nemotron import NemotronConfig, plain_decoder
from .towers.pictures import QWEN_IMAGES
from .towers.qwen3_vl import DeepstackVisionConfig, qwen3_vision
from .towers.siglip2 import Siglip2VisionConfig, siglip2_vision

ATTENTION = {"q_proj": "to_q", "k_proj": "to_k", "v_proj": "to_v", "q_norm": "norm_q", "k_norm": "norm_k"}


class Cosmos3OmniConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen3_vl_text")
    vision_config: DeepstackVisionConfig = DeepstackVisionConfig()
    tie_word_embeddings: bool = False


class Cosmos3EdgeTextConfig(NemotronConfig):
    vocab_size: Size = 131072
    hidden_size: Size = 2048
    intermediate_size: Size = 9216
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 16
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = 128
    hidden_act: str = "relu2"


class Cosmos3EdgeVisionConfig(Siglip2VisionConfig):
    model_type: str = "cosmos3_edge_vision"
    hidden_size: Size = 1152
    intermediate_size: Size = 4304
    num_hidden_layers: Count = 27
    num_attention_heads: Count = 16
    spatial_merge_size: Size = 2
    vision_use_head: bool = False


class Cosmos3EdgeConfig(CompositeConfig):
    text_config: ModelConfig = nested("cosmos3_edge_text")
    vision_config: Cosmos3EdgeVisionConfig = Cosmos3EdgeVisionConfig()
    projector_hidden_size: Size = 11520
    tie_word_embeddings: bool = False


@architecture("cosmos3_edge_text", config=Cosmos3EdgeTextConfig)
def cosmos3_edge_text(config: Cosmos3EdgeTextConfig) -> Module:
    return plain_decoder(config, rms_norm(config.hidden_size))


@architecture("cosmos3_omni", config=Cosmos3OmniConfig, images=QWEN_IMAGES)
def cosmos3_omni(config: Cosmos3OmniConfig) -> Module:
    text, visual, tie = config.text_config, qwen3_vision(config.vision_config), config.tie_word_embeddings
    if not is_whole(config):
        return with_language_beside(config, text, {"visual": visual}, tie=tie)
    seeing = {name: _seeing(child) for name, child in visual.children}
    return module(**seeing, **_without_prefix(text, tie=tie))


def _images(config: Cosmos3EdgeConfig, picture: Picture) -> Seen:
    vision = config.vision_config
    return smart_grid(picture, vision.patch_size, vision.spatial_merge_size, ("projector",), stretch=True)


BOUNDS = {"min_pixels": 256 * 256, "max_pixels": 4096 * 4096}
IMAGES = ImageRule(_images, "Cosmos3EdgeImageProcessor", BOUNDS, PIXELS)


@architecture("cosmos3_edge", config=Cosmos3EdgeConfig, images=IMAGES)
def cosmos3_edge(config: Cosmos3EdgeConfig) -> Module:
    """The head is never the table, whatever the config says: the class ties nothing."""
    text, vision = config.text_config, config.vision_config
    merged = vision.hidden_size * (vision.spatial_merge_size * vision.spatial_merge_size)
    projector = module(
        norm=layer_norm(vision.hidden_size),
        linear_fc1=linear(merged, config.projector_hidden_size, bias=True),
        linear_fc2=linear(config.projector_hidden_size, size_of(text, "hidden_size"), bias=True),
    ).marked(section="projector")
    visual = renamed(siglip2_vision(vision), ATTENTION | {"fc1": "up_proj", "fc2": "down_proj"})
    parts = {"visual": visual, "projector": projector}
    if not is_whole(config):
        return with_language_beside(config, text, parts, tie=False)
    return module(model=module(**parts), **_without_prefix(text, tie=False))


def _without_prefix(text: ModelConfig, *, tie: bool) -> dict[str, Node]:
    """The decoder's children at the top, beside the head."""
    alone = relocated(built(text, tie_word_embeddings=tie), "model.", "")
    (_, decoder), *head = renamed(alone, ATTENTION | {"o_proj": "to_out"}).children
    return dict((*(decoder.children if isinstance(decoder, Module) else ()), *head))


def _seeing(node: Node) -> Node:
    """A part of the tower that stands alone: it is of the section all the same."""
    match node:
        case Stack(groups):
            return Stack(tuple((where, _seeing(layer)) for where, layer in groups))
        case Module(section=None):
            return node.marked(section="vision")
        case _:
            return node
