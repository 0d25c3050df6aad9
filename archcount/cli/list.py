"""`archcount list`."""

from ..show.known import known_page
from ..show.output import Style, show
from .options import FormatOption, JsonOption


def command(*, as_json: JsonOption = False, style: FormatOption = Style.TABLE) -> None:
    """The models known by name, with the figures published for them."""
    from ..sources.catalog import known_models

    show(known_page(known_models()), style, as_json)
