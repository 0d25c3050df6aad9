"""DeepSeek-V3.2 and GLM-5: latent attention that an indexer makes sparse, then DeepSeek-V3's experts.

Longer than most: two model_types, and an indexer that a layer has, shares or lacks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ..blocks import (
    followed_by,
    gated_mlp,
    look_ahead_layer,
    pre_norm_layer,
    rms_norm,
    sparse_indexer,
    sparse_mlp,
)
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import DENSE, SPARSE, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module
from .deepseek_v2 import LatentKeys, latent

FULL_INDEXER, SHARED_INDEXER = "full", "shared"


class LatentMoeConfig(DecoderConfig, LatentKeys):
    """Latent attention and DeepSeek-V3's experts; the defaults are DeepSeek-V3.2's."""

    vocab_size: Size = 129280
    hidden_size: Size = 7168
    intermediate_size: Size = 18432
    moe_intermediate_size: Size = 2048
    num_hidden_layers: Count = 61
    num_attention_heads: Count = 128
    n_shared_experts: CountOrZero = 1
    n_routed_experts: Count = 256
    num_experts_per_tok: Count = 8
    kv_lora_rank: Size = 512
    q_lora_rank: Size | None = 1536
    qk_rope_head_dim: Size = 64
    v_head_dim: Size = 128
    qk_nope_head_dim: Size = 128
    hidden_act: str = "silu"
    mlp_layer_types: list[str] | None = None
    num_nextn_predict_layers: CountOrZero = 0
    also_spelled: ClassVar[dict[str, str]] = {"num_local_experts": "n_routed_experts"}
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads", "head_dim", "qk_head_dim", "topk_group"})


class DeepseekV32Config(LatentMoeConfig):
    q_lora_rank: Size = 1536
    first_k_dense_replace: CountOrZero = 3
    index_topk: Count = 2048
    index_head_dim: Size = 128
    index_n_heads: Count = 64
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "n_routed_experts"}


class GlmMoeDsaConfig(DeepseekV32Config):
    vocab_size: Size = 154880
    hidden_size: Size = 6144
    intermediate_size: Size = 12288
    num_hidden_layers: Count = 78
    num_attention_heads: Count = 64
    q_lora_rank: Size = 2048
    v_head_dim: Size = 256
    qk_nope_head_dim: Size = 192
    index_n_heads: Count = 32
    indexer_types: list[str] | None = None
    index_topk_pattern: str | list[str] | None = None
    index_topk_freq: CountOrZero = 1
    index_skip_topk_offset: CountOrZero = 2


@architecture("deepseek_v32", config=DeepseekV32Config)
@architecture("glm_moe_dsa", config=GlmMoeDsaConfig)
def deepseek_v32(config: DeepseekV32Config) -> Module:
    hidden = config.hidden_size

    def layer(kind: tuple[str, str]) -> Module:
        mlp, indexer = kind
        return pre_norm_layer(indexed_attention(config, indexer), mlp_of(config, mlp), rms_norm(hidden))

    kinds = mlp_kinds(config, config.first_k_dense_replace)
    layers = stack_of(zip(kinds, _indexers(config), strict=True), layer)
    is_glm = isinstance(config, GlmMoeDsaConfig)  # its files hold no second table and head
    further = look_ahead_layer(layer((SPARSE, FULL_INDEXER)), hidden, config.vocab_size, stored_again=not is_glm)
    stacked = followed_by(layers, further, config.num_hidden_layers, config.num_nextn_predict_layers)
    return decoder_lm(config, stacked, rms_norm(hidden))


def _indexers(config: DeepseekV32Config) -> list[str]:
    """For each layer: an indexer of its own, or the choice of the one before."""
    if not isinstance(config, GlmMoeDsaConfig):
        return [FULL_INDEXER] * config.num_hidden_layers
    every, offset = config.index_topk_freq, config.index_skip_topk_offset
    return indexer_kinds(config.num_hidden_layers, config.indexer_types, config.index_topk_pattern, every, offset)


def indexer_kinds(
    layers: int, types: list[str] | None, letters: str | list[str] | None, every: int, offset: int
) -> list[str]:
    """As `indexer_types` or the letters of `index_topk_pattern` say, or one in `every` from the layer `offset` on."""
    if isinstance(letters, str):
        letters = [{"F": FULL_INDEXER, "S": SHARED_INDEXER}.get(letter, letter) for letter in letters]
    given, key = (types, "indexer_types") if types else (letters, "index_topk_pattern")

    def derived(index: int) -> str:
        return SHARED_INDEXER if max(index - offset + 1, 0) % (every or 1) else FULL_INDEXER

    return layer_kinds(layers, given, derived, known=(FULL_INDEXER, SHARED_INDEXER), key=key)


def indexed_attention(config: DeepseekV32Config, kind: str) -> Module:
    """Latent attention to the `index_topk` tokens that the layer's indexer chose."""
    indexer = sparse_indexer(
        config.hidden_size,
        query_rank=config.q_lora_rank,
        heads=config.index_n_heads,
        head_dim=config.index_head_dim,
    )
    attention = latent(config).extend(indexer=indexer if kind == FULL_INDEXER else None)
    if attention.attends is None:
        return attention
    return attention.marked(attends=replace(attention.attends, chosen=config.index_topk))


def mlp_of(config: LatentMoeConfig, kind: str) -> Module:
    """A plain gated MLP, or experts chosen by a corrected score beside those that every token visits."""
    if kind == DENSE:
        return gated_mlp(config.hidden_size, config.intermediate_size, activation=config.hidden_act)
    inner = config.moe_intermediate_size
    return sparse_mlp(
        config.hidden_size,
        inner,
        experts=config.n_routed_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        shared=config.n_shared_experts * inner,
        correction=True,
    )


def mlp_kinds(config: LatentMoeConfig, first_dense: int, every: int = 1) -> list[str]:
    """Dense or sparse for each layer: as `mlp_layer_types` says, or sparse from `first_dense` on, every n-th."""

    def derived(index: int) -> str:
        return SPARSE if index >= first_dense and index % every == 0 else DENSE

    given = config.mlp_layer_types
    return mlp_layer_kinds(config.num_hidden_layers, given, derived)
