"""The method ``q-learning``: learners that value moves, and play themselves to find out.

After Młokosiewicz, "Application of the reinforcement learning in searching of the policy
represented by the neural network for Connect 4 board game" (engineer's thesis, in Polish,
Szczecin 2016). A network is told a board and a column and gives the sum of the rewards to be
expected. Each move of a game against itself is a sample to learn from: the move's reward, and the
discounted future as the network itself estimates it. The keys of that work's JSON files are, in
ours:

============================================ ==================================================
``board.rows``, ``board.cols``               ``game.rows``, ``game.columns``
``needed_to_win``                            ``game.connect``
``games_to_play``                            ``run.generations`` times ``method.games``
``saving_rate``                              ``run.checkpoint_every`` times ``method.games``
``learning_rate``                            ``method.learning_rate``
``discount_factor``                          ``method.discount``
``estimated_optimal_future_value``           ``method.future`` (``best_known``: ``best-known``)
``boltzmann_temperature``                    ``method.temperature``
``rewards.win``, ``.loss``                   ``method.rewards.win``, ``.loss``
``rewards.tie``, ``.each_move``              ``method.rewards.draw``, ``.move``
``neural_storage.hidden_neurons``            ``network.hidden``, a list of that one number
============================================ ==================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evolve_arena.arena.work import Work
from evolve_arena.core.game import AnyGame, Config
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.core.stream import new_stream
from evolve_arena.evolve.learning.learner import Learner, LearnerConfig
from evolve_arena.genomes.mlp import MLP
from evolve_arena.genomes.network import ACTIVATIONS, padded
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import specialise_board
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.board.workspace import (
    SPARE_WORDS,
    count_changes,
    make_states,
    seen_words,
)
from evolve_arena.studies.q_learning.q_learning_games import (
    DRAWS,
    ERRORS,
    FIGURES,
    FIRST_WINS,
    FUTURES,
    PLIES,
    SECTIONS,
    LearningSettings,
    Room,
)
from evolve_arena.studies.q_learning.q_learning_network import (
    OTHER,
    Reader,
    make_network,
    read_genome,
)

FOLDER = "evolve_arena.studies.q_learning"


class Rewards(Config):
    """What a player gets for a move of his, by how the game then stands."""

    win: float = Field(default=2.0, ge=-1000.0, le=1000.0)
    """For a move that wins the game."""
    loss: float = Field(default=-2.0, ge=-1000.0, le=1000.0)
    """For the opponent's move that wins: it is the future of the move before; see `faithful`."""
    draw: float = Field(default=0.0, ge=-1000.0, le=1000.0)
    """For a move that fills the board."""
    move: float = Field(default=-0.01, ge=-1000.0, le=1000.0)
    """For a move after which the game goes on."""


class QLearningConfig(LearnerConfig):
    """The section ``[method]`` of a recipe."""

    name: Literal["q-learning"] = "q-learning"
    """Which method this is."""
    learning_rate: float = Field(default=0.05, gt=0.0, le=10.0)
    """How far a sample moves each weight: this times its error times the slope."""
    discount: float = Field(default=1.0, ge=0.0, le=1.0)
    """What a reward is worth a move later."""
    future: Literal["best-known", "mean"] = "best-known"
    """How the future of a move is estimated: by the best next move after the reply that the
    learner itself would choose in the opponent's place, or by the average of the best next moves
    after every reply."""
    exploration: Literal["boltzmann", "epsilon"] = "boltzmann"
    """How moves are chosen: with probabilities proportional to exp(value / temperature), or the
    best one except for a share of random ones."""
    temperature: float = Field(default=1.0, ge=0.001, le=1000.0)
    """The temperature of ``boltzmann``: the higher, the more random."""
    epsilon: float = Field(default=0.1, ge=0.0, le=1.0)
    """That share; at the start, if it falls."""
    epsilon_end: float | None = Field(default=None, ge=0.0, le=1.0)
    """What it is after :attr:`epsilon_games` games, to which it goes in equal steps, one a
    generation (the thesis's section 3.5.1); left out, it stays what it is."""
    epsilon_games: int = Field(default=50_000, ge=1, le=10**12)
    """After how many games of a learner the share has come to ``epsilon_end``."""
    rewards: Rewards = Rewards()
    """What moves bring."""
    mirror: bool = True
    """Whether the mirror image of a sample is learned as well, unless the board is its own."""
    faithful: bool = False
    """Whether to repeat what the original program did otherwise than its author meant:

    - a reply that ends the game brings nothing, so that the reward for a loss is never paid
      (otherwise it brings the reward for a loss or a draw as the future);
    - a full board is a draw, even if its last disc completes a line (otherwise it is a win);
    - the network's output has no bias (otherwise it has one, which learns as well).

    Of equal values the leftmost column's counts as the best, here as there.
    """
    initialisation: str = "uniform"
    """How the first weights are drawn; see `evolve_arena.genomes.mlp.INITIALISATIONS`."""


