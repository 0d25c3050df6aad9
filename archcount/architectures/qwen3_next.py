"""Qwen3-Next and Qwen3.5: a gated DeltaNet in three layers of four, gated attention in the fourth; experts.

Longer than most: its mixers are those of Qwen3.5 and of Qwen4's experiment, which call them from here.
"""

from __future__ import annotations

from ..blocks import attention, gated_delta_net, gated_mlp, linear, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, ModelConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, LINEAR, layer_kinds, stack_of
from ..tree import Module, Stack, module, repeat


class DeltaNetConfig(ModelConfig, Rotary):
    """What the hybrids of gated DeltaNet and gated attention share: their mixers and where each stands."""

    hidden_size: Size
    num_hidden_layers: Count
    num_attention_heads: Count = 16
    num_key_value_heads: Count
    head_dim: Size = 256
    hidden_act: str = "silu"
    attention_bias: bool = False
    attn_output_gate: bool = True
    linear_conv_kernel_dim: Size = 4
    linear_key_head_dim: Size = 128
    linear_value_head_dim: Size = 128
    linear_num_key_heads: Count = 16
    linear_num_value_heads: Count = 32
    layer_types: list[str] | None = None
    full_attention_interval: Count = 4

    def kinds(self) -> list[str]:
        """`layer_types`, or attention in every layer that `full_attention_interval` divides."""
        return layer_kinds(
            self.num_hidden_layers,
            self.layer_types,
            lambda index: LINEAR if (index + 1) % self.full_attention_interval else FULL,
            known=(LINEAR, FULL),
        )


class ExpertKeys(ModelConfig):
    """Experts beside one that every token visits, behind a gate."""

    moe_intermediate_size: Size = 512
    shared_expert_intermediate_size: Size = 512
    num_experts_per_tok: Count
    num_experts: CountOrZero


class Qwen3NextConfig(DeltaNetConfig, ExpertKeys, DecoderConfig):
    vocab_size: Size = 151936
    hidden_size: Size = 2048
    intermediate_size: Size = 5632
    num_hidden_layers: Count = 48
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 2
    decoder_sparse_step: Count = 1
    num_experts_per_tok: Count = 10
    num_experts: CountOrZero = 512
    mlp_only_layers: list[CountOrZero] | None = None
    num_nextn_predict_layers: CountOrZero = 0


@architecture("qwen3_next", config=Qwen3NextConfig)
def qwen3_next(config: Qwen3NextConfig) -> Module:
    hidden, layers, dense_layers = config.hidden_size, config.num_hidden_layers, config.mlp_only_layers or ()
    mixers = {LINEAR: delta_net(config, fused=True), FULL: gated_attention(config)}
    dense = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    sparse = experts(config, hidden, config.hidden_act) if config.num_experts else dense

    def is_sparse(index: int) -> bool:
        return index not in dense_layers and (index + 1) % config.decoder_sparse_step == 0

    kinds = zip(config.kinds(), map(is_sparse, range(layers)), strict=True)
    stacked = stack_of(kinds, lambda kind: mixed_layer(kind[0], mixers, sparse if kind[1] else dense, hidden))
    model = decoder_lm(config, stacked, rms_norm(hidden))
    ahead = mixed_layer(FULL, mixers, sparse, hidden)
    return model.extend(mtp=look_ahead(ahead, hidden, config.num_nextn_predict_layers))


def delta_net(config: DeltaNetConfig, *, fused: bool = False) -> Module:
    return gated_delta_net(
        config.hidden_size,
        key_heads=config.linear_num_key_heads,
        value_heads=config.linear_num_value_heads,
        key_dim=config.linear_key_head_dim,
        value_dim=config.linear_value_head_dim,
        kernel=config.linear_conv_kernel_dim,
        fused=fused,
    )


def gated_attention(config: DeltaNetConfig) -> Module:
    """Attention, whose query may be twice as high: the second half is a gate on the output."""
    heads, head_dim, bias = config.num_attention_heads, config.head_dim, config.attention_bias
    attend = attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        positions=config.rope,
    )
    gated = linear(config.hidden_size, 2 * (heads * head_dim), bias=bias)
    return attend.replacing(q_proj=gated) if config.attn_output_gate else attend


def experts(config: ExpertKeys, hidden: int, activation: str) -> Module:
    return sparse_mlp(
        hidden,
        config.moe_intermediate_size,
        experts=config.num_experts,
        active=config.num_experts_per_tok,
        activation=activation,
        shared_expert=gated_mlp(hidden, config.shared_expert_intermediate_size, activation=activation),
        shared_expert_gate=linear(hidden, 1),
    )


def mixed_layer(kind: str, mixers: dict[str, Module], mlp: Module, hidden: int) -> Module:
    """The mixer under the name its kind has, `linear_attn` or `self_attn`, then `mlp`, a norm before each."""
    return module(
        None,
        "pre-norm",
        **{"self_attn" if kind == FULL else "linear_attn": mixers[kind]},
        mlp=mlp,
        input_layernorm=rms_norm(hidden),
        post_attention_layernorm=rms_norm(hidden),
    )


def look_ahead(layer: Module, hidden: int, layers: int) -> Module | None:
    """Layers that predict a token further, as published beside the model: they share its table and its head."""
    return look_ahead_of(repeat(layers, layer), hidden) if layers else None


def look_ahead_of(layers: Stack, hidden: int) -> Module:
    """The same, of layers that are not all alike."""
    return module(
        fc=linear(2 * hidden, hidden),
        layers=layers,
        norm=rms_norm(hidden),
        pre_fc_norm_embedding=rms_norm(hidden),
        pre_fc_norm_hidden=rms_norm(hidden),
    ).marked(section="mtp")
