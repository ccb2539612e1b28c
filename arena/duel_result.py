"""Results of duels, their shares with intervals, and warnings about them.

A forfeit is a loss of the offender, and a win of no one: a player's shares are of the games that
ended by the rules and of those that it forfeited itself. Else a program that fails to start would
count as beaten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from evolve_arena.arena.statistics import json_interval, json_share, wilson_interval
from evolve_arena.core.html import make_table
from evolve_arena.core.types import JsonObject

REPEATED = 2
"""Games per distinct game above which intervals are too narrow."""


@dataclass(frozen=True)
class ForfeitCount:
    """Number of a player's forfeits of one kind."""

    player: int
    """0 for the first player of a duel, 1 for the second."""
    kind: str
    """A value of :class:`evolve_arena.players.player.Forfeit`."""
    games: int
    sentence: str
    """Description of the first of these forfeits."""
    errors: tuple[str, ...] = ()
    """The last lines that a program had written to standard error at that forfeit, safe to
    print."""


class Score:
    """Numbers of games won, drawn, lost and forfeited, and shares that are computed from them."""

    wins: int
    draws: int
    losses: int
    forfeits: tuple[ForfeitCount, ...]

    @property
    def games(self) -> int:
        """Number of games played."""
        return self.finished + sum(forfeit.games for forfeit in self.forfeits)

    @property
    def finished(self) -> int:
        """Number of games that ended by the rules."""
        return self.wins + self.draws + self.losses

    @property
    def counted(self) -> int:
        """Number of games that shares refer to: all except those that the opponent forfeited."""
        return self.finished + sum(f.games for f in self.forfeits if f.player == 0)

    @property
    def score(self) -> float:
        """The share of the points, a draw being half a point; NaN without games."""
        return (self.wins + self.draws / 2) / self.counted if self.counted else float("nan")

    @property
    def score_interval(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`score`."""
        return wilson_interval(self.wins + self.draws / 2, self.counted)

    @property
    def won(self) -> float:
        """The share of games won; NaN without games."""
        return self.wins / self.counted if self.counted else float("nan")

    @property
    def win_interval(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`won`."""
        return wilson_interval(self.wins, self.counted)


@dataclass(frozen=True)
class Tally(Score):
    """Numbers of games won, drawn and lost, without forfeits."""

    wins: int
    draws: int
    losses: int
    forfeits: tuple[ForfeitCount, ...] = ()


@dataclass(frozen=True)
class Side:
    """Results of one of the two players at all its seats, in games with points.

    A game that ended by a forbidden move counts with its last position.
    """

    columns: dict[str, float]
    """The means of the game's counts for each seat; see `GameSpec.columns`."""
    points_interval: tuple[float, float]
    """The 95 % interval of the mean of points, from pairs of games with the same seed."""
    above: dict[int, float]
    """The share of the player's seats with more points than each of `GameSpec.limits`."""
    above_intervals: dict[int, tuple[float, float]]
    """The 95 % intervals of these shares, as if seats were independent."""
    forbidden: int
    """Number of games that the player ended by a forbidden move."""

    @property
    def points(self) -> float:
        """The mean of the player's points over all its seats."""
        return self.columns["points"]

    def to_dict(self) -> JsonObject:
        """Return everything as JSON."""
        return {
            **self.columns,
            "points_95": json_interval(self.points_interval),
            "above": {str(limit): share for limit, share in self.above.items()},
            "above_95": {str(limit): list(ends) for limit, ends in self.above_intervals.items()},
            "forbidden_moves": self.forbidden,
        }


@dataclass(frozen=True)
class DuelResult(Score):
    """The result of a duel, from the first player's side.

    In games of more than two seats, they take alternate seats, and the player with the better best
    place wins.
    """

    names: tuple[str, str]
    wins: int
    """Games won by the rules."""
    draws: int
    losses: int
    """Games lost by the rules."""
    distinct_games: int
    """Number of different games that ended by the rules; few of them carry little information."""
    terminations: dict[str, int]
    """Number of games by the way they ended."""
    forfeits: tuple[ForfeitCount, ...] = field(default=(), kw_only=True)
    """Forfeits by player and kind."""
    seats: int = 2
    """Number of seats in each match."""
    sides: tuple[Side, Side] | None = None
    """Results of each player; like the following, only in games with points."""
    margin: float = 0.0
    """The first player's lead in points per seat: the mean over games."""
    margin_interval: tuple[float, float] = (0.0, 0.0)
    """The 95 % interval of :attr:`margin`, from pairs of games with the same seed."""
    columns: dict[str, float] = field(default_factory=dict)
    """The means of the counts for each match, over matches that ended by the rules."""

    @property
    def wilson_95(self) -> tuple[float, float]:
        """The 95 % interval of :attr:`score`."""
        return self.score_interval

    def reversed(self) -> DuelResult:
        """Return the result from the second player's side."""
        return DuelResult(
            (self.names[1], self.names[0]),
            self.losses,
            self.draws,
            self.wins,
            self.distinct_games,
            self.terminations,
            forfeits=tuple(replace(f, player=1 - f.player) for f in self.forfeits),
            seats=self.seats,
            sides=self.sides and self.sides[::-1],
            margin=-self.margin,
            margin_interval=(-self.margin_interval[1], -self.margin_interval[0]),
            columns=self.columns,
        )

    def __str__(self) -> str:
        """Return the players, the score with its interval, and the games, in a line."""
        low, high = self.score_interval
        text = f"{self.names[0]} against {self.names[1]}: score {self.score:.3f}"
        text += f" [{low:.3f}, {high:.3f}] in {self.games} games"
        return f"{text} ({self.wins} won, {self.draws} drawn, {self.losses} lost)"

    def _repr_html_(self) -> str:
        low, high = self.wilson_95
        told = {
            "games": self.games,
            "won": self.wins,
            "drawn": self.draws,
            "lost": self.losses,
            "score": f"{self.score:.3f}",
            "95 % interval": f"{low:.3f} to {high:.3f}",
            "distinct games": self.distinct_games,
            "forfeited": ", ".join(f"{f.games} {f.kind}" for f in self.forfeits) or "0",
        }
        return make_table(" against ".join(self.names), list(told), [list(told.values())])

    def to_dict(self) -> JsonObject:
        """Return everything as JSON; shares of no games and infinite intervals are None."""
        more: JsonObject = {}
        if self.sides:
            more = {
                "seats": self.seats,
                "margin": self.margin,
                "margin_95": json_interval(self.margin_interval),
                **self.columns,
                "sides": [side.to_dict() for side in self.sides],
            }
        return {
            "players": list(self.names),
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "finished_games": self.finished,
            "counted_games": self.counted,
            "score": json_share(self.score),
            "wilson_95": list(self.wilson_95),
            "distinct_games": self.distinct_games,
            "terminations": self.terminations,
            "forfeits": describe_forfeits(self.names, self.forfeits),
            **more,
        }


def count_forfeits(
    cases: Iterable[tuple[int, str, str, tuple[str, ...]]],
) -> tuple[ForfeitCount, ...]:
    """Count forfeits by player and kind, in order of appearance.

    Args:
        cases: The player, the kind, the sentence and the last errors of each forfeited game.
    """
    found: dict[tuple[int, str], ForfeitCount] = {}
    for player, kind, sentence, errors in cases:
        before = found.get((player, str(kind)))
        found[player, str(kind)] = (
            replace(before, games=before.games + 1)
            if before
            else ForfeitCount(player, str(kind), 1, sentence, errors)
        )
    return tuple(found.values())


def join_forfeits(parts: Iterable[Iterable[ForfeitCount]]) -> tuple[ForfeitCount, ...]:
    """Join the counts of several *parts* of a duel."""
    found: dict[tuple[int, str], ForfeitCount] = {}
    for row in (row for part in parts for row in part):
        before = found.get((row.player, row.kind))
        found[row.player, row.kind] = (
            replace(before, games=before.games + row.games) if before else row
        )
    return tuple(found.values())


def describe_forfeits(names: Sequence[str], forfeits: Iterable[ForfeitCount]) -> list[JsonObject]:
    """Return *forfeits* as JSON, with the names of the players who forfeited."""
    return [
        {
            "player": forfeit.player,
            "name": names[forfeit.player],
            "kind": forfeit.kind,
            "games": forfeit.games,
            "first": forfeit.sentence,
            "stderr": list(forfeit.errors),
        }
        for forfeit in forfeits
    ]


def describe_repeats(distinct: int, games: int) -> str | None:
    """Return a warning if most of the *games* that ended by the rules were the same, else None.

    >>> describe_repeats(2, 200)
    'only 2 of 200 games are distinct: the intervals are too narrow'
    """
    if distinct >= games / REPEATED:
        return None
    return f"only {distinct} of {games} games are distinct: the intervals are too narrow"


HINT = "; --openings 4 begins each pair of games differently"


def forfeit_cells(forfeits: Sequence[JsonObject]) -> tuple[str, str]:
    """Return two cells of a table: the forfeits of the first player, and of the second.

    >>> row = {"player": 1, "kind": "crash", "games": 3}
    >>> forfeit_cells([row, {**row, "kind": "time-out", "games": 1}])
    ('0', '4 (crash 3, time-out 1)')
    """
    cells = []
    for player in (0, 1):
        rows = [row for row in forfeits if row["player"] == player]
        kinds = ", ".join(f"{row['kind']} {row['games']}" for row in rows)
        cells.append(f"{sum(row['games'] for row in rows)} ({kinds})" if rows else "0")
    return cells[0], cells[1]


def list_caveats(content: JsonObject, *, where: str = "", hint: bool = True) -> list[str]:
    """List warnings about a duel, or about several duels of one player.

    Args:
        content: The duel, as returned by `evolve_arena.arena.duel_result.DuelResult.to_dict`.
        where: Prefix of each line, such as the name of the opponent.
        hint: Name the option that makes games differ.
    """
    lines = []
    for player in (0, 1):
        rows = [row for row in content["forfeits"] if row["player"] == player]
        if not rows:
            continue
        cell = forfeit_cells(rows)[player].partition(" ")
        lines.append(
            f"{where}{rows[0]['name']} forfeited {cell[0]} of {content['games']} games {cell[2]}:"
            f" forfeits do not count as wins; the first: {rows[0]['first']}"
        )
        lines += [f"{where}{rows[0]['name']} wrote: {line}" for line in rows[0]["stderr"]]
    told = describe_repeats(content["distinct_games"], content["finished_games"])
    return [*lines, f"{where}{told}{HINT if hint else ''}"] if told else lines
