"""Decoders for any compiled board game: networks, NEAT graphs and tuple networks."""

from __future__ import annotations

from dataclasses import dataclass, fields, make_dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import comb
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.game import make_once
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Settings
from evolve_arena.genomes.dense import pack_dense
from evolve_arena.genomes.encoding import Encoding
from evolve_arena.genomes.limits import check_sizes
from evolve_arena.genomes.mlp import MLP, Genomes, share_genes
from evolve_arena.genomes.neat.graph import compile_graphs
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.network import SHAPE_FIELDS
from evolve_arena.genomes.tuple_entries import (
    AGAIN,
    BY_SEAT,
    ENTRIES,
    FIELDS,
    FIRST_AT,
    READINGS,
    SPAN,
    STAGES,
    STARTS_AT,
    TURNS,
)
from evolve_arena.genomes.tuples import (
    Cells,
    TuplePopulation,
    TupleTable,
    list_systematic,
    random_walks,
    walk_neighbours,
)
from evolve_arena.players.board.game import Board, BoardGame, GameFileError
from evolve_arena.players.board.stacks import (
    NEXT,
    STATES,
    list_tuples,
    number_entries,
    show_entries,
)
from evolve_arena.players.board.workspace import (
    ACTION,
    BINS,
    DENSE,
    ENCODING,
    FEATURES,
    HEAD,
    INPUTS,
    KINDS_HEAD,
    POLICY,
    RECORD_FIELDS,
    SCRIPT,
    SETTING,
    SLOTS,
    TAKES_WINS,
    TERMS,
    UNMASKED,
    VALUE,
    plane_words,
    search_fields,
)
from evolve_arena.players.evolved import EvolvedPlayer, NeatPlayer, VectorPlayer
from evolve_arena.players.packed import (
    COLUMNS_AT,
    GRAPH,
    KIND,
    NETWORK,
    NUMBERS_AT,
    WEIGHTS_AT,
    PackedPlayers,
)
from evolve_arena.players.tuples import TupleDecoder, TuplePlayer, explain_too_large

HEADS = {"value": VALUE, "policy": POLICY, "action": ACTION, "kinds": KINDS_HEAD}
NO_SEARCH = {
    "policy": "a policy",
    "action": "a network that values moves",
    "kinds": "a network that chooses kinds of moves",
}
"""Descriptions of players whose heads give a search no values."""
ENCODINGS = ("planes", "signed", "numbered", "features")
OPPOSING = {"signed": -1, "numbered": 2}
"""Input for the opponent's pieces in encodings in which 1 stands for own pieces."""
SMALL = 1 / 256
"""Factor that scales the sum on the shortcut past hidden layers to where activations are nearly
linear: a sum of 10 loses at most a thousandth in each layer."""
PASSING = {"tanh": (1.0, 0.0, 0.0), "sigmoid": (4.0, -2.0, 0.0), "relu": (1.0, 0.0, 1.0)}
"""Inverse of each activation near 0: a factor, a summand, and an offset of the input in the first
layer that keeps it above 0."""
MAX_NUMBERS = 2**27
"""Maximum weights of a tuple network, which take half a gibibyte."""
DEFAULT_MEMORY = 2**23
"""Maximum weights of a tuple network for the default length."""
MAX_BITS = 2**15 - 1
"""Maximum number of bits that tuples can choose from."""


def make_networks(game: type[BoardGame]) -> dict[str, type[EvolvedPlayer]]:
    """Return the kinds of evolved players of a *game* by name: ``mlp``, ``graph``, ``tuples``.

    Boards with a symmetry also have ``lines``.

    Raises:
        BadValueError: An option of the game has the name of an attribute of networks.
    """
    from evolve_arena.players.board.line_tuples import LineTupleDecoder

    kinds: dict[str, tuple[type[BoardDecoder], type[EvolvedPlayer]]] = {
        "mlp": (NetworkDecoder, VectorPlayer),
        "graph": (GraphDecoder, NeatPlayer),
        "tuples": (BoardTupleDecoder, TuplePlayer),
    }
    if game().symmetry:
        kinds["lines"] = LineTupleDecoder, VectorPlayer
    return {name: _make_kind(game, name, *kind) for name, kind in kinds.items()}


def _restore(game: str, network: str, told: Settings) -> BoardDecoder:
    """Restore a pickled decoder; see `BoardDecoder`."""
    decoder: BoardDecoder = find_game(game).networks[network].decoder_type(**told)
    return decoder


def _make_kind(
    game: type[BoardGame], name: str, base: type[BoardDecoder], player: type[EvolvedPlayer]
) -> type[EvolvedPlayer]:
    """Return a class of players whose decoders have the options of *game* as fields."""
    # The decoder: the base class and a field for each option
    defaults = game.rules_type._field_defaults
    for key in defaults:
        if hasattr(base, key):
            raise BadValueError(f"no option of {game.name} can be called {key}: networks have that")
    fields: list[tuple[str, type[int], object]] = [
        (key, int, value) for key, value in defaults.items()
    ]
    if base is BoardTupleDecoder:
        fields.append(("length", int, find_length(find_reading(game()))))
    space = {"game_type": game, "network_name": name, "__doc__": base.__doc__}
    title = f"{game.__name__}{base.__name__}"
    decoder: Any = make_dataclass(title, fields, bases=(base,), frozen=True, namespace=space)
    decoder.__module__ = __name__
    # The player with that decoder; each refers to the other.
    members = {"decoder_type": decoder, "is_shared": True}
    members |= {"__doc__": player.__doc__, "__module__": __name__}
    if player is not TuplePlayer:
        members["kind"] = {"graph": "neat"}.get(name, name)
    decoder.player_type = type(f"{game.__name__}{player.__name__}", (player,), members)
    made: type[EvolvedPlayer] = decoder.player_type
    return made


