"""What LLaVA's own code puts between a tower and a language model: a matrix, or several with GELUs between."""

from __future__ import annotations

import re

from ...blocks import linear
from ...errors import ConfigValueError
from ...tree import Module


def mm_projector(kind: str, inputs: int, outputs: int) -> Module:
    """`linear`, or `mlp2x_gelu`: so many matrices, numbered with the GELUs between them (`0`, `2`).

    Raises ConfigValueError: another kind.
    """
    if kind == "linear":
        return linear(inputs, outputs, bias=True).marked(section="projector")
    many = re.fullmatch(r"mlp([1-9])x_gelu", kind)
    if many is None:
        raise ConfigValueError(f"mm_projector_type is {kind!r}: should be linear or mlp2x_gelu")
    matrices = (linear(outputs if index else inputs, outputs, bias=True) for index in range(int(many[1])))
    return Module(tuple((f"{2 * index}", matrix) for index, matrix in enumerate(matrices))).marked(section="projector")
