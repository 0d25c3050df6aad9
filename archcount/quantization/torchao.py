"""torchao's tensors as transformers 5 saves them: the parts of each under names of their own, by the row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import ConfigValueError
from ..rows import Row
from .entry import Config
from .integers import matrix
from .linears import Writer, linears
from .method import Method, one
from .selection import as_transformers
from .stored import Stored, beside, packed

BY_ROW = {
    "Float8DynamicActivationFloat8WeightConfig": "F8_E4M3",
    "Float8WeightOnlyConfig": "F8_E4M3",
    "Int8DynamicActivationInt8WeightConfig": "I8",
    "Int8WeightOnlyConfig": "I8",
}
VERSION = 2  # of torchao's configs, whose tensors can be saved as safetensors
ROW = {"_type": "PerRow", "_data": {"dim": -1}}


def torchao(entry: Config) -> Method:
    """The method, where a weight has one scale a row: the layout of anything else stands in no config.

    Raises ConfigValueError: another config of torchao's, or an older transformers, which saved pickles.
    """
    kinds = entry["quant_type"]
    if isinstance(kinds, str):  # "int8_weight_only", as it was before torchao's own configs
        kinds = {kinds: None}
    kind = kinds.get("default") or {}
    name = str(kind.get("_type") or "/".join(kinds))
    if name not in BY_ROW or kind.get("_version") != VERSION or not _is_by_row(kind.get("_data") or {}):
        known = ", ".join(BY_ROW)
        raise ConfigValueError(f"torchao's {name!r} has no layout here: archcount knows {known}, version 2, by row")
    if Writer.of(entry).version < 5 or entry.get("include_input_output_embeddings"):
        raise ConfigValueError("torchao: no layout here for what transformers before 5 saved, nor for quantized tables")
    listed = entry.get("modules_to_not_convert")

    def layout(row: Row) -> Iterator[Stored]:
        return _by_row(row, BY_ROW[name])

    return one(layout, as_transformers(listed), is_taken=linears(entry, listed))


def _is_by_row(data: Mapping[str, object]) -> bool:
    granularity = data.get("granularity")
    wanted = isinstance(granularity, Mapping) and {key: granularity.get(key) for key in ROW} == ROW
    return wanted and data.get("group_size") is None


def _by_row(row: Row, dtype: str) -> Iterator[Stored]:
    """`_weight_qdata` as the matrix lies, `_weight_scale` [outputs, 1]; whole numbers have zero points too."""
    outputs, _ = matrix(row)
    yield packed(row, "_weight_qdata", row.tensor.shape, dtype)
    yield beside(row, "_weight_scale", (outputs, 1), "F32")
    if dtype == "I8":
        yield beside(row, "_weight_zero_point", (outputs, 1), "I8")
