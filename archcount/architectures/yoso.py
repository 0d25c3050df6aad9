"""YOSO and MRA: BERT whose attention is sampled by hashes, or near at full resolution and far at a coarse one."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ..blocks import convolution, encoder_attention, encoder_embeddings, encoder_layer, linear
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..encoder_heads import bert_head, encoder, score
from ..registry import architecture
from ..tree import Module, Role, module, repeat

PADDED = 2  # rows of the position table before the first token


class MraConfig(DecoderConfig):
    vocab_size: Size = 50265
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 512
    type_vocab_size: Size = 1
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = True


class YosoConfig(MraConfig):
    max_position_embeddings: Size = 4096
    use_expectation: bool = True
    conv_window: Size | None = None
    ignored: ClassVar[frozenset[str]] = frozenset({"hash_code_len", "num_hash"})


@architecture("mra", config=MraConfig)
def mra(config: MraConfig) -> Module:
    attention = encoder_attention(config.hidden_size, heads=config.num_attention_heads)
    # Which blocks of pairs are computed is decided by the tokens themselves: its cost has no mark.
    return _whole(config, "mra", replace(attention, attends=None))


@architecture("yoso", config=YosoConfig)
def yoso(config: YosoConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    conv = None
    if config.conv_window is not None:  # a kernel a head, along the sequence, for each column of the head's values
        conv = convolution(heads, heads, config.conv_window, 1, groups=heads, bias=False)
        conv = conv.marked(uses=exact_div(hidden, heads))
    attention = encoder_attention(hidden, heads=heads, in_self={"conv": conv})
    # The expectation is over all pairs; hashing meets only tokens of one bucket, and its cost has no mark.
    return _whole(config, "yoso", attention if config.use_expectation else replace(attention, attends=None))


def _whole(config: MraConfig, base: str, attention: Module) -> Module:
    hidden, inner, vocab = config.hidden_size, config.intermediate_size, config.vocab_size
    positions, types = config.max_position_embeddings + PADDED, config.type_vocab_size
    layer = encoder_layer(hidden, inner, attention=attention, activation=config.hidden_act)
    model = module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types),
        encoder=module(layer=repeat(config.num_hidden_layers, layer)),
    )
    if config.class_name.endswith("ForMultipleChoice"):
        first = linear(hidden, hidden, bias=True, role=Role.HEAD)
        return module(**{base: model}, pre_classifier=first, classifier=score(hidden, 1))
    if config.class_name.endswith("ForQuestionAnswering"):
        return module(**{base: model}, qa_outputs=score(hidden, 2))  # a start and an end, whatever num_labels says
    table = f"{base}.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    return encoder(config, model, base=base, hidden=hidden, language_head=head, deep_classifier=True)
