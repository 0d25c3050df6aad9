"""Hunyuan-A13B: experts beside an MLP that every token visits, and a norm on each query and key head."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, gated_mlp, mixture, pre_norm_layer, rms_norm, routed_experts, router
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import checked_length, stack_of
from ..tree import Module, module


class HunyuanV1MoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 290943
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    hidden_act: str = "silu"
    attention_bias: bool = False
    num_experts: Count = 1
    moe_topk: Count | list[Count] = 1
    also_spelled: ClassVar[dict[str, str]] = {"num_experts_per_tok": "moe_topk", "num_local_experts": "num_experts"}


@architecture("hunyuan_v1_moe", config=HunyuanV1MoeConfig)
def hunyuan_v1_moe(config: HunyuanV1MoeConfig) -> Module:
    hidden, heads, layers = config.hidden_size, config.num_attention_heads, config.num_hidden_layers
    head_dim = config.head_dim or exact_div(hidden, heads)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        norm_names=("query_layernorm", "key_layernorm"),
        positions=config.rope,
    )

    def layer(active: int) -> Module:
        return pre_norm_layer(self_attn, _experts(config, active), rms_norm(hidden))

    top = config.moe_topk
    active = checked_length(top, layers, "moe_topk") if isinstance(top, list) else [top] * layers
    return decoder_lm(config, stack_of(active, layer), rms_norm(hidden))


def _experts(config: HunyuanV1MoeConfig, active: int) -> Module:
    hidden, inner = config.hidden_size, config.intermediate_size
    experts, activation = config.num_experts, config.hidden_act
    return mixture(
        experts,
        active,
        gate=module(wg=router(hidden, experts)),
        experts=routed_experts(hidden, inner, experts=experts, active=active, activation=activation),
        shared_mlp=gated_mlp(hidden, inner, activation=activation),
    )
