"""Nyströmformer: BERT whose attention goes by way of landmarks, with a convolution over the values of each head."""

from __future__ import annotations

from dataclasses import replace

from ..blocks import convolution, encoder_attention, encoder_embeddings, encoder_layer, linear
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..encoder_heads import bert_head, encoder, score
from ..marks import NYSTROM
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class NystromformerConfig(DecoderConfig):
    vocab_size: Size = 30000
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 510
    type_vocab_size: Size = 2
    segment_means_seq_len: Count = 64
    num_landmarks: Count = 64
    conv_kernel_size: Size = 65
    hidden_act: str = "gelu_new"
    tie_word_embeddings: bool = True


@architecture("nystromformer", config=NystromformerConfig)
def nystromformer(config: NystromformerConfig) -> Module:
    hidden, inner, vocab = config.hidden_size, config.intermediate_size, config.vocab_size
    positions, types = config.max_position_embeddings + 2, config.type_vocab_size
    layer = encoder_layer(hidden, inner, attention=_attention(config), activation=config.hidden_act)
    model = module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types),
        encoder=module(layer=repeat(config.num_hidden_layers, layer)),
    )
    if config.class_name.endswith("ForQuestionAnswering"):
        return module(nystromformer=model, qa_outputs=score(hidden, 2))  # a start and an end, whatever num_labels says
    if config.class_name.endswith("ForMultipleChoice"):
        before = linear(hidden, hidden, bias=True, role=Role.HEAD)
        return module(nystromformer=model, pre_classifier=before, classifier=score(hidden, 1))
    table = "nystromformer.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    return encoder(config, model, base="nystromformer", hidden=hidden, language_head=head, deep_classifier=True)


def _attention(config: NystromformerConfig) -> Module:
    """Each token sees all where there are as many landmarks as tokens; elsewhere no mark says what it costs."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    kernel = convolution(heads, heads, config.conv_kernel_size, 1, groups=heads, bias=False)
    kernel = kernel.marked(uses=exact_div(hidden, heads))  # once for each of a head's values
    if config.num_landmarks == config.segment_means_seq_len:
        return encoder_attention(hidden, heads=heads, in_self={"conv": kernel})
    kernel = kernel.marked(role=Role.OTHER, kind=NYSTROM)
    attend = encoder_attention(hidden, heads=heads, in_self={"conv": kernel})
    return replace(attend, kind=None, attends=None)
