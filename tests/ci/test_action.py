"""What the action runs in other people's builds, run here as far as a machine without their services can."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ..expectations.project import shapes_of, write, write_weights
from ..repository import commit, git, make_repository
from .steps import EXPECTED, ROOT, action_step, loaded, program, run_step


def test_no_step_pastes_an_expression_into_its_script() -> None:
    """What a user gives reaches a script through its environment alone, where it cannot be run."""
    for name in ("action.yml", ".github/workflows/ci.yml", ".github/workflows/weekly.yml"):
        steps = re.findall(r"^ *(?:- )?run: (\|\n(?: {8}.*\n|\n)*|.*\n)", (ROOT / name).read_text(), re.MULTILINE)
        assert steps
        assert not [step for step in steps if "${{" in step]


def test_every_input_is_used_and_every_use_is_an_input() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"\binputs\.([a-z-]+)", text)) == set(loaded("action.yml")["inputs"])


def test_the_step_that_installs(project: Path, environment: dict[str, str], tmp_path: Path) -> None:
    program(tmp_path / "bin" / "python", 'printf "%s\\n" "$@"')
    done = run_step("Install", project, environment, PACKAGE="", ACTION="/some where/archcount")
    assert done.stdout.splitlines() == [
        "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "/some where/archcount",
    ]  # fmt: skip
    done = run_step("Install", project, environment, PACKAGE="archcount==0.1.0", ACTION="/action")
    assert done.stdout.splitlines()[-1] == "archcount==0.1.0"


def test_the_step_that_checks(project: Path, environment: dict[str, str], tmp_path: Path) -> None:
    done = run_step("Check", project, environment, CHECK="auto")
    assert (done.returncode, done.stderr) == (0, "")
    assert "| small | parameters | holds | 95,040 |" in (tmp_path / "summary.md").read_text()
    write(project, EXPECTED, "pyproject.toml", intermediate_size=192)
    done = run_step("Check", project, environment | {"GITHUB_ACTIONS": "true"}, CHECK="true")
    assert done.returncode == 1
    assert done.stderr == ""
    before, _, _ = done.stdout.partition("::stop-commands::")
    assert before.startswith("::error file=pyproject.toml,line=3,title=small%3A parameters fails::119,616")
    assert "| **small** | parameters | fails | 119,616, should be 95,040 (+24,576) |" in done.stdout


def test_the_step_that_checks_where_nothing_is_expected(tmp_path: Path, environment: dict[str, str]) -> None:
    empty = make_repository(tmp_path / "empty")
    done = run_step("Check", empty, environment, CHECK="auto")
    assert done.returncode == 0
    assert done.stdout.startswith("Nothing is expected of any model")
    assert run_step("Check", empty, environment, CHECK="true").returncode == 2


def test_the_step_that_verifies(project: Path, environment: dict[str, str], tmp_path: Path) -> None:
    shapes = shapes_of(project / "small" / "config.json")
    write_weights(project / "small" / "model.safetensors", shapes)
    write_weights(tmp_path / "other.safetensors", dict.fromkeys(shapes, (1,)))
    done = run_step("Verify", project, environment, VERIFY="small\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "verdict: match" in (tmp_path / "summary.md").read_text()
    both = f"small {tmp_path}/other.safetensors\nsmall small/model.safetensors\n"
    done = run_step("Verify", project, environment, VERIFY=both)
    assert done.returncode == 1
    assert "verdict: mismatch" in done.stdout
    assert "verdict: match" in done.stdout
    assert run_step("Verify", project, environment, VERIFY="small\nnone").returncode == 2


def test_the_step_that_shows_differences(project: Path, environment: dict[str, str], tmp_path: Path) -> None:
    base = git(project, "rev-parse", "HEAD").strip()
    write(project, EXPECTED, "pyproject.toml", intermediate_size=192)
    new = {"a new one/config.json": (project / "small" / "config.json").read_text(), "web/config.json": {"theme": 1}}
    commit(project, "wider, and a new one", new)
    patterns = loaded("action.yml")["inputs"]["configs"]["default"]
    done = run_step("Diff", project, environment, BASE=base, CONFIGS=patterns)
    assert (done.returncode, done.stderr) == (0, "")
    summary = (tmp_path / "summary.md").read_text()
    assert f"## {base}:./small/config.json → small/config.json" in summary
    assert "| intermediate\\_size | 128 | 192 | +24,576 |  |" in summary
    assert "| parameters | 95,040 | 119,616 | +24,576 |" in summary
    assert "## a new one/config.json is new" in summary
    assert "archcount: web/config.json: model_type is missing" in summary
    assert (tmp_path / "output").read_text() == "changed=3\n"


def test_the_step_that_shows_differences_of_a_shallow_clone(
    project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    base = git(project, "rev-parse", "HEAD").strip()
    write(project, EXPECTED, "pyproject.toml", intermediate_size=192)
    commit(project, "wider", {})
    git(project, "config", "uploadpack.allowAnySHA1InWant", "true")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{project}", str(shallow))
    done = run_step("Diff", shallow, environment, BASE=base, CONFIGS="*config.json *params.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "| parameters | 95,040 | 119,616 | +24,576 |" in done.stdout


def test_no_name_of_a_file_is_a_command(project: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """GitHub obeys what a step prints; who opens a pull request chooses the names in it."""
    base = git(project, "rev-parse", "HEAD").strip()
    config = json.loads((project / "small" / "config.json").read_text())
    names = ("line\n::error::one.config.json", "--rules=x.config.json", "$(touch two)config.json", "HEAD:config.json")
    commit(project, "odd", dict.fromkeys(names, config))
    config |= {"key\n::error::three": "value\n::error::four", "##[error]five": 1}
    commit(project, "a key", {"small/config.json": config})
    done = run_step("Diff", project, environment, BASE=base, CONFIGS="*config.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "output").read_text() == "changed=5\n"
    lines = done.stdout.splitlines()
    commands = [line for line in lines if line.lstrip().startswith("::")]
    assert re.fullmatch(r"::stop-commands::[0-9a-f]{32}", commands[0])
    assert commands[1:] == [f"::{commands[0].removeprefix('::stop-commands::')}::"]
    assert (lines[0], lines[-1]) == (commands[0], commands[1])
    assert not (project / "two").exists()
    summary = (tmp_path / "summary.md").read_text()
    assert summary.count("| **parameters** | 95,040 |") == 4
    assert "## --rules=x.config.json is new" in summary


@pytest.mark.parametrize(("step", "given"), [("Check", {"CHECK": "true"}), ("Verify", {"VERIFY": "small"})])
def test_what_a_step_prints_is_no_command(
    project: Path, environment: dict[str, str], step: str, given: dict[str, str]
) -> None:
    write_weights(project / "small" / "model.safetensors", shapes_of(project / "small" / "config.json"))
    lines = run_step(step, project, environment, **given).stdout.splitlines()
    assert re.fullmatch(r"::stop-commands::[0-9a-f]{32}", lines[0])
    assert lines[-1] == f"::{lines[0].removeprefix('::stop-commands::')}::"


def test_what_fails_hides_nothing() -> None:
    """A step that fails ends the run but for what may run all the same: what changed is shown before anything is
    judged, and a promise that is broken does not keep the files from being verified.
    """
    assert [step["name"] for step in loaded("action.yml")["runs"]["steps"]] == [
        "Python", "Install", "Diff", "Comment", "Check", "Verify",
    ]  # fmt: skip
    assert action_step("Check")["id"] == "check"
    assert action_step("Verify")["if"] == "inputs.verify != '' && (success() || steps.check.outcome == 'failure')"


GH = """\
printf '%s\n' "$*" >> "$RUNNER_TEMP/asked"
case "$*" in *--paginate*) printf "$OURS" ;; *) [ "$ALLOWED" = yes ] ;; esac
"""


def commented(environment: dict[str, str], tmp_path: Path, ours: str, allowed: str = "yes", changed: str = "1") -> str:
    """Run the step that comments with a `gh` that knows of the comments `ours`; what it asked gh for, and said."""
    program(tmp_path / "bin" / "gh", GH)
    variables = environment | {"OURS": ours, "ALLOWED": allowed}
    given = {"GH_TOKEN": "t", "REPOSITORY": "a/b", "NUMBER": "7", "CHANGED": changed}
    done = run_step("Comment", tmp_path, variables, **given)
    assert (done.returncode, done.stderr) == (0, "")
    asked = (tmp_path / "runner" / "asked").read_text()
    return (asked + done.stdout).replace(str(tmp_path / "runner"), "R")


LISTED = """\
api --paginate repos/a/b/issues/7/comments --jq .[] | select(.body | startswith("<!-- archcount -->")) | .id
"""
BODY = "--silent -F body=@R/comment.md"


@pytest.mark.parametrize(
    ("ours", "changed", "then"),
    [
        ("", "1", f"api repos/a/b/issues/7/comments {BODY}\n"),
        ("11\\n12\\n", "1", f"api repos/a/b/issues/comments/11 -X PATCH {BODY}\n"),
        ("11\\n", "0", f"api repos/a/b/issues/comments/11 -X PATCH {BODY}\n"),
        ("", "0", ""),
    ],
)
def test_the_step_that_comments(
    environment: dict[str, str], tmp_path: Path, ours: str, changed: str, then: str
) -> None:
    """Its own comment, known by its first line, is the only one it changes."""
    (tmp_path / "runner" / "diff.md").write_text("a difference\n" if changed == "1" else "")
    assert commented(environment, tmp_path, ours, changed=changed) == LISTED + then
    said = "a difference\n" if changed == "1" else "No config differs from the base any more.\n"
    assert (tmp_path / "runner" / "comment.md").read_text() == f"<!-- archcount -->\n{said}"


def test_a_comment_that_is_too_long_says_so(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "runner" / "diff.md").write_text("x" * 100_000)
    commented(environment, tmp_path, "")
    comment = (tmp_path / "runner" / "comment.md").read_text()
    assert comment.endswith("x\n\n… the rest is in the summary of the job.\n")
    assert 65_000 < len(comment.encode()) < 65_536


def test_where_no_comment_is_allowed_the_build_goes_on(environment: dict[str, str], tmp_path: Path) -> None:
    """A pull request from a fork has a token that may only read."""
    (tmp_path / "runner" / "diff.md").write_text("a difference\n")
    said = "::warning title=archcount::No comment: the token may not write to pull requests (pull-requests: write)\n"
    assert commented(environment, tmp_path, "", allowed="no").endswith(said)
