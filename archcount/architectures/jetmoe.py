"""JetMoE: experts in the MLP and in attention too, where queries and outputs are routed, keys and values shared."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import bias_of, linear, mixture, rms_norm, router, stacked_linear, stacked_mlp
from ..blocks.attention import head_layout, kv_cache
from ..config import Count, DecoderConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Attends, Module, Role, module, repeat


class JetMoeConfig(DecoderConfig, Rotary):
    """`num_attention_heads` is always `num_key_value_heads × num_experts_per_tok`, whatever the config says."""

    vocab_size: Size = 32000
    hidden_size: Size = 2048
    intermediate_size: Size = 5632
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 16
    kv_channels: Size = 128
    activation_function: str = "silu"
    num_local_experts: Count = 8
    num_experts_per_tok: Count = 2
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"head_dim": "kv_channels"}


@architecture("jetmoe", config=JetMoeConfig)
def jetmoe(config: JetMoeConfig) -> Module:
    hidden, experts, active = config.hidden_size, config.num_local_experts, config.num_experts_per_tok
    mlp = stacked_mlp(
        hidden, config.intermediate_size, experts=experts, active=active, activation=config.activation_function
    )
    layer = module(
        None,
        "pre-norm",
        self_attention=_attention(config),
        mlp=mlp.extend(bias=bias_of(hidden)),
        input_layernorm=rms_norm(hidden),
        post_attention_layernorm=rms_norm(hidden),
    )
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))


def _attention(config: JetMoeConfig) -> Module:
    hidden, experts, active = config.hidden_size, config.num_local_experts, config.num_experts_per_tok
    kv_heads, head_dim = config.num_key_value_heads, config.kv_channels
    heads, width = kv_heads * active, kv_heads * head_dim
    routed = mixture(
        experts,
        active,
        input_linear=stacked_linear(hidden, width, experts=experts, active=active).marked(role=Role.ATTENTION),
        output_linear=stacked_linear(width, hidden, experts=experts, active=active).marked(role=Role.ATTENTION),
        router=module(layer=router(hidden, experts)),
        bias=bias_of(hidden),
    )
    return module(
        Role.ATTENTION, head_layout(heads, kv_heads), experts=routed, kv_proj=linear(hidden, 2 * width)
    ).marked(
        cache=kv_cache(kv_heads, head_dim, head_dim, None, cross=False),
        attends=Attends(heads, head_dim, head_dim, positions=config.rope),
    )
