"""The layer that predicts a further token (multi-token prediction), as DeepSeek-V3 publishes it."""

from __future__ import annotations

from ..tree import Module, copied, module
from .embeddings import embedding, lm_head
from .linear import linear
from .norms import rms_norm


def look_ahead_layer(layer: Module, width: int, vocab: int) -> Module:
    """`layer` with two norms, a projection, and the table and the head stored again; its number follows the model's."""
    return layer.marked(section="mtp").extend(
        embed_tokens=copied(embedding(vocab, width), "model.embed_tokens"),
        enorm=rms_norm(width),
        hnorm=rms_norm(width),
        eh_proj=linear(2 * width, width),
        shared_head=module(norm=rms_norm(width), head=copied(lm_head(width, vocab), "lm_head")),
    )
