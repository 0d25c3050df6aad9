"""GPT-OSS: packed experts with biases, attention sinks, and a sliding window in every other layer."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, mixture, packed_experts, pre_norm_layer, rms_norm, router
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, stack_of
from ..tree import Module, Tensor


class GptOssConfig(DecoderConfig, Rotary):
    vocab_size: Size = 201088
    hidden_size: Size = 2880
    intermediate_size: Size = 2880
    num_hidden_layers: Count = 36
    num_attention_heads: Count = 64
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = 64
    num_local_experts: Count = 128
    num_experts_per_tok: Count = 4
    sliding_window: Size | None = 128
    layer_types: list[str] | None = None
    attention_bias: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "num_local_experts"}
    ignored: ClassVar[frozenset[str]] = frozenset({"experts_per_token"})


@architecture("gpt_oss", config=GptOssConfig)
def gpt_oss(config: GptOssConfig) -> Module:
    hidden, experts, active = config.hidden_size, config.num_local_experts, config.num_experts_per_tok
    packed = packed_experts(
        hidden, config.intermediate_size, experts=experts, active=active, bias=True, transposed=True
    )
    mlp = mixture(experts, active, router=router(hidden, experts, bias=True), experts=packed)

    def layer(kind: str) -> Module:
        return pre_norm_layer(sink_attention(config, kind), mlp, rms_norm(hidden))

    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, lambda index: FULL if index % 2 else SLIDING)
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden))


def sink_attention(config: GptOssConfig, kind: str) -> Module:
    """Attention with a learned logit for each head (`sinks`) that takes up what no token is given."""
    heads = config.num_attention_heads
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(config.hidden_size, heads),
        bias=config.attention_bias,
        window=config.sliding_window if kind == SLIDING else None,
        positions=config.rope,
    ).extend(sinks=Tensor((heads,)))
