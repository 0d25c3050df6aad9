"""DeepSeek-V2: latent attention, whose query may stay whole; dense layers first, then experts, two of them shared."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import gated_mlp, latent_attention, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, ModelConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Node


class LatentKeys(ModelConfig, Rotary):
    """The keys of DeepSeek's latent attention. No defaults: each model_type states its own."""

    hidden_size: Size
    num_attention_heads: Count
    q_lora_rank: Size | None
    kv_lora_rank: Size
    qk_nope_head_dim: Size
    qk_rope_head_dim: Size
    v_head_dim: Size
    attention_bias: bool = False


class DeepseekV2Config(DecoderConfig, LatentKeys):
    vocab_size: Size = 102400
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    moe_intermediate_size: Size = 1407
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    n_shared_experts: CountOrZero | None = 2
    n_routed_experts: Count = 64
    num_experts_per_tok: Count | None = None
    first_k_dense_replace: CountOrZero = 0
    kv_lora_rank: Size = 512
    q_lora_rank: Size | None = 1536
    qk_rope_head_dim: Size = 64
    qk_nope_head_dim: Size = 128
    v_head_dim: Size = 128
    mlp_bias: bool = False
    hidden_act: str = "silu"
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "n_routed_experts"}
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads", "head_dim", "qk_head_dim"})


@architecture("deepseek_v2", config=DeepseekV2Config)
def deepseek_v2(config: DeepseekV2Config) -> Module:
    hidden, first = config.hidden_size, config.first_k_dense_replace
    self_attn = latent(config)

    def layer(is_sparse: bool) -> Module:
        return pre_norm_layer(self_attn, _experts(config) if is_sparse else _dense(config), rms_norm(hidden))

    layers = stack_of((index >= first for index in range(config.num_hidden_layers)), layer)
    return decoder_lm(config, layers, rms_norm(hidden))


def latent(config: LatentKeys, *, out_name: str = "o_proj", **more: Node) -> Module:
    """Latent attention as the config's keys size it; `more` adds further children by their checkpoint names."""
    return latent_attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        query_rank=config.q_lora_rank,
        kv_rank=config.kv_lora_rank,
        nope_dim=config.qk_nope_head_dim,
        rope_dim=config.qk_rope_head_dim,
        value_dim=config.v_head_dim,
        bias=config.attention_bias,
        positions=config.rope,
        out_name=out_name,
        **more,
    )


def _dense(config: DeepseekV2Config) -> Module:
    inner, bias = config.intermediate_size, config.mlp_bias
    return gated_mlp(config.hidden_size, inner, bias=bias, activation=config.hidden_act)


def _experts(config: DeepseekV2Config) -> Module:
    """The routed experts have no biases; the shared one is a dense MLP, which has them with `mlp_bias`."""
    hidden, inner, shared = config.hidden_size, config.moe_intermediate_size, config.n_shared_experts
    bias, activation = config.mlp_bias, config.hidden_act
    return sparse_mlp(
        hidden,
        inner,
        experts=config.n_routed_experts,
        active=config.num_experts_per_tok or config.n_routed_experts,  # no number to choose: none is left out
        activation=activation,
        shared_experts=gated_mlp(hidden, shared * inner, bias=bias, activation=activation) if shared else None,
    )
