"""A user's own architecture: the worked example of docs/your-own-architecture.md, from a file and from a package."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import archcount
from archcount import registry
from archcount.errors import ConfigValueError, UnknownArchitectureError, UsageError
from archcount.rules_file import load_rules

PAGE = (Path(__file__).parent.parent / "docs" / "your-own-architecture.md").read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)[number]


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
