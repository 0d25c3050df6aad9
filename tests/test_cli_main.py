"""The frame of the command line: verbs, help, exit codes, and nothing imported that an answer does not need."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from archcount import __version__
from archcount.cli import main
from archcount.cli.verbs import VERBS, command_of

Run = Callable[..., str]
ROOT = Path(__file__).parent.parent


def _process(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", **variables}
    command = [sys.executable, "-W", "error", "-m", "archcount", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_the_module_is_a_command() -> None:
    done = _process("gpt2", "--by", "role")
    assert (done.returncode, done.stderr) == (0, "")
    assert "total      124,439,808   100%" in done.stdout


def test_no_argument_is_a_question_for_help(run: Run) -> None:
    assert run() == run("--help")
    assert all(verb in run("--help") for verb in VERBS)


def test_the_version(run: Run) -> None:
    assert run("--version") == f"archcount {__version__}\n"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_its_help(run: Run, verb: str) -> None:
    assert run(verb, "--help").startswith(f"Usage: archcount {verb} ")
    assert command_of(verb).__doc__


def _imported_by(*arguments: str) -> set[str]:
    code = f"import sys; from archcount.cli import main; main({list(arguments)!r}); print('|', *sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    return set(done.stdout.rpartition("|")[2].split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["explain", "--help"]])
def test_help_waits_for_nothing(arguments: list[str]) -> None:
    imported = _imported_by(*arguments)
    assert imported & {"huggingface_hub", "rich", "archcount.config", "archcount.architectures"} == set()


def test_a_count_imports_one_verb_and_one_family() -> None:
    imported = _imported_by("llama-3.1-8b")
    assert (
        imported & {"huggingface_hub", "rich", "archcount.checkpoint.header", "archcount.quantization.methods"} == set()
    )
    families = {name for name in imported if name.startswith("archcount.architectures.")}
    assert families == {"archcount.architectures.aliases", "archcount.architectures.llama"}
    assert {name for name in imported if name.startswith("archcount.cli.")} == {
        "archcount.cli.main",
        "archcount.cli.verbs",
        "archcount.cli.count",
        "archcount.cli.opening",
        "archcount.cli.options",
    }


def test_a_reader_that_leaves_early_ends_it_quietly() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "archcount", "tensors", "deepseek-v3", "--each"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"deepseek-v3: deepseek_v3, DeepseekV3ForCausalLM\n"
        process.stdout.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == b""


def test_a_disk_that_is_full_is_said_in_a_line() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with full.open("w") as sink:
        done = subprocess.run(
            [sys.executable, "-m", "archcount", "gpt2"], stdout=sink, stderr=subprocess.PIPE, text=True,
            env=environment, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "archcount: the answer cannot be written: No space left on device\n"


def test_a_terminal_that_cannot_write_a_sign_shows_a_question_mark() -> None:
    done = _process("gpt2", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "  vocab_size ? n_embd\n" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explian", "gpt2"], "Got unexpected extra argument(s) (gpt2) (did you mean archcount explain?)"),
        (
            ["architectues"],
            "'architectues' is no known model, file or repository id (org/name); archcount list shows the known names"
            " (did you mean archcount architectures?)",
        ),
        (["gpt2", "--nope"], "No such option: --nope (see archcount count --help)"),
        (["explain"], "Missing argument 'MODEL' (see archcount explain --help)"),
        (["gpt2", "--set"], "Option '--set' requires an argument (see archcount count --help)"),
        (["gpt2", "--json", "--format", "csv"], "--json and --format csv: choose one"),
        (
            ["gpt2", "--by", "hand"],
            "Invalid value for '--by': 'hand' is not one of 'part', 'role', 'layer', 'tensor'"
            " (see archcount count --help)",
        ),
        (["tensors", "gpt2", "zzz"],
         "no tensor of gpt2 is named like 'zzz'; its names are like transformer.wte.weight"),
        (["gpt2", "--rules", "nosuch.py"], "--rules nosuch.py: no such file"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"archcount: {message}\n"


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor the way a shell does")
@pytest.mark.parametrize("arguments", ["gpt2", "gpt2 --json", "compare gpt2 gpt2-xl"])
def test_an_output_that_is_closed_is_said_in_one_line(arguments: str) -> None:
    command = f'"{sys.executable}" -m archcount {arguments} >&-'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment, check=False)
    assert done.stderr == "archcount: the answer cannot be written: the output is closed\n"
    assert done.returncode == 2


def test_a_formula_in_json_keeps_its_signs_whatever_the_locale() -> None:
    plain = _process("explain", "gpt2", "wte", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(plain.stdout) == json.loads(_process("explain", "gpt2", "wte", "--json").stdout)
    assert "vocab_size \\u00d7 n_embd" in plain.stdout
