"""Pinned figures are rewritten in place; nothing else of the file changes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archcount.errors import UsageError
from archcount.expectations import read, update
from archcount.expectations.updating import rewritten

from .project import write

BEFORE = """\
# what we promise
[project]
parameters = 7

[tool.archcount.models.small]   # the small one
config = "small/config.json"
parameters=1_000   # parameters = 1_000
active = { max = 100 }

[tool.archcount]
models.inline = { config = "small/config.json", parameters = 5, stored = 5 }
models."quoted name" = { "config" = "small/config.json", "parameters" = 6 }
"""
AFTER = """\
# what we promise
[project]
parameters = 7

[tool.archcount.models.small]   # the small one
config = "small/config.json"
parameters=95_040   # parameters = 1_000
active = { max = 100 }

[tool.archcount]
models.inline = { config = "small/config.json", parameters = 95_040, stored = 95_040 }
models."quoted name" = { "config" = "small/config.json", "parameters" = 95_040 }
"""


def test_figures_change_and_nothing_else(tmp_path: Path) -> None:
    file = write(tmp_path, BEFORE, "pyproject.toml")
    changed = update(read(file))
    assert file.read_text() == AFTER == changed.text
    assert update(changed) == changed


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    file = write(tmp_path, "")
    file.write_bytes(b'[models.small]\r\nconfig = "small"\r\nparameters = 1\r\n')
    update(read(file))
    assert file.read_bytes() == b'[models.small]\r\nconfig = "small"\r\nparameters = 95_040\r\n'


def test_limits_are_decisions(tmp_path: Path) -> None:
    said = '[models.small]\nconfig = "small"\nparameters = { max = 5 }\nactive = { min = 1_000_000 }\n'
    file = write(tmp_path, said)
    update(read(file))
    assert file.read_text() == said


def test_what_cannot_be_rewritten_is_refused(tmp_path: Path) -> None:
    said = '[models.small]\nconfig = "small"\nparameters = 0x10\n'
    file = write(tmp_path, said)
    with pytest.raises(UsageError, match=r"models.small.parameters cannot be rewritten: put 95_040 there by hand"):
        update(read(file))
    assert file.read_text() == said


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, '[models.small]\nconfig = "small"\nparameters = 5\n')
    expected = read(file)
    file.unlink()
    file.mkdir()
    with pytest.raises(UsageError, match=r"archcount.toml: cannot be written: Is a directory$"):
        update(expected)


FIGURES = st.dictionaries(st.sampled_from(["parameters", "active", "stored", "bytes"]), st.integers(0, 10**15))
MODELS = st.dictionaries(st.text("abc parmets.-=_", min_size=1, max_size=6), FIGURES, min_size=1, max_size=4)


@given(MODELS, st.data())
def test_one_value_of_any_file(models: dict[str, dict[str, int]], data: st.DataObject) -> None:
    """The written file parses to the same but for the figure, and differs on one line."""
    pinned = [(name, key) for name, figures in models.items() for key in figures]
    if not pinned:
        return
    lines = [f'[models."{name}"]\n' + "".join(f"{k} = {v}\n" for k, v in kept.items()) for name, kept in models.items()]
    text = "\n".join(lines)
    name, key = data.draw(st.sampled_from(pinned))
    value = data.draw(st.integers(0, 10**15))
    changed = rewritten(text, ("models", name, key), value)
    models[name][key] = value
    assert tomllib.loads(changed)["models"] == models
    pairs = zip(text.splitlines(), changed.splitlines(), strict=True)
    assert sum(before != after for before, after in pairs) <= 1
