"""Persimmon: query, key and value interleaved in one matrix, QK-norm, squared ReLU, biases everywhere."""

from __future__ import annotations

from ..blocks import fused_attention, layer_norm, mlp, pre_norm_layer
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Stack, repeat


class PersimmonConfig(DecoderConfig, Rotary):
    vocab_size: Size = 262144
    hidden_size: Size = 4096
    intermediate_size: Size = 16384
    num_hidden_layers: Count = 36
    num_attention_heads: Count = 64
    qk_layernorm: bool = True
    hidden_act: str = "relu2"


@architecture("persimmon", config=PersimmonConfig)
def persimmon(config: PersimmonConfig) -> Module:
    layers, norm = persimmon_layers(config), layer_norm(config.hidden_size)
    return decoder_lm(config, layers, norm, norm_name="final_layernorm")


def persimmon_layers(config: PersimmonConfig) -> Stack:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = exact_div(hidden, heads)
    head_norm = layer_norm(head_dim) if config.qk_layernorm else None
    self_attn = fused_attention(
        hidden,
        heads=heads,
        head_dim=head_dim,
        bias=True,
        query_norm=head_norm,
        key_norm=head_norm,
        positions=config.rope,
        names=("query_key_value", "dense"),
        norm_names=("q_layernorm", "k_layernorm"),
    )
    names = "dense_h_to_4h", "dense_4h_to_h"
    feed_forward = mlp(hidden, config.intermediate_size, activation=config.hidden_act, names=names)
    return repeat(config.num_hidden_layers, pre_norm_layer(self_attn, feed_forward, layer_norm(hidden)))
