"""RoBERTa and its kin: BERT with a language head of its own, and in two of them the norms before each part."""

from __future__ import annotations

from ..blocks import encoder_embeddings, layer_norm
from ..config import Count, Size
from ..encoder_heads import encoder, pooler, roberta_head
from ..registry import architecture
from ..tree import Module, module, repeat
from .bert import OLD_NORM, BertConfig, bert_layer


class RobertaConfig(BertConfig):
    vocab_size: Size = 50265


class XlmRobertaXlConfig(BertConfig):
    vocab_size: Size = 250880
    hidden_size: Size = 2560
    intermediate_size: Size = 10240
    num_hidden_layers: Count = 36
    num_attention_heads: Count = 32
    max_position_embeddings: Size = 514
    type_vocab_size: Size = 1


@architecture("roberta", config=RobertaConfig, renamed=OLD_NORM)
@architecture("camembert", "xlm-roberta", config=BertConfig, renamed=OLD_NORM)
def roberta(config: BertConfig) -> Module:
    return roberta_model(config, "roberta", module(layer=repeat(config.num_hidden_layers, bert_layer(config))))


@architecture("data2vec-text", config=BertConfig)
def data2vec_text(config: BertConfig) -> Module:
    return roberta_model(config, "data2vec_text", module(layer=repeat(config.num_hidden_layers, bert_layer(config))))


@architecture("roberta-prelayernorm", config=RobertaConfig)
def roberta_prelayernorm(config: RobertaConfig) -> Module:
    layer = bert_layer(config, norms=("attention.LayerNorm", "intermediate.LayerNorm"), kind="pre-norm")
    last = layer_norm(config.hidden_size)
    return roberta_model(config, "roberta_prelayernorm", module(layer=repeat(config.num_hidden_layers, layer)), last)


@architecture("xlm-roberta-xl", config=XlmRobertaXlConfig)
def xlm_roberta_xl(config: XlmRobertaXlConfig) -> Module:
    layer = bert_layer(config, norms=("attention.self_attn_layer_norm", "LayerNorm"), kind="pre-norm")
    last = layer_norm(config.hidden_size)
    return roberta_model(
        config, "roberta", module(layer=repeat(config.num_hidden_layers, layer), LayerNorm=last), embedding_norm=False
    )


def roberta_model(
    config: BertConfig, base: str, layers: Module, last_norm: Module | None = None, *, embedding_norm: bool = True
) -> Module:
    """RoBERTa under the name `base`: its embeddings, `layers` as its encoder, and the head that the class has."""
    hidden, vocab = config.hidden_size, config.vocab_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    tables = encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types, norm=embedding_norm)
    model = module(embeddings=tables, encoder=layers, LayerNorm=last_norm)
    table = f"{base}.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = roberta_head(hidden, vocab, table=table)
    return encoder(
        config, model, base=base, hidden=hidden, language_head=head, pooler=pooler(hidden), deep_classifier=True
    )
