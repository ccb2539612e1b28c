"""The method ``td-linear``: weights of features that learn from games of checkers by TD(λ).

After Piotrowski, "Warcaby i uczenie się ze wzmocnieniem" (Wrocław, 2004): a player searches a few
plies ahead, plays itself, and each side's positions make an episode whose reward comes at its end
(1 for a win, -1 for a loss, 0 for a draw). Where his formulas differ from TD(λ) the key
``faithful`` says which are meant, see :mod:`evolve_arena.studies.checkers_td.linear_games`;
what his text leaves open are keys with the values by which players learn best here.

Linear players, who learn or do not, meet as work for an executor. A meeting is a number of games
between two players, or of one against himself. Each meeting starts from the weights that are handed
in, whatever the others bring, so meetings are independent parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evolve_arena.arena.work import Work
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import Config
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.learning.tuple_learning import FIGURES
from evolve_arena.evolve.learning.vector_learner import LearnerState, VectorLearner
from evolve_arena.evolve.settings.learning import FinalConfig, LearnerConfig
from evolve_arena.genomes.network import SHAPE_FIELDS
from evolve_arena.genomes.simd import LANES
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
    MOST_FEATURES,
    MOST_GENES,
    NONE,
    REPLACING,
    SETTINGS_FIELDS,
    TD,
    VALUES,
    LearningSettings,
    LearningTable,
    Lesson,
    spoil_if_lost,
    write_weights,
)

FOLDER = "evolve_arena.studies.checkers_td"

TRACES = {"none": NONE, "accumulating": ACCUMULATING, "replacing": REPLACING}
UPDATES = {"every-move": EVERY_MOVE, "end-of-game": END_OF_GAME}
RULES = {"td": TD, "burge": BURGE}
SEQUENCES = {"after": AFTER, "before": BEFORE}


class TdLinearConfig(LearnerConfig):
    """The section ``[method]`` of a recipe."""

    name: Literal["td-linear"] = "td-linear"
    """Which method this is."""
    games: int = Field(default=200, ge=1, le=1_000_000)
    final: FinalConfig = FinalConfig(opponent="minimax:depth=2,noise=0.2")
    update: Literal["every-move", "end-of-game"] = "end-of-game"
    """When weights change: after each move of the player's, or when the game has ended."""
    rule: Literal["td", "burge"] = "td"
    """TD(λ), or Burge's: when the game has ended, from its last position to the first each is
    drawn towards the value of the next, and the last towards the reward."""
    faithful: bool = False
    """Whether the formulas are those that Piotrowski printed, or TD(λ)."""
    states: Literal["after", "before"] = "before"
    """Which positions make a player's episode: those after its own moves, or those before; then
    that in which the game ended. His text does not say. A search of an even depth stops at
    positions of the latter kind."""
    draws: Literal["standard", "forty-moves", "pieces"] = "standard"
    """When a game in training is drawn; see
    `evolve_arena.studies.checkers_td.linear_games.DRAW_RULES`."""
    discount: float = Field(default=1.0, ge=0.0, le=1.0)
    """γ: what a reward is worth one of the player's moves earlier."""
    trace: Literal["none", "accumulating", "replacing"] = "accumulating"
    """Whether a surprise reaches farther back than one move, and how features that occur again
    are marked: by their sum, or by the last value that is not 0."""
    trace_decay: float = Field(default=0.7, ge=0.0, le=1.0)
    """λ: how much of it reaches one move farther back."""
    rate: float = Field(default=0.0002, gt=0.0, le=1.0)
    """α: how far the weights follow a surprise, at the start. His text does not say."""
    rate_end: float | None = Field(default=None, ge=0.0, le=1.0)
    """The rate after ``schedule_games`` games; if it is left out, it stays what it is."""
    exploration: float = Field(default=0.05, ge=0.0, le=1.0)
    """How often a move is played at random."""
    exploration_end: float | None = Field(default=None, ge=0.0, le=1.0)
    """The share of random moves after ``schedule_games`` games; if it is left out, it stays what it
    is."""
    schedule_games: int = Field(default=10_000, ge=1)
    """After so many games of a learner rate and exploration have come to their ends, each by the
    same difference per game; without an end they stay as they are."""
    diverged: Literal["stop", "keep"] = "stop"
    """What happens when weights grow beyond all bounds: the run stops, or the learner goes on with
    the weights that it had before that generation."""
    initialisation: str = "zero"
    """``zero``, or how the first weights are drawn: see
    `evolve_arena.players.board.networks.NetworkDecoder.initialise`. His text does not say."""

    @model_validator(mode="after")
    def _fit_together(self) -> TdLinearConfig:
        if self.rule == "burge" and self.update != "end-of-game":
            raise ValueError("rule is 'burge', which learns at the end of games: set update so")
        if self.rule == "burge" and self.trace != "none":
            raise ValueError("rule is 'burge', which has no traces: set trace to 'none'")
        return self


