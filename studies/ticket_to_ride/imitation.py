"""The method ``imitation-decisions``: a network learns what a rule player's best games consist of.

After Łabno, "Implementacja Sztucznej Inteligencji dla gry Wsiąść do Pociągu" (master's thesis,
Uniwersytet Jagielloński, 2018). A rule player plays itself; of its best games those decisions are
kept that the winner took; a network learns to classify them, and then decides in the rule player's
place, who still carries the decisions out.

Łabno trained TensorFlow's ``DNNClassifier``, whose optimiser is AdaGrad with a rate of 0.05 unless
told otherwise: ``method.solver = "adagrad"`` and ``method.learning_rate = 0.05``. The default here
is Adam, which also gives each weight a rate of its own by the size of its gradients, but forgets
old ones, so its rate does not fall for ever. The losses in reports are means over rows; his were
sums over batches. What he calls an epoch is 250 batches of 250 rows: ``method.batches = 250``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import seat_players
from evolve_arena.arena.match import at_seats, play_matches
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import Config
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.evolve.method import Method, Report
from evolve_arena.games.ticket_to_ride.features import FEATURE_NAMES, FEATURE_SCALES
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS
from evolve_arena.genomes.limits import COPIES
from evolve_arena.players.board.kernel import FLOOR, specialise_board
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.board.workspace import make_workspace
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.specification import make_player
from evolve_arena.studies.ticket_to_ride.classifier import (
    ACTIVATIONS,
    ClassifierSettings,
    Training,
    learn_rows,
)


class ImitationConfig(Config):
    """The section ``[method]`` of a recipe."""

    name: Literal["imitation-decisions"] = "imitation-decisions"
    """Which method this is."""
    players: tuple[int, ...] = (2, 3, 4, 5)
    """With how many players games are played to learn from: several for a universal model, one
    for a specific one."""
    games: int = Field(default=500, ge=1, le=100_000)
    """How many are played with each number."""
    best: int = Field(default=30, ge=1, le=100_000)
    """How many of them are learnt from, at most: those with most points of one player."""
    minimum_points: int = Field(default=120, ge=1, le=1000)
    """How many points that are at least."""
    rows: Literal["winner", "all"] = "winner"
    """Whose decisions in these games are learnt: those of who has most points, or everybody's."""
    held_out: float = Field(default=0.1, ge=0.0, le=0.9)
    """The share of games that are not learnt from, but looked at for how well others were."""
    scaling: Literal["raw", "unit"] = "raw"
    """``raw``: learnt are features as they are counted; ``unit``: as networks see them, divided to
    lie in about 0 to 1."""
    batch: int = Field(default=250, ge=1, le=100_000)
    """Rows of one step."""
    batches: int | None = Field(default=None, ge=1, le=100_000)
    """Steps of a generation; if it is left out, as many as take every row once."""
    solver: Literal["adam", "sgd", "adagrad"] = "adam"
    """How a step follows from a gradient: Adam, descent with Nesterov's momentum of 0.9, or
    AdaGrad, for which TensorFlow's learning rate is 0.05."""
    learning_rate: float = Field(default=0.001, gt=0.0, le=10.0)
    """How far a step goes."""
    penalty: float = Field(default=0.0, ge=0.0, le=100.0)
    """What the squares of the weights cost (L2)."""

    @model_validator(mode="after")
    def _count_players(self) -> ImitationConfig:
        counts = list(self.players)
        if not counts or len(set(counts)) < len(counts):
            raise ValueError(f"players is {counts}: name each number of players once")
        if not 2 <= min(counts) <= max(counts) <= MOST_PLAYERS:
            raise ValueError(f"players is {counts}: 2 to {MOST_PLAYERS} play")
        return self


class ImitationNetworkConfig(Config):
    """The section ``[network]`` of a recipe."""

    head: Literal["kinds"] = "kinds"
    """An output for each kind of decision."""
    encoding: Literal["features"] = "features"
    """The numbers that the file's ``features`` writes."""
    features: Literal[26, 28] = 26
    """How many of them are the inputs: 26, or 28 with the two of Łabno's program."""
    script: str = "rule"
    """The rule player, who is imitated and carries decisions out: ``rule:code``, for example."""
    hidden: tuple[int, ...] = (180, 160)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "relu"
    """The function of the hidden units: ``relu``, ``tanh`` or ``sigmoid``."""
    masked: bool = False
    """false: a decision that can't be carried out forfeits the game, as in Łabno's program."""


@dataclass(frozen=True, eq=False)
class ImitationState:
    """Everything that the future of a run depends on; what is learnt follows from the seed."""

    seed: int
    generation: int
    population: NDArray[np.float32]
    """The network as it plays, whatever the scaling, shape ``(1, genes)``."""
    memory: NDArray[np.float32]
    """What the optimiser remembers of each weight, shape ``(2, genes)``; see `Training`."""
    steps: int
    """Batches learnt so far."""


