"""Gemma: Llama's layer with a GEGLU MLP, wide heads that do not sum to the width, and the head tied."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class GemmaConfig(DecoderConfig, Rotary):
    vocab_size: Size = 256000
    hidden_size: Size = 3072
    intermediate_size: Size = 24576
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 16
    head_dim: Size = 256
    attention_bias: bool = False
    hidden_act: str = "gelu_pytorch_tanh"
    use_bidirectional_attention: bool = False
    tie_word_embeddings: bool = True


@architecture("gemma", config=GemmaConfig)
def gemma(config: GemmaConfig) -> Module:
    hidden = config.hidden_size
    layer = pre_norm_layer(
        attention(
            hidden,
            heads=config.num_attention_heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim,
            bias=config.attention_bias,
            positions=config.rope,
            causal=not config.use_bidirectional_attention,
        ),
        gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act),
        rms_norm(hidden),
    )
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))
