"""Ling and Ring, 1 to 2.0 (Bailing MoE): one matrix for queries, keys and values, then experts beside a shared one."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, fused_attention, gated_mlp, rms_norm, sharing_look_ahead_layer, sparse_mlp
from ..config import Count, CountOrZero, ModelConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, stack


class BailingMoeConfig(ModelConfig, Rotary):
    """Its class lives in the repository: sizes have no defaults here."""

    vocab_size: Size
    hidden_size: Size
    intermediate_size: Size
    moe_intermediate_size: Size
    moe_shared_expert_intermediate_size: Size | None = None
    num_hidden_layers: Count
    num_attention_heads: Count
    num_key_value_heads: Count
    head_dim: Size | None = None
    hidden_act: str = "silu"
    num_experts: Count
    num_experts_per_tok: Count
    num_shared_experts: CountOrZero = 0
    first_k_dense_replace: CountOrZero = 0
    num_nextn_predict_layers: CountOrZero = 0
    use_qkv_bias: bool = False
    use_bias: bool = False
    use_qk_norm: bool = False
    moe_router_enable_expert_bias: bool = False
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"num_expert_group"})


@architecture("bailing_moe", config=BailingMoeConfig)
@architecture("bailing_moe_v2", config=BailingMoeConfig)
def bailing_moe(config: BailingMoeConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    dense, sparse = (_layer(config, mlp) for mlp in (_dense(config), _experts(config)))
    layers = [dense if index < config.first_k_dense_replace else sparse for index in range(config.num_hidden_layers)]
    further = sharing_look_ahead_layer(sparse, hidden)
    model = module(
        word_embeddings=embedding(vocab, hidden),
        layers=stack(layers + [further] * config.num_nextn_predict_layers),
        norm=rms_norm(hidden),
    )
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=tie, table="word_embeddings")


def _layer(config: BailingMoeConfig, mlp: Module) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    norm = rms_norm(head_dim) if config.use_qk_norm else None
    attention = fused_attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.use_qkv_bias,
        out_bias=config.use_bias,
        query_norm=norm,
        key_norm=norm,
        positions=config.rope,
        names=("query_key_value", "dense"),
        norm_names=("query_layernorm", "key_layernorm"),
    )
    norms = {"input_layernorm": rms_norm(hidden), "post_attention_layernorm": rms_norm(hidden)}
    return module(None, "pre-norm", attention=attention, mlp=mlp, **norms)


def _dense(config: BailingMoeConfig) -> Module:
    return gated_mlp(config.hidden_size, config.intermediate_size, bias=config.use_bias, activation=config.hidden_act)


def _experts(config: BailingMoeConfig) -> Module:
    inner = config.moe_intermediate_size
    return sparse_mlp(
        config.hidden_size,
        inner,
        experts=config.num_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        correction="expert_bias" if config.moe_router_enable_expert_bias else False,
        shared=config.num_shared_experts * (config.moe_shared_expert_intermediate_size or inner) or None,
        bias=config.use_bias,
    )
