"""StarCoder2: grouped-query attention, a plain GELU MLP, a LayerNorm before each, biases everywhere."""

from __future__ import annotations

from ..blocks import attention, layer_norm, mlp, pre_norm_layer
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class Starcoder2Config(DecoderConfig, Rotary):
    vocab_size: Size = 49152
    hidden_size: Size = 3072
    intermediate_size: Size = 12288
    num_hidden_layers: Count = 30
    num_attention_heads: Count = 24
    num_key_value_heads: Count = 2
    head_dim: Size | None = None
    sliding_window: Size | None = None
    use_bias: bool = True
    hidden_act: str = "gelu_pytorch_tanh"
    tie_word_embeddings: bool = True


@architecture("starcoder2", config=Starcoder2Config)
def starcoder2(config: Starcoder2Config) -> Module:
    hidden, heads, bias = config.hidden_size, config.num_attention_heads, config.use_bias
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=bias,
        window=config.sliding_window,
        positions=config.rope,
    )
    inner, activation = config.intermediate_size, config.hidden_act
    feed_forward = mlp(hidden, inner, bias=bias, activation=activation, names=("c_fc", "c_proj"))
    layer = pre_norm_layer(self_attn, feed_forward, layer_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), layer_norm(hidden))
