"""RoFormer: BERT with rotary positions in place of learned ones."""

from __future__ import annotations

from ..blocks import encoder_embeddings, linear, position_embedding
from ..config import Size
from ..dim import exact_div
from ..encoder_heads import bert_head, encoder, score
from ..registry import architecture
from ..tree import Module, module, repeat
from .bert import BertConfig, bert_layer


class RoFormerConfig(BertConfig):
    vocab_size: Size = 50000
    embedding_size: Size | None = None
    max_position_embeddings: Size = 1536


@architecture("roformer", config=RoFormerConfig)
def roformer(config: RoFormerConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    width = config.embedding_size or hidden
    head_dim = exact_div(hidden, config.num_attention_heads)
    sines = position_embedding(config.max_position_embeddings, head_dim, kind="sinusoidal positions")
    layer = bert_layer(config, positions="RoPE")
    model = module(
        embeddings=encoder_embeddings(width, vocab=vocab, types=config.type_vocab_size),
        embeddings_project=linear(width, hidden, bias=True) if width != hidden else None,
        encoder=module(embed_positions=sines, layer=repeat(config.num_hidden_layers, layer)),
    )
    if config.class_name.endswith("ForMultipleChoice"):
        return module(roformer=model, classifier=score(hidden, 1))
    table = "roformer.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table, inner=width)
    return encoder(config, model, base="roformer", hidden=hidden, language_head=head, deep_classifier=True)
