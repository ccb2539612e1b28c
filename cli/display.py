"""The live view of a run: on a terminal, as plain lines, and in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import Node
from evolve_arena.cli.output import as_text, format_interval, print_line
from evolve_arena.core.extras import import_extra
from evolve_arena.core.logs import Interruptible, format_seconds
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.check_points import find_scores
from evolve_arena.runs.training.loop import Callback, Progress, during_checks

REFRESH_SECONDS = 0.2


class Display(Interruptible):
    """A live view of a run, which stops it cleanly on Ctrl-C. Use it in a ``with`` statement.

    Args:
        title: Text above the view.
        quiet: True to show nothing.
    """

    until = "this generation"

    def __init__(self, title: str, *, quiet: bool = False) -> None:
        super().__init__(quiet=quiet)
        self.title = title
        self._console = Console(stderr=True, highlight=False)
        self._live: Live | None = None
        self._shown = 0.0
        self._begun = False
        self._told: int | None = None

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        super().__exit__(kind, *error)
        if self._live:
            self._live.stop()

    @during_checks
    def watch(self, progress: Progress) -> bool:
        """Show *progress*; return False if the run is to stop."""
        if not self._begun:
            self._begun = True
            if not self.quiet and self._console.is_terminal:
                self._live = Live(console=self._console, auto_refresh=False)
                self._live.start()
        now = time.perf_counter()
        last = progress.generation >= progress.generations and not progress.checking
        if self._live and (now - self._shown >= REFRESH_SECONDS or last or self.interrupted):
            self._live.update(self._draw(progress), refresh=True)
            self._shown = now
        elif (
            not self._live
            and not self.quiet
            and not progress.checking
            and progress.checked != self._told
        ):
            self._told = progress.checked
            print_line(self._line(progress), error=True)
        return not self.interrupted

    def _draw(self, progress: Progress) -> Group:
        bar = ProgressBar(total=max(1, progress.generations), completed=progress.generation)
        head = Table.grid(padding=(0, 1))
        head.add_row(
            bar,
            f"generation {progress.generation} of {progress.generations}",
            _left(progress),
        )
        body = Table.grid(padding=(0, 2))
        body.add_row("games", f"{progress.games:,} at {self._rate(progress)} a second")
        if "error" in progress.statistics:
            body.add_row("learning", _lessons(progress))
        else:
            body.add_row("fitness", _fitness(progress))
        if "species" in progress.statistics:
            body.add_row("population", f"{_species(progress)} a network")
        for node in progress.nodes:
            body.add_row(as_text(node.name), describe_node(node))
        for result in progress.results:
            told = _describe(result, progress.checked)
            body.add_row(as_text(f"against {result.names[1]}"), told)
        if progress.rating and progress.rating.error:
            body.add_row("strength", _strength(progress))
        if checking := progress.checking:
            body.add_row("check", f"{checking.played} of {checking.games} games against")
            body.add_row("", as_text(checking.opponent))
        return Group(as_text(self.title, style="bold"), head, body)

    def _line(self, progress: Progress) -> str:
        checks = "  ".join(
            f"{result.names[1]} {_share(result)}{_points(result)}" for result in progress.results
        )
        if "species" in progress.statistics:
            checks += f"  {_species(progress)}"
        if "error" in progress.statistics:
            checks += f"  {_lessons(progress)}"
        if progress.rating and progress.rating.error:
            checks += f"  {_strength(progress)}"
        return (
            f"generation {progress.checked}/{progress.generations}  won against {checks}  "
            f"{self._rate(progress)} games/s  {_left(progress)}"
        )

    def _rate(self, progress: Progress) -> str:
        return f"{progress.games / max(progress.seconds, 1e-9):,.0f}"


def _left(progress: Progress) -> str:
    return "" if progress.left is None else f"{format_seconds(progress.left)} left"


def _strength(progress: Progress) -> str:
    """Describe the newest champion's rating among the run's champions, and name the best one."""
    rating = progress.rating
    assert rating is not None
    best = "the best" if progress.best == progress.checked else f"best: {progress.best}"
    return f"Elo {rating.elo:+.0f} ± {rating.error:.0f} ({best})"


def describe_node(node: Node) -> str:
    """Describe the statistics of a machine in one line."""
    who = "gone" if not node.workers else f"{node.workers} worker{'s' * (node.workers > 1)}"
    again = f", {node.lost} lost and {node.late} late" if node.lost or node.late else ""
    return f"{who}, {node.rate:,.0f} games/s, {node.done:,} parts done{again}"


def _fitness(progress: Progress) -> str:
    statistics = progress.statistics
    return f"best {statistics.get('best', 0.0):.3f}, median {statistics.get('median', 0.0):.3f}"


def _lessons(progress: Progress) -> str:
    """Describe the error of a learner's values, and its share of random moves."""
    statistics = progress.statistics
    text = f"error {statistics['error']:.3f}"
    if "epsilon" in statistics:
        text += f", ε {statistics['epsilon']:.3f}"
    return text


def _species(progress: Progress) -> str:
    """Describe the number of species, and the mean size of networks."""
    statistics = progress.statistics
    return f"{statistics['species']:.0f} species, {statistics['connections']:.1f} connections"


def _describe(result: DuelResult, generation: int | None) -> str:
    games = f"{result.games} games won{_points(result)}"
    return f"{_share(result)} of {games} (generation {generation})"


def _share(result: DuelResult) -> str:
    share = format_interval(result.won, result.win_interval)
    if not result.forfeits:
        return share
    return f"{share} ({result.games - result.finished} of {result.games} forfeited)"


def _points(result: DuelResult) -> str:
    """Describe the champion's margin in points, if the game has points."""
    scores = find_scores(result)
    return f", points {scores}" if scores else ""


@contextmanager
def show_progress(run: Run, wanted: bool | None) -> Iterator[list[Callback]]:
    """Yield the callbacks that show the progress of a *run*.

    Args:
        run: A run that is about to continue.
        wanted: True to show it; if None, it is shown in notebooks only.
    """
    here = in_notebook()
    if wanted is False or (wanted is None and not here):
        yield []
        return
    with (NotebookDisplay if here else Display)(str(run.path)) as display:
        yield [display.watch]


def in_notebook() -> bool:
    """Test whether this process is the kernel of a notebook."""
    if "ipykernel" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class Handle(Protocol):
    """A displayed output of a notebook cell that can be updated."""

    def update(self, content: object) -> None:
        """Replace the content."""


class NotebookDisplay(Display):
    """A progress bar in the output of a cell, with the result of the last check."""

    def __init__(self, title: str) -> None:
        super().__init__(title, quiet=True)
        self._handle: Handle | None = None

    @during_checks
    def watch(self, progress: Progress) -> bool:
        """Show *progress*, at limited intervals; return False if the run is to stop."""
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
