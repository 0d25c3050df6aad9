"""LUKE: RoBERTa that reads entities beside words, with a query of its own for each pair of the two kinds."""

from __future__ import annotations

from ..blocks import embedding, encoder_embeddings, layer_norm, linear, lm_head, position_embedding
from ..blocks.linear import bias_of
from ..config import Size
from ..encoder_heads import encoder, pooler
from ..registry import architecture
from ..tree import Module, Role, module, repeat, tied
from .bert import BertConfig, bert_layer

ENTITIES = "entities"  # the section of what runs for entities, of which a text may have none


class LukeConfig(BertConfig):
    vocab_size: Size = 50267
    entity_vocab_size: Size = 500000
    entity_emb_size: Size = 256
    use_entity_aware_attention: bool = True


@architecture("luke", config=LukeConfig)
def luke(config: LukeConfig) -> Module:
    hidden, labels, name = config.hidden_size, config.labels, config.class_name
    model, pooled = _model(config), pooler(hidden)
    whole = model.extend(pooler=pooled)
    if name.endswith("ForEntityClassification"):
        return module(luke=whole, classifier=_entity_score(hidden, labels))
    if name.endswith("ForEntityPairClassification"):
        return module(luke=whole, classifier=_entity_score(2 * hidden, labels, bias=False))
    if name.endswith("ForEntitySpanClassification"):
        return module(luke=whole, classifier=_entity_score(3 * hidden, labels))
    if not name or name.endswith("ForMaskedLM"):
        return module(luke=whole, lm_head=_word_head(config), entity_predictions=_entity_head(config))
    return encoder(config, model, base="luke", hidden=hidden, language_head={}, pooler=pooled)


def _model(config: LukeConfig) -> Module:
    hidden, vocab, width = config.hidden_size, config.vocab_size, config.entity_emb_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    query = linear(hidden, hidden, bias=True)
    others = {"w2e_query": query, "e2w_query": query, "e2e_query": query} if config.use_entity_aware_attention else {}
    layer = bert_layer(config, in_self={key: matrix.marked(section=ENTITIES) for key, matrix in others.items()})
    entities = module(
        Role.EMBEDDING,
        entity_embeddings=embedding(config.entity_vocab_size, width),
        entity_embedding_dense=linear(width, hidden) if width != hidden else None,
        position_embeddings=position_embedding(positions, hidden),
        token_type_embeddings=embedding(types, hidden),
        LayerNorm=layer_norm(hidden),
    )
    return module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types),
        entity_embeddings=entities.marked(section=ENTITIES),
        encoder=module(layer=repeat(config.num_hidden_layers, layer)),
    )


def _word_head(config: LukeConfig) -> Module:
    """RoBERTa's head, which transformers 4 ties to the table of words, and 5 by its bias alone."""
    hidden, vocab, ties = config.hidden_size, config.vocab_size, config.tie_word_embeddings
    table = "luke.embeddings.word_embeddings.weight" if ties and config.is_written_by_transformers_4 else None
    decoder = lm_head(hidden, vocab, tied_to=table, bias=True)
    again = tied(bias_of(vocab), "lm_head.bias")
    return module(
        Role.HEAD,
        bias=bias_of(vocab),
        dense=linear(hidden, hidden, bias=True),
        layer_norm=layer_norm(hidden),
        decoder=decoder.replacing(bias=again) if ties else decoder,
    )


def _entity_head(config: LukeConfig) -> Module:
    hidden, width, entities = config.hidden_size, config.entity_emb_size, config.entity_vocab_size
    table = "luke.entity_embeddings.entity_embeddings.weight" if config.tie_word_embeddings else None
    transform = module(dense=linear(hidden, width, bias=True), LayerNorm=layer_norm(width))
    decoder = lm_head(width, entities, tied_to=table)
    head = module(Role.HEAD, bias=bias_of(entities), transform=transform, decoder=decoder)
    return head.marked(section=ENTITIES)


def _entity_score(width: int, labels: int, *, bias: bool = True) -> Module:
    return linear(width, labels, bias=bias, role=Role.HEAD).marked(section=ENTITIES)
