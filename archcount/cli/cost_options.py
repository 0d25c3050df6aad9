"""The options of the verbs that say what a model costs, each with its one wording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError

if TYPE_CHECKING:
    from ..model import Model

ContextOption = Annotated[
    int | None,
    typer.Option("--context", metavar="TOKENS", help="Tokens of a sequence; the config's longest where left out."),
]
BatchOption = Annotated[int, typer.Option("--batch", metavar="N", help="Sequences at once.")]
SourceOption = Annotated[
    int | None, typer.Option("--source", metavar="TOKENS", help="Length of the other side of a cross-attention.")
]
DtypeOption = Annotated[
    str | None, typer.Option("--dtype", help="Data type of the weights; as the files store them where left out.")
]
CacheDtypeOption = Annotated[
    str | None, typer.Option("--cache-dtype", help="Data type of the cache; the config's where left out.")
]


def context_of(model: Model, given: int | None) -> int:
    """The context asked for, or the longest that the config names.

    Raises UsageError: neither.
    """
    if given is not None:
        return given
    if model.context is None:
        raise UsageError(f"{model.name}: the config names no longest sequence: give --context TOKENS")
    return model.context
