"""How people at a terminal see checkers and talk about its moves."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np

from evolve_arena.core.errors import BadValueError, IllegalMoveError, PositionError, one_line
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.graph import CheckersGraphPlayer
from evolve_arena.games.checkers.linear import PIECES, LinearPlayer
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.games.checkers.pdn import PdnError, read_pdn
from evolve_arena.games.checkers.position import COLOURS, Move, Position, bit_of, square_of
from evolve_arena.games.checkers.search import find_moves
from evolve_arena.games.checkers.values import (
    DEPTH,
    UNIT,
    CheckersWorkspace,
    make_checkers_workspace,
)
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.search import WIN
from evolve_arena.players.text_ui import TextUI, shorten


class CheckersText(TextUI):
    """The players are dark and light; moves are squares, ``11-15`` or ``18x11``."""

    DIVIDED = r"(?: ?(?:-{1,2}>?|[x×:,./–—→]|to) ?| )"
    ENTRY = re.compile(
        rf"(?:(?:move|play|from) ?)?[:#=(]*([0-9]{{1,2}}(?:{DIVIDED}[0-9]{{1,2}}){{0,9}})[ .,;!)]*",
        re.ASCII | re.IGNORECASE,
    )
    greeting = (
        "Squares make a move: 11-15, or 18x11 for a capture; one square is enough if no other\n"
        "move begins there. Captures must be made, and to their end."
    )
    meanings: ClassVar[Mapping[str, str]] = {
        "values": "what a program that looks ahead thinks of each move",
    }
    thinker = "program that looks ahead"
    game: Checkers

    def __init__(self, game: Checkers) -> None:
        super().__init__(game)
        first = int(game.turned)
        self.sides = (COLOURS[first], COLOURS[1 - first])

    def read(self, text: str, position: Position) -> Move:
        """The legal move that *text* names.

        Its squares may be divided by anything usual. Those between the first and the last may be
        missing, and the last ones too, down to a single square from which, or else to which,
        there is one move.

        Raises:
            IllegalMoveError: There is no such move, or several.
            BadValueError: The game is over.
        """
        squares = self._read_squares(text)
        if self.game.outcome(position) is not None:
            raise BadValueError("this game is over")
        legal = self.game.legal_moves(position)
        found = [move for move in legal if _begins(squares, move.path)]
        if not found and len(squares) == 1:
            found = [move for move in legal if move.path[-1] == squares[0]]
        if len(found) > 1 and len(squares) == 1:
            raise IllegalMoveError(f"{squares[0]}: this could be {_list_moves(found)}")
        try:
            return self.game.resolve(position, Move(squares))
        except IllegalMoveError:
            if len(found) == 1:
                return found[0]
            raise

    def name(self, move: Move, position: Position) -> str:
        """Such as "11-15"."""
        return self.game.format_move(move, position)

    def question(self, position: Position) -> str:
        """An example, or the only move."""
        moves = self.game.legal_moves(position)
        if len(moves) == 1:
            return f"only {self.game.format_move(moves[0], position)} is possible"
        kind = "a capture " if moves[0].is_capture else ""
        return f"{kind}such as {self.game.format_move(moves[0], position)}"

    def list_moves(self, position: Position) -> str:
        """All legal moves."""
        moves = self.game.legal_moves(position)
        colour = COLOURS[position.side]
        if not moves:
            return f"{colour.capitalize()} can play nothing."
        return f"{colour.capitalize()} can play {_list_moves(moves)}."

    def advise(self, error: IllegalMoveError, position: Position) -> str:
        """All legal moves, unless the error tells of some."""
        named = set(re.findall(r"[0-9x-]+", str(error)))
        if named & {str(move) for move in self.game.legal_moves(position)}:
            return ""
        return self.list_moves(position)

    def draw(
        self,
        position: Position,
        last: Move | None = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """See :func:`draw_checkers`."""
        return draw_checkers(position, last, colour=colour)

    def write_game(self, moves: Sequence[Move], positions: Sequence[Position]) -> str:
        """Such as ``11-15 22-18 15x22``."""
        return " ".join(
            self.game.format_move(move, position)
            for move, position in zip(moves, positions, strict=False)
        )

    def read_game(self, text: str) -> tuple[Move, ...]:
        """Moves with blanks between; their numbers, ``1.`` and so on, may stand before them."""
        position, moves = self.game.initial(), []
        for number, word in enumerate(re.sub(r"\b\d+\.+(?=\s|$|\d+[-x])", " ", text).split(), 1):
            try:
                move = self.game.resolve(position, self.game.parse_move(word))
                position = self.game.play(position, move)
            except IllegalMoveError as error:
                raise PositionError(f"move {number} of {text[:40]!r}: {error}") from None
            moves.append(move)
        return tuple(moves)

    def read_games(self, text: str) -> list[tuple[str, tuple[Move, ...]]]:
        """The games of a PDN file, or moves alone."""
        if "[" not in text:
            return [("", self.read_game(text))]
        found = []
        for number, entry in enumerate(read_pdn(text), 1):
            if isinstance(entry, PdnError):
                raise PositionError(str(entry))
            if entry.start != self.game.initial():
                raise PositionError(f"game {number} does not begin as games on this board do")
            tags = entry.tags
            title = f"{tags.get('Black', 'dark')} - {tags.get('White', 'light')}"
            found.append((title, entry.moves))
        return found

    def has_values(self, player: Any) -> bool:
        """Those who search have."""
        return isinstance(player, Thinker)

    def find_values(
        self, player: Thinker, position: Position, earlier: Sequence[Position]
    ) -> dict[Move, float]:
        """See :func:`find_values`."""
        return find_values(player, position)

    def describe_values(
        self, player: Thinker, position: Position, earlier: Sequence[Position]
    ) -> str:
        """See :mod:`evolve_arena.games.checkers.text_ui`."""
        return describe_values(player, position)

    def _read_squares(self, text: str) -> tuple[int, ...]:
        match = self.ENTRY.fullmatch(" ".join(text.split()))
        if match is None:
            raise IllegalMoveError(
                f"{shorten(text)!r} is no move: write 11-15, or 18x11 for a capture"
            )
        squares = tuple(int(number) for number in re.findall("[0-9]+", match[1]))
        for square in squares:
            if not 1 <= square <= 32:
                raise IllegalMoveError(f"there is no square {square}: they are numbered 1 to 32")
        return squares


def _begins(squares: tuple[int, ...], path: tuple[int, ...]) -> bool:
    """Whether *squares* stand in *path* in this order, the first of them in front."""
    rest = iter(path)
    return squares[0] == path[0] and all(square in rest for square in squares)


def _list_moves(moves: list[Move]) -> str:
    texts = [str(move) for move in moves]
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if texts[1:] else texts[0]


Thinker: TypeAlias = LinearPlayer | CheckersNetworkPlayer | CheckersGraphPlayer
"""Players of checkers that can be asked."""

LEAST_DEPTH = 3
"""Those who look less far ahead only tell of their best moves."""
PER_LINE = 5


def describe_values(player: Thinker, position: Position) -> str:
    """The values of all moves in some lines, the best ones with a star; see :func:`find_values`."""
    depth, game = player.decoder.depth, player.decoder.game
    values = find_values(player, position)
    best = max(values.values())
    parts = [
        f"{game.format_move(move, position)}: {_write(value)}{'*' if value == best else ''}"
        for move, value in values.items()
    ]
    lines = ["  " + "  ".join(parts[at : at + PER_LINE]) for at in range(0, len(parts), PER_LINE)]
    which = "each move" if depth >= LEAST_DEPTH else "its best moves"
    ahead = f"{depth} {'ply' if depth == 1 else 'plies'} ahead"
    head = f"{one_line(player.name)}'s values of {which}, {ahead}, {_name_unit(player)}:"
    return "\n".join([head, *lines])


def find_values(player: Thinker, position: Position) -> dict[Move, float]:
    """The values of moves for who is to move; the greater, the better.

    They are the very ones that the player's choice rests on: infinite where it sees a win or a
    loss, 0 where the move makes the game a draw. A search that stops at what cannot be better
    knows those of the best moves only. The others take a search for each answer to each move,
    so that all is valued by who is to move now; there must be a ply left after the answer. Of
    players who look less far ahead, only the best moves are given.

    Args:
        player: Who is asked.
        position: The position, which is not over.
    """
    workspace = make_checkers_workspace(player.packed)
    if player.decoder.depth < LEAST_DEPTH:
        moves, value = _search(player, player.packed, position, workspace)
        return {move: _scale(value) for move in sorted(moves)}
    seats = player.packed.seats.copy()
    seats[:, DEPTH] -= 2
    shallow = player.packed._replace(seats=seats)
    return {
        move: _scale(_value_move(player, shallow, position, move, workspace))
        for move in player.decoder.game.legal_moves(position)
    }


def _value_move(
    player: Thinker,
    shallow: PackedPlayers,
    position: Position,
    move: Move,
    workspace: CheckersWorkspace,
) -> int:
    """What a *move* is worth; the *shallow* player looks two plies less far ahead."""
    game = player.decoder.game
    after = game.play(position, move)
    if end := game.outcome(after):
        return 0 if end.winner is None else WIN
    after = replace(after, past=())  # further on nobody looks for draws
    worst = WIN
    for answer in game.legal_moves(after):
        later = game.play(after, answer)
        later = replace(later, past=())
        value = -WIN if game.outcome(later) else _search(player, shallow, later, workspace)[1]
        worst = min(worst, value)
    return worst


def _search(
    player: Thinker, packed: PackedPlayers, position: Position, workspace: CheckersWorkspace
) -> tuple[list[Move], int]:
    """The moves that a search finds best, and their value."""
    own, other = position.dark, position.light
    if position.side == 1:
        own, other = other, own
    quiet = len(position.past)
    workspace.past[:quiet] = np.array(position.past, dtype=np.uint64)
    board = np.uint64(own), np.uint64(other), np.uint64(position.kings), position.side
    count, value = find_moves(packed, 0, *board, quiet, workspace)
    return [player.decoder.game.move_of(int(word)) for word in workspace.moves[:count]], int(value)


def _scale(value: int) -> float:
    """The value as the player's weights count it; infinite if somebody wins."""
    if abs(value) >= WIN // 2:
        return math.inf if value > 0 else -math.inf
    return value / UNIT


