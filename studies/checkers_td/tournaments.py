"""Games after training in ``checkers-td``: both tournaments, and the rounds of section 5.2.

A tournament is a round robin. In section 5.2 two untrained players meet, train, meet again, and so
on: learning after every move against learning after the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.duel_result import Tally
from evolve_arena.arena.executors import Executor
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.board.workspace import DEPTH
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.studies.checkers_td.games import Meeting, Series, fingerprint, play_series
from evolve_arena.studies.checkers_td.linear_games import FEATURE_COUNT
from evolve_arena.studies.checkers_td.plan import (
    CHOSEN,
    arrange,
    estimate_cost,
    gather,
    join_runs,
    make_beginners,
    read_scores,
    recipe_name,
)
from evolve_arena.studies.checkers_td.published import (
    PLAYERS,
    ROUNDS,
    WITHOUT_ROW,
    Score,
    mean_points,
)
from evolve_arena.studies.checkers_td.td_linear import Participants, read_weights
from evolve_arena.studies.study import Material, Row, Table

GAMES = 10
"""Games of a round; the row's player moves first in all of them."""
BETWEEN = 25
"""Games of each player against itself between two rounds; the text says 20 to 30."""

DEEP = frozenset({15, 16})
"""Players that search seven plies ahead."""


@dataclass(frozen=True)
class Tournament:
    """A round robin in which each pair of players meets twice, each player moving first once."""

    name: str
    """Number of its published table, such as ``5.8``."""
    title: str
    players: tuple[int, ...]
    """Numbers of the participants."""
    learning: bool
    """True if a meeting has two rounds, in and between which both players learn."""

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """First and second player of each meeting, for the cells that were published.

        Players that search deepest come first: long meetings must not be left for the end.
        """
        pairs = [
            (first, second)
            for first in self.players
            for second in self.players
            if first != second and not (self.learning and first == WITHOUT_ROW)
        ]
        return sorted(pairs, key=lambda pair: -len(DEEP.intersection(pair)))


WITHOUT_LEARNING = Tournament("5.8", "tournament without learning", tuple(range(1, 16)), False)
LEARNING = Tournament("5.9", "tournament with learning", tuple(PLAYERS), True)


def play_tournament(
    material: Material, tournament: Tournament
) -> list[dict[tuple[int, int], Meeting]]:
    """Return the meetings of *tournament*, seed by seed; stored ones are not played again."""
    series = [_make_series(material, tournament, seed) for seed in material.settings.each_seed]
    return [
        dict(zip(tournament.pairings, meetings, strict=True))
        for meetings in play_series(material, series)
    ]


def _make_series(material: Material, tournament: Tournament, seed: int) -> Series:
    participants = gather(material, seed, tournament.players)
    games = material.settings.scaled(GAMES, least=1)
    between = material.settings.scaled(BETWEEN, least=1)
    places = {number: place for place, number in enumerate(tournament.players)}
    pairings = np.array(
        [(places[first], places[second]) for first, second in tournament.pairings], dtype=np.int32
    )
    if tournament.learning:
        play = partial(meet_and_learn, participants, pairings, seed, games, between)
    else:
        play = partial(_meet, participants, pairings, seed, games)
    lengths = games, between, CHOSEN.draws
    identity = fingerprint(participants.identity, pairings.tobytes(), seed, *lengths)
    looks = zip(participants.seats[:, DEPTH], participants.learning[:, FEATURE_COUNT], strict=True)
    costs = np.array([estimate_cost(int(depth), int(features)) for depth, features in looks])
    weights = tuple(costs[pairings].sum(axis=1).tolist())
    return Series(f"{tournament.name}-seed-{seed}", weights, identity, play)


def _meet(
    participants: Participants,
    pairings: NDArray[np.int32],
    seed: int,
    games: int,
    numbers: Sequence[int],
    executor: Executor,
) -> list[Meeting]:
    """Play one round without learning."""
    some = list(numbers)
    seeds = derive_seeds(seed, 0, "tournament", len(pairings))[some]
    players = participants.without_exploration()
    outputs = executor.run(arrange(players, pairings[some], seeds, games=games, learn=False))
    return [Meeting((score,)) for score in read_scores(outputs[1])]


