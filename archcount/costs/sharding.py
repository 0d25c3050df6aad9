"""What one device holds of a tensor when many train together: tensor, pipeline and expert parallel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..errors import UnknownCostError, UsageError
from ..paths import Path, layer_of, times
from ..rows import Part, Row
from ..tree import Role, Storage, Use
from .per import TEXT

SPLIT = frozenset({Use.MATMUL, Use.CONVOLUTION, Use.LOOKUP})


@dataclass(frozen=True, slots=True)
class Degrees:
    """How many ways the work is split. The experts' devices are taken from the data-parallel ones."""

    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    expert: int = 1
    zero: int = 0

    @property
    def devices(self) -> int:
        """All of them: tensor × pipeline × data."""
        return self.tensor * self.pipeline * self.data


@dataclass(frozen=True, slots=True)
class Share:
    """`elements` of a row on one device of a stage, `tensors` of them; `part` of each tensor."""

    row: Row
    elements: int
    tensors: Fraction
    copies: int  # data-parallel devices among which it may be sharded

    @property
    def part(self) -> Fraction:
        """How much of the tensors of one stage a device holds."""
        return Fraction(self.elements, self.row.tensor.elements) if self.row.tensor.elements else Fraction(0)


def check(degrees: Degrees, parts: Iterable[Part]) -> None:
    """Refuse degrees that do not go together, or with this model.

    Raises UsageError.
    """
    for name in ("data", "tensor", "pipeline", "expert"):
        if getattr(degrees, name) < 1:
            raise UsageError(f"{name}={getattr(degrees, name)}: should be 1 or more")
    if degrees.zero not in range(4):
        raise UsageError(f"zero={degrees.zero}: should be 0, 1, 2 or 3")
    if degrees.data % degrees.expert:
        raise UsageError(f"expert={degrees.expert}: should divide data={degrees.data}, whose devices share the experts")
    for part in parts:
        if part.attends is not None and part.section in TEXT and int(part.attends.heads) % degrees.tensor:
            raise UsageError(f"tensor={degrees.tensor}: does not divide {part.attends.heads} heads of {part.kind}")


def stages(rows: Iterable[Row], degrees: Degrees) -> list[list[Share]]:
    """The shares of one device in each pipeline stage: tables in the first, layers in order, norm and head in the last.

    A head tied to a table is a second copy of it where the two are on different stages.

    Raises UnknownCostError: more stacks of layers than one, split into stages. UsageError: a stage without a layer.
    """
    rows = list(rows)
    found: list[list[Share]] = [[] for _ in range(degrees.pipeline)]
    layers = _layers(rows) if degrees.pipeline > 1 else 1
    if layers < degrees.pipeline:
        raise UsageError(f"pipeline={degrees.pipeline}: more stages than there are layers, {layers:,}")
    for row in rows:
        for stage, count in _placed(row, layers, degrees.pipeline):
            if count:
                found[stage].append(_share(row, count, degrees))
    return found


def _layers(rows: Iterable[Row]) -> int:
    """How many layers there are to split."""
    stacks: dict[Path, int] = {}
    for row in rows:
        block = layer_of(row.path)
        if block:
            stacks[block[:-1]] = max(stacks.get(block[:-1], 0), max(map(int, block[-1])) + 1)
    if len(stacks) != 1:
        raise UnknownCostError(f"pipeline: {len(stacks)} stacks of layers, and no rule which stage holds which")
    return next(iter(stacks.values()))


def _placed(row: Row, layers: int, pipeline: int) -> Iterator[tuple[int, int]]:
    """Pairs of a stage and how many of the row's tensors it holds."""
    if row.tensor.storage is not Storage.OWN:
        is_second = row.tensor.storage is Storage.TIED and row.tensor.use is Use.MATMUL and not layer_of(row.path)
        if is_second and pipeline > 1:
            yield pipeline - 1, row.times
        return
    block = layer_of(row.path)
    if pipeline == 1 or not block:
        yield 0 if row.tensor.use is Use.LOOKUP else pipeline - 1, row.times
        return
    each = times(row.path[len(block) :])
    for stage in range(pipeline):
        yield stage, each * sum(index * pipeline // layers == stage for index in map(int, block[-1]))


def _share(row: Row, tensors: int, degrees: Degrees) -> Share:
    part, copies, count = Fraction(1), degrees.data, Fraction(tensors)
    if row.routed is not None:
        per_device = -(-row.routed.total // degrees.expert)
        count *= Fraction(per_device, row.routed.total)
        copies //= degrees.expert
    if row.tensor.use in SPLIT and row.role is not Role.ROUTER:
        part = _tensor_part(row, degrees.tensor)
    elements = -(-part.numerator * row.tensor.elements // part.denominator)
    return Share(row, elements, count, copies)


def _tensor_part(row: Row, degree: int) -> Fraction:
    """1/degree; keys and values are held again where there are fewer heads of them than devices."""
    if row.grouped is None or row.grouped.heads % degree == 0:
        return Fraction(1, degree)
    heads, outputs = int(row.grouped.heads), int(row.tensor.shape[0])
    kept = Fraction(min(int(row.grouped.rows), outputs), outputs)
    return (1 - kept) / degree + kept * Fraction(-(-heads // degree), heads)
