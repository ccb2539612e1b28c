"""Meetings of linear players who learn, or do not, as work for an executor.

A meeting is a number of games between two players, or of one against himself. Each meeting starts
from the weights that are handed in, whatever the others bring, so meetings are independent parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.work import Work
from evolve_arena.games.checkers.linear import LinearDecoder
from evolve_arena.games.checkers.values import SEAT_FIELDS
from evolve_arena.studies.checkers_td.linear_games import DRAW_RULES, FIGURES
from evolve_arena.studies.checkers_td.linear_learning import (
    MOST_GENES,
    RATE,
    SETTINGS_FIELDS,
    LearningSettings,
)

KERNEL = "evolve_arena.studies.checkers_td.linear_games:meet_part"


@dataclass(frozen=True, eq=False)
class Participants:
    """Linear players of any kinds, row by row."""

    weights: NDArray[np.float64]
    """What they know, shape ``(players, MOST_GENES)``: each one's weights, then zeros."""
    learning: NDArray[np.float64]
    """How they learn, shape ``(players, SETTINGS_FIELDS)``; see
    :class:`~evolve_arena.studies.checkers_td.linear_learning.LearningSettings`."""
    seats: NDArray[np.int64]
    """How they play, shape ``(players, SEAT_FIELDS)``."""

    def with_weights(self, weights: Mapping[int, NDArray[Any]]) -> Participants:
        """The same players, of whom some, by row, have other *weights*, as long or shorter."""
        changed = self.weights.copy()
        for player, row in weights.items():
            changed[player] = 0.0
            changed[player, : len(row)] = row
        return replace(self, weights=changed)

    def with_rate(self, player: int, rate: float) -> Participants:
        """The same players, of whom one has another rate; with 0 that one does not learn."""
        learning = self.learning.copy()
        learning[player, RATE] = rate
        return replace(self, learning=learning)


def make_participants(
    decoders: Sequence[LinearDecoder],
    learning: Sequence[LearningSettings],
    genomes: Sequence[NDArray[Any]] | NDArray[Any],
) -> Participants:
    """Players who are to meet.

    Args:
        decoders: What each one's weights stand for.
        learning: How each learns, a row for each
            (:class:`evolve_arena.studies.checkers_td.linear_learning.LearningSettings`).
        genomes: Each one's weights, shape ``(genes,)``, of 32 or 64 bits.

    Raises:
        ValueError: The three are not of one length, or a genome is not of its decoder's.
    """
    weights = np.zeros((len(decoders), MOST_GENES))
    seats = np.zeros((len(decoders), SEAT_FIELDS), dtype=np.int64)
    rows = np.zeros((len(decoders), SETTINGS_FIELDS))
    seat_of: dict[LinearDecoder, NDArray[np.int64]] = {}
    for player, (decoder, settings, genome) in enumerate(
        zip(decoders, learning, genomes, strict=True)
    ):
        if len(genome) != decoder.genes:
            raise ValueError(f"player {player} has {len(genome)} genes, not {decoder.genes}")
        if decoder not in seat_of:
            nothing = np.zeros((1, decoder.genes), dtype=np.float32)
            seat_of[decoder] = decoder.pack(nothing).seats[0]
        weights[player, : len(genome)] = genome
        rows[player] = settings.row()
        seats[player] = seat_of[decoder]
    return Participants(weights, rows, seats)


def make_meetings(
    participants: Participants,
    pairings: NDArray[Any] | Sequence[tuple[int, int]],
    seeds: NDArray[np.uint64],
    *,
    games: int,
    learn: bool,
    alternate: bool = False,
    turned: int = 0,
    draws: str = "standard",
) -> Work:
    """Work of which each part is a meeting.

    Its outputs are the weights afterwards (:func:`read_weights` takes them apart), the first
    player's wins, draws and losses, shape ``(meetings, 3)``, and the figures of
    :mod:`evolve_arena.studies.checkers_td.linear_games`, shape ``(meetings, FIGURES)``.

    Args:
        participants: The players.
        pairings: Rows of these, shape ``(meetings, 2)``. Who is paired with himself plays himself
            and learns from both sides.
        seeds: A seed for each meeting, shape ``(meetings,)``.
        games: How many games a meeting has.
        learn: Whether players learn from each game, or from each move, as set.
        alternate: Whether the second player begins every other game; if not, the first begins all.
        turned: 1 if light moves first; see `evolve_arena.games.checkers.game.Checkers`.
        draws: When a game is drawn, one of
            `evolve_arena.studies.checkers_td.linear_games.DRAW_RULES`.

    Raises:
        ValueError: The shapes do not fit together, or a pairing names nobody.
    """
    pairs = np.asarray(pairings, dtype=np.int32).reshape(-1, 2)
    if len(seeds) != len(pairs):
        raise ValueError(f"{len(seeds)} seeds for {len(pairs)} pairings")
    if len(pairs) and not 0 <= pairs.min() <= pairs.max() < len(participants.weights):
        raise ValueError(f"a pairing names a player outside 0 to {len(participants.weights) - 1}")
    return Work(
        kernel=KERNEL,
        inputs=(participants.weights, participants.learning, participants.seats, pairs, seeds),
        outputs=(
            ("float64", (len(pairs), 2 * MOST_GENES)),
            ("int64", (len(pairs), 3)),
            ("float64", (len(pairs), FIGURES)),
        ),
        options={
            "games": games,
            "learn": learn,
            "alternate": alternate,
            "turned": turned,
            "draws": DRAW_RULES[draws],
        },
        coarse=True,
        games=games,
    )


def read_weights(outputs: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """What both players of each meeting know afterwards, shape ``(meetings, 2, MOST_GENES)``.

    Not numbers where weights grew beyond all bounds. Both are the same where one played himself.
    """
    weights: NDArray[np.float64] = outputs[0].reshape(len(outputs[0]), 2, MOST_GENES)
    return weights
