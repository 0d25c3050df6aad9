"""`archcount memory MODEL`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from ..show.output import Style, show
from .cost_options import BatchOption, CacheDtypeOption, ContextOption, DtypeOption, SourceOption, context_of
from .opening import open_model
from .options import AsOption, FormatOption, JsonOption, ModelArgument, RevisionOption, RulesOption, SetOption

if TYPE_CHECKING:
    from ..devices import Fit
    from ..memory import Memory
    from ..model import Model
    from ..show.page import Page

RECIPE = (
    "How it is trained: optimizer=adamw|adamw-8bit|muon|adafactor|sgd|sgd-momentum, gradients=DTYPE, "
    "master=DTYPE|none, recompute=none|selective|full, zero=0…3, data=N, tensor=N, pipeline=N, expert=N. Repeatable."
)


def command(
    model: ModelArgument,
    *,
    context: ContextOption = None,
    batch: BatchOption = 1,
    source: SourceOption = None,
    dtype: DtypeOption = None,
    cache_dtype: CacheDtypeOption = None,
    state_dtype: Annotated[
        str | None, typer.Option("--state-dtype", help="Data type of states, not of caches.")
    ] = None,
    policy: Annotated[
        str, typer.Option("--policy", help="minimum, or unified: every layer at full length.")
    ] = "minimum",
    expanded: Annotated[bool, typer.Option("--expanded", help="Keep keys and values, not latent rows.")] = False,
    contexts: Annotated[bool, typer.Option("--contexts", help="A table from 4K to 1M tokens.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="The formula of each kind of cache.")] = False,
    device: Annotated[str | None, typer.Option("--device", help="Will it fit? h100, 8xh200, mi300x … ")] = None,
    training: Annotated[bool, typer.Option("--training", help="On one device, to train it.")] = False,
    recipe: Annotated[list[str] | None, typer.Option("--with", metavar="KEY=VALUE", help=RECIPE)] = None,
    settings: SetOption = None,
    as_type: AsOption = None,
    revision: RevisionOption = None,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """What a model takes in memory: weights, caches and states at a context, and whether a device holds it."""
    loaded = open_model(model, settings, as_type, revision, rules)
    length = context_of(loaded, context)
    if training or recipe:
        show(trained(loaded, length, batch, dtype, recipe or ()), style, as_json)
        return
    from ..show.memory import memory_page

    ask = partial(loaded.memory, length, batch, source=source, dtype=dtype, cache_dtype=cache_dtype)
    ask = partial(ask, state_dtype=state_dtype, expanded=expanded)
    minimum = ask(policy=policy)
    fit = fitted(loaded, minimum, device) if device else None
    show(memory_page(loaded, minimum, ask(policy="unified"), fit, contexts=contexts, explain=explain), style, as_json)


def trained(model: Model, context: int, batch: int, dtype: str | None, settings: Iterable[str]) -> Page:
    """What training takes on one device, at the config's data type where none is given."""
    from ..show.training import training_page
    from ..training import recipe

    width = dtype or model.dtype
    if width is None:
        raise UsageError(f"{model.name}: the config names no data type: give --dtype")
    return training_page(model, model.training(context, batch, recipe=recipe(settings, width)))


def fitted(model: Model, memory: Memory, device: str) -> Fit:
    """How the model goes into `device`, or into several written as `8xh100`."""
    from .. import devices

    count, times, name = device.partition("x")
    several = bool(times) and count.isdecimal()
    found = devices.device(name if several else device)
    return devices.fit(
        memory, model.flops(memory.context, source=memory.source or None), found, int(count) if several else 1
    )
