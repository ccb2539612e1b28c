"""Both tournaments of ``checkers-td``: who meets whom, and how a meeting goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.executors import Executor
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.board.workspace import DEPTH
from evolve_arena.studies.checkers_td.games import Meeting, Series, fingerprint, play_series
from evolve_arena.studies.checkers_td.linear_games import FEATURE_COUNT
from evolve_arena.studies.checkers_td.linear_matches import Participants, read_weights
from evolve_arena.studies.checkers_td.plan import (
    CHOSEN,
    arrange,
    estimate_cost,
    gather,
    identify,
    keep_learned,
    pick,
    read_scores,
    without_exploration,
)
from evolve_arena.studies.checkers_td.published import PLAYERS, WITHOUT_ROW, Score
from evolve_arena.studies.study import Material

GAMES = 10
"""Games of a round; the row's player moves first in all of them."""
BETWEEN = 25
"""Games of each player against itself between two rounds; the text says 20 to 30."""

DEEP = frozenset({15, 16})
"""Who searches seven plies ahead."""


@dataclass(frozen=True)
class Tournament:
    """A tournament in which everybody meets everybody twice, once moving first."""

    name: str
    """The section of its table."""
    title: str
    players: tuple[int, ...]
    """The numbers of those who take part."""
    learning: bool
    """Whether a meeting has two rounds, in and between which both players learn."""

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who moves first and who meets him, as far as such games were published.

        Those who search deepest come first: what takes longest must not be left for the end.
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
    """The meetings of *tournament*, seed by seed; what was played before is not played again."""
    seeds = range(1, material.settings.seeds + 1)
    all_series = [_make_series(material, tournament, seed) for seed in seeds]
    return [
        dict(zip(tournament.pairings, meetings, strict=True))
        for meetings in play_series(material, all_series)
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
    identity = fingerprint(
        identify(participants), pairings.tobytes(), seed, games, between, CHOSEN.draws
    )
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
    """One round; nobody learns."""
    some = list(numbers)
    seeds = derive_seeds(seed, 0, "tournament", len(pairings))[some]
    players = without_exploration(participants)
    work = arrange(players, pairings[some], seeds, games=games, learn=False)
    scores = executor.do(work)[1]
    return [Meeting((score,)) for score in read_scores(scores)]


def meet_and_learn(
    participants: Participants,
    pairings: NDArray[np.int32],
    seed: int,
    games: int,
    between: int,
    numbers: Sequence[int],
    executor: Executor,
) -> list[Meeting]:
    """A round, games of each player against itself, another round; both learn all the time.

    Every meeting begins with the players as they came from their training.
    """
    some = list(numbers)
    seats = pairings[some].reshape(-1)
    workspace = np.arange(len(seats), dtype=np.int32)
    seeds = partial(derive_seeds, seed, purpose="tournament-with-learning")
    first, second = (seeds(generation=part, count=len(pairings))[some] for part in (0, 2))
    alone = seeds(generation=1, count=pairings.size).reshape(-1, 2)[some].reshape(-1)

    own = pick(participants, seats)
    pairs = workspace.reshape(-1, 2)
    own, one, scores = _learn_together(own, pairs, first, games, executor)
    itself = np.stack([workspace, workspace], axis=1)
    outputs = executor.do(arrange(own, itself, alone, games=between, learn=True))
    own, two = keep_learned(own, read_weights(outputs)[:, 0])
    _, three, more = _learn_together(own, pairs, second, games, executor)
    lost = (one | two | three).reshape(-1, 2).sum(axis=1)
    return [
        Meeting(tuple(rounds), int(count))
        for *rounds, count in zip(scores, more, lost, strict=True)
    ]


def _learn_together(
    own: Participants,
    pairs: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    games: int,
    executor: Executor,
) -> tuple[Participants, NDArray[np.bool_], list[Score]]:
    """A round in which both learn: who they are then, whose weights were lost, and the scores."""
    players = without_exploration(own)
    outputs = executor.do(arrange(players, pairs, seeds, games=games, learn=True))
    after, lost = keep_learned(own, read_weights(outputs).reshape(len(own.weights), -1))
    return after, lost, read_scores(outputs[1])
