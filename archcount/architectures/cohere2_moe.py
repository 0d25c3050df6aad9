"""Cohere's Command with experts: attention and MLP read the same norm, three layers in four through a window."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, layer_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import DENSE, FULL, SLIDING, dense_first, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module, module


class Cohere2MoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 256000
    hidden_size: Size = 8192
    intermediate_size: Size = 22528
    num_hidden_layers: Count = 40
    num_attention_heads: Count = 64
    num_key_value_heads: Count | None = None
    head_dim: Size | None = 128
    hidden_act: str = "silu"
    tie_word_embeddings: bool = True
    attention_bias: bool = False
    sliding_window: Size | None = 4096
    sliding_window_pattern: Count = 4
    layer_types: list[str] | None = None
    num_experts_per_tok: Count = 2
    num_experts: Count = 8
    num_shared_experts: CountOrZero = 0
    mlp_layer_types: list[str] | None = None
    first_k_dense_replace: CountOrZero = 0
    prefix_dense_sliding_window_pattern: Count = 1
    prefix_dense_intermediate_size: Size | None = None


@architecture("cohere2_moe", config=Cohere2MoeConfig)
def cohere2_moe(config: Cohere2MoeConfig) -> Module:
    hidden, layers, prefix = config.hidden_size, config.num_hidden_layers, config.first_k_dense_replace

    def slides(index: int) -> str:
        every = config.sliding_window_pattern if index >= prefix else config.prefix_dense_sliding_window_pattern
        return SLIDING if (index - (prefix if index >= prefix else 0) + 1) % every else FULL

    def layer(kind: tuple[str, str]) -> Module:
        attends, mlp = kind
        return module(
            None,
            "parallel",
            self_attn=_attention(config, attends),
            mlp=_mlp(config) if mlp == DENSE else _experts(config),
            input_layernorm=layer_norm(hidden, bias=False),
        )

    kinds = layer_kinds(layers, config.layer_types, slides)
    given = config.mlp_layer_types
    mlps = mlp_layer_kinds(layers, given, dense_first(prefix))
    return decoder_lm(config, stack_of(zip(kinds, mlps, strict=True), layer), layer_norm(hidden, bias=False))


def _attention(config: Cohere2MoeConfig, kind: str) -> Module:
    heads = config.num_attention_heads
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(config.hidden_size, heads),
        bias=config.attention_bias,
        window=config.sliding_window if kind == SLIDING else None,
        positions=config.rope,
    )


def _mlp(config: Cohere2MoeConfig) -> Module:
    inner = config.prefix_dense_intermediate_size or config.intermediate_size
    return gated_mlp(config.hidden_size, inner, activation=config.hidden_act)


def _experts(config: Cohere2MoeConfig) -> Module:
    inner = config.intermediate_size
    return sparse_mlp(
        config.hidden_size,
        inner,
        experts=config.num_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        shared=config.num_shared_experts * inner,
    )
