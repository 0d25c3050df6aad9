"""What a model takes in memory, part by part; over many contexts; and whether a device holds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..costs.caches import CacheLine, Policy
from ..dim import arithmetic, formula
from ..marks import MTP
from .document import identity
from .fit import fit_document, fit_table
from .images import image_document, image_notes
from .page import Column, Line, Note, Page, Table
from .text import records
from .units import both
from .words import title

if TYPE_CHECKING:
    from ..costs.devices import Fit
    from ..costs.memory import Memory
    from ..model import Model

COLUMNS = (Column("part", "part"), Column("layers", "layers", "count"), Column("bytes", "bytes", "count"),
           Column("size", "size"), Column("arithmetic", "arithmetic", aside=True))  # fmt: skip
STORED = "as the files store them"
CONTEXTS = tuple(1 << power for power in range(12, 21))  # 4K … 1M
OVER = (Column("context", "context", "count"), Column("minimum_bytes", "cache, minimum", "count"),
        Column("unified_bytes", "unified", "count"), Column("total_bytes", "with weights", "count"),
        Column("size", "size"))  # fmt: skip
FIGURES = ("context", "batch", "source", "cache_dtype", "expanded", "weights_bytes", "cache_bytes", "state_bytes",
           "total_bytes", "cache_bytes_per_token")  # fmt: skip
OUTSIDE = "a runtime's own buffers, activations and fragmentation come on top"


def memory_page(
    model: Model,
    memory: Memory,
    unified: Memory,
    fit: Fit | None = None,
    *,
    contexts: bool = False,
    explain: bool = False,
) -> Page:
    """Weights, caches and states; `unified` is the same where every layer keeps the full length."""
    tables = [Table(COLUMNS, tuple(_lines(memory)))]
    if contexts:
        tables.append(over_contexts(memory, unified))
    if fit is not None:
        tables.append(fit_table(fit))
    notes = [*beyond(model, memory.context), *_notes(memory, unified), *(_explained(memory) if explain else ())]
    return Page(
        f"{title(model)}, {_asked(memory)}", (*tables, *notes), lambda: document(model, memory, unified, fit, contexts)
    )


def beyond(model: Model, context: int) -> Iterator[Note]:
    """A warning where a sequence is longer than the config's own longest."""
    if model.context is not None and context > model.context:
        yield Note(f"longer than the config's longest sequence, {model.context:,} tokens", is_warning=True)


def _asked(memory: Memory) -> str:
    return f"{memory.context:,} tokens × {memory.batch:,}"


def _lines(memory: Memory) -> Iterator[Line]:
    total = memory.weights_bytes
    yield Line(("weights", None, total, both(total), f"at {memory.dtype}" if memory.dtype else STORED), rank="group")
    for line in memory.weights:
        why = f"{line.elements:,} elements{'' if line.is_loaded else ': looks ahead, not in the sums'}"
        yield Line((line.section, None, line.bytes, both(line.bytes), why), depth=1)
    for label, count, lines in (
        ("cache", memory.cache_bytes, memory.caches),
        ("state", memory.state_bytes, memory.states),
    ):
        if lines:
            yield Line((label, None, count, both(count), ""), rank="group")
        for each in lines:
            found = each.bytes(memory.context, memory.batch, memory.source)
            yield Line((each.cache.label, each.layers, found, both(found), _sum(each, memory)), depth=1)
    yield Line(("total", None, memory.total_bytes, both(memory.total_bytes), ""), rank="total")


def _sum(line: CacheLine, memory: Memory) -> str:
    """`32 layers × 2,048 × 131,072 tokens × 16 bits`."""
    return f"{line.layers:,} layers × {_kept(line, memory)} × {memory.batch:,} × {line.bits} bits"


