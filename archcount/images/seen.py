"""A picture of so many pixels, and what a family's own rule makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError

Setting = int | float
Settings = Mapping[str, Setting]
LARGEST_SIDE = 2**20


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels, and the image processor's settings that config.json does not hold; `read` are those asked for."""

    height: int
    width: int
    settings: Settings = field(default_factory=dict)
    read: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Raises UsageError: no picture has such sides."""
        for side in (self.height, self.width):
            if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= LARGEST_SIDE:
                raise UsageError(f"an image of {self.width} × {self.height}: sides should be whole numbers, 1 or more")

    def count(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self.number(name))

    def number(self, name: str) -> Setting:
        """A setting that is a number."""
        self.read.add(name)
        return self.settings[name]

    def does(self, name: str) -> bool:
        """A setting that is yes or no."""
        return bool(self.number(name))


@dataclass(frozen=True, slots=True)
class View:
    """Patches that see one another: `count` times a grid, and in each so many `extra` positions, such as a class token.

    `window` is the side, in patches, of the squares that layers with a window keep to; 0 where there are none.
    """

    rows: int
    columns: int
    count: int = 1
    extra: int = 0
    window: int = 0

    @property
    def patches(self) -> int:
        """Of all the grids."""
        return self.count * self.rows * self.columns

    @property
    def positions(self) -> int:
        """What the tower's layers work on: patches and the extra ones, of all the grids."""
        return self.patches + self.count * self.extra

    @property
    def pairs(self) -> int:
        """Positions times the positions each sees: all of its grid."""
        each = self.rows * self.columns + self.extra
        return self.count * each * each

    @property
    def pairs_in_windows(self) -> int:
        """The same where a patch sees its square alone; squares at the edge are smaller."""
        return self.count * _squared(self.rows, self.window) * _squared(self.columns, self.window)


def _squared(side: int, window: int) -> int:
    whole, rest = divmod(side, window)
    return whole * window * window + rest * rest


@dataclass(frozen=True, slots=True)
class Seen:
    """One image: `tokens` that carry what the tower saw, and `marks` that the processor writes around and between them.

    `projected` says how many times the matrices below a module of that name are multiplied. `views` is None where how
    often each matrix of the tower is used is not marked. `source` is what a cross-attention sees instead of tokens.
    """

    tokens: int
    views: tuple[View, ...] | None
    marks: int = 0
    projected: Mapping[str, int] = field(default_factory=dict)
    source: int = 0

    @property
    def patches(self) -> int | None:
        """All that the tower cuts, None where that is not marked."""
        return None if self.views is None else sum(view.patches for view in self.views)


@dataclass(frozen=True, slots=True)
class ImageRule:
    """How a family cuts an image: a function of its config and a picture.

    `assumed` are the settings that preprocessor_config.json decides, as the class `processor` has them. `spelled` maps
    a spelling of that file, dots for nested keys, to the setting's name here.
    """

    see: Callable[[Any, Picture], Seen]
    processor: str = ""
    assumed: Settings = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)

    def of_file(self, content: Mapping[str, object]) -> dict[str, Setting]:
        """What a preprocessor_config.json says of the settings; the rest of it does not change how an image is cut.

        Raises UsageError: a value of the wrong type.
        """
        flat = dict(_flat(content))
        under = {self.spelled.get(key, key): value for key, value in flat.items() if key in self.spelled}
        named = {key: value for key, value in flat.items() if key in self.assumed}
        return self.checked({**under, **named})

    def checked(self, given: Mapping[str, object]) -> dict[str, Setting]:
        """The settings by their own names.

        Raises UsageError: one that the family does not have, or of the wrong type.
        """
        found: dict[str, Setting] = {}
        for key, value in given.items():
            name = self.spelled.get(key, key)
            if name not in self.assumed:
                known = ", ".join(self.assumed) or "none: the config decides all"
                raise UsageError(f"--processor {key}: no such setting here; there are: {known}")
            found[name] = _typed(name, value, self.assumed[name])
        return found


def _typed(name: str, value: object, like: Setting) -> Setting:
    if isinstance(like, bool):
        fits, word = isinstance(value, bool), "true or false"
    elif isinstance(like, float):
        fits, word = not isinstance(value, bool), "a number, 0 or more"
    else:
        fits, word = isinstance(value, int) and not isinstance(value, bool), "a whole number, 0 or more"
    if not fits or not isinstance(value, int | float) or value < 0:
        raise UsageError(f"--processor {name}={value}: should be {word}")
    return value


def _flat(content: Mapping[str, object], parent: str = "") -> Iterator[tuple[str, object]]:
    """Nested keys with dots; null is as good as missing."""
    for key, value in content.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{parent}{key}.")
        elif value is not None:
            yield f"{parent}{key}", value


@dataclass(frozen=True, slots=True)
class Images:
    """So many images of one size in a sequence; `assumed` are the settings that decided something and nobody gave."""

    height: int
    width: int
    count: int
    each: Seen
    processor: str
    assumed: Settings

    @property
    def tokens(self) -> int:
        """Tokens of the context that they take, marks included."""
        return self.count * (self.each.tokens + self.each.marks)

    @property
    def source(self) -> int:
        """Positions that a cross-attention keeps keys and values of."""
        return self.count * self.each.source
