"""The method ``q-learning``: learners that value moves, and learn from games against themselves.

After Młokosiewicz, "Application of the reinforcement learning in searching of the policy
represented by the neural network for Connect 4 board game" (engineer's thesis, in Polish,
Szczecin 2016). A network reads a board and a column and gives the expected sum of rewards. Each
move of a game against itself is a sample to learn from: the move's reward, and the discounted
future as the network itself estimates it. The keys of that work's JSON files and ours:

============================================ ==================================================
``board.rows``, ``board.cols``               ``game.rows``, ``game.columns``
``needed_to_win``                            ``game.connect``
``games_to_play``                            ``run.generations`` times ``method.games``
``saving_rate``                              ``run.checkpoint_every`` times ``method.games``
``learning_rate``                            ``method.learning_rate``
``discount_factor``                          ``method.discount``
``estimated_optimal_future_value``           ``method.future`` (``best_known``: ``best-known``)
``boltzmann_temperature``                    ``method.policy.temperature``
``rewards.win``, ``.loss``                   ``method.rewards.win``, ``.loss``
``rewards.tie``, ``.each_move``              ``method.rewards.draw``, ``.move``
``neural_storage.hidden_neurons``            ``network.hidden``, a list of that one number
============================================ ==================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from evolve_arena.arena.tasks import Task
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame, Config
from evolve_arena.core.types import Array, JsonObject, Settings
from evolve_arena.evolve.learning.lessons import find_game_of
from evolve_arena.evolve.learning.vector_learner import LearnerState, VectorLearner, each_learner
from evolve_arena.evolve.settings.learning import LearnerConfig
from evolve_arena.genomes.mlp import MLP
from evolve_arena.genomes.network import ACTIVATIONS, padded
from evolve_arena.genomes.simd import LANES
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
    FUTURES,
    OTHER,
    SECTIONS,
    ActionNetwork,
    QLearningSettings,
    Reader,
    Room,
)

FOLDER = "evolve_arena.studies.q_learning"


class Rewards(Config):
    """Rewards of a player's move, by the state of the game after it."""

    win: float = Field(default=2.0, ge=-1000.0, le=1000.0)
    """Reward of a move that wins the game."""
    loss: float = Field(default=-2.0, ge=-1000.0, le=1000.0)
    """Future of a move that the opponent answers with a win; not used if `faithful`."""
    draw: float = Field(default=0.0, ge=-1000.0, le=1000.0)
    """Reward of a move that fills the board."""
    move: float = Field(default=-0.01, ge=-1000.0, le=1000.0)
    """Reward of a move after which the game continues."""


class PolicyConfig(Config):
    """The section ``[method.policy]``: the choice of moves in training games."""

    exploration: Literal["boltzmann", "epsilon"] = "boltzmann"
    """Choice of moves: with probabilities proportional to exp(value / temperature), or the best one
    except for a share of random ones."""
    temperature: float = Field(default=1.0, ge=0.001, le=1000.0)
    """The temperature of ``boltzmann``: the higher, the more random."""
    epsilon: float = Field(default=0.1, ge=0.0, le=1.0)
    """The share of random moves of ``epsilon``; at the start, if it falls."""
    epsilon_end: float | None = Field(default=None, ge=0.0, le=1.0)
    """The share after :attr:`epsilon_games` games, reached in equal steps, one a generation (the
    thesis's section 3.5.1); if left out, it stays the same."""
    epsilon_games: int = Field(default=50_000, ge=1, le=10**12)
    """Number of a learner's games after which the share has reached ``epsilon_end``."""


class QLearningConfig(LearnerConfig):
    """The section ``[method]`` of a recipe."""

    old_keys: ClassVar[Mapping[str, str]] = {
        key: f"policy.{key}" for key in PolicyConfig.model_fields
    }

    name: Literal["q-learning"] = "q-learning"
    """The name of this method."""
    learning_rate: float = Field(default=0.05, gt=0.0, le=10.0)
    """Learning rate of gradient descent, which takes a step for each sample."""
    discount: float = Field(default=1.0, ge=0.0, le=1.0)
    """Discount factor of a move's future."""
    future: Literal["best-known", "mean"] = "best-known"
    """Estimate of a move's future: the best next move after the reply that the learner itself would
    choose in the opponent's place, or the average of the best next moves after every reply."""
    policy: PolicyConfig = PolicyConfig()
    """The choice of moves in training games."""
    rewards: Rewards = Rewards()
    """Rewards of moves."""
    mirror: bool = True
    """True if the mirror image of a sample is learned as well, unless the board is symmetric."""
    faithful: bool = False
    """True to repeat the bugs of the original program:

    - a reply that ends the game brings nothing, so that the reward for a loss is never paid
      (otherwise it brings the reward for a loss or a draw as the future);
    - a full board is a draw, even if its last disc completes a line (otherwise it is a win);
    - the network's output has no bias (otherwise it has one, which learns as well).

    Of equal values the leftmost column's counts as the best, here as there.
    """
    initialisation: str = "uniform"
    """Distribution of the initial weights; see `evolve_arena.genomes.mlp.INITIALISATIONS`."""


