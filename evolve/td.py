"""The method ``td``: value networks that learn by playing, by TD(λ).

The loop, for each learner:

1. Play: one game, against itself or fixed opponents; each move leads to the state of the highest
   value, or with probability ε is a random one.
2. Returns: from the last state to the first, the λ-return of each is the result of the game, or a
   mean of the value of the next state and its λ-return, times the discount γ.
3. Learning: the weights take a step down the gradient of the error between value and λ-return.
4. After so many games the generation ends; go to 1.

It supports any game that is defined by a rules file, for any number of players. A study may define
a method of the same name for its game. Source: Sutton, "Learning to predict by the methods of
temporal differences", Machine Learning 3 (1988).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from evolve_arena.arena.tasks import Task
from evolve_arena.core.game import GameSpec
from evolve_arena.core.types import Array, Record, Settings
from evolve_arena.evolve.learning.backprop import new_network
from evolve_arena.evolve.learning.layers import new_layers, pad_numbers, unpad_numbers
from evolve_arena.evolve.learning.learner import pack_opponents
from evolve_arena.evolve.learning.lessons import RETURNS, make_lesson, read_options
from evolve_arena.evolve.learning.network_learning import NetworkWorkspace
from evolve_arena.evolve.learning.tuple_learning import TDSettings
from evolve_arena.evolve.learning.vector_learner import LearnerState, VectorLearner, each_learner
from evolve_arena.evolve.settings.learning import (
    NetworkConfig,
    StartsConfig,
    TdConfig,
    ValueNetworkConfig,
)
from evolve_arena.genomes.mlp import MLP
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.workspace import (
    SPARE_WORDS,
    count_changes,
    counted_size,
    make_notes,
    make_states,
    seen_words,
)
from evolve_arena.players.evolved import Decoder, EvolvedPlayer

LESSONS = "evolve_arena.evolve.learning.network_learning"
"""Module that plays and learns, a copy of which is compiled for each game's rules."""


class TemporalLearner(VectorLearner):
    """Base of the methods whose networks learn from temporal differences."""

    rate = "method.rate_scale"
    network_kind = "mlp"
    purpose = "learning"
    config: NetworkConfig

    def __init__(self, config: NetworkConfig, decoder: Decoder) -> None:
        super().__init__(config, decoder)
        self._opponents = pack_opponents(config.opponents, decoder.game)

    @classmethod
    def networks(cls, game: GameSpec) -> dict[str, type[EvolvedPlayer]]:
        """Return the multilayer perceptrons of a *game* that is a rules file; none for others."""
        return super().networks(game) if issubclass(game.game, BoardGame) else {}

    def make_settings(self, state: LearnerState) -> TDSettings:
        """Return the settings of the next generation's games."""
        config = self.config
        starts = getattr(config, "schedule", StartsConfig())  # the method q-learning has none
        return TDSettings(
            games=config.games,
            step=config.rate_scale,
            decay=config.trace_decay,
            discount=config.discount,
            exploration=config.exploration,
            damped=float(getattr(config, "gradient", "") == "squared"),
            random_starts=starts.random_starts,
            start_plies=starts.start_plies,
        )

    def make_task(self, state: LearnerState, settings: Sequence[TDSettings] | None = None) -> Task:
        """Return the task of the next generation's games, with one part per learner.

        Args:
            state: State before the games.
            settings: Each learner's settings; those of :meth:`make_settings` if None.
        """
        decoder, bits = self.decoder, self.decoder.inputs_of_bits
        settings = settings or [self.make_settings(state)] * len(state.population)
        options = {
            "sizes": list(decoder.mlp.sizes),
            "activation": decoder.activation,
            "learning": [list(one) for one in settings],
            "features": decoder.encoding == "features",
        }
        inputs = bits[:, 0].astype(np.int64), bits[:, 1].astype(np.float32), *self._opponents
        return self.arrange(state, inputs, options)

    def epsilon_at(self, generation: int) -> float:
        """Return the share of random moves, the same in all generations."""
        return self.config.exploration


class Td(TemporalLearner):
    """Trains value networks on their games, by TD(λ)."""

    name = "td"
    config_type = TdConfig
    network_type = ValueNetworkConfig
    kernel = "evolve_arena.evolve.td:teach_part"
    takes_features = True


def teach_part(
    options: Settings,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    part: slice,
) -> None:
    """Run a part of the task of :meth:`TemporalLearner.make_task`: the games of some learners.

    Args:
        options: Options of the task: the game and its rules, the layers of the networks, the fields
            of each learner's `TDSettings`, and whether inputs are counted features.
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

    # Rules, opponents and the network
    first, *hidden, last = options["sizes"]
    flags = {"COUNTS_FEATURES": bool(options["features"]), "HAS_LAYERS": len(hidden) != 1}
    game, settings, rates = read_options(options)
    lesson = make_lesson(game, against, RETURNS, LESSONS, **flags)
    network: Record
    if has_layers := flags["HAS_LAYERS"]:
        network = new_layers(MLP(first, tuple(hidden), last, options["activation"]))
    else:
        network = new_network(first, hidden[0])
    width = 0 if has_layers else network.width
    workspace = lesson.share(_make_workspace(lesson.code, width, index, factor))
    if part.start == part.stop:  # only to compile
        settings = [settings[0]._replace(games=0)]

    # Games and learning
    for row, (genes, rng, figures) in enumerate(each_learner(inputs, outputs, part), part.start):
        if has_layers:
            pad_numbers(network, genes, network.weights)
        given = settings[row], rates[row], network, genes, rng, workspace, figures
        lesson.lessons.teach(*given, lesson.opponents)
        if has_layers:
            unpad_numbers(network, network.weights, genes)
        seen = workspace.seen if has_layers else workspace.planes
        lesson.refuse_faults(workspace.states, seen, workspace.counted)


def _make_workspace(code: ModuleType, width: int, index: Array, factor: Array) -> NetworkWorkspace:
    """Return work space for a game with compiled rules and networks of this *width*."""
    words, bits, plies = seen_words(code), count_changes(code), code.LONGEST + 1
    features = int(code.FEATURE_COUNT)
    return NetworkWorkspace(
        inputs_of_bits=np.array(index),
        factors=np.array(factor),
        sums=np.zeros((code.SEATS + 1) * width, dtype=np.float32),
        sources=np.arange(max(bits, features), dtype=np.int64),
        inputs=np.zeros(max(bits, features), dtype=np.float32),
        seen=np.zeros(plies * words + SPARE_WORDS, dtype=np.uint64),
        values=np.zeros(plies, dtype=np.float32),
        explored=np.zeros(plies, dtype=np.uint8),
        movers=np.zeros(plies, dtype=np.int64),
        ends=np.zeros(3 * code.SEATS, dtype=np.float32),
        moves=np.zeros(2 * code.MOVES, dtype=np.int64),
        wins=np.zeros(2 * code.MOVES, dtype=np.int64),
        planes=np.zeros((code.SEATS + 1) * words + 8, dtype=np.uint64),
        changes=np.zeros(bits, dtype=np.int64),
        states=make_states(code, 2),
        counted=np.zeros(counted_size(code)),
        features=np.zeros(plies * features, dtype=np.float32),
        notes=make_notes(code),
    )
