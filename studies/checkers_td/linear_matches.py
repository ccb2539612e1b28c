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
from evolve_arena.core.registry import find_game
from evolve_arena.evolve.learning.tuple_learning import FIGURES
from evolve_arena.genomes.network import SHAPE_FIELDS
from evolve_arena.genomes.simd import LANES
from evolve_arena.players.board.kernel import specialise_board
from evolve_arena.players.board.workspace import RECORD_FIELDS
from evolve_arena.players.packed import NOISE, SHAPE, WEIGHTS_AT, PackedPlayers
from evolve_arena.studies.checkers_td.linear_games import (
    DRAW_RULES,
    EXPLORATION,
    FORTY_MOVES,
    MOST_FEATURES,
    MOST_GENES,
    SETTINGS_FIELDS,
    LearningSettings,
    LearningTable,
    Lesson,
    spoil_if_lost,
    write_weights,
)

FOLDER = "evolve_arena.studies.checkers_td"
KERNEL = f"{FOLDER}.linear_matches:meet_part"
NUMBERS = LANES * (1 + MOST_GENES)
"""Room for the packed weights of a player."""


@dataclass(frozen=True, eq=False)
class Participants:
    """Linear players of any kinds, row by row."""

    weights: NDArray[np.float64]
    """What they know, shape ``(players, MOST_GENES)``: each one's weights, then zeros."""
    learning: NDArray[np.float64]
    """How they learn, shape ``(players, SETTINGS_FIELDS)``; see
    :class:`~evolve_arena.studies.checkers_td.linear_games.LearningSettings`."""
    seats: NDArray[np.int64]
    """How they play, shape ``(players, RECORD_FIELDS)``."""
    shapes: NDArray[np.int64]
    """The shapes of their networks, ``(players, SHAPE_FIELDS)``."""

    @property
    def identity(self) -> bytes:
        """The players' weights and how they learn and search."""
        arrays = self.weights, self.learning, self.seats, self.shapes
        return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)

    def without_exploration(self) -> Participants:
        """The same players, who play no move at random: they do so in training only."""
        learning = self.learning.copy()
        learning[:, EXPLORATION] = 0.0
        return replace(self, learning=learning)

    def pick(self, rows: NDArray[np.int32]) -> Participants:
        """Some of them, by their rows; who is named twice becomes two players."""
        own = self.weights[rows], self.learning[rows], self.seats[rows], self.shapes[rows]
        return Participants(*own)

    def keep_learned(self, weights: NDArray[np.float64]) -> tuple[Participants, NDArray[np.bool_]]:
        """The same players with other *weights*, and which of them are no numbers any more.

        These players keep the weights that they had.
        """
        lost: NDArray[np.bool_] = np.logical_not(np.isfinite(weights).all(axis=1))
        kept = np.where(lost[:, np.newaxis], self.weights, weights)
        return replace(self, weights=kept), lost


def make_participants(
    decoders: Sequence[Any],
    learning: Sequence[LearningSettings],
    genomes: Sequence[NDArray[Any]] | NDArray[Any],
) -> Participants:
    """Players who are to meet.

    Args:
        decoders: What each one's weights stand for: networks over features without hidden units.
        learning: How each learns, a row for each
            (:class:`evolve_arena.studies.checkers_td.linear_games.LearningSettings`).
        genomes: Each one's weights, shape ``(genes,)``, of 32 or 64 bits; the last is a bias, and
            is not learned.

    Raises:
        ValueError: The three are not of one length, or a genome is not of its decoder's.
    """
    weights = np.zeros((len(decoders), MOST_GENES))
    seats = np.zeros((len(decoders), RECORD_FIELDS), dtype=np.int64)
    rows = np.zeros((len(decoders), SETTINGS_FIELDS))
    shapes = np.zeros((len(decoders), SHAPE_FIELDS), dtype=np.int64)
    packed_by: dict[Any, PackedPlayers] = {}
    for player, (decoder, settings, genome) in enumerate(
        zip(decoders, learning, genomes, strict=True)
    ):
        if len(genome) != decoder.genes:
            raise ValueError(f"player {player} has {len(genome)} genes, not {decoder.genes}")
        if decoder not in packed_by:
            packed_by[decoder] = decoder.pack(np.zeros((1, decoder.genes), dtype=np.float32))
        weights[player, : len(genome) - 1] = genome[:-1]
        rows[player] = settings.row()
        seats[player], shapes[player] = packed_by[decoder].seats[0], packed_by[decoder].shapes[0]
    return Participants(weights, rows, seats, shapes)


