"""The command ``evolve``. Nothing heavy is loaded before a command needs it."""

from __future__ import annotations

import os
import sys

import typer

from games.errors import ArenaError, one_line
from runs.commands import evolving, exchanging, joining, playing, recording, studying

__all__ = ["app", "main"]

app = typer.Typer(
    name="evolve",
    help="Breed board-game players by neuroevolution.",
    epilog="Start with: evolve start connect-four",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
evolving.register(app)
exchanging.register(app)
joining.register(app)
playing.register(app)
recording.register(app)
studying.register(app)


def main() -> None:
    """Runs the command line; bad input is one line on standard error and exit code 2."""
    try:
        app()
    except ArenaError as error:
        print(f"evolve: {one_line(str(error))}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("evolve: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # whoever read our output, `head` say, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


@app.callback(invoke_without_command=True)
def _describe(
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"evolve-arena {installed('evolve-arena')}")
        raise typer.Exit


if __name__ == "__main__":
    main()
