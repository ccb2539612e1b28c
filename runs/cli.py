"""The command ``evolve``. Nothing heavy is loaded before a command needs it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

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
    """Runs the command line; bad input is one line on standard error and exit code 2.

    SIGTERM and SIGHUP do what Ctrl-C does: a run stops with a checkpoint, bots are ended. The
    exit code is 130 then, or 128 and the number of the signal.
    """
    with _signals_as_ctrl_c() as signals:
        _run(signals)


def _run(signals: list[int]) -> None:
    try:
        app()
    except ArenaError as error:
        print(f"evolve: {one_line(str(error))}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        if not signals:
            print("evolve: interrupted", file=sys.stderr)
        _exit_stopped(signals)
    except BrokenPipeError:  # whoever read our output, `head` say, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except SystemExit as ending:
        if not signals or ending.code not in {0, None, 130}:
            raise
        _exit_stopped(signals)


def _exit_stopped(signals: list[int]) -> None:
    if signals:
        with suppress(OSError):  # the terminal may be gone
            print(f"evolve: stopped by {signal.Signals(signals[0]).name}", file=sys.stderr)
    sys.exit(128 + (signals[0] if signals else signal.SIGINT))


@contextmanager
def _signals_as_ctrl_c() -> Iterator[list[int]]:
    """Lets SIGTERM and SIGHUP do what Ctrl-C does; those that came are noted in the list.

    One that is ignored stays so: that is how ``nohup`` works.
    """
    signals: list[int] = []
    own = os.getpid()
    terminals = [descriptor for descriptor in range(3) if os.isatty(descriptor)]

    def stop(number: int, frame: FrameType | None) -> None:
        if os.getpid() != own:
            return  # a forked process, which its caller ends
        signals.append(number)
        for descriptor in terminals:
            if not os.isatty(descriptor):  # hung up; writing there would be an error
                os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler):  # started in the background, where Ctrl-C does not reach
            raise KeyboardInterrupt
        handler(signal.SIGINT, frame)

    heard = [signal.SIGTERM, signal.SIGHUP]
    before = {number: signal.getsignal(number) for number in heard}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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