def make_meetings(
    participants: Participants,
    pairings: NDArray[Any] | Sequence[tuple[int, int]],
    seeds: NDArray[np.uint64],
    *,
    games: int,
    learn: bool,
    alternate: bool = False,
    draws: str = "standard",
) -> Work:
    """Work of which each part is a meeting.

    Its outputs are the weights afterwards (:func:`read_weights` takes them apart), the first
    player's wins, draws and losses, shape ``(meetings, 3)``, and the figures of
    :mod:`evolve_arena.evolve.learning.tuple_learning`, shape ``(meetings, FIGURES)``.

    Args:
        participants: The players.
        pairings: Rows of these, shape ``(meetings, 2)``. Who is paired with himself plays himself
            and learns from both sides.
        seeds: A seed for each meeting, shape ``(meetings,)``.
        games: How many games a meeting has.
        learn: Whether players learn from each game, or from each move, as set.
        alternate: Whether the second player begins every other game; if not, the first begins all.
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
        inputs=(
            participants.weights,
            participants.learning,
            participants.seats,
            participants.shapes,
            pairs,
            seeds,
        ),
        outputs=(
            ("float64", (len(pairs), 2 * MOST_GENES)),
            ("int64", (len(pairs), 3)),
            ("float64", (len(pairs), FIGURES)),
        ),
        options={
            "games": games,
            "learn": learn,
            "alternate": alternate,
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


def meet_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """Plays the games of some pairings; a kernel, see :mod:`evolve_arena.arena.work`.

    Args:
        options: ``games`` of each pairing; ``learn``, whether its players do; ``alternate``,
            whether the second player begins every other game, or the first one all; ``draws``, one
            of the values of `DRAW_RULES`.
        inputs: All players' weights, shape ``(players, MOST_GENES)`` (``float64``); how they learn,
            ``(players, SETTINGS_FIELDS)``; their seats, ``(players, RECORD_FIELDS)``, and shapes,
            ``(players, SHAPE_FIELDS)``; the pairings, rows of these, ``(parts, 2)``; and a seed for
            each (``uint64``). Who is paired with himself plays himself; all his moves change the
            same weights.
        outputs: The weights of both afterwards, one's after the other's, shape ``(parts,
            2 * MOST_GENES)`` (``float64``), not numbers where they grew beyond all bounds; the
            first player's wins, draws and losses, ``(parts, 3)`` (``int64``); and the
            `FIGURES`, ``(parts, FIGURES)``.
        part: Which pairings.
    """
    *players, pairings, seeds = inputs
    alternate = bool(options["alternate"])
    if part.start == part.stop:  # only to compile
        _Table([array[:1] for array in players], np.uint64(0), options).play(0, np.zeros(FIGURES))
    for place in range(part.start, part.stop):
        first, second = pairings[place]
        rows = [first] if first == second else [first, second]
        table = _Table([array[rows] for array in players], seeds[place], options)
        after, scores, figures = (output[place] for output in outputs)
        scores[:] = 0
        figures[:] = 0.0
        for game in range(options["games"]):
            begins = game % len(rows) if alternate else 0
            outcome = table.play(begins, figures)
            scores[1 - outcome if begins == 0 else 1 + outcome] += 1
        for player in range(len(rows)):
            spoil_if_lost(table.lesson(player))
        after[:MOST_GENES] = table.learning.weights[0]
        after[MOST_GENES:] = table.learning.weights[-1]


class _Table:
    """A table for players who have not learned anything yet.

    Args:
        players: Their rows of the arrays of `Participants`.
        seed: Of chance.
        options: See :func:`meet_part`.
    """

    def __init__(
        self, players: Sequence[NDArray[Any]], seed: np.uint64, options: Mapping[str, Any]
    ) -> None:
        weights, settings, seats, shapes = (array.copy() for array in players)
        order = np.arange(len(seats))
        seats[:, WEIGHTS_AT], seats[:, SHAPE] = order * NUMBERS, order
        seats[:, NOISE] = np.rint(settings[:, EXPLORATION] * 2.0**32).astype(np.int64)
        self.packed = PackedPlayers(
            *(seats, shapes, np.zeros(0, dtype=np.int32)),
            *(np.zeros(len(seats) * NUMBERS, dtype=np.float32), np.zeros(0)),
        )
        spec = find_game("checkers")
        game: Any = spec.game()
        self.options = int(options["draws"]), bool(options["learn"])
        changes = {f"{game.place}:REPETITION": 0} if options["draws"] == FORTY_MOVES else {}
        modules = (f"{FOLDER}.linear_games",)
        *_, self.games = specialise_board(game.place, game.rules, modules, self.packed, changes)
        self.workspace = spec.kernel.make_workspace(game.rules, self.packed)
        self.workspace.streams[0] = seed
        longest = int(game.code.LONGEST) + 1
        self.learning = LearningTable(
            settings,
            weights,
            states=np.zeros(2 * longest * MOST_FEATURES, dtype=np.int64),
            counts=np.zeros(2, dtype=np.int64),
            traces=np.zeros((2, MOST_GENES)),
            values=np.zeros(longest),
        )
        for player in range(len(seats)):
            write_weights(self.lesson(player), self.packed.weights, NUMBERS * player)

    def lesson(self, player: int) -> Lesson:
        """What a *player* learns by."""
        learning = self.learning
        return Lesson(learning.settings[player], learning.weights[player], learning.traces[player])

    def play(self, first: int, figures: NDArray[np.float64]) -> int:
        """Play one game; see `linear_games.play_and_learn`."""
        second = (first + 1) % len(self.learning.weights)
        given = self.packed, self.workspace, self.learning
        return int(self.games.play_and_learn(*self.options, first, second, *given, figures))