class ActionNetworkConfig(Config):
    """The section ``[network]``: a board and a column go in, one hidden layer, one value."""

    head: Literal["action"] = "action"
    """One output, which scores a move; the number of its column is the last input."""
    encoding: Literal["numbered", "signed", "planes"] = "numbered"
    """Inputs for an empty cell, one's own disc and the opponent's: ``numbered``, 0, 1 and 2, or
    ``signed``, 0, 1 and -1, in one input a cell; or ``planes``, an input for each cell and owner.
    """
    hidden: tuple[int] = (50,)
    """Units of the only hidden layer."""
    activation: Literal["sigmoid", "tanh"] = "sigmoid"
    """Function of the hidden units."""


class QLearning(VectorLearner):
    """Let action-value networks play themselves and learn by Q-learning."""

    name = "q-learning"
    rate = "method.learning_rate"
    config_type = QLearningConfig
    network_type = ActionNetworkConfig
    kernel = f"{FOLDER}.q_learning:learn_part"
    config: QLearningConfig
    decoder: NetworkDecoder

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Draw the initial weights of *count* networks, shape ``(count, genes)``."""
        population = super().draw(count, rng)
        if self.config.faithful:
            population[:, -1] = 0.0
        return population

    def make_task(self, state: LearnerState) -> Task:
        """Return the task of a generation, in which each learner's games are a part."""
        policy = self.config.policy.model_dump(mode="json")
        options = {
            "sizes": list(self.decoder.mlp.sizes),
            "activation": self.decoder.activation,
            **self.config.model_dump(mode="json"),
            "policy": {**policy, "epsilon": self.find_epsilon(state.generation)},
        }
        return self.arrange(state, [self.decoder.inputs_of_bits], options)

    def find_epsilon(self, generation: int) -> float:
        """Return the share of random moves in the games of a *generation*."""
        policy = self.config.policy
        if policy.epsilon_end is None:
            return policy.epsilon
        done = min(1.0, generation * self.config.games / policy.epsilon_games)
        return policy.epsilon + (policy.epsilon_end - policy.epsilon) * done

    def describe(self, state: LearnerState) -> JsonObject:
        """Return the number of individuals, of genes of each, and of games that each has played."""
        told = super().describe(state)
        return {"games" if key == "games_learned" else key: told[key] for key in told}


def learn_part(
    options: Settings,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    part: slice,
) -> None:
    """Play the games of some learners: a kernel of `evolve_arena.arena.tasks`; see `QLearning`.

    Args:
        options: Game, rules, sizes and activation of the network, and the section ``[method]``; see
            :meth:`QLearning.make_task`.
        inputs: Weights and seeds of the learners, then the input of each bit of an observation and
            its value, shape ``(bits, 2)``.
        outputs: Learned weights and figures of all learners, of which the rows of *part* are
            written.
        part: Rows of the learners to teach; an empty part only compiles.
    """
    bits = inputs[2]
    first, *hidden, last = options["sizes"]
    mlp = MLP(first, tuple(hidden), last, options["activation"])
    learning = make_learning_settings(mlp, bits, options)
    code, lessons = compile_games(find_game_of(options))
    room, games = make_room(code, learning), options["games"] if part.stop > part.start else 0
    for genes, rng, figures in each_learner(inputs, outputs, part):
        network = make_network(mlp, genes)
        lessons.play_games(learning, network, rng, room, games, figures)
        genes[:] = read_genome(mlp, network)


def compile_games(game: AnyGame) -> tuple[ModuleType, ModuleType]:
    """Compile the rules of a *game*, and `q_learning_games` for them; return both modules."""
    assert isinstance(game, BoardGame)
    code, *_, games = specialise_board(game.place, game.rules, (f"{FOLDER}.q_learning_games",))
    return code, games


def make_learning_settings(mlp: MLP, bits: Array, options: Settings) -> QLearningSettings:
    """Return settings as compiled code reads them.

    Args:
        mlp: The network's structure.
        bits: The input of each bit of the observation, and its value; shape ``(bits, 2)``.
        options: The values of `QLearningConfig` by name.
    """
    width = int(padded(mlp.hidden[0]))
    policy, rewards = options["policy"], options["rewards"]
    boltzmann = policy["exploration"] == "boltzmann"
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
    return QLearningSettings(
        reader=reader,
        future=FUTURES[options["future"]],
        discount=np.float32(options["discount"]),
        temperature=np.float32(policy["temperature"] if boltzmann else 0.0),
        epsilon=float(policy["epsilon"]),
        rate=np.float32(options["learning_rate"]),
        win=np.float32(rewards["win"]),
        loss=np.float32(rewards["loss"]),
        draw=np.float32(rewards["draw"]),
        move=np.float32(rewards["move"]),
        faithful=bool(options["faithful"]),
        mirror=bool(options["mirror"]),
    )


