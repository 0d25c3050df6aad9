"""A.X K2: sparse latent attention with an output gate, and norms with a gate of low rank."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ..blocks import linear, rms_norm
from ..config import Count, CountOrZero, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import SPARSE, stack_of
from ..tree import Module, Role, module
from .deepseek_v32 import FULL_INDEXER, DeepseekV32Config, indexed_attention, mlp_kinds, mlp_of


class AxK2Config(DeepseekV32Config):
    vocab_size: Size = 163840
    hidden_size: Size = 2048
    intermediate_size: Size = 5120
    moe_intermediate_size: Size = 512
    num_hidden_layers: Count = 48
    num_attention_heads: Count = 32
    n_routed_experts: Count = 128
    kv_lora_rank: Size = 128
    q_lora_rank: Size = 384
    qk_rope_head_dim: Size = 32
    v_head_dim: Size = 64
    qk_nope_head_dim: Size = 64
    first_k_dense_replace: CountOrZero = 1
    moe_layer_freq: Count = 1
    index_n_heads: Count = 16
    gated_norm_rank: Size = 16
    unbuilt: ClassVar[frozenset[str]] = frozenset({"num_nextn_predict_layers"})  # its names are not known


@architecture("axk2", config=AxK2Config)
def axk2(config: AxK2Config) -> Module:
    hidden = config.hidden_size

    def layer(kind: str) -> Module:
        before_mlp = gated_norm(hidden, config.gated_norm_rank) if kind == SPARSE else rms_norm(hidden)
        return module(
            None,
            "pre-norm",
            self_attn=gated_attention(config),
            mlp=mlp_of(config, kind),
            input_layernorm=gated_norm(hidden, config.gated_norm_rank),
            post_attention_layernorm=before_mlp,
        )

    kinds = mlp_kinds(config, config.first_k_dense_replace, config.moe_layer_freq)
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden))


def gated_attention(config: AxK2Config) -> Module:
    """Sparse latent attention whose `q_b_proj` makes the output gate too, from two latent rows."""
    heads, rank = config.num_attention_heads, config.q_lora_rank
    outputs = heads * (config.qk_nope_head_dim + config.qk_rope_head_dim + config.v_head_dim)
    query_and_gate = linear(2 * rank, outputs)
    sparse = indexed_attention(config, FULL_INDEXER)
    children = ((name, query_and_gate if name == "q_b_proj" else child) for name, child in sparse.children)
    return replace(sparse, children=tuple(children))


def gated_norm(width: int, rank: int) -> Module:
    """An RMSNorm whose output a low-rank MLP gates: `W_down` [rank, width], `W_up` [width, rank]."""
    return module(
        Role.NORM, "gated RMSNorm", norm=rms_norm(width), W_down=linear(width, rank), W_up=linear(rank, width)
    )
