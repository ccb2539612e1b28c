"""What can be bred or learned for any compiled board game: networks, graphs, tuple networks."""

from __future__ import annotations

from dataclasses import dataclass, fields, make_dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.game import make_once
from evolve_arena.core.registry import find_game
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
    STARTS_AT,
    TURNS,
)
from evolve_arena.genomes.tuples import Cells, TuplePopulation, TupleTable, random_walks
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
from evolve_arena.players.bred import BredPlayer, NeatPlayer, VectorPlayer
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
    "action": "what weighs moves",
    "kinds": "what chooses kinds of moves",
}
"""How players with heads are called that no search can ask for values."""
ENCODINGS = ("planes", "signed", "numbered", "features")
OPPOSING = {"signed": -1, "numbered": 2}
"""What stands for the opponent's pieces in an encoding in which 1 stands for one's own."""
SMALL = 1 / 256
"""By how much sums are made smaller on their way past hidden layers: of 10 a thousandth is lost in
each layer."""
PASSING = {"tanh": (1.0, 0.0, 0.0), "sigmoid": (4.0, -2.0, 0.0), "relu": (1.0, 0.0, 1.0)}
"""What the activation of a unit there is multiplied by to give its input back, what is added then,
and what its input is raised by in the first layer, so that it does not fall below 0."""
MOST_NUMBERS = 2**27
"""Of a tuple network; so many take half a gibibyte."""
USUAL_ROOM = 2**23
"""Of tuples whose length nobody chose."""
MOST_BITS = 2**15 - 1
"""That tuples can choose from."""


def make_networks(game: type[BoardGame]) -> dict[str, type[BredPlayer]]:
    """The kinds of players that can be bred for a *game*, by name: ``mlp``, ``graph``, ``tuples``.

    Raises:
        BadValueError: An option of the game is called like something that networks have.
    """
    kinds: dict[str, tuple[type[Any], type[BredPlayer]]] = {
        "mlp": (NetworkDecoder, VectorPlayer),
        "graph": (GraphDecoder, NeatPlayer),
        "tuples": (BoardTupleDecoder, TuplePlayer),
    }
    return {name: _make_kind(game, name, *kind) for name, kind in kinds.items()}


def _restore(game: str, network: str, told: dict[str, Any]) -> Any:
    """The decoder that was pickled; see `_OnBoard`."""
    return find_game(game).networks[network].decoder_type(**told)


def _make_kind(
    game: type[BoardGame], name: str, base: type[Any], player: type[BredPlayer]
) -> type[BredPlayer]:
    """A class of players whose decoders have the options of *game* as fields."""
    defaults = game.rules_type._field_defaults
    for key in defaults:
        if hasattr(base, key):
            raise BadValueError(f"no option of {game.name} can be called {key}: networks have that")
    fields: list[Any] = [(key, int, value) for key, value in defaults.items()]
    if base is BoardTupleDecoder:
        fields.append(("length", int, find_length(find_reading(game()))))
    space = {"game_type": game, "network_name": name, "__doc__": base.__doc__}
    title = f"{game.__name__}{base.__name__}"
    decoder: Any = make_dataclass(title, fields, bases=(base,), frozen=True, namespace=space)
    decoder.__module__ = __name__
    members = {"decoder_type": decoder, "is_shared": True}
    members |= {"__doc__": player.__doc__, "__module__": __name__}
    if player is not TuplePlayer:
        members["kind"] = {"graph": "neat"}.get(name, name)
    decoder.player_type = type(f"{game.__name__}{player.__name__}", (player,), members)
    made: type[BredPlayer] = decoder.player_type
    return made


