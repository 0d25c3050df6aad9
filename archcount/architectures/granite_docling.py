"""Granite Docling: SigLIP's tower without its head, two paths of merged patches with DeepStack, and a Granite."""

from __future__ import annotations

from ..blocks import layer_norm, linear, mlp
from ..config import Count, CountOrZero, ModelConfig, Size
from ..dim import same_size
from ..errors import ConfigValueError
from ..multimodal import is_tied, with_language_beside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module, module, repeat
from .llama import LlamaConfig, llama
from .towers.siglip import Idefics2VisionConfig, siglip_vision


class GraniteDoclingTextConfig(LlamaConfig):
    vocab_size: Size = 133800
    hidden_size: Size = 1024
    intermediate_size: Size = 2048
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 16
    num_key_value_heads: Count | None = 4
    tie_word_embeddings: bool = True


class GraniteDoclingVisionConfig(Idefics2VisionConfig):
    model_type: str = "granite_docling_vision"
    image_size: Size = 512
    patch_size: Size = 16
    out_hidden_size: Size = 1024
    scale_factor: Count = 4
    deepstack_visual_indexes: tuple[CountOrZero, ...] = (3, 7, 10)
    use_fine_route: bool = True


class GraniteDoclingConfig(CompositeConfig):
    text_config: ModelConfig = nested("granite_docling_text")
    vision_config: GraniteDoclingVisionConfig = GraniteDoclingVisionConfig()
    density_router_hidden_size: Size | None = None
    tie_word_embeddings: bool = True


@architecture("granite_docling_text", config=GraniteDoclingTextConfig)
def granite_docling_text(config: GraniteDoclingTextConfig) -> Module:
    return llama(config)


@architecture("granite_docling", config=GraniteDoclingConfig)
def granite_docling(config: GraniteDoclingConfig) -> Module:
    text, vision, width = config.text_config, config.vision_config, config.density_router_hidden_size
    same_size(vision.out_hidden_size, size_of(text, "hidden_size"))
    if width and not vision.use_fine_route:
        raise ConfigValueError(
            "density_router_hidden_size is given: vision_config.use_fine_route should be true with it"
        )
    parts = {
        "vision_model": siglip_vision(vision).extend(connector=_connector(vision)),
        "density_router": _density_router(vision.hidden_size, width) if width else None,
    }
    return with_language_beside(config, text, parts, tie=is_tied(config, text), name="text_model")


def _connector(config: GraniteDoclingVisionConfig) -> Module:
    out, side = config.out_hidden_size, config.scale_factor
    return module(
        ln_in=layer_norm(config.hidden_size),
        coarse=_path(config, side),
        fine=_path(config, side // 2) if config.use_fine_route else None,
        ln_mid=layer_norm(out),
        mlp_fc2=linear(out, out),
        ln_out=layer_norm(out),
    ).marked(section="projector")


def _path(config: GraniteDoclingVisionConfig, side: int) -> Module:
    """Squares of `side` × `side` patches through one matrix; those of chosen layers through an MLP each (DeepStack)."""
    merged, out = config.hidden_size * (side * side), config.out_hidden_size
    deep = module(
        layer_norm=layer_norm(merged),
        linear_1=linear(merged, out, bias=True),
        linear_2=linear(out, out, bias=True),
    )
    return module(projection=linear(merged, out), deepstack_mergers=repeat(len(config.deepstack_visual_indexes), deep))


def _density_router(width: int, inner: int) -> Module:
    """Says of a page whether it needs the fine path."""
    return (
        mlp(width, inner)
        .replacing(fc2=linear(inner, 1, bias=True))
        .prepend(att=linear(width, 1, bias=True), norm=layer_norm(width))
    )
