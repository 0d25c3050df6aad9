"""Llama: grouped-query attention, then a gated MLP, an RMSNorm before each."""

from __future__ import annotations

from ..blocks import attention, embedding, gated_mlp, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat


class LlamaConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    attention_bias: bool = False
    mlp_bias: bool = False
    hidden_act: str = "silu"


@architecture("llama", config=LlamaConfig)
def llama(config: LlamaConfig) -> Module:
    hidden = config.hidden_size
    model = module(
        embed_tokens=embedding(config.vocab_size, hidden),
        layers=repeat(config.num_hidden_layers, llama_layer(config)),
        norm=rms_norm(hidden),
    )
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=config.tie_word_embeddings)


def llama_layer(config: LlamaConfig) -> Module:
    """`self_attn`, `mlp` and the norms before them."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    return module(
        None,
        "pre-norm",
        self_attn=attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim or exact_div(hidden, heads),
            bias=config.attention_bias,
            positions=config.rope,
        ),
        mlp=gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act),
        input_layernorm=rms_norm(hidden),
        post_attention_layernorm=rms_norm(hidden),
    )
