"""RoCBert: BERT that also looks up how a Chinese character sounds and what it looks like."""

from __future__ import annotations

from ..blocks import embedding, encoder_embeddings, linear
from ..config import Size
from ..encoder_heads import bert_head, encoder, pooler
from ..registry import architecture
from ..tree import Module, module, repeat
from .bert import BertConfig, bert_layer


class RocBertConfig(BertConfig):
    enable_pronunciation: bool = True
    enable_shape: bool = True
    pronunciation_embed_dim: Size = 768
    pronunciation_vocab_size: Size = 910
    shape_embed_dim: Size = 512
    shape_vocab_size: Size = 24858
    concat_input: bool = True


@architecture("roc_bert", config=RocBertConfig)
def roc_bert(config: RocBertConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    sound, shape = config.pronunciation_embed_dim, config.shape_embed_dim
    inputs = hidden + sound * config.enable_pronunciation + shape * config.enable_shape
    model = module(
        embeddings=encoder_embeddings(
            hidden,
            vocab=vocab,
            positions=config.max_position_embeddings,
            types=config.type_vocab_size,
        ).extend(
            pronunciation_embed=embedding(config.pronunciation_vocab_size, sound),
            shape_embed=embedding(config.shape_vocab_size, shape),
            map_inputs_layer=linear(inputs, hidden, bias=True) if config.concat_input else None,
        ),
        encoder=module(layer=repeat(config.num_hidden_layers, bert_layer(config))),
    )
    table = "roc_bert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    if config.class_name.endswith("ForPreTraining"):  # trained by contrast, without BERT's next sentence
        return module(roc_bert=model.extend(pooler=pooler(hidden)), **head)
    return encoder(config, model, base="roc_bert", hidden=hidden, language_head=head, pooler=pooler(hidden))
