"""The contract of methods: a state in, the next state out.

A method touches no file, no clock and no screen. Its state is one frozen dataclass that
holds everything the future depends on; the fields are arrays, numbers and texts, so that a
checkpoint is nothing but the state. What is random depends on the run's seed, the generation
and a purpose (see :mod:`evolve_arena.core.seeding`), never on what was drawn before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.core.errors import BadValueError, UnknownNameError, quote
from evolve_arena.core.game import AnyGame, Config, GameSpec, section_of_decoder
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.genomes.limits import COPIES
from evolve_arena.players.evolved import Decoder, EvolvedPlayer


class AnyState:
    """The type of states of an unknown method, with all fields that a checkpoint has."""


class State(Protocol):
    """The common part of all methods' states; a method adds its own.

    States that are read from checkpoints must have the types that the fields are annotated with.
    Whole numbers are 0 or more; arrays hold finite numbers, unless the field has
    ``field(metadata={"finite": False})``.
    """

    @property
    def seed(self) -> int:
        """The run's seed."""
        ...

    @property
    def generation(self) -> int:
        """Number of generations that were bred so far."""
        ...

    @property
    def population(self) -> Any:
        """The individuals: an array, or a dataclass of arrays."""
        ...


@dataclass(frozen=True)
class Report:
    """The report of a step about the generation that it played."""

    generation: int
    games: int
    """Number of matches."""
    statistics: dict[str, float]
    """Figures by name, such as ``best`` and ``median``; the same names at each step."""
    species: dict[int, int] = field(default_factory=dict)
    """Individuals of each species, by its number; empty if there are no species."""
    fitness: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
    """The fitness of each individual that played, shape ``(individuals,)``, for islands; it may be
    NaN, and is None for methods whose individuals don't migrate."""


S = TypeVar("S", bound=State)


