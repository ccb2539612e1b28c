"""Kernels for executors: learning steps on positions, and games of packed players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import find_variant
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Array, Settings
from evolve_arena.evolve.learning.imitation_learning import Drill, LessonRoom, Rows
from evolve_arena.evolve.learning.layers import new_layers, pad_numbers, unpad_numbers
from evolve_arena.genomes.mlp import MLP
from evolve_arena.players.board.kernel import specialise_board
from evolve_arena.players.board.workspace import (
    SPARE_WORDS,
    count_changes,
    make_states,
    seen_words,
)
from evolve_arena.players.packed import PackedPlayers

LESSONS = "evolve_arena.evolve.learning.imitation_learning"
"""Module with the learning code, a copy of which is compiled for each game's rules."""


def teach_part(
    options: Settings,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    part: slice,
) -> None:
    """Run a part of the task of `Imitation.make_task`: the learning steps of some learners.

    Args:
        options: Options of the task: the game and its rules, the layers of the networks, the size
            of a batch and the learning rate, and the number of steps taken before.
        inputs: Weights of the learners, shape ``(learners, genes)``, Adam's moments, shape
            ``(learners, 2 * genes)``, the fields of `Rows`, and ``index`` and ``factor`` of the
            `Encoding`.
        outputs: Weights and moments after the steps, of the same shapes, and the sum of losses of
            each learner, shape ``(learners,)``.
        part: Rows of the learners that are taught; if there are none, the kernel is only compiled.
    """
    population, memory, *arrays, index, factor = inputs
    game: Any = find_game(options["game"]).game
    made = game(**game.make_rules(*options["rules"])._asdict())
    code, *_, lessons = specialise_board(game.place, made.rules, (LESSONS,))
    batch, rate = options["drill"]
    drill = Drill(batch, np.float32(rate), options["values"])
    hidden = tuple(options["hidden"])
    layers = new_layers(MLP(options["inputs"], hidden, options["outputs"], options["activation"]))
    rows, room = Rows(*arrays), make_room(code, index, factor)
    rates = np.ones(len(layers.rows), dtype=np.float32)
    moments = np.zeros((2, len(layers.weights)), dtype=np.float32)
    gradient = np.zeros(len(layers.weights), dtype=np.float32)
    taught = (drill, layers, moments, gradient, rates, options["steps"])
    if part.start == part.stop:  # only to compile
        lessons.learn_rows(*taught, take_rows(rows, np.zeros(0, dtype=np.int64)), room)
    for row in range(part.start, part.stop):
        gradient[:] = 0.0
        pad_numbers(layers, population[row], layers.weights)
        for moment, kept in zip(moments, np.split(memory[row], 2), strict=True):
            pad_numbers(layers, kept, moment)
        outputs[2][row] = lessons.learn_rows(*taught, rows, room)
        unpad_numbers(layers, layers.weights, outputs[0][row])
        for moment, kept in zip(moments, np.split(outputs[1][row], 2), strict=True):
            unpad_numbers(layers, moment, kept)


def play_part(
    options: Settings,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    part: slice,
) -> None:
    """Run a part of the task of `TeacherGames.play`: some games of packed players.

    Args:
        options: Options of the task: the game, its rules, and the probability of a random move.
        inputs: The fields of `PackedPlayers`, then the row of each game's player and its seed,
            both of shape ``(games,)``, and moves to be replayed, shape ``(games, plies)``.
        outputs: Moves and choices at each ply, both of shape ``(games, plies)`` (``int32``); -1
            where there are none.
        part: Games that are played.

    Raises:
        GameFileError: The rules gave an invalid value, such as a move out of range.
    """
    spec = find_game(options["game"])
    rules = spec.game.make_rules(*options["rules"])
    *players, rows, seeds, given = inputs
    packed = PackedPlayers(*players)
    played, chosen = (array[part] for array in outputs)
    played[:], chosen[:] = given[part], -1
    workspace = spec.kernel.make_workspace(rules, packed)
    variant: Any = find_variant(spec, rules, packed)["matches"]
    variant.record_matches(
        *(packed, rows[part], seeds[part], float(options["exploration"])),
        *(workspace, played, chosen),
    )
    game: Any = spec.game(**rules._asdict())
    game.refuse_faults(workspace.states, workspace.planes)


def make_room(code: ModuleType, index: Array, factor: Array) -> LessonRoom:
    """Return work space for one position of a compiled game.

    Args:
        code: The game's rules, compiled.
        index: The input that each bit raises, shape ``(bits,)``.
        factor: Number by which each bit raises it, shape ``(bits,)``.
    """
    bits = count_changes(code)
    return LessonRoom(
        inputs_of_bits=np.array(index, dtype=np.int64),
        factors=np.array(factor, dtype=np.float32),
        sources=np.zeros(bits, dtype=np.int64),
        inputs=np.zeros(bits, dtype=np.float32),
        bits=np.zeros(bits, dtype=np.int64),
        moves=np.zeros(2 * code.MOVES, dtype=np.int64),
        chance=np.zeros(1, dtype=np.uint64),
        states=make_states(code, 2),
    )


def make_rows(code: ModuleType, lessons: ModuleType, count: int) -> Rows:
    """Return empty rows for *count* positions.

    Args:
        code: The game's rules, compiled.
        lessons: The copy of :data:`LESSONS` that is compiled for these rules.
        count: Number of positions.
    """
    return Rows(
        seen=np.zeros(count * seen_words(code) + SPARE_WORDS, dtype=np.uint64),
        allowed=np.zeros(count * int(lessons.MOVE_WORDS), dtype=np.uint64),
        moves=np.zeros(count, dtype=np.int64),
        seats=np.zeros(count, dtype=np.int64),
        targets=np.zeros(count, dtype=np.float32),
        games=np.zeros(count, dtype=np.int64),
    )


def take_rows(rows: Rows, places: NDArray[np.int64]) -> Rows:
    """Return the rows with the indices *places*."""
    count = max(1, len(rows.games))
    return _change_rows(
        rows, lambda array: array.reshape(count, -1)[places].ravel() if len(places) else array[:0]
    )


def _change_rows(rows: Rows, change: Callable[[Array], Array]) -> Rows:
    arrays: list[Any] = [change(array) for array in rows]
    return Rows(*arrays)
