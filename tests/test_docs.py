"""Every console and python block of the README and of docs/ runs, and prints what it says it prints."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from archcount.cli import main
from archcount.cli.verbs import VERBS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TESTED_APART = {"your-own-architecture.md"}  # by test_own_architecture.py, which lays out its files
Run = Callable[..., str]


def _blocks(language: str) -> list[object]:
    """Each block of a language, named by its page and line."""
    found: list[object] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            if page.name not in TESTED_APART:
                found.append(pytest.param(match[1], id=f"{page.name}:{line}"))
    return found


@pytest.mark.parametrize("block", _blocks("console"))
def test_a_console_block_prints_what_it_shows(
    block: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`…` alone on a line stands for any lines."""
    monkeypatch.setenv("COLUMNS", "80")
    for command, shown in re.findall(r"^\$ archcount (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        code = main(shlex.split(command))
        captured = capsys.readouterr()
        printed = (captured.out or captured.err).rstrip("\n") + "\n"
        expected = "".join(".*" if line == "…\n" else re.escape(line) for line in shown.splitlines(keepends=True))
        assert re.fullmatch(expected, printed, re.DOTALL), printed
        assert code == (0 if captured.out else 2)


@pytest.mark.parametrize("block", _blocks("python"))
def test_a_python_block_runs(block: str) -> None:
    exec(compile(block, "block", "exec"), {"__name__": "block"})


def test_every_block_is_of_a_language_that_is_tested_or_cannot_be() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    fences = {fence for text in texts for fence in re.findall(r"^```(\w*)\n", text, re.MULTILINE)}
    assert fences <= {"", "console", "python", "sh", "text", "json", "toml", "yaml"}


def test_links_lead_to_files() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_names_every_verb() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"`archcount {verb} " not in readme and f"`archcount {verb}`" not in readme] == [
        "count"
    ]


def test_the_readme_names_the_command_that_continuous_integration_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    command = next(line for line in run.splitlines() if line.endswith("pytest"))
    assert "pip install -e '.[dev]'" in command
    assert f"\n{command}\n" in readme
