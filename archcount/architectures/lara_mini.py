"""Lara Mini: two layers of five carry a gated delta rule, two look through a window, one sees all; experts in each."""

from __future__ import annotations

from ..blocks import (
    attention,
    causal_convolution,
    embedding,
    gated_mlp,
    linear,
    mixture,
    packed_experts,
    pre_norm_layer,
    recurrent_state,
    rms_norm,
    router,
)
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, LINEAR, SLIDING, layer_kinds, stack_of
from ..tree import Module, Role, Tensor, module

PATTERN = LINEAR, SLIDING, LINEAR, FULL, SLIDING


class LaraMiniConfig(ModelConfig, Rotary):
    vocab_size: Size = 151936
    hidden_size: Size = 1024
    num_hidden_layers: Count = 34
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 4
    head_dim: Size = 128
    attention_bias: bool = False
    linear_conv_kernel_dim: Size = 4
    linear_key_head_dim: Size = 128
    linear_value_head_dim: Size = 128
    linear_num_key_heads: Count = 8
    linear_num_value_heads: Count = 16
    moe_intermediate_size: Size = 512
    shared_expert_intermediate_size: Size = 512
    num_experts: Count = 128
    num_experts_per_tok: Count = 4
    sliding_window: Size = 512
    layer_types: list[str] | None = None
    hidden_act: str = "silu"
    tie_word_embeddings: bool = True


@architecture("lara_mini", config=LaraMiniConfig)
def lara_mini(config: LaraMiniConfig) -> Module:
    hidden, vocab, norm = config.hidden_size, config.vocab_size, rms_norm(config.hidden_size)
    mlp = lara_experts(config)

    def layer(kind: str) -> Module:
        if kind != LINEAR:
            return pre_norm_layer(lara_attention(config, kind), mlp, norm)
        norms = {"input_layernorm": norm, "post_attention_layernorm": norm}
        return module(None, "pre-norm", linear_attn=gated_delta(config), mlp=mlp, **norms)

    known = (FULL, SLIDING, LINEAR)
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, lambda i: PATTERN[i % 5], known=known)
    model = module(embed_tokens=embedding(vocab, hidden), layers=stack_of(kinds, layer), norm=norm)
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)


def lara_attention(config: LaraMiniConfig, kind: str) -> Module:
    head_dim = config.head_dim
    return attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window if kind == SLIDING else None,
        positions=config.rope if kind == SLIDING else "NoPE",
    )


def gated_delta(config: LaraMiniConfig) -> Module:
    """Gated DeltaNet (Yang et al. 2024), its projections published as one: query, key, value, gate, beta and decay."""
    heads, key_heads = config.linear_num_value_heads, config.linear_num_key_heads
    exact_div(heads, key_heads)
    keys, values = key_heads * config.linear_key_head_dim, heads * config.linear_value_head_dim
    return module(
        Role.SSM,
        "gated DeltaNet",
        A_log=Tensor((heads,)),
        dt_bias=Tensor((heads,)),
        conv1d=causal_convolution(2 * keys + values, config.linear_conv_kernel_dim),
        in_proj=linear(config.hidden_size, 2 * keys + 2 * values + 2 * heads),
        out_norm=rms_norm(config.linear_value_head_dim),
        out_proj=linear(values, config.hidden_size),
    ).marked(cache=recurrent_state(values * config.linear_key_head_dim))


def lara_experts(config: LaraMiniConfig) -> Module:
    hidden, activation = config.hidden_size, config.hidden_act
    experts, active = config.num_experts, config.num_experts_per_tok
    inner, shared = config.moe_intermediate_size, config.shared_expert_intermediate_size
    return mixture(
        experts,
        active,
        gate=router(hidden, experts),
        experts=packed_experts(hidden, inner, experts=experts, active=active, activation=activation),
        shared_expert=gated_mlp(hidden, shared, activation=activation),
    )
