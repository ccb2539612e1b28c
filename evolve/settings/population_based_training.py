"""The settings of the method ``population-based-training``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from evolve_arena.core.game import Config

GENES = ("learning_rate", "trace_decay", "exploration", "random_starts")
"""The settings of learning that are genes, in the order of the columns of arrays of them."""


class GenesConfig(Config):
    """The section ``[method.genes]``: the settings of learning that individuals begin with."""

    learning_rate: float = Field(default=0.002, gt=0.0, le=10.0)
    """The learning rate: of tuple networks the share of its error by which a table entry moves, of
    multilayer perceptrons the factor of 1 / units of the layer before, such as 0.3."""
    trace_decay: float = Field(default=0.8, gt=0.0, lt=1.0)
    """λ: the share of a temporal difference that reaches one move farther back."""
    exploration: float = Field(default=0.1, gt=0.0, lt=1.0)
    """ε: the share of moves that are played at random."""
    random_starts: float = Field(default=0.8, gt=0.0, lt=1.0)
    """Share of games that begin with random moves."""
    fixed: tuple[Literal["learning_rate", "trace_decay", "exploration", "random_starts"], ...] = ()
    """Genes that do not mutate."""


class AnnealingConfig(Config):
    """The section ``[method.schedule]``: a factor of all individuals' learning rates."""

    final: float = Field(default=0.1, gt=0.0, le=1.0)
    """Factor of the learning rates at the end of the schedule; it falls from 1 linearly."""
    generations: int = Field(default=1000, ge=1)
    """Generations until the end of the schedule."""

    def find_factor(self, generation: int) -> float:
        """Return the factor of learning rates in a *generation*."""
        return 1.0 + (self.final - 1.0) * min(1.0, generation / self.generations)


class TuplesConfig(Config):
    """The section ``[method.tuples]``: replacement of single tuples, if weights recombine."""

    every: int = Field(default=20, ge=1, le=1_000_000)
    """Generations between two replacements of tuples."""
    replaced: float = Field(default=0.0, ge=0.0, le=0.5)
    """Share of the tuples, those that contribute least, that are replaced by mutants of those that
    contribute most; 0: the first tuples remain."""
    crossed: float = Field(default=0.1, ge=0.0, le=0.5)
    """Share of the tuples that give way to the best tuples of an immigrant, with their weights; for
    ``[islands]``."""


class GeneVariationConfig(Config):
    """The section ``[variation]``: how the genes of a child come from its parents'."""

    crossover_probability: float = Field(default=0.5, ge=0.0, le=1.0)
    """p_c: the share of genes that a child has from its second parent."""
    step_size: float = Field(default=0.1, ge=0.0, le=10.0)
    """σ: the standard deviation of what is added to the logarithm of a gene, or of p / (1 - p) if
    it is a share p."""


class PopulationBasedTrainingConfig(Config):
    """The section ``[method]`` of the method ``population-based-training``."""

    name: Literal["population-based-training"] = "population-based-training"
    """The name of this method."""
    individuals: int = Field(default=4, ge=2, le=1000)
    """Individuals, each with weights and genes."""
    games: int = Field(default=2000, ge=1, le=1_000_000)
    """Games that each individual plays against itself, and learns from, in a generation."""
    match_games: int = Field(default=40, ge=2, le=100_000)
    """Games of each individual against the others after that, which decide its rank; they begin
    with random openings, and colours are balanced."""
    tournament_size: int = Field(default=2, ge=1, le=1000)
    """Individuals that meet in one tournament; its winner becomes a parent; 1: chance alone."""
    inheritance: Literal["recombined", "lamarck", "baldwin"] = "recombined"
    """Weights of children. ``recombined``: all begin with the same ones, to which each individual
    contributes what it learned, weighted by its rank. ``lamarck``: what the first parent has
    learned. ``baldwin``: what the first parent began with."""
    selection_pressure: float = Field(default=1.5, ge=1.0, lt=2.0)
    """Weight of the fittest individual in recombination; that of the last one is 2 minus this, the
    others lie between in equal steps; 1: all count alike."""
    averaging: float = Field(default=0.05, gt=0.0, le=1.0)
    """Weight of each generation in the running mean of the weights, with which champions play; 1:
    no averaging."""
    start_plies: int = Field(default=10, ge=1, le=1000)
    """The most random moves that a game begins with, if it does."""
    genes: GenesConfig = GenesConfig()
    """The settings of learning that individuals begin with."""
    schedule: AnnealingConfig = AnnealingConfig()
    """A factor of all individuals' learning rates, which falls with the generations."""
    tuples: TuplesConfig = TuplesConfig()
    """Replacement of single tuples of a tuple network."""
    variation: GeneVariationConfig = Field(default=GeneVariationConfig(), exclude=True)
    """The section ``[variation]``."""

    @model_validator(mode="after")
    def _fit_together(self) -> PopulationBasedTrainingConfig:
        if self.tournament_size > self.individuals:
            raise ValueError(
                f"tournament_size is {self.tournament_size}, more than the {self.individuals}"
                " individuals"
            )
        return self
