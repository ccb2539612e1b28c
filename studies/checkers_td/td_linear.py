"""The method ``td-linear``: weights of features that learn from games of checkers by TD(λ).

After Piotrowski, "Warcaby i uczenie się ze wzmocnieniem" (Wrocław, 2004): a player searches a few
plies ahead, plays itself, and each side's positions make an episode whose reward comes at its end
(1 for a win, -1 for a loss, 0 for a draw). Where his formulas differ from TD(λ), the key
``faithful`` selects one of the two, see :mod:`evolve_arena.studies.checkers_td.linear_games`;
details that his text leaves open are keys, whose defaults are the values by which players learn
best here.

Meetings of linear players, with or without learning, are tasks for an executor. A meeting is a
number of games between two players, or of one against itself. Each meeting starts from the given
weights, whatever the results of others, so meetings are independent parts of a task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evolve_arena.arena.tasks import Task
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import Config
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Array, Settings
from evolve_arena.evolve.learning.tuple_learning import FIGURES
from evolve_arena.evolve.learning.vector_learner import LearnerState, VectorLearner
from evolve_arena.evolve.settings.learning import FinalConfig, LearnerConfig
from evolve_arena.genomes.network import SHAPE_FIELDS
from evolve_arena.genomes.simd import LANES
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import specialise_board
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.board.workspace import RECORD_FIELDS
from evolve_arena.players.packed import NOISE, SHAPE, WEIGHTS_AT, PackedPlayers
from evolve_arena.studies.checkers_td.linear_games import (
    ACCUMULATING,
    AFTER,
    BEFORE,
    BURGE,
    DRAW_RULES,
    END_OF_GAME,
    EVERY_MOVE,
    EXPLORATION,
    FORTY_MOVES,
    MAX_FEATURES,
    MAX_GENES,
    NONE,
    REPLACING,
    SETTINGS_FIELDS,
    TD,
    VALUES,
    LearningTable,
    Lesson,
    TDLinearSettings,
    spoil_if_lost,
    write_weights,
)

FOLDER = "evolve_arena.studies.checkers_td"

TRACES = {"none": NONE, "accumulating": ACCUMULATING, "replacing": REPLACING}
UPDATES = {"every-move": EVERY_MOVE, "end-of-game": END_OF_GAME}
RULES = {"td": TD, "burge": BURGE}
SEQUENCES = {"after": AFTER, "before": BEFORE}


class UpdatesConfig(Config):
    """The section ``[method.updates]``: the update rule, its time, and the positions learned."""

    when: Literal["every-move", "end-of-game"] = "end-of-game"
    """Time of updates: after each of the player's moves, or at the end of the game."""
    rule: Literal["td", "burge"] = "td"
    """TD(λ), or Burge's rule: at the end of the game, from its last position to the first, each is
    drawn towards the value of the next, and the last towards the reward."""
    faithful: bool = False
    """True for the formulas that Piotrowski printed, false for TD(λ)."""
    states: Literal["after", "before"] = "before"
    """Positions of a player's episode: those after its own moves, or those before; then that in
    which the game ended. The publication does not say. A search of an even depth stops at positions
    of the latter kind."""


class ScheduleConfig(Config):
    """The section ``[method.schedule]``: learning rate and random moves during training."""

    learning_rate: float = Field(default=0.0002, gt=0.0, le=1.0)
    """α: the learning rate at the start. The publication does not say."""
    final_learning_rate: float | None = Field(default=None, ge=0.0, le=1.0)
    """The learning rate at the end of the schedule; if left out, it stays the same."""
    exploration: float = Field(default=0.05, ge=0.0, le=1.0)
    """Share of random moves at the start."""
    final_exploration: float | None = Field(default=None, ge=0.0, le=1.0)
    """The share of random moves at the end of the schedule; if left out, it stays the same."""
    games: int = Field(default=10_000, ge=1)
    """Games of a learner until the end of the schedule; learning rate and share change linearly, in
    one step per generation."""


