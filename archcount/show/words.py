"""The words that several pages use for the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from ..tree import Storage, Tensor

if TYPE_CHECKING:
    from ..model import Model


def title(model: Model) -> str:
    """`llama-3.1-8b: llama, LlamaForCausalLM`."""
    class_name = model.config.class_name
    return f"{model.name}: {model.model_type}{f', {class_name}' if class_name else ''}"


def shape(tensor: Tensor) -> str:
    """`4096 × 1024`, as stored."""
    return " × ".join(f"{int(size)}" for size in tensor.shape)


def uncounted(tensors: Sequence[Tensor]) -> str:
    """Why these tensors, alike in that, are no new parameters; "" where they are."""
    first = tensors[0]
    match first.storage:
        case Storage.TIED:
            return f"tied to {_in_common([tensor.same_as for tensor in tensors])}"
        case Storage.COPY:
            return f"stored again: a copy of {_in_common([tensor.same_as for tensor in tensors])}"
        case Storage.BUFFER:
            return f"stored, not a parameter: {shape(first)}"
    return ""


def _in_common(names: Sequence[str]) -> str:
    """The name, or the module that all of them stand in."""
    steps = takewhile(lambda each: len(set(each)) == 1, zip(*(name.split(".") for name in names), strict=False))
    return ".".join(each[0] for each in steps)
