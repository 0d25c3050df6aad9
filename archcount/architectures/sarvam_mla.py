"""Sarvam's latent-attention model: DeepSeek-V3's rule with defaults and spellings of its own."""

from __future__ import annotations

from typing import ClassVar

from ..config import Count, CountOrZero, Size
from ..registry import architecture
from ..tree import Module
from .deepseek_v3 import DeepseekV3Config, deepseek_v3


class SarvamMlaConfig(DeepseekV3Config):
    vocab_size: Size = 262144
    hidden_size: Size = 4096
    intermediate_size: Size = 16384
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 64
    num_key_value_heads: Count | None = None
    n_routed_experts: Count = 128
    first_k_dense_replace: CountOrZero = 1
    q_lora_rank: Size | None = None
    num_nextn_predict_layers: CountOrZero = 0
    also_spelled: ClassVar[dict[str, str]] = {
        "num_local_experts": "n_routed_experts",
        "num_mtp_layers": "num_nextn_predict_layers",
        "num_experts": "n_routed_experts",
        "num_shared_experts": "n_shared_experts",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"head_dim", "q_head_dim", "qk_head_dim", "topk_group"})


@architecture("sarvam_mla", config=SarvamMlaConfig)
def sarvam_mla(config: SarvamMlaConfig) -> Module:
    return deepseek_v3(config)
