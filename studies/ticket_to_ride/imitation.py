"""The method ``imitation-decisions``: a network learns the decisions of a rule player's best games.

After Łabno, "Implementacja Sztucznej Inteligencji dla gry Wsiąść do Pociągu" (master's thesis,
Uniwersytet Jagielloński, 2018). A rule player plays itself; from its best games the decisions of
the winner are kept; a network learns to classify them, and then decides in place of the rule
player, which still carries the decisions out.

Łabno trained TensorFlow's ``DNNClassifier``, whose default optimiser is AdaGrad with a rate of
0.05: ``method.solver = "adagrad"`` and ``method.learning_rate = 0.05``. The default here is Adam,
which also scales each weight's step by the size of its gradients, but forgets old ones, so that its
rate does not fall forever. The losses in reports are means over rows; his were sums over batches.
His epoch is 250 batches of 250 rows: ``method.batches = 250``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evolve_arena.arena.arena import Arena
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import Config
from evolve_arena.core.seeding import derive_generator
from evolve_arena.core.types import JsonObject
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.evolve.method import Method, Report
from evolve_arena.games.ticket_to_ride.features import FEATURE_NAMES, FEATURE_SCALES
from evolve_arena.games.ticket_to_ride.layout import MAX_PLAYERS
from evolve_arena.genomes.limits import COPIES
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.specification import make_player
from evolve_arena.studies.ticket_to_ride.classifier import (
    ACTIVATIONS,
    ClassifierSettings,
    Training,
    learn_rows,
)
from evolve_arena.studies.ticket_to_ride.decision_sets import (
    DataSet,
    build_data_set,
    check_source,
    read_source,
)
from evolve_arena.studies.ticket_to_ride.measures import COUNTS


class DataConfig(Config):
    """The section ``[method.data]``: games of the rule player, and the decisions to learn."""

    source: str = ""
    """Games to learn from in place of new ones of the rule player, all of them:
    ``games:PATH.jsonl``, as --keep-games writes them, or ``games:PATH.jsonl,player=NAME`` to learn
    from one player alone; or ``log:PATH.csv``, decisions as `evolve decisions` writes them."""
    players: tuple[int, ...] = COUNTS
    """Numbers of players in the games to learn from: several for a universal model, one for a
    specific one."""
    games: int = Field(default=500, ge=1, le=100_000)
    """Number of games played with each number of players."""
    best: int = Field(default=30, ge=1, le=100_000)
    """Most games to learn from with each number of players: those whose best player has most
    points."""
    minimum_points: int = Field(default=120, ge=1, le=1000)
    """Fewest points of the winner of a game to learn from."""
    rows: Literal["winner", "all"] = "winner"
    """Decisions to learn: those of the player with most points, or those of all."""
    held_out: float = Field(default=0.1, ge=0.0, le=0.9)
    """Share of games that are not learnt from, but used to measure the accuracy on unseen ones."""
    scaling: Literal["raw", "unit"] = "raw"
    """``raw``: features are learnt as counted; ``unit``: as networks see them, divided to lie in
    about 0 to 1."""

    @model_validator(mode="after")
    def _count_players(self) -> DataConfig:
        counts = list(self.players)
        if not counts or len(set(counts)) < len(counts):
            raise ValueError(f"players is {counts}: name each number of players once")
        if not 2 <= min(counts) <= max(counts) <= MAX_PLAYERS:
            raise ValueError(f"players is {counts}: must be from 2 to {MAX_PLAYERS}")
        return self


class ImitationConfig(Config):
    """The section ``[method]`` of a recipe."""

    old_keys: ClassVar[Mapping[str, str]] = {key: f"data.{key}" for key in DataConfig.model_fields}

    name: Literal["imitation-decisions"] = "imitation-decisions"
    """The name of this method."""
    data: DataConfig = DataConfig()
    """Games of the rule player, and the decisions to learn."""
    batch_size: int = Field(default=250, ge=1, le=100_000)
    """Number of rows in one step."""
    batches: int | None = Field(default=None, ge=1, le=100_000)
    """Steps of a generation; if left out, as many as take every row once."""
    solver: Literal["adam", "sgd", "adagrad"] = "adam"
    """Optimiser: Adam, gradient descent with Nesterov's momentum of 0.9, or AdaGrad, for which
    TensorFlow's learning rate is 0.05."""
    learning_rate: float = Field(default=0.001, gt=0.0, le=10.0)
    """Learning rate."""
    penalty: float = Field(default=0.0, ge=0.0, le=100.0)
    """Weight of the squares of the weights in the loss (L2)."""


