"""Megatron-BERT: BERT with its norms before each part, and one after the last layer."""

from __future__ import annotations

from ..blocks import encoder_embeddings, layer_norm
from ..config import Count, Size
from ..encoder_heads import bert_head, encoder, pooler
from ..registry import architecture
from ..tree import Module, module, repeat
from .bert import BertConfig, bert_layer


class MegatronBertConfig(BertConfig):
    vocab_size: Size = 29056
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16


@architecture("megatron-bert", config=MegatronBertConfig)
def megatron_bert(config: MegatronBertConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    layer = bert_layer(config, norms=("attention.ln", "ln"), kind="pre-norm")
    model = module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types, norm=False),
        encoder=module(layer=repeat(config.num_hidden_layers, layer), ln=layer_norm(hidden)),
    )
    table = "bert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    return encoder(config, model, base="bert", hidden=hidden, language_head=head, pooler=pooler(hidden))
