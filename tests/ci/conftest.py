"""A project of somebody else, and the environment of a build."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ..expectations.project import write
from ..repository import AUTHOR, commit, make_repository
from .steps import EXPECTED, ROOT, program


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