class ActionNetworkConfig(Config):
    """The section ``[network]``: a board and a column go in, one hidden layer, one value."""

    head: Literal["action"] = "action"
    """One output, which scores a move; the number of its column is the last input."""
    encoding: Literal["numbered", "signed", "planes"] = "numbered"
    """What an empty cell, one's own disc and the opponent's are to the network: ``numbered``, 0, 1
    and 2, or ``signed``, 0, 1 and -1, in one input a cell; or ``planes``, an input for each cell
    and owner."""
    hidden: tuple[int] = (50,)
    """Units of the only hidden layer."""
    activation: Literal["sigmoid", "tanh"] = "sigmoid"
    """The function of the hidden units."""


@dataclass(frozen=True, eq=False)
class QLearningState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: NDArray[np.float32]
    """Shape ``(individuals, genes)``."""


class QLearning(Learner[QLearningState]):
    """Teaches networks what moves are worth.

    Raises:
        BadValueError: The initialisation's width, or a size of the board or the network, is
            out of range.
        UnknownNameError: There is no such encoding or initialisation.
    """

    name = "q-learning"
    rate = "method.learning_rate"
    config_type = QLearningConfig
    genome_kind = "vector"
    network_type = ActionNetworkConfig
    state_type = QLearningState
    config: QLearningConfig
    decoder: NetworkDecoder

    def __init__(self, config: QLearningConfig, decoder: NetworkDecoder) -> None:
        super().__init__(config, decoder)
        decoder.mlp.initialise(0, config.initialisation, np.random.default_rng(0))

    def initial(self, seed: int) -> QLearningState:
        """Networks that know nothing."""
        config = self.config
        generator = derive_generator(seed, 0, "initialisation")
        population = self.decoder.initialise(config.individuals, config.initialisation, generator)
        if config.faithful:
            population[:, -1] = 0.0
        return QLearningState(seed, 0, population)

    def find_mismatch(self, state: QLearningState) -> str | None:
        """Compares the shape of the population with the configuration."""
        return self.find_other_genes(state.population, self.decoder.genes)

    def make_work(self, state: QLearningState) -> Work:
        """A part for each learner: all games of a generation."""
        count = self.config.individuals
        seeds = derive_seeds(state.seed, state.generation, "games", count)
        return Work(
            kernel=f"{FOLDER}.q_learning:learn_part",
            inputs=(state.population, seeds, self.decoder.inputs_of_bits),
            outputs=(("<f4", state.population.shape), ("<f8", (count, FIGURES))),
            options={
                "board": self.decoder.game.rules._asdict(),
                "sizes": list(self.decoder.mlp.sizes),
                "activation": self.decoder.activation,
                **self.config.model_dump(mode="json"),
                "epsilon": self.epsilon_at(state.generation),
            },
            coarse=True,
            games=self.config.games,
        )

    def epsilon_at(self, generation: int) -> float:
        """The share of random moves in the games of a *generation*."""
        config = self.config
        if config.epsilon_end is None:
            return config.epsilon
        done = min(1.0, generation * config.games / config.epsilon_games)
        return config.epsilon + (config.epsilon_end - config.epsilon) * done

    def update(
        self, state: QLearningState, outputs: Sequence[NDArray[Any]]
    ) -> tuple[QLearningState, dict[str, float]]:
        """The taught networks; how far off a move's value was and how games went, on average."""
        population, figures = outputs
        total = figures.sum(axis=0)
        statistics = self.describe_games(
            error=total[ERRORS],
            plies=total[PLIES],
            first_wins=total[FIRST_WINS],
            draws=total[DRAWS],
        )
        after = replace(state, generation=state.generation + 1, population=population)
        return after, statistics

    def describe(self, state: QLearningState) -> dict[str, Any]:
        """Individuals, genes of each, and the games that each has played."""
        individuals, genes = state.population.shape
        games = state.generation * self.config.games
        return {"individuals": individuals, "genes": genes, "games": games}


