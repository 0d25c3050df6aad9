"""M2M-100 and NLLB: BART's parts with the norms before each and sinusoidal positions that no file holds."""

from __future__ import annotations

from ..config import Size
from ..registry import architecture
from ..seq2seq_heads import Vocabulary, seq2seq
from ..tree import Module
from .bart import SequenceConfig, Shape, decoder_part, encoder_part

M2M_100 = Shape(last_norm=True, kind="pre-norm", positions="sinusoidal", has_table=False)


class M2m100Config(SequenceConfig):
    vocab_size: Size = 128112
    activation_function: str = "relu"


@architecture("m2m_100", config=M2m100Config)
def m2m_100(config: M2m100Config) -> Module:
    words = Vocabulary(config.vocab_size, config.d_model, config.tie_word_embeddings)
    encoder, decoder = encoder_part(config, M2M_100), decoder_part(config, M2M_100)
    return seq2seq(config, encoder, decoder, words, logits_bias=False)
