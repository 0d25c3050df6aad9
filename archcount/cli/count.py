"""`archcount MODEL`."""

from typing import Annotated

import typer

from ..show.breakdown import By, breakdown_page
from ..show.output import Style, show
from .opening import open_model
from .options import AsOption, FormatOption, JsonOption, ModelArgument, RevisionOption, RulesOption, SetOption


def command(
    model: ModelArgument,
    *,
    by: Annotated[By, typer.Option("--by", help="What a line stands for.")] = By.PART,
    settings: SetOption = None,
    as_type: AsOption = None,
    revision: RevisionOption = None,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """The breakdown of a model: every part with its formula, its parameters and its share; then the totals."""
    loaded = open_model(model, settings, as_type, revision, rules)
    show(breakdown_page(loaded, by), style, as_json)