class TdLinearConfig(LearnerConfig):
    """The section ``[method]`` of a recipe."""

    old_keys: ClassVar[Mapping[str, str]] = {
        "update": "updates.when",
        "rule": "updates.rule",
        "faithful": "updates.faithful",
        "states": "updates.states",
        "rate": "schedule.learning_rate",
        "rate_end": "schedule.final_learning_rate",
        "exploration": "schedule.exploration",
        "exploration_end": "schedule.final_exploration",
    }

    name: Literal["td-linear"] = "td-linear"
    """The name of this method."""
    games: int = Field(default=200, ge=1, le=1_000_000)
    final: FinalConfig = FinalConfig(opponent="minimax:depth=2,noise=0.2")
    updates: UpdatesConfig = UpdatesConfig()
    """The update rule, its time, and the positions learned."""
    draws: Literal["standard", "forty-moves", "pieces"] = "standard"
    """Rule for draws in training; see `evolve_arena.studies.checkers_td.linear_games.DRAW_RULES`.
    """
    discount: float = Field(default=1.0, ge=0.0, le=1.0)
    """γ: discount factor of rewards, per move of the player."""
    trace: Literal["none", "accumulating", "replacing"] = "accumulating"
    """Eligibility traces: none, accumulating ones, to which each value of a feature is added, or
    replacing ones, which take its last value that is not 0."""
    trace_decay: float = Field(default=0.7, ge=0.0, le=1.0)
    """λ: share of a temporal difference that reaches one move farther back."""
    schedule: ScheduleConfig = ScheduleConfig()
    """Learning rate and random moves during training."""
    diverged: Literal["stop", "keep"] = "stop"
    """Reaction to weights that diverge: the run stops, or the learner continues with the weights
    that it had before that generation."""
    initialisation: str = "zero"
    """``zero``, or a distribution of the first weights: see
    `evolve_arena.players.board.networks.NetworkDecoder.initialise`. The publication does not
    say."""

    @model_validator(mode="after")
    def _fit_together(self) -> TdLinearConfig:
        if self.updates.rule == "burge" and self.updates.when != "end-of-game":
            raise ValueError(
                "updates.rule is 'burge', which learns at the end of games: set updates.when so"
            )
        if self.updates.rule == "burge" and self.trace != "none":
            raise ValueError("updates.rule is 'burge', which has no traces: set trace to 'none'")
        return self


class TdLinearNetworkConfig(Config):
    """The section ``[network]`` of a recipe."""

    head: Literal["value"] = "value"
    """One output."""
    encoding: Literal["features"] = "features"
    """The features that the game's file writes."""
    features: int = 14
    """Number of features that are read, from the first on: 4, 14 or 20."""
    bins: int = 0
    """0: a weight for each feature, times its value. 32: a weight for each value of each feature,
    from 0 to 31; larger ones count as 31."""
    hidden: tuple[int, ...] = ()
    """No hidden layers."""
    depth: int = 4
    """Search depth in plies, 1 to 12."""


class TdLinear(VectorLearner):
    """Let linear players play themselves and learn by temporal differences.

    Weights have 64 bits within a generation, and 32 between generations.
    """

    name = "td-linear"
    meeting = f"{FOLDER}.tournaments:meet_runs"
    rate = "method.schedule.learning_rate"
    config_type = TdLinearConfig
    network_kind = "mlp"
    network_type = TdLinearNetworkConfig
    takes_features = True
    config: TdLinearConfig
    decoder: NetworkDecoder

    def __init__(self, config: TdLinearConfig, decoder: NetworkDecoder) -> None:
        super().__init__(config, decoder)
        if decoder.hidden or decoder.bins not in (0, VALUES) or not decoder.depth:
            raise BadValueError(
                "td-linear learns weights of features: set network.hidden to [], network.bins to 0"
                f" or {VALUES}, and a network.depth"
            )

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Draw initial weights of *count* learners, shape ``(count, genes)``; biases are 0."""
        if self.config.initialisation == "zero":
            return np.zeros((count, self.decoder.genes), dtype=np.float32)
        genomes = super().draw(count, rng)
        genomes[:, -1] = 0.0
        return genomes

    def make_task(self, state: LearnerState) -> Task:
        """Return the task of a generation, in which each learner's games are a part."""
        learners = len(state.population)
        learning = make_learning_settings(self.config, self.decoder, state.generation)
        participants = make_participants(
            [self.decoder] * learners, [learning] * learners, state.population
        )
        return make_meetings(
            participants,
            np.repeat(np.arange(learners, dtype=np.int32)[:, None], 2, axis=1),
            derive_seeds(state.seed, state.generation, "games", learners),
            games=self.config.games,
            learn=True,
            draws=self.config.draws,
        )

    def epsilon_at(self, generation: int) -> float:
        """Return the share of random moves in a *generation*."""
        return make_learning_settings(self.config, self.decoder, generation).exploration

    def update(
        self, state: LearnerState, outputs: Sequence[Array]
    ) -> tuple[LearnerState, dict[str, float]]:
        """Return the state with the learned weights, and means over all games."""
        weights, _, figures = outputs
        population = np.zeros_like(state.population)
        population[:, :-1] = weights[:, : self.decoder.genes - 1]
        return super().update(state, (population, figures))

    def handle_divergence(
        self, state: LearnerState, outputs: Sequence[Array], lost: NDArray[np.int64]
    ) -> None:
        """Stop the run, or restore the previous weights, as the recipe says.

        Args:
            state: State before the generation's games.
            outputs: Outputs of these games; previous weights are restored in the first of them, in
                place.
            lost: Rows of the learners whose weights are no longer finite, shape ``(lost,)``.

        Raises:
            DivergedError: The recipe's ``method.diverged`` is ``stop``.
        """
        if self.config.diverged == "stop":
            super().handle_divergence(state, outputs, lost)
        outputs[0][lost, : self.decoder.genes - 1] = state.population[lost, :-1]


