"""A config that changes without a word is caught; one whose expectation changes too is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from archcount.expectations import Outcome, read, update

from ..repository import commit, git, make_repository
from .project import SMALL, only, outcomes, write

SINCE = '[models.small]\nconfig = "small/config.json"\nunchanged_since = "main"\n'
PINNED = SINCE + "parameters = 95_040  # ours\n"
MEND = "say so: archcount check --update, or a new note"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository whose branch `main` holds the model and what is expected of it, with a branch `work` on top."""
    folder = make_repository(tmp_path / "project")
    write(folder, PINNED)
    commit(folder, "the model", {})
    git(folder, "switch", "--quiet", "--create", "work")
    return folder


def test_as_it_was(project: Path) -> None:
    assert outcomes(project / "archcount.toml") == [
        ("parameters", "holds", "95,040"),
        ("unchanged_since", "holds", "as at main"),
    ]


def test_spelled_otherwise_is_as_it_was(project: Path) -> None:
    file = write(project, PINNED, num_key_value_heads=4, mlp_bias=None, rope_theta=10000)
    assert outcomes(file)[1] == ("unchanged_since", "holds", "as at main")


def test_a_change_without_a_word_is_caught_and_update_accepts_it(project: Path) -> None:
    file = write(project, PINNED, intermediate_size=192)
    commit(project, "wider", {})
    caught = "changed since main: intermediate_size 128 → 192; " + MEND
    assert outcomes(file) == [
        ("parameters", "fails", "119,616, should be 95,040 (+24,576)"),
        ("unchanged_since", "fails", caught),
    ]
    update(read(file))
    assert file.read_text() == PINNED.replace("95_040", "119_616")
    assert outcomes(file) == [
        ("parameters", "holds", "119,616"),
        ("unchanged_since", "holds", "its expectation changed since main"),
    ]


def test_it_points_at_the_key(project: Path) -> None:
    file = write(project, SINCE, intermediate_size=192, num_hidden_layers=3)
    commit(project, "said nothing of parameters", {})
    git(project, "branch", "--force", "main", "work")
    found = only(write(project, SINCE, num_hidden_layers=3, intermediate_size=256))
    assert (found.outcome, found.file, found.line) == (Outcome.FAILS, project / "small" / "config.json", 4)
    assert file == project / "archcount.toml"


def test_a_change_that_moves_no_figure_is_accepted_by_its_digest(project: Path) -> None:
    file = write(project, PINNED, rope_theta=500000.0)
    assert outcomes(file)[1] == (
        "unchanged_since", "fails", f"changed since main: rope_theta 10000.0 → 500000.0; {MEND}",
    )  # fmt: skip
    update(read(file))
    assert file.read_text() == PINNED.replace('"main"\n', '"main"\naccepted = "7d1bdbb904ec"\n')
    assert outcomes(file)[1] == ("unchanged_since", "holds", "its expectation changed since main")
    commit(project, "accepted", {})
    git(project, "branch", "--force", "main", "work")
    write(project, file.read_text(), rope_theta=1e6)
    assert outcomes(file)[1][1] == "fails"
    update(read(file))
    assert file.read_text() == PINNED.replace('"main"\n', '"main"\naccepted = "f49ada99348b"\n')


def test_a_note_says_it_too(project: Path) -> None:
    file = write(project, PINNED + 'note = "RoPE for 32K"\n', rope_theta=500000.0)
    assert outcomes(file)[1] == ("unchanged_since", "holds", "its expectation changed since main")


def test_what_is_new(project: Path) -> None:
    (project / "new").mkdir()
    (project / "new" / "config.json").write_text((project / "small" / "config.json").read_text())
    file = write(project, SINCE.replace("small", "new"))
    assert outcomes(file) == [("unchanged_since", "holds", "new since main")]
    file = write(project, SINCE.replace("models.small", "models.other"), intermediate_size=192)
    assert outcomes(file) == [("unchanged_since", "holds", "its expectation changed since main")]


def test_a_file_of_expectations_within_a_folder(project: Path) -> None:
    inside = project / "packages" / "one"
    file = write(inside, SINCE)
    commit(project, "a package", {})
    git(project, "branch", "--force", "main", "work")
    assert outcomes(file) == [("unchanged_since", "holds", "as at main")]
    assert outcomes(write(inside, SINCE, vocab_size=101))[0][1] == "fails"


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (SINCE.replace('"main"', '"v1"'), "v1:./small/config.json: no revision v1 in this git repository"),
        (SINCE.replace("small/config.json", "llama-3.1-8b"), "llama-3.1-8b: no such file"),
        (SINCE.replace("small/config.json", "../config.json"), "with unchanged_since the config should lie below"),
    ],
)
def test_what_cannot_be_told(project: Path, expected: str, said: str) -> None:
    (project.parent / "config.json").write_text((project / "small" / "config.json").read_text())
    found = only(write(project, expected))
    assert found.outcome is Outcome.UNTOLD
    assert said in found.said


def test_values_are_said_as_the_config_spells_them(project: Path) -> None:
    changed = {"mlp_bias": True, "rms_norm_eps": None, "layer_types": ["full_attention"] * 2, "a\nb": "c\nd"}
    write(project, SINCE)
    commit(project, "said nothing of parameters", {})
    git(project, "branch", "--force", "main", "work")
    assert only(write(project, SINCE, **changed)).said == (
        'changed since main: mlp_bias false → true, layer_types null → ["full_attention", "ful…, a\nb null → "c\\nd"; '
        + MEND
    )


def test_more_keys_than_a_line_holds(project: Path) -> None:
    changed = {"hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 3, "vocab_size": 200}
    file = write(project, PINNED, **changed)
    assert outcomes(file)[1][2] == (
        "changed since main: vocab_size 100 → 200, hidden_size 64 → 128, intermediate_size 128 → 256, and 1 more; "
        + MEND
    )
    assert SMALL["hidden_size"] == 64
