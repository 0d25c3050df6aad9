"""LED: BART for long texts, whose encoder looks through a window but for tokens with projections of their own."""

from __future__ import annotations

from dataclasses import replace

from ..blocks import attention, linear
from ..config import Size
from ..dim import exact_div
from ..marks import GLOBAL_TOKENS
from ..registry import architecture
from ..schedules import checked_length, stack_of
from ..seq2seq_heads import Vocabulary, seq2seq
from ..tree import Module, Stack
from .bart import SequenceConfig, Shape, decoder_part, encoder_layer, encoder_part

LED = Shape(embedding_norm=True)


class LedConfig(SequenceConfig):
    max_encoder_position_embeddings: Size = 16384
    max_decoder_position_embeddings: Size = 1024
    attention_window: Size | list[Size] = 512


@architecture("led", config=LedConfig)
def led(config: LedConfig) -> Module:
    source, target = config.max_encoder_position_embeddings, config.max_decoder_position_embeddings
    encoder = encoder_part(config.model_copy(update={"max_position_embeddings": source}), LED)
    decoder = decoder_part(config.model_copy(update={"max_position_embeddings": target}), LED)
    words = Vocabulary(config.vocab_size, config.d_model, config.tie_word_embeddings)
    encoder = encoder.replacing(layers=_layers(config))
    return seq2seq(config, encoder, decoder, words, base="led", has_causal_class=False)


def _layers(config: LedConfig) -> Stack:
    """A list gives each layer a window of its own."""
    count, given = config.encoder_layers, config.attention_window
    windows = checked_length(given, count, "attention_window") if isinstance(given, list) else [given] * count
    return stack_of(windows, lambda window: encoder_layer(config, LED, _window_attention(config, window)))


def _window_attention(config: LedConfig, window: int) -> Module:
    """A token sees half of `window` on either side; tokens see everything where the caller says so, by default none."""
    width, heads = config.d_model, config.encoder_attention_heads
    flat = attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=True,
        window=window + 1,
        causal=False,
        positions="learned",
        names=("query", "key", "value", "output"),
    )
    again = linear(width, width, bias=True).marked(kind=GLOBAL_TOKENS, uses=0)
    *projections, output = flat.children
    seen_again = Module(tuple(projections)).extend(query_global=again, key_global=again, value_global=again)
    return replace(flat, children=(("longformer_self_attn", seen_again), output))
