"""The steps of the action, run as GitHub runs them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent.parent
EXPECTED = """\
[tool.archcount.models.small]
config = "small/config.json"
parameters = 95_040
"""
Step = dict[str, Any]


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
