"""The section ``[variation]``: selection, crossover and mutation."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field, model_validator

from evolve_arena.core.game import Config

OWN_OPERATORS = {"selection": "played-tournament", "crossover": "uniform", "mutation": "gaussian"}
"""The default operators of the method ``tournament``, by key."""


class Operator(Config):
    """An operator by name, with options of its own; a recipe may give the name alone."""

    model_config = ConfigDict(extra="allow", frozen=True)
    name: str
    """One of ours, or a function of ``deap.tools``; the other keys are its arguments."""

    @model_validator(mode="before")
    @classmethod
    def _accept_name(cls, value: object) -> object:
        return {"name": value} if isinstance(value, str) else value

    @property
    def options(self) -> dict[str, Any]:
        """The options of the operator: all keys but the name."""
        return dict(self.model_extra or {})


class VariationConfig(Config):
    """The section ``[variation]`` of the method ``tournament``."""

    selection: Operator = Operator(name="played-tournament")
    """Choice of parents: ``played-tournament``, the winner of each tournament that was played;
    or by fitness, with another of `evolve_arena.evolve.operators.SELECTIONS` or of
    ``deap.tools``."""
    crossover: Operator = Operator(name="uniform")
    """Combination of two parents: ``uniform``, each gene from the second parent with
    ``crossover_probability``; or a crossover of ``deap.tools``, such as ``cxBlend``."""
    mutation: Operator = Operator(name="gaussian")
    """Change of children: ``gaussian``, by ``mutation_probability`` and ``step_size``; or a
    mutation of ``deap.tools``."""
    crossover_probability: float = Field(default=0.35, ge=0.0, le=1.0)
    """p_c: the share of genes that a child has from its second parent."""
    mutation_probability: float = Field(default=0.015, ge=0.0, le=1.0)
    """p_m: the share of genes that get a Gaussian number added."""
    step_size: float = Field(default=1.0, gt=0.0, le=1000.0)
    """σ: the standard deviation of that number; at the start, if it adapts itself."""
    self_adaptive: bool = False
    """true: each individual has a step size of its own, which its children inherit with changes;
    false: all have ``step_size``."""
    step_size_rate: float = Field(default=0.1, gt=0.0, le=10.0)
    """τ: the standard deviation of the logarithm of the factor by which a step size changes; of
    use with ``self_adaptive`` only."""
    min_step_size: float = Field(default=0.01, ge=0.0, le=1000.0)
    """The smallest step size of an individual, 0: no limit; of use with ``self_adaptive`` only."""
    elites: int = Field(default=0, ge=0)
    """Number of individuals, the fittest, that live on unchanged; 0: children replace all."""


class GraphVariationConfig(Config):
    """The section ``[variation]`` of the method ``neat``; ``[neat]`` has the probabilities."""

    selection: Operator = Operator(name="truncation")
    """Choice of parents inside a species. ``truncation``: from the fittest
    ``neat.survival_threshold`` of it. ``tournament``: the fittest of ``tournament_size`` random
    members. Or another of `evolve_arena.evolve.operators.SELECTIONS`, or of ``deap.tools``."""


class MutationConfig(Config):
    """The section ``[variation]`` of the method ``evolutionary-programming``."""

    step_size: float = Field(default=0.05, gt=0.0, le=1000.0)
    """σ: the standard deviation of what is added to a gene, at the start."""
    step_size_rate: float | None = Field(default=None, gt=0.0, le=10.0)
    """τ: the standard deviation of the logarithm of the step sizes' changes; if it is left out,
    1 / sqrt(2 * sqrt(genes))."""
    min_step_size: float = Field(default=0.0, ge=0.0, le=1000.0)
    """The smallest step size of a gene; 0: no limit."""
    selection: Operator = Operator(name="best")
    """Choice of the next parents among parents and children: the ``best``, or those that another
    of `evolve_arena.evolve.operators.SELECTIONS` or of ``deap.tools`` chooses."""
