"""ALBERT: BERT's layer stored once and applied many times, on embeddings of a width of their own."""

from __future__ import annotations

from collections import Counter

from ..blocks import bidirectional_attention, encoder_embeddings, layer_norm, linear
from ..blocks.linear import bias_of
from ..blocks.mlp import activation_name
from ..config import Count, DecoderConfig, Size
from ..encoder_heads import Heads, biased_twice, encoder, score
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Role, module, repeat


class AlbertConfig(DecoderConfig):
    vocab_size: Size = 30000
    embedding_size: Size = 128
    hidden_size: Size = 4096
    intermediate_size: Size = 16384
    num_hidden_layers: Count = 12
    num_hidden_groups: Count = 1
    inner_group_num: Count = 1
    num_attention_heads: Count = 64
    max_position_embeddings: Size = 512
    type_vocab_size: Size = 2
    hidden_act: str = "gelu_new"
    tie_word_embeddings: bool = True


@architecture("albert", config=AlbertConfig)
def albert(config: AlbertConfig) -> Module:
    hidden, width, vocab = config.hidden_size, config.embedding_size, config.vocab_size
    positions, types, groups = config.max_position_embeddings, config.type_vocab_size, config.num_hidden_groups
    # Layer i of the depth is applied from group i × groups ÷ layers.
    times = Counter(index * groups // config.num_hidden_layers for index in range(config.num_hidden_layers))
    model = module(
        embeddings=encoder_embeddings(width, vocab=vocab, positions=positions, types=types),
        encoder=module(
            embedding_hidden_mapping_in=linear(width, hidden, bias=True),
            albert_layer_groups=stack_of((times[group] for group in range(groups)), lambda uses: _group(config, uses)),
        ),
    )
    pooler = linear(hidden, hidden, bias=True, role=Role.HEAD)
    head = _language_head(config)
    if config.class_name.endswith("ForPreTraining"):
        order = module(Role.HEAD, classifier=score(hidden, config.labels))
        return module(albert=model.extend(pooler=pooler), **head, sop_classifier=order)
    return encoder(config, model, base="albert", hidden=hidden, language_head=head, pooler=pooler)


def _group(config: AlbertConfig, uses: int) -> Module:
    """The layers of one group, which a token passes `uses` times."""
    hidden, inner, heads = config.hidden_size, config.intermediate_size, config.num_attention_heads
    attend = bidirectional_attention(hidden, heads=heads, names=("query", "key", "value", "dense"))
    up = linear(hidden, inner, bias=True, role=Role.MLP)
    layer = module(
        None,
        "post-norm",
        full_layer_layer_norm=layer_norm(hidden),
        attention=attend.extend(LayerNorm=layer_norm(hidden)),
        ffn=up.marked(kind=activation_name(config.hidden_act, gated=False)),
        ffn_output=linear(inner, hidden, bias=True, role=Role.MLP),
    )
    return module(albert_layers=repeat(config.inner_group_num, layer)).marked(uses=uses)


def _language_head(config: AlbertConfig) -> Heads:
    hidden, width, vocab = config.hidden_size, config.embedding_size, config.vocab_size
    table = "albert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    predictions = module(
        Role.HEAD,
        bias=bias_of(vocab),
        LayerNorm=layer_norm(width),
        dense=linear(hidden, width, bias=True),
        decoder=biased_twice(width, vocab, table=table, bias="predictions.bias"),
    )
    return {"predictions": predictions}
