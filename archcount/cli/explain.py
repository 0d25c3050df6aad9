"""`archcount explain MODEL [PATTERN]`."""

from ..show.explain import explain_page
from ..show.output import Style, show
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
    settings: SetOption = None,
    as_type: AsOption = None,
    revision: RevisionOption = None,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """The arithmetic line by line: each matrix in the config's words and in numbers, each sum from what it sums."""
    loaded = open_model(model, settings, as_type, revision, rules)
    show(explain_page(loaded, pattern), style, as_json)
