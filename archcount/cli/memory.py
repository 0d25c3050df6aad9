"""`archcount memory MODEL`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..show.output import Style, show
from .cost_options import (
    BatchOption,
    CacheDtypeOption,
    ContextOption,
    ContextsOption,
    DeviceOption,
    DtypeOption,
    ExpandedOption,
    ExplainOption,
    ImageOption,
    ImagesOption,
    PolicyOption,
    ProcessorOption,
    RecipeOption,
    SourceOption,
    StateDtypeOption,
    TrainingOption,
    context_of,
    images_of,
)
from .opening import open_model
from .options import AsOption, FormatOption, JsonOption, ModelArgument, RevisionOption, RulesOption, SetOption

if TYPE_CHECKING:
    from ..costs.devices import Fit
    from ..costs.memory import Memory, Request
    from ..model import Model
    from ..show.page import Page


def command(
    model: ModelArgument, *, context: ContextOption = None, batch: BatchOption = 1, source: SourceOption = None,
    dtype: DtypeOption = None, cache_dtype: CacheDtypeOption = None, state_dtype: StateDtypeOption = None,
    policy: PolicyOption = "minimum", expanded: ExpandedOption = False, contexts: ContextsOption = False,
    explain: ExplainOption = False, device: DeviceOption = None, image: ImageOption = None,
    images: ImagesOption = None, processor: ProcessorOption = None, training: TrainingOption = False,
    recipe: RecipeOption = None, settings: SetOption = None, as_type: AsOption = None, revision: RevisionOption = None,
    rules: RulesOption = None, as_json: JsonOption = False, style: FormatOption = Style.TABLE,
) -> None:  # fmt: skip
    """What a model takes in memory: weights, caches and states at a context, and whether a device holds it."""
    from ..costs.memory import Request

    loaded = open_model(model, settings, as_type, revision, rules)
    seen = images_of(loaded, image, images, processor)
    length = context_of(loaded, context, seen)
    if training or recipe:
        show(trained(loaded, length, batch, dtype, recipe or ()), style, as_json)
        return
    asked = Request(length, batch, source, dtype, cache_dtype, state_dtype, policy, expanded, seen)
    show(held(loaded, asked, device, contexts=contexts, explain=explain), style, as_json)


def held(model: Model, asked: Request, device: str | None, *, contexts: bool, explain: bool) -> Page:
    """What the model takes by the policy asked for, with every layer at full length beside it."""
    from ..show.memory import memory_page

    names = [field.name for field in fields(asked)]
    both = [{name: getattr(each, name) for name in names} for each in (asked, replace(asked, policy="unified"))]
    minimum, unified = (model.memory(**each) for each in both)
    fit = fitted(model, minimum, device) if device else None
    return memory_page(model, minimum, unified, fit, contexts=contexts, explain=explain)


def trained(model: Model, context: int, batch: int, dtype: str | None, settings: Iterable[str]) -> Page:
    """What training takes on one device, at the config's data type where none is given."""
    from ..costs.training import recipe
    from ..show.training import training_page

    width = dtype or model.dtype
    if width is None:
        raise UsageError(f"{model.name}: the config names no data type: give --dtype")
    return training_page(model, model.training(context, batch, recipe=recipe(settings, width)))


def fitted(model: Model, memory: Memory, device: str) -> Fit:
    """How the model goes into `device`, or into several written as `8xh100`."""
    from ..costs import devices

    count, times, name = device.partition("x")
    several = bool(times) and count.isdecimal()
    on = devices.device(name if several else device)
    text = memory.context - (memory.images.tokens if memory.images else 0)
    flops = model.flops(text, source=memory.source or None, images=memory.images)
    return devices.fit(memory, flops, on, int(count) if several else 1)
