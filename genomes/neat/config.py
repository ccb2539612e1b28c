"""The settings of NEAT: neat-python's keys, of all sections together, each with a default.

The defaults are those of neat-python's own example of exclusive-or, except for the activation.
:mod:`evolve_arena.genomes.neat.ini` reads a configuration file of neat-python.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from evolve_arena.core.errors import UnknownNameError
from evolve_arena.core.types import Json
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS

CONNECTIONS = (
    "unconnected",
    "fs_neat",
    "fs_neat_nohidden",
    "fs_neat_hidden",
    "full",
    "full_nodirect",
    "full_direct",
    "partial",
    "partial_nodirect",
    "partial_direct",
)
"""The kinds of ``initial_connection``; the last three need a fraction: ``partial_direct 0.5``."""

MEANINGLESS = {
    "fitness_criterion": "the champion is found by matches; use the recipe's checks",
    "fitness_threshold": "the length of a run is the recipe's run.generations",
    "no_fitness_termination": "the length of a run is the recipe's run.generations",
    "seed": "the seed of a run is the recipe's run.seed",
    "num_inputs": "it follows from the board and the encoding",
    "num_outputs": "it follows from the game and the head",
}
"""Keys of neat-python without a meaning here, and what to use instead."""

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Deviation = Annotated[float, Field(ge=0.0, le=1e6)]
Amount = Annotated[float, Field(ge=-1e6, le=1e6)]
Coefficient = Annotated[float, Field(ge=0.0, le=1e6)]
Distribution = Literal["gaussian", "uniform"]

TRUE, FALSE, RANDOM = ("1", "on", "yes", "true"), ("0", "off", "no", "false"), ("none", "random")


class NeatConfig(BaseModel):
    """The settings of NEAT: initial genomes, mutation, distances, species and reproduction.

    Texts are read as neat-python does: ``"True"`` for a truth value, and options in one text,
    separated by spaces.

    >>> config = NeatConfig(pop_size=300, activation_options="tanh relu", enabled_default="True")
    >>> config.activation_options, config.enabled_default
    (('tanh', 'relu'), True)
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    pop_size: int = Field(default=150, ge=2, le=100_000)
    """Number of genomes in the population."""
    reset_on_extinction: bool = True
    """True to start a new random population when no species is left."""

    feed_forward: bool = True
    """True to forbid cycles of connections; with cycles, networks are recurrent and have a
    memory."""
    num_hidden: int = Field(default=0, ge=0, le=10_000)
    """Number of hidden nodes at the start; they have the same keys in all genomes."""
    initial_connection: str = "full_direct"
    """Initial connections. ``unconnected``: none. ``fs_neat_nohidden``: one random input with all
    outputs; ``fs_neat_hidden``: with all hidden nodes, too. ``full_direct``: all inputs with all
    hidden nodes and outputs; ``full_nodirect``: with outputs only through hidden nodes, if there
    are any. ``partial_direct 0.5`` and ``partial_nodirect 0.5``: a random half of the same.
    ``fs_neat``, ``full``, ``partial`` alone mean ``_nohidden`` and ``_nodirect``."""
    compatibility_disjoint_coefficient: Coefficient = 1.0
    """Contribution of each disjoint gene to the distance of two genomes."""
    compatibility_weight_coefficient: Coefficient = 0.5
    """Contribution of a difference of 1 between matching genes to the distance of two genomes."""
    conn_add_prob: Share = 0.5
    """Probability that a child gets a new connection."""
    conn_delete_prob: Share = 0.5
    """Probability that a child loses a connection."""
    node_add_prob: Share = 0.2
    """Probability that a connection of a child is split by a new node."""
    node_delete_prob: Share = 0.2
    """Probability that a child loses a hidden node, with its connections."""
    single_structural_mutation: bool = False
    """True to allow a child at most one structural mutation."""
    structural_mutation_surer: Literal["default", "true", "false"] = "default"
    """``true`` to replace an impossible structural mutation by a possible one: an existing
    connection is enabled, and a connection is added if there is none to split. ``default``: the
    value of ``single_structural_mutation``."""

    bias_init_mean: Amount = 0.0
    """Mean of new biases."""
    bias_init_stdev: Deviation = 1.0
    """Standard deviation of new biases; 0: all are the mean."""
    bias_init_type: Distribution = "gaussian"
    """Distribution of new biases: ``gaussian``, or ``uniform`` within two standard deviations of
    the mean."""
    bias_replace_rate: Share = 0.1
    """Probability that a bias is replaced by a new one; at most 1 - ``bias_mutate_rate`` takes
    effect."""
    bias_mutate_rate: Share = 0.7
    """Probability that a Gaussian number is added to a bias."""
    bias_mutate_power: Deviation = 0.5
    """Standard deviation of the number that is added to a bias."""
    bias_max_value: Amount = 30.0
    """Largest bias; biases above are set to it."""
    bias_min_value: Amount = -30.0
    """Smallest bias; biases below are set to it."""

    response_init_mean: Amount = 1.0
    """Mean of new responses; a response is the factor of the sum of a node's inputs."""
    response_init_stdev: Deviation = 0.0
    """Standard deviation of new responses; 0: all are the mean."""
    response_init_type: Distribution = "gaussian"
    """Distribution of new responses: ``gaussian``, or ``uniform`` within two standard deviations of
    the mean."""
    response_replace_rate: Share = 0.0
    """Probability that a response is replaced by a new one; at most 1 - ``response_mutate_rate``
    takes effect."""
    response_mutate_rate: Share = 0.0
    """Probability that a Gaussian number is added to a response."""
    response_mutate_power: Deviation = 0.0
    """Standard deviation of the number that is added to a response."""
    response_max_value: Amount = 30.0
    """Largest response; responses above are set to it."""
    response_min_value: Amount = -30.0
    """Smallest response; responses below are set to it."""

    weight_init_mean: Amount = 0.0
    """Mean of new weights."""
    weight_init_stdev: Deviation = 1.0
    """Standard deviation of new weights; 0: all are the mean."""
    weight_init_type: Distribution = "gaussian"
    """Distribution of new weights: ``gaussian``, or ``uniform`` within two standard deviations of
    the mean."""
    weight_replace_rate: Share = 0.1
    """Probability that a weight is replaced by a new one; at most 1 - ``weight_mutate_rate`` takes
    effect."""
    weight_mutate_rate: Share = 0.8
    """Probability that a Gaussian number is added to a weight."""
    weight_mutate_power: Deviation = 0.5
    """Standard deviation of the number that is added to a weight."""
    weight_max_value: Amount = 30.0
    """Largest weight; weights above are set to it."""
    weight_min_value: Amount = -30.0
    """Smallest weight; weights below are set to it."""

    activation_default: str = "tanh"
    """Activation of a new node: one of the options, or ``random``."""
    activation_options: tuple[str, ...] = ("tanh",)
    """Activations of nodes; see `evolve_arena.genomes.neat.functions.ACTIVATIONS`."""
    activation_mutate_rate: Share = 0.0
    """Probability that a node's activation is redrawn from the options."""
    aggregation_default: str = "sum"
    """Aggregation of the inputs of a new node: one of the options, or ``random``."""
    aggregation_options: tuple[str, ...] = ("sum",)
    """Aggregations of nodes; see `evolve_arena.genomes.neat.functions.AGGREGATIONS`."""
    aggregation_mutate_rate: Share = 0.0
    """Probability that a node's aggregation is redrawn from the options."""

    enabled_default: Literal[True, False, "random"] = True
    """True if new connections are enabled; ``random``: by a coin toss."""
    enabled_mutate_rate: Share = 0.01
    """Probability that a coin toss decides anew if a connection is enabled."""
    enabled_rate_to_true_add: float = Field(default=0.0, ge=-1.0, le=1.0)
    """Number added to ``enabled_mutate_rate`` for a disabled connection."""
    enabled_rate_to_false_add: float = Field(default=0.0, ge=-1.0, le=1.0)
    """Number added to ``enabled_mutate_rate`` for an enabled connection."""

    compatibility_threshold: Coefficient = 3.0
    """Distance from which on genomes are of different species."""
    species_fitness_func: Literal["max", "min", "mean", "median", "median2"] = "max"
    """Fitness of a species as a function of its members' fitness (``median2`` is ``median``)."""
    max_stagnation: int = Field(default=20, ge=1, le=1_000_000)
    """Generations without improvement after which a species dies out."""
    species_elitism: int = Field(default=2, ge=0, le=100_000)
    """Number of species, the fittest, that never die out by stagnation."""
    elitism: int = Field(default=2, ge=0, le=100_000)
    """Number of genomes, the fittest of each species, that survive unchanged."""
    survival_threshold: Share = 0.2
    """Share of a species, the fittest, that has children."""
    min_species_size: int = Field(default=2, ge=1, le=100_000)
    """Fewest genomes of a species."""

    @property
    def connection_kind(self) -> str:
        """The kind in ``initial_connection``, without its fraction."""
        return self.initial_connection.split()[0]

    @property
    def connection_fraction(self) -> float:
        """The share of possible connections at the start; 1.0 if none is given."""
        parts = self.initial_connection.split()
        return float(parts[1]) if len(parts) > 1 else 1.0

    @property
    def surer(self) -> bool:
        """The value of ``structural_mutation_surer`` with its default resolved."""
        if self.structural_mutation_surer == "default":
            return self.single_structural_mutation
        return self.structural_mutation_surer == "true"

    @model_validator(mode="before")
    @classmethod
    def _refuse_meaningless_keys(cls, values: Json) -> Json:
        for key in values if isinstance(values, dict) else ():
            reason = explain_meaningless(str(key))
            if reason:
                raise ValueError(f"{key} has no meaning here: {reason}")
        return values

    @field_validator("activation_options", "aggregation_options", mode="before")
    @classmethod
    def _split_options(cls, value: Json) -> Json:
        return tuple(value.split()) if isinstance(value, str) else value

    @field_validator("activation_options", "aggregation_options")
    @classmethod
    def _know_options(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        known = ACTIVATIONS if info.field_name == "activation_options" else AGGREGATIONS
        if not value:
            raise ValueError("it must name at least one")
        for name in value:
            if name not in known:
                kind = str(info.field_name).removesuffix("_options")
                raise ValueError(str(UnknownNameError(kind, name, known)))
        return value

    @field_validator("activation_default", "aggregation_default")
    @classmethod
    def _spell_random(cls, value: str) -> str:
        return "random" if value.lower() in RANDOM else value

    @field_validator("bias_init_type", "response_init_type", "weight_init_type", mode="before")
    @classmethod
    def _spell_distribution(cls, value: Json) -> Json:
        """Read a distribution as neat-python does: ``gauss`` or ``normal`` in it mean Gaussian."""
        text = str(value).lower()
        if "gauss" in text or "normal" in text:
            return "gaussian"
        return "uniform" if "uniform" in text else value

    @field_validator("enabled_default", mode="before")
    @classmethod
    def _spell_enabled(cls, value: Json) -> Json:
        text = str(value).lower()
        if text in RANDOM:
            return "random"
        return text in TRUE if text in TRUE + FALSE else value

    @field_validator("structural_mutation_surer", mode="before")
    @classmethod
    def _spell_surer(cls, value: Json) -> Json:
        text = str(value).lower()
        if text in TRUE:
            return "true"
        return "false" if text in FALSE else text

    @field_validator("initial_connection")
    @classmethod
    def _know_connection(cls, value: str) -> str:
        kind, *fractions = value.split() or [""]
        if kind not in CONNECTIONS:
            raise ValueError(str(UnknownNameError("initial connection", kind, CONNECTIONS)))
        if not kind.startswith("partial"):
            if fractions:
                raise ValueError(f"only partial connections have a fraction, not {kind!r}")
            return kind
        try:
            (fraction,) = [float(text) for text in fractions]
        except ValueError:
            fraction = -1.0
        if not 0.0 <= fraction <= 1.0:
            raise ValueError(f"it wants a fraction from 0 to 1, such as '{kind} 0.5'")
        return f"{kind} {fraction}"

    @model_validator(mode="after")
    def _fit_together(self) -> NeatConfig:
        for name in ("bias", "response", "weight"):
            self._check_number(name)
        for name in ("activation", "aggregation"):
            default, options = getattr(self, f"{name}_default"), getattr(self, f"{name}_options")
            if default != "random" and default not in options:
                raise ValueError(
                    f"{name}_default is {default!r}, which {name}_options lacks: "
                    f"name one of them ({', '.join(options)}) or 'random'"
                )
        for key in ("elitism", "min_species_size"):
            if getattr(self, key) > self.pop_size:
                raise ValueError(
                    f"{key} is {getattr(self, key)}, more than pop_size, {self.pop_size}"
                )
        return self

    def _check_number(self, name: str) -> None:
        lowest, highest = getattr(self, f"{name}_min_value"), getattr(self, f"{name}_max_value")
        mean = getattr(self, f"{name}_init_mean")
        deviation = getattr(self, f"{name}_init_stdev")
        if lowest > highest:
            raise ValueError(f"{name}_min_value is {lowest}, above {name}_max_value, {highest}")
        if getattr(self, f"{name}_init_type") == "uniform" and (
            mean + 2 * deviation < lowest or mean - 2 * deviation > highest
        ):
            raise ValueError(
                f"{name}_init_mean is {mean}, so far from {name}_min_value, {lowest}, or "
                f"{name}_max_value, {highest}, that no number can be drawn"
            )


def explain_meaningless(key: str) -> str | None:
    """Explain why *key* of neat-python has no meaning here; return None if it has one."""
    if key.startswith("time_constant_"):
        return "only networks in continuous time have time constants; leave it out"
    return MEANINGLESS.get(key)
