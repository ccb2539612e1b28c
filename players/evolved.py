"""Evolved players and their files: vectors of weights, graphs, and other genomes."""

from __future__ import annotations

import reprlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import ArenaError, BadValueError, quote, spell
from evolve_arena.core.game import AnyGame
from evolve_arena.core.html import make_table
from evolve_arena.core.registry import SPIEL, find_game, game_names
from evolve_arena.core.types import Array, Arrays, Json, JsonObject, Position, Settings
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.faults import find_fault
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.ini import to_neat_python
from evolve_arena.genomes.neat.interchange import to_neat_python_genomes
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.tensors import (
    LONGEST_HEADER,
    DamagedFileError,
    NewerFormatError,
    read_blob,
    read_tensors,
    write_tensors,
)
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import CompiledPlayer

if TYPE_CHECKING:
    from neat import Config as NeatPythonConfig
    from neat import DefaultGenome

FORMAT = 1
"""Version of the file format."""


@dataclass(frozen=True)
class Labels:
    """Names of a network's inputs and outputs."""

    planes: Sequence[tuple[str, int, int]]
    """Name, rows and columns of each group of inputs, in order."""
    names: Sequence[str] = ()
    """Name of each input where inputs are not cells; they are then drawn in one column."""
    outputs: Sequence[str] = ()
    """Names of the outputs."""
    last_unit: str = ""
    """Name of the last unit of each hidden layer, if it differs from the others."""


@dataclass(frozen=True)
class Inputs:
    """A network's inputs in a position."""

    values: NDArray[np.float64]
    labels: Labels
    """Names of the values; values beyond those of the planes describe a move."""


class EvolvedPlayer(CompiledPlayer):
    """A player whose genome was evolved or learned; each kind of genome has a subclass.

    Args:
        decoder: Everything but the genome: a dataclass with a ``game``.
        packed: Arrays of the player.
        name: Name in tables.
    """

    kind: ClassVar[str]
    """Name of this kind in files."""
    decoder_type: ClassVar[type[Any]]
    """Class of the decoder."""
    is_shared: ClassVar[bool] = False
    """True if several games share the kind's name; files then always name the game."""
    genome: Any
    """Genome from which the player was made."""
    genome_kind: ClassVar[str]
    """Kind of genome: ``vector``, ``graph`` or ``tuples``; a method breeds players of one kind."""

    def __init__(self, decoder: Any, packed: PackedPlayers, name: str) -> None:
        super().__init__(decoder.game, packed, name)
        self.decoder = decoder
        self.remarks: JsonObject = {}
        """Origin of the player, if it was read from a file."""

    @property
    @abstractmethod
    def arrays(self) -> Arrays:
        """Genome as named arrays."""

    @classmethod
    @abstractmethod
    def read(cls, options: Settings, arrays: Mapping[str, Array], name: str) -> Self:
        """Return the player with a decoder of these *options* and a genome of these *arrays*.

        Args:
            options: Fields of the decoder by name.
            arrays: Genome as named arrays, as in :attr:`arrays`.
            name: Name of the player in tables.

        Raises:
            ArenaError: The arrays do not fit the decoder.
        """

    def network(self) -> Arrays:
        """Return the network as arrays by name; by default those of the genome."""
        return self.arrays

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in self.network().items())
        return f"<{type(self).__name__} {self.name!r} for {self.game.name}: {shapes}>"

    def _repr_html_(self) -> str:
        rows = [(name, array.shape, array.dtype) for name, array in self.network().items()]
        title = f"{self.name}, {self.kind} for {self.game.name}"
        return make_table(title, ["array", "shape", "type"], rows)

    @property
    def labels(self) -> Labels | None:
        """Names of the network's inputs and outputs; None if the decoder has none."""
        if not hasattr(self.decoder, "planes"):
            return None
        names = getattr(self.decoder, "input_names", ())
        last = "known features" if getattr(self.decoder, "shortcut", False) else ""
        outputs = self.decoder.output_names
        return Labels(self.decoder.planes, names, outputs=outputs, last_unit=last)

    def see(self, position: Position) -> Inputs | None:
        """Return the network's inputs in a *position*; None if it is not evaluated there.

        For the head ``action``, they include the features of the move that the player chooses.
        """
        if self.labels is None or not hasattr(self.decoder, "encode"):
            return None
        if self.decoder.head == "action" and hasattr(self.decoder, "encode_move"):
            if not self.game.legal_moves(position):
                return None
            return Inputs(self.decoder.encode_move(position, self.move(position)), self.labels)
        return Inputs(self.decoder.encode(position), self.labels)

    def serialise(self, **remarks: Json) -> bytes:
        """Return the player as a safetensors blob for `evolve_arena.players.evolved.read_player`.

        *remarks*, JSON values that tell the player's origin, are stored with it.
        """
        description = {
            "kind": self.kind,
            "game": self.game.name,
            "decoder": asdict(self.decoder),
            "name": self.name,
            "remarks": remarks,
        }
        return write_tensors("player", FORMAT, self.arrays, description)


