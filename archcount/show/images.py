"""The images of a prompt: what they become, and what of their processor was assumed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .page import Note

if TYPE_CHECKING:
    from ..images.seen import Images, Setting


def image_notes(images: Images, context: int) -> Iterator[Note]:
    """Tokens and patches of each, how many tokens of the context are theirs, and the settings nobody gave."""
    each = images.each
    marks = f" and {_many(each.marks, 'mark')}" if each.marks else ""
    size = f"{images.count:,} of {images.width:,} × {images.height:,} pixels"
    made = f"{_many(each.tokens, 'token')}{marks} each"
    yield Note(f"images: {size}, {made}{_views(images)}; {images.tokens:,} of the {context:,} tokens are theirs")
    if each.source:
        yield Note(f"images: {each.source:,} positions of each are attended to, so {images.source:,} are the source")
    if images.assumed:
        found = ", ".join(f"{name} {_value(value)}" for name, value in images.assumed.items())
        mend = "the model's preprocessor_config.json decides, give it with --processor"
        yield Note(f"assumed: {found}, as {images.processor} has it; {mend}", is_warning=True)


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _value(value: Setting) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:,}"


def _views(images: Images) -> str:
    views = images.each.views
    if not views:
        return ""
    shown = " and ".join(
        f"{view.count:,} × " * (view.count > 1) + f"{view.rows:,} × {view.columns:,}" for view in views
    )
    return f" from {shown} patches"


def image_document(images: Images | None) -> dict[str, object] | None:
    """Every figure of them; None where there are none."""
    if images is None:
        return None
    each = images.each
    views = [
        {"count": view.count, "rows": view.rows, "columns": view.columns, "extra": view.extra}
        for view in each.views or ()
    ]
    return {
        "height": images.height,
        "width": images.width,
        "count": images.count,
        "tokens": images.tokens,
        "tokens_each": each.tokens,
        "marks_each": each.marks,
        "patches_each": each.patches,
        "source_each": each.source,
        "views": views,
        "processor": images.processor or None,
        "assumed": dict(images.assumed),
    }