def _write(value: float) -> str:
    if math.isinf(value):
        return "wins" if value > 0 else "loses"
    return f"{value:+.3f}" if round(value, 3) else "0.000"


def _name_unit(player: Thinker) -> str:
    if isinstance(player, CheckersNetworkPlayer | CheckersGraphPlayer):
        return "by its network"
    if player.arrays["genome"].tolist() == list(PIECES):
        return "in men"
    return "by its weights"


EMPTY, LIT, UNUSED = "38;5;245;48;5;236", "38;5;250;48;5;24", "48;5;250"
"""Colours of a square of checkers, of one that the last move touched, and of those between."""
PIECE_COLOURS = {"b": "38;5;210;1", "B": "38;5;210;1", "w": "38;5;231;1", "W": "38;5;231;1"}
MEN = 12
"""What each side begins with."""


def draw_checkers(position: Position, last: Move | None = None, *, colour: bool = False) -> str:
    """The board with the numbers of all squares, and what each side has left.

    Pieces are ``b`` and ``w``, in upper case if they are kings. The squares between which the
    last move went are in brackets, and those on which it captured bear an ``x``.

    >>> game = Checkers()
    >>> position = game.parse_position("11-15 22-18 15x22")
    >>> print(draw_checkers(position, game.parse_move("15x22")))
           1 b       2 b       3 b       4 b
      5 b       6 b       7 b       8 b
           9 b      10 b      11 .      12 b
     13 .      14 .      15[.]     16 .
          17 .      18 x      19 .      20 .
     21 w      22[b]     23 w      24 w
          25 w      26 w      27 w      28 w
     29 w      30 w      31 w      32 w
    <BLANKLINE>
     dark (b): 12 men
     light (w): 11 men, 1 captured
    """
    marks = position.drawing()
    squares = range(32, 0, -1) if position.turned else range(1, 33)
    ends = {last.path[0], last.path[-1]} if last else set()
    captured = _captured_squares(last) if last else set()
    lines = []
    for row in range(8):
        cells = []
        for place in range(4 * row, 4 * row + 4):
            square, mark = squares[place], marks[place]
            mark = "x" if square in captured and mark == "." else mark
            cells.append(_draw_square(square, mark, square in ends, square in captured, colour))
        blank = f"\x1b[{UNUSED}m     \x1b[0m" if colour else "     "
        pairs = [blank + cell if row % 2 == 0 else cell + blank for cell in cells]
        lines.append((" " + "".join(pairs)).rstrip())
    return "\n".join([*lines, "", *(f" {_count_pieces(position, side)}" for side in range(2))])


