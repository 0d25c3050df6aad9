"""`archcount compare A B C…`."""

from typing import Annotated

import typer

from ..show.compare import compare_page
from ..show.output import Style, show
from .opening import open_model
from .options import FormatOption, JsonOption, RulesOption


def command(
    models: Annotated[list[str], typer.Argument(metavar="MODEL…", help="Known names, paths or Hub repository ids.")],
    *,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """Models side by side, a line for each design choice."""
    show(compare_page([open_model(model, rules=rules) for model in models]), style, as_json)