class TdLinearNetworkConfig(Config):
    """The section ``[network]`` of a recipe."""

    head: Literal["value"] = "value"
    """One output."""
    encoding: Literal["features"] = "features"
    """The numbers that the file's ``features`` writes."""
    features: int = 14
    """How many of them are read, from the first on: 4, 14 or 20."""
    bins: int = 0
    """0: a weight for each feature, times its value. 32: a weight for each value of each feature,
    from 0 to 31; larger ones count as 31."""
    hidden: tuple[int, ...] = ()
    """No hidden layers."""
    depth: int = 4
    """Plies that the player looks ahead, 1 to 12."""


class TdLinear(VectorLearner):
    """Lets linear players play themselves and learn by temporal differences.

    Between generations weights have 32 bits, within 64.
    """

    name = "td-linear"
    rate = "method.rate"
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

    def draw(self, count: int, generator: np.random.Generator) -> NDArray[np.float32]:
        """The first weights of so many learners; nobody has a bias."""
        if self.config.initialisation == "zero":
            return np.zeros((count, self.decoder.genes), dtype=np.float32)
        genomes = super().draw(count, generator)
        genomes[:, -1] = 0.0
        return genomes

    def make_work(self, state: LearnerState) -> Work:
        """A learner's games of one generation are a part."""
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
        """The share of random moves in a *generation*."""
        return make_learning_settings(self.config, self.decoder, generation).exploration

    def update(
        self, state: LearnerState, outputs: Sequence[NDArray[Any]]
    ) -> tuple[LearnerState, dict[str, float]]:
        """What the learners know now, and means over all of their games."""
        weights, _, figures = outputs
        population = np.zeros_like(state.population)
        population[:, :-1] = weights[:, : self.decoder.genes - 1]
        return super().update(state, (population, figures))

    def face_lost(
        self, state: LearnerState, outputs: Sequence[NDArray[Any]], lost: NDArray[np.int64]
    ) -> None:
        """Ends the run, or takes the weights from before, as the recipe says."""
        if self.config.diverged == "stop":
            super().face_lost(state, outputs, lost)
        outputs[0][lost, : self.decoder.genes - 1] = state.population[lost, :-1]


def make_learning_settings(
    config: TdLinearConfig, decoder: NetworkDecoder, generation: int = 0
) -> LearningSettings:
    """The settings of one *generation* as numbers."""
    progress = min(1.0, generation * config.games / config.schedule_games)
    return LearningSettings(
        rate=_slide(config.rate, config.rate_end, progress),
        discount=config.discount,
        decay=config.trace_decay,
        trace=TRACES[config.trace],
        update=UPDATES[config.update],
        rule=RULES[config.rule],
        faithful=int(config.faithful),
        states=SEQUENCES[config.states],
        features=decoder.counted,
        binary=int(decoder.bins > 0),
        exploration=_slide(config.exploration, config.exploration_end, progress),
    )


def _slide(begin: float, end: float | None, progress: float) -> float:
    return begin if end is None else begin + (end - begin) * progress


# Meetings

NUMBERS = LANES * (1 + MOST_GENES)
"""Room for the packed weights of a player."""


@dataclass(frozen=True, eq=False)
class Participants:
    """Linear players of any kinds, row by row."""

    weights: NDArray[np.float64]
    """What they know, shape ``(players, MOST_GENES)``: each one's weights, then zeros."""
    learning: NDArray[np.float64]
    """How they learn, shape ``(players, SETTINGS_FIELDS)``; see
    :class:`~evolve_arena.studies.checkers_td.linear_games.LearningSettings`."""
    seats: NDArray[np.int64]
    """How they play, shape ``(players, RECORD_FIELDS)``."""
    shapes: NDArray[np.int64]
    """The shapes of their networks, ``(players, SHAPE_FIELDS)``."""

    @property
    def identity(self) -> bytes:
        """The players' weights and how they learn and search."""
        arrays = self.weights, self.learning, self.seats, self.shapes
        return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)

    def without_exploration(self) -> Participants:
        """The same players, who play no move at random: they do so in training only."""
        learning = self.learning.copy()
        learning[:, EXPLORATION] = 0.0
        return replace(self, learning=learning)

    def pick(self, rows: NDArray[np.int32]) -> Participants:
        """Some of them, by their rows; who is named twice becomes two players."""
        own = self.weights[rows], self.learning[rows], self.seats[rows], self.shapes[rows]
        return Participants(*own)

    def keep_learned(self, weights: NDArray[np.float64]) -> tuple[Participants, NDArray[np.bool_]]:
        """The same players with other *weights*, and which of them are no numbers any more.

        These players keep the weights that they had.
        """
        lost: NDArray[np.bool_] = np.logical_not(np.isfinite(weights).all(axis=1))
        kept = np.where(lost[:, np.newaxis], self.weights, weights)
        return replace(self, weights=kept), lost


