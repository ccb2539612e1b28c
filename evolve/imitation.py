"""The method ``imitation``: networks that learn to play as a teacher does.

The loop:

1. Games: the teacher plays against itself, some of its moves replaced by random ones, until there
   are enough of them.
2. Learning: each learner takes steps of Adam on positions of these games, drawn at random: a policy
   learns the teacher's moves, by cross-entropy; a value network the results, by regression.
3. Comparison: in games that are held out, the learners' moves are compared with the teacher's; go
   to 1.

It supports any game that is defined by a rules file. The games are part of the state, so that a
resumed run does not play them again. Sources: Pomerleau, "Efficient training of artificial neural
networks for autonomous navigation", Neural Computation 3 (1991); Silver et al., Nature 529 (2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.tasks import Task
from evolve_arena.core.game import GameSpec
from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.types import Array, JsonObject
from evolve_arena.evolve.imitation_games import ImitationState, Positions, TeacherGames
from evolve_arena.evolve.learning.learner import Learner
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.settings.learning import ImitationConfig, ImitationNetworkConfig
from evolve_arena.evolve.state_checks import find_other_arrays
from evolve_arena.genomes.limits import COPIES
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.workspace import seen_words
from evolve_arena.players.evolved import Decoder, EvolvedPlayer


class Imitation(Learner[ImitationState]):
    """Teaches networks the moves of a player, or the results of its games."""

    name = "imitation"
    rate = "method.learning_rate"
    config_type = ImitationConfig
    genome_kind = "vector"
    network_kind = "mlp"
    network_type = ImitationNetworkConfig
    state_type = ImitationState
    config: ImitationConfig

    def __init__(self, config: ImitationConfig, decoder: Decoder) -> None:
        super().__init__(config, decoder)
        self.teacher = TeacherGames(config, decoder)
        self.positions = Positions(config, decoder, self.teacher)

    @classmethod
    def networks(cls, game: GameSpec) -> dict[str, type[EvolvedPlayer]]:
        """Return the multilayer perceptrons of a *game* that is a rules file; none for others."""
        return super().networks(game) if issubclass(game.game, BoardGame) else {}

    @classmethod
    def estimate_bytes(cls, config: ImitationConfig, decoder: Any) -> int:
        """Estimate the bytes of learners, Adam's moments, games and their positions."""
        code = decoder.game.code
        position = 48 + 8 * seen_words(code) + int(code.MOVES) // 8
        games = config.max_teacher_games * int(code.LONGEST) * position
        return COPIES * 12 * config.individuals * int(decoder.genes) + games

    def check_ready(self) -> None:
        """Create the teacher if it is a player; a file of games is read once, when a run begins."""
        if not self.teacher.are_stored:
            _ = self.teacher.player

    def initial(self, seed: int) -> ImitationState:
        """Return untrained learners, and no games."""
        config, genes = self.config, self.decoder.genes
        rng = derive_generator(seed, 0, "initialisation")
        population = self.decoder.initialise(config.individuals, config.initialisation, rng)
        memory = np.zeros((config.individuals, 2, genes), dtype=np.float32)
        none = np.zeros((0, 1), dtype=np.int32)
        return ImitationState(seed, 0, population, memory, none, none, np.zeros(0, np.uint64))

    def find_mismatch(self, state: ImitationState) -> str | None:
        """Compare the shapes of the arrays with the configuration."""
        sizes = {"individuals": self.config.individuals, "genes": self.decoder.genes}
        shapes = {
            "population": ("individuals", "genes"),
            "memory": ("individuals", 2, "genes"),
        }
        if fault := find_other_arrays(state, shapes, sizes):
            return fault
        games, plies = state.played.shape if state.played.ndim == 2 else (-1, 0)
        if state.chosen.shape != (games, plies) or state.seeds.shape != (games,) or not plies:
            return "its games, choices and seeds do not fit together"
        moves = int(self.decoder.game.code.MOVES)
        for array in (state.played, state.chosen):
            least, most = array.min(initial=-1), array.max(initial=0)
            if array.dtype != np.int32 or least < -1 or most >= moves:
                return "its games have moves that are none"
        return None

    def step(self, state: ImitationState, arena: Arena) -> tuple[ImitationState, Report]:
        """Let the teacher play, and the learners learn.

        Raises:
            DivergedError: A learner's weights are no longer finite.
            BadValueError: The file of games can't be read, or has none.
        """
        # Games
        before = len(state.played)
        state = self.teacher.add(state, arena)
        games = len(state.played) - before
        if self.teacher.are_stored:
            games = 0  # not played here
        arena.games_played += games

        # Learning
        outputs = arena.executor.run(self.make_task(state))
        lost = np.flatnonzero(~np.isfinite(outputs[0]).all(axis=1))
        if len(lost):
            self.handle_divergence(state, outputs, lost)
        after, statistics = self.update(state, outputs)

        # Comparison
        statistics["agreement"] = self.teacher.find_agreement(after, arena)
        return after, Report(state.generation, games, statistics)

    def make_task(self, state: ImitationState) -> Task:
        """Return the task of a generation: one part per learner, all with the same positions."""
        config, decoder = self.config, self.decoder
        rows = self.positions.draw(state)
        learners, genes = state.population.shape
        return Task(
            kernel="evolve_arena.evolve.learning.imitation_lessons:teach_part",
            inputs=(
                state.population,
                state.memory.reshape(learners, 2 * genes),
                *rows,
                decoder.board.index.astype(np.int64),
                decoder.board.factor.astype(np.float32),
            ),
            outputs=(
                ("float32", (learners, genes)),
                ("float32", (learners, 2 * genes)),
                ("float64", (learners,)),
            ),
            options={
                "game": decoder.game.name,
                "rules": list(decoder.game.rules),
                "hidden": list(decoder.hidden),
                "activation": decoder.activation,
                "inputs": decoder.inputs,
                "outputs": decoder.outputs,
                "drill": [config.batch_size, config.learning_rate],
                "values": decoder.head == "value",
                "steps": state.generation * config.batches,
            },
            coarse=True,
        )

    def update(
        self, state: ImitationState, outputs: Sequence[Array]
    ) -> tuple[ImitationState, dict[str, float]]:
        """Return the state with the trained networks, and statistics such as their mean loss."""
        population, memory, losses = outputs
        rows = self.config.batch_size * self.config.batches
        statistics = {
            "loss": float(losses.mean() / rows),
            "teacher_games": float(len(state.played)),
            "plies": float((state.played >= 0).sum() / max(1, len(state.played))),
        }
        after = replace(
            state,
            generation=state.generation + 1,
            population=population,
            memory=memory.reshape(state.memory.shape),
        )
        return after, statistics

    def describe(self, state: ImitationState) -> JsonObject:
        """Return the numbers of individuals, of their genes, of games, and of steps taken."""
        individuals, genes = state.population.shape
        steps = state.generation * self.config.batches
        games = len(state.played)
        return {"individuals": individuals, "genes": genes, "games": games, "steps": steps}
