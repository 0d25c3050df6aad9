"""Hunyuan 4: gated sparse latent attention with sinks, packed experts, and several residual streams."""

from __future__ import annotations

from ..blocks import (
    bias_of,
    embedding,
    gated_mlp,
    hyper_connection,
    linear,
    mixture,
    packed_experts,
    rms_norm,
    router,
    sharing_look_ahead_layer,
)
from ..config import Count, Size
from ..heads import causal_lm
from ..registry import architecture
from ..schedules import DENSE, SPARSE, layer_kinds, stack_of
from ..tree import Module, Stack, module, repeat
from .deepseek_v32 import FULL_INDEXER, SHARED_INDEXER, DeepseekV32Config, indexed_attention, mlp_kinds

NAMES = ("linear_gate", "up_proj", "down_proj")
PUBLISHED = ("gate_proj", "up_proj", "down_proj")
"""How the published files name what transformers saves as `NAMES`; it saves no layer that looks ahead."""
RELEASED = {
    "hc_attn_layer.hc_pre": "hc_pre.hc_attn_layer",
    "hc_mlp_layer.hc_pre": "hc_pre.hc_mlp_layer",
    "model.hc_head": "model.hc_pre.hc_head",
    "mlp.gate_proj": "mlp.linear_gate",
    "shared_experts.gate_proj": "shared_experts.linear_gate",
}
"""What the published files call otherwise: transformers 5.24 turns its renamings around in another order."""


class HyV4Config(DeepseekV32Config):
    vocab_size: Size = 120832
    hidden_size: Size = 2816
    intermediate_size: Size = 6912
    moe_intermediate_size: Size = 768
    num_hidden_layers: Count = 34
    num_attention_heads: Count = 32
    n_routed_experts: Count = 256
    q_lora_rank: Size = 1536
    kv_lora_rank: Size = 512
    qk_nope_head_dim: Size = 192
    qk_rope_head_dim: Size = 64
    v_head_dim: Size = 256
    index_n_heads: Count = 16
    indexer_types: list[str] | None = None
    hc_mult: Count = 4


@architecture("hy_v4", config=HyV4Config, renamed=RELEASED)
def hy_v4(config: HyV4Config) -> Module:
    return decoder(config, hc_pre=module(hc_head=last_mix(config)))


def decoder(config: HyV4Config, **last: Module) -> Module:
    """The decoder and its head; `last` mixes the streams into one, and is called one way or another."""
    hidden, vocab, ahead = config.hidden_size, config.vocab_size, config.num_nextn_predict_layers
    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=layers(config),
        norm=rms_norm(hidden),
        **last,
        mtp_layers=repeat(ahead, _look_ahead(config)) if ahead else None,
    )
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)


def last_mix(config: HyV4Config) -> Module:
    """A weight for each stream."""
    streams, names = config.hc_mult, ("hc_head_fn", "hc_head_base", "hc_head_scale")
    return module(**hyper_connection(config.hidden_size, streams, streams, 1, names))


def layers(config: HyV4Config) -> Stack:
    """The decoder's layers; an indexer's choice serves the three layers after it too."""
    hidden, names = config.hidden_size, ("hc_fn", "hc_base", "hc_scale")
    mixing = module(**hyper_connection(hidden, config.hc_mult, 2 * config.hc_mult, 2, names))

    def layer(kind: tuple[str, str]) -> Module:
        return _layer(config, *kind).extend(hc_pre=module(hc_attn_layer=mixing, hc_mlp_layer=mixing))

    indexers = layer_kinds(
        config.num_hidden_layers,
        config.indexer_types,
        lambda index: FULL_INDEXER if index == 0 or index % 4 == 1 else SHARED_INDEXER,
        known=(FULL_INDEXER, SHARED_INDEXER),
        key="indexer_types",
    )
    return stack_of(zip(mlp_kinds(config, 1), indexers, strict=True), layer)


def _layer(config: HyV4Config, mlp: str, indexer: str, names: tuple[str, str, str] = NAMES) -> Module:
    return module(
        None,
        "pre-norm",
        self_attn=_attention(config, indexer),
        mlp=_mlp(config, config.intermediate_size) if mlp == DENSE else _experts(config, names),
        input_layernorm=rms_norm(config.hidden_size),
        post_attention_layernorm=rms_norm(config.hidden_size),
    )


def _look_ahead(config: HyV4Config) -> Module:
    """A layer that predicts a token further, with experts and an indexer of its own, on one stream."""
    return sharing_look_ahead_layer(_layer(config, SPARSE, FULL_INDEXER, PUBLISHED), config.hidden_size)


def _attention(config: HyV4Config, indexer: str) -> Module:
    heads = config.num_attention_heads
    gate = linear(config.hidden_size, heads * config.v_head_dim)
    return indexed_attention(config, indexer).extend(linear_gate=gate, learnable_sink_param=bias_of(heads))


def _mlp(config: HyV4Config, inner: int, names: tuple[str, str, str] = NAMES) -> Module:
    return gated_mlp(config.hidden_size, inner, activation=config.hidden_act, names=names)


def _experts(config: HyV4Config, names: tuple[str, str, str]) -> Module:
    hidden, inner, experts = config.hidden_size, config.moe_intermediate_size, config.n_routed_experts
    active, shared = config.num_experts_per_tok, config.n_shared_experts * inner
    return mixture(
        experts,
        active,
        gate=router(hidden, experts, correction=True),
        experts=packed_experts(hidden, inner, experts=experts, active=active, activation=config.hidden_act),
        shared_experts=_mlp(config, shared, names) if shared else None,
    )
