"""MiniMax-M2: experts named as Mixtral's, and a norm over the whole query and the whole key."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, bias_of, rms_norm
from ..config import Count, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat
from .mixtral import BlockExpertKeys, block_experts


class MiniMaxM2Config(BlockExpertKeys, Rotary):
    vocab_size: Size = 200064
    hidden_size: Size = 3072
    intermediate_size: Size = 1536
    num_hidden_layers: Count = 62
    num_attention_heads: Count = 48
    num_key_value_heads: Count = 8
    head_dim: Size | None = 128
    num_experts_per_tok: Count = 8
    num_local_experts: Count = 256
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "num_local_experts"}


@architecture("minimax_m2", config=MiniMaxM2Config)
def minimax_m2(config: MiniMaxM2Config) -> Module:
    hidden, heads, kv_heads = config.hidden_size, config.num_attention_heads, config.num_key_value_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    correction = bias_of(config.num_local_experts)
    layer = module(
        None,
        "pre-norm",
        self_attn=attention(
            hidden,
            heads=heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            query_norm=rms_norm(heads * head_dim),
            key_norm=rms_norm(kv_heads * head_dim),
            positions=config.rope,
        ),
        block_sparse_moe=block_experts(config).extend(e_score_correction_bias=correction),
        input_layernorm=rms_norm(hidden),
        post_attention_layernorm=rms_norm(hidden),
    )
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))
