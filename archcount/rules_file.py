"""Architectures of your own: a Python file, run once, that registers them."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import ArchcountError, UsageError


def load_rules(path: str | Path) -> None:
    """Run the Python file at `path`, so that the architectures it registers are known.

    It runs with your rights, as any script does. A second call with the same path does nothing.

    Raises UsageError: no such file, or one that Python cannot run; the message names the file and line.
    """
    file = Path(path).resolve()
    name = f"archcount_rules_{file.stem}_{abs(hash(file))}"
    if name in sys.modules:
        return
    if not file.is_file():
        raise UsageError(f"--rules {path}: no such file")
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"--rules {path}: should be a Python file, with a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pydantic looks a schema's annotations up in its module
    try:
        with contextlib.redirect_stdout(sys.stderr):  # stdout is for the answer
            spec.loader.exec_module(module)
    except ArchcountError as error:
        del sys.modules[name]
        raise UsageError(f"--rules {path}: {error}") from error
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UsageError(f"--rules {path}: {_said(error, file)}") from error


@contextlib.contextmanager
def blamed_on(paths: Iterable[str | Path]) -> Iterator[None]:
    """What a rule in one of these files trips over while it counts is said to be that file's fault.

    Raises UsageError: the message names the file and line.
    """
    try:
        yield
    except ArchcountError:
        raise
    except Exception as error:  # whatever a user's file raises is told with its line
        for path in paths:
            if _where(error, file := Path(path).resolve()):
                raise UsageError(f"--rules {path}: {_said(error, file)}") from error
        raise


def _said(error: BaseException, file: Path) -> str:
    return f"{_where(error, file)}{type(error).__name__}: {error}"


def _where(error: BaseException, file: Path) -> str:
    """`line 7: `, the deepest line of `file` that the error came through."""
    lines = [error.lineno] if isinstance(error, SyntaxError) else []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f"line {lines[-1]}: " if lines else ""
