"""The command ``evolve``. Nothing heavy is loaded before a command needs it."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import cast

from games.errors import ArenaError, one_line

__all__ = ["main"]


def main() -> None:
    """Runs the command line; bad input is one line on standard error and exit code 2."""
    code = 2
    try:
        _prepare_streams()
        code = _run()
        sys.stdout.flush()
    except ArenaError as error:
        _complain(str(error))
    except KeyboardInterrupt:
        _complain("interrupted")
        code = 130
    except BrokenPipeError:  # whoever read our output, `head` say, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except MemoryError as error:
        _complain(f"there is not enough memory: {error}".removesuffix(": "))
    except OSError as error:  # a name that no file can have, say, or a full disk
        _complain(f"{error.filename or 'the system says'}: {error.strerror or error}")
    sys.exit(code)


def _run() -> int:
    """Reads the command line and does what it says; loaded here, so that Ctrl-C is heeded."""
    import typer

    from runs.commands import app

    usage_error = cast(type[typer.BadParameter], typer.BadParameter.__base__)
    command = typer.main.get_command(app)
    try:
        with command.make_context("evolve", sys.argv[1:]) as context:
            command.invoke(context)
    except typer.Exit as end:
        return int(end.exit_code)
    except usage_error as error:
        path = error.ctx.command_path if error.ctx else "evolve"
        raise ArenaError(f"{one_line(error.format_message(), 200)} ({path} -h explains)") from None
    return 0


def _prepare_streams() -> None:
    """Lets nothing that is written or read fail on a letter, nor on a stream that is closed."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115  (for good)
            setattr(sys, name, stream)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _complain(text: str) -> None:
    print(f"evolve: {one_line(text, 292)}", file=sys.stderr)


if __name__ == "__main__":
    main()
