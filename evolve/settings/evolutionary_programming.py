"""The settings of the method ``evolutionary-programming``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from evolve_arena.evolve.settings.matches import BreederConfig, MatchesConfig
from evolve_arena.evolve.settings.variation import MutationConfig


class ProgrammingMatchesConfig(MatchesConfig):
    """The section ``[matches]`` of a recipe."""

    opponents: int = Field(default=5, ge=1, le=10_000)
    """Opponents that each parent and each child draws at random, and meets moving first; on average
    as many others draw it."""
    draw_points: float = Field(default=0.0, ge=-100.0, le=1.0)
    """Points for a draw, a win being 1; not less than for a loss."""
    loss_points: float = Field(default=-2.0, ge=-100.0, lt=1.0)
    """Points for a loss."""
    score: Literal["sum", "mean"] = "sum"
    """Figure that is compared: the points of all matches together, or their mean. An individual
    that is drawn more often has more matches to win, and to lose, points in."""
    training_depths: tuple[int, ...] = ()
    """Search depths, in plies, of the matches among individuals, one for each generation in turn;
    none: the same depth as elsewhere. Shallow searches cost little, and what they
    teach helps deep ones. Even ones end before own moves and odd ones before the opponent's, so
    what is good for the one need not be for the other: two in turn teach both."""

    @model_validator(mode="after")
    def _order_points(self) -> ProgrammingMatchesConfig:
        if self.draw_points < self.loss_points:
            raise ValueError(
                f"draw_points is {self.draw_points}: a draw must not count less than a loss"
                f" ({self.loss_points})"
            )
        return self


class EvolutionaryProgrammingConfig(BreederConfig):
    """The section ``[method]`` of a recipe."""

    name: Literal["evolutionary-programming"] = "evolutionary-programming"
    individuals: int = Field(default=15, ge=2, le=10_000)
    """Parents; each has one child in a generation."""
    initialisation: str = "uniform:0.2"
    """Distribution of the first weights; see `evolve_arena.genomes.mlp.INITIALISATIONS`.
    ``uniform:0.2`` draws them from -0.2 to 0.2."""
    champion: Literal["best", "mean"] = "best"
    """Player that a run yields: the best of the parents, or one with the mean of their genes, in
    which much of what each got by chance cancels out. That makes sense once all have ancestors
    in common, which takes some tens of generations."""
    matches: ProgrammingMatchesConfig = Field(default=ProgrammingMatchesConfig(), exclude=True)
    """The section ``[matches]``."""
    variation: MutationConfig = Field(default=MutationConfig(), exclude=True)
    """The section ``[variation]``."""
