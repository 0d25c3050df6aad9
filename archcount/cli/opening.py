"""From the shared options to a model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model import Model


def open_model(
    source: str,
    settings: list[str] | None = None,
    as_type: str | None = None,
    revision: str | None = None,
    rules: Iterable[Path] | None = None,
) -> Model:
    """The model that MODEL, --set, --as, --revision and --rules mean together.

    Raises ArchcountError: one of them is wrong.
    """
    from ..model import load
    from ..overrides import parse
    from ..rules_file import blamed_on

    register(rules)
    with blamed_on(rules or ()):
        return load(source, parse(settings or ()), as_type=as_type, revision=revision)


def register(rules: Iterable[Path] | None) -> None:
    """Run the Python files of --rules, so that the architectures in them are known."""
    for path in rules or ():
        from ..rules_file import load_rules

        load_rules(path)
