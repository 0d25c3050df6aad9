"""BigBird-Pegasus: Pegasus whose encoder looks at blocks, and whose one norm after the layers has BART's name."""

from __future__ import annotations

from dataclasses import replace

from ..blocks import attention
from ..config import Count, Size
from ..dim import exact_div
from ..registry import architecture
from ..seq2seq_heads import Vocabulary, seq2seq
from ..tree import Module
from .bart import SequenceConfig, Shape, decoder_part, encoder_part


class BigBirdPegasusConfig(SequenceConfig):
    vocab_size: Size = 96103
    encoder_layers: Count = 16
    decoder_layers: Count = 16
    max_position_embeddings: Size = 4096
    activation_function: str = "gelu_new"
    use_bias: bool = False


@architecture("bigbird_pegasus", config=BigBirdPegasusConfig)
def bigbird_pegasus(config: BigBirdPegasusConfig) -> Module:
    shape = Shape(embedding_norm=True, kind="pre-norm", attention_bias=config.use_bias)
    encoder, decoder = encoder_part(config, shape, _block_attention(config)), decoder_part(config, shape)
    tie = config.tie_word_embeddings and not config.class_name.endswith("ForCausalLM")
    return seq2seq(config, encoder, decoder, Vocabulary(config.vocab_size, config.d_model, tie))


def _block_attention(config: BigBirdPegasusConfig) -> Module:
    """Query, key and value under `self`, and `output`."""
    flat = attention(
        config.d_model,
        heads=config.encoder_attention_heads,
        head_dim=exact_div(config.d_model, config.encoder_attention_heads),
        bias=config.use_bias,
        causal=False,
        positions="learned",
        names=("query", "key", "value", "output"),
    )
    *projections, output = flat.children
    return replace(flat, children=(("self", Module(tuple(projections))), output))
