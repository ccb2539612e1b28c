"""The method ``q-learning``: networks that learn the values of moves by playing.

In any game that is a file of rules, for any number of players, against themselves or fixed
opponents. A study may have a method of that name for its game instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.evolve.imitation import make_room
from evolve_arena.evolve.learning.action_learning import ActionNotes
from evolve_arena.evolve.learning.layers import new_layers, pad_numbers, unpad_numbers
from evolve_arena.evolve.settings.learning import ActionNetworkConfig, QLearningConfig
from evolve_arena.evolve.td import (
    TemporalLearner,
    each_learner,
    make_lesson,
    read_options,
)
from evolve_arena.genomes.mlp import MLP
from evolve_arena.players.board.workspace import SPARE_WORDS, seen_words

LESSONS = "evolve_arena.evolve.learning.imitation_learning"
ACTIONS = "evolve_arena.evolve.learning.action_learning"


class QLearning(TemporalLearner):
    """Lets networks play and learn what moves are worth."""

    name = "q-learning"
    config_type = QLearningConfig
    network_type = ActionNetworkConfig
    kernel = "evolve_arena.evolve.q_learning:teach_part"


def teach_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """A kernel of `evolve_arena.arena.work`; see `TemporalLearner.make_work`."""
    _, _, index, factor, *against = inputs
    game, learning, rates = read_options(options)
    lesson = make_lesson(game, against, LESSONS, ACTIONS)
    first, *hidden, last = options["sizes"]
    layers = new_layers(MLP(first, tuple(hidden), last, options["activation"]))
    room, notes = make_room(lesson.code, index, factor), _make_notes(lesson.code)
    if lesson.opponents:  # they play on the same states
        workspace = lesson.opponents[2]
        room = room._replace(states=workspace.states)
        notes = notes._replace(wins=workspace.wins)
    if part.start == part.stop:
        learning = learning._replace(games=0)
    for genes, stream, figures in each_learner(inputs, outputs, part):
        pad_numbers(layers, genes, layers.weights)
        given = learning, rates, layers, stream, notes, room
        lesson.lessons.teach(*given, lesson.opponents, figures)
        unpad_numbers(layers, layers.weights, genes)
        lesson.refuse_faults(room.states, notes.seen)


def _make_notes(code: Any) -> ActionNotes:
    """Room for what is noted of a game by the rules of a compiled module."""
    plies = int(code.LONGEST) + 1
    return ActionNotes(
        seen=np.zeros(plies * seen_words(code) + SPARE_WORDS, dtype=np.uint64),
        moves=np.zeros(plies, dtype=np.int64),
        movers=np.zeros(plies, dtype=np.int64),
        values=np.zeros(plies, dtype=np.float32),
        explored=np.zeros(plies, dtype=np.uint8),
        wins=np.zeros(2 * code.MOVES, dtype=np.int64),
        returns=np.zeros(3 * code.SEATS, dtype=np.float32),
    )
