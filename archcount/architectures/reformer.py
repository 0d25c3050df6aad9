"""Reformer: reversible layers of local and hashed attention, and positions that are the sum of two short axes."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from ..blocks import attention, layer_norm, linear, position_embedding
from ..blocks import embedding as table
from ..blocks.linear import bias_of
from ..blocks.mlp import activation_name
from ..config import Count, ModelConfig, Size
from ..encoder_heads import dense_classifier, score, unknown_class
from ..errors import ConfigValueError
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Role, Tensor, module, stack

Kind = Literal["local", "lsh"]


class ReformerConfig(ModelConfig):
    vocab_size: Size = 320
    hidden_size: Size = 256
    feed_forward_size: Size = 512
    num_attention_heads: Count = 12
    attention_head_size: Size = 64
    attn_layers: tuple[Kind, ...] = ("local", "lsh") * 3
    num_hidden_layers: Count | None = None
    axial_pos_embds: bool = True
    axial_pos_shape: tuple[Size, ...] = (64, 64)
    axial_pos_embds_dim: tuple[Size, ...] = (64, 192)
    max_position_embeddings: Size = 4096
    hidden_act: str = "relu"
    is_decoder: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"num_buckets", "num_hashes", "chunk_size_lm_head"})


@architecture("reformer", config=ReformerConfig)
def reformer(config: ReformerConfig) -> Module:
    hidden, vocab, name = config.hidden_size, config.vocab_size, config.class_name
    layers = len(config.attn_layers) if config.num_hidden_layers is None else config.num_hidden_layers
    if layers > len(config.attn_layers):
        raise ConfigValueError(f"attn_layers has {len(config.attn_layers)} entries for {int(layers)} layers")
    both = 2 * hidden  # the two halves of a reversible layer, side by side
    model = module(
        embeddings=module(Role.EMBEDDING, word_embeddings=table(vocab, hidden), position_embeddings=_positions(config)),
        encoder=module(
            layers=stack_of(config.attn_layers[:layers], lambda kind: _layer(config, kind)),
            layer_norm=layer_norm(both),
        ),
    )
    if name.endswith("Model"):
        return model
    if name.endswith("ForSequenceClassification"):
        classifier = dense_classifier(hidden, config.labels).replacing(dense=linear(both, hidden, bias=True))
        return module(reformer=model, classifier=classifier)
    if name.endswith("ForQuestionAnswering"):
        return module(reformer=model, qa_outputs=score(both, config.labels))
    if name and not name.endswith(("ForMaskedLM", "ModelWithLMHead")):
        raise unknown_class(config)
    head = module(Role.HEAD, bias=bias_of(vocab), decoder=linear(both, vocab, bias=True))
    return module(reformer=model, lm_head=head)


def _positions(config: ReformerConfig) -> Module:
    """A row for each position, or for each place on each axis a part of one.

    Raises ConfigValueError: parts that are not one row together.
    """
    if not config.axial_pos_embds:
        return module(embedding=position_embedding(config.max_position_embeddings, config.hidden_size))
    lengths, widths = config.axial_pos_shape, config.axial_pos_embds_dim
    if len(lengths) != len(widths) or sum(map(int, widths)) != config.hidden_size:
        found = f"axial_pos_embds_dim is {[*map(int, widths)]}"
        raise ConfigValueError(
            f"{found}: should be {len(lengths)} widths that add up to hidden_size ({int(config.hidden_size)})"
        )
    axes = range(len(lengths))
    shapes = [(*(lengths[axis] if axis == place else 1 for axis in axes), widths[place]) for place in axes]
    return module(None, "learned positions", weights=stack([Tensor(shape) for shape in shapes]))


def _layer(config: ReformerConfig, kind: Kind) -> Module:
    hidden, inner = config.hidden_size, config.feed_forward_size
    flat = attention(
        hidden,
        heads=config.num_attention_heads,
        head_dim=config.attention_head_size,
        causal=config.is_decoder,
        positions="learned",
        names=("query" if kind == "local" else "query_key", "key", "value", "dense"),
    )
    *matrices, (_, dense) = flat.children
    inside = module(**{name: matrix for name, matrix in matrices if kind == "local" or name != "key"})
    parts = module(layer_norm=layer_norm(hidden), self_attention=inside, output=module(dense=dense))
    up, down = linear(hidden, inner, bias=True), linear(inner, hidden, bias=True)
    feed_forward = module(
        Role.MLP,
        activation_name(config.hidden_act, gated=False),
        layer_norm=layer_norm(hidden),
        dense=module(dense=up),
        output=module(dense=down),
    )
    # It keeps hidden states and buckets, not keys and values, and compares within a bucket: neither cost has a mark.
    attend = replace(flat, children=parts.children, cache=None, attends=None)
    return module(None, "pre-norm", attention=attend, feed_forward=feed_forward)
