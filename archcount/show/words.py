"""The words that several pages use for the same thing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..tree import Storage, Tensor

if TYPE_CHECKING:
    from ..model import Model

LONGEST_VALUE = 40  # characters; a longer one is not worth its line


def title(model: Model) -> str:
    """`llama-3.1-8b: llama, LlamaForCausalLM`."""
    class_name = model.config.class_name
    return f"{model.name}: {model.model_type}{f', {class_name}' if class_name else ''}"


def shape(tensor: Tensor) -> str:
    """`4096 × 1024`, as stored."""
    return " × ".join(f"{int(size)}" for size in tensor.shape)


def uncounted(tensor: Tensor) -> str:
    """Why a tensor is no new parameter; "" where it is one."""
    match tensor.storage:
        case Storage.TIED:
            return f"tied to {tensor.same_as}"
        case Storage.COPY:
            return f"stored again: a copy of {tensor.same_as}"
        case Storage.BUFFER:
            return f"stored, not a parameter: {shape(tensor)}"
    return ""


def literal(value: object, longest: int | None = LONGEST_VALUE) -> str:
    """A value as config.json would spell it, cut where it is longer than `longest`."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"
