"""`archcount`: find the verb, import it alone, and turn every refusal into one line and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ..errors import ArchcountError
from .verbs import DEFAULT, VERBS, command_of

REFUSED = 2  # wrong use or bad input
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
HELP = """Read a model's config and state every tensor its weights must hold.

`archcount MODEL` is short for `archcount count MODEL`. MODEL is a known name (archcount list), a config.json, a
params.json, a folder that holds one, or a repository id of the Hugging Face Hub."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code: 0 yes, 1 no, 2 wrong use or bad input."""
    try:
        code = _run(with_verb(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except ArchcountError as error:
        return _refuse(str(error))
    except typer.TyperException as error:
        return _refuse(f"{error.format_message()} (see archcount --help)")
    except BrokenPipeError:
        # The reader has left (`| head`): nothing more may be written, at exit neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    return code


def with_verb(arguments: Sequence[str]) -> list[str]:
    """The arguments with `count` put before them where they name no verb: `llama-3.1-8b --json`."""
    first = arguments[0] if arguments else "--help"
    return [*arguments] if first in VERBS or first in {"--help", "--version"} else [DEFAULT, *arguments]


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
    print(f"archcount: {' '.join(message.split())}", file=sys.stderr)
    return REFUSED