@dataclass(frozen=True)
class BoardDecoder:
    """Common part of decoders: the game, whose options :func:`make_networks` adds as fields."""

    game_type: ClassVar[type[BoardGame]]
    network_name: ClassVar[str]
    """Name of the kind in `GameSpec.networks`."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the game's name and the fields: the class is made anew in each process."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        return _restore, (self.game_type.name, self.network_name, told)

    depth: int = 0
    """Plies of alpha-beta search over the network's values, up to 12; 0: none, only its moves."""
    rollouts: int = 0
    """Rollouts of Monte Carlo tree search for each move, by values or a policy; 0: none."""

    def _find_search(self, head: str = "value") -> dict[int, int]:
        """Return the fields of records for the search over the values, or the policy, of a *head*.

        Raises:
            BadValueError: The search is out of range, or the rules or the head forbid it.
        """
        if not (self.depth or self.rollouts):
            return {}
        # Reasons against a search: the head, then the rules of the game
        what = NO_SEARCH.get(head, "")
        if self.depth:
            reason = f"{what} has no values for a search" if what else ""
            reason = reason or self.game.why_no_search
        else:
            lacks = head in ("action", "kinds")
            reason = f"{what} has no values for a search" if lacks else ""
            reason = reason or (self.game.why_no_values if head == "value" else "")
            reason = reason or self.game.why_no_rollouts
        if reason:
            raise BadValueError(f"{'depth' if self.depth else 'rollouts'}: {reason}")
        depth, rollouts = self.depth or None, self.rollouts or None
        return search_fields(self.game.code, depth=depth, rollouts=rollouts)

    @cached_property
    def game(self) -> BoardGame:
        """Game that the player plays."""
        names = self.game_type.rules_type._fields
        game: BoardGame = make_once(self.game_type, {name: getattr(self, name) for name in names})
        return game


