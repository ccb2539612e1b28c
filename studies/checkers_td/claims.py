"""Tests of the conclusions of Piotrowski (2004), one by one.

Each conclusion is about the points of some players in games against others. "Beats" is taken to
mean more than half of the points, draws counting half, whoever moved first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evolve_arena.arena.intervals import mean_interval
from evolve_arena.studies.checkers_td.published import (
    PLAYERS,
    Crosstable,
    Score,
    join_rounds,
    mean_points,
    meet,
    read_published,
)
from evolve_arena.studies.checkers_td.tournaments import (
    LEARNING,
    WITHOUT_LEARNING,
    play_tournament,
)
from evolve_arena.studies.study import Material, Row, Table, judge_interval

Rounds = Mapping[tuple[int, int], Sequence[Score]]
"""Scores of the rounds of each cell, by the numbers of the first and the second player."""

BINARY = (10, 12, 13, 14)
IMPATIENT = (3, 4, 5, 7, 8)
"""Players with γ below 1."""
NOTES = [
    "Points of the player named first in all games of both, whoever moved first; a draw counts"
    " half. The interval is Student's, over seeds; that of a single seed is Wilson's, and knows"
    " only the luck of the games.",
    "A claim is confirmed if the whole interval lies on its side of one half, refuted if it lies on"
    " the other side, and open else. Few seeds leave much open.",
    "Change between rounds: by how much the share of points differs between the first and the"
    " second round of a meeting, without its sign, in rows of players with γ below 1, minus the"
    " same of all others. Claimed is that it is larger.",
]


@dataclass(frozen=True)
class Claim:
    """A statement that some players beat others."""

    text: str
    heroes: tuple[int, ...]
    others: tuple[int, ...]
    loses: bool = False
    """True if the claim is that the heroes lose."""
    tables: tuple[str, ...] = ("5.8", "5.9")
    """Tournaments in which they met."""

    @property
    def label(self) -> str:
        """Names of both sides."""
        return f"{_name(self.heroes)} - {_name(self.others)}"

    def judge(self, low: float, high: float) -> str:
        """Return ``confirmed``, ``refuted`` or ``open``, by the interval of the heroes' share."""
        said = ("refuted", "confirmed") if self.loses else ("confirmed", "refuted")
        return judge_interval(low - 0.5, high - 0.5, *said, "open")


CLAIMS = (
    Claim("end of game beats every move", (1,), (2,)),
    *(Claim("γ = 0.8 beats other γ", (4,), (other,)) for other in (1, 3, 5)),
    *(Claim("with 14 features γ = 1 beats 0.8", (6,), (other,)) for other in (7, 8)),
    *(Claim("many-valued beats binary", (1,), (other,)) for other in BINARY),
    *(Claim("depth 7 beats all", (16,), (other,), tables=("5.9",)) for other in (6, 9, 11, 15)),
    Claim("depth 7 beats all", (16,), tuple(range(1, 16)), tables=("5.9",)),
    Claim("depth 7 beats all", (15,), tuple(range(1, 15))),
    Claim("14 features beat 20", (6,), (11,)),
    Claim("14 features beat 20", (16,), (15,), tables=("5.9",)),
    Claim("RafalMore wins every duel", (6,), (1,), tables=("5.8",)),
    Claim("RafalMore wins every duel", (6,), (*range(1, 6), *range(7, 15)), tables=("5.8",)),
    Claim("Burge loses to RafalMore", (9,), (6,), loses=True),
    Claim("Burge beats players with no more features", (9,), (1, 2, 3, 4, 5)),
    Claim("Burge beats players with no more features", (9,), BINARY),
)


def measure_claims(material: Material) -> Table:
    """Make the table of all conclusions, judged by both tournaments."""
    measured = {
        tournament.name: [
            {place: meeting.rounds for place, meeting in meetings.items()}
            for meetings in play_tournament(material, tournament)
        ]
        for tournament in (WITHOUT_LEARNING, LEARNING)
    }
    return judge_claims(measured)


def judge_claims(measured: Mapping[str, Sequence[Rounds]]) -> Table:
    """Make the table of all conclusions from the cells of both tournaments, seed by seed."""
    rows = []
    published = {name: read_published(name) for name in measured}
    joined = {name: [join_rounds(cells) for cells in seeds] for name, seeds in measured.items()}
    for claim in CLAIMS:
        for name in claim.tables:
            theirs = meet(join_rounds(published[name]), claim.heroes, claim.others)
            ours = [meet(cells, claim.heroes, claim.others) for cells in joined[name]]
            values = mean_points(ours)
            verdict = claim.judge(*values[1:3]) + _count(claim, joined[name])
            column, share = f"{claim.label}, {name}", round(theirs.share, 4)
            rows.append(Row("conclusions", claim.text, column, share, *values, verdict))
    rows.append(_compare_changes(published["5.9"], measured["5.9"]))
    return Table("conclusions", "the conclusions, one by one", rows, NOTES)


def _count(claim: Claim, seeds: Sequence[Crosstable]) -> str:
    """Return a remark: how many of three or more opponents are beaten, over all seeds together."""
    if len(claim.others) < 3:
        return ""
    beaten = 0
    for other in claim.others:
        total = sum((meet(cells, claim.heroes, (other,)) for cells in seeds), Score())
        beaten += total.share > 0.5
    return f"; beats {beaten} of {len(claim.others)}"


def _compare_changes(published: Rounds, measured: Sequence[Rounds]) -> Row:
    """Return a row: whether rounds differ more if γ is below 1."""
    values = [_change(cells) for cells in measured]
    low, high = mean_interval(values) if len(values) > 1 else (-1.0, 1.0)
    games = sum(score.games for cells in measured for rounds in cells.values() for score in rounds)
    verdict = judge_interval(low, high, "confirmed", "refuted", "open")
    claim, column = "rounds differ most with γ below 1", "change between rounds, 5.9"
    value = round(_change(published), 4)
    return Row("conclusions", claim, column, value, fmean(values), low, high, games, verdict)


def _change(cells: Rounds) -> float:
    """Return the mean change between rounds of players with γ below 1, minus that of the others."""
    groups: dict[bool, list[float]] = {True: [], False: []}
    for (first, _), rounds in cells.items():
        groups[first in IMPATIENT].append(abs(rounds[1].share - rounds[0].share))
    return fmean(groups[True]) - fmean(groups[False])


def _name(numbers: Sequence[int]) -> str:
    """Return the name of one player, or a name for a group."""
    if len(numbers) == 1:
        return PLAYERS[numbers[0]]
    if tuple(numbers) == BINARY:
        return "binary players"
    return "4 features" if len(numbers) == 5 else "all others"