def make_participants(
    decoders: Sequence[Any],
    learning: Sequence[LearningSettings],
    genomes: Sequence[NDArray[Any]] | NDArray[Any],
) -> Participants:
    """Players who are to meet.

    Args:
        decoders: What each one's weights stand for: networks over features without hidden units.
        learning: How each learns, a row for each
            (:class:`evolve_arena.studies.checkers_td.linear_games.LearningSettings`).
        genomes: Each one's weights, shape ``(genes,)``, of 32 or 64 bits; the last is a bias, and
            is not learned.

    Raises:
        ValueError: The three are not of one length, or a genome is not of its decoder's.
    """
    weights = np.zeros((len(decoders), MOST_GENES))
    seats = np.zeros((len(decoders), RECORD_FIELDS), dtype=np.int64)
    rows = np.zeros((len(decoders), SETTINGS_FIELDS))
    shapes = np.zeros((len(decoders), SHAPE_FIELDS), dtype=np.int64)
    packed_by: dict[Any, PackedPlayers] = {}
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
    pairings: NDArray[Any] | Sequence[tuple[int, int]],
    seeds: NDArray[np.uint64],
    *,
    games: int,
    learn: bool,
    alternate: bool = False,
    draws: str = "standard",
) -> Work:
    """Work of which each part is a meeting.

    Its outputs are the weights afterwards (:func:`read_weights` takes them apart), the first
    player's wins, draws and losses, shape ``(meetings, 3)``, and the figures of
    :mod:`evolve_arena.evolve.learning.tuple_learning`, shape ``(meetings, FIGURES)``.

    Args:
        participants: The players.
        pairings: Rows of these, shape ``(meetings, 2)``. Who is paired with himself plays himself
            and learns from both sides.
        seeds: A seed for each meeting, shape ``(meetings,)``.
        games: How many games a meeting has.
        learn: Whether players learn from each game, or from each move, as set.
        alternate: Whether the second player begins every other game; if not, the first begins all.
        draws: When a game is drawn, one of
            `evolve_arena.studies.checkers_td.linear_games.DRAW_RULES`.

    Raises:
        ValueError: The shapes do not fit together, or a pairing names nobody.
    """
    pairs = np.asarray(pairings, dtype=np.int32).reshape(-1, 2)
    if len(seeds) != len(pairs):
        raise ValueError(f"{len(seeds)} seeds for {len(pairs)} pairings")
    if len(pairs) and not 0 <= pairs.min() <= pairs.max() < len(participants.weights):
        raise ValueError(f"a pairing names a player outside 0 to {len(participants.weights) - 1}")
    return Work(
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
            ("float64", (len(pairs), 2 * MOST_GENES)),
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


def read_weights(outputs: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """What both players of each meeting know afterwards, shape ``(meetings, 2, MOST_GENES)``.

    Not numbers where weights grew beyond all bounds. Both are the same where one played himself.
    """
    weights: NDArray[np.float64] = outputs[0].reshape(len(outputs[0]), 2, MOST_GENES)
    return weights


def meet_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """Plays the games of some pairings: a kernel of `evolve_arena.arena.work`.

    See :func:`make_meetings`. Who is paired with himself plays himself; all his moves change the
    same weights.
    """
    *players, pairings, seeds = inputs
    alternate = bool(options["alternate"])
    if part.start == part.stop:  # only to compile
        _Table([array[:1] for array in players], np.uint64(0), options).play(0, np.zeros(FIGURES))
    for place in range(part.start, part.stop):
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
        for player in range(len(rows)):
            spoil_if_lost(table.lesson(player))
        after[:MOST_GENES] = table.learning.weights[0]
        after[MOST_GENES:] = table.learning.weights[-1]


class _Table:
    """A table for players who have not learned anything yet.

    Args:
        players: Their rows of the arrays of `Participants`.
        seed: Of chance.
        options: See :func:`meet_part`.
    """

    def __init__(
        self, players: Sequence[NDArray[Any]], seed: np.uint64, options: Mapping[str, Any]
    ) -> None:
        weights, settings, seats, shapes = (array.copy() for array in players)
        order = np.arange(len(seats))
        seats[:, WEIGHTS_AT], seats[:, SHAPE] = order * NUMBERS, order
        seats[:, NOISE] = np.rint(settings[:, EXPLORATION] * 2.0**32).astype(np.int64)
        self.packed = PackedPlayers(
            *(seats, shapes, np.zeros(0, dtype=np.int32)),
            *(np.zeros(len(seats) * NUMBERS, dtype=np.float32), np.zeros(0)),
        )
        spec = find_game("checkers")
        game: Any = spec.game()
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
            states=np.zeros(2 * longest * MOST_FEATURES, dtype=np.int64),
            counts=np.zeros(2, dtype=np.int64),
            traces=np.zeros((2, MOST_GENES)),
            values=np.zeros(longest),
        )
        for player in range(len(seats)):
            write_weights(self.lesson(player), self.packed.weights, NUMBERS * player)

    def lesson(self, player: int) -> Lesson:
        """What a *player* learns by."""
        learning = self.learning
        return Lesson(learning.settings[player], learning.weights[player], learning.traces[player])

    def play(self, first: int, figures: NDArray[np.float64]) -> int:
        """Play one game; see `linear_games.play_and_learn`."""
        second = (first + 1) % len(self.learning.weights)
        given = self.packed, self.workspace, self.learning
        return int(self.games.play_and_learn(*self.options, first, second, *given, figures))
