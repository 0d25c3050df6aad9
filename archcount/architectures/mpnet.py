"""MPNet: BERT with buckets of relative positions that all layers share, and RoBERTa's head."""

from __future__ import annotations

from ..blocks import bidirectional_attention, embedding, encoder_embeddings, encoder_layer, layer_norm
from ..config import Count, DecoderConfig, Size
from ..encoder_heads import encoder, pooler, roberta_head
from ..registry import architecture
from ..tree import Module, module, repeat


class MpnetConfig(DecoderConfig):
    vocab_size: Size = 30527
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 512
    relative_attention_num_buckets: Size = 32
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = True


@architecture("mpnet", config=MpnetConfig)
def mpnet(config: MpnetConfig) -> Module:
    hidden, heads, vocab = config.hidden_size, config.num_attention_heads, config.vocab_size
    attend = bidirectional_attention(hidden, heads=heads, positions="learned and relative", names=("q", "k", "v", "o"))
    normed = module(attn=attend, LayerNorm=layer_norm(hidden))
    layer = encoder_layer(hidden, config.intermediate_size, attention=normed, activation=config.hidden_act)
    model = module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, positions=config.max_position_embeddings),
        encoder=module(
            layer=repeat(config.num_hidden_layers, layer),
            relative_attention_bias=embedding(config.relative_attention_num_buckets, heads),
        ),
    )
    table = "mpnet.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = roberta_head(hidden, vocab, table=table)
    return encoder(
        config, model, base="mpnet", hidden=hidden, language_head=head, pooler=pooler(hidden), deep_classifier=True
    )
