"""BLOOM: ALiBi for positions, a norm on the embeddings too, and query, key and value in one matrix."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, fused_attention, layer_norm, mlp
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import transformer_lm
from ..registry import architecture
from ..tree import Module, module, repeat

FUSED = ("query_key_value", "dense")
UP_AND_DOWN = ("dense_h_to_4h", "dense_4h_to_h")


class BloomConfig(ModelConfig):
    vocab_size: Size = 250880
    hidden_size: Size = 64
    n_layer: Count = 2
    n_head: Count = 8
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "n_embed": "hidden_size",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    }


@architecture("bloom", config=BloomConfig, spellings={"": "transformer."})
def bloom(config: BloomConfig) -> Module:
    width, heads, vocab = config.hidden_size, config.n_head, config.vocab_size
    attention = fused_attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=True,
        positions="ALiBi",
        names=FUSED,
    )
    layer = module(
        None,
        "pre-norm",
        input_layernorm=layer_norm(width),
        self_attention=attention,
        post_attention_layernorm=layer_norm(width),
        mlp=mlp(width, 4 * width, names=UP_AND_DOWN),
    )
    model = module(
        word_embeddings=embedding(vocab, width),
        word_embeddings_layernorm=layer_norm(width),
        h=repeat(config.n_layer, layer),
        ln_f=layer_norm(width),
    )
    return transformer_lm(
        config, model, hidden=width, vocab=vocab, tie=config.tie_word_embeddings, table="word_embeddings"
    )