@dataclass(frozen=True)
class _OnBoard:
    """What all decoders have: the game; its options are fields that :func:`make_networks` adds."""

    game_type: ClassVar[type[BoardGame]]
    network_name: ClassVar[str]
    """What `GameSpec.networks` calls the kind."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the game's name and the fields: the class is made anew in each process."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        return _restore, (self.game_type.name, self.network_name, told)

    depth: int = 0
    """Plies that a player looks ahead by alpha-beta, up to 12; 0: only at its moves."""
    rollouts: int = 0
    """Rollouts of Monte Carlo tree search for each move, by its values or policy; 0: none."""

    def _find_search(self, head: str = "value") -> dict[int, int]:
        """Find the fields of records for the search over the values, or the policy, of a *head*.

        Raises:
            BadValueError: It is out of range, or the rules or the head forbid it.
        """
        if not (self.depth or self.rollouts):
            return {}
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
        """What the player plays."""
        names = self.game_type.rules_type._fields
        game: BoardGame = make_once(self.game_type, {name: getattr(self, name) for name in names})
        return game


@dataclass(frozen=True)
class BoardView(_OnBoard):
    """What a network sees of the board, and what its outputs stand for.

    Raises:
        UnknownNameError: There is no such head or encoding.
        BadValueError: Something does not fit the game.
    """

    player_type: ClassVar[type[BredPlayer]]

    head: str = "value"
    """``value``: one output, which scores every state that a move leads to. ``policy``: an output
    for each move, the strongest legal one is played. ``action``: one output, which scores every
    legal move by what the file's ``describe_move`` tells of it, beside what is seen. ``kinds``: an
    output for each kind of moves that the file names in ``KINDS``; of the moves of the strongest
    legal kind the scripted player *script* chooses one."""
    encoding: str = "planes"
    """``planes``: an input for each cell and plane. ``signed``: an input for each cell and kind of
    piece, 1 for one's own and -1 for the opponent's. ``numbered``: the same with 2 for the
    opponent's. ``features``: the numbers that the file's ``features`` writes."""
    take_wins: bool = True
    """Whether a move is played at once that wins the game; for the head ``value``, and where
    nobody has to guess what is hidden."""
    features: int = 0
    """How many of the numbers that the file's ``features`` writes are read, from the first on; 0:
    all. For the encoding ``features``, if the function looks how long its array is."""
    bins: int = 0
    """0: the value of a feature is an input. Else each of its values from 0 to ``bins - 1`` has an
    input of its own, which is 1 if the feature has this value, and the last one also if it has
    more. For the encoding ``features``."""
    script: str = ""
    """A scripted player of the game's file, as ``evolve players`` names it, who chooses for the
    head ``kinds``; if it can be told something, features follow that, too. Empty: the first one."""
    masked: bool = True
    """Whether only kinds of moves are chosen that are legal, for the head ``kinds``. If not, who
    chooses another forfeits the game."""

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
        code = self.game.code
        by_pieces = self.encoding in OPPOSING
        if by_pieces and (code.SEATS > 2 or code.PLANES != 2 * code.PIECES):
            raise BadValueError(
                f"encoding is {self.encoding!r}: only for games of two in which all that is seen is"
                " pieces"
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
        """The number of the scripted player that chooses, and what it was told.

        Raises:
            BadValueError: There is none of that name, or it refuses what it is told.
        """
        name, _, told = self.script.partition(":")
        if not name:
            return 0, 0
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
        """Make sure that the file counts what is read.

        Raises:
            BadValueError: It does not.
        """
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
        """True if a perceptron reads any numbers, not bits alone."""
        return self.encoding == "features" or self.head == "action"

    @cached_property
    def board(self) -> Encoding:
        """How the words that the game shows reach the inputs."""
        code = self.game.code
        plane_bits = 64 * plane_words(code)
        features = np.arange(plane_bits * code.PLANES)
        plane, cell = np.divmod(features, plane_bits)
        rank = np.full(plane_bits, -1)
        rank[self.game.drawn] = np.arange(len(self.game.drawn))
        used = rank[cell] >= 0
        other = OPPOSING.get(self.encoding, 1)
        kinds = code.PIECES if self.encoding in OPPOSING else code.PLANES
        inputs = len(self.game.drawn) * kinds
        index = np.where(used, plane % kinds * len(self.game.drawn) + rank[cell], -1)
        factor = np.where(used, np.where(plane < kinds, 1, other), 0)
        return Encoding(inputs, index, factor, inputs)

    @property
    def inputs(self) -> int:
        """How many numbers go in."""
        code = self.game.code
        seen = self.counted * max(self.bins, 1) if self.counted else self.board.inputs
        return int(seen + code.MOVE_FEATURE_COUNT * (self.head == "action"))

    @property
    def counted(self) -> int:
        """How many features are read."""
        return int(self.features or self.game.code.FEATURE_COUNT) * (self.encoding == "features")

    @property
    def outputs(self) -> int:
        """How many numbers come out."""
        code = self.game.code
        names = {"policy": "MOVES", "kinds": "KIND_COUNT"}
        return int(getattr(code, names[self.head])) if self.head in names else 1

    @property
    def planes(self) -> list[tuple[str, int, int]]:
        """What the planes of inputs show, and how many rows and columns each has."""
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
        """The names of the inputs, where none of them is a cell."""
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
        """What the outputs stand for."""
        moves = range(self.outputs)
        if self.head == "kinds":
            return list(self.game.plain["KINDS"])
        return list(map(self.game.format_move, moves)) if self.head == "policy" else ["value"]

    def encode(self, position: Board) -> NDArray[np.float64]:
        """The inputs that show a *position* to a network whose turn it is."""
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
        """The inputs that tell of a *move* in a *position*, for the head ``action``."""
        given = position, move, self.game.to_move(position)
        told = self.game.count("describe_move", *given, setting=self._scripted[1])
        return np.concatenate([self.encode(position), told.astype(np.float64)])

    def player(self, genome: Any, name: str) -> BredPlayer:
        """The player that one *genome* makes."""
        player: BredPlayer = self.player_type(self, genome, name)
        return player

    def record(self, individuals: int, kind: int) -> NDArray[np.int64]:
        """Records of players of a *kind*, as far as the view goes."""
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
        """The input of each bit that is seen, and what it adds; shape ``(bits, 2)``."""
        if self.encoding == "features":
            return np.zeros((0, 2), dtype=np.int32)
        pairs = np.stack([np.maximum(self.board.index, 0), self.board.factor], axis=1)
        return pairs.astype(np.int32)


@dataclass(frozen=True)
class NetworkDecoder(BoardView):
    """What turns a weight vector into a player: everything but the weights."""

    hidden: tuple[int, ...] = (32,)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "relu"
    """The function of the hidden units: ``sigmoid``, ``tanh`` or ``relu``."""
    symmetric: bool = False
    """Whether a position is valued like its images by the file's SYMMETRY: genes are shared, so
    that there are about half as many, or with ``all`` an eighth. For the head ``value``."""

    shortcut: bool = False
    """Whether what the file says that planes or features are worth (``PLANE_VALUES``,
    ``FEATURE_VALUES``) is added to the output, past the hidden layers."""

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
        """Make sure that a network of this kind can be symmetric.

        Raises:
            BadValueError: It can't.
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
        """The structure of the network that is played."""
        hidden = tuple(units + self.shortcut for units in self.hidden)
        return MLP(self.inputs, hidden, self.outputs, self.activation)

    @cached_property
    def _own_mlp(self) -> MLP:
        """The same without the units of the shortcut."""
        return MLP(self.inputs, self.hidden, self.outputs, self.activation)

    @property
    def genes(self) -> int:
        """How many numbers make an individual."""
        return len(self._shared[1]) if self.symmetric else self._own_mlp.genes

    @cached_property
    def _shared(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See :func:`share_genes`."""
        cells = _find_views(self.game)
        cells = cells[np.sort(np.unique(cells, axis=0, return_index=True)[1])]
        planes = np.arange(0, self.inputs, self.game.grid.size)
        inputs = (planes[None, :, None] + cells[:, None, :]).reshape(len(cells), -1)
        return share_genes(self.mlp, inputs, np.zeros((len(cells), 1), dtype=np.int64))

    def initialise(self, individuals: int, name: str, generator: np.random.Generator) -> Genomes:
        """A random population; see :meth:`MLP.initialise`.

        Without hidden layers, ``known`` stands for what the file says that planes or features are
        worth, ``known:0.1`` for the same with Gaussian numbers of that standard deviation added.

        Raises:
            BadValueError: The file does not say it, or the deviation is no positive number.
        """
        kind, _, text = name.partition(":")
        if kind == "known" and not self.hidden:
            genomes = np.zeros((individuals, self.genes), dtype=np.float32)
            if text:
                genomes += self._own_mlp.initialise(individuals, f"normal:{text}", generator)
            genomes[:, : self.inputs] += self._known.astype(np.float32)
        else:
            genomes = self._own_mlp.initialise(individuals, name, generator)
        return genomes[:, self._shared[1]] if self.symmetric else genomes

    @cached_property
    def _known(self) -> NDArray[np.float64]:
        """What each input is worth, as far as the file says it.

        Raises:
            BadValueError: It does not, or there is more than one output.
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
        """All weights of the networks that *genomes* make, shape ``(individuals, mlp.genes)``.

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
        """The weights of the shortcut, and where each gene stands among those that are played.

        The last unit of each hidden layer passes on the sum of what is known, made so small that
        activations are as good as straight there.
        """
        slope, lowering, raising = PASSING[self.activation]
        fixed = np.zeros(self.mlp.genes, dtype=np.float32)
        places, at, last = [], 0, len(self.hidden)
        for layer, (before, after) in enumerate(pairwise(self.mlp.sizes)):
            inside = np.arange(at, at + (before + 1) * after).reshape(before + 1, after)
            at += inside.size
            if layer == 0:
                fixed[inside[:-1, -1]], fixed[inside[-1, -1]] = SMALL * self._known, raising
            else:
                down = lowering - raising * (layer == last)
                scale = 1.0 / SMALL if layer == last else 1.0
                fixed[inside[-2:, -1]] = scale * slope, scale * down
                inside = np.delete(inside, before - 1, axis=0)
            places.append((inside if layer == last else inside[:, :-1]).ravel())
        return fixed, np.concatenate(places)

    def pack(self, genomes: Genomes) -> PackedPlayers:
        """The players that *genomes*, of shape ``(individuals, genes)``, make.

        Raises:
            BadValueError: They have another shape.
        """
        seats, order = self.record(len(genomes), NETWORK), np.arange(len(genomes))
        genomes = self.expand(genomes)
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
class GraphDecoder(BoardView):
    """What turns a NEAT genome into a player: everything but the genome."""

    why_feed_forward: ClassVar[str] = (
        "players are asked about single positions, as searches and exported bots are, so graphs"
        " remember nothing"
    )

    def pack(self, genomes: NeatPopulation) -> PackedPlayers:
        """The players that *genomes* make."""
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
    """How a tuple network reads the bits that are seen: they make up *contents* of its cells.

    A bit that is set adds ``1 + kind_step * plane`` to what the cell at place
    ``plane_step * plane + bit_step * bit`` holds.
    """

    cells: int
    """How many cells there are."""
    kinds: int
    """How many contents a cell can have, from 0 on."""
    bits: int
    """How many bits of each plane count, from the lowest one on."""
    plane_step: int
    bit_step: int
    kind_step: int


def find_reading(game: BoardGame) -> Reading:
    """How tuple networks read what a *game* shows.

    Where bits are cells (``SYMMETRY``), a cell holds the number of the plane that shows something
    there. Where planes are numbers (``PLANE_NUMBERS``), each of them is a cell, which holds how
    many of its bits are set. Else each bit is a cell of its own.
    """
    planes, cells = int(game.code.PLANES), int(game.code.CELLS)
    if game.stacks:
        return Reading(game.grid.size, planes + 2, cells, 0, 1, 1)
    if game.symmetry:
        return Reading(cells, planes + 1, cells, 0, 1, 1)
    if game.highest_number:
        return Reading(planes, game.highest_number + 1, game.highest_number, 1, 0, 0)
    return Reading(planes * cells, 2, cells, cells, 1, 0)


def find_length(read: Reading) -> int:
    """How long tuples are if nobody says it: as long as their tables stay small."""
    longest = min(10 if read.kinds == 2 else 6, read.cells)
    fitting = (length for length in range(2, longest + 1) if 60 * read.kinds**length <= USUAL_ROOM)
    return max(fitting, default=1)


@dataclass(frozen=True)
class BoardTupleDecoder(_OnBoard, TupleDecoder):
    """What turns shapes and tables into players."""

    tuples: int = 60
    """How many tuples there are."""
    length: int = 6
    """Cells of a tuple: of a random walk on the board; or drawn at random, where networks see no
    board, but numbers or single bits."""
    turns: bool = False
    """Whether tuples have numbers of their own for positions in which the same player moves again:
    of use where that happens."""
    by_seat: bool = False
    """Whether tuples have numbers of their own for the moves of each seat: of use where positions
    that look alike are worth something else to who began."""

    def __post_init__(self) -> None:
        for name in ("turns", "by_seat"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise BadValueError(f"{name} is {value!r}: it must be true or false")
        if self.turns and self.by_seat:
            raise BadValueError("by_seat is true: then turns must be false")
        self._find_search()
        super().__post_init__()

    @cached_property
    def reading(self) -> Reading:
        """How the bits that are seen become contents of cells."""
        return find_reading(self.game)

    @property
    def cells(self) -> int:
        """How many cells tuples are chosen from."""
        return self.reading.cells

    @property
    def places(self) -> NDArray[np.int64]:
        """Each bit that is seen, and that it is set."""
        code = self.game.code
        plane_bits = 64 * plane_words(code)
        bits = np.add.outer(plane_bits * np.arange(code.PLANES), self.game.grid.ravel())
        return np.stack([bits, np.zeros_like(bits)], axis=2)

    @property
    def has_board(self) -> bool:  # type: ignore[override]
        """Whether the game says how its board may be turned, or shows nothing else."""
        return bool(self.game.symmetry)

    @property
    def planes(self) -> list[tuple[str, int, int]]:
        """The planes that networks see; and the cells to be filled next, on stacks."""
        planes = list(self.game.planes)
        return [*planes, (STATES[1], *self.game.grid.shape)] if self.game.stacks else planes

    @property
    def states(self) -> tuple[str, ...]:
        """The planes, where a cell holds one of them; else numbers."""
        if self.game.stacks:
            return (STATES[0], *(name for name, _, _ in self.planes))
        return super().states if self.has_board else tuple(map(str, range(self.reading.kinds)))

    @property
    def views(self) -> NDArray[np.int64]:
        """The board as its symmetries show it."""
        return _find_views(self.game) if self.has_board else np.arange(self.cells)[None]

    def find_cell(self, cell: int) -> int:
        """The place of a *cell* among those that are drawn; -1 if it is not."""
        if not self.has_board:
            return cell
        place, drawn = int(self.game.grid.flat[cell]), self.game.drawn
        return drawn.index(place) if place in drawn else -1

    def find_input(self, cell: int, state: int) -> int:
        """The highest bit that is set, plane by plane, where a *cell* holds *state*, above 0."""
        read = self.reading
        if read.kind_step:
            return (state - 1) * len(self.game.drawn) + self.find_cell(cell)
        return cell * int(self.game.code.CELLS) + state - 1 if self.game.highest_number else cell

    def read_cells(self, position: Board) -> tuple[int, NDArray[np.int64]]:
        """As who is to move sees them, so that the same player moves."""
        read, game = self.reading, self.game
        if game.stacks:
            return self._read_stacks(position)
        bits = game.observe(position, game.to_move(position))[:, : read.bits]
        planes, places = np.nonzero(bits)
        contents = np.zeros(read.cells, dtype=np.int64)
        cells = read.plane_step * planes + read.bit_step * places
        np.add.at(contents, cells, 1 + read.kind_step * planes)
        side = game.to_move(position) if self.by_seat else int(self.turns)
        return side, contents

    def _read_stacks(self, position: Board) -> tuple[int, NDArray[np.int64]]:
        """The same on stacks."""
        seat, grid = self.game.to_move(position), self.game.grid
        own, other = self.game.observe(position, seat)[:, grid].astype(np.int64)
        contents = own + 2 * other
        for column in contents.T:
            empty = np.flatnonzero(column == 0)
            column[empty[-1:]] = NEXT
        return seat * self.by_seat, contents.ravel()

    @property
    def sides(self) -> tuple[str, ...]:  # type: ignore[override]
        """Whose turn it is, or who has moved, if there are numbers for each."""
        if self.by_seat:
            return tuple(f"after a move of seat {seat + 1}" for seat in range(self.game.seats))
        return ("the other moves", "moves again") if self.turns else ("",)

    def list_entries(self, cells: Cells) -> NDArray[np.int64]:
        """The first cell is the lowest digit of an entry's number; see `stacks` for those."""
        if self.game.stacks:
            return show_entries(cells.astype(np.int64), self.game.grid.shape)
        count = self.reading.kinds
        return np.arange(count ** len(cells))[:, None] // count ** np.arange(len(cells)) % count

    def draw(self, generator: np.random.Generator) -> Cells:
        """The genes of one individual, shape ``(tuples, length)``."""
        cells = self.cells
        if self.game.symmetry:
            rows, columns = self.game.grid.shape
            return random_walks(rows, columns, self.tuples, self.length, generator)
        if not 1 <= self.length <= cells <= MOST_BITS:
            raise BadValueError(
                f"length is {self.length}: tuples read from 1 to {min(cells, MOST_BITS):,} of the"
                f" {cells:,} numbers or bits that {self.game.name} shows"
            )
        some = [generator.permutation(cells)[: self.length] for _ in range(self.tuples)]
        return np.array(some, dtype=np.int16)

    def pack(self, genomes: TuplePopulation) -> PackedPlayers:
        """The players that *genomes* make; they win at once where they can, as they learned to."""
        packed = super().pack(genomes)
        packed.seats[:, TAKES_WINS] = not self.game.code.HAS_GUESS
        for field, number in self._find_search().items():
            packed.seats[:, field] = number
        return packed

    def table(self, cells: Cells) -> TupleTable:
        """How tuples of *cells* read the board: as it stands, and as its symmetries show it."""
        return _make_table(cells.astype(np.int16).tobytes(), cells.shape, self)


@lru_cache(maxsize=64)
def _make_table(flat: bytes, shape: tuple[int, int], decoder: BoardTupleDecoder) -> TupleTable:
    tuples, views = np.frombuffer(flat, dtype=np.int16).reshape(shape), decoder.views

    def count(length: int) -> int:
        if not decoder.game.stacks:
            return decoder.tuples * int(decoder.reading.kinds**length) * len(decoder.sides)
        cut = tuples[:, :length].astype(np.int64)
        each = (number_entries(cells, decoder.game.grid.shape)[1] for cells in cut)
        return sum(each) * len(decoder.sides)

    if count(shape[1]) > MOST_NUMBERS:
        raise explain_too_large((decoder.tuples, shape[1]), MOST_NUMBERS, count)
    find = _read_stacks if decoder.game.stacks else _read_cells
    members, comes, first, numbers = find(tuples, decoder)
    deltas = [sign * come for come in comes for sign in (1, -1)]
    starts = np.cumsum([0, *map(len, members)])
    parts = [starts, np.concatenate(members), np.concatenate(deltas), np.repeat(first, len(views))]
    head = np.zeros(FIELDS)
    turns = BY_SEAT if decoder.by_seat else AGAIN * decoder.turns
    readings = len(tuples) * len(views)
    head[[READINGS, ENTRIES, TURNS]] = readings, numbers, turns
    head[STARTS_AT : FIRST_AT + 1] = np.cumsum([FIELDS, *map(len, parts[:-1])])
    structure = np.concatenate([head, *parts]).astype(np.int32)
    return TupleTable(structure, readings, numbers * len(decoder.sides))


Found = tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], NDArray[np.int64], int]
"""For each bit the readings that it concerns, and what it adds to the entries of these; the first
entry of each tuple, and the number of all."""


