"""Ling 3 (Bailing hybrid): delta attention (KDA) in five layers of six, gated MLA in the sixth, then experts.

Longer than most: two mixers with a gate each stand in no other family, nor does the order they come in.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    delta_attention,
    embedding,
    followed_by,
    gated_mlp,
    linear,
    rms_norm,
    sharing_look_ahead_layer,
    sparse_mlp,
)
from ..config import Count, CountOrZero, Size
from ..heads import causal_lm
from ..registry import architecture
from ..schedules import DENSE, FULL, LINEAR, SPARSE, dense_first, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module, module
from .deepseek_v2 import LatentKeys, latent


class BailingHybridConfig(LatentKeys):
    vocab_size: Size = 157184
    hidden_size: Size = 2560
    intermediate_size: Size = 6144
    moe_intermediate_size: Size = 768
    num_hidden_layers: Count = 42
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 32
    hidden_act: str = "silu"
    kv_lora_rank: Size = 512
    q_lora_rank: Size | None = None
    qk_rope_head_dim: Size = 64
    qk_nope_head_dim: Size = 128
    v_head_dim: Size = 128
    num_experts: Count = 512
    num_experts_per_token: Count = 8
    num_shared_experts: CountOrZero = 1
    first_k_dense_replace: CountOrZero = 2
    mlp_layer_types: list[str] | None = None
    layer_group_size: Count = 6
    layer_types: list[str] | None = None
    head_dim: Size = 128
    linear_head_dim: Size | None = None
    linear_num_heads: Count | None = None
    short_conv_kernel_size: Size = 4
    linear_conv_kernel_dim: Size | None = None
    num_nextn_predict_layers: CountOrZero = 1
    also_spelled: ClassVar[dict[str, str]] = {
        "num_local_experts": "num_experts",
        "num_experts_per_tok": "num_experts_per_token",
        "n_shared_experts": "num_shared_experts",
        "num_mtp_layers": "num_nextn_predict_layers",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"qk_head_dim", "num_expert_group", "tie_word_embeddings"})


@architecture("bailing_hybrid", config=BailingHybridConfig)
def bailing_hybrid(config: BailingHybridConfig) -> Module:
    hidden, vocab, layers = config.hidden_size, config.vocab_size, config.num_hidden_layers
    mixers = {LINEAR: _delta_attention(config), FULL: _latent_attention(config)}
    dense = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    mlps = {DENSE: dense, SPARSE: _experts(config)}

    def layer(kind: tuple[str, str]) -> Module:
        mixer, mlp = kind
        norms = {"input_layernorm": rms_norm(hidden), "post_attention_layernorm": rms_norm(hidden)}
        return module(None, "pre-norm", attention=mixers[mixer], mlp=mlps[mlp], **norms)

    mixer_kinds = layer_kinds(
        layers,
        config.layer_types,
        lambda index: LINEAR if (index + 1) % config.layer_group_size else FULL,
        known=(LINEAR, FULL),
    )
    mlp_kinds = mlp_layer_kinds(layers, config.mlp_layer_types, dense_first(config.first_k_dense_replace))
    stacked = stack_of(zip(mixer_kinds, mlp_kinds, strict=True), layer)
    further = sharing_look_ahead_layer(layer((FULL, SPARSE)), hidden)
    model = module(
        word_embeddings=embedding(vocab, hidden),
        layers=followed_by(stacked, further, layers, config.num_nextn_predict_layers),
        norm=rms_norm(hidden),
    )
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=False, table="word_embeddings")


def _delta_attention(config: BailingHybridConfig) -> Module:
    return delta_attention(
        config.hidden_size,
        heads=config.linear_num_heads or config.num_attention_heads,
        head_dim=config.linear_head_dim or config.head_dim,
        kernel=config.linear_conv_kernel_dim or config.short_conv_kernel_size,
        low_rank_decay=False,
        low_rank_gate=False,
        out_name="dense",
    )


def _latent_attention(config: BailingHybridConfig) -> Module:
    """MLA with a gate on each head's output."""
    return latent(config, out_name="dense", g_proj=linear(config.hidden_size, config.num_attention_heads))


def _experts(config: BailingHybridConfig) -> Module:
    shared = config.num_shared_experts * config.moe_intermediate_size
    return sparse_mlp(
        config.hidden_size,
        config.moe_intermediate_size,
        experts=config.num_experts,
        active=config.num_experts_per_token,
        activation=config.hidden_act,
        correction="expert_bias",
        shared=shared or None,
    )
