"""Meta's Perception Encoder (Bolya et al. 2025) as timm names it, without the head that pools its patches."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import convolution, fused_bidirectional_attention, layer_norm, mlp
from ...config import Count, Schema, Size
from ...errors import ConfigValueError
from ...faults import shown
from ...tree import Module, Role, Tensor, Use, module, repeat
from .sides import both_sides

LARGE, GIGANTIC = "vit_pe_core_large_patch14_336", "vit_pe_core_gigantic_patch14_448"
PATCH, HEADS = 14, 16


class TimmPeArguments(Schema):
    """What timm's own sizes are overruled by; a key that is not here may change tensors, and is refused."""

    embed_dim: Size
    depth: Count | None = None
    img_size: Size | tuple[Size, Size] | None = None
    init_values: float | None = None
    use_post_transformer_norm: bool | None = None
    global_pool: str = "map"
    ref_feat_shape: int | tuple[int, int] | None = None


class TimmPeConfig(Schema):
    model_type: str = "timm_wrapper"
    architecture: str
    model_args: TimmPeArguments
    ignored: ClassVar[frozenset[str]] = frozenset({"global_pool", "num_classes", "num_features"})


def timm_pe(config: TimmPeConfig) -> Module:
    """`cls_token` (of the large one), `pos_embed`, `patch_embed`, `norm_pre`, `blocks` and, unless waived, `norm`.

    Raises ConfigValueError: an architecture or an argument whose tensors are not known.
    """
    given, is_large = config.model_args, _is_large(config)
    width = given.embed_dim
    height, breadth = both_sides(given.img_size or (336 if is_large else 448))
    places = (height // PATCH) * (breadth // PATCH) + (1 if is_large else 0)
    inner = 4 * width if is_large else width * 35 // 6
    scale = Tensor((width,), Use.SCALE) if given.init_values is not None else None
    block = module(
        None,
        "pre-norm",
        gamma_1=scale,
        gamma_2=scale,
        norm1=layer_norm(width),
        attn=fused_bidirectional_attention(width, heads=HEADS, positions="learned and RoPE 2D"),
        norm2=layer_norm(width),
        mlp=mlp(width, inner, activation="gelu"),
    )
    patches = convolution(3, width, PATCH, PATCH, bias=False)
    return module(
        cls_token=Tensor((1, 1, width)) if is_large else None,
        pos_embed=Tensor((1, places, width), Use.LOOKUP),
        patch_embed=module(Role.EMBEDDING, "patch embedding", proj=patches),
        norm_pre=layer_norm(width),
        blocks=repeat(given.depth or (24 if is_large else 50), block),
        norm=None if given.use_post_transformer_norm is False else layer_norm(width),
    ).marked(section="vision")


def _is_large(config: TimmPeConfig) -> bool:
    name, given = config.architecture, config.model_args
    if name not in (LARGE, GIGANTIC):
        raise ConfigValueError(f"vision_config.architecture is {shown(name)}: only {LARGE} and {GIGANTIC} are known")
    if strange := sorted(given.model_extra or {}):
        mend = "what timm makes of it is not known here; leave it out if it shapes nothing"
        raise ConfigValueError(f"vision_config.model_args has {shown(strange[0])}: {mend}")
    if given.global_pool:
        found = f"vision_config.model_args.global_pool is {shown(given.global_pool)}"
        raise ConfigValueError(f'{found}: should be "", for patches that are not pooled')
    return name == LARGE
