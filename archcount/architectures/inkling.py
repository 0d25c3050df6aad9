"""Inkling's language model: relative positions, short filters around each part, experts beside shared ones."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    attention,
    bias_of,
    causal_convolution,
    gated_mlp,
    linear,
    mixture,
    packed_experts,
    rms_norm,
)
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..heads import causal_lm
from ..registry import architecture
from ..schedules import layer_kinds, stack_of
from ..tree import Module, Role, Stack, Tensor, Use, module

SLIDING, FULL = "hybrid_sliding", "hybrid"
DENSE, SPARSE = "dense", "sparse"


class InklingTextConfig(DecoderConfig):
    vocab_size: Size = 201024
    hidden_size: Size = 6144
    intermediate_size: Size = 24576
    moe_intermediate_size: Size = 3072
    dense_intermediate_size: Size | None = None
    num_hidden_layers: Count = 66
    num_attention_heads: Count = 64
    num_key_value_heads: Count = 8
    head_dim: Size = 128
    swa_num_attention_heads: Count = 64
    swa_num_key_value_heads: Count = 16
    swa_head_dim: Size = 128
    sliding_window_size: Size = 512
    d_rel: Size = 16
    rel_extent: Size = 1024
    conv_kernel_size: Size = 4
    local_layer_ids: list[CountOrZero] | None = None
    layer_types: list[str] | None = None
    dense_mlp_idx: CountOrZero = 0
    mlp_layer_types: list[str] | None = None
    hidden_act: str = "silu"
    n_routed_experts: Count = 256
    num_experts_per_tok: Count = 6
    n_shared_experts: CountOrZero = 2
    also_spelled: ClassVar[dict[str, str]] = {
        "sliding_window": "sliding_window_size",
        "num_local_experts": "n_routed_experts",
        "sconv_kernel_size": "conv_kernel_size",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"unpadded_vocab_size", "num_mtp_layers"})


@architecture("inkling_text", config=InklingTextConfig)
def inkling_text(config: InklingTextConfig) -> Module:
    """Table and head are never tied."""
    hidden, vocab = config.hidden_size, config.vocab_size
    table = module(Role.EMBEDDING, weight=Tensor((vocab, hidden), Use.LOOKUP), embed_norm=rms_norm(hidden))
    model = module(embed_tokens=table, layers=_layers(config), norm=rms_norm(hidden))
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=False)


def _layers(config: InklingTextConfig) -> Stack:
    hidden, layers, local = config.hidden_size, config.num_hidden_layers, config.local_layer_ids
    filtered = module(Role.SSM, conv1d=causal_convolution(hidden, config.conv_kernel_size))

    def layer(kind: tuple[str, str]) -> Module:
        attends, mlp = kind
        return module(
            None,
            "pre-norm",
            self_attn=_attention(config, attends),
            mlp=_dense(config) if mlp == DENSE else _experts(config),
            input_layernorm=rms_norm(hidden),
            post_attention_layernorm=rms_norm(hidden),
            attn_sconv=filtered,
            mlp_sconv=filtered,
        )

    def slides(index: int) -> str:
        return SLIDING if ((index + 1) % 6 if local is None else index in local) else FULL

    kinds = layer_kinds(layers, config.layer_types, slides, known=(SLIDING, FULL))
    mlps = layer_kinds(
        layers,
        config.mlp_layer_types,
        lambda index: DENSE if index < config.dense_mlp_idx else SPARSE,
        known=(DENSE, SPARSE),
        key="mlp_layer_types",
    )
    return stack_of(zip(kinds, mlps, strict=True), layer)


def _attention(config: InklingTextConfig, kind: str) -> Module:
    """Keys and values pass a short filter; what lies between two tokens is learned, up to an extent."""
    slides = kind == SLIDING
    heads = config.swa_num_attention_heads if slides else config.num_attention_heads
    kv_heads = config.swa_num_key_value_heads if slides else config.num_key_value_heads
    head_dim = config.swa_head_dim if slides else config.head_dim
    filtered = module(conv1d=causal_convolution(kv_heads * head_dim, config.conv_kernel_size))
    extent = config.sliding_window_size if slides else config.rel_extent
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window_size if slides else None,
        positions="relative",
    ).extend(
        r_proj=linear(config.hidden_size, heads * config.d_rel),
        k_sconv=filtered,
        v_sconv=filtered,
        rel_logits_proj=module(proj=Tensor((config.d_rel, extent), Use.MATMUL)),
    )


def _dense(config: InklingTextConfig) -> Module:
    inner = config.dense_intermediate_size or config.intermediate_size
    return gated_mlp(config.hidden_size, inner, activation=config.hidden_act).extend(
        global_scale=Tensor((1,), Use.SCALE)
    )


def _experts(config: InklingTextConfig) -> Module:
    """The router scores the shared experts too, though every token visits them."""
    hidden, experts, shared = config.hidden_size, config.n_routed_experts, config.n_shared_experts
    # Published files call the experts' width intermediate_size, and name the dense one apart.
    inner = config.moe_intermediate_size if config.dense_intermediate_size is None else config.intermediate_size
    active, act = config.num_experts_per_tok, config.hidden_act
    gate = module(
        Role.ROUTER,
        weight=Tensor((experts + shared, hidden), Use.MATMUL),
        global_scale=Tensor((1,), Use.SCALE),
        e_score_correction_bias=bias_of(experts),
    )
    always = module(
        Role.MLP,
        gate_proj=Tensor((shared, inner, hidden), Use.MATMUL),
        up_proj=Tensor((shared, inner, hidden), Use.MATMUL),
        down_proj=Tensor((shared, hidden, inner), Use.MATMUL),
    )
    return mixture(
        experts,
        active,
        gate=gate,
        experts=packed_experts(hidden, inner, experts=experts, active=active, activation=act),
        shared_experts=always,
    )
