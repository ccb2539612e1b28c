"""What ``q-learning`` adds to the published rankings.

Winners, equal rewards, corrections, other exploration, and how agents do against minimax.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.executors import Executor, make_executor
from evolve_arena.arena.intervals import Sample, mean_share
from evolve_arena.arena.pairings import gauntlet
from evolve_arena.arena.ranking import name_configuration
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_player
from evolve_arena.runs.run import Run
from evolve_arena.studies.q_learning.plan import (
    CORRECTED,
    EXPLORATION,
    REWARDS,
    STAGES,
    Stage,
    agents,
    configurations,
)
from evolve_arena.studies.q_learning.tables import (
    choose_best,
    make_ranking,
    meet_each_other,
    meet_random,
    place_of,
    rank,
    read_published,
)
from evolve_arena.studies.study import Material, Row, Table

SIDE_GAMES = 500
"""How many games each agent plays on each side against each depth of minimax."""

EQUAL = ("2", "3", "6")
"""Sets of rewards that differ only in what a loss brings, which nobody ever gets."""
REWARD_COLUMNS = {"win": "win", "loss": "loss", "draw": "tie", "move": "each_move"}


def measure_rewards(material: Material) -> Table:
    """Table 6.11: what the sets of rewards are."""
    published = read_published("6.11")
    rows = [
        Row("6.11", f"set {number}", key, published[number][column], value, value, value, 0)
        for number, rewards in REWARDS.items()
        for key, column in REWARD_COLUMNS.items()
        for value in (rewards[key],)
    ]
    notes = [
        "In the original program, and so in this study, nobody ever gets the reward for a loss: it"
        " is looked up only after one's own move. So the sets 2, 3 and 6 are the same, and set 4"
        " rewards nothing at all."
    ]
    return Table("6.11", "the sets of rewards", rows, notes=notes)


def measure_winners(material: Material) -> Table:
    """Which configuration of each stage is best here, and how the author's choice does."""
    rows, remarks = [], {}
    for stage in STAGES:
        table = read_published(f"6.{2 * stage.number + stage.number // len(STAGES)}")
        for whose, label in (
            ("best here", choose_best(material, stage)),
            ("the author's choice", stage.chosen),
        ):
            name = stage.name(label)
            runs = {run.path.name: run for run in agents(material, name)}
            published = table[configurations(stage)[name]]["mean_percent_won"] / 100
            values = mean_share(list(meet_random(runs).values()))
            row = Row("winners", f"stage {stage.word}", whose, round(published, 4), *values)
            rows.append(row)
            remarks[row.row, row.column] = f"{label}: {_tell_places(material, stage, label)}"
    notes = [
        "Published and measured: the mean share won against random. Best here is the"
        " configuration with the best places in both rankings together, of equal ones the better"
        " one against random.",
        "The author chose by hand, from both rankings and what training costs; after stage six"
        " there was no choice, so that stands for the best set in games against each other.",
        "Where the best one here is not the author's, the difference is often within chance: see"
        " the intervals.",
    ]
    return Table("winners", "what is best after each stage", rows, remarks, notes)


def measure_equal_sets(material: Material) -> Table:
    """What sets of rewards that are the same come to: chance alone tells them apart."""
    stage = STAGES[-1]
    runs = _runs_of(material, [stage.name(label) for label in stage.options])
    rows, spreads = [], []
    for column, number, won in (
        ("won against each other", "6.12", meet_each_other(runs)),
        ("won against random", "6.13", meet_random(runs)),
    ):
        published = read_published(number)
        groups = {label: _pick(won, stage.name(label)) for label in EQUAL}
        for label, samples in groups.items():
            given = round(published[f"stage_six_{label}"]["mean_percent_won"] / 100, 4)
            row = Row("equal-sets", f"set {label}", column, given, *mean_share(samples))
            rows.append(row)
        everybody = [sample for samples in groups.values() for sample in samples]
        rows.append(Row("equal-sets", "all three", column, None, *mean_share(everybody)))
        theirs = [published[f"stage_six_{label}"]["mean_percent_won"] for label in EQUAL]
        ours = [100 * fmean(s.share for s in samples) for samples in groups.values()]
        spreads.append(
            f"{column[0].upper()}{column[1:]}: the three published means are"
            f" {max(theirs) - min(theirs):.1f} points apart, ours {max(ours) - min(ours):.1f}."
        )
    notes = [
        "These sets differ only in the reward for a loss, which nobody ever gets: with the same"
        " seed they give the same network, bit by bit. Here their seeds are different, so what"
        " tells them apart is chance alone, there as here.",
        *spreads,
    ]
    return Table("equal-sets", "equal sets of rewards", rows, notes=notes)


