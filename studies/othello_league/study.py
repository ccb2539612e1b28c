"""The study ``othello-league``: nineteen published players of Othello, by both protocols.

Nothing is evolved: the players are read from the league's files, which are not part of this
project; see docs/studies/othello-league.md.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from evolve_arena.arena.executors import make_executor
from evolve_arena.cli.output import format_interval, print_table
from evolve_arena.core.registry import make_game
from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.studies.othello_league.league import (
    BOARDS,
    FOLDER,
    LeagueResult,
    Protocol,
    play_league,
    read_league,
    read_openings,
)
from evolve_arena.studies.study import (
    Grid,
    Material,
    Row,
    Settings,
    Study,
    Table,
    TableKind,
    judge_interval,
    needs,
    read_lines,
)

PAIRS = 1000
"""Pairs of games of each two players."""
TOLERANCE = 0.005
"""Error of the given shares: their program drew moves of equal value at random."""
NOTES = {
    "boards": "Given: shares by another program for the same files and positions, ± 0.005.",
    "noise": "The order of the players by a random share of their opponents' moves. The publication"
    " claims that its player comes first by either protocol.",
}


def measure(protocol: Protocol, material: Material) -> Table:
    """Play all of the league's players against each other.

    Raises:
        BadValueError: The league's files are not in the folder ``othello_league``.
    """
    game: Any = make_game("othello")
    players = read_league(FOLDER, game)
    openings = read_openings(f"{FOLDER}/{BOARDS}", game) if protocol == "boards" else None
    pairs = min(PAIRS, material.settings.scaled(PAIRS))
    with make_executor(None, material.workers) as executor:
        result = play_league(
            players, protocol=protocol, openings=openings, pairs=pairs, executor=executor
        )
    given = {line["player"]: float(line["share"]) for line in published()}
    rows = []
    for row in result.ranking:
        name, share, interval = result.members[row], float(result.shares[row]), result.interval(row)
        known = given.get(name) if protocol == "boards" else None
        low, high = (end - (known or 0.0) for end in interval)
        remark = judge_interval(low + TOLERANCE, high - TOLERANCE) if known is not None else ""
        if known is not None and low - TOLERANCE <= 0.0 <= high + TOLERANCE:
            remark = "agrees"
        games = result.games * (len(players) - 1)
        rows.append(Row(protocol, name, "share of points", known, share, *interval, games, remark))
    title = f"round robin by the protocol {protocol}"
    return Table(protocol, title, rows, [NOTES[protocol]], grids=[_crosstable(result)])


def published() -> tuple[dict[str, str], ...]:
    """Return a line for each player of the league: its name, weights, and share of the points."""
    return read_lines(__package__, "shares.csv")


def _crosstable(result: LeagueResult) -> Grid:
    """Return the share of each player against each other, the strongest first."""
    order, means = result.ranking, result.matrix
    cells = [
        [
            f"{place}. {result.members[row]}",
            *("" if row == column else f"{means[row, column]:.3f}" for column in order),
        ]
        for place, row in enumerate(order, start=1)
    ]
    columns = ["player", *(f"{place}" for place in range(1, len(order) + 1))]
    return Grid("share of the points of each player against each other", columns, cells)


def print_league(result: LeagueResult) -> None:
    """Print a table: all players by rank, or the share of each member against each opponent."""
    given = {line["player"]: line for line in published()}
    title = f"Othello League, protocol {result.protocol}: {result.games} games with each opponent"
    if result.members == result.opponents:
        columns = ["", "player", "weights", "share of points, 95 %"]
        columns += ["given"] if result.protocol == "boards" else []
        rows = []
        for place, row in enumerate(result.ranking, start=1):
            name = result.members[row]
            line = given.get(name, {"weights": "", "share": ""})
            share = format_interval(float(result.shares[row]), result.interval(row))
            cells = [str(place), name, f"{int(line['weights'] or 0):,}", share]
            rows.append(cells + ([line["share"]] if result.protocol == "boards" else []))
        print_table(title, columns, rows, left=2)
        return
    means = result.matrix
    rows = [
        [
            name,
            *(
                format_interval(float(means[row, column]), result.interval_against(row, column))
                for row in result.ranking
            ),
        ]
        for column, name in enumerate(result.opponents)
    ]
    rows.sort(key=lambda cells: -float(given.get(cells[0], {"share": 0})["share"]))
    mean = [
        format_interval(float(result.shares[row]), result.interval(row)) for row in result.ranking
    ]
    names = [result.members[row] for row in result.ranking]
    print_table(title, ["opponent", *names], [*rows, ["all", *mean]], left=1)


def _plan(settings: Settings) -> list[Job]:
    return []


OTHELLO_LEAGUE = Study(
    name="othello-league",
    summary="The Othello League: nineteen published evaluators, by both protocols.",
    source="Wojciech Jaśkowski and Marcin Szubert, Coevolutionary CMA-ES for Knowledge-Free"
    " Learning of Game Position Evaluation (IEEE TCIAIG 8, 2016)",
    plan=_plan,
    tables=(
        TableKind("boards", "a thousand positions", partial(measure, "boards"), needs()),
        TableKind("noise", "opponents with random moves", partial(measure, "noise"), needs()),
    ),
)
