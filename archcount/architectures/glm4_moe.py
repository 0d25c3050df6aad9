"""GLM-4.5 and its like: grouped-query attention before DeepSeek-V3's experts.

Longer than most: three model_types share the rule, each with the defaults of its own class.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    attention,
    embedding,
    fused_attention,
    gated_mlp,
    look_ahead_layer,
    pre_norm_layer,
    rms_norm,
    sparse_mlp,
)
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..heads import causal_lm, decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, stack


class Glm4MoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 151552
    hidden_size: Size = 4096
    intermediate_size: Size = 10944
    num_hidden_layers: Count = 46
    num_attention_heads: Count = 96
    num_key_value_heads: Count = 8
    head_dim: Size | None = None
    hidden_act: str = "silu"
    attention_bias: bool = False
    use_qk_norm: bool = False
    moe_intermediate_size: Size = 1408
    num_experts_per_tok: Count = 8
    n_shared_experts: CountOrZero = 1
    n_routed_experts: Count = 128
    first_k_dense_replace: CountOrZero = 1
    num_nextn_predict_layers: CountOrZero = 1
    also_spelled: ClassVar[dict[str, str]] = {
        "num_local_experts": "n_routed_experts",
        "num_mtp_layers": "num_nextn_predict_layers",
    }


class SarvamMoeConfig(Glm4MoeConfig):
    vocab_size: Size = 262144
    intermediate_size: Size = 8192
    num_hidden_layers: Count = 19
    num_attention_heads: Count = 64
    num_key_value_heads: Count = 4
    head_dim: Size | None = 64
    moe_intermediate_size: Size = 1024
    num_experts_per_tok: Count = 6
    use_qk_norm: bool = True
    num_nextn_predict_layers: CountOrZero = 0
    also_spelled: ClassVar[dict[str, str]] = {
        "num_experts": "n_routed_experts",
        "num_shared_experts": "n_shared_experts",
        "use_qkv_bias": "attention_bias",
    }
    unbuilt: ClassVar[frozenset[str]] = frozenset({"num_nextn_predict_layers"})  # its names are not known


class SolarOpenConfig(Glm4MoeConfig):
    vocab_size: Size = 196608
    num_hidden_layers: Count = 48
    num_attention_heads: Count = 64
    head_dim: Size | None = 128
    moe_intermediate_size: Size = 1280
    first_k_dense_replace: CountOrZero = 0
    num_nextn_predict_layers: CountOrZero = 0


@architecture("glm4_moe", config=Glm4MoeConfig)
@architecture("solar_open", config=SolarOpenConfig)
def glm4_moe(config: Glm4MoeConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or hidden // heads  # rounded down, as its default of 4096 and 96 needs
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        out_bias=False,
        query_norm=rms_norm(head_dim) if config.use_qk_norm else None,
        key_norm=rms_norm(head_dim) if config.use_qk_norm else None,
        positions=config.rope,
    )
    dense = pre_norm_layer(self_attn, dense_mlp(config), rms_norm(hidden))
    sparse = pre_norm_layer(self_attn, shared_and_routed(config), rms_norm(hidden))
    kinds = [dense if index < config.first_k_dense_replace else sparse for index in range(config.num_hidden_layers)]
    further = [look_ahead_layer(sparse, hidden, config.vocab_size)] * config.num_nextn_predict_layers
    return decoder_lm(config, stack(kinds + further), rms_norm(hidden))


@architecture("sarvam_moe", config=SarvamMoeConfig)
def sarvam_moe(config: SarvamMoeConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim, norm = config.head_dim or hidden // heads, rms_norm(hidden)
    fused = fused_attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        out_bias=False,
        query_norm=rms_norm(head_dim) if config.use_qk_norm else None,
        key_norm=rms_norm(head_dim) if config.use_qk_norm else None,
        positions=config.rope,
        names=("query_key_value", "dense"),
        norm_names=("query_layernorm", "key_layernorm"),
    )

    def layer(mlp: Module) -> Module:
        norms = {"input_layernorm": norm, "post_attention_layernorm": norm}
        return module(None, "pre-norm", attention=fused, mlp=mlp, **norms)

    dense, sparse = layer(dense_mlp(config)), layer(shared_and_routed(config, "expert_bias"))
    kinds = [dense if index < config.first_k_dense_replace else sparse for index in range(config.num_hidden_layers)]
    model = module(word_embeddings=embedding(config.vocab_size, hidden), layers=stack(kinds), norm=norm)
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=tie, table="word_embeddings")


def dense_mlp(config: Glm4MoeConfig) -> Module:
    """The MLP of the first layers, which have no experts."""
    return gated_mlp(config.hidden_size, config.intermediate_size, activation=config.hidden_act)


def shared_and_routed(config: Glm4MoeConfig, correction: str = "e_score_correction_bias") -> Module:
    """Experts chosen by a corrected score, and one that every token visits."""
    inner = config.moe_intermediate_size
    return sparse_mlp(
        config.hidden_size,
        inner,
        experts=config.n_routed_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        shared=config.n_shared_experts * inner,
        correction=correction,
    )
