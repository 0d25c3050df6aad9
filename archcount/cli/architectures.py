"""`archcount architectures`."""

from ..show.families import families_page
from ..show.output import Style, show
from .opening import register
from .options import FormatOption, JsonOption, RulesOption


def command(*, rules: RulesOption = None, as_json: JsonOption = False, style: FormatOption = Style.TABLE) -> None:
    """The model types that can be counted, the file each stands in, and what its default config holds."""
    from ..registry import model_types

    register(rules)
    show(families_page(model_types()), style, as_json)
