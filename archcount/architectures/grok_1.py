"""Grok-1: eight experts, a norm on either side of attention and of the experts, a tied head."""

from __future__ import annotations

from ..blocks import attention, routed_experts, router
from ..blocks.experts import expert_layout
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, Role, Tensor, Use, module, repeat


class Grok1Config(DecoderConfig):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 32768
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 32
    num_experts: Count = 8
    num_experts_per_tok: Count = 2
    tie_word_embeddings: bool = True


@architecture("grok-1", config=Grok1Config)
def grok_1(config: Grok1Config) -> Module:
    hidden, heads, experts = config.hidden_size, config.num_attention_heads, config.num_experts
    norm = module(Role.NORM, "RMSNorm", scale=Tensor((hidden,), Use.SCALE))
    moe_block = module(
        None,
        expert_layout(experts, config.num_experts_per_tok),
        gate=router(hidden, experts),
        experts=routed_experts(
            hidden,
            config.intermediate_size,
            experts=experts,
            active=config.num_experts_per_tok,
            activation="gelu",
            names=("linear", "linear_v", "linear_1"),
        ),
    )
    attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=exact_div(hidden, heads),
        positions="RoPE",
    )
    norms = dict.fromkeys(("pre_attn_norm", "post_attn_norm", "pre_moe_norm", "post_moe_norm"), norm)
    layer = module(None, "pre- and post-norm", attn=attn, moe_block=moe_block, **norms)
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), norm)
