"""How far a run is, shown in a notebook, or at the terminal if a script asks for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

from evolve_arena.core.extras import import_extra
from evolve_arena.runs.display import REFRESH_SECONDS, Display
from evolve_arena.runs.training import Callback, Progress, during_checks

if TYPE_CHECKING:
    from evolve_arena.runs.run import Run


@contextmanager
def show_progress(run: Run, wanted: bool | None) -> Iterator[list[Callback]]:
    """Gives the callback that shows how far *run* is; none if nobody wants to see it.

    Args:
        run: A run that is about to go on.
        wanted: Whether it is shown; if None, in notebooks only.
    """
    here = in_notebook()
    if wanted is False or (wanted is None and not here):
        yield []
        return
    with (NotebookDisplay if here else Display)(str(run.path)) as display:
        yield [display.watch]


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    if "ipykernel" not in sys.modules:
        return False
    shell: Any = sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class NotebookDisplay(Display):
    """A bar in the output of a cell, with what the last check said."""

    def __init__(self, title: str) -> None:
        super().__init__(title, quiet=True)
        self._handle: Any = None

    @during_checks
    def watch(self, progress: Progress) -> bool:
        """Shows *progress*, if it was not shown a moment ago; False if the run is to stop."""
        shows = import_extra("IPython.display", "notebook")
        going = super().watch(progress)
        ends = progress.generation >= progress.generations or not going
        if self._handle and not ends and progress.seconds - self._shown < REFRESH_SECONDS:
            return going
        self._shown = progress.seconds
        content = shows.HTML(
            f"<code>{escape(self.title)}</code> generation {progress.generation}"
            f" <progress max={progress.generations} value={progress.generation}></progress>"
            f" {progress.generations}<br>{escape(self._line(progress))}"
        )
        if self._handle is None:
            self._handle = shows.display(content, display_id=True)
        else:
            self._handle.update(content)
        return going
