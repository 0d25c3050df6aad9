"""Whether a device holds a model, for how long a sequence and how many, and how fast it can be at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .page import Column, Line, Table

if TYPE_CHECKING:
    from ..costs.devices import Fit

COLUMNS = (Column("question", ""), Column("answer", "", "mixed"), Column("remark", "remark"))


def fit_table(fit: Fit) -> Table:
    """Yes or no; the largest batch and context; bounds on speed where it fits."""
    many = f"{fit.count} × " if fit.count > 1 else ""
    room = f"{fit.needed_bytes:,} of {fit.memory_bytes:,} bytes"
    lines = [
        Line((f"fits {many}{fit.device.title}?", "yes" if fit.fits else "no", room)),
        Line(("largest batch at this context", _or_any(fit.largest_batch), "sequences")),
        Line(("largest context at this batch", _or_any(fit.largest_context), "tokens, by memory alone")),
    ]
    if fit.fits:
        rate, wait = f"≤ {fit.decode_tokens_per_second:,.1f}", f"≥ {fit.first_token_seconds:,.4f}"
        lines.append(Line(("decoding", rate, "tokens a second in all, an upper bound")))
        lines.append(Line(("first token", wait, "seconds, a lower bound")))
    return Table(COLUMNS, tuple(lines), title=fit.device.source, with_header=False)


def _or_any(count: int | None) -> int | str:
    return "any" if count is None else count


def fit_document(fit: Fit) -> dict[str, object]:
    """The same as an object."""
    return {
        "name": fit.device.name,
        "title": fit.device.title,
        "source": fit.device.source,
        "count": fit.count,
        "memory_bytes": fit.memory_bytes,
        "needed_bytes": fit.needed_bytes,
        "fits": fit.fits,
        "largest_batch": fit.largest_batch,
        "largest_context": fit.largest_context,
        "decode_tokens_per_second_at_most": fit.decode_tokens_per_second,
        "first_token_seconds_at_least": fit.first_token_seconds,
    }
