"""Two models as a difference: the keys, the tensors, the totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ..dim import atoms
from ..marks import MTP
from ..sources.files import literal
from .difference_document import document
from .outline import WORDS
from .page import Column, Line, Note, Page, Table, shown

if TYPE_CHECKING:
    from ..difference import Difference, Figure, KeyChange, RoleFigure, RowChange, Side

BEFORE, AFTER = Column("before", "before"), Column("after", "after")
WAS, IS = Column("before", "before", "count"), Column("after", "after", "count")
CHANGE = Column("change", "change", "change")
LONGEST_VALUE = 24  # characters, so that two of them stand beside a key
UNREAD = "read by no tensor"


class Only(StrEnum):
    """What `--only` takes."""

    KEYS = "keys"
    PARTS = "parts"
    TOTALS = "totals"


def difference_page(difference: Difference, only: Only | None = None, longest: int | None = None) -> Page:
    """What differs; tables of more than `longest` lines are cut, and say so."""
    wanted = frozenset(Only if only is None else [only])
    blocks = tuple(_cut(block, longest) for block in _blocks(difference, wanted))
    title = f"{difference.before.name} → {difference.after.name}"
    return Page(title, blocks, lambda: document(difference, {each.value for each in wanted}))


def _blocks(difference: Difference, wanted: frozenset[Only]) -> Iterator[Table | Note]:
    if difference.is_empty:
        yield Note("no difference: the same keys, defaults resolved, and the same tensors")
        return
    if Only.KEYS in wanted and difference.keys:
        yield _keys(difference)
        yield from _together(difference)
    if Only.PARTS in wanted:
        yield from _parts(difference)
    if Only.TOTALS in wanted:
        yield _totals(difference.figures)
        yield Note(_units(difference.context))
    yield from _readings(difference)


def _keys(difference: Difference) -> Table:
    read = [change for change in difference.keys if change.pair.is_read]
    unread = [change for change in difference.keys if not change.pair.is_read]
    lines = [*map(_key, read), *([Line((UNREAD, *(None,) * 4), rank="heading")] if unread else []), *map(_key, unread)]
    columns = (
        Column("key", "key"),
        BEFORE,
        AFTER,
        Column("alone", "alone", "change"),
        Column("why", "why", aside=True),
    )
    return Table(columns, tuple(lines))


def _key(change: KeyChange) -> Line:
    pair, alone = change.pair, change.alone
    values = (_value(setting.value, is_given=setting.is_given) for setting in (pair.before, pair.after))
    if alone is None:
        return Line((pair.key, *values, None, None))
    if alone.refused:
        return Line((pair.key, *values, None, f"not alone: {alone.refused}"))
    active = alone.active if alone.active != alone.parameters else 0
    others = (("active", active), ("cache per token", alone.cache_per_token))
    aside = ", ".join(f"{name} {shown(delta, 'change')}" for name, delta in others if delta)
    return Line((pair.key, *values, alone.parameters, aside or None))


def _value(value: object, *, is_given: bool) -> str:
    if value is None and not is_given:
        return "–"
    return literal(value, LONGEST_VALUE) if is_given else f"({literal(value, LONGEST_VALUE)})"


def _together(difference: Difference) -> Iterator[Note]:
    """What the columns of the keys mean, and what no key does by itself."""
    if any(not change.pair.before.is_given or not change.pair.after.is_given for change in difference.keys):
        yield Note("(…): not given, so the default of its model_type; –: no such key")
    alone = [change.alone.parameters for change in difference.keys if change.alone and not change.alone.refused]
    if not any(alone):
        return
    whole = next(figure.delta for figure in difference.figures if figure.name == "parameters") or 0
    rest = f"; the other {shown(whole - sum(alone), 'change')} they do together" if whole != sum(alone) else ""
    yield Note(f"alone: parameters more when {difference.before.name} takes that key and no other{rest}")


def _parts(difference: Difference) -> Iterator[Table | Note]:
    if not difference.is_one_family:
        yield _roles([role for role in difference.roles if role.delta or role.kinds_before != role.kinds_after])
    if not difference.rows:
        yield Note("no tensor changes")
    elif difference.shares_names:
        yield _tensors(difference)


def _roles(roles: Iterable[RoleFigure]) -> Table:
    columns = (Column("part", "part"), WAS, IS, CHANGE, Column("kind", "kind", aside=True))
    return Table(columns, tuple(map(_role, roles)))


def _role(role: RoleFigure) -> Line:
    name = WORDS.get(role.role, role.role.value)
    section = "" if role.section == "" else f"{role.section} "
    kinds = [", ".join(kinds) or "none" for kinds in (role.kinds_before, role.kinds_after)]
    kind = " → ".join(dict.fromkeys(kinds)) if kinds != ["none", "none"] else None
    outside = ", not in the total" if role.section == MTP else ""
    return Line((f"{section}{name}{outside}", role.before, role.after, role.delta, kind))


def _tensors(difference: Difference) -> Table:
    columns = (Column("tensor", "tensor"), Column("what", "what"), CHANGE, Column("shape", "shape", aside=True),
               Column("formula", "formula", aside=True))  # fmt: skip
    main = [row for row in difference.rows if row.section != MTP]
    ahead = [row for row in difference.rows if row.section == MTP]
    heading = [Line((f"{MTP}, not in the total", None, None, None, None), rank="heading")] if ahead else []
    lines = [*(_tensor(row, difference) for row in main)]
    total = Line(("total", None, sum(row.delta for row in main), None, None), rank="total")
    return Table(columns, (*lines, total, *heading, *(_tensor(row, difference) for row in ahead)))


def _tensor(row: RowChange, difference: Difference) -> Line:
    shapes = " → ".join(dict.fromkeys(_shape(side) for side in (row.before, row.after) if side))
    formulas = " → ".join(dict.fromkeys(side.formula for side in (row.before, row.after) if side))
    named = {key for side in (row.before, row.after) if side for key in atoms(side.row.tensor.size)}
    others = [key for key in difference.keys_behind(row) if key not in named]
    because = f"; by {', '.join(others)}" if others else ""
    return Line((row.some.pattern, row.kind.value, row.delta, shapes, f"{formulas}{because}"))


def _shape(side: Side) -> str:
    """`32 × [1024, 4096]`, and how it is stored where that is not as a parameter of its own."""
    times = f"{side.times:,} × " if side.times > 1 else ""
    storage = side.row.tensor.storage
    return f"{times}{list(side.shape)}{'' if storage.is_parameter else f' {storage.value}'}"


def _totals(figures: Iterable[Figure]) -> Table:
    told = (figure for figure in figures if figure.before is not None or figure.after is not None)
    lines = (Line((figure.name, figure.before, figure.after, figure.delta)) for figure in told)
    return Table((Column("total", "total"), WAS, IS, CHANGE), tuple(lines))


def _units(context: int | None) -> str:
    attention = "without attention's pairs" if context is None else f"at {context:,} tokens"
    return f"cache per token: elements in all layers, while every window is open; FLOPs per token: forward, {attention}"


def _readings(difference: Difference) -> Iterator[Note]:
    """By which rule a model was counted, where that is not plain."""
    for model in (difference.before, difference.after):
        if model.note:
            yield Note(f"{model.name}: {model.note}", is_warning=True)


def _cut(block: Table | Note, longest: int | None) -> Table | Note:
    if isinstance(block, Note) or longest is None or len(block.lines) <= longest:
        return block
    more = Line((f"and {len(block.lines) - longest:,} more", *(None,) * (len(block.columns) - 1)))
    return replace(block, lines=(*block.lines[:longest], more))
