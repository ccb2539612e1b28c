"""The method ``td``: a value network that learns from games against itself or others, by TD(λ).

After Löfroth and Dalenius, "Själv-inläring av fyra-i-rad" (KTH, 2011): each player's positions make
an episode, whose rewards come at its end (1 for a win, -1 for a loss, 0 for a draw); after each
game TD(λ) sets targets and backpropagation trains the network towards them. Details that the text
leaves open are keys here. The text cites Stenmark (2005), whose network learned from games against
minimax: ``opponents`` has it learn so, from the episode of its own positions alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evolve_arena.arena.tasks import Task
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame, Config
from evolve_arena.core.types import Array, Settings
from evolve_arena.evolve.learning.backprop import Network, new_network
from evolve_arena.evolve.learning.learner import pack_opponents
from evolve_arena.evolve.learning.lessons import find_game_of, make_lesson
from evolve_arena.evolve.learning.vector_learner import LearnerState, VectorLearner, each_learner
from evolve_arena.evolve.settings.learning import LearnerConfig
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.board.workspace import count_changes, make_states
from evolve_arena.studies.td_lambda.td_kernel import (
    EXPLORATIONS,
    RANDOM_LESSONS,
    TDLambdaSettings,
    TDLambdaWorkspace,
    epsilon_at,
)

MAX_HIDDEN = 1024
FOLDER = "evolve_arena.studies.td_lambda"


class PolicyConfig(Config):
    """The section ``[method.policy]``: the choice of moves in training games."""

    exploration: Literal["epsilon", "greedy", "softmax"] = "epsilon"
    """``epsilon``: the best move, but a random one with probability ε; ``greedy``: the best move;
    ``softmax``: a move with probability proportional to exp(value / temperature)."""
    epsilon: float = Field(default=0.5, ge=0.0, le=1.0)
    """ε in the first game."""
    epsilon_end: float = Field(default=0.1, ge=0.0, le=1.0)
    """ε after :attr:`epsilon_games` games, reached in equal steps, and from then on."""
    epsilon_games: int = Field(default=1_000_000, ge=1, le=10**12)
    """Number of a learner's games after which ε has reached ``epsilon_end``."""
    random_moves: Literal["others", "all"] = "others"
    """Moves among which a random one is drawn: all but the best, or all."""
    temperature: float = Field(default=0.1, gt=0.0, le=1000.0)
    """Temperature of ``softmax``."""


class UpdatesConfig(Config):
    """The section ``[method.updates]``: targets of the updates, and their order."""

    random_lesson: Literal["played", "best", "nothing"] = "played"
    """Target of the position before a random move of the same player: the position that was played,
    the one after the best move, or nothing, so that it does not learn. In the last two cases no
    temporal difference is carried back (λ) across the move."""
    end_value: Literal["estimate", "reward"] = "estimate"
    """Target of the last but one position of the player who ended the game: the network's estimate
    of the last position, or the reward itself."""
    order: Literal["forward", "backward"] = "forward"
    """Order in which a game's positions are trained: from the first to the last, or the reverse."""
    episodes: Literal["one-by-one", "mixed"] = "one-by-one"
    """Order of the two episodes: that of the first player before the other, or both together in the
    order of the moves."""


class RatesConfig(Config):
    """The section ``[method.learning_rates]``: learning rates of the network's layers."""

    hidden: float = Field(default=0.0, ge=0.0, le=10.0)
    """α, the learning rate of the first layer; 0 stands for 1 / inputs."""
    output: float = Field(default=0.0, ge=0.0, le=10.0)
    """β, the learning rate of the last layer; 0 stands for 1 / hidden units."""
    scale: float = Field(default=1.0, gt=0.0, le=100.0)
    """Factor of both learning rates."""
    biases: bool = True
    """True if the network has biases, which learn; if not, they are 0 and stay so."""


