"""`archcount`: find the verb, import it alone, and turn every refusal into one line and an exit code."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ..errors import ArchcountError, UnknownModelError
from .verbs import DEFAULT, VERBS, command_of

REFUSED = 2  # wrong use or bad input
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
HELP = """Read a model's config and state every tensor its weights must hold.

`archcount MODEL` is short for `archcount count MODEL`. MODEL is a known name (archcount list), a config.json, a
params.json, a folder that holds one, or a repository id of the Hugging Face Hub."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code: 0 yes, 1 no, 2 wrong use or bad input."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    asked = with_verb(given)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot write × shows ? instead of failing
    try:
        return _run(asked)
    except UnknownModelError as error:
        return _refuse(f"{error}{_nearest_verb(given)}")
    except ArchcountError as error:
        return _refuse(str(error))
    except typer.TyperException as error:
        message = error.format_message().replace("Value error, ", "").rstrip(".")
        return _refuse(f"{message}{_nearest_verb(given) or f' (see archcount {asked[0]} --help)'}")
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED


def with_verb(arguments: Sequence[str]) -> list[str]:
    """The arguments with `count` put before them where they name no verb: `llama-3.1-8b --json`."""
    if not arguments:
        return ["--help"]
    return [*arguments] if arguments[0] in {*VERBS, "--help", "--version"} else [DEFAULT, *arguments]


def _nearest_verb(arguments: Sequence[str]) -> str:
    """` (did you mean the verb explain?)` after a first word that is nearly one."""
    from difflib import get_close_matches  # only an error needs it

    near = get_close_matches(arguments[0], VERBS, n=1, cutoff=0.75) if arguments and arguments[0] not in VERBS else []
    return f" (did you mean archcount {near[0]}?)" if near else ""


def _run(arguments: Sequence[str]) -> int:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback(help=HELP, invoke_without_command=True, no_args_is_help=True)(_options)
    asked = arguments[0] if arguments else ""
    for verb in [asked] if asked in VERBS else VERBS:
        app.command(verb, short_help=VERBS[verb])(command_of(verb) if verb == asked else _not_asked_for)
    return int(app(list(arguments), prog_name="archcount", standalone_mode=False) or 0)


def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        from .. import __version__

        print(f"archcount {__version__}")


def _not_asked_for() -> None:
    """Stands in the list of verbs for one whose code is not needed."""


def _refuse(message: str) -> int:
    from ..show.wrapping import printable  # only an error needs it

    print(f"archcount: {printable(' '.join(message.split()))}", file=sys.stderr)
    return REFUSED
