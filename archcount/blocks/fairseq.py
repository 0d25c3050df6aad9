"""The layer of fairseq's Transformer, whose names BART, OPT, Whisper and many others keep."""

from __future__ import annotations

from dataclasses import replace

from ..dim import exact_div
from ..tree import Cache, Module, Role, module
from .attention import attention, without_key_bias
from .linear import linear
from .mlp import activation_name
from .norms import layer_norm

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")


def fairseq_layer(
    width: int,
    inner: int,
    *,
    heads: int,
    activation: str = "gelu",
    causal: bool = True,
    cross_width: int | None = None,
    cross_length: int | None = None,
    attention_bias: bool = True,
    key_bias: bool = True,
    mlp_bias: bool = True,
    norm: Module | None = None,
    positions: str | None = "learned",
    kind: str = "post-norm",
) -> Module:
    """`self_attn`, where `cross_width` is given `encoder_attn` to tokens of that width, then `fc1` and `fc2`.

    A norm stands at each. `cross_length` is the number of tokens of the other side, where it is always the same;
    `key_bias` is false where keys have no bias though the rest has.
    """

    def attend(source_width: int | None = None) -> Module:
        biased = attention(
            width,
            heads=heads,
            head_dim=exact_div(width, heads),
            bias=attention_bias,
            causal=causal,
            source_width=source_width,
            positions=positions,
            names=PROJECTIONS,
        )
        return biased if key_bias else without_key_bias(biased)

    norm = norm or layer_norm(width)
    across = attend(cross_width) if cross_width is not None else None
    if across is not None and cross_length is not None:
        kept = Cache("cross KV", fixed=2 * width * cross_length)
        attends = replace(across.attends, source=cross_length) if across.attends else None
        across = across.marked(cache=kept, attends=attends)
    up = linear(width, inner, bias=mlp_bias, role=Role.MLP)
    return module(
        None,
        kind,
        self_attn=attend(),
        self_attn_layer_norm=norm,
        encoder_attn=across,
        encoder_attn_layer_norm=norm if across is not None else None,
        fc1=up.marked(kind=activation_name(activation, gated=False)),
        fc2=linear(inner, width, bias=mlp_bias, role=Role.MLP),
        final_layer_norm=norm,
    )
