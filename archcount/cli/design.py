"""`archcount design --like MODEL`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from ..show.output import Style, show
from .opening import open_model
from .options import FormatOption, JsonOption, RulesOption, SetOption

if TYPE_CHECKING:
    from ..model import Model
    from ..show.page import Page


def command(
    like: Annotated[str, typer.Option("--like", metavar="MODEL", help="The model whose shape is kept.")],
    *,
    parameters: Annotated[str | None, typer.Option("--parameters", metavar="N", help="Wanted: 3B, 350M …")] = None,
    free: Annotated[
        str | None, typer.Option("--free", metavar="KEY,KEY", help="What may change; all if left out.")
    ] = None,
    multiple: Annotated[int, typer.Option("--multiple-of", metavar="N", help="The grid of widths.")] = 256,
    match: Annotated[str | None, typer.Option("--match", help="mlp: the gated width that equals a plain one.")] = None,
    plain: Annotated[
        int | None, typer.Option("--plain", help="With --match: the plain width; 4 × the model's.")
    ] = None,
    multiplier: Annotated[float, typer.Option("--multiplier", help="With --match: ffn_dim_multiplier.")] = 1.0,
    output: Annotated[Path | None, typer.Option("--output", help="Write the nearest as a config.json.")] = None,
    settings: SetOption = None,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """Configs of the same shape with another number of parameters; or the width of a gated MLP."""
    model = open_model(like, settings, rules=rules)
    if (parameters is None) == (match is None):
        raise UsageError("design: give --parameters N, or --match mlp")
    if match is not None:
        show(_matched(model, match, plain, multiple, multiplier), style, as_json)
        return
    show(_sized(model, parameters or "", free or "", multiple, output), style, as_json)


def _sized(model: Model, parameters: str, free: str, multiple: int, output: Path | None) -> Page:
    from ..design import designs, parameters_of
    from ..show.design import design_page

    keys = [key.strip() for key in free.split(",") if key.strip()]
    found = designs(model, parameters_of(parameters), free=keys, multiple=multiple)
    if output is not None:
        _write(output, found[0].config)
    return design_page(model, found)


def _matched(model: Model, match: str, plain: int | None, multiple: int, multiplier: float) -> Page:
    from ..design import Shape
    from ..matched import matched
    from ..show.design import matched_page

    if match != "mlp":
        raise UsageError(f"--match {match!r}: should be mlp")
    shape = Shape.of(model)
    width = shape.values[shape.width]
    return matched_page(matched(width, plain=plain, multiple=multiple, multiplier=multiplier))


def _write(path: Path, config: Mapping[str, object]) -> None:
    try:
        path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--output {path}: {error.strerror}") from error
