"""Phi-3-small: query, key and value in one matrix, gate and up in another, LayerNorms, biases everywhere."""

from __future__ import annotations

from ..blocks import embedding, fused_attention, fused_gated_mlp, layer_norm, pre_norm_layer
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class Phi3SmallConfig(ModelConfig):
    vocab_size: Size = 100352
    hidden_size: Size = 4096
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 8
    ff_intermediate_size: Size | None = 14336
    ff_dim_multiplier: int | None = None
    attention_bias: bool = True
    tie_word_embeddings: bool = True


@architecture("phi3small", config=Phi3SmallConfig)
def phi3small(config: Phi3SmallConfig) -> Module:
    hidden, heads, inner = config.hidden_size, config.num_attention_heads, config.ff_intermediate_size
    if inner is None:
        raise ConfigValueError("ff_intermediate_size is null: give the MLP's width (ff_dim_multiplier is not read)")
    attention = fused_attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads or heads,
        head_dim=exact_div(hidden, heads),
        bias=config.attention_bias,
        positions="RoPE",
        names=("query_key_value", "dense"),
    )
    mlp = fused_gated_mlp(hidden, inner, bias=True, activation="gelu", names=("up_proj", "down_proj"))
    model = module(
        embed_tokens=embedding(config.vocab_size, hidden),
        layers=repeat(config.num_hidden_layers, pre_norm_layer(attention, mlp, layer_norm(hidden))),
        final_layernorm=layer_norm(hidden),
    )
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=config.tie_word_embeddings)
