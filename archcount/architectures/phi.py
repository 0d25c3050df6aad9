"""Phi-1, Phi-1.5 and Phi-2: attention and MLP in parallel behind one LayerNorm, biases everywhere, the head's too."""

from __future__ import annotations

from ..blocks import attention, layer_norm, mlp
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat


class PhiConfig(DecoderConfig, Rotary):
    vocab_size: Size = 51200
    hidden_size: Size = 2048
    intermediate_size: Size = 8192
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    qk_layernorm: bool = False
    hidden_act: str = "gelu_new"


@architecture("phi", config=PhiConfig)
def phi(config: PhiConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    head_norm = layer_norm(exact_div(hidden, heads)) if config.qk_layernorm else None
    layer = module(
        None,
        "parallel",
        self_attn=attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=head_dim,
            bias=True,
            query_norm=head_norm,
            key_norm=head_norm,
            positions=config.rope,
            names=("q_proj", "k_proj", "v_proj", "dense"),
            norm_names=("q_layernorm", "k_layernorm"),
        ),
        mlp=mlp(hidden, config.intermediate_size, activation=config.hidden_act),
        input_layernorm=layer_norm(hidden),
    )
    layers = repeat(config.num_hidden_layers, layer)
    return decoder_lm(config, layers, layer_norm(hidden), norm_name="final_layernorm", head_bias=True)