class VectorPlayer(EvolvedPlayer):
    """A player whose genome is a vector of weights.

    Args:
        decoder: Structure of the network.
        genome: Weights, shape ``(genes,)``.
        name: Name in tables.
    """

    genome: NDArray[np.float32]
    genome_kind = "vector"

    def __init__(self, decoder: Decoder, genome: NDArray[np.float32], name: str) -> None:
        super().__init__(decoder, decoder.pack(genome[None, :]), name)
        self.genome = genome

    @property
    def arrays(self) -> Arrays:
        """Weights, as ``genome``."""
        return {"genome": self.genome}

    def network(self) -> Arrays:
        """Return the layers: ``weights_1``, shape ``(inputs, units)``, ``biases_1`` and so on.

        Players without layers return the ``genome``.
        """
        mlp = getattr(self.decoder, "mlp", None)
        if mlp is None:
            return self.arrays
        expand = getattr(self.decoder, "expand", lambda genomes: genomes)
        found = {}
        for number, (weights, biases) in enumerate(mlp.layers(expand(self.genome[None])[0]), 1):
            found[f"weights_{number}"] = weights
            found[f"biases_{number}"] = biases
        return found

    @classmethod
    def read(cls, options: Settings, arrays: Mapping[str, Array], name: str) -> Self:
        """Return the player of a stored decoder and its arrays.

        Args:
            options: Fields of the decoder by name.
            arrays: Weights as ``genome`` (``float32``), shape ``(genes,)``.
            name: Name of the player in tables.

        Raises:
            BadValueError: The arrays do not fit the decoder.
        """
        names = [field.name for field in fields(cls.decoder_type) if type(field.default) is tuple]
        lists = {name: tuple(options[name]) for name in names}
        decoder, genome = cls.decoder_type(**{**options, **lists}), arrays["genome"]
        if genome.shape != (decoder.genes,) or genome.dtype != np.float32:
            raise BadValueError(
                f"its weights are {genome.dtype} of shape {genome.shape}, expected float32 of"
                f" shape ({decoder.genes},)"
            )
        return cls(decoder, genome, name)


class NeatPlayer(EvolvedPlayer):
    """A player whose genome is a NEAT graph.

    Args:
        decoder: Meaning of the graph's inputs and outputs.
        genome: Population of this one genome.
        name: Name in tables.
    """

    genome_kind = "graph"

    def __init__(self, decoder: Decoder, genome: NeatPopulation, name: str) -> None:
        super().__init__(decoder, decoder.pack(genome), name)
        self.genome = genome

    def to_neat_python(self) -> tuple[DefaultGenome, NeatPythonConfig]:
        """Return a ``neat.DefaultGenome``, and a ``neat.Config`` for networks of its size.

        ``neat.nn.FeedForwardNetwork.create(genome, config)`` computes the same outputs.

        Raises:
            MissingPackageError: neat-python is not installed.
        """
        chosen: JsonObject = {}
        for kind, names in (("activation", ACTIVATIONS), ("aggregation", AGGREGATIONS)):
            used = tuple(names[code] for code in np.unique(getattr(self.genome, kind)))
            chosen |= {f"{kind}_options": used, f"{kind}_default": used[0]}
        (genome,) = to_neat_python_genomes(self.genome)
        config = to_neat_python(NeatConfig(**chosen), self.decoder.inputs, self.decoder.outputs)
        return genome, config

    @property
    def arrays(self) -> Arrays:
        """Fields of the genome's population, by name."""
        return {field.name: getattr(self.genome, field.name) for field in fields(self.genome)}

    @classmethod
    def read(cls, options: Settings, arrays: Mapping[str, Array], name: str) -> Self:
        """Return the player of a stored decoder and its arrays.

        Args:
            options: Fields of the decoder by name.
            arrays: Fields of a `NeatPopulation` of one genome, by name.
            name: Name of the player in tables.

        Raises:
            DamagedFileError: The arrays hold no genome for that decoder.
        """
        decoder = cls.decoder_type(**options)
        genome = NeatPopulation(**arrays)
        fault = genome.find_fault() or (None if len(genome) == 1 else "it holds no single genome")
        fault = fault or find_fault(genome, 0, decoder.inputs, decoder.outputs, True)
        if fault:
            raise DamagedFileError(f"its genome is invalid: {fault}")
        return cls(decoder, genome, name)


