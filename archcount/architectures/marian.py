"""Marian: BART without a norm on its embeddings, with sinusoidal positions and, where asked, two vocabularies."""

from __future__ import annotations

from ..config import Size
from ..registry import architecture
from ..seq2seq_heads import Vocabulary, seq2seq
from ..tree import Module, Storage
from .bart import SequenceConfig, Shape, decoder_part, encoder_part

MARIAN = Shape(positions="sinusoidal")
# The translator leaves the computed table out of what it saves; its first published files hold it all the same.
TRANSLATOR = Shape(positions="sinusoidal", table_storage=Storage.BUFFER)


class MarianConfig(SequenceConfig):
    vocab_size: Size = 58101
    decoder_vocab_size: Size | None = None
    share_encoder_decoder_embeddings: bool = True


@architecture("marian", config=MarianConfig)
def marian(config: MarianConfig) -> Module:
    is_decoder = config.class_name.endswith("ForCausalLM")
    shape = MARIAN if is_decoder else TRANSLATOR
    own = is_decoder or not config.share_encoder_decoder_embeddings
    target = (config.decoder_vocab_size or config.vocab_size) if own else None
    words = Vocabulary(config.vocab_size, config.d_model, config.tie_word_embeddings, target)
    return seq2seq(config, encoder_part(config, shape), decoder_part(config, shape), words)
