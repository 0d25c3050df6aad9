"""`archcount weights PATH|REPO`."""

from typing import Annotated

import typer

from ..show.output import Style, show
from .options import FormatOption, JsonOption, RevisionOption


def command(
    weights: Annotated[str, typer.Argument(metavar="WEIGHTS", help="A file, a folder or a Hub repository id.")],
    *,
    revision: RevisionOption = None,
    as_json: JsonOption = False,
    style: FormatOption = Style.TABLE,
) -> None:
    """What the headers of weights hold by their own account, by module and type; no config is asked."""
    from ..checkpoint.sources import read_checkpoint
    from ..show.weights import weights_page
    from .progress import progress

    with progress() as on_progress:
        checkpoint = read_checkpoint(weights, revision=revision, on_progress=on_progress)
    show(weights_page(checkpoint), style, as_json)
