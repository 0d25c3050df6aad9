"""`archcount tensors MODEL [PATTERN]`."""

from typing import Annotated

import typer

from ..show.output import Style, show
from ..show.tensors import tensors_page
from .opening import open_model
from .options import (
    AsOption,
    FormatOption,
    JsonOption,
    ModelArgument,
    PatternArgument,
    RevisionOption,
    RulesOption,
    SetOption,
)


def command(
    model: ModelArgument,
    pattern: PatternArgument = None,
    *,
    each: Annotated[bool, typer.Option("--each", help="One tensor a line, in file order.")] = False,
    settings: SetOption = None,
    as_type: AsOption = None,
    revision: RevisionOption = None,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """Every tensor the weights must hold: names, shape, elements, and where it is stored."""
    loaded = open_model(model, settings, as_type, revision, rules)
    show(tensors_page(loaded, pattern, each=each), style, as_json)