def learn_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """Plays the games of some learners; a kernel, see :mod:`evolve_arena.arena.work`.

    Args:
        options: ``board``, the game's options; ``sizes`` of the network's layers and its
            ``activation``; what :func:`make_learning_settings` takes; and ``games``, how many each
            learner plays.
        inputs: The population, shape ``(individuals, genes)``, a seed for each, and the decoder's
            ``inputs_of_bits``.
        outputs: The population afterwards, and the ``FIGURES`` of each learner's games.
        part: Which learners.
    """
    genomes, seeds, bits = inputs
    taught, figures = outputs
    first, *hidden, last = options["sizes"]
    mlp = MLP(first, tuple(hidden), last, options["activation"])
    learning = make_learning_settings(mlp, bits, options)
    code, games = compile_games(make_game("connect-four", **options["board"]))
    room = make_room(code, learning)
    if part.start == part.stop:  # only to compile
        network = make_network(mlp, genomes[0])
        games.play_games(learning, network, new_stream(0), room, 0, np.zeros(FIGURES))
    for one in range(part.start, part.stop):
        network, stream = make_network(mlp, genomes[one]), new_stream(int(seeds[one]))
        figures[one] = 0.0
        games.play_games(learning, network, stream, room, options["games"], figures[one])
        taught[one] = read_genome(mlp, network)


def compile_games(game: AnyGame) -> tuple[Any, Any]:
    """The rules of a *game*, and `evolve_arena.studies.q_learning.q_learning_games`, compiled."""
    assert isinstance(game, BoardGame)
    code, *_, games = specialise_board(game.place, game.rules, (f"{FOLDER}.q_learning_games",))
    return code, games


def make_learning_settings(
    mlp: MLP, bits: NDArray[Any], options: Mapping[str, Any]
) -> LearningSettings:
    """Settings as compiled code reads them.

    Args:
        mlp: The network's structure.
        bits: The input of each bit that is seen, and what it adds; shape ``(bits, 2)``.
        options: Those of `QLearningConfig`.
    """
    width = int(padded(mlp.hidden[0]))
    boltzmann = options["exploration"] == "boltzmann"
    rewards = options["rewards"]
    factors = bits[:, 1].astype(np.float32)
    reader = Reader(
        rows=bits[:, 0].astype(np.int64) * width,
        factors=factors,
        own_factor=factors[0],
        other_factor=factors[OTHER],
        column_row=(mlp.inputs - 1) * width,
        bias_row=mlp.inputs * width,
        width=width,
        kind=ACTIVATIONS[mlp.activation],
    )
    return LearningSettings(
        reader=reader,
        future=FUTURES[options["future"]],
        discount=np.float32(options["discount"]),
        temperature=np.float32(options["temperature"] if boltzmann else 0.0),
        epsilon=float(options["epsilon"]),
        rate=np.float32(options["learning_rate"]),
        win=np.float32(rewards["win"]),
        loss=np.float32(rewards["loss"]),
        draw=np.float32(rewards["draw"]),
        move=np.float32(rewards["move"]),
        faithful=bool(options["faithful"]),
        mirror=bool(options["mirror"]),
    )


def make_room(code: Any, learning: LearningSettings) -> Room:
    """Where a learner's games by the rules of a compiled module compute."""
    values = SECTIONS * learning.reader.width + int(padded(code.MOVES))
    return Room(
        states=make_states(code, 3),
        moves=np.zeros(code.MOVES, dtype=np.int64),
        planes=np.zeros(seen_words(code) + SPARE_WORDS, dtype=np.uint64),
        changes=np.zeros(count_changes(code), dtype=np.int64),
        sums=np.zeros(values, dtype=np.float32),
    )
