"""`archcount flops MODEL`."""

from typing import Annotated

import typer

from ..show.output import Style, show
from .cost_options import (
    ContextOption,
    ImageOption,
    ImagesOption,
    ProcessorOption,
    SourceOption,
    context_of,
    images_of,
)
from .opening import open_model
from .options import AsOption, FormatOption, JsonOption, ModelArgument, RevisionOption, RulesOption, SetOption


def command(
    model: ModelArgument,
    *,
    context: ContextOption = None,
    source: SourceOption = None,
    recompute: Annotated[
        str, typer.Option("--recompute", help="What training computes again: none, selective (attention) or full.")
    ] = "none",
    image: ImageOption = None,
    images: ImagesOption = None,
    processor: ProcessorOption = None,
    settings: SetOption = None,
    as_type: AsOption = None,
    revision: RevisionOption = None,
    rules: RulesOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """What a token costs to compute at a context: forward, for a whole sequence, and in training."""
    from ..show.flops import flops_page

    loaded = open_model(model, settings, as_type, revision, rules)
    seen = images_of(loaded, image, images, processor)
    found = loaded.flops(context_of(loaded, context, seen), source=source, recompute=recompute, images=seen)
    show(flops_page(loaded, found), style, as_json)