class DecisionImitation(Method[ImitationState]):
    """Teaches a network the decisions of a rule player.

    Raises:
        BadValueError: No gradient can be passed through the network's activation.
    """

    name = "imitation-decisions"
    config_type = ImitationConfig
    genome_kind = "vector"
    network_kind = "mlp"
    network_type = ImitationNetworkConfig
    state_type = ImitationState
    config: ImitationConfig
    decoder: NetworkDecoder

    @classmethod
    def estimate_bytes(cls, config: ImitationConfig, decoder: NetworkDecoder) -> int:
        """The network, and the decisions of the best games, of some forty turns a player."""
        rows = min(config.best, config.games) * sum(config.players) * 40
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
            config.batch,
        )
        self._scales = FEATURE_SCALES[: decoder.features]
        self._rows: tuple[int, DataSet, DataSet] | None = None

    def initial(self, seed: int) -> ImitationState:
        """A network that knows nothing, with weights as Glorot and Bengio (2010) draw them."""
        generator = derive_generator(seed, 0, "initialisation")
        (drawn,) = self.decoder.initialise(1, "glorot", generator)
        memory = np.zeros((2, self.decoder.genes), dtype=np.float32)
        return ImitationState(seed, 0, self._make_playable(drawn)[None, :], memory, 0)

    def find_mismatch(self, state: ImitationState) -> str | None:
        """Compares the shapes of the arrays with the network's."""
        genes = self.decoder.genes
        if state.population.shape != (1, genes):
            return f"its population has shape {state.population.shape}, not {1, genes}"
        if state.memory.shape != (2, genes):
            return f"its memory has shape {state.memory.shape}, not {2, genes}"
        if any(array.dtype != np.float32 for array in (state.population, state.memory)):
            return "its weights are no 32-bit numbers"
        return None

    def step(self, state: ImitationState, arena: Arena) -> tuple[ImitationState, Report]:
        """One pass over the rows, or as many batches as the recipe asks for.

        The games are played anew in each process that needs them, and counted once, in the first
        generation.

        Raises:
            DivergedError: The weights are no numbers any more.
        """
        learnt, held_out = self.find_rows(state.seed)
        games = 0 if state.generation else self.config.games * len(self.config.players)
        arena.games += games
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
        """The only network there is, without a match."""
        return state.population[0], Report(state.generation, 0, {"points": 0.0, "matches": 0.0})

    def describe(self, state: ImitationState) -> dict[str, Any]:
        """Individuals, genes, and the batches learnt."""
        return {"individuals": 1, "genes": self.decoder.genes, "batches": state.steps}

    def find_rows(self, seed: int) -> tuple[DataSet, DataSet]:
        """What is learnt in a run of this *seed*, and what is held out."""
        if self._rows is None or self._rows[0] != seed:
            config = self.config
            rows = build_data_set(
                make_player(self.decoder.script, self.decoder.game),  # type: ignore[arg-type]
                players=config.players,
                games=config.games,
                best=config.best,
                minimum_points=config.minimum_points,
                rows=config.rows,
                seed=seed,
            )
            self._rows = (seed, *rows.hold_out(config.held_out, seed))
        return self._rows[1], self._rows[2]

    def measure_accuracy(self, state: ImitationState, rows: DataSet) -> float:
        """The share of *rows* whose kind the network of a *state* thinks the most likely."""
        chances = self.find_chances(state.population[0], rows)
        return float((chances.argmax(axis=1) == rows.kinds).mean())

    def find_chances(self, genome: NDArray[np.float32], rows: DataSet) -> NDArray[np.float64]:
        """How likely a network thinks each kind, for each of *rows*, shape ``(rows, 4)``."""
        seen = rows.features[:, : self.decoder.features] * self._scales
        outputs = self.decoder.mlp.evaluate(genome, seen)
        powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float64)

    def _make_playable(
        self, genes: NDArray[np.float32], *, back: bool = False
    ) -> NDArray[np.float32]:
        """What is learnt as networks play it, who see features scaled; or *back* again.

        Scales are powers of two, so that nothing is rounded.
        """
        if self.config.scaling == "unit":
            return genes
        factors = self._scales if back else 1 / self._scales
        changed = genes.copy()
        first = changed[: len(factors) * self.decoder.mlp.sizes[1]].reshape(len(factors), -1)
        first *= factors[:, None]
        return changed

    def _order(
        self, rows: DataSet, state: ImitationState
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The rows that this generation learns: each once, or whole batches of random ones."""
        inputs, kinds = rows.features[:, : self.decoder.features], rows.kinds
        if self.config.scaling == "unit":
            inputs = inputs * self._scales
        if self.config.batches is None:
            return inputs, kinds
        wanted = self.config.batches * self.config.batch
        generator = derive_generator(state.seed, state.generation, "rows")
        rounds = -(-wanted // len(rows))
        order = np.concatenate([generator.permutation(len(rows)) for _ in range(rounds)])[:wanted]
        return inputs[order], kinds[order]


@dataclass(frozen=True, eq=False)
class DataSet:
    """Decisions, in the order of the numbers of players, the games, and the moves."""

    features: NDArray[np.float32]
    """What was known, as counted, shape ``(rows, 28)``; see
    `evolve_arena.games.ticket_to_ride.features`."""
    kinds: NDArray[np.int64]
    """What was decided, 0 to 3 as the rules' ``KINDS``, shape ``(rows,)``."""
    games: NDArray[np.int64]
    """The number of the game, from 0, shape ``(rows,)``."""

    def __len__(self) -> int:
        return len(self.kinds)

    def take(self, rows: NDArray[Any]) -> DataSet:
        """The decisions in these *rows*, numbers or a mask."""
        return DataSet(self.features[rows], self.kinds[rows], self.games[rows])

    def hold_out(self, share: float, seed: int) -> tuple[DataSet, DataSet]:
        """The decisions of most games, and those of a random *share* of them.

        Whole games are held out, at least one if *share* is above 0: decisions of one game are
        too much alike for some of them to be a test of what was learnt from the others.
        """
        games = np.unique(self.games)
        count = int(np.ceil(share * len(games)))
        order = derive_generator(seed, 0, "games held out").permutation(games)
        held_out = np.isin(self.games, order[:count])
        return self.take(~held_out), self.take(held_out)


def build_data_set(
    teacher: CompiledPlayer,
    *,
    players: Sequence[int],
    games: int,
    best: int,
    minimum_points: int,
    rows: Literal["winner", "all"],
    seed: int,
) -> DataSet:
    """Lets a teacher play itself, and keeps the decisions of the best games.

    The same arguments always give the same rows. In Łabno's data 30 games of each number of
    players, from 120 points on, gave 5,700 rows.

    Args:
        teacher: Who takes all seats: a scripted player.
        players: How many of it play; the games of one number after those of another.
        games: How many are played with each number.
        best: How many of these are kept at most, those with most points of one player.
        minimum_points: How many points that are at least.
        rows: ``winner``: decisions of that player only, the first one of equals; or ``all``.
        seed: Where decks and chances come from.

    Raises:
        BadValueError: No game of some number of players has so many points.
    """
    parts: list[DataSet] = []
    for count in players:
        seeds = derive_seeds(seed, 0, f"games of {count} to imitate", games)
        seatings = seat_players(np.zeros((games, count)), MOST_PLAYERS)
        game = at_seats(teacher.game, count)
        results, _ = play_matches(game, [teacher], seatings, seeds)
        points = results.columns["points"]
        chosen = np.sort(choose_games(points, best, minimum_points))
        if not len(chosen):
            raise BadValueError(
                f"of {games} games of {count} players none has {minimum_points} points"
            )
        turns = int(results.plies[chosen].sum())
        decisions, seats = list_decisions(game, teacher, seeds[chosen], turns)
        if rows == "winner":
            winners = points[chosen].argmax(axis=1)
            decisions = decisions.take(seats == winners[decisions.games])
        first = parts[-1].games[-1] + 1 if parts else 0
        parts.append(replace(decisions, games=decisions.games + first))
    return DataSet(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.kinds for part in parts]),
        np.concatenate([part.games for part in parts]),
    )


