"""A user's own architecture: the worked example of docs/your-own-architecture.md, from a file and from a package."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import archcount
from archcount import registry
from archcount.cli import main
from archcount.errors import ConfigValueError, UnknownArchitectureError, UsageError
from archcount.rules_file import load_rules

PAGE = (Path(__file__).parent.parent / "docs" / "your-own-architecture.md").read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return found[number]


CONFIG = json.loads(block("json"))


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """What a test registers is unknown to the next one."""
    known = dict(registry._known)
    yield
    registry._known.clear()
    registry._known.update(known)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "parrot.py"
    path.write_text(block("python"), encoding="utf-8")
    return path


def test_the_worked_example_counts_what_the_page_says(rules: Path) -> None:
    load_rules(rules)
    model = archcount.load(CONFIG)
    assert model.totals.parameters == 160_183_296
    shapes = {tensor.name: tuple(tensor.shape) for tensor in model.tensors()}
    assert shapes["model.layers.11.attn.k.weight"] == (64, 1024)
    assert shapes["model.layers.0.mlp.up.weight"] == (4096, 1024)
    assert shapes["lm_head.weight"] == (32000, 1024)
    assert len(shapes) == 12 * 7 + 3


def test_the_page_s_own_python_runs(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(rules.parent)
    exec(block("python", 1), {})


def test_a_width_is_shown_in_the_config_s_words(rules: Path) -> None:
    load_rules(rules)
    up = next(row for row in archcount.load(CONFIG).rows if row.pattern.endswith("mlp.up.weight"))
    assert [archcount.dim.formula(size) for size in up.tensor.shape] == ["4 × d_model", "d_model"]


def test_a_key_without_a_default_is_named(rules: Path) -> None:
    load_rules(rules)
    with pytest.raises(ConfigValueError, match="n_heads is missing"):
        archcount.load({key: value for key, value in CONFIG.items() if key != "n_heads"})


def test_a_class_of_one_s_own_family_is_known_by_its_name(rules: Path) -> None:
    load_rules(rules)
    bare = archcount.load({**CONFIG, "architectures": ["ParrotModel"]})
    assert bare.totals.parameters == 160_183_296
    assert next(bare.tensors()).name == "embed.weight"
    unnamed = {**CONFIG, "model_type": None, "architectures": ["ParrotForCausalLM"]}
    assert archcount.load(unnamed).model_type == "parrot"


def test_a_package_registers_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parrot_rules.py").write_text(block("python"), encoding="utf-8")
    about = tmp_path / "parrot_rules-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot-rules\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[archcount.architectures]\nparrot = parrot_rules\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "parrot" in registry.model_types()
    assert archcount.load(CONFIG).totals.parameters == 160_183_296


def test_a_type_nobody_registered_is_unknown() -> None:
    with pytest.raises(UnknownArchitectureError, match="no rule for model_type 'parrot'"):
        archcount.load(CONFIG)


def test_a_second_load_of_the_same_file_does_nothing(rules: Path) -> None:
    load_rules(rules)
    load_rules(str(rules))
    assert archcount.load(CONFIG).model_type == "parrot"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import archcount\n1 / 0\n", r"wrong\.py: line 2: ZeroDivisionError: division by zero"),
        ("def rule(:\n", r"wrong\.py: line 1: SyntaxError"),
        (block("python").replace('"parrot"', '"llama"'), r"wrong\.py: model_type 'llama' has two owners"),
    ],
)
def test_a_file_that_cannot_be_run_is_refused_with_its_line(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(source, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_rules(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"missing\.py: no such file"):
        load_rules(tmp_path / "missing.py")


def test_a_file_that_is_no_python_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"rules\.txt: should be a Python file"):
        load_rules(path)


RULE = """from archcount import ModelConfig, architecture


@architecture("mine", config=ModelConfig)
def mine(config):
    return {}
"""


def _counted(folder: Path, capsys: pytest.CaptureFixture[str], rules: str, *options: str) -> tuple[int, str, str]:
    (folder / "rules.py").write_text(rules, encoding="utf-8")
    (folder / "mine.json").write_text('{"model_type": "mine"}', encoding="utf-8")
    code = main([str(folder / "mine.json"), "--rules", str(folder / "rules.py"), *options])
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("None", "the rule of mine returns a NoneType: should be a Module"),
        ("1 // 0", "--rules {rules}: line 6: ZeroDivisionError: integer division or modulo by zero"),
        ("config.nothing", "--rules {rules}: line 6: AttributeError: 'ModelConfig' object has no attribute 'nothing'"),
    ],
)
def test_a_rule_that_fails_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], returned: str, message: str
) -> None:
    code, out, err = _counted(tmp_path, capsys, RULE.format(returned))
    assert (code, out, err) == (2, "", f"archcount: {message.format(rules=tmp_path / 'rules.py')}\n")


def test_a_refusal_within_a_rule_stays_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = RULE.format("exact_div(7, 2)").replace("\n", "\nfrom archcount.dim import exact_div\n", 1)
    code, out, err = _counted(tmp_path, capsys, rules)
    assert (code, out) == (2, "")
    assert err == f"archcount: {tmp_path / 'mine.json'}: 7 (7) does not divide by 2 (2)\n"


def test_what_a_rules_file_prints_is_no_part_of_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _counted(tmp_path, capsys, "print('hello')", "--as", "gpt2", "--json")
    assert (code, err) == (0, "hello\n")
    assert json.loads(out)["parameters"] == 124_439_808


def test_a_rules_file_that_leaves_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _counted(tmp_path, capsys, "raise SystemExit(3)")
    assert (code, err) == (2, f"archcount: --rules {tmp_path / 'rules.py'}: line 1: SystemExit: 3\n")
