"""MiniMax-M3's language model: experts beside a shared one, and attention to blocks an indexer chose.

Longer than most: transformers stores it fused, the published files matrix by matrix and expert by expert.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ..blocks import (
    attention,
    bias_of,
    fused_gated_mlp,
    gated_mlp,
    linear,
    mixture,
    packed_experts,
    pre_norm_layer,
    rms_norm,
    router,
    sparse_mlp,
)
from ..config import Count, DecoderConfig, Schema, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..renaming import renamed, without_a_name
from ..schedules import DENSE, FULL, SPARSE, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Attends, Cache, Module, Role, module

INDEXED = "minimax_m3_sparse"


class SparseAttention(Schema):
    """The published files' own spelling of the indexer's sizes."""

    sparse_num_index_heads: Count | None = None
    sparse_index_dim: Size | None = None
    sparse_block_size: Count | None = None
    sparse_topk_blocks: Count | None = None
    sparse_attention_freq: list[int] | None = None


class MiniMaxM3TextConfig(DecoderConfig, Rotary):
    model_type: str = "minimax_m3_vl_text"
    vocab_size: Size = 200064
    hidden_size: Size = 6144
    intermediate_size: Size = 3072
    dense_intermediate_size: Size = 12288
    shared_intermediate_size: Size = 3072
    num_hidden_layers: Count = 60
    num_attention_heads: Count = 64
    num_key_value_heads: Count = 4
    head_dim: Size | None = 128
    num_experts_per_tok: Count = 4
    num_local_experts: Count = 128
    layer_types: list[str] | None = None
    mlp_layer_types: list[str] | None = None
    moe_layer_freq: list[int] | None = None
    sparse_attention_config: SparseAttention = SparseAttention()
    index_n_heads: Count = 4
    index_head_dim: Size = 128
    index_block_size: Count = 128
    index_topk_blocks: Count = 16
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "num_local_experts"}
    ignored: ClassVar[frozenset[str]] = frozenset({"rotary_dim"})


@architecture("minimax_m3_vl_text", config=MiniMaxM3TextConfig)
def minimax_m3_vl_text(config: MiniMaxM3TextConfig) -> Module:
    return decoder(config, is_fused=True)


def decoder(config: MiniMaxM3TextConfig, *, is_fused: bool) -> Module:
    """The decoder and its head; `is_fused` has gate and up in one matrix, and the experts in two."""
    hidden, layers = config.hidden_size, config.num_hidden_layers

    def layer(kind: tuple[str, str]) -> Module:
        attends, mlp = kind
        built = pre_norm_layer(_attention(config, attends, is_fused), _mlp(config, mlp, is_fused), rms_norm(hidden))
        return renamed(built, {"mlp": "block_sparse_moe"}) if mlp == SPARSE and not is_fused else built

    frequencies = config.sparse_attention_config.sparse_attention_freq
    given = config.layer_types or _named(frequencies, INDEXED, FULL)
    kinds = layer_kinds(layers, given, lambda _: FULL, known=(FULL, INDEXED))
    given = config.mlp_layer_types or _named(config.moe_layer_freq, SPARSE, DENSE)
    mlps = mlp_layer_kinds(layers, given, lambda _: SPARSE)
    return decoder_lm(config, stack_of(zip(kinds, mlps, strict=True), layer), rms_norm(hidden))


def _named(flags: list[int] | None, yes: str, no: str) -> list[str] | None:
    """The published files' lists of 1 and 0, in words."""
    return None if flags is None else [yes if flag else no for flag in flags]


def _attention(config: MiniMaxM3TextConfig, kind: str, is_fused: bool) -> Module:
    heads = config.num_attention_heads
    head_dim = config.head_dim or exact_div(config.hidden_size, heads)
    full = attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        positions=config.rope,
    )
    if kind == FULL or full.attends is None:
        return full
    given = config.sparse_attention_config
    blocks = given.sparse_topk_blocks or config.index_topk_blocks
    chosen = blocks * (given.sparse_block_size or config.index_block_size)
    indexer = _indexer(config)
    sparse = full.marked(attends=replace(full.attends, chosen=chosen))
    if is_fused:
        return sparse.extend(indexer=indexer)
    named = {name: f"index_{name}" for name, _ in indexer.children}
    return sparse.extend(**without_a_name(renamed(indexer, named)))


def _indexer(config: MiniMaxM3TextConfig) -> Module:
    hidden, given = config.hidden_size, config.sparse_attention_config
    heads = given.sparse_num_index_heads or config.index_n_heads
    head_dim = given.sparse_index_dim or config.index_head_dim
    return module(
        Role.ATTENTION,
        f"indexer {heads}",
        q_proj=linear(hidden, heads * head_dim),
        k_proj=linear(hidden, head_dim),
        q_norm=rms_norm(head_dim),
        k_norm=rms_norm(head_dim),
    ).marked(cache=Cache("indexer", per_token=head_dim), attends=Attends(heads, head_dim, 0))


def _mlp(config: MiniMaxM3TextConfig, kind: str, is_fused: bool) -> Module:
    hidden, experts, active = config.hidden_size, config.num_local_experts, config.num_experts_per_tok
    mlp = fused_gated_mlp if is_fused else gated_mlp
    if kind == DENSE:
        return mlp(hidden, config.dense_intermediate_size)
    inner, shared = config.intermediate_size, mlp(hidden, config.shared_intermediate_size)
    if is_fused:
        gate = router(hidden, experts, correction=True)
        packed = packed_experts(hidden, inner, experts=experts, active=active)
        return mixture(experts, active, gate=gate, experts=packed, shared_experts=shared)
    names = ("w1", "w3", "w2")
    return sparse_mlp(
        hidden,
        inner,
        experts=experts,
        active=active,
        expert_names=names,
        shared_experts=shared,
        e_score_correction_bias=bias_of(experts),
    )
