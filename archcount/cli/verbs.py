"""The verbs, with their lines in `archcount --help`; `cli/<verb>.py` is imported only when asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

DEFAULT = "count"
VERBS = {
    "count": "The breakdown of a model: every part, its formula, its parameters, its share. The verb may be left out.",
    "tensors": "Every tensor by pattern, or one a line.",
    "explain": "The arithmetic, in the config's own words, line by line.",
    "diff": "Two configs: which keys differ, and what that does to every part.",
    "check": "Do the models of a project count to what its pyproject.toml says? Exit code 0 yes, 1 no.",
    "compare": "Models side by side, a line for each design choice.",
    "verify": "Do the files hold what the config says, tensor by tensor? Exit code 0 match, 1 mismatch.",
    "weights": "What the headers of weights hold by their own account, by module and type.",
    "memory": "What a model takes in memory at a context: weights, caches, states; will it fit, can it be trained.",
    "flops": "What a token costs to compute, forward and in training.",
    "sweep": "Parameters, cache and FLOPs for every combination of values.",
    "design": "Configs of the same shape with another number of parameters; the width of a gated MLP.",
    "list": "The models known by name, with their figures.",
    "architectures": "The model types that can be counted.",
}


def command_of(verb: str) -> Callable[..., None]:
    """The function `command` of `cli/<verb>.py`."""
    command: Callable[..., None] = import_module(f"{__package__}.{verb}").command
    return command
