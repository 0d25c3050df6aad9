"""What a file of expectations may say, and what it is told when it says something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from archcount.errors import UsageError
from archcount.expectations import find, read
from archcount.expectations.reading import Limits

from .project import write


def test_every_key(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        """
[tool.archcount.models.small]
config = "small/config.json"
parameters = 95_040
active = { max = 100_000 }
bytes = { min = 1, max = 200_000 }
weights = "small"
unchanged_since = "main"
accepted = "0123"
note = "smaller than it looks"
""",
        "pyproject.toml",
    )
    (model,) = read(file).models
    assert (model.name, model.config, model.weights, model.unchanged_since) == (
        "small", "small/config.json", "small", "main",
    )  # fmt: skip
    assert model.figures == {
        "parameters": Limits(95_040, 95_040),
        "active": Limits(None, 100_000),
        "bytes": Limits(1, 200_000),
    }


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("", "no model in [models]; docs/ci.md shows how"),
        ("models = 3", "no model in [models]"),
        ("models.small = 3", "models.small should be a table"),
        ("[models.small]\nparameters = 1", "models.small: config is missing: the path of its config.json"),
        ("[models.small]\nconfig = 'x'", "models.small: nothing is expected of it: give parameters, active"),
        ("[models.small]\nconfig = 3\nparameters = 1", "models.small.config is 3: should be a string"),
        ("[models.small]\nconfig = 'x'\nparameter = 1", "models.small: no such key 'parameter'; nearest: parameters"),
        ("[models.small]\nconfig = 'x'\nzzz = 1", "no such key 'zzz'; it takes config, weights, unchanged_since"),
        ("[models.small]\nconfig = 'x'\nparameters = 1.5", "models.small.parameters is 1.5: should be a whole number"),
        ("[models.small]\nconfig = 'x'\nparameters = true", "is True: should be a whole number, or { max = … }"),
        ("[models.small]\nconfig = 'x'\nparameters = -1", "is -1: should be a whole number"),
        ("[models.small]\nconfig = 'x'\nactive = { most = 1 }", "should be a whole number, or { max = … }"),
        ("[models.small]\nconfig = 'x'\nactive = {}", "should be a whole number, or { max = … }"),
        ("[models.small]\nconfig = 'x'\nactive = { max = '3B' }", "should be a whole number, or { max = … }"),
        ("[models.small]\nconfig = 'x'\nactive = { min = 2, max = 1 }", "{ min = … } or both, min below max"),
        ("[models.small]\nconfig = 'x'\nactive = { min = 2, max = 2 }", "is {'min': 2, 'max': 2}: should be a whole"),
        ("[models.a]\nconfig = 'x'\nactive = 1\n[model.b]\nconfig = 'x'", "no such table 'model'; it takes models"),
        ("[models", "not TOML: "),
    ],
)
def test_what_means_nothing(tmp_path: Path, said: str, message: str) -> None:
    file = write(tmp_path, said)
    with pytest.raises(UsageError) as caught:
        read(file)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_stray_table_of_pyproject(tmp_path: Path) -> None:
    """What is next to `models` would else be expected in vain; other tools' tables are none of ours."""
    said = "[tool.other]\na = 1\n[tool.archcount.models.a]\nconfig = 'x'\nactive = 1\n"
    assert len(read(write(tmp_path, said, "pyproject.toml")).models) == 1
    with pytest.raises(UsageError, match=r"no such table 'tool\.archcount\.modles'; it takes tool\.archcount\.models"):
        read(write(tmp_path, said + "[tool.archcount.modles.b]\nconfig = 'x'\n", "pyproject.toml"))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file or directory"):
        read(tmp_path / "archcount.toml")


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")  # says nothing of models
    assert find(inside) is None
    own = write(tmp_path, "[tool.archcount.models.small]\n", "pyproject.toml")
    assert find(inside) == own
    nearer = write(inside, "")
    assert find(inside) == nearer
