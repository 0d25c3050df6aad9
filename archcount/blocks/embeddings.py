"""Tables that are looked up, and the head that may share one."""

from __future__ import annotations

from dataclasses import replace

from ..tree import Module, Role, Storage, Tensor, Use, module
from .linear import linear


def embedding(count: int, width: int) -> Module:
    """`weight` [count, width]: a row for each token."""
    return module(Role.EMBEDDING, weight=Tensor((count, width), Use.LOOKUP))


def position_embedding(
    count: int, width: int, *, kind: str = "learned positions", storage: Storage = Storage.OWN
) -> Module:
    """`weight` [count, width]: a row for each position, learned or (`kind`) stored though computed."""
    return module(Role.EMBEDDING, kind, weight=Tensor((count, width), Use.LOOKUP, storage))


def lm_head(width: int, vocab: int, *, tied_to: str | None = None, bias: bool = False) -> Module:
    """`weight` [vocab, width]; tied to the table named, it is not stored again, and is a matmul all the same."""
    head = linear(width, vocab, bias=bias, role=Role.HEAD)
    if not tied_to:
        return head
    again = {"weight": Tensor((vocab, width), Use.MATMUL, Storage.TIED, tied_to)}
    return replace(head, children=tuple((name, again.get(name, child)) for name, child in head.children))
