"""`archcount check`: a line a check, for a reader and for a build."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from archcount.cli import main

from .expectations.project import write
from .repository import commit, make_repository

Run = Callable[..., str]
EXPECTED = """\
[tool.archcount.models.small]
config = "small/config.json"
parameters = 95_040
active = { max = 90_000 }
unchanged_since = "HEAD"

[tool.archcount.models."llama 3.1"]
config = "llama-3.1-8b"
parameters = 8_030_261_248
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(tmp_path / "project")
    write(folder, EXPECTED, "pyproject.toml")
    commit(folder, "the model", {})
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return folder


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["check", *arguments]) == code
    return capsys.readouterr().out


@pytest.mark.usefixtures("project")
def test_a_line_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        printed(capsys, code=1)
        == """\
small      parameters       holds  95,040
small      active           fails  95,040, at most 90,000 (+5,040)
small      unchanged_since  holds  as at HEAD
llama 3.1  parameters       holds  8,030,261,248

4 checks: 3 hold, 1 fails
"""
    )


def test_an_update_shows_what_it_wrote(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, EXPECTED.replace("90_000", "120_000"), "pyproject.toml", intermediate_size=192)
    assert (
        printed(capsys, "--update")
        == """\
small      parameters       holds  119,616
small      active           holds  119,616, at most 120,000
small      unchanged_since  holds  its expectation changed since HEAD
llama 3.1  parameters       holds  8,030,261,248

rewritten
--- pyproject.toml
+++ pyproject.toml
@@ -2,3 +2,3 @@
 config = "small/config.json"
-parameters = 95_040
+parameters = 119_616
 active = { max = 120_000 }

4 checks: 4 hold
"""
    )
    assert (
        printed(capsys)
        == """\
small      parameters       holds  119,616
small      active           holds  119,616, at most 120,000
small      unchanged_since  holds  its expectation changed since HEAD
llama 3.1  parameters       holds  8,030,261,248

4 checks: 4 hold
"""
    )


def test_annotations_stand_on_the_line_concerned(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, EXPECTED, "pyproject.toml", intermediate_size=192)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert main(["check", "--json"]) == 1
    captured = capsys.readouterr()
    assert (
        captured.err
        == """\
::error file=pyproject.toml,line=3,title=small%3A parameters fails::119,616, should be 95,040 (+24,576)
::error file=pyproject.toml,line=4,title=small%3A active fails::119,616, at most 90,000 (+29,616)
::error file=small/config.json,line=4,title=small%3A unchanged_since fails::changed since HEAD: intermediate_size \
128 → 192; say so: archcount check --update, or a new note
"""
    )
    assert json.loads(captured.out)["holds"] is False


@pytest.mark.usefixtures("project")
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "--json", code=1))
    assert found["checks"][1] == {
        "model": "small", "check": "active", "outcome": "fails", "said": "95,040, at most 90,000 (+5,040)",
        "expected": None, "found": 95_040, "file": "pyproject.toml", "line": 4,
    }  # fmt: skip
    assert found["rewritten"] == []


def test_junit(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, EXPECTED + '[tool.archcount.models.big]\nconfig = "big.json"\nstored = 1\n', "pyproject.toml")
    (suite,) = ElementTree.fromstring(printed(capsys, "--format", "junit", code=2))
    assert suite.attrib == {
        "name": "archcount check", "tests": "5", "failures": "1", "errors": "1", "skipped": "0",
    }  # fmt: skip
    cases = [(case.get("classname"), case.get("name"), case[0].tag, case.get("line")) for case in suite]
    assert cases == [
        ("small", "parameters", "system-out", "3"),
        ("small", "active", "failure", "4"),
        ("small", "unchanged_since", "system-out", "5"),
        ("llama 3.1", "parameters", "system-out", "9"),
        ("big", "counts", "error", "1"),
    ]


@pytest.mark.usefixtures("project")
def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "--format", "markdown", code=1).splitlines()[:3] == [
        "| model | check | outcome | said |",
        "| --- | --- | --- | --- |",
        "| small | parameters | holds | 95,040 |",
    ]


def test_config_files(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "other.json").write_text((project / "small" / "config.json").read_text())
    assert printed(capsys, "other.json") == "other.json  counts  holds  95,040 parameters\n\n1 check: 1 holds\n"
    assert printed(capsys, "small/config.json", code=1).splitlines()[-1] == "3 checks: 2 hold, 1 fails"
    (project / "bad.json").write_text("{}")
    assert "bad.json  counts  could not tell  bad.json: model_type is missing" in printed(capsys, "bad.json", code=2)


def test_another_file(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, '[models.a]\nconfig = "small"\nparameters = 95_040\n', "archcount.toml")
    assert printed(capsys, "--file", str(file)) == "a  parameters  holds  95,040\n\n1 check: 1 holds\n"
    assert project != tmp_path


def test_nothing_to_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 2
    assert capsys.readouterr().err == (
        "archcount: nothing to check: no [tool.archcount.models] in pyproject.toml, no archcount.toml (docs/ci.md)\n"
    )
