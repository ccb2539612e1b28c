"""What the individuals of ``td-lambda`` reach: against five opponents, and in concept states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from evolve_arena.arena.intervals import Sample
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.players.player import Player
from evolve_arena.runs.positions import find_own_positions, read_positions, solve_positions
from evolve_arena.runs.run import Run
from evolve_arena.studies.study import read_lines
from evolve_arena.studies.td_lambda.plan import OPPONENTS

CONCEPTS = {"A": "attack", "F": "defence", "R": "rows", "D": "diagonals", "K": "columns"}
"""The groups of concept states."""
COLUMNS = {"Slump": "random"}
"""What the publication calls an opponent otherwise than we do."""


@dataclass(frozen=True)
class Curve:
    """How a run's individual did at its checks."""

    games: list[int]
    """Training games before each check."""
    points: dict[str, list[Sample]]
    """By opponent; a draw counts half."""

    @property
    def final(self) -> float:
        """The mean over opponents of the points at the last check."""
        return fmean(samples[-1].share for samples in self.points.values())

    def smoothed(self, opponent: str) -> list[float]:
        """The shares as the publication draws them."""
        return smooth([sample.share for sample in self.points[opponent]])


def read_curve(run: Run) -> Curve:
    """The checks of *run*."""
    names = {specification: name for name, specification in OPPONENTS.items()}
    points: dict[str, list[Sample]] = {name: [] for name in OPPONENTS}
    generations: dict[int, None] = {}
    for check in run.checks():
        generations[check.generation] = None
        points[names[check.opponent]].append(Sample(check.wins + check.draws / 2, check.games))
    each = run.recipe.method["games"]
    return Curve([generation * each for generation in generations], points)


def smooth(values: Sequence[float]) -> list[float]:
    """Each value's mean with its neighbours; the first and the last stay as they are.

    >>> smooth([1.0, 2.0, 6.0, 1.0])
    [1.0, 3.0, 3.0, 1.0]
    """
    inner = [fmean(values[place - 1 : place + 2]) for place in range(1, len(values) - 1)]
    return [*values[:1], *inner, *values[1:][-1:]]


def pick_best(curves: Sequence[Curve]) -> int:
    """The place of the individual with the best final result; of equals the first."""
    return max(range(len(curves)), key=lambda place: (curves[place].final, -place))


def measure_concepts(run: Run, generation: int | None = None) -> dict[str, Sample]:
    """What the champion of a check does in concept states; that of the last one if None."""
    return concept_samples(run.champion_at(generation), run.method.decoder.game)


def concept_samples(player: Player, game: AnyGame, times: int = 100) -> dict[str, Sample]:
    """Return how many states of each group *player* solves, and of how many.

    One that draws its answers is asked *times* times.

    Raises:
        BadValueError: The concept states are not for the board of *game*.
    """
    path = find_own_positions(game)
    if path is None:
        raise BadValueError(f"concept states are not for {game.describe()}")
    solved = solve_positions(player, game, read_positions(game, path), times=times)["solved"]
    return {
        name[0]: Sample(group["share"] * group["count"], group["count"])
        for name, group in solved["by_group"].items()
    }


@cache
def published(table: str) -> dict[tuple[str, str], list[float]]:
    """A published table: by row and column, a value for each individual."""
    cells: dict[tuple[str, str], list[float]] = {}
    for line in read_lines(__package__, "tables.csv"):
        if line["table"] == table:
            row, column = (COLUMNS.get(line[key], line[key]) for key in ("row", "column"))
            cells.setdefault((row, column), []).append(float(line["value"]))
    return cells
