"""BioGPT: fairseq's decoder with the norms before each part and learned positions."""

from __future__ import annotations

from ..blocks import embedding, fairseq_attention, fairseq_layer, layer_norm, position_embedding
from ..config import Count, DecoderConfig, Size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class BioGptConfig(DecoderConfig):
    vocab_size: Size = 42384
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    max_position_embeddings: Size = 1024
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = True


@architecture("biogpt", config=BioGptConfig)
def biogpt(config: BioGptConfig) -> Module:
    width, vocab = config.hidden_size, config.vocab_size
    layer = fairseq_layer(
        width,
        config.intermediate_size,
        self_attn=fairseq_attention(width, heads=config.num_attention_heads),
        activation=config.hidden_act,
        kind="pre-norm",
    )
    model = module(
        embed_tokens=embedding(vocab, width),
        embed_positions=position_embedding(config.max_position_embeddings + 2, width),  # the first two: padding
        layers=repeat(config.num_hidden_layers, layer),
        layer_norm=layer_norm(width),
    )
    return causal_lm(
        config,
        model,
        hidden=width,
        vocab=vocab,
        tie=config.tie_word_embeddings,
        base="biogpt",
        head="output_projection",
        token_head="classifier",
    )
