"""Kimi Linear and Kimi K3's language model: delta attention (KDA) in most layers, MLA in the rest, then experts.

Longer than most: two mixers, and which layer has which in three spellings, two published and transformers' own.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    delta_attention,
    embedding,
    gated_mlp,
    latent_attention,
    linear,
    mixture,
    rms_norm,
    routed_experts,
    router,
)
from ..config import Count, CountOrZero, ModelConfig, Schema, Size
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..registry import architecture
from ..schedules import DENSE, FULL, LINEAR, SPARSE, dense_first, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module, Role, module


class LinearAttnConfig(Schema):
    """How the first publications spell the delta attention; the layers are counted from 1."""

    head_dim: Size | None = None
    num_heads: Count | None = None
    short_conv_kernel_size: Size | None = None
    kda_layers: list[Count] | None = None
    full_attn_layers: list[Count] | None = None
    use_full_rank_gate: bool = False


class KimiLinearConfig(ModelConfig):
    vocab_size: Size = 163840
    hidden_size: Size = 2304
    intermediate_size: Size = 9216
    moe_intermediate_size: Size = 1024
    num_hidden_layers: Count = 27
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 32
    hidden_act: str = "silu"
    kv_lora_rank: Size = 512
    q_lora_rank: Size | None = None
    qk_rope_head_dim: Size = 64
    qk_nope_head_dim: Size = 128
    v_head_dim: Size = 128
    attention_bias: bool = False
    mla_use_output_gate: bool = False
    num_experts: Count = 256
    num_experts_per_token: Count = 8
    num_shared_experts: CountOrZero = 1
    routed_expert_hidden_size: Size | None = None
    latent_moe_use_norm: bool = False
    attn_res_block_size: Size | None = None
    first_k_dense_replace: CountOrZero = 1
    mlp_layer_types: list[str] | None = None
    layer_types: list[str] | None = None
    linear_head_dim: Size = 128
    linear_num_heads: Count = 32
    linear_conv_kernel_dim: Size = 4
    linear_attn_config: LinearAttnConfig | None = None
    also_spelled: ClassVar[dict[str, str]] = {
        "num_local_experts": "num_experts",
        "num_experts_per_tok": "num_experts_per_token",
        "n_shared_experts": "num_shared_experts",
    }
    ignored: ClassVar[frozenset[str]] = frozenset(
        {"head_dim", "qk_head_dim", "num_expert_group", "tie_word_embeddings"}
    )


@architecture("kimi_linear", config=KimiLinearConfig)
def kimi_linear(config: KimiLinearConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    mixers = {LINEAR: _delta_attention(config), FULL: _latent_attention(config)}
    dense = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    mlps = {DENSE: {_dense_name(config): dense}, SPARSE: {"block_sparse_moe": _experts(config)}}

    def layer(kind: tuple[str, str]) -> Module:
        mixer, mlp = kind
        return module(
            None,
            "pre-norm",
            self_attn=mixers[mixer],
            **mlps[mlp],
            input_layernorm=rms_norm(hidden),
            post_attention_layernorm=rms_norm(hidden),
            **_residuals(config, "self_attention_res", "mlp_res"),
        )

    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=stack_of(zip(_mixer_kinds(config), _mlp_kinds(config), strict=True), layer),
        norm=rms_norm(hidden),
        **_residuals(config, "output_attn_res"),
    )
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=False)


def _mixer_kinds(config: KimiLinearConfig) -> list[str]:
    """`layer_types`, or the two lists of `linear_attn_config`, or attention in every fourth layer from the fifth on."""
    layers, linear_config = config.num_hidden_layers, config.linear_attn_config
    full = linear_config and linear_config.full_attn_layers
    delta = linear_config and linear_config.kda_layers
    if config.layer_types is None and full is not None and delta is not None:
        if sorted((*full, *delta)) != list(range(1, layers + 1)):
            lists = "linear_attn_config.full_attn_layers and kda_layers"
            raise ConfigValueError(f"{lists}: should name each of the layers 1 to {layers} once")
        return [FULL if index + 1 in full else LINEAR for index in range(layers)]
    return layer_kinds(
        layers,
        config.layer_types,
        lambda index: FULL if index and index % 4 == 0 else LINEAR,
        known=(LINEAR, FULL),
    )


def _mlp_kinds(config: KimiLinearConfig) -> list[str]:
    return mlp_layer_kinds(config.num_hidden_layers, config.mlp_layer_types, dense_first(config.first_k_dense_replace))


def _dense_name(config: KimiLinearConfig) -> str:
    """Published files call a dense MLP `mlp`; transformers, which writes `mlp_layer_types`, saves it as the experts."""
    return "mlp" if config.linear_attn_config is not None and config.mlp_layer_types is None else "block_sparse_moe"


def _delta_attention(config: KimiLinearConfig) -> Module:
    given = config.linear_attn_config or LinearAttnConfig()
    heads, head_dim = given.num_heads or config.linear_num_heads, given.head_dim or config.linear_head_dim
    return delta_attention(
        config.hidden_size,
        heads=heads,
        head_dim=head_dim,
        kernel=given.short_conv_kernel_size or config.linear_conv_kernel_dim,
        low_rank_gate=not given.use_full_rank_gate,
        decay_shape=(head_dim,) if given.use_full_rank_gate else (1, 1, heads, 1),  # Kimi K3 pads the heads
    )


def _latent_attention(config: KimiLinearConfig) -> Module:
    hidden, values = config.hidden_size, config.num_attention_heads * config.v_head_dim
    return latent_attention(
        hidden,
        heads=config.num_attention_heads,
        query_rank=config.q_lora_rank,
        kv_rank=config.kv_lora_rank,
        nope_dim=config.qk_nope_head_dim,
        rope_dim=config.qk_rope_head_dim,
        value_dim=config.v_head_dim,
        bias=config.attention_bias,
        positions=None,
        g_proj=linear(hidden, values) if config.mla_use_output_gate else None,
    )


def _experts(config: KimiLinearConfig) -> Module:
    """Experts at the hidden width, or at that of `routed_expert_hidden_size`, which two matrices lead to and from."""
    hidden, latent, experts = config.hidden_size, config.routed_expert_hidden_size, config.num_experts
    active, inner = config.num_experts_per_token, config.moe_intermediate_size
    shared, activation = config.num_shared_experts * inner, config.hidden_act
    return mixture(
        experts,
        active,
        experts=routed_experts(
            latent or hidden, inner, experts=experts, active=active, activation=activation, names=("w1", "w3", "w2")
        ),
        gate=router(hidden, experts, correction=True),
        shared_experts=gated_mlp(hidden, shared, activation=activation) if shared else None,
        routed_expert_down_proj=linear(hidden, latent, role=Role.MLP) if latent else None,
        routed_expert_norm=rms_norm(latent) if latent and config.latent_moe_use_norm else None,
        routed_expert_up_proj=linear(latent, hidden, role=Role.MLP) if latent else None,
    )


def _residuals(config: KimiLinearConfig, *places: str) -> dict[str, Module]:
    """Kimi K3 attends over the outputs of earlier blocks of layers: a norm and a query vector for each place."""
    if config.attn_res_block_size is None:
        return {}
    hidden = config.hidden_size
    norms = {f"{place}_norm": rms_norm(hidden) for place in places}
    return norms | {f"{place}_proj": linear(hidden, 1, role=Role.ATTENTION) for place in places}