def _draw_square(square: int, mark: str, is_end: bool, is_captured: bool, colour: bool) -> str:
    left, right = "[]" if is_end else "  "
    if not colour:
        return f"{square:2}{left}{mark}{right}"
    ground = LIT if is_end or is_captured else EMPTY
    piece = f"\x1b[{PIECE_COLOURS[mark]}m{mark}\x1b[0;{ground}m" if mark in PIECE_COLOURS else mark
    return f"\x1b[{ground}m{square:2}{left}{piece}{right}\x1b[0m"


def _count_pieces(position: Position, side: int) -> str:
    """What *side* has: "dark (b): 11 men, 1 king (B), 2 captured"."""
    pieces = (position.dark, position.light)[side]
    kings = (pieces & position.kings).bit_count()
    men = pieces.bit_count() - kings
    parts = [f"{men} {'man' if men == 1 else 'men'}"]
    if kings:
        parts.append(f"{kings} {'king' if kings == 1 else 'kings'} ({'BW'[side]})")
    if lost := MEN - pieces.bit_count():
        parts.append(f"{lost} captured")
    return f"{COLOURS[side]} ({'bw'[side]}): {', '.join(parts)}"


def _captured_squares(move: Move) -> set[int]:
    """The squares that a *move* with its whole path jumps over."""
    if not move.is_capture:
        return set()
    places = [bit_of(square).bit_length() - 1 for square in move.path]
    return {square_of((here + there) // 2) for here, there in pairwise(places)}
