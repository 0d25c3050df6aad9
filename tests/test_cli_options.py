"""The options are a promise: none goes, and none comes, without this list saying so."""

import re
from collections.abc import Callable

import pytest

from archcount.cli.verbs import VERBS

Run = Callable[..., str]
MODEL = ["--as", "--format", "--help", "--json", "--revision", "--rules", "--set"]
OPTIONS = {
    "count": [*MODEL, "--by"],
    "tensors": [*MODEL, "--each"],
    "explain": MODEL,
    "compare": ["--format", "--help", "--json", "--rules"],
    "list": ["--format", "--help", "--json"],
    "architectures": ["--format", "--help", "--json", "--rules"],
}


def test_every_verb_is_listed_here() -> None:
    assert list(OPTIONS) == list(VERBS)


@pytest.mark.parametrize("verb", OPTIONS)
def test_the_options_of_a_verb(run: Run, verb: str) -> None:
    found = re.findall(r"^ +(--[a-z-]+)", run(verb, "--help"), re.MULTILINE)
    assert sorted(found) == sorted(OPTIONS[verb])
