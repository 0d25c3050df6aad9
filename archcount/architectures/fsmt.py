"""FSMT, fairseq's translators of WMT19: BART without a norm on its embeddings, and a table for each language."""

from __future__ import annotations

from ..blocks import embedding, lm_head
from ..config import CountOrZero, Size
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, Storage, module, tied
from .bart import SequenceConfig, Shape, decoder_part, encoder_part


class FsmtConfig(SequenceConfig):
    src_vocab_size: Size = 42024
    tgt_vocab_size: Size = 42024
    pad_token_id: CountOrZero = 1
    activation_function: str = "relu"
    tie_word_embeddings: bool = False


@architecture("fsmt", config=FsmtConfig)
def fsmt(config: FsmtConfig) -> Module:
    """The head, which the bare model has too, is the decoder's table, and so is the encoder's where they are tied.

    transformers 5 unties the head with the encoder and saves the computed positions; published files are older.
    """
    name, is_new = config.class_name, config.is_written_by_transformers_5
    is_bare = name.endswith("FSMTModel")
    if name and not is_bare and not name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    storage = Storage.OWN if is_new else Storage.BUFFER
    shape = Shape(position_offset=config.pad_token_id + 1, positions="sinusoidal", table_storage=storage)
    table, width = embedding(config.tgt_vocab_size, config.d_model), config.d_model
    where = f"{'' if is_bare else 'model.'}decoder.embed_tokens"
    source = tied(table, where) if config.tie_word_embeddings else embedding(config.src_vocab_size, width)
    tied_to = f"{where}.weight" if config.tie_word_embeddings or not is_new else None
    decoder = decoder_part(config, shape).prepend(embed_tokens=table)
    decoder = decoder.extend(output_projection=lm_head(width, config.tgt_vocab_size, tied_to=tied_to))
    both = module(
        encoder=encoder_part(config, shape).prepend(embed_tokens=source).marked(section="encoder"),
        decoder=decoder.marked(section="decoder"),
    )
    return both if is_bare else module(model=both)