class ImitationNetworkConfig(Config):
    """The section ``[network]`` of a recipe."""

    head: Literal["kinds"] = "kinds"
    """An output for each kind of decision."""
    encoding: Literal["features"] = "features"
    """The features that the game's file writes."""
    features: Literal[26, 28] = 26
    """Number of features that are inputs: 26, or 28 with the two of Łabno's program."""
    script: str = "rule"
    """The rule player that is imitated and carries decisions out: ``rule:code``, for example."""
    hidden: tuple[int, ...] = (180, 160)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "relu"
    """Function of the hidden units: ``relu``, ``tanh`` or ``sigmoid``."""
    masked: bool = False
    """false: a decision that can't be carried out forfeits the game, as in Łabno's program."""


@dataclass(frozen=True, eq=False)
class ImitationState:
    """The state of a run, without the rows to learn, which follow from the seed."""

    seed: int
    generation: int
    population: NDArray[np.float32]
    """The network with weights for scaled features, shape ``(1, genes)``."""
    memory: NDArray[np.float32]
    """Memory of the optimiser for each weight, shape ``(2, genes)``; see `Training`."""
    steps: int
    """Number of batches learnt so far."""


@dataclass(frozen=True, eq=False)
class SourcedState(ImitationState):
    """The state of a run that learns from a file, with its rows, which are read once."""

    features: NDArray[np.float32]
    kinds: NDArray[np.int64]
    games: NDArray[np.int64]
    """As in :class:`DataSet`; empty before the first generation."""


