"""`archcount diff A B`."""

from typing import Annotated

import typer

from ..show.difference import Only, difference_page
from ..show.output import Style, show
from .opening import open_model
from .options import FormatOption, JsonOption, RulesOption

LONGEST = 60  # lines of a table in Markdown, so that a comment on a pull request can hold it


def command(
    before: Annotated[str, typer.Argument(metavar="A", help="A known name, path, Hub repository id, or REV:path.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The same, of the model it is held against.")],
    *,
    only: Annotated[Only | None, typer.Option("--only", help="One part of the answer.")] = None,
    context: Annotated[int | None, typer.Option("--context", metavar="N", help="Tokens, for FLOPs per token.")] = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where there is a difference.")] = False,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """What differs between two configs, and what each key does; REV:path is a config at a revision in git."""
    from ..difference import diff

    found = diff(open_model(before, rules=rules), open_model(after, rules=rules), context=context)
    show(difference_page(found, only, LONGEST if style is Style.MARKDOWN else None), style, as_json)
    if exit_code and not found.is_empty:
        raise typer.Exit(1)