LARGEST = (1 << 29) + LONGEST_HEADER
"""Maximum bytes of a player's file; the largest tuple networks have 2^27 weights."""


def read_player_file(path: Path, name: str | None = None, *, follow: bool = False) -> EvolvedPlayer:
    """Read the player in the file *path*; see :func:`read_player`.

    Args:
        path: File. Its size is checked before memory is taken for it.
        name: Name of the player; by default the one in the file.
        follow: True if *path* may be a symbolic link.

    Raises:
        OSError: The file cannot be read; ``strerror`` tells why.
        ArenaError: The file is too large or not regular; else as :func:`read_player`.
    """
    return read_player(read_blob("player", FORMAT, path, LARGEST, follow=follow), name)


def read_player(blob: bytes, name: str | None = None) -> EvolvedPlayer:
    """Read a player that :meth:`EvolvedPlayer.serialise` wrote.

    Raises:
        DamagedFileError: The blob is no player, or incomplete.
        NewerFormatError: A later version wrote it.
        BadValueError: Its game is unknown.
    """
    # The game, which must be known before its classes can be looked up
    content = read_tensors("player", FORMAT, blob)
    description = content.description
    told = description.get("game")
    if isinstance(told, str) and told.startswith(SPIEL):
        find_game(told)
    elif isinstance(told, str) and told not in game_names():
        raise BadValueError(
            f"it plays {quote(told)}, which is no game here: if that is a file of yours, name it"
            f" {spell('with --game', 'first, with make_game')}"
        )
    # The player; whatever a damaged description makes fail is reported as damage.
    try:
        kind = _find_kind(description)
        _check_numbers(content.arrays)
        player = kind.read(description["decoder"], content.arrays, name or description["name"])
        player.remarks = description["remarks"]
    except (DamagedFileError, NewerFormatError):
        raise
    except (
        ArenaError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        text = " ".join(str(error).split())[:200]
        raise DamagedFileError(f"its description is wrong or incomplete ({text})") from None
    # Types that decoders do not check themselves
    for field in fields(player.decoder):
        value = getattr(player.decoder, field.name)
        if field.default is not MISSING and not isinstance(value, type(field.default)):
            raise DamagedFileError(f"its {field.name} is {reprlib.repr(value)}")
    if description.get("game", player.game.name) != player.game.name:
        raise DamagedFileError(f"it is not of the game {reprlib.repr(description['game'])}")
    if not isinstance(player.name, str) or not isinstance(player.remarks, dict):
        raise DamagedFileError("its name is no text, or its remarks are no section")
    return player


def _find_kind(description: JsonObject) -> type[EvolvedPlayer]:
    """Return the class of the player in a *description*; old files do not name the game."""
    told = str(description.get("game"))
    known = sorted(game_names(), key=lambda name: name != told)
    for game in [told] if told.startswith(SPIEL) else known:
        for kind in find_game(game).networks.values():
            if kind.kind == description["kind"] and (game == told or not kind.is_shared):
                return cast(type[EvolvedPlayer], kind)
    missing = f"{description['kind']!r:.100}"
    raise LookupError(f"{told:.40} has no kind of player {missing}: another version bred it")


def _check_numbers(arrays: Mapping[str, Array]) -> None:
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise DamagedFileError(f"its {name} holds NaN or infinity")


class Decoder(Protocol):
    """A mapping from genomes to players (genotype to phenotype)."""

    @property
    def game(self) -> AnyGame:
        """Game that the players play."""
        ...

    def pack(self, genomes: Any) -> PackedPlayers:
        """Return the arrays of the players that *genomes* encode."""
        ...

    def player(self, genome: Any, name: str) -> EvolvedPlayer:
        """Return the player that one *genome* encodes."""
        ...
