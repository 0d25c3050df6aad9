"""Reads a model's config and states every tensor its published weights must hold."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .accounting import Totals
    from .config import Count, CountOrZero, DecoderConfig, ModelConfig, Schema, Size, SizeOrZero
    from .difference import Difference, diff
    from .errors import ArchcountError
    from .model import Model, load
    from .registry import architecture
    from .rows import NamedTensor, Row
    from .verification import Finding, Verdict, Verification, verify

__version__ = "0.1.0"

__all__ = [
    "ArchcountError",
    "Count",
    "CountOrZero",
    "DecoderConfig",
    "Difference",
    "Finding",
    "Model",
    "ModelConfig",
    "NamedTensor",
    "Row",
    "Schema",
    "Size",
    "SizeOrZero",
    "Totals",
    "Verdict",
    "Verification",
    "architecture",
    "diff",
    "load",
    "verify",
]

_HOME = {
    "ArchcountError": "errors",
    "Count": "config",
    "CountOrZero": "config",
    "DecoderConfig": "config",
    "Difference": "difference",
    "Finding": "verification",
    "Model": "model",
    "ModelConfig": "config",
    "NamedTensor": "rows",
    "Row": "rows",
    "Schema": "config",
    "Size": "config",
    "SizeOrZero": "config",
    "Totals": "accounting",
    "Verdict": "verification",
    "Verification": "verification",
    "architecture": "registry",
    "diff": "difference",
    "load": "model",
    "verify": "verification",
}


def __getattr__(name: str) -> object:
    """A public name, imported when first used: `archcount --help` must not wait for pydantic.

    No module may bear the name of a public function: the import system would put the module in its place.
    """
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
