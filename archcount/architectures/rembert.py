"""RemBERT: narrow embeddings before the layers, and wider ones, of their own, after them."""

from __future__ import annotations

from ..blocks import encoder_embeddings, layer_norm, linear, lm_head
from ..config import Count, Size
from ..encoder_heads import encoder, pooler
from ..registry import architecture
from ..tree import Module, Role, module, repeat
from .bert import BertConfig, bert_layer


class RemBertConfig(BertConfig):
    vocab_size: Size = 250300
    hidden_size: Size = 1152
    intermediate_size: Size = 4608
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 18
    input_embedding_size: Size = 256
    output_embedding_size: Size = 1664
    tie_word_embeddings: bool = False  # the two tables differ in width: never tied, whatever this says


@architecture("rembert", config=RemBertConfig)
def rembert(config: RemBertConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    narrow, wide = config.input_embedding_size, config.output_embedding_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    model = module(
        embeddings=encoder_embeddings(narrow, vocab=vocab, positions=positions, types=types),
        encoder=module(
            embedding_hidden_mapping_in=linear(narrow, hidden, bias=True),
            layer=repeat(config.num_hidden_layers, bert_layer(config)),
        ),
    )
    predictions = module(
        Role.HEAD,
        dense=linear(hidden, wide, bias=True),
        decoder=lm_head(wide, vocab, bias=True),
        LayerNorm=layer_norm(wide),
    )
    head = {"cls": module(predictions=predictions)}
    return encoder(config, model, base="rembert", hidden=hidden, language_head=head, pooler=pooler(hidden))
