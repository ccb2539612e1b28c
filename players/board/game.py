"""Board games whose rules are compiled code, as Python sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import specialise
from evolve_arena.core.errors import BadValueError, GameOverError, IllegalMoveError, PositionError
from evolve_arena.core.game import Game, KernelSpec, Outcome, PlayerKind
from evolve_arena.players.board.workspace import (
    DEPTH,
    HEAD,
    POLICY,
    RECORD_FIELDS,
    SEARCH,
    VALUE,
    make_workspace,
)
from evolve_arena.players.packed import (
    GRAPH,
    KIND,
    NETWORK,
    TUPLES,
    PackedPlayers,
    simple_player,
    with_noise,
)
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_by_settings, read_number, read_whole

FLOOR = "evolve_arena.players.board"
KIND_FLAGS = {GRAPH: "HAS_GRAPHS", TUPLES: "HAS_TUPLES", SEARCH: "HAS_SEARCHES"}
HEAD_FLAGS = {POLICY: "HAS_POLICIES", VALUE: "HAS_VALUES"}
FLAGS = (*HEAD_FLAGS.values(), *KIND_FLAGS.values())


class Board(NamedTuple):
    """A position: what is played, and the state of `evolve_arena.players.board.rules`."""

    rules: Any
    state: tuple[int, ...]

    def drawing(self) -> str:
        """The numbers of the state."""
        return " ".join(map(str, self.state))


class BoardGame(Game[Board, int]):
    """A game for two whose rules stand in a file like `evolve_arena.players.board.rules`."""

    place: ClassVar[str]
    """The full name of that file's module."""
    symmetry: ClassVar[str] = ""
    """Where the bits that networks see are the cells of a board: ``none``, ``mirror`` if left and
    right may be exchanged, ``all`` if it may be turned and mirrored in any way."""
    endings: ClassVar[tuple[str, str]] = ("a win", "a draw")
    """How a game ends, in half a sentence: if somebody has won, if nobody has."""

    @cached_property
    def code(self) -> ModuleType:
        """The compiled rules for these options."""
        return specialise([self.place], _constants(self.rules))[0]

    def describe(self) -> str:
        """Its name, with its options."""
        options = ", ".join(f"{name} {value}" for name, value in self.options.items())
        return self.name + (f" with {options}" if options else "")

    def initial(self, seed: int = 0) -> Board:
        """The board before the first move."""
        return self._wrap(self.code.start())

    def to_move(self, state: Board) -> int:
        """The seat whose turn it is."""
        return int(self.code.to_move(self._typed(state)))

    def legal_moves(self, state: Board) -> list[int]:
        """The moves, ascending; none once the game is over."""
        typed = self._typed(state)
        if self.code.result(typed) != self.code.GOES_ON:
            return []
        moves = np.zeros(self.code.MOVES, dtype=np.int64)
        return [int(move) for move in moves[: self.code.legal(typed, moves, 0)]]

    def play(self, state: Board, move: int) -> Board:
        """The board after *move*."""
        legal = self.legal_moves(state)
        if not legal:
            raise GameOverError("the game is over")
        if move not in legal:
            raise IllegalMoveError(f"{self.format_move(move)} can't be played here")
        return self._wrap(self.code.play(self._typed(state), move))

    def outcome(self, state: Board) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        result = self.code.result(self._typed(state))
        if result == self.code.GOES_ON:
            return None
        places = (1 + int(result == -1), 1 + int(result == 1))
        return Outcome(places, self.endings[result == 0])

    def perft(self, state: Board, depth: int) -> int:
        """The number of move sequences of *depth* plies from here; games may end on the way."""
        *_, matches = specialise_board(self.place, self.rules, (f"{FLOOR}.matches",))
        moves = np.zeros(max(depth, 1) * self.code.MOVES, dtype=np.int64)
        return int(matches.count_sequences(self._typed(state), depth, moves, 0))

    def observe(self, state: Board, seat: int) -> NDArray[np.uint8]:
        """The bits that networks see, shape ``(planes, cells)``."""
        planes = np.zeros(self.code.PLANES, dtype=np.uint64)
        self.code.see(self._typed(state), seat, planes, 0)
        bits = np.unpackbits(planes.astype("<u8").view(np.uint8), bitorder="little")
        return bits.reshape(self.code.PLANES, 64)[:, : self.code.CELLS]

    def parse_move(self, text: str) -> int:
        """The move that *text* names: its number, unless the game knows better."""
        bare = text.strip()
        if not (bare.isascii() and bare.isdigit() and int(bare[:9]) < self.code.MOVES):
            raise IllegalMoveError(f"{bare[:20]!r} is no move from 0 to {self.code.MOVES - 1}")
        return int(bare[:9])

    def format_move(self, move: int) -> str:
        """The text that :meth:`parse_move` reads."""
        return str(move)

    def parse_position(self, text: str) -> Board:
        """The board after the moves that *text* gives, with blanks between."""
        board = self.initial()
        for number, word in enumerate(text.split(), 1):
            try:
                board = self.play(board, self.parse_move(word))
            except (IllegalMoveError, GameOverError) as error:
                raise PositionError(f"move {number}: {error}") from None
        return board

    def _wrap(self, state: tuple[Any, ...]) -> Board:
        return Board(self.rules, tuple(int(number) for number in state))

    def _typed(self, state: Board) -> tuple[Any, ...]:
        return typed(self.code, state)


