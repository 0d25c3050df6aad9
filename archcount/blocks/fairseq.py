"""The layer of fairseq's Transformer, whose names BART, OPT, Whisper and many others keep."""

from __future__ import annotations

from dataclasses import replace

from ..dim import exact_div
from ..tree import Cache, Module, Role, module
from .attention import attention
from .linear import linear
from .mlp import activation_name
from .norms import layer_norm

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")


def fairseq_attention(
    width: int,
    *,
    heads: int,
    bias: bool = True,
    causal: bool = True,
    source_width: int | None = None,
    source_length: int | None = None,
    positions: str | None = "learned",
) -> Module:
    """Attention with `out_proj`, to tokens of the other side where `source_width` is given.

    `source_length` is the number of those tokens, where it is always the same.
    """
    attend = attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=bias,
        causal=causal,
        source_width=source_width,
        positions=positions,
        names=PROJECTIONS,
    )
    if source_length is None or attend.attends is None:
        return attend
    kept = Cache("cross KV", fixed=2 * width * source_length)
    return attend.marked(cache=kept, attends=replace(attend.attends, source=source_length))


def fairseq_layer(
    width: int,
    inner: int,
    *,
    self_attn: Module,
    encoder_attn: Module | None = None,
    activation: str = "gelu",
    bias: bool = True,
    norm: Module | None = None,
    kind: str = "post-norm",
) -> Module:
    """`self_attn`, `encoder_attn` where given, `fc1` [inner, width] and `fc2` [width, inner], a norm at each.

    `bias` is that of the last two.
    """
    norm = norm or layer_norm(width)
    up = linear(width, inner, bias=bias, role=Role.MLP)
    return module(
        None,
        kind,
        self_attn=self_attn,
        self_attn_layer_norm=norm,
        encoder_attn=encoder_attn,
        encoder_attn_layer_norm=norm if encoder_attn is not None else None,
        fc1=up.marked(kind=activation_name(activation, gated=False)),
        fc2=linear(inner, width, bias=bias, role=Role.MLP),
        final_layer_norm=norm,
    )