def measure_corrected(material: Material) -> Table:
    """The two best sets of rewards, as in the original program and put right."""
    faithful = [STAGES[-1].name(label) for label in CORRECTED]
    notes = [
        "The configurations of stage six with the sets 1 and 6 of rewards, as the original program"
        " learns (stage-six) and put right (corrected): a reply that ends the game brings the"
        " reward for a loss or a draw, the last disc can win, and the output has a bias.",
        "Put right, set 6 punishes a loss with 5 where a win brings 2.",
    ]
    title = "the program's quirks put right, against each other and against random"
    return _rank_both("corrected", title, material, [*faithful, *CORRECTED.values()], notes)


def measure_exploration(material: Material) -> Table:
    """Random moves with a probability, constant or falling, beside Boltzmann's distribution."""
    title = "a share of random moves instead of Boltzmann's distribution"
    notes = [
        "All learn as stage six does with set 1 of rewards. stage-six-1: Boltzmann's distribution;"
        " epsilon-constant: a tenth of the moves at random; epsilon-falling: all of them at first,"
        " none in the end. Section 3.5.1 describes both; the author tried neither."
    ]
    names = [STAGES[-1].name("1"), *EXPLORATION]
    return _rank_both("exploration", title, material, names, notes)


def measure_minimax(material: Material) -> Table:
    """What the agents of stage six win against minimax, on each side."""
    game = make_game("connect-four")
    stage = STAGES[-1]
    names = [stage.name(label) for label in stage.options]
    groups: dict[str, list[Player]] = {
        name: [run.champion for run in agents(material, name)] for name in names
    }
    groups["random"] = [make_player("random", game)]
    games = material.settings.scaled(SIDE_GAMES)
    rows: list[Row] = []
    with make_executor(None, material.workers) as executor:
        for name, players in groups.items():
            sides: dict[str, list[Row]] = {"first": [], "second": []}
            for depth in (1, 2, 3, 4):
                opponent = make_player(f"minimax:depth={depth}", game)
                for side, samples in _win_by_side(game, [*players, opponent], games, executor):
                    label, column = f"{name}, moving {side}", f"depth {depth}"
                    row = Row("minimax", label, column, None, *_mean_share(samples))
                    sides[side].append(row)
            rows += sides["first"] + sides["second"]
    notes = [
        f"Shares of games won, a draw being none: {games} games of each agent on each side. Minimax"
        " plays no random moves, but draws among equal ones. The mean over agents, with Student's"
        " interval, or Wilson's of all games where that is wider.",
        "They stand in for section 6.7, in which the author won all his games against agents of"
        " the sets 1 and 6.",
    ]
    return Table("minimax", "stage six against minimax", rows, notes=notes)


def _win_by_side(
    game: AnyGame, players: Sequence[Player], games: int, executor: Executor
) -> list[tuple[str, list[Sample]]]:
    """What all but the last of *players* win against him, moving first, and moving second."""
    packed = combine_players([p.packed for p in players if isinstance(p, CompiledPlayer)])
    rows = np.arange(len(players), dtype=np.int32)
    pairings = np.repeat(gauntlet(rows[:-1], rows[-1:]), games, axis=0)
    samples = []
    for side, pairs, win in (("first", pairings, 1), ("second", pairings[:, ::-1].copy(), -1)):
        seeds = derive_seeds(1, 0, f"moving {side}", len(pairs))
        outcomes = executor.play(make_batch(game, packed, pairs, seeds)).outcomes
        wins = (outcomes == win).reshape(len(players) - 1, games).sum(axis=1)
        samples.append((side, [Sample(int(count), games) for count in wins]))
    return samples


def _mean_share(samples: Sequence[Sample]) -> tuple[float, float, float, int]:
    """The mean over agents with its interval, which is never narrower than that of the games."""
    mean, low, high, games = mean_share(samples)
    least, most = wilson_interval(sum(sample.won for sample in samples), games)
    return mean, min(low, least), max(high, most), games


def _rank_both(
    name: str, title: str, material: Material, names: list[str], notes: list[str]
) -> Table:
    """Some configurations against each other and against random, in one table."""
    runs = _runs_of(material, names)
    table = make_ranking(name, "against each other", meet_each_other(runs), {}, [])
    random = make_ranking(f"{name}-random", "against random", meet_random(runs), {}, [])
    rows = [
        Row(
            name,
            row.row,
            f"{row.column}, against {against}",
            None,
            row.measured,
            row.low,
            row.high,
            row.games,
        )
        for against, part in (("each other", table), ("random", random))
        for row in part.rows
    ]
    return Table(name, title, rows, notes=notes, files=table.files | random.files)


def _tell_places(material: Material, stage: Stage, label: str) -> str:
    runs = _runs_of(material, [stage.name(option) for option in stage.options])
    mutual, random = (
        place_of(rank(won), stage.name(label)) for won in (meet_each_other(runs), meet_random(runs))
    )
    return f"rank {mutual} against each other, {random} against random"


def _runs_of(material: Material, names: list[str]) -> dict[str, Run]:
    return {run.path.name: run for name in names for run in agents(material, name)}


def _pick(won: dict[str, Sample], configuration: str) -> list[Sample]:
    return [sample for name, sample in won.items() if name_configuration(name) == configuration]