def choose_games(points: NDArray[Any], best: int, minimum_points: int) -> NDArray[np.int64]:
    """The *best* games whose best player has at least *minimum_points*, the best one first.

    *points* has shape ``(games, seats)``. Of equal games the earlier one comes first.
    """
    most = points.max(axis=1)
    order = np.argsort(-most, kind="stable")
    chosen: NDArray[np.int64] = order[most[order] >= minimum_points][:best]
    return chosen


def list_decisions(
    game: Any, player: CompiledPlayer, seeds: NDArray[np.uint64], turns: int
) -> tuple[DataSet, NDArray[np.int64]]:
    """What a scripted *player* at all seats decides at the beginning of each turn, and which seat.

    Args:
        game: What it plays.
        player: It plays the matches that the arena would play with these *seeds*.
        seeds: Of the matches, shape ``(games,)``.
        turns: So many there are in all, at most.
    """
    modules = f"{FLOOR}.matches", f"{__package__}.decisions"
    compiled: Any = specialise_board(game.place, game.rules, modules, player.packed)[-1]
    workspace = make_workspace(game.code, player.packed)
    features = np.zeros((turns, len(FEATURE_NAMES)), dtype=np.float32)
    kinds, games, seats = np.zeros((3, turns), dtype=np.int64)
    given = player.packed, seeds, workspace, features, kinds, games, seats
    count = int(compiled.note_decisions(*given))
    game.refuse_faults(workspace.states, workspace.planes, workspace.values)
    rows = DataSet(features[:count] / FEATURE_SCALES, kinds[:count], games[:count])
    return rows, seats[:count]
