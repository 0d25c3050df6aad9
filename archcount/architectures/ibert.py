"""I-BERT: RoBERTa that can compute in whole numbers, whose class saves what it needs for that beside the weights."""

from __future__ import annotations

from typing import Literal

from ..blocks import embedding, layer_norm, linear
from ..blocks.attention import attending
from ..blocks.mlp import activation_name
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..encoder_heads import encoder, pooler, roberta_head
from ..registry import architecture
from ..tree import Attends, Grouped, Module, Role, Storage, Tensor, module, repeat

# Kept beside the weights, and no parameters: a tensor again in whole numbers, its scale, the range of an activation.
ONE = Tensor((1,), storage=Storage.BUFFER)
RANGE = module(x_min=ONE, x_max=ONE, act_scaling_factor=ONE)


class IBertConfig(DecoderConfig):
    vocab_size: Size = 30522
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 512
    type_vocab_size: Size = 2
    hidden_act: Literal["gelu"] = "gelu"
    tie_word_embeddings: bool = True


@architecture("ibert", config=IBertConfig)
def ibert(config: IBertConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    layers = repeat(config.num_hidden_layers, _layer(config))
    model = module(embeddings=_embeddings(config), encoder=module(layer=layers))
    table = "ibert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = roberta_head(hidden, vocab, table=table)
    return encoder(
        config, model, base="ibert", hidden=hidden, language_head=head, pooler=pooler(hidden), deep_classifier=True
    )


def _embeddings(config: IBertConfig) -> Module:
    hidden = config.hidden_size
    return module(
        Role.EMBEDDING,
        word_embeddings=_table(config.vocab_size, hidden),
        token_type_embeddings=_table(config.type_vocab_size, hidden),
        position_embeddings=_table(config.max_position_embeddings, hidden).marked(kind="learned positions"),
        embeddings_act1=RANGE,
        embeddings_act2=RANGE,
        LayerNorm=_norm(hidden),
        output_activation=RANGE,
    )


def _layer(config: IBertConfig) -> Module:
    hidden, inner = config.hidden_size, config.intermediate_size
    word = activation_name(config.hidden_act, gated=False)
    return module(
        None,
        "post-norm",
        attention=_attention(hidden, config.num_attention_heads),
        intermediate=module(Role.MLP, word, dense=_matrix(hidden, inner), output_activation=RANGE),
        output=_written(inner, hidden).marked(role=Role.MLP),
        pre_intermediate_act=RANGE,
        pre_output_act=RANGE,
    )


def _attention(hidden: int, heads: int) -> Module:
    each, matrix = exact_div(hidden, heads), _matrix(hidden, hidden)
    kept = matrix.marked(grouped=Grouped(heads, hidden))
    ranges = dict.fromkeys(("query_activation", "key_activation", "value_activation", "output_activation"), RANGE)
    inside = module(query=matrix, key=kept, value=kept, **ranges, softmax=module(act=RANGE))
    attends = Attends(heads, each, each, causal=False, positions="learned", kv_heads=heads)
    return attending(attends, self=inside, output=_written(hidden, hidden))


def _written(inputs: int, hidden: int) -> Module:
    """What a part adds to the stream: `dense`, then a norm."""
    return module(dense=_matrix(inputs, hidden), ln_input_act=RANGE, LayerNorm=_norm(hidden), output_activation=RANGE)


def _matrix(inputs: int, outputs: int) -> Module:
    whole, row = Tensor((outputs, inputs), storage=Storage.BUFFER), Tensor((outputs,), storage=Storage.BUFFER)
    return linear(inputs, outputs, bias=True).extend(weight_integer=whole, fc_scaling_factor=row, bias_integer=row)


def _table(count: int, width: int) -> Module:
    whole = Tensor((count, width), storage=Storage.BUFFER)
    return embedding(count, width).extend(weight_scaling_factor=ONE, weight_integer=whole)


def _norm(width: int) -> Module:
    return layer_norm(width).extend(shift=ONE, activation=RANGE)