def make_network(mlp: MLP, genome: NDArray[np.float32]) -> ActionNetwork:
    """Return the network of *genome*, of shape ``(genes,)``, in the padded form that learns."""
    inputs, units, _ = mlp.sizes
    width = padded(units)
    # First layer, input by input, padded; then the output's bias and weights, and the mask.
    rows = np.zeros((inputs + 1, width), dtype=np.float32)
    rows[:, :units] = genome[: (inputs + 1) * units].reshape(inputs + 1, units)
    last = np.zeros(LANES + width, dtype=np.float32)
    last[0] = genome[-1]
    last[LANES : LANES + units] = genome[(inputs + 1) * units : -1]
    mask = np.zeros(width, dtype=np.float32)
    mask[:units] = 1.0
    return ActionNetwork(rows.ravel(), last, mask)


def read_genome(mlp: MLP, network: ActionNetwork) -> NDArray[np.float32]:
    """Return the genome of a *network* that has learned, shape ``(genes,)``."""
    inputs, units, _ = mlp.sizes
    rows = network.rows.reshape(inputs + 1, -1)[:, :units]
    output = network.last[LANES : LANES + units]
    return np.concatenate([rows.ravel(), output, network.last[:1]])


def make_room(code: ModuleType, learning: QLearningSettings) -> Room:
    """Return the workspace of a learner's games by the rules of a compiled module."""
    values = SECTIONS * learning.reader.width + int(padded(code.MOVES))
    return Room(
        states=make_states(code, 3),
        moves=np.zeros(code.MOVES, dtype=np.int64),
        planes=np.zeros(seen_words(code) + SPARE_WORDS, dtype=np.uint64),
        changes=np.zeros(count_changes(code), dtype=np.int64),
        sums=np.zeros(values, dtype=np.float32),
    )


# Settings files of the thesis


class Board(Config):
    """The key ``board``."""

    rows: int = Field(ge=1)
    cols: int = Field(ge=1)


class ThesisRewards(Config):
    """The key ``rewards``."""

    win: float
    loss: float
    tie: float
    each_move: float


class Storage(Config):
    """The key ``neural_storage``."""

    hidden_neurons: int = Field(ge=1)


class ThesisSettings(Config):
    """A whole file of settings of Młokosiewicz's program, with the keys of his listing 5.4."""

    board: Board
    needed_to_win: int
    games_to_play: int = Field(ge=1)
    saving_rate: int = Field(ge=1)
    learning_rate: float
    discount_factor: float
    estimated_optimal_future_value: Literal["mean", "best_known"]
    boltzmann_temperature: float
    rewards: ThesisRewards
    neural_storage: Storage


def convert_settings(content: Settings) -> JsonObject:
    """Convert the *content* of a settings file of Młokosiewicz's program to that of a recipe.

    A generation has as many games as the program played between two savings. Learning is as in the
    program, bugs included.

    Args:
        content: Content of the file, as `json.load` returns it.

    Raises:
        BadValueError: A key is missing, unknown or of the wrong kind, or the games to play are
            no multiple of the saving rate.

    >>> settings = {
    ...     "board": {"rows": 6, "cols": 7}, "needed_to_win": 4,
    ...     "games_to_play": 5000, "saving_rate": 1000,
    ...     "learning_rate": 0.05, "discount_factor": 1,
    ...     "estimated_optimal_future_value": "best_known", "boltzmann_temperature": 1,
    ...     "rewards": {"win": 2, "loss": -2, "tie": 0, "each_move": -0.01},
    ...     "neural_storage": {"hidden_neurons": 50},
    ... }
    >>> convert_settings(settings)["run"]
    {'generations': 5, 'checkpoint_every': 1}
    """
    try:
        settings = ThesisSettings.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise BadValueError(f"{key}: {first['msg']}" if key else str(first["msg"])) from None
    generations, rest = divmod(settings.games_to_play, settings.saving_rate)
    if rest or not generations:
        raise BadValueError(
            f"games_to_play is {settings.games_to_play}: it must be a multiple of saving_rate "
            f"({settings.saving_rate})"
        )
    rewards = settings.rewards
    return {
        "game": {
            "columns": settings.board.cols,
            "rows": settings.board.rows,
            "connect": settings.needed_to_win,
        },
        "network": {"hidden": [settings.neural_storage.hidden_neurons]},
        "method": {
            "name": "q-learning",
            "games": settings.saving_rate,
            "learning_rate": settings.learning_rate,
            "discount": settings.discount_factor,
            "future": settings.estimated_optimal_future_value.replace("_", "-"),
            "policy": {"temperature": settings.boltzmann_temperature},
            "rewards": {
                "win": rewards.win,
                "loss": rewards.loss,
                "draw": rewards.tie,
                "move": rewards.each_move,
            },
            "faithful": True,
        },
        "run": {"generations": generations, "checkpoint_every": 1},
    }