def make_learning_settings(
    config: TdLinearConfig, decoder: NetworkDecoder, generation: int = 0
) -> TDLinearSettings:
    """Return the settings of one *generation* as numbers.

    Args:
        config: The section ``[method]`` of the recipe.
        decoder: Decoder of the networks, which determines the features that they read.
        generation: Number of the generation, from 0; learning rate and share of random moves depend
            on it.
    """
    updates, schedule = config.updates, config.schedule
    progress = min(1.0, generation * config.games / schedule.games)
    return TDLinearSettings(
        rate=_slide(schedule.learning_rate, schedule.final_learning_rate, progress),
        discount=config.discount,
        decay=config.trace_decay,
        trace=TRACES[config.trace],
        update=UPDATES[updates.when],
        rule=RULES[updates.rule],
        faithful=int(updates.faithful),
        states=SEQUENCES[updates.states],
        features=decoder.counted,
        binary=int(decoder.bins > 0),
        exploration=_slide(schedule.exploration, schedule.final_exploration, progress),
    )


def _slide(begin: float, end: float | None, progress: float) -> float:
    return begin if end is None else begin + (end - begin) * progress


# Meetings of players

NUMBERS = LANES * (1 + MAX_GENES)
"""Size of the packed weights of a player."""


@dataclass(frozen=True, eq=False)
class Participants:
    """Linear players, one in each row of the arrays."""

    weights: NDArray[np.float64]
    """Weights padded with zeros, shape ``(players, MAX_GENES)``."""
    learning: NDArray[np.float64]
    """Learning settings, shape ``(players, SETTINGS_FIELDS)``; see
    :class:`~evolve_arena.studies.checkers_td.linear_games.TDLinearSettings`."""
    seats: NDArray[np.int64]
    """Packed records of the players' settings of play, shape ``(players, RECORD_FIELDS)``."""
    shapes: NDArray[np.int64]
    """Packed sizes of the players' networks, shape ``(players, SHAPE_FIELDS)``."""

    @property
    def identity(self) -> bytes:
        """The players' weights and settings, as bytes."""
        arrays = self.weights, self.learning, self.seats, self.shapes
        return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)

    def without_exploration(self) -> Participants:
        """Return the same players without random moves, which belong to training only."""
        learning = self.learning.copy()
        learning[:, EXPLORATION] = 0.0
        return replace(self, learning=learning)

    def pick(self, rows: NDArray[np.int32]) -> Participants:
        """Return the players in these *rows*; a repeated row becomes two players."""
        own = self.weights[rows], self.learning[rows], self.seats[rows], self.shapes[rows]
        return Participants(*own)

    def keep_learned(self, weights: NDArray[np.float64]) -> tuple[Participants, NDArray[np.bool_]]:
        """Return the same players with other *weights*, and a mask of those that diverged.

        Diverged players keep the weights that they had.
        """
        lost: NDArray[np.bool_] = np.logical_not(np.isfinite(weights).all(axis=1))
        kept = np.where(lost[:, np.newaxis], self.weights, weights)
        return replace(self, weights=kept), lost


