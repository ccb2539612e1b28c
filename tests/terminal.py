"""Games at a terminal: in memory, where a text is typed, and at a real one."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from evolve_arena.cli.play import Plan, PlayOptions, Screen, Session
from evolve_arena.core.game import AnyGame
from evolve_arena.players.player import Player

__all__ = ["Terminal", "Typist", "invite", "sit"]


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def sit(
    game: AnyGame,
    typed: str,
    players: Sequence[Player | None],
    plan: Plan | None = None,
    advisor: Callable[[], Player] | None = None,
) -> tuple[Session, str]:
    """Play a session in which a person types the lines *typed*; return it and its output."""
    seen = io.StringIO()
    screen = Screen(io.StringIO(typed), seen)
    session = Session(game, players, plan or Plan(seed=1), screen, advisor)
    session.run()
    return session, seen.getvalue()


def invite(typed: str, **wishes: object) -> tuple[Session, str]:
    """Play a session with the options of the command line; return it and its output."""
    seen = io.StringIO()
    return PlayOptions(**wishes).play(Screen(io.StringIO(typed), seen)), seen.getvalue()


class Typist:
    """A person at a real terminal who types ``evolve`` and *words*."""

    def __init__(self, *words: str, folder: Path, **environment: str) -> None:
        command = [sys.executable, "-m", "evolve_arena.cli.main", *words]
        kept = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        self.process, self.here = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            for number in (signal.SIGINT, signal.SIGHUP):  # who started the tests may ignore it
                signal.signal(number, signal.SIG_DFL)
            os.execve(command[0], command, kept | environment)
        self.seen = ""

    def wait_for(self, text: str, seconds: float = 60) -> None:
        """Read until *text* has come."""
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            self._read(deadline)

    def _read(self, deadline: float) -> None:
        ready, _, _ = select.select([self.here], [], [], deadline - time.monotonic())
        assert ready, self.seen
        self.seen += os.read(self.here, 65536).decode(errors="replace")

    def type(self, text: str | bytes) -> None:
        """Type *text*, and forget the output so far."""
        self.seen = ""
        os.write(self.here, text.encode() if isinstance(text, str) else text)

    def leave(self, seconds: float = 60) -> int:
        """Return the exit status, once all is read."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(OSError):  # how Linux says that the other end is closed
            while True:
                self._read(deadline)
        os.close(self.here)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
