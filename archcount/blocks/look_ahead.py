"""The layer that predicts a further token (multi-token prediction), as DeepSeek-V3 and as Ling publish it."""

from __future__ import annotations

from ..tree import Module, Stack, copied, module, tied
from .embeddings import embedding, lm_head
from .linear import linear
from .norms import rms_norm


def look_ahead_layer(layer: Module, width: int, vocab: int, *, stored_again: bool = True) -> Module:
    """`layer` with two norms, a projection, the model's table and its head; its number follows the model's.

    `stored_again` says whether the files hold that table and that head a second time.
    """
    same = copied if stored_again else tied
    return layer.marked(section="mtp").extend(
        embed_tokens=same(embedding(vocab, width), "model.embed_tokens"),
        enorm=rms_norm(width),
        hnorm=rms_norm(width),
        eh_proj=linear(2 * width, width),
        shared_head=module(norm=rms_norm(width), head=same(lm_head(width, vocab), "lm_head")),
    )


def sharing_look_ahead_layer(layer: Module, width: int) -> Module:
    """`layer` with three norms and a projection: it reads the model's own table and head, as Ling publishes it."""
    return layer.marked(section="mtp").extend(
        enorm=rms_norm(width),
        hnorm=rms_norm(width),
        eh_proj=linear(2 * width, width),
        final_layernorm=rms_norm(width),
    )


def followed_by(layers: Stack, further: Module, after: int, times: int) -> Stack:
    """The model's `after` layers, and after them `times` layers that look further ahead, numbered on."""
    where = range(after, after + times)
    return Stack((*layers.groups, (where, further))) if where else layers
