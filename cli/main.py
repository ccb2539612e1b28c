"""The entry point ``evolve``. Nothing heavy is loaded before a command needs it."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from types import FrameType
from typing import cast

from evolve_arena.core import errors
from evolve_arena.core.errors import ArenaError, one_line

DEAF = {
    *("_raw_object_cache_notify", "_raw_object_cache_getbuffer"),
    *("__del__", "__set_name__"),
}
"""Functions that swallow a KeyboardInterrupt, or turn it into another error: two of llvmlite's
``ExecutionEngine``, destructors, and what Python calls while it makes a class."""
ON_TIMER = "SIGALRM"
"""The signal of timers, which Windows lacks."""


def main() -> None:
    """Run the command line; bad input is one line on standard error and exit code 2.

    SIGTERM and SIGHUP, on Windows SIGBREAK, act like Ctrl-C: a run stops with a checkpoint, bots
    are ended. The exit code is then 130, or 128 plus the number of the signal.
    """
    with _signals_as_ctrl_c() as signals:
        code = _answer(signals)
        if signals and code in {0, 130}:
            with suppress(OSError):  # the terminal may be gone
                _complain(f"stopped by {signal.Signals(signals[0]).name}")
            code = 128 + signals[0]
    # An interrupt in a text that Python executes, as modules do when they are loaded, leaves a
    # mark by which `python -m` ends itself with SIGINT, whatever the code; the next text wipes it.
    exec("")
    sys.exit(code)


def _answer(signals: list[int]) -> int:
    """Run what was typed, and return the exit code; errors become one line."""
    errors.at_command_line = True
    try:
        _prepare_streams()
        code = _run()
        sys.stdout.flush()
    except ArenaError as error:
        _complain(str(error))
        return 2
    except KeyboardInterrupt:
        if not signals:
            _complain("interrupted")
        return 130
    except BrokenPipeError:  # the reader of our output, such as `head`, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError as error:
        _complain(f"there is not enough memory: {error}".removesuffix(": "))
        return 2
    except OSError as error:  # a name that no file can have, say, or a full disk
        _complain(f"{error.filename or 'the system says'}: {error.strerror or error}")
        return 2
    finally:
        errors.at_command_line = False
    return code


def _run() -> int:
    """Parse and run the command line; modules are loaded here, so that Ctrl-C is heeded."""
    import typer

    from evolve_arena import core
    from evolve_arena.cli.app import app
    from evolve_arena.cli.commands.completion import VARIABLE, answer_shell
    from evolve_arena.core.logs import tell_compiling

    if VARIABLE in os.environ:
        answer_shell(app, os.environ)
        return 0
    core.on_compile = tell_compiling
    core.on_stuck = _complain

    words = sys.argv[1:]
    usage_error = cast(type[typer.BadParameter], typer.BadParameter.__base__)
    command = typer.main.get_command(app)
    try:
        with command.make_context("evolve", list(words) or ["--help"]) as context:
            command.invoke(context)
    except typer.Exit as end:
        return int(end.exit_code) if words else 2
    except usage_error as error:
        path = error.ctx.command_path if error.ctx else "evolve"
        raise ArenaError(f"{one_line(error.format_message(), 200)} ({path} -h explains)") from None
    return 0


@contextmanager
def _signals_as_ctrl_c() -> Iterator[list[int]]:
    """Let SIGTERM and SIGHUP act like Ctrl-C; yield a list of the signals that were received.

    An ignored signal stays ignored: that is how ``nohup`` works. Ctrl-C itself interrupts as usual,
    except where an interrupt would be lost: in destructors, while a class is made, and where LLVM
    asks for machine code, which without an answer would end in a segmentation fault.
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
            handler = interrupt
        handler(signal.SIGINT, frame)

    def interrupt(number: int, frame: FrameType | None) -> None:
        inside = frame
        while inside:
            if inside.f_code.co_name in DEAF:
                if hasattr(signal, ON_TIMER):
                    signal.setitimer(signal.ITIMER_REAL, 0.001)  # then once more
                else:
                    threading.Timer(0.001, _thread.interrupt_main).start()
                return
            inside = inside.f_back
        raise KeyboardInterrupt

    ways = {"SIGTERM": stop, "SIGHUP": stop, "SIGBREAK": stop, ON_TIMER: interrupt}
    heard = {getattr(signal, name): way for name, way in ways.items() if hasattr(signal, name)}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        heard[signal.SIGINT] = interrupt
    before = {number: signal.getsignal(number) for number in heard}
    for number, handler in heard.items():
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield signals
    finally:
        if hasattr(signal, ON_TIMER):
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, previous in before.items():
            signal.signal(number, previous)


def _prepare_streams() -> None:
    """Make the standard streams robust: against unencodable characters, and if one is closed."""
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