class Method(ABC, Generic[S]):
    """Base class of the methods, which breed players.

    Args:
        config: The settings, an instance of :attr:`config_type`.
        decoder: Maker of players from genomes.
    """

    name: str
    config_type: ClassVar[type[Config]]
    """The section ``[method]`` of a recipe."""
    genome_kind: str
    """The kind of genomes; the method plays the games that have networks of this kind."""
    network_kind: ClassVar[str | None] = None
    """The only kind of networks that it can breed, if not all."""
    only_pairs: ClassVar[bool] = False
    """True if its matches are for two, so that it plays no game for more."""
    network_type: ClassVar[type[Config] | None] = None
    """The section ``[network]``, if it is not made from the network's decoder."""
    sections: ClassVar[tuple[str, ...]] = ()
    """Fields of the settings that are sections of their own beside ``[method]``."""
    instead: ClassVar[Mapping[str, str]] = {}
    """Recipe keys of other methods, each with the key of this method that replaces it."""
    meeting: ClassVar[str] = ""
    """Import path of a function that lets players of this method learn while they meet, if it has
    one of its own; see `evolve_arena.runs.many.tournaments.learning`."""
    state_type: type[Any]
    migrates: bool = False
    """True if individuals can be sent to other populations; see `evolve_arena.evolve.islands`."""
    individuals_type: ClassVar[Any] = NDArray[np.float32]
    """The type of the individuals that are sent."""

    island = 0
    """Number of the island, from 0."""

    def __init__(self, config: Any, decoder: Any) -> None:
        self.config = config
        self.decoder = decoder

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the settings alone, from which workers make the method again."""
        return type(self), (self.config, self.decoder), {"island": self.island}

    @classmethod
    def networks(cls, game: GameSpec) -> dict[str, type[EvolvedPlayer]]:
        """Return the networks that it can breed for *game*, by name, the default first."""
        if cls.only_pairs and game.most_seats > 2:
            return {}
        return {
            name: player
            for name, player in game.networks.items()
            if player.genome_kind == cls.genome_kind and cls.network_kind in (None, name)
        }

    @classmethod
    def find_section(cls, name: str) -> type[Config] | None:
        """Return the model of one of :attr:`sections`; None if the method has none such."""
        if name not in cls.sections:
            return None
        section: Any = cls.config_type.model_fields[name].annotation
        return cast(type[Config], section)

    @classmethod
    def network_section(cls, game: GameSpec, content: Settings) -> type[Config]:
        """Return the model of a section ``[network]`` of this *content*.

        Raises:
            UnknownNameError: Its ``kind`` is none of :meth:`networks`.
            BadValueError: That is no text, or a key is one of another kind.
        """
        if cls.network_type:
            return cls.network_type
        networks = cls.networks(game)
        left_out = game.game.rules_type._fields
        several = len(networks) > 1
        decoders: dict[str, Any] = {name: kind.decoder_type for name, kind in networks.items()}
        sections = {
            name: section_of_decoder(decoder, left_out, name if several else "")
            for name, decoder in decoders.items()
        }
        fitting = [
            name for name in sections if content.keys() <= sections[name].model_fields.keys()
        ]
        usual = fitting[0] if fitting else next(iter(networks))  # the first that has all the keys
        chosen = content.get("kind", usual) if several else usual
        if not isinstance(chosen, str):
            raise BadValueError(f"network.kind is {quote(chosen)}: it must be a text")
        if chosen not in networks:
            raise UnknownNameError("kind", chosen, networks)
        for key in content:
            others = [name for name, other in sections.items() if key in other.model_fields]
            if others and chosen not in others:
                raise BadValueError(
                    f"network.{key} is a key of the kind {others[0]!r}, not of {chosen!r}:"
                    " leave it out"
                )
        return sections[chosen]

    @classmethod
    def network_keys(cls, game: GameSpec) -> set[str]:
        """Return all keys that the section ``[network]`` may have."""
        if cls.network_type:
            return set(cls.network_type.model_fields)
        kinds = cls.networks(game)
        sections = (cls.network_section(game, {"kind": kind}) for kind in kinds)
        return {key for section in sections for key in section.model_fields}

    @classmethod
    def make_decoder(cls, game: AnyGame, network: Config, config: Any) -> Decoder:
        """Return the maker of players from genomes.

        Args:
            game: The game that they play.
            network: An instance of the model of :meth:`network_section`.
            config: An instance of :attr:`config_type`.
        """
        networks, options = cls.networks(find_game(game.name)), network.model_dump()
        player = networks[options.pop("kind", next(iter(networks)))]
        decoder: Decoder = player.decoder_type(**game.options, **options)
        return decoder

    @classmethod
    def estimate_bytes(cls, config: Any, decoder: Any) -> int:
        """Estimate the bytes that a generation takes, without allocating them.

        By default these are the bytes of a population of weight vectors.
        """
        return COPIES * 4 * int(config.individuals) * int(decoder.genes)

    @property
    def population_size(self) -> int:
        """Number of individuals; 0 if the settings do not say."""
        return int(getattr(self.config, "individuals", 0))

    def check_ready(self) -> None:
        """Check that a run can begin, for example that packages are installed.

        Raises:
            ArenaError: A run can't begin.
        """

    def report_to(self, reporters: Sequence[Any]) -> None:
        """Report all generations that follow to *reporters* of neat-python.

        Raises:
            BadValueError: There are reporters, but neat-python does not breed.
        """
        if reporters:
            raise BadValueError(
                f"a callback is {quote(type(reporters[0]).__name__)}, which can't be called: only"
                " runs with method.engine = 'neat-python' take reporters of neat-python"
            )

    @abstractmethod
    def initial(self, seed: int) -> S:
        """Return the state at generation 0."""

    def reseed(self, state: S, seed: int) -> S:
        """Return the *state* with another *seed*, from which the rest of the run is random."""
        changed: Any = replace(cast(Any, state), seed=seed)
        return cast(S, changed)

    @abstractmethod
    def find_mismatch(self, state: S) -> str | None:
        """Return the reason why a stored *state* does not fit the configuration, or None."""

    @abstractmethod
    def step(self, state: S, arena: Arena) -> tuple[S, Report]:
        """Play one generation and breed the next."""

    def proceed(self, state: S, arena: Arena, until: int) -> tuple[S, list[Report]]:
        """Breed one generation, or several at once, but not beyond generation *until*.

        Args:
            state: State to go on from.
            arena: Arena for the matches, which counts them.
            until: Number of the last generation to reach, later than that of the state.

        Returns:
            The last state, and a report about each generation that was played.
        """
        after, report = self.step(state, arena)
        return after, [report]

    def emigrants(self, state: S, rows: NDArray[np.int64]) -> Any:
        """Return copies of the individuals in these *rows*, to be sent to another population."""
        return state.population[rows]

    def immigrate(self, state: S, rows: NDArray[np.int64], immigrants: Any) -> S:
        """Return the state in which *immigrants* replace the individuals in these *rows*.

        Args:
            state: State of the population that they join.
            rows: Rows of the individuals that give way, all different, shape ``(immigrants,)``.
            immigrants: As many individuals in the form that :meth:`emigrants` gives them, in the
                order of *rows*.
        """
        population = state.population.copy()
        population[rows] = immigrants
        changed: Any = replace(cast(Any, state), population=population)
        return cast(S, changed)

    def candidates(self, state: S) -> Any:
        """Return the individuals as they would play, the best first if that is known."""
        return state.population

    def enter(self, state: S, individuals: Any) -> S:
        """Return the initial *state* with *individuals* of other runs in the first places.

        Raises:
            BadValueError: The method takes none.
        """
        population = state.population.copy()
        population[: len(individuals)] = individuals
        changed: Any = replace(cast(Any, state), population=population)
        return cast(S, changed)

    def find_fitness(self, state: S, arena: Arena) -> NDArray[np.float64]:
        """Return the fitness of each individual, shape ``(individuals,)``, without breeding.

        Raises:
            NotImplementedError: Its individuals don't migrate.
        """
        raise NotImplementedError

    @abstractmethod
    def champion(self, state: S, arena: Arena) -> tuple[Any, Report]:
        """Return the best individual, ready for the decoder, and a report of its matches."""

    def find_best(self, state: S, arena: Arena) -> tuple[Any, Report]:
        """Return the best of the champions of islands, and a report of its matches."""
        return self.champion(state, arena)

    @abstractmethod
    def describe(self, state: S) -> JsonObject:
        """Return figures of the population by name, ready for JSON."""


AnyMethod: TypeAlias = Method[Any]
"""A method of which only the contract is known, not its state."""
