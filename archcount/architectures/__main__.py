"""Rewrite the table of model_types from the files beside this one: `python -m archcount.architectures`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
HEAD = '"""Which file holds a model_type; made by `python -m archcount.architectures`."""\n\n'


def table() -> str:
    """The source of aliases.py: every model_type that a file here registers, and the file."""
    files = sorted([*HERE.glob("[!_]*.py"), *HERE.glob("towers/[!_]*.py")])
    pairs = sorted(pair for path in files for pair in _registered(path))
    lines = "".join(f'    "{model_type}": "{file}",\n' for model_type, file in pairs)
    return f"{HEAD}FILE_OF: dict[str, str] = {{\n{lines}}}\n"


def _registered(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "architecture":
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value, ".".join(path.relative_to(HERE).with_suffix("").parts)


if __name__ == "__main__":
    (HERE / "aliases.py").write_text(table(), encoding="utf-8")
