"""What the files must hold by the config: every tensor that is stored, and every name that is tied to one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..marks import MTP
from ..paths import layer_numbers, layer_of, words
from ..quantization import Stored
from ..rows import Row
from ..tree import Storage

if TYPE_CHECKING:
    from ..model import Model
    from ..registry import Architecture


@dataclass(frozen=True, slots=True)
class Prediction:
    """`stored` as the config's format packs it; `tied` maps a name that need not be there to the row it repeats.

    `dtype` is the config's own, None where it names none; `declared` its count of parameters; `family` has the other
    spellings of its names, None where the files' format has its own; `bases` are the first parts of the names of its
    layers (`model`, `transformer`).
    """

    stored: tuple[Stored, ...]
    tied: Mapping[str, Row]
    dtype: str | None
    declared: int
    family: Architecture | None
    bases: tuple[str, ...]

    def twins(self, name: str) -> Iterator[str]:
        """The names tied to `name`: any of them may stand in the file in its place."""
        return (twin for twin, row in self.tied.items() if row.tensor.same_as == name)

    def layers(self) -> dict[str, int]:
        """How many layers the config declares, multi-token prediction left out, by the name before their number."""
        counts: dict[str, int] = {}
        for each in self.stored:
            if each.row.section != MTP and (numbers := layer_numbers(each.path)):
                name = ".".join(words(layer_of(each.path)))
                counts[name] = max(counts.get(name, 0), *(int(number) + 1 for number in numbers))
        return counts


def predict(model: Model) -> Prediction:
    """The prediction for a model.

    Raises ConfigValueError: a quantized format that archcount has no layout for.
    """
    tied = {name: row for row in model.rows if row.tensor.storage is Storage.TIED for name in row.names()}
    bases = dict.fromkeys(row.path[0] for row in model.rows if len(layer_of(row.path)) > 1)
    return Prediction(
        stored=tuple(model.stored),
        tied=tied,
        dtype=model.dtype,
        declared=model.totals.parameters,
        family=model.architecture,
        bases=tuple(base for base in bases if isinstance(base, str)),
    )
