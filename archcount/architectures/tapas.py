"""TAPAS, which reads tables: BERT with a table of embeddings for each of the places a token has in one."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, encoder_embeddings, linear
from ..config import CountOrZero, Size
from ..encoder_heads import bert_head, encoder, pooler
from ..registry import architecture
from ..tree import Module, Per, Role, Tensor, Use, module, repeat
from .bert import BertConfig, bert_layer


class TapasConfig(BertConfig):
    max_position_embeddings: Size = 1024
    type_vocab_sizes: tuple[Size, ...] = (3, 256, 256, 2, 256, 256, 10)
    num_aggregation_labels: CountOrZero = 0
    ignored: ClassVar[frozenset[str]] = frozenset({"max_num_rows", "max_num_columns"})
    unbuilt: ClassVar[frozenset[str]] = frozenset({"type_vocab_size"})


@architecture("tapas", config=TapasConfig)
def tapas(config: TapasConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    tables = encoder_embeddings(hidden, vocab=vocab, positions=config.max_position_embeddings)
    kinds = {
        f"token_type_embeddings_{index}": embedding(types, hidden)
        for index, types in enumerate(config.type_vocab_sizes)
    }
    model = module(
        embeddings=tables.extend(**kinds),
        encoder=module(layer=repeat(config.num_hidden_layers, bert_layer(config))),
    )
    if config.class_name.endswith("ForQuestionAnswering"):
        return module(tapas=model.extend(pooler=pooler(hidden)), **_answer(config))
    table = "tapas.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    return encoder(config, model, base="tapas", hidden=hidden, language_head=head, pooler=pooler(hidden))


def _answer(config: TapasConfig) -> dict[str, Tensor | Module]:
    """A score for each cell and each column, and where asked one for what to do with the cells: sum, count, average."""
    row, constant, labels = (
        Tensor((config.hidden_size,), Use.MATMUL),
        Tensor((), Use.BIAS),
        config.num_aggregation_labels,
    )
    heads: dict[str, Tensor | Module] = {
        "output_weights": row,
        "column_output_weights": row,
        "output_bias": constant,
        "column_output_bias": constant,
    }
    if labels:
        choice = linear(config.hidden_size, labels, bias=True, role=Role.HEAD)
        heads["aggregation_classifier"] = choice.marked(per=Per.SEQUENCE)
    return heads
