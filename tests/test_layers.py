"""Imports go one way, from the command line down to sizes and errors (docs/architecture.md)."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "archcount"

# From the ground up: a part may import what stands in a row before its own.
LAYERS = (
    ("errors", "class_names", "marks", "faults", "paths"),
    ("hub_settings",),
    ("dim", "sources", "checkpoint", "images"),
    ("tree", "config"),
    ("rows", "blocks", "renaming", "precision", "positions", "schedules", "overrides"),
    ("heads", "encoder_heads", "quantization", "matching"),
    ("seq2seq_heads",),
    ("registry",),
    ("nested",),
    ("flat", "multimodal"),
    ("architectures", "rules_file", "classes"),
    ("accounting",),
    ("costs",),
    ("model",),
    ("design", "matched", "sweep"),
    ("verification", "difference"),
    ("expectations",),
    ("archcount",),  # the public names
    ("pytest_plugin",),
    ("show",),
    ("cli",),
    ("__main__",),
)
RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}
LEAVES = {"architectures.aliases", "checkpoint.dtypes"}  # tables that import nothing, so that anyone may read them
OUTSIDE = {
    "rich": {"show", "cli"},
    "typer": {"cli"},
    "huggingface_hub": {"checkpoint", "sources"},
    "gguf": {"checkpoint"},
    "msgspec": {"checkpoint"},
    "truststore": {"checkpoint"},
    "urllib3": {"checkpoint"},
    "pytest": {"pytest_plugin"},
    "pydantic": {"config", "faults", "flat", "nested", "architectures"},
}

Import = tuple[Path, str]


def _part(module: str) -> str:
    return module.partition(".")[0] or "archcount"


def _name(path: Path) -> str:
    """`blocks/norms.py` → `blocks.norms`; a package by its folder, the whole by its own name."""
    steps = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(steps[:-1] if steps[-1] == "__init__" else steps) or "archcount"


def _imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Every module a file imports, and whether it is of this package."""
    folder = path.relative_to(PACKAGE).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, False) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or "", False
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1]
            if node.module:
                yield ".".join((*base, node.module)), True
            else:  # `from . import a, b`
                yield from ((".".join((*base, alias.name)), True) for alias in node.names)


FILES = sorted(PACKAGE.rglob("*.py"))
OWN = [(path, module) for path in FILES for module, is_own in _imports(path) if is_own]
FOREIGN = [(path, module) for path in FILES for module, is_own in _imports(path) if not is_own]


def _shown(found: Iterator[Import]) -> list[str]:
    return sorted(f"{path.relative_to(PACKAGE)} imports {module}" for path, module in found)


def _is_known(module: str) -> bool:
    """Is it a part, and not a name such as `__version__` that `from .. import` takes from the package itself?"""
    return (PACKAGE / _part(module)).is_dir() or (PACKAGE / f"{_part(module)}.py").is_file()


def test_every_part_has_its_place() -> None:
    assert sorted({_part(_name(path)) for path in FILES} - set(RANK)) == []


def test_a_part_imports_only_what_stands_below_it() -> None:
    upward = (
        (path, module)
        for path, module in OWN
        if module not in LEAVES
        and _is_known(module)
        and _part(module) != _part(_name(path))
        and RANK.get(_part(module), 0) >= RANK.get(_part(_name(path)), 0)
    )
    assert _shown(upward) == []


@pytest.mark.parametrize(
    ("part", "allowed"),
    [
        ("errors", set()),
        ("dim", {"errors"}),
        ("tree", {"dim", "errors", "marks"}),
        ("rows", {"paths", "tree"}),
        ("config", {"class_names", "dim", "errors", "faults"}),
        ("blocks", {"dim", "tree", "errors"}),  # sizes, never configs
        ("checkpoint", {"errors", "hub_settings"}),  # never the tree: verify is where prediction and file meet
    ],
)
def test_what_stands_at_the_bottom_knows_little(part: str, allowed: set[str]) -> None:
    found = (
        (path, module) for path, module in OWN if _part(_name(path)) == part and _part(module) not in {part, *allowed}
    )
    assert _shown(found) == []


@pytest.mark.parametrize("part", ["accounting", "caches", "memory", "pairs", "flops", "quantization"])
def test_what_reads_rows_reads_neither_configs_nor_families(part: str) -> None:
    below = {"config", "blocks", "architectures", "registry", "heads"}
    assert _shown((path, module) for path, module in OWN if _part(_name(path)) == part and _part(module) in below) == []


def test_other_people_s_packages_are_imported_where_they_are_needed_alone() -> None:
    known = {*OUTSIDE, *sys.stdlib_module_names, "archcount"}
    assert _shown((path, module) for path, module in FOREIGN if _part(module) not in known) == []
    strays = (
        (path, module)
        for path, module in FOREIGN
        if _part(module) in OUTSIDE and _part(_name(path)) not in OUTSIDE[_part(module)]
    )
    assert _shown(strays) == []


@pytest.mark.parametrize("statement", ["pass", "archcount.load('llama-3.1-8b').totals"])
def test_counting_loads_no_more_than_pydantic(statement: str) -> None:
    code = f"import archcount, sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    assert set(_printed(code)) & set(OUTSIDE) <= {"pydantic"}


def test_counting_one_family_imports_no_other() -> None:
    code = "import archcount, sys; archcount.load('gpt2'); print(*sys.modules)"
    families = {name for name in _printed(code) if name.startswith("archcount.architectures.")}
    assert families == {"archcount.architectures.aliases", "archcount.architectures.gpt2"}


def _printed(code: str) -> list[str]:
    """What a fresh process prints, word by word."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=PACKAGE.parent).stdout.split()
