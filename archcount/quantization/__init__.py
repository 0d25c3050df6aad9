"""What a quantized file holds for a model's rows: packed weights, scales, zero points."""

from .methods import quantization_of, stored
from .stored import Stored

__all__ = ["Stored", "quantization_of", "stored"]
