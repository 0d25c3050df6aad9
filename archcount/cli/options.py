"""The arguments and options that verbs share, each with its one wording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..show.output import Style

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A known name, a config.json or folder, or a Hub repository id.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="What if the config said so? Dots for nested keys. Repeatable."),
]
AsOption = Annotated[
    str | None, typer.Option("--as", metavar="TYPE", help="Count by the rule of this model_type, not the config's own.")
]
RevisionOption = Annotated[
    str | None, typer.Option("--revision", metavar="REV", help="A branch, tag or commit of the Hub repository.")
]
RulesOption = Annotated[
    list[Path] | None,
    typer.Option("--rules", metavar="FILE", help="A Python file with your own architectures; it is run. Repeatable."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object (docs/json.md), nothing else.")]
FormatOption = Annotated[Style, typer.Option("--format", help="How to print the answer.")]
PatternArgument = Annotated[
    str | None,
    typer.Argument(metavar="PATTERN", help="Only tensors with this in their name; * stands for anything."),
]