def typed(code: ModuleType, position: Board) -> tuple[Any, ...]:
    """The state of a *position* with the types that compiled *code* takes."""
    return tuple(kind(number) for kind, number in zip(code.STATE, position.state, strict=True))


def make_kernel(place: str) -> KernelSpec:
    """How matches of a board game are played whose rules are the module called *place*."""

    def code(rules: Any) -> ModuleType:
        return specialise([place], _constants(rules))[0]

    def decide(
        variant: Mapping[str, Any],
        rules: Any,
        players: PackedPlayers,
        position: Board,
        workspace: Any,
    ) -> int:
        state = typed(variant[place.rpartition(".")[2]], position)
        slot = int(code(rules).to_move(state))
        return int(variant["choose"].decide(players, slot, state, workspace))

    def draw_openings(rules: Any, seeds: Any, openings: Any) -> None:
        *_, matches = specialise_board(place, rules, (f"{FLOOR}.matches",))
        matches.draw_openings(seeds, openings, np.zeros(code(rules).MOVES, dtype=np.int64))

    return KernelSpec(
        modules=(place, f"{FLOOR}.choose", f"{FLOOR}.matches"),
        flags=FLAGS,
        needs=_needs,
        constants=_constants,
        instead={f"{FLOOR}.rules": place},
        decide=decide,
        make_workspace=lambda rules, players: make_workspace(code(rules), players),
        record_fields=RECORD_FIELDS,
        draw_openings=draw_openings,
        longest_opening=lambda rules: int(code(rules).LONGEST) // 4,
    )


def specialise_board(place: str, rules: Any, modules: Sequence[str]) -> list[ModuleType]:
    """The rules at *place* and `choose`, for no players at all, and copies of *modules*."""
    constants = {**_constants(rules), **dict.fromkeys(FLAGS, False)}
    return specialise([place, f"{FLOOR}.choose", *modules], constants, {f"{FLOOR}.rules": place})


def _constants(rules: Any) -> dict[str, Any]:
    """The options as they are called in the file of the rules."""
    return {name.upper(): value for name, value in rules._asdict().items()}


def _needs(players: PackedPlayers) -> set[str]:
    kinds = {int(kind) for kind in np.unique(players.seats[:, KIND])}
    heads = np.unique(players.seats[players.seats[:, KIND] == NETWORK, HEAD])
    needed = {HEAD_FLAGS[int(head)] for head in heads}
    return needed | {flag for kind, flag in KIND_FLAGS.items() if kind in kinds}


MAX_DEPTH = 12


class MinimaxPlayer(CompiledPlayer):
    """Chooses by alpha-beta search, *depth* plies deep.

    Wins come first, the sooner the better, losses last, the later the better; between them the
    game's ``evaluate`` decides. Of equally good moves each is as likely.

    Args:
        game: What it plays.
        depth: How many plies it looks ahead, 1 to 12.
        noise: How often it plays any legal move instead, 0 to 1.

    Raises:
        BadValueError: *depth* or *noise* is out of range.
    """

    def __init__(self, game: Any, depth: int = 4, noise: float = 0.0) -> None:
        if not 1 <= depth <= MAX_DEPTH:
            raise BadValueError(f"depth is {depth}: it must be from 1 to {MAX_DEPTH}")
        if not 0.0 <= noise <= 1.0:
            raise BadValueError(f"noise is {noise}: it must be from 0 to 1")
        name = f"minimax:depth={depth}" + (f",noise={noise:.10g}" if noise else "")
        packed = simple_player(RECORD_FIELDS, SEARCH)
        packed.seats[0, DEPTH] = depth
        super().__init__(game, with_noise(packed, noise), name)


def _make(text: str, game: Any) -> Player:
    readers = {"depth": read_whole, "noise": read_number}
    return make_by_settings("minimax", text, readers, lambda **all: MinimaxPlayer(game, **all))


MINIMAX = PlayerKind(
    "minimax:depth=4,noise=0.2",
    "searches 1 to 12 plies deep, of 5 moves plays one at random",
    _make,
    optional=True,
)
"""What a game lists among its players."""
