"""Llama's layers where some look through a window: Code World Model, Ministral, Granite SWA."""

from __future__ import annotations

from ..config import Count, Size, SizeOrZero
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, windows
from ..tree import Module
from .llama import LlamaConfig
from .llama_kin import decoder


class CwmConfig(LlamaConfig):
    vocab_size: Size = 128256
    hidden_size: Size = 6144
    intermediate_size: Size = 21504
    num_hidden_layers: Count = 64
    num_attention_heads: Count = 48
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = 128
    sliding_window: SizeOrZero | None = 8192
    layer_types: list[str] | None = None


class GraniteSwaConfig(LlamaConfig):
    vocab_size: Size = 100352
    hidden_size: Size = 2560
    intermediate_size: Size = 8192
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 20
    num_key_value_heads: Count | None = 4
    tie_word_embeddings: bool = True
    sliding_window: Size | None = 128
    layer_types: list[str] | None = None


class MinistralConfig(LlamaConfig):
    intermediate_size: Size = 14336
    num_key_value_heads: Count | None = 8
    sliding_window: Size | None = 4096
    layer_types: list[str] | None = None


@architecture("cwm", config=CwmConfig)
def cwm(config: CwmConfig) -> Module:
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, full_first_of_four)
    return decoder(config, mlp_bias=config.mlp_bias, windows=windows(kinds, config.sliding_window or None))


@architecture("granite_swa", config=GraniteSwaConfig)
def granite_swa(config: GraniteSwaConfig) -> Module:
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, full_first_of_four)
    return decoder(
        config,
        bias=config.attention_bias,
        mlp_bias=config.mlp_bias,
        windows=windows(kinds, config.sliding_window),
        sinks=True,
    )


@architecture("ministral", config=MinistralConfig)
def ministral(config: MinistralConfig) -> Module:
    window = config.sliding_window
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, lambda _: SLIDING if window else FULL)
    return decoder(config, windows=windows(kinds, window))


def full_first_of_four(index: int) -> str:
    """Layers 0, 4, 8 … attend to all tokens."""
    return SLIDING if index % 4 else FULL