def _kept(line: CacheLine, memory: Memory) -> str:
    cache, terms = line.cache, []
    if cache.per_token:
        rows = memory.context // cache.every
        kept = rows if cache.window is None else min(rows, cache.window)
        terms.append(f"{cache.per_token:,} × {kept:,} {'tokens' if cache.every == 1 else 'pooled rows'}")
    if cache.per_source:
        terms.append(f"{cache.per_source:,} × {memory.source:,} of the source")
    if cache.fixed or not terms:
        terms.append(f"{cache.fixed:,}")
    return terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"


def _explained(memory: Memory) -> Iterator[Note]:
    """The formula of each kind, in the config's words and in numbers."""
    for line in memory.lines:
        cache = line.cache
        sizes = (
            ("for a token", cache.per_token),
            ("for a source token", cache.per_source),
            ("whatever the length", cache.fixed),
        )
        for words, size in sizes:
            if size:
                numbers = f"{formula(size)} = {arithmetic(size)} = {int(size):,} elements"
                yield Note(f"{cache.label}, {words} and layer: {numbers}")
        if cache.window is not None:
            yield Note(f"{cache.label}: at most {formula(cache.window)} = {int(cache.window):,} rows are kept")


def _notes(memory: Memory, unified: Memory) -> Iterator[Note]:
    if memory.images:
        yield from image_notes(memory.images, memory.context)
    if not memory.lines:
        yield Note("no layer keeps anything of a sequence")
    if memory.caches:
        token = f"a token adds {memory.cache_bytes_per_token:,} bytes while every window is open"
        yield Note(f"cache: at {memory.cache_dtype}; {token}")
    least, most = memory.cache_bytes, unified.cache_bytes
    if memory.policy is Policy.MINIMUM and most > least:
        full = f"{most:,} bytes ({both(most)}), {most / least:.1f} times as many"
        yield Note(f"policy minimum: what the architecture needs; unified, every layer at full length: {full}")
    if memory.policy is Policy.UNIFIED:
        yield Note("policy unified: every layer at full length, windows or not")
    if memory.expanded:
        yield Note("expanded: keys and values kept where one latent row would do")
    if any(line.section == MTP for line in memory.weights):
        yield Note("multi-token prediction: its weights and caches are not in the sums")
    yield Note(OUTSIDE)


def over_contexts(memory: Memory, unified: Memory) -> Table:
    """Caches by both policies at 4K … 1M tokens, and weights, caches and states together."""
    lines = []
    for context in CONTEXTS:
        least = memory.at(context, memory.batch)
        most = unified.at(context, memory.batch).cache_bytes
        lines.append(Line((context, least.cache_bytes, most, least.total_bytes, both(least.total_bytes))))
    return Table(OVER, tuple(lines))


def document(model: Model, memory: Memory, unified: Memory, fit: Fit | None, contexts: bool) -> dict[str, object]:
    """Every figure of the page, in bytes and elements."""
    found: dict[str, object] = {
        **identity(model),
        **{name: getattr(memory, name) for name in FIGURES},
        "weights_dtype": memory.dtype,
        "policy": memory.policy.value,
        "unified_cache_bytes": unified.cache_bytes,
        "images": image_document(memory.images),
        "sections": [asdict(line) for line in memory.weights],
        "caches": [_line(line, memory) for line in memory.caches],
        "states": [_line(line, memory) for line in memory.states],
    }
    if contexts:
        found["contexts"] = records(over_contexts(memory, unified).without("size"))
    return {**found, "device": fit_document(fit)} if fit is not None else found


def _line(line: CacheLine, memory: Memory) -> dict[str, object]:
    cache = line.cache
    return {
        "section": line.section, "kind": cache.label, "layers": line.layers, "bits": line.bits,
        "per_token": cache.per_token, "formula": formula(cache.per_token or cache.per_source or cache.fixed),
        "window": cache.window, "per_source": cache.per_source, "fixed": cache.fixed, "every": cache.every,
        "elements": line.elements(memory.context, memory.source),
        "bytes": line.bytes(memory.context, memory.batch, memory.source),
    }  # fmt: skip
