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
StateDtypeOption = Annotated[str | None, typer.Option("--state-dtype", help="Data type of states, not of caches.")]
PolicyOption = Annotated[str, typer.Option("--policy", help="minimum, or unified: every layer at full length.")]
ExpandedOption = Annotated[bool, typer.Option("--expanded", help="Keep keys and values, not latent rows.")]
ContextsOption = Annotated[bool, typer.Option("--contexts", help="A table from 4K to 1M tokens.")]
ExplainOption = Annotated[bool, typer.Option("--explain", help="The formula of each kind of cache.")]
DeviceOption = Annotated[str | None, typer.Option("--device", help="Will it fit? h100, 8xh200, mi300x … ")]
TrainingOption = Annotated[bool, typer.Option("--training", help="On one device, to train it.")]
RecipeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="KEY=VALUE",
        help="How it is trained: optimizer=adamw|adamw-8bit|muon|adafactor|sgd|sgd-momentum, gradients=DTYPE, "
        "master=DTYPE|none, recompute=none|selective|full, zero=0…3, data=N, tensor=N, pipeline=N, expert=N. "
        "Repeatable.",
    ),
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
