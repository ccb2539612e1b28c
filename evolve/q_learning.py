"""The method ``q-learning``: networks that learn the values of moves by playing.

The loop, for each learner:

1. Play: one game, against itself or fixed opponents; each move is the one of the highest value, or
   with probability ε a random one.
2. Returns: from the last move to the first, the target of each is the result of the game, or the
   highest value in the next position, times the discount γ; as long as moves were greedy, a
   share λ of later differences reaches back.
3. Learning: the output of each move takes a step towards its target.
4. After so many games the generation ends; go to 1.

It supports any game that is defined by a rules file, for any number of players. A study may define
a method of the same name for its game. Source: Watkins, "Learning from delayed rewards", thesis,
Cambridge 1989.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from evolve_arena.core.types import Array, Settings
from evolve_arena.evolve.learning.action_learning import ActionNotes
from evolve_arena.evolve.learning.imitation_lessons import make_room
from evolve_arena.evolve.learning.layers import new_layers, pad_numbers, unpad_numbers
from evolve_arena.evolve.learning.lessons import make_lesson, read_options
from evolve_arena.evolve.learning.vector_learner import each_learner
from evolve_arena.evolve.settings.learning import ActionNetworkConfig, QLearningConfig
from evolve_arena.evolve.td import TemporalLearner
from evolve_arena.genomes.mlp import MLP
from evolve_arena.players.board.workspace import SPARE_WORDS, seen_words

LESSONS = "evolve_arena.evolve.learning.imitation_learning"
ACTIONS = "evolve_arena.evolve.learning.action_learning"


class QLearning(TemporalLearner):
    """Trains networks to value moves, by Q-learning."""

    name = "q-learning"
    config_type = QLearningConfig
    network_type = ActionNetworkConfig
    kernel = "evolve_arena.evolve.q_learning:teach_part"


def teach_part(
    options: Settings,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    part: slice,
) -> None:
    """Run a part of the task of `TemporalLearner.make_task`: the games of some learners.

    Args:
        options: Options of the task: the game and its rules, the layers of the networks, and the
            fields of each learner's `TDSettings`.
        inputs: Weights of the learners, shape ``(learners, genes)``, the seed of each, the input
            that each bit of a board raises and by how much, both of shape ``(bits,)``, and fixed
            opponents, if any, as `pack_opponents` gives them.
        outputs: Weights after the games, shape ``(learners, genes)``, and `tuple_learning.FIGURES`
            of these, shape ``(learners, 4)``.
        part: Rows of the learners that play; if there are none, the kernel is only compiled.

    Raises:
        GameFileError: The rules gave an invalid value, such as a move out of range.
    """
    _, _, index, factor, *against = inputs
    game, settings, rates = read_options(options)
    lesson = make_lesson(game, against, LESSONS, ACTIONS)
    first, *hidden, last = options["sizes"]
    layers = new_layers(MLP(first, tuple(hidden), last, options["activation"]))
    room, notes = make_room(lesson.code, index, factor), _make_notes(lesson.code)
    if lesson.opponents:  # they play on the same states
        workspace = lesson.opponents[2]
        room = room._replace(states=workspace.states)
        notes = notes._replace(wins=workspace.wins)
    if part.start == part.stop:
        settings = [settings[0]._replace(games=0)]
    for row, (genes, rng, figures) in enumerate(each_learner(inputs, outputs, part), part.start):
        pad_numbers(layers, genes, layers.weights)
        given = settings[row], rates[row], layers, rng, notes, room
        lesson.lessons.teach(*given, lesson.opponents, figures)
        unpad_numbers(layers, layers.weights, genes)
        lesson.refuse_faults(room.states, notes.seen)


def _make_notes(code: ModuleType) -> ActionNotes:
    """Return space for the record of a game with compiled rules."""
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
