"""OLMo: Llama with LayerNorms that have neither gain nor bias, so that no norm is stored."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, layer_norm, pre_norm_layer
from ..config import Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, repeat
from .llama import LlamaConfig


class OlmoConfig(LlamaConfig):
    vocab_size: Size = 50304


@architecture("olmo", config=OlmoConfig)
def olmo(config: OlmoConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    norm = layer_norm(hidden, weight=False, bias=False)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    layer = pre_norm_layer(self_attn, mlp, norm)
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), norm)