class TdConfig(LearnerConfig):
    """The section ``[method]`` of a recipe."""

    old_keys: ClassVar[Mapping[str, str]] = {
        "exploration": "policy.exploration",
        "epsilon_start": "policy.epsilon",
        "epsilon_end": "policy.epsilon_end",
        "epsilon_games": "policy.epsilon_games",
        "random_moves": "policy.random_moves",
        "temperature": "policy.temperature",
        "random_lesson": "updates.random_lesson",
        "end_value": "updates.end_value",
        "order": "updates.order",
        "episodes": "updates.episodes",
        "hidden_rate": "learning_rates.hidden",
        "output_rate": "learning_rates.output",
        "rate_scale": "learning_rates.scale",
        "biases": "learning_rates.biases",
    }

    name: Literal["td"] = "td"
    """The name of this method."""
    games: int = Field(default=1000, ge=1, le=1_000_000)
    """Games that each learner plays in a generation."""
    opponents: tuple[str, ...] = ()
    """Opponents in these games, by turns and from each seat: players that are compiled, such as
    ``minimax:depth=2`` or ``run:PATH``, and ``self``; without any it plays itself."""
    step: float = Field(default=1.0, gt=0.0, le=1.0)
    """η: share of the way from the old value to the new estimate that a target takes."""
    discount: float = Field(default=1.0, ge=0.0, le=1.0)
    """γ: discount factor of rewards, per move of the player."""
    trace: float = Field(default=0.0, ge=0.0, le=1.0)
    """λ: share of a temporal difference that reaches one move further back."""
    policy: PolicyConfig = PolicyConfig()
    """The choice of moves in training games."""
    updates: UpdatesConfig = UpdatesConfig()
    """Targets of the updates, and their order."""
    learning_rates: RatesConfig = RatesConfig()
    """Learning rates of the network's layers."""
    initialisation: str = "inverse"
    """Distribution of the initial weights; see `evolve_arena.genomes.mlp.INITIALISATIONS`."""


class ValueNetworkConfig(Config):
    """The section ``[network]`` of a recipe; see `NetworkDecoder`."""

    head: Literal["value"] = "value"
    """One output, which scores every position that a move can reach."""
    encoding: str = "signed"
    """``signed``: an input for each cell, 1 for one's own disc and -1 for the opponent's;
    ``numbered``: the same with 2 for the opponent's; ``planes``: an input for each cell and
    owner."""
    hidden: tuple[int, ...] = (120,)
    """Units of the only hidden layer, 1 to 1024."""
    activation: Literal["tanh"] = "tanh"
    """Function of the hidden units and of the output."""
    take_wins: bool = False
    """True if a move that wins at once is played whatever the values say."""


class Td(VectorLearner):
    """Let value networks play themselves, or opponents, and learn by TD(λ)."""

    name = "td"
    rate = "method.learning_rates.scale"
    config_type = TdConfig
    network_type = ValueNetworkConfig
    kernel = f"{FOLDER}.td:teach_part"
    config: TdConfig
    decoder: NetworkDecoder

    def __init__(self, config: TdConfig, decoder: NetworkDecoder) -> None:
        super().__init__(config, decoder)
        self._opponents = pack_opponents(config.opponents, decoder.game)

    @classmethod
    def make_decoder(cls, game: AnyGame, network: Config, config: TdConfig) -> NetworkDecoder:
        """Return the decoder of multilayer perceptrons with one hidden layer.

        Args:
            game: Game whose positions the networks value.
            network: The section ``[network]`` of the recipe.
            config: The section ``[method]``.

        Raises:
            BadValueError: They have another number of hidden layers, or more than 1024 units.
        """
        hidden = cast(ValueNetworkConfig, network).hidden
        if len(hidden) != 1 or hidden[0] > MAX_HIDDEN:
            raise BadValueError(
                f"network.hidden is {list(hidden)}: the method 'td' learns with one "
                f"hidden layer of 1 to {MAX_HIDDEN} units, such as [120]"
            )
        decoder: NetworkDecoder = super().make_decoder(game, network, config)
        return decoder

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Draw the initial weights of *count* learners, shape ``(count, genes)``.

        Biases are 0 if the network is to have none.
        """
        genes = super().draw(count, rng)
        if not self.config.learning_rates.biases:
            inputs, units, _ = self.decoder.mlp.sizes
            genes[:, [*range(inputs * units, (inputs + 1) * units), -1]] = 0.0
        return genes

    def epsilon_at(self, generation: int) -> float | None:
        """Return the probability of a random move at the beginning of a *generation*, or None."""
        if self.config.policy.exploration != "epsilon":
            return None
        learning = make_learning_settings(self.config, self.decoder, generation)
        return float(epsilon_at(learning, learning.played))

    def make_task(self, state: LearnerState) -> Task:
        """Return the task of a generation, in which each learner's games are a part."""
        bits = self.decoder.inputs_of_bits
        learning = make_learning_settings(self.config, self.decoder, state.generation)
        sizes = {"inputs": self.decoder.inputs, "units": self.decoder.hidden[0]}
        inputs: list[Array] = [bits[:, 0].astype(np.int64), bits[:, 1].astype(np.float32)]
        inputs += self._opponents
        return self.arrange(state, inputs, {**sizes, "learning": list(learning)})


