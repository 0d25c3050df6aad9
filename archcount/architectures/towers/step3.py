"""Step 3's vision tower: a ViT with learned and turned positions, a gain on each part, two convolutions after it."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import bias_of, convolution, layer_norm, linear, mlp
from ...config import Count, Factor, Schema, Size
from ...dim import exact_div, truncated
from ...tree import Attends, Module, Role, Tensor, Use, module, repeat


class Step3VisionConfig(Schema):
    model_type: str = "step3p5_vision"
    hidden_size: Size = 1536
    num_hidden_layers: Count = 47
    num_attention_heads: Count = 16
    num_channels: Size = 3
    image_size: Size = 728
    patch_size: Size = 14
    mlp_ratio: Factor = 8960 / 1536
    hidden_act: str = "quick_gelu"
    also_spelled: ClassVar[dict[str, str]] = {
        "width": "hidden_size",
        "layers": "num_hidden_layers",
        "heads": "num_attention_heads",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"intermediate_size"})  # always the width times mlp_ratio


def step3_vision(config: Step3VisionConfig) -> Module:
    """`conv1`, `positional_embedding`, `ln_pre`, `transformer.resblocks`, two convolutions that halve the side."""
    width, patch = config.hidden_size, config.patch_size
    side, inner = config.image_size // patch, truncated(config.mlp_ratio, width, "mlp_ratio")
    gain = module(gamma=Tensor((width,), Use.SCALE))
    block = module(
        None,
        "pre-norm",
        ln_1=layer_norm(width),
        attn=_attention(width, config.num_attention_heads),
        ls_1=gain,
        ln_2=layer_norm(width),
        mlp=mlp(width, inner, activation=config.hidden_act, names=("c_fc", "c_proj")),
        ls_2=gain,
    )
    patches = convolution(config.num_channels, width, patch, patch, bias=False, role=Role.EMBEDDING)
    return module(
        conv1=patches.marked(kind="patch embedding"),
        positional_embedding=Tensor((side * side, width), Use.LOOKUP),
        ln_pre=layer_norm(width),
        transformer=module(resblocks=repeat(config.num_hidden_layers, block)),
        vit_downsampler1=convolution(width, 2 * width, 3, 3).marked(section="projector"),
        vit_downsampler2=convolution(2 * width, 4 * width, 3, 3).marked(section="projector"),
    ).marked(section="vision")


def _attention(width: int, heads: int) -> Module:
    """Query, key and value in one matrix without a module of its own, as PyTorch has them."""
    head_dim = exact_div(width, heads)
    return module(
        Role.ATTENTION,
        f"MHA {heads}",
        in_proj_weight=Tensor((3 * width, width), Use.MATMUL),
        in_proj_bias=bias_of(3 * width),
        out_proj=linear(width, width, bias=True),
    ).marked(attends=Attends(heads, head_dim, head_dim, causal=False, positions="learned and RoPE 2D"))
