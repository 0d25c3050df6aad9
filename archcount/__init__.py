"""Reads a model's config and states every tensor its published weights must hold."""

from .accounting import Totals
from .config import Count, CountOrZero, DecoderConfig, ModelConfig, Schema, Size, SizeOrZero
from .errors import ArchcountError
from .model import Model, load
from .registry import architecture
from .rows import NamedTensor, Row

__version__ = "0.1.0"

__all__ = [
    "ArchcountError",
    "Count",
    "CountOrZero",
    "DecoderConfig",
    "Model",
    "ModelConfig",
    "NamedTensor",
    "Row",
    "Schema",
    "Size",
    "SizeOrZero",
    "Totals",
    "architecture",
    "load",
]
