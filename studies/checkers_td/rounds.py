"""Section 5.2 of ``checkers-td``: learning after every move against learning after the game.

Two players who know nothing yet meet, train, meet again, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from evolve_arena.arena.executors import Executor
from evolve_arena.arena.intervals import Sample, mean_share
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.studies.checkers_td.games import Meeting, Series, fingerprint, play_series
from evolve_arena.studies.checkers_td.linear_matches import (
    Participants,
    make_participants,
    read_weights,
)
from evolve_arena.studies.checkers_td.plan import (
    CHOSEN,
    arrange,
    identify,
    keep_learned,
    read_scores,
    recipe_name,
    without_exploration,
)
from evolve_arena.studies.checkers_td.published import ROUNDS, Score
from evolve_arena.studies.checkers_td.td_linear import make_learning_settings
from evolve_arena.studies.study import Material, Row, Table

FORWARD, BACKWARD = 2, 1
"""The numbers of RafalForw and RafalBack."""
GAMES = 25
"""Games of a round: the printed wins add up to 24, 24, 25 and 25."""
BETWEEN = 50
"""Games of each player against itself between two rounds; the text says "several dozen"."""
PAIRS = 10
"""Pairs of players for each seed, who know nothing of one another."""

LABELS = {
    **{f"round {place + 1}": (place,) for place in range(len(ROUNDS))},
    "rounds 2 to 4": tuple(range(1, len(ROUNDS))),
}
"""What the table's rows are made of."""
NOTES = [
    "Points of RafalBack, who learns at the end of the game, against RafalForw, who learns after"
    " every move; a draw counts half. The publication prints four rows of two numbers, 13-11, 7-17,"
    f" 8-17 and 6-19. They are read as the wins of both in four rounds of {GAMES} games, of which"
    " what is missing was drawn.",
    f"Before the first round nobody has learned anything; after each round but the last both play"
    f" {BETWEEN} games against themselves. They don't learn during the rounds, where each of them"
    " begins every second game.",
    f"The publication has one pair, here are {PAIRS} for each seed; the interval is Student's, over"
    " pairs.",
]


def measure_rounds(material: Material) -> Table:
    """The four rounds, published and measured."""
    meetings = [meeting for series in play_rounds(material) for meeting in series]
    rows, remarks = [], {}
    for label, places in LABELS.items():
        scores = [sum((meeting.rounds[place] for place in places), Score()) for meeting in meetings]
        values = mean_share([Sample(score.points, score.games) for score in scores])
        rows.append(Row("5.2", label, "RafalBack", _published_share(places), *values))
        remarks[label, "RafalBack"] = _tell_wins(sum(scores, Score()), places)
    lost = sum(meeting.lost for meeting in meetings)
    notes = [*NOTES, f"How often weights grew beyond all bounds: {lost}."] if lost else NOTES
    return Table("5.2", "end of game against every move, four rounds", rows, remarks, notes)


def play_rounds(material: Material) -> list[list[Meeting]]:
    """The meetings of all pairs, seed by seed; RafalBack is the first player."""
    seeds = range(1, material.settings.seeds + 1)
    return play_series(material, [_make_series(material, seed) for seed in seeds])


def _make_series(material: Material, seed: int) -> Series:
    games = material.settings.scaled(GAMES, least=2)
    between = material.settings.scaled(BETWEEN, least=1)
    participants = _make_beginners(seed)
    identity = fingerprint(identify(participants), seed, games, between, CHOSEN.draws)
    play = partial(play_pairs, participants, seed, games, between)
    return Series(f"5.2-seed-{seed}", (1.0,) * PAIRS, identity, play)


def _make_beginners(seed: int) -> Participants:
    """All pairs of one seed, RafalBack before RafalForw, as they are before any training."""
    recipes = [CHOSEN.apply(load_recipe(recipe_name(number))) for number in (BACKWARD, FORWARD)]
    methods = [recipe.make_method() for recipe in recipes]
    beginners = [
        (method, method.initial(1000 * seed + pair).population[0])
        for pair in range(PAIRS)
        for method in methods
    ]
    return make_participants(
        [method.decoder for method, _ in beginners],
        [make_learning_settings(method.config, method.decoder) for method, _ in beginners],
        [genome for _, genome in beginners],
    )


def play_pairs(
    participants: Participants,
    seed: int,
    games: int,
    between: int,
    numbers: Sequence[int],
    executor: Executor,
) -> list[Meeting]:
    """All rounds of some pairs."""
    players = np.array([(2 * pair, 2 * pair + 1) for pair in numbers], dtype=np.int32)
    everybody = players.reshape(-1)
    alone = np.stack([everybody, everybody], axis=1)
    rounds: list[list[Score]] = [[] for _ in numbers]
    lost = np.zeros(len(participants.weights), dtype=np.int64)
    for number in range(len(ROUNDS)):
        if number:
            seeds = derive_seeds(seed, number, "training", len(participants.weights))[everybody]
            work = arrange(participants, alone, seeds, games=between, learn=True)
            learned = participants.weights.copy()
            learned[everybody] = read_weights(executor.do(work))[:, 0]
            participants, spoilt = keep_learned(participants, learned)
            lost += spoilt
        seeds = derive_seeds(seed, number, "rounds", PAIRS)[list(numbers)]
        calm = without_exploration(participants)
        work = arrange(calm, players, seeds, games=games, learn=False, alternate=True)
        for kept, score in zip(rounds, read_scores(executor.do(work)[1]), strict=True):
            kept.append(score)
    return [
        Meeting(tuple(kept), int(lost[list(pair)].sum()))
        for kept, pair in zip(rounds, players.tolist(), strict=True)
    ]


def _published_share(places: Sequence[int]) -> float:
    """RafalBack's points in some published rounds, whose games that nobody won were drawn."""
    forward = sum(ROUNDS[place][0] for place in places)
    backward = sum(ROUNDS[place][1] for place in places)
    games = GAMES * len(places)
    return round((backward + (games - forward - backward) / 2) / games, 4)


def _tell_wins(score: Score, places: Sequence[int]) -> str:
    forward = sum(ROUNDS[place][0] for place in places)
    backward = sum(ROUNDS[place][1] for place in places)
    return (
        f"won {score.wins}, lost {score.losses}, drawn {score.draws}"
        f"; published {backward}, {forward}"
    )