def teach_part(
    options: Settings,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    part: slice,
) -> None:
    """Let some learners play and learn: a kernel of `evolve_arena.arena.tasks`; see `Td`.

    Args:
        options: Game, rules, sizes of the network, and learning settings; see :meth:`Td.make_task`.
        inputs: Weights and seeds of the learners, then the input of each bit of an observation, and
            that input's value, and opponents, if any, as `pack_opponents` gives them.
        outputs: Learned weights and figures of all learners, of which the rows of *part* are
            written.
        part: Rows of the learners to teach; an empty part only compiles.
    """
    _, _, index, factor, *against = inputs
    lesson = make_lesson(find_game_of(options), against, f"{FOLDER}.td_kernel")
    network = new_network(options["inputs"], options["units"])
    workspace = lesson.share(_make_workspace(lesson.code, network, index, factor))
    learning = TDLambdaSettings(*options["learning"])
    # An empty part only compiles the kernel: no game is played.
    if part.start == part.stop:
        learning = learning._replace(games=0)
    for genes, rng, figures in each_learner(inputs, outputs, part):
        lesson.lessons.teach(network, learning, workspace, rng, genes, figures, lesson.opponents)
        lesson.refuse_faults(workspace.states)


def _make_workspace(
    code: ModuleType, network: Network, index: NDArray[np.int64], factor: NDArray[np.float32]
) -> TDLambdaWorkspace:
    """Return the workspace for games of *network* by the rules of a compiled module."""
    plies, moves = int(code.LONGEST), int(code.MOVES)
    return TDLambdaWorkspace(
        inputs_of_bits=np.array(index),
        factors=np.array(factor),
        sums=np.zeros(2 * network.width, dtype=np.float32),
        outputs=np.zeros(moves, dtype=np.float32),
        chances=np.zeros(moves),
        sources=np.zeros(2 * plies, dtype=np.int64),
        values=np.zeros(2 * plies, dtype=np.float32),
        estimates=np.zeros(plies),
        rivals=np.zeros(plies),
        targets=np.zeros(plies),
        moves=np.zeros(2 * moves, dtype=np.int64),
        wins=np.zeros(2 * moves, dtype=np.int64),
        changes=np.zeros(count_changes(code), dtype=np.int64),
        states=make_states(code, 2),
    )


def make_learning_settings(
    config: TdConfig, decoder: NetworkDecoder, generation: int
) -> TDLambdaSettings:
    """Return the settings of one *generation* as numbers.

    Args:
        config: The section ``[method]`` of the recipe.
        decoder: Decoder of the networks, whose sizes scale the learning rates.
        generation: Number of the generation, from 0, from which the games played before follow.
    """
    policy, updates, rates = config.policy, config.updates, config.learning_rates
    return TDLambdaSettings(
        games=config.games,
        played=generation * config.games,
        exploration=EXPLORATIONS[policy.exploration],
        any_move=policy.random_moves == "all",
        random_lesson=RANDOM_LESSONS[updates.random_lesson],
        epsilon_start=policy.epsilon,
        epsilon_end=policy.epsilon_end,
        epsilon_games=float(policy.epsilon_games),
        temperature=policy.temperature,
        take_wins=decoder.take_wins,
        step=config.step,
        discount=config.discount,
        trace=config.trace,
        exact_end=updates.end_value == "reward",
        backward=updates.order == "backward",
        mixed=updates.episodes == "mixed",
        hidden_rate=rates.scale * (rates.hidden or 1.0 / decoder.inputs),
        output_rate=rates.scale * (rates.output or 1.0 / decoder.hidden[0]),
        biases=rates.biases,
    )
