"""Beam: a norm on either side, windows on five layers of six, gated attention, three dense layers before experts."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, linear, rms_norm, sandwich_layer, sparse_mlp
from ..config import Count, DecoderConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import DENSE, FULL, SLIDING, SPARSE, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module, Tensor, Use


class BeamConfig(DecoderConfig, Rotary):
    vocab_size: Size = 151936
    hidden_size: Size = 5120
    intermediate_size: Size = 20480
    moe_intermediate_size: Size = 2560
    num_hidden_layers: Count = 52
    num_attention_heads: Count = 48
    num_key_value_heads: Count = 8
    head_dim: Size = 128
    attention_bias: bool = False
    num_experts: Count = 256
    num_experts_per_tok: Count = 8
    sliding_window: Size | None = 512
    layer_types: list[str] | None = None
    mlp_layer_types: list[str] | None = None
    hidden_act: str = "silu"


@architecture("beam", config=BeamConfig)
def beam(config: BeamConfig) -> Module:
    layers, norm = config.num_hidden_layers, rms_norm(config.hidden_size)

    def attends(index: int) -> str:
        return FULL if (index + 1) % 6 == 0 or index == layers - 1 else SLIDING

    def mlp(index: int) -> str:
        return DENSE if index < 3 else SPARSE

    def layer(layout: tuple[str, str]) -> Module:
        return sandwich_layer(beam_attention(config, layout[0]), beam_mlp(config, layout[1]), norm)

    kinds = layer_kinds(layers, config.layer_types, attends)
    mlps = mlp_layer_kinds(layers, config.mlp_layer_types, mlp)
    return decoder_lm(config, stack_of(zip(kinds, mlps, strict=True), layer), norm)


def beam_attention(config: BeamConfig, kind: str) -> Module:
    """Attention with QK-norm whose output passes a gate [heads × head_dim, hidden], shifted by a bias a head."""
    hidden, heads, head_dim = config.hidden_size, config.num_attention_heads, config.head_dim
    slides = kind == SLIDING
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window if slides else None,
        positions=config.rope if slides else "NoPE",
    ).extend(gate_proj=linear(hidden, heads * head_dim), gate_bias=Tensor((heads,), Use.BIAS))


def beam_mlp(config: BeamConfig, kind: str) -> Module:
    hidden, activation = config.hidden_size, config.hidden_act
    if kind == DENSE:
        return gated_mlp(hidden, config.intermediate_size, activation=activation)
    return sparse_mlp(
        hidden,
        config.moe_intermediate_size,
        experts=config.num_experts,
        active=config.num_experts_per_tok,
        activation=activation,
        correction=True,
    )
