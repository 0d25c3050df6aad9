"""DeepSeek-VL2's eyes: a SigLIP of timm's, and matrices that make one of four patches."""

from __future__ import annotations

from typing import Any

from ...blocks import linear
from ...config import Count, Schema, Size
from ...dim import truncated
from ...errors import ConfigValueError
from ...tree import Module, Node, module, stack
from .siglip import SiglipKeys
from .timm_siglip import timm_siglip


class VL2VisionConfig(Schema):
    """Read for DeepSeek-VL2 alone: in DeepSeek-OCR the sizes stand in the classes, and the config names them."""

    image_size: Size = 384
    patch_size: Size = 16
    width: Size | dict[str, Any] = 1024
    layers: Count = 24
    heads: Count = 16
    mlp_ratio: float = 4.0
    global_pool: str = "map"


class VL2ProjectorConfig(Schema):
    """`input_dim` is what the towers give; in DeepSeek-OCR side by side, in DeepSeek-OCR 2 the reader's width."""

    model_type: str = "mlp_projector"
    projector_type: str = "downsample_mlp_gelu"
    input_dim: Size = 1152
    n_embed: Size = 2048
    depth: Count = 2
    mlp_ratio: Count = 1
    downsample_ratio: Count = 2


def vl2_siglip(config: VL2VisionConfig) -> Module:
    """The tower as timm names it.

    Raises ConfigValueError: DeepSeek-OCR's towers, whose sizes stand elsewhere.
    """
    width = config.width
    if not isinstance(width, int):
        raise ConfigValueError("vision_config.width holds several towers: name the class of the file in architectures")
    side = config.image_size // config.patch_size
    keys = SiglipKeys(
        model_type="siglip",
        hidden_size=width,
        intermediate_size=truncated(config.mlp_ratio, width, "vision_config.mlp_ratio"),
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        patch_size=config.patch_size,
    )
    return timm_siglip(keys, side * side, has_pool=config.global_pool == "map")


def vl2_projector(config: VL2ProjectorConfig) -> Module:
    """`layers`: squares of patches through `depth` matrices, with GELUs between.

    Raises ConfigValueError: another projector.
    """
    if config.projector_type != "downsample_mlp_gelu":
        found = f"projector_config.projector_type is {config.projector_type!r}"
        raise ConfigValueError(f"{found}: should be downsample_mlp_gelu")
    inner, square = config.n_embed * config.mlp_ratio, config.downsample_ratio * config.downsample_ratio
    between: list[Node | None] = [linear(inner, inner, bias=True), None] * (config.depth - 2)
    first = linear(config.input_dim * square, inner, bias=True)
    layers = stack([first, None, *between, linear(inner, config.n_embed, bias=True)])
    return module(layers=layers).marked(section="projector")
