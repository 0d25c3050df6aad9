"""For tests of your own model code: assert what a config counts to, and that your module holds those tensors.

Installed with archcount, so that every test can ask for the fixture `counted`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from .model import Model

    Source = str | Path | Mapping[str, object] | Model

FIRST = 5  # names that a message lists


def assert_parameters(config: Source, expected: int) -> Model:
    """Fail unless the config (a path, a known name, a mapping, a Model) has exactly so many parameters; the Model.

    Raises ArchcountError: it cannot be counted.
    """
    __tracebackhide__ = True
    return _assert_figure(config, expected, "parameters")


def assert_active(config: Source, expected: int) -> Model:
    """Fail unless a token passes through exactly so many parameters; the Model.

    Raises ArchcountError: it cannot be counted.
    """
    __tracebackhide__ = True
    return _assert_figure(config, expected, "active")


def assert_tensors(config: Source, found: Mapping[str, object] | Iterable[tuple[str, object]]) -> Model:
    """Fail unless `found` holds exactly the tensors the config's weights must hold; the Model.

    `found` maps names to shapes, or to anything with a `shape`: `module.state_dict()`, `module.named_parameters()`.
    A tied tensor may be there or not, and so may a buffer.

    Raises ArchcountError: it cannot be counted.
    """
    __tracebackhide__ = True
    model = _model(config)
    shapes = {name: _shape(each) for name, each in (found.items() if isinstance(found, Mapping) else found)}
    predicted = {tensor.name: tensor for tensor in model.tensors()}
    missing = [name for name, tensor in predicted.items() if tensor.storage.is_parameter and name not in shapes]
    unexpected = [name for name in shapes if name not in predicted]
    wrong = [
        f"{name} is {list(shapes[name])}, should be {list(_shape(tensor))}"
        for name, tensor in predicted.items()
        if name in shapes and shapes[name] != _shape(tensor)
    ]
    told = (("missing", missing), ("unexpected", unexpected), ("of another shape", wrong))
    faults = [f"{len(names):,} {fault}: {_listed(names)}" for fault, names in told if names]
    if faults:
        raise AssertionError(f"{model.name} has other tensors: {'; '.join(faults)}")
    return model


@pytest.fixture
def counted(request: pytest.FixtureRequest) -> Callable[[Source], Model]:
    """A function from a config to its Model; a path counts from the test's own folder, then from where pytest runs."""

    def count(config: Source) -> Model:
        if not isinstance(config, str | Path):
            return _model(config)
        beside = request.path.parent / config
        return _model(beside if beside.exists() else config)

    return count


def _assert_figure(config: Source, expected: int, figure: str) -> Model:
    __tracebackhide__ = True
    model = _model(config)
    found = model.totals.parameters if figure == "parameters" else model.totals.active
    if found != expected:
        words = f"{found:,} {'active ' if figure == 'active' else ''}parameters"
        raise AssertionError(f"{model.name} has {words}, {expected:,} were expected ({found - expected:+,})")
    return model


def _model(config: Source) -> Model:
    from .model import Model, load  # a run that asks for none of this should not wait for it

    return config if isinstance(config, Model) else load(config)


def _shape(found: object) -> tuple[int, ...]:
    return tuple(map(int, cast("Iterable[int]", getattr(found, "shape", found))))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - FIRST:,} more" if len(names) > FIRST else ""
    return f"{', '.join(names[:FIRST])}{more}"
