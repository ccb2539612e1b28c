"""The contract of methods: a state in, the next state out.

A method touches no file, no clock and no screen. Its state is one frozen dataclass that
holds everything the future depends on; the fields are arrays, numbers and texts, so that a
checkpoint is nothing but the state. What is random depends on the run's seed, the generation
and a purpose (see :mod:`evolve_arena.core.seeding`), never on what was drawn before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from evolve_arena.arena.arena import Arena
from evolve_arena.genomes.limits import COPIES
from evolve_arena.players.design import Design

__all__ = ["BoardViewConfig", "Config", "Method", "Report", "State"]


class Config(BaseModel):
    """Base of all configurations: unknown keys are errors, and values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BoardViewConfig(Config):
    """What all kinds of networks have in the section ``[network]``; see `BoardView`."""

    head: str = "policy"
    encoding: str = "0/1/2"
    viewpoint: str = "mover"


class State(Protocol):
    """What every method's state has; a method adds its own.

    What is read from a checkpoint must have the types that the fields are annotated with. Whole
    numbers are 0 or more; arrays hold finite numbers, unless ``field(metadata={"finite": False})``
    says that they need not.
    """

    @property
    def seed(self) -> int:
        """The run's seed."""
        ...

    @property
    def generation(self) -> int:
        """How many steps led here."""
        ...

    @property
    def population(self) -> Any:
        """The individuals: an array, or a dataclass of arrays."""
        ...


@dataclass(frozen=True)
class Report:
    """What a step tells about the generation that it played."""

    generation: int
    games: int
    """How many matches were played."""
    statistics: dict[str, float]
    """Figures by name, such as ``best`` and ``median``; the same names at each step."""
    species: dict[int, int] = field(default_factory=dict)
    """How many individuals each species has, by its number; empty where there are none."""


S = TypeVar("S", bound=State)


class Method(ABC, Generic[S]):
    """A way to breed players.

    Args:
        config: The settings, an instance of :attr:`config_type`.
        design: What a genome stands for.
    """

    name: ClassVar[str]
    config_type: ClassVar[type[Config]]
    """The section ``[method]`` of a recipe."""
    network_types: ClassVar[Mapping[str, type[Config]]]
    """The section ``[network]``, for each game that the method can play, by the game's name."""
    section: ClassVar[str | None] = None
    """A field of the settings that has a section of its own beside ``[method]``."""
    state_type: ClassVar[type[Any]]

    def __init__(self, config: Any, design: Any) -> None:
        self.config = config
        self.design = design

    @classmethod
    @abstractmethod
    def make_design(cls, game: Any, network: Any, config: Any) -> Design:
        """What turns genomes into players.

        Args:
            game: What they play.
            network: An instance of the game's :attr:`network_types`.
            config: An instance of :attr:`config_type`.
        """

    @classmethod
    def estimate_bytes(cls, config: Any, design: Any) -> int:
        """How much memory a generation takes, roughly; takes none itself.

        By default that of a population of weight vectors.
        """
        return COPIES * 4 * int(config.individuals) * int(design.genes)

    @abstractmethod
    def initial(self, seed: int) -> S:
        """The state at generation 0."""

    @abstractmethod
    def find_mismatch(self, state: S) -> str | None:
        """Why *state*, read from a file, is not one of this configuration; None if it is."""

    @abstractmethod
    def step(self, state: S, arena: Arena) -> tuple[S, Report]:
        """Plays one generation and breeds the next."""

    @abstractmethod
    def champion(self, state: S, arena: Arena) -> tuple[Any, Report]:
        """The best individual, as the design makes a player of it, and how it was found."""

    @abstractmethod
    def describe(self, state: S) -> dict[str, Any]:
        """What the population is, in a few figures by name, ready for JSON."""
