"""The method ``td-linear``: weights of features that learn from games of checkers by TD(λ).

After Piotrowski, "Warcaby i uczenie się ze wzmocnieniem" (Wrocław, 2004): a player searches a few
plies ahead, plays itself, and each side's positions make an episode whose reward comes at its end
(1 for a win, -1 for a loss, 0 for a draw). Where his formulas differ from TD(λ) the key
``faithful`` says which are meant, see :mod:`evolve_arena.studies.checkers_td.linear_games`;
what his text leaves open are keys with the values by which players learn best here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evolve_arena.arena.work import Work
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import Config
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.evolve.learning.learner import LearnerConfig
from evolve_arena.evolve.td import LearnerState, VectorLearner
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.studies.checkers_td.linear_games import (
    ACCUMULATING,
    AFTER,
    BEFORE,
    BURGE,
    END_OF_GAME,
    EVERY_MOVE,
    NONE,
    REPLACING,
    TD,
    VALUES,
    LearningSettings,
)
from evolve_arena.studies.checkers_td.linear_matches import make_meetings, make_participants

TRACES = {"none": NONE, "accumulating": ACCUMULATING, "replacing": REPLACING}
UPDATES = {"every-move": EVERY_MOVE, "end-of-game": END_OF_GAME}
RULES = {"td": TD, "burge": BURGE}
SEQUENCES = {"after": AFTER, "before": BEFORE}


class TdLinearConfig(LearnerConfig):
    """The section ``[method]`` of a recipe."""

    name: Literal["td-linear"] = "td-linear"
    """Which method this is."""
    games: int = Field(default=200, ge=1, le=1_000_000)
    judge: str = "minimax:depth=2,noise=0.2"
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
