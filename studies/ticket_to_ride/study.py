"""The study ``ticket-to-ride``: Łabno (2018), a rule player and networks that imitate it.

``seeds`` is the number of networks, and evolved players, of each setting here; the publication has
one of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean

from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import make_executor
from evolve_arena.arena.intervals import mean_interval
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.registry import make_game
from evolve_arena.players.player import Player
from evolve_arena.studies.study import Material, Row, Study, Table, TableKind, needs
from evolve_arena.studies.ticket_to_ride.measures import COUNTS
from evolve_arena.studies.ticket_to_ride.plan import (
    ADAGRAD,
    EVOLVED,
    PROOF,
    UNIVERSAL,
    plan,
    specific,
)
from evolve_arena.studies.ticket_to_ride.tables import (
    GAME,
    make_rule_player,
    measure_network,
    measure_proof,
    measure_readings,
    measure_rule_player,
    measure_specific,
    measure_universal,
)

GAMES = 10_000
SEATS = 4
SEED = 20180904
RULES = ("text", "code", "text,long=6")
"""Readings of the rule player: the default, the published one, and one that beats both."""
IMITATION = "imitation"


def measure_mixed(material: Material) -> Table:
    """Measure the lead in points of each kind of player over its opponents in games of four."""
    rules = {f"rule:{reading}": [make_rule_player(reading)] for reading in RULES}
    imitating = {IMITATION: [run.champion for run in material.list_runs(UNIVERSAL)]}
    evolved = {
        name.replace("-", " "): [run.champion for run in material.list_runs(name)]
        for name in EVOLVED
    }
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
            "Two seats each, taken in turn, and with the same deals the other way round. Margin:"
            " the mean of the first player's points minus that of the second's. Of several bred"
            " alike: the mean over them, with Student's interval; of one, from its pairs of games.",
            "Forbidden moves: the share of games that a player ended by one. Points count as they"
            " stood then, so that many such games make a margin meaningless.",
        ],
    )


def _meet(
    material: Material, players: Sequence[Player], opponents: Sequence[Player]
) -> list[DuelResult]:
    """Play a duel for each of the *players*, against the opponent of the same seed."""
    games = material.settings.scaled(GAMES, least=10)
    with make_executor(None, material.workers) as executor:
        return [
            duel(
                make_game(GAME, seats=SEATS),
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
    low, high = _spread(margins, results[0].margin_interval)
    rows = [Row("mixed", label, "margin", None, fmean(margins), low, high, games)]
    both = zip(*(result.sides for result in results if result.sides), strict=True)
    sides = list(zip(both, ("", "opponent's "), strict=True))
    for played, whose in sides:
        values = [side.points for side in played]
        low, high = _spread(values, played[0].points_interval)
        rows.append(Row("mixed", label, f"{whose}points", None, fmean(values), low, high, games))
    for played, whose in sides:
        shares = [side.forbidden / results[0].games for side in played]
        own = wilson_interval(played[0].forbidden, results[0].games)
        low, high = _spread(shares, own)
        ends = max(0.0, low), min(1.0, high)
        column = f"{whose}forbidden moves"
        rows.append(Row("mixed", label, column, None, fmean(shares), *ends, games))
    return rows


def _spread(values: Sequence[float], own: tuple[float, float]) -> tuple[float, float]:
    return own if len(values) == 1 else mean_interval(values)


def _kind(
    name: str, summary: str, measure: Callable[[Material], Table], *settings: str
) -> TableKind:
    return TableKind(name, summary, measure, needs(*settings))


MODELS = UNIVERSAL, *map(specific, COUNTS)

TICKET_TO_RIDE = Study(
    name="ticket-to-ride",
    summary="Ticket to Ride: a rule player, networks that imitate it, and evolved players.",
    source=(
        "Paweł Łabno, Implementacja Sztucznej Inteligencji dla gry Wsiąść do Pociągu (Uniwersytet"
        " Jagielloński, 2018)"
    ),
    plan=plan,
    seeds=3,
    tables=(
        _kind("3.1", "the rule player (figures 3.3 to 3.5)", measure_rule_player),
        _kind("readings", "the rule player's readings", measure_readings),
        _kind("4.3", "the imitating network (figures 4.1 to 4.3)", measure_network, UNIVERSAL),
        _kind("5.1", "models for one number of players (figure 5.1)", measure_specific, *MODELS),
        _kind("5.2", "the model for all numbers of players", measure_universal, *MODELS),
        _kind("6.1", "a network while it learns (figure 6.1)", measure_proof, PROOF),
        _kind(
            f"4.3{ADAGRAD}",
            "the imitating network, learnt as in section 4.4",
            partial(measure_network, optimiser=ADAGRAD),
            UNIVERSAL + ADAGRAD,
        ),
        _kind(
            f"6.1{ADAGRAD}",
            "a network while it learns as in section 4.4",
            partial(measure_proof, optimiser=ADAGRAD),
            PROOF + ADAGRAD,
        ),
        _kind("mixed", "two against two at tables of four", measure_mixed, UNIVERSAL, *EVOLVED),
    ),
)
