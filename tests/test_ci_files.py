"""What runs in other people's builds, run here as far as a machine without their services can."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from .expectations.project import shapes_of, write, write_weights
from .repository import AUTHOR, commit, git, make_repository

ROOT = Path(__file__).parent.parent
EXPECTED = """\
[tool.archcount.models.small]
config = "small/config.json"
parameters = 95_040
"""
Step = dict[str, Any]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a model and what is expected of it."""
    folder = make_repository(tmp_path / "project")
    write(folder, EXPECTED, "pyproject.toml")
    commit(folder, "the model", {})
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """That of a build: `archcount` on the path, GitHub's files, no settings of git but ours."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    program(bin_folder / "archcount", f'PYTHONPATH={ROOT} exec {sys.executable} -m archcount "$@"')
    (tmp_path / "runner").mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "GITHUB_", "PYTEST_"))}
    return kept | AUTHOR | {
        "PATH": f"{bin_folder}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path / "runner"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "COLUMNS": "80",
    }  # fmt: skip


def program(path: Path, script: str) -> None:
    path.write_text(f"#!/usr/bin/env bash\n{script}\n")
    path.chmod(0o755)


def loaded(name: str) -> Any:  # noqa: ANN401 - what YAML holds
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def action_step(name: str) -> Step:
    (step,) = (step for step in loaded("action.yml")["runs"]["steps"] if step["name"] == name)
    return dict(step)


def run_step(name: str, folder: Path, environment: dict[str, str], **given: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as GitHub runs `shell: bash`; `given` is what its `env` evaluates to."""
    step = action_step(name)
    assert set(given) == set(step.get("env", {}))
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=environment | given, capture_output=True, text=True, check=False)


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


def recipes(page: str) -> list[Any]:
    """The YAML blocks of a page."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]


def test_the_recipe_for_gitlab(project: Path, environment: dict[str, str]) -> None:
    (recipe,) = (recipe for recipe in recipes("ci.md") if "archcount-diff" in recipe)
    base = git(project, "rev-parse", "HEAD").strip()
    write(project, EXPECTED, "pyproject.toml", intermediate_size=192)
    commit(project, "wider", {})
    variables = environment | {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base}

    def run(job: str) -> subprocess.CompletedProcess[str]:
        install, *script = recipe[job]["script"]
        assert install.startswith("pip install ")
        command = ["bash", "-eo", "pipefail", "-c", "\n".join(script)]
        return subprocess.run(command, cwd=project, env=variables, capture_output=True, text=True, check=False)

    assert run("archcount").returncode == 1
    (suite,) = ElementTree.parse(project / "archcount.xml").getroot()
    assert suite.attrib["failures"] == "1"
    done = run("archcount-diff")
    assert (done.returncode, done.stderr) == (0, "")
    assert "| parameters | 95,040 | 119,616 | +24,576 |" in done.stdout


def test_the_recipe_for_github_gives_inputs_the_action_has() -> None:
    steps = recipes("ci.md")[0]["jobs"]["archcount"]["steps"]
    (given,) = (step["with"] for step in steps if step["uses"].startswith("archcount/"))
    assert set(given) <= set(loaded("action.yml")["inputs"])


def test_the_hooks_run_in_pre_commit_itself(project: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """Installed in a repository, it stops a commit that breaks a promise. The hooks are those of the manifest, but for
    an environment of their own, which would have to be downloaded.
    """
    hooks = [{**hook, "language": "system"} for hook in loaded(".pre-commit-hooks.yaml")]
    settings = {"repos": [{"repo": "local", "hooks": hooks}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(settings))
    variables = environment | {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit"), "PRE_COMMIT_COLOR": "never"}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=project, env=variables, capture_output=True, text=True, check=False)

    assert run(sys.executable, "-m", "pre_commit", "install").returncode == 0
    write(project, EXPECTED, "pyproject.toml", intermediate_size=192)
    assert run("git", "add", "--all").returncode == 0
    refused = run("git", "commit", "--message", "wider")
    assert refused.returncode == 1
    assert "archcount, count changed configs.........................................Failed" in refused.stderr
    assert "archcount, check every model.............................................Failed" in refused.stderr
    assert "119,616, should be 95,040 (+24,576)" in refused.stderr
    assert run("archcount", "check", "--update").returncode == 0
    assert run("git", "add", "--all").returncode == 0
    accepted = run("git", "commit", "--message", "wider, and says so")
    assert accepted.returncode == 0, accepted.stderr
    (project / "README").write_text("nothing of models\n")
    run("git", "add", "--all")
    assert "(no files to check)Skipped" in run("git", "commit", "--message", "a page").stderr


def test_pre_commit_accepts_the_manifest() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    subprocess.run(command, check=True)


def test_ci_runs_the_readme_s_test_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^Run the tests\b.*:\n\n```sh\n(.*)\n```", readme, re.MULTILINE)
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"\n{command}\n" in script


def test_ci_runs_what_the_workflow_runs() -> None:
    jobs = loaded(".github/workflows/ci.yml")["jobs"]
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command in ("ruff check .", "ruff format --check .", "mypy", ".ci/wheel"):
        assert any(command in step.get("run", "") for job in jobs.values() for step in job["steps"])
        assert command in script
    assert jobs["tests"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]


def test_scripts_can_be_run() -> None:
    bash = shutil.which("bash")
    assert bash is not None
    for name in (".ci/run", ".ci/wheel"):
        assert os.access(ROOT / name, os.X_OK)
        subprocess.run([bash, "-n", str(ROOT / name)], check=True)
