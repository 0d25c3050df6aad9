"""`archcount sweep MODEL --set KEY=VALUE,VALUE…`."""

from typing import Annotated

import typer

from ..show.output import Style, show
from .cost_options import CacheDtypeOption, ContextOption, SourceOption, context_of
from .opening import open_model
from .options import AsOption, FormatOption, JsonOption, ModelArgument, RevisionOption, RulesOption


def command(
    model: ModelArgument,
    settings: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUES", help="Values with commas between. Repeatable.")
    ],
    *,
    context: ContextOption = None,
    source: SourceOption = None,
    cache_dtype: CacheDtypeOption = None,
    as_type: AsOption = None,
    revision: RevisionOption = None,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """Parameters, cache and FLOPs for every combination of values."""
    from ..show.sweep import sweep_page
    from ..sweep import parse, sweep

    loaded = open_model(model, None, as_type, revision, rules)
    length = context_of(loaded, context)
    wanted = parse(settings)
    points = sweep(loaded.raw, wanted, context=length, source=source, cache_dtype=cache_dtype, as_type=as_type)
    show(sweep_page(loaded, points, length), style, as_json)
