"""A model as a reader takes it in: sections, blocks of equal layers, the parts of one layer, their tensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar

from ..marks import MAIN, MTP
from ..paths import Path, layer_of, pattern, spans
from ..rows import Part, Row
from ..tree import Role

if TYPE_CHECKING:
    from ..model import Model

WORDS = {
    Role.EMBEDDING: "embedding", Role.ATTENTION: "attention", Role.SSM: "state space", Role.MLP: "MLP",
    Role.ROUTER: "router", Role.EXPERTS: "experts", Role.NORM: "norm", Role.HEAD: "head",
}  # fmt: skip
TOWERS = frozenset({"vision", "audio"})
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Entry:
    """A part of a model: `each` parameters, `times` over. A matrix has its `rows`; any other has entries within."""

    label: str
    name: str  # the module or tensor in the checkpoint, as a pattern
    each: int
    times: int
    kind: str = ""
    rows: tuple[Row, ...] = ()  # its weight, or its weight and its bias
    within: tuple[Entry, ...] = ()

    @property
    def parameters(self) -> int:
        """All of them together."""
        return self.each * self.times

    @property
    def size(self) -> int:
        """`each` with its formula, where it is a matrix."""
        return sum((row.tensor.size for row in self.rows if row.tensor.storage.is_parameter), start=0)

    @property
    def leaves(self) -> tuple[Entry, ...]:
        """The matrices in it; itself, where it is one."""
        return tuple(leaf for entry in self.within for leaf in entry.leaves) if self.within else (self,)

    @property
    def is_all_elsewhere(self) -> bool:
        """True where all of it is tied, or all of it a copy, or all of it no parameters: a line says so for all."""
        storages = {row.tensor.storage for leaf in self.leaves for row in leaf.rows}
        return len(storages) == 1 and not storages.pop().is_parameter

    @property
    def title(self) -> str:
        """The label with the kind: `attention GQA 32/8`, `GELU MLP`."""
        return self.kind if self.kind.endswith(f" {self.label}") else f"{self.label} {self.kind}".strip()


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the model that is counted apart; the main one has no name, and is the language model of one that sees
    or hears.
    """

    name: str
    title: str
    entries: tuple[Entry, ...]

    @property
    def parameters(self) -> int:
        """All of its entries together."""
        return sum(entry.parameters for entry in self.entries)

    @property
    def is_counted(self) -> bool:
        """False for multi-token prediction, which stands beside the total."""
        return self.name != MTP


def outline(model: Model) -> tuple[Section, ...]:
    """The sections of a model, the main one first and multi-token prediction last."""
    by_section = _grouped((row.section, row) for row in model.rows)
    names = sorted(by_section, key=lambda name: (name != "", name == MTP))
    main = "language" if TOWERS & set(names) else MAIN
    return tuple(Section(name, name or main, tuple(_entries(by_section[name], model.parts))) for name in names)


def _grouped(pairs: Iterable[tuple[Key, Row]]) -> dict[Key, list[Row]]:
    groups: dict[Key, list[Row]] = {}
    for key, row in pairs:
        groups.setdefault(key, []).append(row)
    return groups


def _entries(rows: Sequence[Row], parts: Sequence[Part]) -> list[Entry]:
    """One entry for each block of equal layers, and for each module that stands outside of them."""
    blocks = _grouped((_block_of(row.path), row) for row in rows)
    shared = _common([path[:-2] for path in blocks if not isinstance(path[-1], str)])
    entries, after_layers = [], False
    for path, members in blocks.items():
        indices = path[-1]
        if isinstance(indices, str):
            entry = _group(members, _home(path, members, blocks, parts), parts)
            is_final = after_layers and entry.label == "norm"
            entries.append(replace(entry, label="final norm") if is_final else entry)
        else:
            entries.append(_block(path, indices, members, parts, len(shared)))
            after_layers = True
    return _told_apart(entries, pattern(shared))


def _home(path: Path, rows: Sequence[Row], blocks: Iterable[Path], parts: Sequence[Part]) -> Path:
    """The module above `path`, where it bears a kind and holds nothing but that one matrix; else none."""
    above = path[:-1]
    is_named = any(part.path == above and part.kind for part in parts) and len(_matrices(rows)) == 1
    return above if is_named and [other for other in blocks if _is_under(other, above)] == [path] else ()


def _block_of(path: Path) -> Path:
    """The path up to its first numbered step; that of the module where there is none, of the tensor without one."""
    return layer_of(path) or path[:-1] or path


def _block(path: Path, indices: Sequence[int], rows: Sequence[Row], parts: Sequence[Part], shared: int) -> Entry:
    """Equal layers: the parts of one of them, in the order of the rule, norms last."""
    label, depth = f"{pattern(path[shared:-1])} {spans(indices)}", len(path)
    if len(_matrices(rows)) == 1:
        return _leaf(rows, 0, "", label)
    kind = next((part.kind for part in parts if part.path == path and part.kind), "")
    groups = _grouped((_part_of(row, depth, parts), row) for row in rows)
    in_order = sorted(groups.items(), key=lambda item: item[1][0].role is Role.NORM)
    within = (_group(members, where, parts, depth) for (_, where), members in in_order)
    return _sum(label, path, within, kind, len(indices))


