"""`archcount check [CONFIG…]`."""

from pathlib import Path
from typing import Annotated

import typer

from .checking import Style, run_checks
from .opening import register
from .options import JsonOption, RulesOption

ConfigsArgument = Annotated[
    list[Path] | None, typer.Argument(metavar="CONFIG…", help="Only these config files; else all that is expected.")
]
FileOption = Annotated[
    Path | None, typer.Option("--file", metavar="TOML", help="Where it stands what is expected; else the nearest.")
]


def command(
    configs: ConfigsArgument = None,
    *,
    file: FileOption = None,
    update: Annotated[bool, typer.Option("--update", help="Rewrite pinned figures that have changed.")] = False,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: Annotated[Style, typer.Option("--format", help="How to print the answer.")] = Style.TABLE,
) -> None:
    """Do the models of a project count to what its pyproject.toml or archcount.toml says? (docs/ci.md)"""
    register(rules)
    code = run_checks(configs or (), file, Style.JSON if as_json else style, is_update=update)
    if code:
        raise typer.Exit(code)
