"""The study ``td-lambda``: Löfroth and Dalenius (2011), all tables and figures.

``seeds`` is the number of individuals of each setting here: four, as in the publication. The same
run serves all tables that show its setting.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from evolve_arena.arena.duel import duel
from evolve_arena.arena.executors import make_executor
from evolve_arena.arena.intervals import mean_share
from evolve_arena.arena.statistics import Z_95
from evolve_arena.core.registry import make_game
from evolve_arena.players.player import Player
from evolve_arena.players.specification import make_player
from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.studies.study import (
    Material,
    Row,
    Settings,
    Study,
    Table,
    TableKind,
    needs,
)
from evolve_arena.studies.td_lambda.plan import LADDER, LONG, SHORT, Setting, plan
from evolve_arena.studies.td_lambda.tables import (
    compare_individuals,
    compare_settings,
    concept_samples,
    measure_ends,
    measure_long,
    published,
)

Labelled = dict[str, Setting]

SHORT_TEST = {"G1": Setting("R1", "G1", games=SHORT)}
ENDS = {
    f"ε to {end:g}": Setting("R1", "G3", end=end)  # 0.1 is the setting of table A.1
    for end in (0.0, 0.1, 0.2, 0.5)
}
HIDDEN_R1 = {hidden: Setting("R1", hidden) for hidden in ("G1", "G2", "G3", "G4")}
HIDDEN_R2 = {hidden: Setting("R2", hidden) for hidden in ("G1", "G2", "G3", "G4")}
TRACES_R1 = {trace: Setting("R1", "G4", trace) for trace in ("L1", "L2", "L3")}
TRACES_R2 = {trace: Setting("R2", "G3", trace) for trace in ("L1", "L2", "L3")}
ENCODINGS = {"R1-G4-L1": Setting("R1", "G4"), "R2-G3-L1": Setting("R2", "G3")}
POLICIES = {
    "ε-greedy": Setting("R1", "G4"),
    **{
        f"soft-max {temperature:g}": Setting("R1", "G4", policy="softmax", temperature=temperature)
        for temperature in (0.05, 0.1, 0.2)
    },
    "greedy": Setting("R1", "G4", policy="greedy"),
}
AGAINST = {
    "self-play": Setting("R1", "G4"),
    **{f"against {name}": Setting("R1", "G4", against=name) for name in LADDER},
}
LONG_TEST = {"L1": Setting("R1", "G4", games=LONG)}
AS_WRITTEN = {
    "R1-G4-L1": Setting("R1", "G4"),
    "R1-G4-L1 as written": Setting("R1", "G4", as_written=True),
}

PARTS = (
    SHORT_TEST,
    AS_WRITTEN,
    ENDS,
    HIDDEN_R1,
    HIDDEN_R2,
    TRACES_R1,
    TRACES_R2,
    ENCODINGS,
    POLICIES,
    AGAINST,
    LONG_TEST,
)

LADDER_GAMES = 10_000
PUBLISHED_GAMES = 1000
NOTES = [
    "Points of the row's player, a draw counting half, colours balanced; a published cell is taken"
    " to be of 1000 games. See docs/guides/minimax.md for the cells with MM2, which differ.",
    "A F R D K: the expected share of concept states solved, a player with chance being asked many"
    " times. The original states are lost; ours are others of the same kinds.",
]
ALONE = (
    "Without random moves the published players met in two games, always the same ones, so that"
    " each cell is 0, 1/2 or 1; here equal moves are drawn. The published row of random is that of"
    " table 5.1."
)


def plan_all(settings: Settings) -> list[Job]:
    """Return the jobs of all individuals of all settings, the long runs first."""
    chosen = [setting for part in PARTS for setting in part.values()]
    return plan(settings, sorted(chosen, key=lambda setting: setting.games < LONG))


def _kind(name: str, summary: str, labelled: Labelled, measure: Callable[..., Table]) -> TableKind:
    names = (setting.name for setting in labelled.values())
    return TableKind(name, summary, partial(measure, labelled=labelled), needs(*names))


def _compare(name: str, figure: str, summary: str, labelled: Labelled) -> TableKind:
    measure = partial(compare_settings, name=name, title=summary, figure=figure)
    return _kind(name, f"{summary} (figure {figure})", labelled, measure)


def _ladder(name: str, noise: float) -> TableKind:
    summary = f"the scripted players, {100 * noise:g} % random moves"
    return TableKind(name, summary, partial(measure_ladder, name, noise), needs())


def measure_ladder(name: str, noise: float, material: Material) -> Table:
    """Play all pairs of MM1 to MM4 and the random player, and test each on the concept states.

    Args:
        name: Number of the published table, ``5.1`` or ``5.2``.
        noise: Share of random moves of MM1 to MM4, 0 to 1.
        material: Scale of the study, and processes that play.
    """
    game = make_game("connect-four")
    players: dict[str, Player] = {"random": make_player("random", game)}
    for depth in range(1, 5):
        specification = f"minimax:depth={depth},noise={noise:g}"
        players[f"MM{depth}"] = make_player(specification, game)
    rows, given = [], published(name)
    games, times = material.settings.scaled(LADDER_GAMES), material.settings.scaled(100, least=5)
    with make_executor(None, material.workers) as executor:
        for label, player in players.items():
            for other, opponent in players.items():
                result = duel(game, player, opponent, games=games, seed=1, executor=executor)
                (value,) = given[label, other]
                values = value, result.score, *result.wilson_95, result.games
                row = Row(name, label, other, *values)
                rows.append(replace(row, remark=_judge(row)))
            for group, sample in concept_samples(player, game, times).items():
                (value,) = given[label, group]
                values = value, *mean_share([sample])
                rows.append(Row(name, label, group, *values))
    title = f"scripted players, {100 * noise:g} % random moves"
    return Table(name, title, rows, NOTES + ([] if noise else [ALONE]))


def _judge(row: Row) -> str:
    """Return a remark: whether published and measured differ by more than the luck of the games."""
    assert isinstance(row.published, float)
    variance = row.published * (1 - row.published) / PUBLISHED_GAMES
    variance += row.measured * (1 - row.measured) / row.games
    apart = abs(row.measured - row.published) > Z_95 * math.sqrt(variance)
    return "differs" if apart else "agrees"


TD_LAMBDA = Study(
    name="td-lambda",
    summary="Reward-based learning for Connect Four: TD(λ) by self-play, four individuals each.",
    source="Björn Löfroth and Johan Dalenius, Själv-inläring av fyra-i-rad (KTH, 2011)",
    plan=plan_all,
    seeds=4,
    tables=(
        _kind("4.1", "individuals after 300,000 games", SHORT_TEST, compare_individuals),
        _kind("figure-4.1", "final values of ε", ENDS, measure_ends),
        _compare("A.1", "4.2", "hidden units, encoding R1", HIDDEN_R1),
        _compare("A.2", "4.3", "hidden units, encoding R2", HIDDEN_R2),
        _compare("A.3", "4.4", "λ, encoding R1, 120 hidden units", TRACES_R1),
        _compare("A.4", "4.5", "λ, encoding R2, 80 hidden units", TRACES_R2),
        _compare("figure-4.6", "4.6", "the two encodings", ENCODINGS),
        _compare("as-written", "as-written", "steps and weights as the text has them", AS_WRITTEN),
        _compare("policies", "policies", "policies while learning (section 5.4)", POLICIES),
        _compare("against-minimax", "against-minimax", "training against minimax", AGAINST),
        _kind("A.5", "the long run, 5,000,000 games (figure 4.7)", LONG_TEST, measure_long),
        _ladder("5.1", 0.2),
        _ladder("5.2", 0.0),
    ),
)
