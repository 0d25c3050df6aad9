"""The images of a prompt: a family's rule asked of a picture, with the settings that are given and those assumed."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import UnknownCostError, UsageError
from .seen import ImageRule, Images, Picture

LARGEST_COUNT = 2**20


def images_of(
    rule: ImageRule | None, config: object, size: tuple[int, int], count: int, *, given: Mapping[str, object], name: str
) -> Images:
    """`count` images of `size`, height and width, as the model called `name` sees them.

    Raises UnknownCostError: a family whose rule is not known. UsageError: a size, count or setting that cannot be.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= LARGEST_COUNT:
        raise UsageError(f"--images {count!r}: should be a whole number, 1 or more")
    if rule is None:
        mend = "give their tokens as part of --context"
        raise UnknownCostError(f"{name}: how its processor cuts an image is not known, so nothing is counted: {mend}")
    checked = rule.checked(given)
    picture = Picture(*size, {**rule.assumed, **checked})
    try:
        each = rule.see(config, picture)
    except UnknownCostError as error:
        raise UnknownCostError(f"{name}: {error}") from error
    assumed = {key: value for key, value in rule.assumed.items() if key in picture.read and key not in checked}
    return Images(picture.height, picture.width, count, each, rule.processor, assumed)
