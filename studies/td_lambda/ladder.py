"""Tables 5.1 and 5.2 of ``td-lambda``: the scripted players against each other."""

from __future__ import annotations

import math

from evolve_arena.arena.duel import duel
from evolve_arena.arena.executors import make_executor
from evolve_arena.arena.statistics import Z_95, wilson_interval
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.players.player import Player
from evolve_arena.players.specification import make_player
from evolve_arena.studies.study import Material, Row, Table
from evolve_arena.studies.td_lambda.curves import CONCEPTS, concept_samples, published

GAMES = 10_000
PUBLISHED_GAMES = 1000
NOTES = [
    "Points of the row's player, a draw counting half, colours balanced; a published cell is taken"
    " to be of 1000 games. Why cells with MM2 differ stands in docs/minimax.md.",
    "A F R D K: the expected share of concept states solved, a player with chance being asked many"
    " times. The original states are lost; ours are others of the same kinds.",
]
ALONE = (
    "Without random moves the published players met in two games, always the same ones, so that"
    " each cell is 0, 1/2 or 1; here equal moves are drawn. The published row of random is that of"
    " table 5.1."
)


def measure_ladder(name: str, noise: float, material: Material) -> Table:
    """All pairs of MM1 to MM4 and the random player, and what each does in concept states."""
    game = ConnectFour()
    players: dict[str, Player] = {"random": make_player("random", game)}
    for depth in range(1, 5):
        specification = f"minimax:depth={depth},noise={noise:g}"
        players[f"MM{depth}"] = make_player(specification, game)
    rows, remarks = [], {}
    for row in _measure(name, players, game, material):
        rows.append(row)
        if row.column not in CONCEPTS:
            remarks[row.row, row.column] = _judge(row)
    title = f"scripted players, {100 * noise:g} % random moves"
    return Table(name, title, rows, remarks, NOTES + ([] if noise else [ALONE]))


def _measure(
    name: str, players: dict[str, Player], game: ConnectFour, material: Material
) -> list[Row]:
    rows = []
    games = material.settings.scaled(GAMES)
    given = published(name)
    executor = make_executor(None, material.workers)
    try:
        for label, player in players.items():
            for other, opponent in players.items():
                result = duel(game, player, opponent, games=games, seed=1, executor=executor)
                points, interval = result.score, result.wilson_95
                (value,) = given[label, other]
                rows.append(Row(name, label, other, value, points, *interval, result.games))
            times = material.settings.scaled(100, least=5)
            for group, sample in concept_samples(player, game, times).items():
                (value,) = given[label, group]
                interval = wilson_interval(sample.won, sample.games)
                rows.append(Row(name, label, group, value, sample.share, *interval, sample.games))
    finally:
        executor.close()
    return rows


def _judge(row: Row) -> str:
    """Whether published and measured differ by more than the luck of the games."""
    assert isinstance(row.published, float)
    variance = row.published * (1 - row.published) / PUBLISHED_GAMES
    variance += row.measured * (1 - row.measured) / row.games
    apart = abs(row.measured - row.published) > Z_95 * math.sqrt(variance)
    return "differs" if apart else "agrees"
