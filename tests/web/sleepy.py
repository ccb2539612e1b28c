"""A desk at which calls take too long, end their process, or compile first."""

from __future__ import annotations

import os
import time

from evolve_arena import core


class Desk:
    """Desk that answers when it likes."""

    def look(self) -> dict[str, int]:
        """Return the number of the process."""
        return {"process": os.getpid()}

    def step(self) -> None:
        """Sleep, without an answer."""
        time.sleep(600)

    def doze(self) -> str:
        """Answer late."""
        time.sleep(1.5)
        return "awake"

    def leave(self) -> None:
        """End the process."""
        os._exit(1)

    def compile(self) -> str:
        """Answer late, after a message that it compiles."""
        assert core.on_compile is not None
        core.on_compile("something", 1.0)
        time.sleep(1.5)
        return "compiled"
