"""ELECTRA: BERT on embeddings of a width of their own, with a generator's or a discriminator's head."""

from __future__ import annotations

from ..blocks import encoder_embeddings, linear
from ..config import Count, Size
from ..encoder_heads import encoder, generator_head, score
from ..registry import architecture
from ..tree import Module, Role, module, repeat
from .bert import OLD_NORM, BertConfig, bert_layer


class ElectraConfig(BertConfig):
    embedding_size: Size = 128
    hidden_size: Size = 256
    intermediate_size: Size = 1024
    num_attention_heads: Count = 4


@architecture("electra", config=ElectraConfig, renamed=OLD_NORM)
def electra(config: ElectraConfig) -> Module:
    hidden, width, vocab = config.hidden_size, config.embedding_size, config.vocab_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    model = module(
        embeddings=encoder_embeddings(width, vocab=vocab, positions=positions, types=types),
        embeddings_project=linear(width, hidden, bias=True) if width != hidden else None,
        encoder=module(layer=repeat(config.num_hidden_layers, bert_layer(config))),
    )
    name = config.class_name
    if name.endswith("ForPreTraining"):
        dense, prediction = linear(hidden, hidden, bias=True), linear(hidden, 1, bias=True)
        judge = module(Role.HEAD, dense=dense, dense_prediction=prediction)
        return module(electra=model, discriminator_predictions=judge)
    if name.endswith("ForMultipleChoice"):
        summary = module(Role.HEAD, summary=linear(hidden, hidden, bias=True))
        return module(electra=model, sequence_summary=summary, classifier=score(hidden, 1))
    table = "electra.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    generator = generator_head(hidden, vocab, inner=width, table=table)
    return encoder(config, model, base="electra", hidden=hidden, language_head=generator, deep_classifier=True)
