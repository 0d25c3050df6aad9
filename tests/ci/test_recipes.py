"""The recipes of docs/ci.md and the hooks of pre-commit, run in a project of somebody else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml

from ..expectations.project import write
from ..repository import commit, git
from .steps import EXPECTED, ROOT, loaded


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