class DecisionImitation(Method[ImitationState]):
    """Teach a network the decisions of a rule player.

    Raises:
        BadValueError: No gradient can be passed through the network's activation.
    """

    name = "imitation-decisions"
    config_type = ImitationConfig
    genome_kind = "vector"
    network_kind = "mlp"
    network_type = ImitationNetworkConfig
    state_type: type[ImitationState] = ImitationState
    config: ImitationConfig
    decoder: NetworkDecoder

    @classmethod
    def estimate_bytes(cls, config: ImitationConfig, decoder: NetworkDecoder) -> int:
        """Estimate the memory in bytes: the network, and decisions of some forty turns a player."""
        rows = min(config.data.best, config.data.games) * sum(config.data.players) * 40
        return COPIES * 4 * decoder.genes + 2 * rows * 8 * decoder.features

    def __init__(self, config: ImitationConfig, decoder: NetworkDecoder) -> None:
        super().__init__(config, decoder)
        if decoder.activation not in ACTIVATIONS:
            raise BadValueError(
                f"network.activation is {decoder.activation!r}, which can't be learnt"
                f" (known: {', '.join(ACTIVATIONS)})"
            )
        self._lesson = ClassifierSettings(
            decoder.mlp,
            config.solver,
            config.learning_rate,
            config.penalty,
            config.batch_size,
        )
        self._scales = FEATURE_SCALES[: decoder.features]
        if config.data.source:
            check_source(config.data.source)
            self.state_type = SourcedState
        self._rows: tuple[int, DataSet, DataSet] | None = None

    def initial(self, seed: int) -> ImitationState:
        """Return the state of an untrained network, initialised as by Glorot and Bengio (2010)."""
        rng = derive_generator(seed, 0, "initialisation")
        (drawn,) = self.decoder.initialise(1, "glorot", rng)
        memory = np.zeros((2, self.decoder.genes), dtype=np.float32)
        values = seed, 0, self._make_playable(drawn)[None, :], memory, 0
        if not self.config.data.source:
            return ImitationState(*values)
        features = np.zeros((0, len(FEATURE_NAMES)), dtype=np.float32)
        none = np.zeros(0, dtype=np.int64)
        return SourcedState(*values, features, none, none)

    def find_mismatch(self, state: ImitationState) -> str | None:
        """Return the first mismatch of the arrays' shapes and types with the network, or None."""
        genes = self.decoder.genes
        if state.population.shape != (1, genes):
            return f"its population has shape {state.population.shape}, not {1, genes}"
        if state.memory.shape != (2, genes):
            return f"its memory has shape {state.memory.shape}, not {2, genes}"
        if any(array.dtype != np.float32 for array in (state.population, state.memory)):
            return "its weights are no 32-bit numbers"
        if isinstance(state, SourcedState):
            return DataSet(state.features, state.kinds, state.games).find_fault()
        return None

    def step(self, state: ImitationState, arena: Arena) -> tuple[ImitationState, Report]:
        """Learn all rows once, or as many batches as the recipe asks for.

        Each process that needs the games plays them anew; they are counted once, in the first
        generation.

        Raises:
            DivergedError: The weights are not finite any more.
        """
        data = self.config.data
        if isinstance(state, SourcedState) and not len(state.kinds):
            rows = read_source(data.source, self._teacher, data.players, data.rows)
            state = replace(state, features=rows.features, kinds=rows.kinds, games=rows.games)
        learnt, held_out = self._split(state)
        games = 0 if state.generation or data.source else data.games * len(data.players)
        arena.games_played += games
        inputs, kinds = self._order(learnt, state)
        order = derive_generator(state.seed, state.generation, "order")
        genes = self._make_playable(state.population[0], back=True)
        training = Training(genes, state.memory, state.steps)
        training, loss = learn_rows(self._lesson, training, inputs, kinds, order)
        if not np.isfinite(training.genes).all():
            raise DivergedError(
                f"the weights grew beyond all bounds in generation {state.generation}; lower"
                " method.learning_rate"
            )
        after = replace(
            state,
            generation=state.generation + 1,
            population=self._make_playable(training.genes)[None, :],
            memory=training.memory,
            steps=training.steps,
        )
        statistics = {"loss": loss, "accuracy": self.measure_accuracy(after, learnt)}
        if len(held_out):
            statistics["accuracy_held_out"] = self.measure_accuracy(after, held_out)
        return after, Report(state.generation, games, statistics)

    def champion(self, state: ImitationState, arena: Arena) -> tuple[NDArray[np.float32], Report]:
        """Return the only network, without a match."""
        return state.population[0], Report(state.generation, 0, {"points": 0.0, "matches": 0.0})

    def describe(self, state: ImitationState) -> JsonObject:
        """Return the numbers of individuals, genes and batches learnt."""
        return {"individuals": 1, "genes": self.decoder.genes, "batches": state.steps}

    @property
    def _teacher(self) -> CompiledPlayer:
        """The rule player, which knows the features."""
        player = make_player(self.decoder.script, self.decoder.game)
        assert isinstance(player, CompiledPlayer)
        return player

    def _split(self, state: ImitationState) -> tuple[DataSet, DataSet]:
        """Return the rows to learn, and those held out."""
        if isinstance(state, SourcedState):
            rows = DataSet(state.features, state.kinds, state.games)
            return rows.hold_out(self.config.data.held_out, state.seed)
        return self.find_rows(state.seed)

    def find_rows(self, seed: int) -> tuple[DataSet, DataSet]:
        """Return the rows to learn in a run of this *seed*, and those held out."""
        if self._rows is None or self._rows[0] != seed:
            data = self.config.data
            rows = build_data_set(
                self._teacher,
                players=data.players,
                games=data.games,
                best=data.best,
                minimum_points=data.minimum_points,
                rows=data.rows,
                seed=seed,
            )
            self._rows = (seed, *rows.hold_out(data.held_out, seed))
        return self._rows[1], self._rows[2]

    def measure_accuracy(self, state: ImitationState, rows: DataSet) -> float:
        """Return the share of *rows* whose kind a *state*'s network finds most likely."""
        chances = self.find_chances(state.population[0], rows)
        return float((chances.argmax(axis=1) == rows.kinds).mean())

    def find_chances(self, genome: NDArray[np.float32], rows: DataSet) -> NDArray[np.float64]:
        """Return a network's probability of each kind for *rows*, shape ``(rows, 4)``."""
        seen = rows.features[:, : self.decoder.features] * self._scales
        outputs = self.decoder.mlp.evaluate(genome, seen)
        powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float64)

    def _make_playable(
        self, genes: NDArray[np.float32], *, back: bool = False
    ) -> NDArray[np.float32]:
        """Convert weights for raw features to weights for scaled features, or *back*.

        Scales are powers of two, so that nothing is rounded. Nothing changes if the network learns
        from scaled features.
        """
        if self.config.data.scaling == "unit":
            return genes
        factors = self._scales if back else 1 / self._scales
        changed = genes.copy()
        first = changed[: len(factors) * self.decoder.mlp.sizes[1]].reshape(len(factors), -1)
        first *= factors[:, None]
        return changed

    def _order(
        self, rows: DataSet, state: ImitationState
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the rows of this generation: each once, or whole batches of random ones."""
        inputs, kinds = rows.features[:, : self.decoder.features], rows.kinds
        if self.config.data.scaling == "unit":
            inputs = inputs * self._scales
        if self.config.batches is None:
            return inputs, kinds
        wanted = self.config.batches * self.config.batch_size
        rng = derive_generator(state.seed, state.generation, "rows")
        rounds = -(-wanted // len(rows))
        order = np.concatenate([rng.permutation(len(rows)) for _ in range(rounds)])[:wanted]
        return inputs[order], kinds[order]