def make_participants(
    decoders: Sequence[NetworkDecoder],
    learning: Sequence[TDLinearSettings],
    genomes: Sequence[Array] | Array,
) -> Participants:
    """Return players for meetings.

    Args:
        decoders: The decoder of each player's weights: networks over features without hidden units.
        learning: The learning settings of each player
            (:class:`evolve_arena.studies.checkers_td.linear_games.TDLinearSettings`).
        genomes: The weights of each player, shape ``(genes,)``, ``float32`` or ``float64``; the
            last is a bias, and is not learned.

    Raises:
        ValueError: The three differ in length, or a genome does not fit its decoder.
    """
    weights = np.zeros((len(decoders), MAX_GENES))
    seats = np.zeros((len(decoders), RECORD_FIELDS), dtype=np.int64)
    rows = np.zeros((len(decoders), SETTINGS_FIELDS))
    shapes = np.zeros((len(decoders), SHAPE_FIELDS), dtype=np.int64)
    packed_by: dict[NetworkDecoder, PackedPlayers] = {}
    for player, (decoder, settings, genome) in enumerate(
        zip(decoders, learning, genomes, strict=True)
    ):
        if len(genome) != decoder.genes:
            raise ValueError(f"player {player} has {len(genome)} genes, not {decoder.genes}")
        if decoder not in packed_by:
            packed_by[decoder] = decoder.pack(np.zeros((1, decoder.genes), dtype=np.float32))
        weights[player, : len(genome) - 1] = genome[:-1]
        rows[player] = settings.row()
        seats[player], shapes[player] = packed_by[decoder].seats[0], packed_by[decoder].shapes[0]
    return Participants(weights, rows, seats, shapes)


def make_meetings(
    participants: Participants,
    pairings: Array | Sequence[tuple[int, int]],
    seeds: NDArray[np.uint64],
    *,
    games: int,
    learn: bool,
    alternate: bool = False,
    draws: str = "standard",
) -> Task:
    """Return a task of which each part is a meeting.

    Its outputs are the weights afterwards (to be read by :func:`read_weights`), the first
    player's wins, draws and losses, shape ``(meetings, 3)``, and the figures of
    :mod:`evolve_arena.evolve.learning.tuple_learning`, shape ``(meetings, FIGURES)``.

    Args:
        participants: The players.
        pairings: Rows of *participants* of each meeting's first and second player, shape
            ``(meetings, 2)``. A player that is paired with itself learns from both sides.
        seeds: A seed for each meeting, shape ``(meetings,)``.
        games: The number of games of a meeting.
        learn: True if players learn, after each move or game according to their settings.
        alternate: True if the second player begins every other game, else the first begins all.
        draws: The rule for draws, one of
            `evolve_arena.studies.checkers_td.linear_games.DRAW_RULES`.

    Raises:
        ValueError: The shapes do not fit together, or a pairing names no player.
    """
    pairs = np.asarray(pairings, dtype=np.int32).reshape(-1, 2)
    if len(seeds) != len(pairs):
        raise ValueError(f"{len(seeds)} seeds for {len(pairs)} pairings")
    if len(pairs) and not 0 <= pairs.min() <= pairs.max() < len(participants.weights):
        raise ValueError(f"a pairing names a player outside 0 to {len(participants.weights) - 1}")
    return Task(
        kernel=f"{FOLDER}.td_linear:meet_part",
        inputs=(
            participants.weights,
            participants.learning,
            participants.seats,
            participants.shapes,
            pairs,
            seeds,
        ),
        outputs=(
            ("float64", (len(pairs), 2 * MAX_GENES)),
            ("int64", (len(pairs), 3)),
            ("float64", (len(pairs), FIGURES)),
        ),
        options={
            "games": games,
            "learn": learn,
            "alternate": alternate,
            "draws": DRAW_RULES[draws],
        },
        coarse=True,
        games=games,
    )


