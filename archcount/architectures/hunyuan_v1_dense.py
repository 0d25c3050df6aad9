"""Hunyuan dense: Llama with a norm on every query and key head."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, repeat
from .llama import LlamaConfig


class HunyuanV1DenseConfig(LlamaConfig):
    vocab_size: Size = 290943


@architecture("hunyuan_v1_dense", config=HunyuanV1DenseConfig)
def hunyuan_v1_dense(config: HunyuanV1DenseConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        positions=config.rope,
        norm_names=("query_layernorm", "key_layernorm"),
    )
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    layer = pre_norm_layer(self_attn, mlp, rms_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))
