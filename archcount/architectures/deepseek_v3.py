"""DeepSeek-V3: latent attention, a few dense layers, then experts; an extra layer predicts a token ahead."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import gated_mlp, look_ahead_layer, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, in_turn
from .deepseek_v2 import LatentKeys, latent


class DeepseekV3Config(DecoderConfig, LatentKeys):
    vocab_size: Size = 129280
    hidden_size: Size = 7168
    intermediate_size: Size = 18432
    moe_intermediate_size: Size = 2048
    num_hidden_layers: Count = 61
    num_attention_heads: Count = 128
    num_key_value_heads: Count | None = 128
    n_shared_experts: CountOrZero | None = 1
    n_routed_experts: Count = 256
    num_experts_per_tok: Count = 8
    first_k_dense_replace: CountOrZero = 3
    kv_lora_rank: Size = 512
    q_lora_rank: Size | None = 1536
    qk_rope_head_dim: Size = 64
    v_head_dim: Size = 128
    qk_nope_head_dim: Size = 128
    hidden_act: str = "silu"
    num_nextn_predict_layers: CountOrZero = 1
    also_spelled: ClassVar[dict[str, str]] = {"num_mtp_layers": "num_nextn_predict_layers"}
    ignored: ClassVar[frozenset[str]] = frozenset({"head_dim", "qk_head_dim"})  # sums of the others


@architecture("deepseek_v3", config=DeepseekV3Config)
def deepseek_v3(config: DeepseekV3Config) -> Module:
    hidden, layers, first = config.hidden_size, config.num_hidden_layers, config.first_k_dense_replace
    attention = latent(config)
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    dense = pre_norm_layer(attention, mlp, rms_norm(hidden))
    sparse = pre_norm_layer(attention, _experts(config), rms_norm(hidden))
    further = look_ahead_layer(sparse, hidden, config.vocab_size)
    ahead = config.num_nextn_predict_layers
    stack = in_turn((min(first, layers), dense), (layers - first, sparse), (ahead, further))
    return decoder_lm(config, stack, rms_norm(hidden))


def _experts(config: DeepseekV3Config) -> Module:
    hidden, inner, shared = config.hidden_size, config.moe_intermediate_size, config.n_shared_experts
    return sparse_mlp(
        hidden,
        inner,
        experts=config.n_routed_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        shared=shared and shared * inner,
        correction=True,
    )
