"""PEGASUS-X: Pegasus for long texts; a token of the source sees its block, and learned global tokens that see all."""

from __future__ import annotations

from ..blocks import attention, embedding, layer_norm
from ..config import Count, Size
from ..dim import exact_div
from ..marks import GLOBAL_TOKENS
from ..registry import architecture
from ..seq2seq_heads import Vocabulary, seq2seq
from ..tree import Module, repeat
from .bart import SequenceConfig, Shape, decoder_part, encoder_layer, encoder_part

PEGASUS_X = Shape(last_norm=True, kind="pre-norm", positions="sinusoidal", has_table=False, attention_bias=False)


class PegasusXConfig(SequenceConfig):
    vocab_size: Size = 96103
    encoder_layers: Count = 16
    decoder_layers: Count = 16
    max_position_embeddings: Size = 16384
    num_global_tokens: Size = 32
    block_size: Size = 512


@architecture("pegasus_x", config=PegasusXConfig)
def pegasus_x(config: PegasusXConfig) -> Module:
    """Global tokens pass through the same layers, with a norm of their own before attention."""
    table = embedding(config.num_global_tokens, config.d_model).marked(kind=GLOBAL_TOKENS)
    layer = encoder_layer(config, PEGASUS_X, _block_attention(config))
    layer = layer.extend(global_self_attn_layer_norm=layer_norm(config.d_model))
    encoder = encoder_part(config, PEGASUS_X).replacing(layers=repeat(config.encoder_layers, layer))
    decoder = decoder_part(config, PEGASUS_X)
    words = Vocabulary(config.vocab_size, config.d_model, config.tie_word_embeddings)
    return seq2seq(
        config, encoder.prepend(embed_global=table), decoder, words, logits_bias=False, has_causal_class=False
    )


def _block_attention(config: PegasusXConfig) -> Module:
    return attention(
        config.d_model,
        heads=config.encoder_attention_heads,
        head_dim=exact_div(config.d_model, config.encoder_attention_heads),
        window=config.block_size + config.num_global_tokens,
        causal=False,
        positions="sinusoidal",
        names=("q_proj", "k_proj", "v_proj", "out_proj"),
    )
