"""Kolibri 1: a norm on either side of attention and experts, windows on four layers of five."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, bias_of, embedding, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, ModelConfig, Size
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import full_every, layer_kinds, stack_of, windows
from ..tree import Module, Role, module


class Kolibri1Config(ModelConfig, Rotary):
    vocab_size: Size = 128000
    hidden_size: Size = 2560
    num_hidden_layers: Count = 50
    num_attention_heads: Count = 48
    num_key_value_heads: Count = 4
    head_dim: Size = 128
    moe_intermediate_size: Size = 512
    shared_expert_intermediate_size: Size = 512
    num_experts: Count = 384
    num_experts_per_tok: Count = 6
    sliding_window: Size | None = 513
    layer_types: list[str] | None = None
    hidden_act: str = "silu"
    tie_word_embeddings: bool = False
    also_spelled: ClassVar[dict[str, str]] = {"num_local_experts": "num_experts"}


@architecture("kolibri1", config=Kolibri1Config)
def kolibri1(config: Kolibri1Config) -> Module:
    hidden, vocab, experts = config.hidden_size, config.vocab_size, config.num_experts
    norm = rms_norm(hidden)
    mlp = sparse_mlp(
        hidden,
        config.moe_intermediate_size,
        experts=experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        shared=config.shared_expert_intermediate_size,
    )
    correction = module(router=module(Role.ROUTER, expert_bias=bias_of(experts)))

    def kolibri1_layer(window: int | None) -> Module:
        layer = pre_norm_layer(kolibri1_attention(config, window), mlp, norm)
        layer = layer.extend(moe=correction, post_attn_norm=norm, post_ffn_norm=norm)
        return layer.marked(kind="pre- and post-norm")

    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, full_every(5))
    layers = stack_of(windows(kinds, config.sliding_window), kolibri1_layer)
    model = module(embed_tokens=embedding(vocab, hidden), layers=layers, norm=norm)
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)


def kolibri1_attention(config: Kolibri1Config, window: int | None) -> Module:
    head_dim = config.head_dim
    return attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=window,
        positions=config.rope if window else "NoPE",
    )
