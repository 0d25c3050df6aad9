"""What stands beside a weight in its module: a bias or other experts, which tell how it lies; a router's correction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..paths import Path
from ..rows import Row
from ..tree import Storage
from .experts import BIAS, DOWN, GATE_UP

CORRECTIONS = ("e_score_correction_bias", "bias_correction")


@dataclass(frozen=True, slots=True)
class Siblings:
    """The rows of a model by their paths, and the path of its last parameter."""

    rows: dict[Path, Row]
    last: Path

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Siblings:
        """The rows by their paths."""
        by_path = {row.path: row for row in rows}
        own = [path for path, row in by_path.items() if row.tensor.storage is Storage.OWN]
        return cls(by_path, own[-1] if own else ())

    def bias_of(self, row: Row) -> Row | None:
        """The bias of a weight: `bias` beside `weight`, `gate_up_proj_bias` beside `gate_up_proj`."""
        last = row.path[-1]
        return self.rows.get((*row.path[:-1], "bias" if last == "weight" else f"{last}{BIAS}"))

    def weight_of(self, row: Row) -> Row | None:
        """The packed experts that a row has the biases of: `gate_up_proj` for `gate_up_proj_bias`."""
        name = str(row.path[-1])
        is_bias = row.routed is not None and name in (GATE_UP + BIAS, DOWN + BIAS)
        return self.rows.get((*row.path[:-1], name.removesuffix(BIAS))) if is_bias else None

    def is_transposed(self, row: Row) -> bool:
        """Is a weight stored [inputs, outputs], as GPT-2's are? Its bias tells; of packed experts, the pair of them."""
        shape = row.tensor.shape
        if len(shape) == 3 and row.path[-1] in (DOWN, GATE_UP):
            pair = [self.rows.get((*row.path[:-1], name)) for name in (GATE_UP, DOWN)]
            if (up := pair[0]) and (down := pair[1]):
                return bool(up.tensor.shape[-1] == 2 * down.tensor.shape[-2])  # the two together always tell
        bias = self.bias_of(row)
        if bias is None or len(shape) < 2 or shape[-1] == shape[-2]:
            return False
        return bool(bias.tensor.shape[-1] == shape[-1])

    def is_projection(self, row: Row) -> bool:
        """Is a matrix one of GPT-2's, which are no Linear? Where one is square, the model's others tell."""
        shape = row.tensor.shape
        if self.bias_of(row) is None or shape[-1] != shape[-2]:
            return self.is_transposed(row)
        return any(len(other.tensor.shape) == 2 and self.is_transposed(other) for other in self.rows.values())

    def upright(self, row: Row) -> Row:
        """The row with its weight [outputs, inputs], whichever way the model stores it."""
        if not self.is_transposed(row):
            return row
        *leading, inputs, outputs = row.tensor.shape
        return row.shaped((*leading, outputs, inputs))

    def is_bare(self, row: Row) -> bool:
        """Is a router's matrix a bare parameter? In the code of models that correct its scores it is, and stays so."""
        return any((*row.path[:-1], name) in self.rows for name in CORRECTIONS)
