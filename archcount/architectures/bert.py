"""BERT and its nearest kin: layers that norm after each part, three embedding tables, and a masked-language head.

Longer than most, since the other encoders call its layer, its embeddings and its heads from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

from ..blocks import embedding, encoder_attention, encoder_embeddings, encoder_layer
from ..blocks.encoder import POST_NORM
from ..blocks.linear import bias_of
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..encoder_heads import bert_head, biased_twice, encoder, pooler, unknown_class
from ..errors import ConfigValueError
from ..registry import architecture
from ..tree import Module, Node, Role, module, repeat

OLD_NORM = {"gamma": "weight", "beta": "bias"}  # what TensorFlow's BERT called a norm's two tensors


class BertConfig(DecoderConfig):
    vocab_size: Size = 30522
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 512
    type_vocab_size: Size = 2
    position_embedding_type: Literal["absolute", "relative_key", "relative_key_query"] = "absolute"
    hidden_act: str = "gelu"
    is_decoder: bool = False
    add_cross_attention: bool = False
    tie_word_embeddings: bool = True


class BertGenerationConfig(BertConfig):
    vocab_size: Size = 50358
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16


class ErnieConfig(BertConfig):
    task_type_vocab_size: Size = 3
    use_task_id: bool = False


@architecture("bert", config=BertConfig, renamed=OLD_NORM)
def bert(config: BertConfig) -> Module:
    return bert_model(config, base="bert")


@architecture("ernie", config=ErnieConfig, renamed=OLD_NORM)
def ernie(config: ErnieConfig) -> Module:
    tasks = embedding(config.task_type_vocab_size, config.hidden_size) if config.use_task_id else None
    return bert_model(config, base="ernie", task_type_embeddings=tasks)


@architecture("bert-generation", config=BertGenerationConfig)
def bert_generation(config: BertGenerationConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    tables = encoder_embeddings(hidden, vocab=vocab, positions=config.max_position_embeddings)
    model = module(embeddings=tables, encoder=module(layer=repeat(config.num_hidden_layers, bert_layer(config))))
    if config.class_name == "BertGenerationEncoder":
        return model
    if config.class_name not in ("", "BertGenerationDecoder"):
        raise unknown_class(config)
    table = "bert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    decoder = biased_twice(hidden, vocab, table=table, bias="lm_head.bias")
    return module(bert=model, lm_head=module(Role.HEAD, bias=bias_of(vocab), decoder=decoder))


def bert_model(config: BertConfig, *, base: str, **more: Module | None) -> Module:
    """BERT under the name `base`; `more` stands among its embeddings."""
    hidden, vocab = config.hidden_size, config.vocab_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    model = module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types).extend(**more),
        encoder=module(layer=repeat(config.num_hidden_layers, bert_layer(config))),
    )
    table = f"{base}.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    return encoder(config, model, base=base, hidden=hidden, language_head=head, pooler=pooler(hidden))


def bert_layer(
    config: BertConfig,
    *,
    bias: bool = True,
    positions: str = "learned",
    norms: tuple[str, str] = POST_NORM,
    kind: str = "post-norm",
    in_self: Mapping[str, Node] | None = None,
    in_output: Mapping[str, Node | None] | None = None,
) -> Module:
    """The layer of BERT and of whoever shares its keys.

    Raises ConfigValueError: cross-attention in a model that is no decoder.
    """
    if config.add_cross_attention and not config.is_decoder:
        raise ConfigValueError("add_cross_attention is true and is_decoder false: cross-attention needs a decoder")
    attend = partial(_attention, config, bias=bias, positions=positions, norms=norms, in_self=in_self or {})
    return encoder_layer(
        config.hidden_size,
        config.intermediate_size,
        attention=attend(),
        crossattention=attend(source_width=config.hidden_size) if config.add_cross_attention else None,
        activation=config.hidden_act,
        norms=norms,
        kind=kind,
        in_output=in_output,
    )


def _attention(
    config: BertConfig,
    *,
    bias: bool,
    positions: str,
    norms: tuple[str, str],
    in_self: Mapping[str, Node],
    source_width: int | None = None,
) -> Module:
    """Attention, with a table of distances in it where positions are relative."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    if config.position_embedding_type != "absolute":
        distances = embedding(2 * config.max_position_embeddings - 1, exact_div(hidden, heads))
        positions, in_self = "relative", {**in_self, "distance_embedding": distances}
    return encoder_attention(
        hidden,
        heads=heads,
        bias=bias,
        causal=config.is_decoder,
        source_width=source_width,
        positions=positions,
        norms=norms,
        in_self=in_self,
    )
