"""Snowflake Arctic: 128 experts, and beside them a dense MLP as wide as the model."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, rms_norm, sparse_mlp
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, module

NAMES = "w1", "w3", "w2"


class ArcticConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    num_local_experts: Count = 8
    num_experts_per_tok: Count = 1
    moe_layer_frequency: Count = 2
    parallel_attn_mlp_res: bool = False
    hidden_act: str = "silu"
    attention_bias: bool = False


@architecture("arctic", config=ArcticConfig)
def arctic(config: ArcticConfig) -> Module:
    hidden, activation = config.hidden_size, config.hidden_act
    dense = module(mlp=gated_mlp(hidden, config.intermediate_size, activation=activation, names=NAMES))
    self_attn, experts = _attention(config), _experts(config)

    def layer(is_sparse: bool) -> Module:
        beside = config.parallel_attn_mlp_res and is_sparse
        return module(
            None,
            "parallel" if beside else "pre-norm",
            self_attn=self_attn,
            block_sparse_moe=experts if is_sparse else dense,
            input_layernorm=rms_norm(hidden),
            post_attention_layernorm=rms_norm(hidden),
            residual_layernorm=rms_norm(hidden) if beside else None,
            residual_mlp=gated_mlp(hidden, hidden, activation=activation, names=NAMES) if beside else None,
        )

    kinds = [(index + 1) % config.moe_layer_frequency == 0 for index in range(config.num_hidden_layers)]
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden))


def _attention(config: ArcticConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )


def _experts(config: ArcticConfig) -> Module:
    return sparse_mlp(
        config.hidden_size,
        config.intermediate_size,
        experts=config.num_local_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        expert_names=NAMES,
    )
