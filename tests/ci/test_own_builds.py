"""What this project's own builds run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from .steps import ROOT, loaded


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
