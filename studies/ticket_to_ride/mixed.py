"""Mixed tables of ``ticket-to-ride``: two networks or evolved players against two rule players."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import make_executor
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.scripted import make_rule_player
from evolve_arena.players.player import Player
from evolve_arena.studies.intervals import mean_interval
from evolve_arena.studies.study import Material, Row, Table
from evolve_arena.studies.ticket_to_ride.plan import EVOLVED, UNIVERSAL, trained

GAMES = 10_000
SEATS = 4
SEED = 20180904
RULES = ("text", "code", "text,long=6")
"""Readings of the rule player: the default, the published one, and one that beats both."""
IMITATION = "imitation"


def measure_mixed(material: Material) -> Table:
    """How many points more than its opponents each kind of player makes at tables of four."""
    rules = {f"rule:{reading}": [_rule(reading)] for reading in RULES}
    imitating = {IMITATION: [run.champion for run in trained(material, UNIVERSAL)]}
    evolved = {name: [run.champion for run in trained(material, name)] for name in EVOLVED}
    rows = []
    for name, players in (imitating | evolved).items():
        for other, opponents in (rules | imitating).items():
            if name != other:
                rows += _rows(name, other, _meet(material, players, opponents))
    return Table(
        name="mixed",
        title="two against two at tables of four",
        rows=rows,
        notes=[
            "Two seats each, taken in turn, and with the same decks the other way round. Margin:"
            " the mean of the first player's points minus that of the second's. Of several bred"
            " alike: the mean over them, with Student's interval; of one, from its pairs of games.",
            "Forbidden moves: the share of games that a player ended by one. Points count as they"
            " stood then, so that many such games make a margin meaningless.",
        ],
    )


def _rule(reading: str) -> Player:
    return make_rule_player(reading, TicketToRide())


def _meet(
    material: Material, players: Sequence[Player], opponents: Sequence[Player]
) -> list[DuelResult]:
    """A duel for each of the *players*, against the opponent of the same seed."""
    games = material.settings.scaled(GAMES, least=10)
    with make_executor(None, material.workers) as executor:
        return [
            duel(
                TicketToRide(players=SEATS),
                player,
                opponents[place % len(opponents)],
                games=games,
                seed=SEED,
                executor=executor,
            )
            for place, player in enumerate(players)
        ]


def _rows(name: str, other: str, results: Sequence[DuelResult]) -> list[Row]:
    games = sum(result.games for result in results)
    label = f"{name} against {other}"
    margins = [result.margin for result in results]
    if len(results) == 1:
        low, high = results[0].margin_interval
    else:
        low, high = mean_interval(margins)
    rows = [Row("mixed", label, "margin", None, fmean(margins), low, high, games)]
    sides = list(zip(*(result.sides for result in results if result.sides), strict=True))
    for played, whose in zip(sides, ("", "opponent's "), strict=True):
        values = [side.points for side in played]
        low, high = _spread(values, played[0].points_interval)
        column = f"{whose}points"
        rows.append(Row("mixed", label, column, None, fmean(values), low, high, games))
    for played, whose in zip(sides, ("", "opponent's "), strict=True):
        shares = [side.forbidden / results[0].games for side in played]
        own = wilson_interval(played[0].forbidden, results[0].games)
        low, high = _spread(shares, own)
        ends = max(0.0, low), min(1.0, high)
        column = f"{whose}forbidden moves"
        rows.append(Row("mixed", label, column, None, fmean(shares), *ends, games))
    return rows


def _spread(values: Sequence[float], own: tuple[float, float]) -> tuple[float, float]:
    return own if len(values) == 1 else mean_interval(values)
