"""Watchdog for code that may never end, which reports the function at work."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType

from evolve_arena.players.board import kernel

SECONDS = 10.0
"""Time after which a call into a game's file counts as stuck; usual ones take 1/1000 of it."""
LOOKS = 10
"""Number of checks within that time, after which a call counts as stuck."""


class Watch:
    """A watchdog over this thread while it plays by a game's file.

    It reports a stuck call once, from another thread, which cannot stop it.

    Args:
        file: The game's file.
        report: Takes a sentence, and the name of the function at work; an empty name for compiled
            code, whose function is unknown.
        seconds: Maximum time of one call; :data:`SECONDS` if None.
    """

    def __init__(
        self, file: Path, report: Callable[[str, str], None], seconds: float | None = None
    ) -> None:
        self._file, self._report, self._seconds = file, report, seconds or SECONDS
        self._watched = threading.get_ident()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        before, looks = None, 0
        while not self._done.wait(self._seconds / LOOKS):
            call, line = self._find_call()
            looks = looks + 1 if call is before and call is not None else 0
            before = call
            if call is not None and looks == LOOKS:
                self._report(*self._describe(call, line))
                return

    def _find_call(self) -> tuple[FrameType | None, int]:
        """Return the call into the file or into compiled matches, and the file's current line."""
        # Python 3.11 may collect garbage in here, and the code that it then runs lets the watched
        # thread go on: its calls end, and f_back follows a pointer to one that is gone.
        collects = gc.isenabled()
        gc.disable()
        try:
            frame = innermost = sys._current_frames().get(self._watched)
            call, line = None, 0
            while frame is not None:
                if frame.f_code.co_filename == str(self._file):
                    call, line = frame, line or frame.f_lineno
                frame = frame.f_back
        finally:
            if collects:
                gc.enable()
        if call is None and innermost and innermost.f_code.co_filename == kernel.__file__:
            return innermost, 0
        return call, line

    def _describe(self, call: FrameType, line: int) -> tuple[str, str]:
        took = f"for {self._seconds:g} seconds, and may never end"
        if not line:
            return f"{self._file}: a compiled game has gone on {took}", ""
        name = call.f_code.co_name.replace("<module>", "the file")
        return f"{self._file}, line {line}: {name} has been at work {took}", name
