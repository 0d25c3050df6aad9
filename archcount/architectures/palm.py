"""PaLM (Chowdhery et al. 2022): attention and MLP side by side, one key-value head, SwiGLU, and no biases anywhere."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, layer_norm
from ..config import Count, DecoderConfig, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class PalmConfig(DecoderConfig):
    """No config.json was published, so there is no class to take a default from: the keys are Llama's."""

    num_key_value_heads: Count
    head_dim: Size
    attention_bias: bool = False
    mlp_bias: bool = False
    hidden_act: str = "swiglu"
    tie_word_embeddings: bool = True


@architecture("palm", config=PalmConfig)
def palm(config: PalmConfig) -> Module:
    """The names are Llama's, since no weights were published; a norm has a gain and no bias."""
    hidden = config.hidden_size
    layer = module(
        None,
        "parallel",
        input_layernorm=layer_norm(hidden, bias=False),
        self_attn=attention(
            hidden,
            heads=config.num_attention_heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim,
            bias=config.attention_bias,
            positions="RoPE",
        ),
        mlp=gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act),
    )
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), layer_norm(hidden, bias=False))
