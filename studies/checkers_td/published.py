"""The published results for ``checkers-td``: players and crosstables of Piotrowski (2004).

Both crosstables are read from the printed text, one row of a file for each cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evolve_arena.arena.intervals import Sample, mean_share
from evolve_arena.studies.study import read_lines

ROUNDS = ((13, 11), (7, 17), (8, 17), (6, 19))
"""Section 5.2: wins of RafalForw and RafalBack over each other in four rounds."""

WITHOUT_ROW = 15
"""Player without a row in table 5.9: not all of that tournament's games were played."""


@dataclass(frozen=True)
class Score:
    """The results of a player in some games against another."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.losses + self.draws

    @property
    def points(self) -> float:
        """A point for each win, half a point for each draw."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """Points per game."""
        return self.points / self.games

    def reversed(self) -> Score:
        """Return the same games from the other player's side."""
        return Score(self.losses, self.wins, self.draws)

    def __add__(self, other: Score) -> Score:
        return Score(self.wins + other.wins, self.losses + other.losses, self.draws + other.draws)


def mean_points(scores: Sequence[Score]) -> tuple[float, float, float, int]:
    """Return the mean share of points over seeds, its interval's ends, and the number of games."""
    return mean_share([Sample(score.points, score.games) for score in scores])


Crosstable = Mapping[tuple[int, int], Score]
"""Results of the first player, by the numbers of the first player and the second."""


def read_published(table: str) -> dict[tuple[int, int], tuple[Score, ...]]:
    """Return a published crosstable: the legible rounds of each cell.

    One cell of table 5.8 and row 15 of table 5.9 are empty; these are left out.

    Args:
        table: ``5.8`` (one round) or ``5.9`` (two rounds).
    """
    cells: dict[tuple[int, int], tuple[Score, ...]] = {}
    for line in read_lines(__package__, f"tournament_{table.replace('.', '_')}.csv"):
        if line["wins"]:
            place = int(line["row_no"]), int(line["col_no"])
            score = Score(int(line["wins"]), int(line["losses"]), int(line["draws"] or 0))
            cells[place] = (*cells.get(place, ()), score)
    return cells


def join_rounds(cells: Mapping[tuple[int, int], Sequence[Score]]) -> dict[tuple[int, int], Score]:
    """Return the sum of each cell's rounds."""
    return {place: sum(rounds, Score()) for place, rounds in cells.items()}


def sum_up(cells: Crosstable) -> dict[int, Score]:
    """Return each player's results in all games, in its own row and in the rows of the others."""
    sums: dict[int, Score] = {}
    for (first, second), score in cells.items():
        sums[first] = sums.get(first, Score()) + score
        sums[second] = sums.get(second, Score()) + score.reversed()
    return dict(sorted(sums.items()))


def meet(cells: Crosstable, heroes: Sequence[int], others: Sequence[int]) -> Score:
    """Return the sum of *heroes*' results against *others*, whoever moved first.

    Args:
        cells: Results of a tournament, by the numbers of first and second player.
        heroes: Numbers of the players whose results are added up.
        others: Numbers of their opponents; pairs without results are left out.
    """
    total = Score()
    for hero in heroes:
        for other in others:
            if hero != other:
                total += cells.get((hero, other), Score())
                total += cells.get((other, hero), Score()).reversed()
    return total


PLAYERS = {int(line["no"]): line["name"] for line in read_lines(__package__, "players.csv")}
"""The sixteen players by number. The text spells the sixth both RafaMore and RafalMore."""
