"""What a reader must know beside the figures: what was defaulted, what was not read, what if."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..config import looks_like_a_size
from ..errors import ConfigValueError
from ..sources.files import literal
from .page import Note

if TYPE_CHECKING:
    from ..model import Model


def remarks(model: Model, before: Model | None) -> Iterator[Note]:
    """The notes under a breakdown; `before` is the same model before --set."""
    if before is not None:
        yield difference(model, before)
    yield from _untold(model)
    if model.note:
        yield Note(model.note, is_warning=True)
    config = model.config
    if assumed := config.assumed():
        why = "missing from the config, so every size in it is the class's own"
        yield Note(f"assumed: {', '.join(assumed)} ({why})", is_warning=True)
    if defaulted := config.defaulted():
        yield Note(f"defaulted: {', '.join(f'{key} = {literal(value)}' for key, value in defaulted.items())}")
    unread = config.unread()
    if plain := [key for key in unread if not looks_like_a_size(key)]:
        yield Note(f"not read: {', '.join(plain)}")
    if suspect := [f"{key} = {literal(unread[key])}" for key in unread if looks_like_a_size(key)]:
        yield Note(f"not read, though it looks like a size: {', '.join(suspect)}", is_warning=True)


def _untold(model: Model) -> Iterator[Note]:
    """Why the totals do not say what the files hold."""
    if model.totals.stored is None:
        try:
            unsized = next(each for each in model.stored if each.is_unsized)
        except ConfigValueError as error:
            why = str(error)
        else:
            why = f"the packed size of {unsized.row.pattern} is chosen by the quantizer: not known from the config"
        yield Note(f"stored is not told: {why}", is_warning=True)


def difference(model: Model, before: Model) -> Note:
    """`1,376,256 more than without --set (8,030,261,248)`."""
    was, now = before.totals.parameters, model.totals.parameters
    if was == now:
        return Note(f"as many as without --set ({was:,})")
    return Note(f"{abs(now - was):,} {'more' if now > was else 'fewer'} than without --set ({was:,})")
