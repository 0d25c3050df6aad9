"""`archcount verify MODEL [WEIGHTS]`."""

from typing import Annotated

import typer

from .options import AsOption, JsonOption, RevisionOption, RulesOption, SetOption
from .verifying import Opening, Style, verify_catalogue, verify_one

ModelOrNone = Annotated[
    str | None, typer.Argument(metavar="MODEL", help="A known name, a config.json or folder, or a Hub repository id.")
]
WeightsArgument = Annotated[
    str | None, typer.Argument(metavar="WEIGHTS", help="A file, a folder or a Hub repository id; else the model's own.")
]


def command(
    model: ModelOrNone = None,
    weights: WeightsArgument = None,
    *,
    strict: Annotated[bool, typer.Option("--strict", help="Notes fail too.")] = False,
    patterns: Annotated[bool, typer.Option("--all-patterns", help="Every pattern, not five of a kind.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Every known model against its published figures.")] = False,
    online: Annotated[bool, typer.Option("--online", help="With --all: against the Hub's own headers.")] = False,
    settings: SetOption = None,
    as_type: AsOption = None,
    revision: RevisionOption = None,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: Annotated[Style, typer.Option("--format", help="How to print the answer.")] = Style.TABLE,
) -> None:
    """Do the files hold what the config says, tensor by tensor? Exit code 0 match, 1 mismatch, 2 could not tell."""
    chosen = Style.JSON if as_json else style
    if everything:
        code = verify_catalogue(model, chosen, online=online, strict=strict)
    else:
        opening = Opening(settings=settings, as_type=as_type, revision=revision, rules=rules)
        code = verify_one(model, weights, chosen, opening, strict=strict, in_full=patterns)
    if code:
        raise typer.Exit(code)