def meet_and_learn(
    participants: Participants,
    pairings: NDArray[np.int32],
    seed: int,
    games: int,
    between: int,
    numbers: Sequence[int],
    executor: Executor,
) -> list[Meeting]:
    """Play a round, games of each player against itself, and a round; both always learn.

    Every meeting begins with the same players, whatever they learn in others.

    Args:
        participants: Players as they came from their training.
        pairings: Rows of *participants* of each meeting's first and second player, shape
            ``(meetings, 2)``.
        seed: Seed of all meetings of the tournament.
        games: Number of games of each of the two rounds.
        between: Number of games of each player against itself between the rounds.
        numbers: Rows of *pairings* that are played now.
        executor: Executor that plays the games.
    """
    some = list(numbers)
    seats = pairings[some].reshape(-1)
    workspace = np.arange(len(seats), dtype=np.int32)
    seeds = partial(derive_seeds, seed, purpose="tournament-with-learning")
    first, second = (seeds(generation=part, count=len(pairings))[some] for part in (0, 2))
    alone = seeds(generation=1, count=pairings.size).reshape(-1, 2)[some].reshape(-1)

    # First round, training alone, second round; the learned weights are carried along.
    own = participants.pick(seats)
    pairs = workspace.reshape(-1, 2)
    own, one, scores = _learn_together(own, pairs, first, games, executor)
    itself = np.stack([workspace, workspace], axis=1)
    outputs = executor.run(arrange(own, itself, alone, games=between, learn=True))
    own, two = own.keep_learned(read_weights(outputs)[:, 0])
    _, three, more = _learn_together(own, pairs, second, games, executor)
    lost = (one | two | three).reshape(-1, 2).sum(axis=1)
    return [
        Meeting(tuple(rounds), int(count))
        for *rounds, count in zip(scores, more, lost, strict=True)
    ]


