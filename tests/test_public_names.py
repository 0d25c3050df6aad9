"""The public names: what `import archcount` promises."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import archcount


def test_the_names_are_sorted_and_there() -> None:
    assert archcount.__all__ == sorted(archcount.__all__)
    assert all(getattr(archcount, name) is not None for name in archcount.__all__)
    assert set(archcount.__all__) <= set(dir(archcount))


def test_the_lists_of_names_agree() -> None:
    """Type checkers read the imports under TYPE_CHECKING; Python looks names up in _HOME."""
    tree = ast.parse(Path(archcount.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert typed == archcount._HOME
    assert sorted(typed) == archcount.__all__


def test_no_module_takes_the_place_of_a_public_name() -> None:
    modules = {path.stem for path in Path(archcount.__file__).parent.iterdir()}
    assert modules & set(archcount.__all__) == set()


def test_what_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'archcount' has no attribute 'nothing'"):
        _ = archcount.nothing


def test_a_public_name_is_imported_when_it_is_first_used() -> None:
    code = "import archcount, sys; print('pydantic' in sys.modules); archcount.load; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