@dataclass(frozen=True)
class Observation(BoardDecoder):
    """Meaning of a network's inputs and outputs.

    Raises:
        UnknownNameError: There is no such head or encoding.
        BadValueError: A setting does not fit the game.
    """

    player_type: ClassVar[type[EvolvedPlayer]]

    head: str = "value"
    """Meaning of the outputs. ``value``: one output, the value of a state after a move. ``policy``:
    an output for each move; the highest legal one is played. ``action``: one output, the value of a
    legal move by the features of the file's ``describe_move``, in addition to the inputs for the
    state. ``kinds``: an output for each kind of moves in the file's ``KINDS``; the scripted player
    *script* chooses among moves of the highest legal kind."""
    encoding: str = "planes"
    """Encoding of the inputs. ``planes``: an input for each cell and plane. ``signed``: an input
    for each cell and kind of piece, 1 for own pieces and -1 for the opponent's. ``numbered``: the
    same with 2 for the opponent's. ``features``: the numbers of the file's function
    ``features``."""
    take_wins: bool = True
    """True if a move that wins at once is always played; for the head ``value``, in games without
    guesses at hidden information."""
    features: int = 0
    """Number of the file's features to read, from the first on; 0: all. For the encoding
    ``features``, if the function heeds the length of its array."""
    bins: int = 0
    """Number of one-hot inputs of each feature, for its values from 0 to ``bins - 1``, the last one
    also for higher values; 0: its value is the input. For the encoding ``features``."""
    script: str = ""
    """Scripted player of the game's file, by its name in ``evolve players``, that chooses moves for
    the head ``kinds``; its setting also applies to features. Empty: the first one."""
    masked: bool = True
    """True if only legal kinds of moves can be chosen, for the head ``kinds``; if not, choosing
    another one forfeits the game."""

    def __post_init__(self) -> None:
        for kind, name, known in (
            ("head", self.head, HEADS),
            ("encoding", self.encoding, ENCODINGS),
        ):
            if name not in known:
                raise UnknownNameError(kind, name, known)
        for name in ("take_wins", "masked"):
            if not isinstance(getattr(self, name), bool):
                raise BadValueError(f"{name} is {getattr(self, name)!r}: it must be true or false")
        if not self.masked and self.head != "kinds":
            raise BadValueError("masked is false: that is for the head 'kinds'")
        self._find_search(self.head)
        # The encoding and the head must fit the game.
        code = self.game.code
        by_pieces = self.encoding in OPPOSING
        if by_pieces and (code.SEATS > 2 or code.PLANES != 2 * code.PIECES):
            raise BadValueError(
                f"encoding is {self.encoding!r}: only for games of two players in which networks"
                " see nothing but pieces"
            )
        for key, name, count in (
            ("encoding", "features", self.game.code.FEATURE_COUNT),
            ("head", "action", self.game.code.MOVE_FEATURE_COUNT),
        ):
            if getattr(self, key) == name and not count:
                function = "features" if key == "encoding" else "describe_move"
                raise BadValueError(
                    f"{key} is {name!r}: only for games whose file has a function {function}; that"
                    f" of {self.game.name} has none"
                )

        if self.head == "kinds" and not code.HAS_KINDS:
            raise BadValueError(
                f"head is 'kinds': only for games whose file names KINDS of moves; that of"
                f" {self.game.name} does not"
            )
        _ = self._scripted
        self._check_features()

    @cached_property
    def _scripted(self) -> tuple[int, int]:
        """Number of the scripted player that chooses, and its setting.

        Raises:
            BadValueError: There is none of that name, or it rejects the setting.
        """
        name, _, told = self.script.partition(":")
        if not name:
            return 0, 0
        # Names as in specifications; the text after a colon is the setting.
        known = [each.replace("_", "-") for each in self.game.scripts]
        if name not in known:
            raise UnknownNameError("script", name, known)
        try:
            number = known.index(name)
            if (
                self.head == "kinds"
                and "kind" not in self.game.asks[list(self.game.scripts)[number]]
            ):
                raise BadValueError("it has no parameter kind")
            return number, self.game.read_setting(told)
        except BadValueError as error:
            raise BadValueError(f"script is {self.script!r}: {error}") from None

    def _check_features(self) -> None:
        """Check that the file has the features to read.

        Raises:
            BadValueError: It does not.
        """
        # Range of both settings, then a trial of the function with fewer features
        for name, least, most in (("features", 1, self.game.code.FEATURE_COUNT), ("bins", 2, 1024)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise BadValueError(f"{name} is {value!r}: it must be a whole number")
            if value and self.encoding != "features":
                raise BadValueError(f"{name} is {value}: that is for the encoding 'features'")
            if value and not least <= value <= most:
                raise BadValueError(f"{name} is {value}: it must be 0, or from {least} to {most}")
        if self.features:
            try:
                self.game.count("features", self.game.initial(), 0, many=self.features)
            except GameFileError:
                raise BadValueError(
                    f"features is {self.features}: the file's function features must then write so"
                    " many numbers, as len(out) tells"
                ) from None

    @property
    def is_dense(self) -> bool:
        """True if the inputs of an MLP are real numbers, not only bits."""
        return self.encoding == "features" or self.head == "action"

    @cached_property
    def board(self) -> Encoding:
        """Mapping of the observed bits to inputs."""
        # Observed bits are numbered by plane and cell; those of cells that are not drawn have none.
        code = self.game.code
        plane_bits = 64 * plane_words(code)
        features = np.arange(plane_bits * code.PLANES)
        plane, cell = np.divmod(features, plane_bits)
        rank = np.full(plane_bits, -1)
        rank[self.game.drawn] = np.arange(len(self.game.drawn))
        used = rank[cell] >= 0
        # In an encoding by pieces, both players' bits of a kind lead to the same input.
        other = OPPOSING.get(self.encoding, 1)
        kinds = code.PIECES if self.encoding in OPPOSING else code.PLANES
        inputs = len(self.game.drawn) * kinds
        index = np.where(used, plane % kinds * len(self.game.drawn) + rank[cell], -1)
        factor = np.where(used, np.where(plane < kinds, 1, other), 0)
        return Encoding(inputs, index, factor, inputs)

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        code = self.game.code
        seen = self.counted * max(self.bins, 1) if self.counted else self.board.inputs
        return int(seen + code.MOVE_FEATURE_COUNT * (self.head == "action"))

    @property
    def counted(self) -> int:
        """Number of features to read; 0 if the inputs are no features."""
        return int(self.features or self.game.code.FEATURE_COUNT) * (self.encoding == "features")

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        code = self.game.code
        names = {"policy": "MOVES", "kinds": "KIND_COUNT"}
        return int(getattr(code, names[self.head])) if self.head in names else 1

    @property
    def planes(self) -> list[tuple[str, int, int]]:
        """Name, rows and columns of each plane of inputs."""
        planes: list[tuple[str, int, int]] = self.game.planes
        if self.encoding in OPPOSING:
            names = [name for name, *_ in planes[: self.game.code.PIECES]]
            names = ["own pieces"] if len(names) == 1 else names
            other = f"{OPPOSING[self.encoding]}".replace("-", "−")
            planes = [(f"{name} as 1, the opponent's as {other}", *planes[0][1:]) for name in names]
        if self.encoding == "features":
            planes = [("features", self.counted, max(self.bins, 1))]
        if self.head == "action":
            planes = [*planes, ("the move", int(self.game.code.MOVE_FEATURE_COUNT), 1)]
        return planes

    @property
    def input_names(self) -> list[str]:
        """Names of the inputs, where none of them is a cell."""
        if self.encoding != "features":
            return []
        told = self.game.name_features("MOVE_FEATURES") if self.head == "action" else []
        names = self.game.name_features("FEATURES")[: self.counted]
        if self.bins:
            values = [*map(str, range(self.bins - 1)), f"{self.bins - 1} or more"]
            names = [f"{name}: {value}" for name in names for value in values]
        return names + told

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        moves = range(self.outputs)
        if self.head == "kinds":
            return list(self.game.plain["KINDS"])
        return list(map(self.game.format_move, moves)) if self.head == "policy" else ["value"]

    def encode(self, position: Board) -> NDArray[np.float64]:
        """Return the inputs for a *position*, as observed by the player to move.

        Returns:
            Inputs in one dimension, without the features of a move that the head ``action`` adds.
        """
        seat = self.game.to_move(position)
        if self.encoding == "features":
            told = {"many": self.counted, "setting": self._scripted[1]}
            counts = self.game.count("features", position, seat, **told)
            if not self.bins:
                return counts.astype(np.float64)
            places = np.clip(counts, 0, self.bins - 1).astype(np.int64)
            return np.eye(self.bins)[places].ravel()
        bits = self.game.observe(position, seat)[..., self.game.drawn].astype(np.float64)
        half = len(bits) // 2
        if self.encoding in OPPOSING:
            bits = bits[:half] + OPPOSING[self.encoding] * bits[half:]
        return bits.ravel()

    def encode_move(self, position: Board, move: int) -> NDArray[np.float64]:
        """Return all inputs for a *move* in a *position* (head ``action``), shape ``(inputs,)``."""
        given = position, move, self.game.to_move(position)
        told = self.game.count("describe_move", *given, setting=self._scripted[1])
        return np.concatenate([self.encode(position), told.astype(np.float64)])

    def player(self, genome: Any, name: str) -> EvolvedPlayer:
        """Return the player that one *genome* encodes."""
        player: EvolvedPlayer = self.player_type(self, genome, name)
        return player

    def record(self, individuals: int, kind: int) -> NDArray[np.int64]:
        """Return records of players of a *kind*, without the offsets of their weights."""
        seats = np.zeros((individuals, RECORD_FIELDS), dtype=np.int64)
        seats[:, KIND], seats[:, HEAD] = kind, HEADS[self.head]
        takes = self.take_wins and self.head == "value" and not self.game.code.HAS_GUESS
        seats[:, TAKES_WINS] = takes
        seats[:, INPUTS] = self.inputs
        seats[:, ENCODING] = FEATURES if self.encoding == "features" else 0
        seats[:, BINS] = self.bins
        seats[:, SCRIPT], seats[:, SETTING] = self._scripted
        seats[:, UNMASKED] = not self.masked
        for field, number in self._find_search(self.head).items():
            seats[:, field] = number
        return seats

    @property
    def inputs_of_bits(self) -> NDArray[np.int32]:
        """Input of each observed bit, and the number that it adds; shape ``(bits, 2)``."""
        if self.encoding == "features":
            return np.zeros((0, 2), dtype=np.int32)
        pairs = np.stack([np.maximum(self.board.index, 0), self.board.factor], axis=1)
        return pairs.astype(np.int32)


@dataclass(frozen=True)
class NetworkDecoder(Observation):
    """Decoder of weight vectors: everything of an MLP but its weights."""

    grows: ClassVar[tuple[str, ...]] = ("hidden",)
    """Fields in which a smaller network may differ that :meth:`embed` takes."""

    hidden: tuple[int, ...] = (32,)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "relu"
    """Activation of the hidden units: ``sigmoid``, ``tanh`` or ``relu``."""
    symmetric: bool = False
    """True if a position has the same value as its images by the file's SYMMETRY: genes are shared,
    so that there are about half as many, or with ``all`` an eighth. For the head ``value``."""

    shortcut: bool = False
    """True if the file's known values of planes or features (``PLANE_VALUES``, ``FEATURE_VALUES``)
    are added to the output, past the hidden layers."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("symmetric", "shortcut"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise BadValueError(f"{name} is {value!r}: it must be true or false")
        if self.symmetric:
            self._check_symmetric()
        if self.shortcut:
            if self.symmetric or not self.hidden:
                raise BadValueError("shortcut is for networks with hidden layers, not symmetric")
            _ = self._known
        check_sizes(self.mlp.sizes)

    def _check_symmetric(self) -> None:
        """Check that a network of this kind can be symmetric.

        Raises:
            BadValueError: It cannot.
        """
        if self.game.symmetry in ("", "none") or len(self.game.drawn) < self.game.grid.size:
            raise BadValueError(
                f"symmetric is true, but the file of {self.game.name} declares no SYMMETRY"
            )
        if self.head != "value" or self.encoding == "features":
            raise BadValueError(
                f"symmetric is for networks that value the cells they see, not for head"
                f" {self.head!r} and encoding {self.encoding!r}"
            )

    @cached_property
    def mlp(self) -> MLP:
        """Structure of the network that plays."""
        hidden = tuple(units + self.shortcut for units in self.hidden)
        return MLP(self.inputs, hidden, self.outputs, self.activation)

    @cached_property
    def _own_mlp(self) -> MLP:
        """Structure without the units of the shortcut."""
        return MLP(self.inputs, self.hidden, self.outputs, self.activation)

    @property
    def genes(self) -> int:
        """Number of genes of an individual."""
        return len(self._shared[1]) if self.symmetric else self._own_mlp.genes

    @cached_property
    def _shared(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sharing of genes by symmetry; see :func:`share_genes`."""
        # Each distinct symmetry permutes the inputs; the output stays.
        cells = find_views(self.game)
        cells = cells[np.sort(np.unique(cells, axis=0, return_index=True)[1])]
        planes = np.arange(0, self.inputs, self.game.grid.size)
        inputs = planes[None, :, None] + cells[:, None, :]
        # Numbers beside the board stay as they are
        board = self.game.board_planes
        inputs[:, board:] = inputs[:1, board:]
        inputs = inputs.reshape(len(cells), -1)
        return share_genes(self.mlp, inputs, np.zeros((len(cells), 1), dtype=np.int64))

    def initialise(self, individuals: int, name: str, rng: np.random.Generator) -> Genomes:
        """Return a random population; see :meth:`MLP.initialise`.

        Args:
            individuals: Number of individuals.
            name: Initialisation as in :meth:`MLP.initialise`, such as ``uniform:0.5``. Without
                hidden layers also ``known``: the file's values of planes or features; ``known:0.1``
                adds Gaussian noise of that standard deviation.
            rng: Source of random numbers.

        Raises:
            BadValueError: The file has no such values, or the deviation is not positive.
            UnknownNameError: There is no such initialisation.
        """
        kind, _, text = name.partition(":")
        if kind == "known" and not self.hidden:
            genomes = np.zeros((individuals, self.genes), dtype=np.float32)
            if text:
                genomes += self._own_mlp.initialise(individuals, f"normal:{text}", rng)
            genomes[:, : self.inputs] += self._known.astype(np.float32)
        else:
            genomes = self._own_mlp.initialise(individuals, name, rng)
        return genomes[:, self._shared[1]] if self.symmetric else genomes

    def embed(self, genomes: Genomes, smaller: NetworkDecoder, base: Genomes) -> Genomes:
        """Return genomes of these networks with the outputs of smaller ones; see `MLP.embed`.

        Args:
            genomes: Genomes of the smaller networks, shape ``(individuals, smaller.genes)``.
            smaller: Their decoder, which differs in ``hidden`` alone.
            base: Random genomes, shape ``(individuals, genes)``.

        Raises:
            BadValueError: The smaller networks are no part of these.
        """
        if not self.symmetric:
            return self._own_mlp.embed(genomes, smaller._own_mlp, base)
        whole = self.mlp.embed(smaller.expand(genomes), smaller.mlp, self.expand(base))
        embedded = whole[:, self._shared[1]]
        if not np.array_equal(self.expand(embedded), whole):
            raise BadValueError(
                f"hidden is {list(smaller.hidden)}: symmetric networks grow from layers of a"
                " multiple of the number of symmetries"
            )
        return embedded

    @cached_property
    def _known(self) -> NDArray[np.float64]:
        """Value that the file gives each input (``PLANE_VALUES`` or ``FEATURE_VALUES``).

        Raises:
            BadValueError: The file has none, or the head is not ``value``.
        """
        name = "FEATURE_VALUES" if self.encoding == "features" else "PLANE_VALUES"
        if name not in self.game.plain or self.head != "value":
            raise BadValueError(
                f"known values, for a shortcut or first weights, are for networks of head 'value'"
                f" in games whose file says {name}"
            )
        values = np.zeros(self.counted or len(self.planes))
        told = np.array(self.game.plain[name], dtype=float)[: len(values)]
        values[: len(told)] = told
        if self.encoding != "features":
            return np.repeat(values, len(self.game.drawn))
        return np.multiply.outer(values, np.arange(self.bins) if self.bins else 1.0).ravel()

    def expand(self, genomes: Genomes) -> Genomes:
        """Return all weights of the networks of *genomes*, shape ``(individuals, mlp.genes)``.

        Raises:
            BadValueError: *genomes* do not have the shape ``(individuals, genes)``.
        """
        if genomes.ndim != 2 or genomes.shape[1] != self.genes:
            raise BadValueError(
                f"genomes have shape {genomes.shape}, expected (individuals, {self.genes})"
            )
        if self.shortcut:
            fixed, places = self._passed
            weights = np.tile(fixed, (len(genomes), 1))
            weights[:, places] += genomes
            return weights
        return genomes[:, self._shared[0]] if self.symmetric else genomes

    @cached_property
    def _passed(self) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Weights of the shortcut, and the place of each gene among all weights.

        The last unit of each hidden layer passes on the sum of known values, scaled so far down
        that activations are practically linear.
        """
        slope, lowering, raising = PASSING[self.activation]
        fixed = np.zeros(self.mlp.genes, dtype=np.float32)
        places, at, last = [], 0, len(self.hidden)
        # Layer by layer: fix the weights of the last unit, and list the places of all others.
        for layer, (before, after) in enumerate(pairwise(self.mlp.sizes)):
            inside = np.arange(at, at + (before + 1) * after).reshape(before + 1, after)
            at += inside.size
            if layer == 0:  # known values, scaled down, and an offset for ReLU
                fixed[inside[:-1, -1]], fixed[inside[-1, -1]] = SMALL * self._known, raising
            else:  # the inverse of the activation; the last layer scales up again
                down = lowering - raising * (layer == last)
                scale = 1.0 / SMALL if layer == last else 1.0
                fixed[inside[-2:, -1]] = scale * slope, scale * down
                inside = np.delete(inside, before - 1, axis=0)
            places.append((inside if layer == last else inside[:, :-1]).ravel())
        return fixed, np.concatenate(places)

    def pack(self, genomes: Genomes) -> PackedPlayers:
        """Return the arrays of the players of *genomes*, shape ``(individuals, genes)``.

        Raises:
            BadValueError: They have another shape.
        """
        seats, order = self.record(len(genomes), NETWORK), np.arange(len(genomes))
        genomes = self.expand(genomes)
        # Dense networks have float weights; others integer columns for each bit, then weights.
        if self.is_dense:
            seats[:, KIND] = DENSE
            columns, weights = self.inputs_of_bits, pack_dense(self.mlp, genomes)
        else:
            columns, weights = self.mlp.pack(genomes, self.board)
            seats[:, COLUMNS_AT] = order * columns[0].size
        seats[:, WEIGHTS_AT] = order * weights.shape[1]
        numbers = np.zeros(0, dtype=np.float64)
        return PackedPlayers(
            seats, self.mlp.shape[None, :], columns.ravel(), weights.ravel(), numbers
        )


@dataclass(frozen=True)
class GraphDecoder(Observation):
    """Decoder of NEAT genomes: everything of a player but its graph."""

    why_feed_forward: ClassVar[str] = (
        "players are asked about single positions, as searches and exported bots are, so graphs"
        " remember nothing"
    )

    def pack(self, genomes: NeatPopulation) -> PackedPlayers:
        """Return the arrays of the players of *genomes*."""
        graphs = compile_graphs(genomes, self.inputs, self.outputs, True)
        bits, seats = self.inputs_of_bits, self.record(len(genomes), GRAPH)
        seats[:, COLUMNS_AT] = bits.size + graphs.structure_at
        seats[:, NUMBERS_AT] = graphs.numbers_at
        seats[:, SLOTS], seats[:, TERMS] = graphs.slots, graphs.terms
        return PackedPlayers(
            seats,
            np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
            np.concatenate([bits.ravel(), graphs.structure]),
            np.zeros(0, dtype=np.float32),
            graphs.numbers,
        )


class Reading(NamedTuple):
    """Mapping of observed bits to the *contents* of a tuple network's cells.

    A bit that is set adds ``1 + kind_step * plane`` to the content of cell
    ``plane_step * plane + bit_step * bit``.
    """

    cells: int
    """Number of cells."""
    kinds: int
    """Number of contents of a cell, from 0 on."""
    bits: tuple[int, ...]
    """Bits of each plane that count."""
    planes: int
    """Number of planes, the first ones, that count."""
    plane_step: int
    bit_step: int
    kind_step: int


def find_reading(game: BoardGame, contents: int = 0) -> Reading:
    """Return the mapping by which tuple networks read observations of a *game*.

    Where bits are cells (``SYMMETRY``), a cell's content is the number of the plane with a bit
    there; numbers beside the board are no cells. Where all planes are numbers (``PLANE_NUMBERS``),
    each is a cell, whose content is the number of its bits that are set and count. Otherwise each
    bit is a cell of its own.

    Args:
        game: The game.
        contents: Contents of a number; see :attr:`BoardTupleDecoder.contents`.
    """
    planes, cells = int(game.code.PLANES), int(game.code.CELLS)
    every = tuple(range(cells))
    if game.stacks:
        return Reading(game.grid.size, planes + 2, every, planes, 0, 1, 1)
    if game.symmetry:
        return Reading(cells, game.board_planes + 1, every, game.board_planes, 0, 1, 1)
    if game.highest_number:
        bits = choose_bits(game.highest_number, contents)
        return Reading(planes, len(bits) + 1, bits, planes, 1, 0, 0)
    return Reading(planes * cells, 2, every, planes, cells, 1, 0)


def choose_bits(highest: int, contents: int) -> tuple[int, ...]:
    """Return the bits that count, of numbers up to *highest* with so many different *contents*.

    The steps between them grow from 1 on as in a geometric sequence. With 0 contents all count.

    >>> choose_bits(25, 8)
    (0, 1, 2, 3, 5, 9, 15)
    """
    if contents == 0:
        return tuple(range(highest))
    bits: list[int] = []
    for number in np.geomspace(1, highest, contents)[:-1]:
        bits.append(max(bits[-1] + 1 if bits else 0, round(float(number)) - 1))
    return tuple(bits)


def name_contents(read: Reading) -> tuple[str, ...]:
    """Return the names of the contents of numbers: 0, 1, ... or ranges such as 9-11.

    >>> name_contents(Reading(1, 4, (0, 1, 4), 1, 1, 0, 0))
    ('0', '1', '2-4', '5+')
    """
    firsts = [0, *(bit + 1 for bit in read.bits)]
    pairs = pairwise(firsts)
    names = [str(first) if after == first + 1 else f"{first}-{after - 1}" for first, after in pairs]
    last = str(firsts[-1])
    return (*names, last if len(read.bits) == read.bits[-1] + 1 else f"{last}+")


def find_length(read: Reading) -> int:
    """Return the default length of tuples: the longest whose weights fit DEFAULT_MEMORY."""
    longest = min(10 if read.kinds == 2 else 6, read.cells)
    fitting = (
        length for length in range(2, longest + 1) if 60 * read.kinds**length <= DEFAULT_MEMORY
    )
    return max(fitting, default=1)


@dataclass(frozen=True)
class BoardTupleDecoder(BoardDecoder, TupleDecoder):
    """Decoder of tuple networks: the board, and the choice of shapes."""

    tuples: int = 60
    """Number of tuples; with `systematic` of those that are added to the systematic ones."""
    length: int = 6
    """Cells of a tuple: a random walk on the board; or drawn at random, where networks see numbers
    or single bits instead of a board."""
    systematic: bool = False
    """True if every straight line and every rectangle of `length` cells of a board is a tuple."""
    counts: bool = False
    """True if the number of pieces of each kind counts, too, and each number beside a board: all
    have weights."""
    stages: int = 1
    """Number of stages of a game, for each of which tuples have separate weights: by the number of
    pieces on the board, in equal ranges, useful where the value of a position changes as a board
    fills. Where the file's PLANE_NUMBERS lists numbers beside a board, by their sum: 0, 1 and so
    on, the last stage for higher sums, too."""
    turns: bool = False
    """True if tuples have separate weights for positions in which the same player moves again;
    useful where that happens."""
    by_seat: bool = False
    """True if tuples have separate weights for afterstates of each seat; useful where the value of
    a position depends on the seat."""
    symmetric: bool = True
    """True if a tuple also reads its images by the file's SYMMETRY, with the same weights."""
    contents: int = 0
    """Number of contents that tuples tell apart where the file's PLANE_NUMBERS shows numbers: small
    numbers one by one, larger ones by ranges, which grow; 0: every number. Tables are smaller."""

    def __post_init__(self) -> None:
        most = self.game.highest_number + 1
        if self.contents and most < 2:
            raise BadValueError(
                f"contents is {self.contents}: the file of {self.game.name} shows no PLANE_NUMBERS"
                + " without a board" * bool(self.game.numbers_beside)
            )
        if self.contents and not 2 <= self.contents <= most:
            raise BadValueError(f"contents is {self.contents}: it must be 0, or from 2 to {most}")
        for name in ("turns", "by_seat", "symmetric", "systematic", "counts"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise BadValueError(f"{name} is {value!r}: it must be true or false")
        if self.turns and self.by_seat:
            raise BadValueError("by_seat is true: then turns must be false")
        if self.systematic and not self.has_board:
            raise BadValueError(
                f"systematic is true, but the file of {self.game.name} declares no SYMMETRY of a"
                " board, on which lines and rectangles could lie"
            )
        most, reason = self.most_pieces, f"the most pieces on a board of {self.game.name}"
        if self.game.numbers_beside:
            most, reason = most + 1, f"as the numbers of {self.game.name} sum to at most {most}"
        if not 1 <= self.stages <= most:
            raise BadValueError(f"stages is {self.stages}: it must be from 1 to {most}, {reason}")
        fitting = -(-(self.most_pieces + 1) // self.span)
        if fitting < self.stages:
            raise BadValueError(
                f"stages is {self.stages}: stages of {self.span} numbers of pieces, from 0 to"
                f" {self.most_pieces}, are only {fitting}; write network.stages={fitting}"
            )
        self._find_search()
        super().__post_init__()

    @cached_property
    def reading(self) -> Reading:
        """Mapping of observed bits to contents of cells."""
        return find_reading(self.game, self.contents)

    @property
    def cells(self) -> int:
        """Number of cells from which tuples are chosen."""
        return self.reading.cells

    @property
    def most_pieces(self) -> int:
        """The most pieces on a board, or bits that are set of what networks see.

        With numbers beside the board it is their highest sum, as these make the stages.
        """
        if self.game.numbers_beside:
            return sum(self.game.numbers_beside)
        return self.cells if self.has_board else int(self.game.code.PLANES * self.game.code.CELLS)

    @property
    def count_weights(self) -> int:
        """Number of weights, of each side, for numbers of pieces, those of a plane side by side."""
        return self.counts * int(self.game.code.PLANES * (self.game.code.CELLS + 1))

    @property
    def span(self) -> int:
        """Width of the range of numbers of pieces that makes a stage; the first one begins at 0."""
        if self.game.numbers_beside:
            return 1
        return -(-(self.most_pieces + 1) // self.stages)

    @property
    def stage_planes(self) -> int:
        """Index of the plane from which bits make the stage: 0, or the first number's plane."""
        return self.game.board_planes if self.game.numbers_beside else 0

    @property
    def places(self) -> NDArray[np.int64]:
        """Bit of each cell by plane, and the change that sets it; shape ``(planes, cells, 2)``."""
        code = self.game.code
        plane_bits = 64 * plane_words(code)
        bits = np.add.outer(plane_bits * np.arange(code.PLANES), self.game.grid.ravel())
        return np.stack([bits, np.zeros_like(bits)], axis=2)

    @property
    def has_board(self) -> bool:  # type: ignore[override]
        """True if the game declares the symmetry of its board."""
        return bool(self.game.symmetry)

    @property
    def planes(self) -> list[tuple[str, int, int]]:
        """Planes that networks see; with stacks also the cells to be filled next."""
        planes = list(self.game.planes[: self.game.board_planes])
        return [*planes, (STATES[1], *self.game.grid.shape)] if self.game.stacks else planes

    @property
    def states(self) -> tuple[str, ...]:
        """States of a cell: planes, or else numbers."""
        if self.game.stacks:
            return (STATES[0], *(name for name, _, _ in self.planes))
        return super().states if self.has_board else name_contents(self.reading)

    @property
    def views(self) -> NDArray[np.int64]:
        """Images of the cells under the symmetries of the board, shape ``(views, cells)``."""
        if not (self.has_board and self.symmetric):
            return np.arange(self.cells)[None]
        return find_views(self.game)

    def find_cell(self, cell: int) -> int:
        """Return the index of a *cell* among those that are drawn; -1 if it is not."""
        if not self.has_board:
            return cell
        place, drawn = int(self.game.grid.flat[cell]), self.game.drawn
        return drawn.index(place) if place in drawn else -1

    def find_input(self, cell: int, state: int) -> int:
        """Return the index, over all planes, of the highest bit set for a *state* above 0."""
        read = self.reading
        if read.kind_step:
            return (state - 1) * len(self.game.drawn) + self.find_cell(cell)
        if self.game.highest_number:
            return cell * int(self.game.code.CELLS) + read.bits[state - 1]
        return cell

    def read_cells(self, position: Board) -> tuple[int, NDArray[np.int64]]:
        """Return the index in :attr:`sides`, and the cells as observed by the player to move."""
        read, game = self.reading, self.game
        if game.stacks:
            return self._read_stacks(position)
        # Each set bit adds to the content of its cell.
        counted = np.array(read.bits)
        seen = game.observe(position, game.to_move(position))[: read.planes, counted]
        planes, places = np.nonzero(seen)
        contents = np.zeros(read.cells, dtype=np.int64)
        cells = read.plane_step * planes + read.bit_step * counted[places]
        np.add.at(contents, cells, 1 + read.kind_step * planes)
        side = game.to_move(position) if self.by_seat else int(self.turns)
        return self._find_side(side, position), contents

    def _find_side(self, side: int, position: Board) -> int:
        """Return the index in :attr:`sides` of a *side* at the stage of a *position*."""
        seen = self.game.observe(position, self.game.to_move(position))
        seen = seen[self.stage_planes :]
        return side * self.stages + min(int(seen.sum()) // self.span, self.stages - 1)

    def _read_stacks(self, position: Board) -> tuple[int, NDArray[np.int64]]:
        """Return the result of :meth:`read_cells` for a board with stacks."""
        seat, grid = self.game.to_move(position), self.game.grid
        own, other = self.game.observe(position, seat)[:, grid].astype(np.int64)
        contents = own + 2 * other
        for column in contents.T:  # rows are numbered from the top
            empty = np.flatnonzero(column == 0)
            column[empty[-1:]] = NEXT
        return self._find_side(seat * self.by_seat, position), contents.ravel()

    @property
    def sides(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the separate weights, by turn or seat, and stage; an empty one without any."""
        sides: tuple[str, ...] = ("",)
        if self.by_seat:
            sides = tuple(f"after a move of seat {seat + 1}" for seat in range(self.game.seats))
        elif self.turns:
            sides = "the other moves", "moves again"
        if self.stages == 1:
            return sides
        # The last stage has room for all that are left
        firsts = [self.span * stage for stage in range(self.stages)]
        lasts = [*(first - 1 for first in firsts[1:]), self.most_pieces]
        names = [f"{first} to {last} pieces" for first, last in zip(firsts, lasts, strict=True)]
        if self.game.numbers_beside:
            sums = [*map(str, firsts[:-1]), f"{firsts[-1]} or more"]
            names = [f"numbers sum to {told}" for told in sums]
        return tuple(f"{side}, {name}" if side else name for side in sides for name in names)

    def list_entries(self, cells: Cells) -> NDArray[np.int64]:
        """Return the contents of *cells* for each entry, shape ``(entries, cells)``.

        Without stacks, an entry's index has the contents as digits, the first cell's the lowest.
        """
        if self.game.stacks:
            return show_entries(cells.astype(np.int64), self.game.grid.shape)
        count = self.reading.kinds
        return np.arange(count ** len(cells))[:, None] // count ** np.arange(len(cells)) % count

    def draw(self, rng: np.random.Generator) -> Cells:
        """Draw the shapes of one individual, shape ``(tuples, length)``.

        Raises:
            BadValueError: The board has too few cells for tuples of that length.
        """
        cells = self.cells
        if self.game.symmetry:
            rows, columns = self.game.grid.shape
            if neighbours := self.game.neighbours:
                walks = walk_neighbours(neighbours, self.tuples, self.length, rng)
            else:
                walks = random_walks(rows, columns, self.tuples, self.length, rng)
            if not self.systematic:
                return walks
            listed = list_systematic(rows, columns, self.length, find_views(self.game))
            if len(listed) + len(walks) == 0:
                raise BadValueError(
                    f"length is {self.length}: a board of {columns} by {rows} has neither lines nor"
                    " rectangles of so many cells, and tuples is 0"
                )
            return np.concatenate([listed, walks])
        if not 1 <= self.length <= cells <= MAX_BITS:
            raise BadValueError(
                f"length is {self.length}: tuples read from 1 to {min(cells, MAX_BITS):,} of the"
                f" {cells:,} numbers or bits that {self.game.name} shows"
            )
        # No tuple comes twice before each has come once.
        some: list[NDArray[np.int64]] = []
        seen: set[frozenset[int]] = set()
        while len(some) < self.tuples:
            drawn = rng.permutation(cells)[: self.length]
            if (chosen := frozenset(drawn.tolist())) not in seen:
                some.append(drawn)
                seen.add(chosen)
            if len(seen) == comb(cells, self.length):
                seen.clear()
        return np.array(some, dtype=np.int16)

    def pack(self, genomes: TuplePopulation) -> PackedPlayers:
        """Return the arrays of the players of *genomes*; they take wins at once, as in learning."""
        packed = super().pack(genomes)
        packed.seats[:, TAKES_WINS] = not self.game.code.HAS_GUESS
        for field, number in self._find_search().items():
            packed.seats[:, field] = number
        return packed

    def table(self, cells: Cells) -> TupleTable:
        """Return the table by which tuples of *cells* read the board and its images."""
        return _make_table(cells.astype(np.int16).tobytes(), cells.shape, self)


@lru_cache(maxsize=64)
def _make_table(flat: bytes, shape: tuple[int, int], decoder: BoardTupleDecoder) -> TupleTable:
    tuples, views = np.frombuffer(flat, dtype=np.int16).reshape(shape), decoder.views

    def count(length: int) -> int:
        if not decoder.game.stacks:
            entries = int(decoder.reading.kinds**length)
            return decoder.tuple_shape[0] * entries * len(decoder.sides)
        cut = tuples[:, :length].astype(np.int64)
        each = (number_entries(cells, decoder.game.grid.shape)[1] for cells in cut)
        return sum(each) * len(decoder.sides)

    # The size comes first, as a table that is too large could not be built.
    if count(shape[1]) > MAX_NUMBERS:
        raise explain_too_large(decoder.tuple_shape, MAX_NUMBERS, count)
    # The structure: a head, then for each bit its readings and the change of each by a set bit.
    find = _read_stacks if decoder.game.stacks else _read_cells
    members, comes, first, numbers = find(tuples, decoder)
    readings, first = len(tuples) * len(views), np.repeat(first, len(views))
    if decoder.counts:  # a reading for each plane, to which each of its bits adds 1
        planes, cells = int(decoder.game.code.PLANES), int(decoder.game.code.CELLS)
        plane_bits = len(members) // planes
        members = [np.append(each, readings + b // plane_bits) for b, each in enumerate(members)]
        comes = [np.append(come, 1) for come in comes]
        first = np.append(first, numbers + (cells + 1) * np.arange(planes))
        readings, numbers = readings + planes, numbers + decoder.count_weights
    if decoder.stages > 1:  # the number of pieces, or the sum of the numbers beside the board
        begin = decoder.stage_planes * 64 * plane_words(decoder.game.code)
        for bit in range(begin, len(members)):
            members[bit] = np.append(members[bit], readings)
            comes[bit] = np.append(comes[bit], 1)
        first = np.append(first, 0)
    # A cleared bit takes back what a set bit adds.
    deltas = [sign * come for come in comes for sign in (1, -1)]
    starts = np.cumsum([0, *map(len, members)])
    parts = [starts, np.concatenate(members), np.concatenate(deltas), first]
    head = np.zeros(FIELDS)
    turns = BY_SEAT if decoder.by_seat else AGAIN * decoder.turns
    head[[READINGS, ENTRIES, TURNS]] = readings, numbers, turns
    head[[STAGES, SPAN]] = decoder.stages * (decoder.stages > 1), decoder.span
    head[STARTS_AT : FIRST_AT + 1] = np.cumsum([FIELDS, *map(len, parts[:-1])])
    structure = np.concatenate([head, *parts]).astype(np.int32)
    return TupleTable(structure, readings, numbers * len(decoder.sides))


Found = tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], NDArray[np.int64], int]
"""For each bit the readings, pairs of a tuple and an image of the board, that depend on it, and the
numbers that it adds to their entries; the first entry of each tuple; and the number of entries."""


def _read_cells(tuples: Cells, decoder: BoardTupleDecoder) -> Found:
    """Return the readings of tuples whose cells have independent contents."""
    code, read = decoder.game.code, decoder.reading
    powers = read.kinds ** np.arange(tuples.shape[1], dtype=np.int64)
    places = decoder.views[:, tuples]  # (symmetries, tuples, length)
    readings = places.swapaxes(0, 1).reshape(-1, tuples.shape[1])
    members, comes = [], []
    for plane in range(code.PLANES):
        # A bit concerns each reading that has its cell, as the digit of the cell's place there.
        for bit in range(64 * plane_words(code)):
            is_cell = plane < read.planes and bit in read.bits
            cell = read.plane_step * plane + read.bit_step * bit if is_cell else -1
            reading, place = np.nonzero(readings == cell)
            members.append(reading)
            comes.append((1 + read.kind_step * plane) * powers[place])
    entries = int(read.kinds ** tuples.shape[1])
    return members, comes, np.arange(len(tuples)) * entries, len(tuples) * entries


def _read_stacks(tuples: Cells, decoder: BoardTupleDecoder) -> Found:
    """Return the readings of tuples with stacks; see `evolve_arena.players.board.stacks`."""
    code, grid, views = decoder.game.code, decoder.game.grid, decoder.views
    plane_bits = 64 * plane_words(code)
    found: list[list[tuple[int, int]]] = [[] for _ in range(2 * plane_bits)]
    listed, numbers = list_tuples(tuples, grid.shape)
    # Each term of a tuple concerns the images of its cell, in the reading of that view.
    for number, (_, terms) in enumerate(listed):
        for cell, *adds in terms:
            for view, images in enumerate(views):
                for plane, add in enumerate(adds):
                    bit = plane * plane_bits + grid.ravel()[images[cell]]
                    found[bit].append((number * len(views) + view, add))
    # For each bit an array of readings, and one of numbers to add
    columns = [np.array(pairs, dtype=np.int64).reshape(-1, 2).T for pairs in found]
    members, comes = ([pair[k] for pair in columns] for k in range(2))
    return members, comes, np.array([first for first, _ in listed]), numbers


def find_views(game: BoardGame) -> NDArray[np.int64]:
    """Return the images of the grid's cells under its symmetries, shape ``(views, cells)``."""
    if not game.symmetry:
        return np.arange(game.grid.size)[None]
    return find_symmetries(game.grid.size, game.grid.shape[1], game.symmetry)


def find_cell_views(game: BoardGame) -> NDArray[np.int64]:
    """Return the image of each cell under each symmetry of the board, shape ``(views, CELLS)``."""
    images, places = find_views(game), game.grid.ravel()
    views = np.tile(np.arange(int(game.code.CELLS)), (len(images), 1))
    views[:, places] = places[images]
    return views


def find_symmetries(cells: int, width: int, symmetry: str) -> NDArray[np.int64]:
    """Return the image of each cell under each symmetry of a board.

    Args:
        cells: Number of cells, row by row.
        width: Number of cells in a row.
        symmetry: Symmetry of the board; see :attr:`BoardGame.symmetry`.

    Returns:
        Images, shape ``(views, cells)``; the first view is the identity.

    >>> find_symmetries(6, 3, "mirror").tolist()
    [[0, 1, 2, 3, 4, 5], [2, 1, 0, 5, 4, 3]]
    """
    board = np.arange(cells).reshape(-1, width)
    views = [board]
    if symmetry == "turn":
        views.append(board[::-1, ::-1])
    if symmetry in ("mirror", "all"):
        views.append(board[:, ::-1])
    if symmetry == "all":
        views += [view[::-1] for view in views]
        if width * width == cells:
            views += [view.T for view in views]
    return np.stack([view.ravel() for view in views])
