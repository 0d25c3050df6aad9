"""The options are a promise: none goes, and none comes, without this list saying so."""

import re
from collections.abc import Callable

import pytest

from archcount.cli.__main__ import FAMILIES, PAGE, families, page
from archcount.cli.verbs import VERBS

Run = Callable[..., str]
MODEL = ["--as", "--format", "--help", "--json", "--revision", "--rules", "--set"]
OPTIONS: dict[str, list[str]] = {
    "count": [*MODEL, "--by"],
    "tensors": [*MODEL, "--each"],
    "explain": MODEL,
    "compare": ["--format", "--help", "--json", "--rules"],
    "verify": [*MODEL, "--all", "--all-patterns", "--online", "--strict"],
    "memory": [
        *MODEL, "--batch", "--cache-dtype", "--context", "--contexts", "--device", "--dtype", "--expanded", "--explain",
        "--image", "--images", "--policy", "--processor", "--source", "--state-dtype", "--training", "--with",
    ],
    "flops": [*MODEL, "--context", "--image", "--images", "--processor", "--recompute", "--source"],
    "check": ["--file", "--format", "--help", "--json", "--rules", "--update"],
    "diff": ["--context", "--exit-code", "--format", "--help", "--json", "--only", "--rules"],
    "sweep": [*MODEL, "--cache-dtype", "--context", "--source"],
    "design": [
        "--format", "--free", "--help", "--json", "--like", "--match", "--multiple-of", "--multiplier", "--output",
        "--parameters", "--plain", "--rules", "--set",
    ],
    "weights": ["--format", "--help", "--json", "--revision"],
    "list": ["--format", "--help", "--json"],
    "architectures": ["--format", "--help", "--json", "--rules"],
}  # fmt: skip


def test_every_verb_is_listed_here() -> None:
    assert set(OPTIONS) == set(VERBS)


@pytest.mark.parametrize("verb", OPTIONS)
def test_the_options_of_a_verb(run: Run, verb: str) -> None:
    found = re.findall(r"^ +(--[a-z-]+)", run(verb, "--help"), re.MULTILINE)
    assert sorted(found) == sorted(OPTIONS[verb])


def test_the_page_on_the_command_line_is_its_own_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m archcount.cli"


def test_the_page_on_architectures_is_made_from_the_registry() -> None:
    assert FAMILIES.read_text(encoding="utf-8") == families(), "run python -m archcount.cli"
