"""LayoutLM: BERT that also looks up where on the page a word stands and how large it is."""

from __future__ import annotations

from ..blocks import encoder_embeddings, position_embedding
from ..config import Size
from ..encoder_heads import bert_head, encoder, pooler
from ..registry import architecture
from ..tree import Module, module, repeat
from .bert import BertConfig, bert_layer


class LayoutLmConfig(BertConfig):
    max_2d_position_embeddings: Size = 1024


@architecture("layoutlm", config=LayoutLmConfig)
def layoutlm(config: LayoutLmConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    place = position_embedding(config.max_2d_position_embeddings, hidden)
    on_the_page = dict.fromkeys((f"{axis}_position_embeddings" for axis in "xyhw"), place)
    tables = encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types).extend(**on_the_page)
    model = module(
        embeddings=tables,
        encoder=module(layer=repeat(config.num_hidden_layers, bert_layer(config))),
        pooler=pooler(hidden),  # under every head
    )
    table = "layoutlm.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    return encoder(config, model, base="layoutlm", hidden=hidden, language_head=head)