def meet_runs(
    one: Run, two: Run, *, games: int, lessons: int, seed: int, executor: Executor
) -> tuple[Tally, Tally]:
    """Let the players of two runs play, learn and play again, as in table 5.9.

    They learn in the games that count, and in games against themselves in between; each of them
    begins one half of the games.

    Args:
        one: Run of the method ``td-linear``.
        two: The other run.
        games: Number of games of each of the two rounds.
        lessons: Number of games of each player against itself between the rounds.
        seed: Seed of all games.
        executor: Executor that plays the games.

    Returns:
        The results of the player of *one* in the first and the second round.
    """
    participants = join_runs([one, two])
    pairings = np.array([(0, 1), (1, 0)], dtype=np.int32)
    half = max(1, games // 2)
    first, second = meet_and_learn(participants, pairings, seed, half, lessons, (0, 1), executor)
    rounds = zip(first.rounds, second.rounds, strict=True)
    before, after = (
        Tally(own.wins + other.losses, own.draws + other.draws, own.losses + other.wins)
        for own, other in rounds
    )
    return before, after


def _learn_together(
    own: Participants,
    pairs: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    games: int,
    executor: Executor,
) -> tuple[Participants, NDArray[np.bool_], list[Score]]:
    """Play a round in which both learn; return the players, those that diverged, and the scores."""
    players = own.without_exploration()
    outputs = executor.run(arrange(players, pairs, seeds, games=games, learn=True))
    after, lost = own.keep_learned(read_weights(outputs).reshape(len(own.weights), -1))
    return after, lost, read_scores(outputs[1])


# Section 5.2

FORWARD, BACKWARD = 2, 1
"""Numbers of RafalForw and RafalBack."""
ROUND_GAMES = 25
"""Games of a round: the printed wins add up to 24, 24, 25 and 25."""
TRAINING_GAMES = 50
"""Games of each player against itself between two rounds; the text says "several dozen"."""
PAIRS = 10
"""Independent pairs of players for each seed."""

LABELS = {
    **{f"round {place + 1}": (place,) for place in range(len(ROUNDS))},
    "rounds 2 to 4": tuple(range(1, len(ROUNDS))),
}
"""Rounds that each row of the table sums up."""
ROUND_NOTES = [
    "Points of RafalBack, who learns at the end of the game, against RafalForw, who learns after"
    " every move; a draw counts half. The publication prints four rows of two numbers, 13-11, 7-17,"
    f" 8-17 and 6-19. They are read as the wins of both in four rounds of {ROUND_GAMES} games, of"
    " which what is missing was drawn.",
    f"Before the first round both are untrained; after each round but the last both play"
    f" {TRAINING_GAMES} games against themselves. They don't learn during the rounds, where each of"
    " them begins every second game.",
    f"The publication has one pair, here are {PAIRS} for each seed; the interval is Student's, over"
    " pairs.",
]


def measure_rounds(material: Material) -> Table:
    """Make the table of the four rounds, published and measured."""
    series = [_make_rounds(material, seed) for seed in material.settings.each_seed]
    meetings = [meeting for played in play_series(material, series) for meeting in played]
    rows = []
    for label, places in LABELS.items():
        scores = [sum((meeting.rounds[place] for place in places), Score()) for meeting in meetings]
        values = mean_points(scores)
        said = _tell_wins(sum(scores, Score()), places)
        rows.append(Row("5.2", label, "RafalBack", _published_share(places), *values, said))
    lost = sum(meeting.lost for meeting in meetings)
    notes = [*ROUND_NOTES, f"Divergences of weights: {lost}."] if lost else ROUND_NOTES
    return Table("5.2", "end of game against every move, four rounds", rows, notes)


def _make_rounds(material: Material, seed: int) -> Series:
    games = material.settings.scaled(ROUND_GAMES, least=2)
    between = material.settings.scaled(TRAINING_GAMES, least=1)
    participants = _make_pairs(seed)
    identity = fingerprint(participants.identity, seed, games, between, CHOSEN.draws)
    play = partial(play_pairs, participants, seed, games, between)
    return Series(f"5.2-seed-{seed}", (1.0,) * PAIRS, identity, play)


def _make_pairs(seed: int) -> Participants:
    """Return all pairs of one seed, RafalBack before RafalForw, before any training."""
    recipes = [load_recipe(recipe_name(number)) for number in (BACKWARD, FORWARD)]
    seeds = [1000 * seed + pair for pair in range(PAIRS) for _ in recipes]
    return make_beginners(recipes * PAIRS, seeds)


def play_pairs(
    participants: Participants,
    seed: int,
    games: int,
    between: int,
    numbers: Sequence[int],
    executor: Executor,
) -> list[Meeting]:
    """Play all rounds of some pairs.

    Args:
        participants: Untrained players, RafalBack and then RafalForw of each pair.
        seed: Seed of all games of these pairs.
        games: Number of games of each round.
        between: Number of games of each player against itself between two rounds.
        numbers: Numbers of the pairs that play now, from 0.
        executor: Executor that plays the games.
    """
    players = np.array([(2 * pair, 2 * pair + 1) for pair in numbers], dtype=np.int32)
    everybody = players.reshape(-1)
    alone = np.stack([everybody, everybody], axis=1)
    rounds: list[list[Score]] = [[] for _ in numbers]
    lost = np.zeros(len(participants.weights), dtype=np.int64)
    for number in range(len(ROUNDS)):
        # Between two rounds all players train alone.
        if number:
            seeds = derive_seeds(seed, number, "training", len(participants.weights))[everybody]
            work = arrange(participants, alone, seeds, games=between, learn=True)
            learned = participants.weights.copy()
            learned[everybody] = read_weights(executor.run(work))[:, 0]
            participants, spoilt = participants.keep_learned(learned)
            lost += spoilt
        seeds = derive_seeds(seed, number, "rounds", PAIRS)[list(numbers)]
        calm = participants.without_exploration()
        work = arrange(calm, players, seeds, games=games, learn=False, alternate=True)
        for kept, score in zip(rounds, read_scores(executor.run(work)[1]), strict=True):
            kept.append(score)
    return [
        Meeting(tuple(kept), int(lost[list(pair)].sum()))
        for kept, pair in zip(rounds, players.tolist(), strict=True)
    ]


def _published_share(places: Sequence[int]) -> float:
    """Return RafalBack's share of points in some published rounds; games nobody won are draws."""
    forward, backward = _count_published(places)
    games = ROUND_GAMES * len(places)
    return round((backward + (games - forward - backward) / 2) / games, 4)


def _tell_wins(score: Score, places: Sequence[int]) -> str:
    forward, backward = _count_published(places)
    return (
        f"won {score.wins}, lost {score.losses}, drawn {score.draws}"
        f"; published {backward}, {forward}"
    )


def _count_published(places: Sequence[int]) -> tuple[int, int]:
    """Return the wins of RafalForw and RafalBack in some published rounds."""
    forward, backward = np.sum([ROUNDS[place] for place in places], axis=0).tolist()
    return forward, backward
