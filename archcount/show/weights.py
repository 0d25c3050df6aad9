"""What headers hold by their own account, module by module and type by type; no config is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .page import Column, Line, Note, Page, Table

if TYPE_CHECKING:
    from ..checkpoint.result import Checkpoint
    from ..verification.header_breakdown import HeaderPart

COLUMNS = (
    Column("module", "module"),
    Column("dtype", "type"),
    Column("tensors", "tensors", "count"),
    Column("elements", "elements", "count"),
    Column("bytes", "bytes", "count"),
)
IS_HEADERS = "by the headers' own account: no config was asked, packed weights count as they are stored"


def weights_page(checkpoint: Checkpoint, remarks: tuple[str, ...] = ()) -> Page:
    """The page of `archcount weights`; `remarks` are warnings that stand under it."""
    from ..verification.header_breakdown import header_breakdown

    parts = header_breakdown(checkpoint)
    blocks: list[Table | Note] = [Table(COLUMNS, (*map(_line, parts), _total(checkpoint)))]
    if len(types := _by_type(parts)) > 1:
        blocks.append(Table(COLUMNS[1:], tuple(types)))
    blocks += map(Note, [IS_HEADERS] if checkpoint.shards else _claims(checkpoint))
    blocks += (Note(notice.message, is_warning=True) for notice in checkpoint.notices)
    blocks += (Note(f"missing: {file}", is_warning=True) for file in checkpoint.missing)
    blocks += (Note(f"passed over: {passed.file} ({passed.reason})") for passed in checkpoint.passed_over)
    blocks += (Note(remark, is_warning=True) for remark in remarks)
    return Page(
        f"{checkpoint.source} ({checkpoint.kind.value})", tuple(blocks), lambda: _document(checkpoint, parts, remarks)
    )


def _line(part: HeaderPart) -> Line:
    return Line((part.module, part.dtype, part.tensors, part.elements, part.bytes))


def _total(checkpoint: Checkpoint) -> Line:
    tensors = len(checkpoint.entries or (checkpoint.index.weight_map if checkpoint.index else ()))
    return Line(("total", None, tensors, *_sums(checkpoint)), rank="total")


def _sums(checkpoint: Checkpoint) -> tuple[int | None, int | None]:
    """Elements and bytes of all tensors; None where only names are known."""
    return (checkpoint.elements, checkpoint.data_bytes) if checkpoint.shards else (None, None)


def _claims(checkpoint: Checkpoint) -> Iterator[str]:
    """What can be said where only names are known."""
    yield f"only names are known: {'none of the shards is there' if checkpoint.missing else 'a pickle is never opened'}"
    if checkpoint.index and checkpoint.index.total_size is not None:
        yield f"by the index's own account, which nothing here proves: {checkpoint.index.total_size:,} bytes in all"


def _by_type(parts: tuple[HeaderPart, ...]) -> list[Line]:
    tensors, elements, sizes = Counter[str](), Counter[str](), Counter[str]()
    for part in parts:
        tensors[part.dtype] += part.tensors
        elements[part.dtype] += part.elements or 0
        sizes[part.dtype] += part.bytes or 0
    return [Line((dtype, tensors[dtype], elements[dtype], sizes[dtype])) for dtype in tensors]


def _document(checkpoint: Checkpoint, parts: tuple[HeaderPart, ...], remarks: tuple[str, ...]) -> dict[str, object]:
    elements, size = _sums(checkpoint)
    return {
        "weights": checkpoint.source,
        "revision": checkpoint.revision,
        "files": checkpoint.kind.value,
        "elements": elements,
        "bytes": size,
        "modules": list(_records(parts)),
        "missing": list(checkpoint.missing),
        "passed_over": [{"file": passed.file, "reason": passed.reason} for passed in checkpoint.passed_over],
        "remarks": [*(notice.message for notice in checkpoint.notices), *remarks],
    }


def _records(parts: tuple[HeaderPart, ...]) -> Iterator[dict[str, object]]:
    for part in parts:
        yield {
            "module": part.module,
            "dtype": part.dtype,
            "tensors": part.tensors,
            "elements": part.elements,
            "bytes": part.bytes,
        }