def read_weights(outputs: Sequence[Array]) -> NDArray[np.float64]:
    """Return the weights of both players after each meeting, shape ``(meetings, 2, MAX_GENES)``.

    They are nan if weights diverged, and equal if a player played itself.
    """
    weights: NDArray[np.float64] = outputs[0].reshape(len(outputs[0]), 2, MAX_GENES)
    return weights


def meet_part(
    options: Settings,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    part: slice,
) -> None:
    """Play the games of some pairings: a kernel of `evolve_arena.arena.tasks`.

    See :func:`make_meetings`. If a player plays itself, all moves change the same weights.

    Args:
        options: Options ``games``, ``learn``, ``alternate`` and ``draws`` of that work.
        inputs: Arrays of the players (see :class:`Participants`), pairings and seeds.
        outputs: Weights after each meeting, scores and figures, of which the rows of *part* are
            written.
        part: Rows of the meetings to play; an empty part only compiles.
    """
    *players, pairings, seeds = inputs
    alternate = bool(options["alternate"])
    if part.start == part.stop:  # only to compile
        _Table([array[:1] for array in players], np.uint64(0), options).play(0, np.zeros(FIGURES))
    for place in range(part.start, part.stop):
        # The players of a meeting, with weights of their own.
        first, second = pairings[place]
        rows = [first] if first == second else [first, second]
        table = _Table([array[rows] for array in players], seeds[place], options)
        after, scores, figures = (output[place] for output in outputs)
        scores[:] = 0
        figures[:] = 0.0
        for game in range(options["games"]):
            begins = game % len(rows) if alternate else 0
            outcome = table.play(begins, figures)
            scores[1 - outcome if begins == 0 else 1 + outcome] += 1
        # Learned weights, or nan if they have diverged.
        for player in range(len(rows)):
            spoil_if_lost(table.lesson(player))
        after[:MAX_GENES] = table.learning.weights[0]
        after[MAX_GENES:] = table.learning.weights[-1]


class _Table:
    """The compiled game and the learning data of the one or two players of a meeting.

    Args:
        players: The players' rows of the arrays of `Participants`, which are copied.
        seed: The seed of random numbers.
        options: The task's options; see :func:`meet_part`.
    """

    def __init__(self, players: Sequence[Array], seed: np.uint64, options: Settings) -> None:
        weights, settings, seats, shapes = (array.copy() for array in players)
        order = np.arange(len(seats))
        seats[:, WEIGHTS_AT], seats[:, SHAPE] = order * NUMBERS, order
        seats[:, NOISE] = np.rint(settings[:, EXPLORATION] * 2.0**32).astype(np.int64)
        self.packed = PackedPlayers(
            *(seats, shapes, np.zeros(0, dtype=np.int32)),
            *(np.zeros(len(seats) * NUMBERS, dtype=np.float32), np.zeros(0)),
        )
        spec = find_game("checkers")
        game = cast(BoardGame, spec.game())
        self.options = int(options["draws"]), bool(options["learn"])
        changes = {f"{game.place}:REPETITION": 0} if options["draws"] == FORTY_MOVES else {}
        modules = (f"{FOLDER}.linear_games",)
        *_, self.games = specialise_board(game.place, game.rules, modules, self.packed, changes)
        self.workspace = spec.kernel.make_workspace(game.rules, self.packed)
        self.workspace.streams[0] = seed
        longest = int(game.code.LONGEST) + 1
        self.learning = LearningTable(
            settings,
            weights,
            states=np.zeros(2 * longest * MAX_FEATURES, dtype=np.int64),
            counts=np.zeros(2, dtype=np.int64),
            traces=np.zeros((2, MAX_GENES)),
            values=np.zeros(longest),
        )
        for player in range(len(seats)):
            write_weights(self.lesson(player), self.packed.weights, NUMBERS * player)

    def lesson(self, player: int) -> Lesson:
        """Return the learning data of a *player*."""
        learning = self.learning
        return Lesson(learning.settings[player], learning.weights[player], learning.traces[player])

    def play(self, first: int, figures: NDArray[np.float64]) -> int:
        """Play one game, which player *first* begins; return 1, 0 or -1 as its result."""
        second = (first + 1) % len(self.learning.weights)
        given = self.packed, self.workspace, self.learning
        return int(self.games.play_and_learn(*self.options, first, second, *given, figures))