def _part_of(row: Row, depth: int, parts: Sequence[Part]) -> tuple[Role, Path]:
    """What a tensor of a layer belongs to: the outermost part of its role that bears a kind; norms go together."""
    if row.role is Role.NORM:
        return row.role, ()
    over = (part.path for part in parts if part.role is row.role and part.kind and _is_under(row.path, part.path))
    return row.role, next((path for path in over if len(path) > depth), ())


def _group(rows: Sequence[Row], where: Path, parts: Sequence[Part], depth: int = 0) -> Entry:
    """The tensors of one part; a lone one stands for the part."""
    kind, label = _kind(rows, where, parts), WORDS.get(rows[0].role, "")
    matrices = _matrices(rows)
    if len(matrices) == 1:
        return _leaf(rows, depth, kind, label)
    stem = _common([row.path[:-1] for row in rows])
    inside = _inside(where) if where else max(depth, len(stem) - 1)
    name = str(where[-1]) if len(where) > depth + 1 and isinstance(where[-1], str) else ""
    label = "norms" if label == "norm" else f"{label or _named(stem, depth)} {name}".rstrip()
    times = len(rows[0].path[depth - 1]) if depth else 1
    return _sum(label, where or stem, (_leaf(matrix, inside, "") for matrix in matrices), kind, times)


def _named(stem: Path, depth: int) -> str:
    """What rows without a role's word have in common below the layer: `altup`; `other` where it is nothing."""
    return _relative(stem, depth) if len(stem) > depth else "other"


def _inside(where: Path) -> int:
    """How many steps of its tensors' names a part's own label stands for: experts keep their numbers."""
    return len(where) if isinstance(where[-1], str) else len(where) - 2


def _matrices(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows, a weight together with its bias."""
    return list(_grouped((_matrix_of(row), row) for row in rows).values())


def _matrix_of(row: Row) -> tuple[Path, object]:
    return (row.path[:-1], row.tensor.storage) if row.path[-1] in ("weight", "bias") else (row.path, None)


def _leaf(rows: Sequence[Row], inside: int, kind: str, label: str = "") -> Entry:
    each = sum(row.tensor.elements for row in rows if row.tensor.storage.is_parameter)
    row = rows[0]
    return Entry(label or _relative(row.path, inside), row.pattern, each, row.times, kind, tuple(rows))


def _sum(label: str, where: Path, within: Iterable[Entry], kind: str, times: int) -> Entry:
    within = tuple(within)
    return Entry(label, pattern(where), sum(entry.parameters for entry in within) // times, times, kind, (), within)


def _kind(rows: Sequence[Row], where: Path, parts: Sequence[Part]) -> str:
    """`GQA 32/8`, `GQA 8/4, window 4,096`, `256 × SwiGLU, top 8`, `RMSNorm`."""
    homes = {where} if where else {row.path[:-1] for row in rows}
    marked = [part for part in parts if part.path in homes and part.kind]
    kind = ", ".join(dict.fromkeys(part.kind for part in marked if part.kind))
    if routed := rows[0].routed:
        return f"{routed.total:,} × {kind}, top {routed.active}" if kind else f"{routed.total:,}, top {routed.active}"
    windows = dict.fromkeys(part.attends.window for part in marked if part.attends and part.attends.window)
    return ", ".join([kind, *(f"window {window:,}" for window in windows)])


def _told_apart(entries: Sequence[Entry], above: str) -> list[Entry]:
    """The entries, those that would read alike with their names, from below `above` on where they stand there."""
    seen = Counter(entry.title for entry in entries)
    return [entry if seen[entry.title] == 1 else _with_name(entry, above) for entry in entries]


def _with_name(entry: Entry, above: str) -> Entry:
    name = entry.name.removeprefix(f"{above}.").removesuffix(".weight")
    return replace(entry, label=entry.label if name == entry.label else f"{entry.label} {name}")


def _is_under(path: Path, above: Path) -> bool:
    return path[: len(above)] == above


def _common(paths: Sequence[Path]) -> Path:
    """The steps that all paths begin with."""
    first = min(paths, key=len, default=())
    agreed = takewhile(lambda i: all(path[i] == first[i] for path in paths), range(len(first)))
    return first[: len(list(agreed))]


def _relative(path: Path, inside: int) -> str:
    """A name from step `inside` on, without the `weight` at its end."""
    steps = path[min(inside, len(path) - 1) :]
    return pattern(steps[:-1] if len(steps) > 1 and steps[-1] == "weight" else steps)
