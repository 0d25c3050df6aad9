"""MiMo-V2-Flash: five layers with a narrow window and sinks to one that sees all, with key-value heads of their own."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    attention,
    bias_of,
    embedding,
    gated_mlp,
    pre_norm_layer,
    rms_norm,
    sharing_look_ahead_layer,
    sparse_mlp,
)
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..renaming import renamed
from ..schedules import DENSE, FULL, SLIDING, SPARSE, dense_first, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module, module, repeat


class MimoV2FlashConfig(DecoderConfig, Rotary):
    vocab_size: Size = 152576
    hidden_size: Size = 4096
    intermediate_size: Size = 16384
    num_hidden_layers: Count = 48
    num_attention_heads: Count = 64
    num_key_value_heads: Count = 4
    head_dim: Size = 192
    v_head_dim: Size = 128
    swa_num_key_value_heads: Count | None = None
    hidden_act: str = "silu"
    attention_bias: bool = False
    moe_intermediate_size: Size = 2048
    num_experts_per_tok: Count = 8
    n_routed_experts: Count = 256
    sliding_window: Size = 129
    layer_types: list[str] | None = None
    mlp_layer_types: list[str] | None = None
    num_nextn_predict_layers: CountOrZero = 0
    also_spelled: ClassVar[dict[str, str]] = {"num_local_experts": "n_routed_experts"}


@architecture("mimo_v2_flash", config=MimoV2FlashConfig)
def mimo_v2_flash(config: MimoV2FlashConfig) -> Module:
    hidden, layers = config.hidden_size, config.num_hidden_layers
    dense = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    sparse = sparse_mlp(
        hidden,
        config.moe_intermediate_size,
        experts=config.n_routed_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        correction=True,
    )

    def layer(kind: tuple[str, str]) -> Module:
        attends, mlp = kind
        return pre_norm_layer(_attention(config, attends), sparse if mlp == SPARSE else dense, rms_norm(hidden))

    kinds = layer_kinds(layers, config.layer_types, lambda index: SLIDING if index and (index + 1) % 6 else FULL)
    given = config.mlp_layer_types
    mlps = mlp_layer_kinds(layers, given, dense_first(1))
    ahead, vocab = config.num_nextn_predict_layers, config.vocab_size
    further = renamed(layer((SLIDING, DENSE)), {"post_attention_layernorm": "pre_mlp_layernorm"})
    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=stack_of(zip(kinds, mlps, strict=True), layer),
        norm=rms_norm(hidden),
        mtp=module(layers=repeat(ahead, sharing_look_ahead_layer(further, hidden))) if ahead else None,
    )
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)


def _attention(config: MimoV2FlashConfig, kind: str) -> Module:
    slides, heads = kind == SLIDING, config.num_attention_heads
    twice_as_many = config.swa_num_key_value_heads or config.num_key_value_heads * 2
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=twice_as_many if slides else config.num_key_value_heads,
        head_dim=config.head_dim,
        value_dim=config.v_head_dim,
        bias=config.attention_bias,
        out_bias=False,
        window=config.sliding_window if slides else None,
        positions=config.rope,
    ).extend(attention_sink_bias=bias_of(heads) if slides else None)
