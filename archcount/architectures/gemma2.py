"""Gemma 2: a norm before and after attention and MLP; every other layer attends through a window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from ..blocks import attention, gated_mlp, rms_norm, sandwich_layer
from ..blocks.layers import SANDWICH_NORMS
from ..config import Count, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import full_every, layer_kinds, stack_of, windows
from ..tree import Module, Node, Stack
from .gemma import GemmaConfig


class Gemma2Config(GemmaConfig):
    hidden_size: Size = 2304
    intermediate_size: Size = 9216
    num_hidden_layers: Count = 26
    num_attention_heads: Count = 8
    num_key_value_heads: Count = 4
    sliding_window: Size | None = 4096
    layer_types: list[str] | None = None
    also_spelled: ClassVar[dict[str, str]] = {"hidden_activation": "hidden_act"}


@architecture("gemma2", config=Gemma2Config)
def gemma2(config: Gemma2Config) -> Module:
    layers = gemma_layers(config, full_nth=2, query_key_norm=False)
    return decoder_lm(config, layers, rms_norm(config.hidden_size))


def gemma_layers(
    config: Gemma2Config,
    *,
    full_nth: int,
    query_key_norm: bool,
    norm_names: tuple[str, str, str, str] = SANDWICH_NORMS,
    reads_encoder: bool = False,
    more: Mapping[str, Node] | None = None,
) -> Stack:
    """Layers of which every `full_nth` attends to all tokens; Gemma 3 adds a norm on each head's query and key.

    Where it `reads_encoder`, the same matrices make keys and values of the encoder's tokens too, kept beside its own.
    `more` adds further children to each layer.
    """
    hidden = config.hidden_size

    def layer(window: int | None) -> Module:
        self_attn = _attention(config, window, rms_norm(config.head_dim) if query_key_norm else None)
        if reads_encoder and self_attn.cache is not None:
            kept = self_attn.cache
            self_attn = self_attn.marked(cache=replace(kept, per_source=kept.per_token))
        mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
        return sandwich_layer(self_attn, mlp, rms_norm(hidden), names=norm_names).extend(**more or {})

    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, full_every(full_nth))
    return stack_of(windows(kinds, config.sliding_window), layer)


def _attention(config: Gemma2Config, window: int | None, norm: Module | None) -> Module:
    return attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim,
        bias=config.attention_bias,
        query_norm=norm,
        key_norm=norm,
        window=window,
        positions=config.rope,
        causal=not config.use_bidirectional_attention,
    )
