"""Moshi's backbone: Llama's layers with a window, gate and up in one matrix, and projections one level down."""

from __future__ import annotations

from ..blocks import attention, embedding, linear, lm_head, pre_norm_layer, rms_norm
from ..blocks.mlp import activation_name
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..encoder_heads import unknown_class
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class MoshiConfig(ModelConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    ffn_dim: Size = 22528
    sliding_window: Size | None = 3000
    hidden_act: str = "silu"


@architecture("moshi", config=MoshiConfig)
def moshi(config: MoshiConfig) -> Module:
    """The decoder alone (`MoshiForCausalLM`, `MoshiModel`); its head is its own, whatever the config says."""
    hidden, vocab, name = config.hidden_size, config.vocab_size, config.class_name
    model = module(
        embed_tokens=embedding(vocab + 1, hidden),
        layers=repeat(config.num_hidden_layers, _layer(config)),
        norm=rms_norm(hidden),
    )
    if name.endswith("Model"):
        return model
    if name and not name.endswith("ForCausalLM"):
        raise unknown_class(config)
    return module(model=model, lm_head=lm_head(hidden, vocab))


def _layer(config: MoshiConfig) -> Module:
    hidden, inner, heads = config.hidden_size, config.ffn_dim, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        window=config.sliding_window,
        positions=config.rope,
        projection=_one_level_down,
    )
    kind = activation_name(config.hidden_act, gated=True)
    mlp = module(Role.MLP, kind, fc1=linear(hidden, inner), fc2=linear(exact_div(inner, 2), hidden))
    return pre_norm_layer(self_attn, mlp, rms_norm(hidden))


def _one_level_down(inputs: int, outputs: int, *, bias: bool = False) -> Module:
    return module(linear=linear(inputs, outputs, bias=bias))
