"""Jina Embeddings 3: XLM-RoBERTa with rotary positions, as Hugging Face's own class has it."""

from __future__ import annotations

from ..blocks import encoder_embeddings, layer_norm, mlp
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..encoder_heads import encoder, pooler, roberta_head
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat
from .nomic_bert import rotary_attention, rotary_layer


class JinaEmbeddingsV3Config(ModelConfig, Rotary):
    vocab_size: Size = 250002
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    type_vocab_size: Size = 1
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = True


@architecture("jina_embeddings_v3", config=JinaEmbeddingsV3Config)
def jina_embeddings_v3(config: JinaEmbeddingsV3Config) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    dense = mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    heads = config.num_attention_heads
    head_dim, positions = exact_div(hidden, heads), config.rope
    mixer = rotary_attention(hidden, heads=heads, head_dim=head_dim, bias=True, positions=positions)
    layer = rotary_layer(hidden, mixer=mixer, mlp=dense)
    tables = encoder_embeddings(hidden, vocab=vocab, types=config.type_vocab_size, norm=False)
    layers = repeat(config.num_hidden_layers, layer)
    model = module(embeddings=tables, emb_ln=layer_norm(hidden), encoder=module(layers=layers))
    table = "roberta.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = roberta_head(hidden, vocab, table=table)
    pooled = pooler(hidden)
    return encoder(
        config, model, base="roberta", hidden=hidden, language_head=head, pooler=pooled, deep_classifier=True
    )