def _read_cells(tuples: Cells, decoder: BoardTupleDecoder) -> Found:
    """How tuples read cells of which each has a content whatever the others have."""
    code, read = decoder.game.code, decoder.reading
    powers = read.kinds ** np.arange(tuples.shape[1], dtype=np.int64)
    places = decoder.views[:, tuples]  # (symmetries, tuples, length)
    readings = places.swapaxes(0, 1).reshape(-1, tuples.shape[1])
    members, comes = [], []
    for plane in range(code.PLANES):
        for bit in range(64 * plane_words(code)):
            cell = read.plane_step * plane + read.bit_step * bit if bit < read.bits else -1
            reading, place = np.nonzero(readings == cell)
            members.append(reading)
            comes.append((1 + read.kind_step * plane) * powers[place])
    entries = int(read.kinds ** tuples.shape[1])
    return members, comes, np.arange(len(tuples)) * entries, len(tuples) * entries


def _read_stacks(tuples: Cells, decoder: BoardTupleDecoder) -> Found:
    """The same where pieces lie on one another; see `evolve_arena.players.board.stacks`."""
    code, grid, views = decoder.game.code, decoder.game.grid, decoder.views
    plane_bits = 64 * plane_words(code)
    found: list[list[tuple[int, int]]] = [[] for _ in range(2 * plane_bits)]
    listed, numbers = list_tuples(tuples, grid.shape)
    for number, (_, terms) in enumerate(listed):
        for cell, *adds in terms:
            for view, images in enumerate(views):
                for plane, add in enumerate(adds):
                    bit = plane * plane_bits + grid.ravel()[images[cell]]
                    found[bit].append((number * len(views) + view, add))
    columns = [np.array(pairs, dtype=np.int64).reshape(-1, 2).T for pairs in found]
    members, comes = ([pair[k] for pair in columns] for k in range(2))
    return members, comes, np.array([first for first, _ in listed]), numbers


def _find_views(game: BoardGame) -> NDArray[np.int64]:
    """The places of the grid as its symmetries show them; of what is no board there is one view."""
    if not game.symmetry:
        return np.arange(game.grid.size)[None]
    return find_symmetries(game.grid.size, game.grid.shape[1], game.symmetry)


def find_cell_views(game: BoardGame) -> NDArray[np.int64]:
    """Where each cell lies in each view of the board that is worth the same; see `_find_views`."""
    images, places = _find_views(game), game.grid.ravel()
    views = np.tile(np.arange(int(game.code.CELLS)), (len(images), 1))
    views[:, places] = places[images]
    return views


def find_symmetries(cells: int, width: int, symmetry: str) -> NDArray[np.int64]:
    """Where each cell lies in each view of the board that is worth the same.

    Args:
        cells: How many there are, row by row.
        width: How many in a row.
        symmetry: See :attr:`BoardGame.symmetry`.

    Returns:
        Shape ``(views, cells)``; the first view is the board as it stands.

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
