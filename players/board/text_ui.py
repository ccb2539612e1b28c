"""Text interface of any board game in one file, for terminals and for programs that play."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from math import inf

from evolve_arena.core.errors import IllegalMoveError, PositionError, one_line
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import shipped_games
from evolve_arena.core.types import Array
from evolve_arena.players.board.game import FEW, Board, BoardGame, name_column
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.dialects import Dialect, Limits
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.text_ui import TextUI, shorten

SEAT_SIGNS = ("x", "o", "z", "v", "w")
"""Default names of the seats."""
COLOURS = (33, 36, 35, 32, 34)
"""Terminal colours of each seat's pieces."""


class BoardText(TextUI):
    """Text interface by the game's own drawing, else by cells and their names, such as d3.

    Args:
        game: Game to play. Its file may have ``SIDES``, the names of the seats by their pieces, and
            ``SIGNS``, the sign of each kind of piece.
    """

    game: BoardGame

    def __init__(self, game: BoardGame) -> None:
        super().__init__(game)
        code, plain = game.code, game.plain
        self.sides = tuple(plain.get("SIDES", SEAT_SIGNS[: game.seats]))
        signs = "".join(
            letter if code.PIECES == 1 else f"{letter}{'abcdefghijklm'[: code.PIECES - 1]}"
            for letter in SEAT_SIGNS[: game.seats]
        )
        signs += "#%@&*+=?"[: max(0, code.PLANES - len(signs))]
        self.signs: str = plain.get("SIGNS", signs)
        self.is_open = "view" not in plain  # type: ignore[misc]
        legal = game.legal_moves(game.initial())
        example = game.format_move(legal[len(legal) // 2])
        self.greeting = f"The name of a move, such as {example}, plays it."

    def read(self, text: str, position: Board) -> int:
        """Return the move that *text* names."""
        return self.game.parse_move(text.strip().lower(), position)

    def read_turn(self, text: str, position: Board) -> list[int]:
        """Return the moves that *text* names: one, or all of a turn."""
        return self.game.parse_turn(text, position)

    def name(self, move: int, position: Board) -> str:
        """Return the name of *move*, such as "d3"."""
        return self.game.format_move(move)

    def tell_turn(self, turn: Sequence[tuple[Board, int]]) -> str:
        """Describe a turn, such as "plays 11x18x25"."""
        if "name_turn" in self.game.plain:
            return f"plays {self.game.name_turn([move for _, move in turn])[0]}"
        return super().tell_turn(turn)

    def question(self, position: Board) -> str:
        """Return the expected entry, with a legal move as an example."""
        moves = self.game.legal_moves(position)
        return f"a move such as {self.game.format_move(moves[0])}" if moves else "a move"

    def list_moves(self, position: Board) -> str:
        """Return a sentence with the legal moves."""
        names = [self.game.format_move(move) for move in self.game.legal_moves(position)]
        if len(names) == 1:
            return f"Only {names[0]} can be played."
        return f"These moves can be played: {', '.join(names)}."

    def advise(self, error: IllegalMoveError, position: Board) -> str:
        """Return all legal moves, unless the *error* names them."""
        return self.list_moves(position) if len(self.game.legal_moves(position)) > FEW else ""

    def draw(
        self,
        position: Board,
        last: int | None = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """Return the file's own drawing, or the cells with their names around and moves marked.

        Args:
            position: Position to draw.
            last: Last move, to be marked; None if there is none.
            colour: True if pieces may have colour codes for terminals.
            names: Names of the players, which the drawing does not show.
        """
        if "show" in self.game.plain:
            return str(self.game.ask("show", self.game.to_native(position))).rstrip("\n")
        if not self.game.symmetry:
            return position.drawing()
        code = self.game.code
        planes = self.game.observe(position, 0)
        if self.game.stacks:
            return self._draw_stacks(planes, last, colour)
        if self.game.has_places:
            return self._draw_places(planes, last, colour)
        # Rows of cells between letters and numbers; legal cells are marked if moves are cells.
        cells_are_moves = code.MOVES - code.CELLS in (0, 1)  # passing may be one more
        legal = set(self.game.legal_moves(position)) if cells_are_moves else set()
        last = last if cells_are_moves else None
        width, height = int(code.WIDTH), int(code.CELLS // code.WIDTH)
        head = "   " + "".join(f"{name_column(column):<2}" for column in range(width)).rstrip()
        lines = [head]
        for row in range(height):
            cells = range(row * width, (row + 1) * width)
            marks = (self._mark(planes, cell, cell in legal, last, colour) for cell in cells)
            lines.append(f"{row + 1:2} {' '.join(marks)} {row + 1}")
        return "\n".join([*lines, head])

    def _draw_stacks(self, planes: Array, last: int | None, colour: bool) -> str:
        """Draw stacks: rows of cells, names of columns below, the last piece in upper case."""
        grid, names = self.game.grid, self.game.column_names
        told = "" if last is None else self.game.format_move(last)
        tops = {
            name: next((int(cell) for cell in column if planes[:, cell].any()), -1)
            for name, column in zip(names, grid.T, strict=True)
        }
        rows = [[self._mark(planes, c, False, tops.get(told), colour) for c in row] for row in grid]
        space = max(map(len, names))
        lines = [[" " * (space - 1) + mark for mark in row] for row in rows]
        return "\n".join("  " + " ".join(row) for row in [*lines, [f"{n:>{space}}" for n in names]])

    def _draw_places(self, planes: Array, last: int | None, colour: bool) -> str:
        """Draw each cell, after its name, where the file puts it; mark those of the last move.

        A count of each seat's pieces follows.
        """
        told = "" if last is None else self.game.format_move(last)
        names = [self.game.name_cell(cell) for cell in range(len(planes[0]))]
        named = set(names).intersection(re.split(r"[-x ]", told))
        size, rows = max(map(len, names)), dict[int, dict[int, str]]()
        for cell, place in enumerate(self.game.places):
            if place is not None:
                left, right = "[]" if names[cell] in named else "  "
                mark = self._mark(planes, cell, False, None, colour)
                text = f"{names[cell]:>{size}}{left}{mark}{right}"
                rows.setdefault(round(place[1]), {})[round(place[0])] = text
        columns = range(max(max(row) for row in rows.values()) + 1)
        lines = [
            "".join(rows[row].get(column, " " * (size + 3)) for column in columns).rstrip()
            for row in sorted(rows)
        ]
        counts = []
        for seat, side in enumerate(self.sides):
            pieces = range(seat * self.game.code.PIECES, (seat + 1) * self.game.code.PIECES)
            many = ((int(planes[piece].sum()), self.signs[piece]) for piece in pieces)
            kinds = ", ".join(f"{count} {sign}" for count, sign in many if count)
            counts.append(f"{side}: {kinds or 'nothing'}")
        return "\n".join([*lines, "", *counts])

    def _mark(
        self, planes: Array, cell: int, is_legal: bool, last: int | None, colour: bool
    ) -> str:
        owners = [plane for plane in range(len(planes)) if planes[plane, cell]]
        mark = self.signs[owners[0] % len(self.signs)] if owners else "·" if is_legal else "."
        pieces = int(self.game.code.PIECES)
        if cell == last and owners and pieces == 1:
            mark = mark.upper()
        seat = owners[0] // pieces if owners else -1
        code = COLOURS[seat] if 0 <= seat < self.game.seats else 0
        return f"\x1b[1;{code}m{mark}\x1b[0m" if colour and code else mark

    def write_game(self, moves: Sequence[int], positions: Sequence[Board]) -> str:
        """Write the moves, separated by blanks; those of a turn together if turns have names."""
        if "name_turn" not in self.game.plain:
            return " ".join(self.game.format_move(move) for move in moves)
        turns, before = list[list[int]](), -1
        for move, position in zip(moves, positions, strict=False):
            if (seat := self.game.to_move(position)) != before:
                turns.append([])
            turns[-1].append(move)
            before = seat
        return " ".join(self.game.name_turn(turn)[0] for turn in turns)

    def read_game(self, text: str) -> tuple[int, ...]:
        """Return the moves of a text such as ``d3 c5``; games of chance have none."""
        if self.game.code.HAS_CHANCE:
            return super().read_game(text)
        try:
            return tuple(self.game.parse_game(text)[0])
        except PositionError as error:
            raise PositionError(f"moves {shorten(text)!r}: {error}") from None

    def read_games(self, text: str) -> list[tuple[str, tuple[int, ...]]]:
        """Return the game of bare moves, or the games of a PGN or PDN file with tags.

        Comments in braces, parentheses or after a semicolon are skipped, and so are marks.
        """
        if not text.lstrip().startswith("["):
            return super().read_games(text)
        found = list[tuple[str, tuple[int, ...]]]()
        parts = re.split(r"((?:^\s*\[[^\n]*\]\s*$\n?)+)", text, flags=re.MULTILINE)
        for head, moves in zip(parts[1::2], parts[2::2], strict=True):
            tags = dict(re.findall(r'\[\s*(\w+)\s+"([^"\n]*)"', head))
            where = f"game {len(found) + 1}"
            if tags.get("FEN"):
                raise PositionError(f"{where} does not begin as games do: it has a tag FEN")
            try:
                bare = re.sub(r"\{[^}]*\}|\([^)]*\)|;[^\n]*|\$[0-9]+|[!?]+", " ", moves)
                played = tuple(self.game.parse_game(bare)[0])
            except PositionError as error:
                raise PositionError(f"{where}, {error}") from None
            names = [tags.get(name, "?") for name in ("White", "Black")]
            begins = names[::-1] if self.sides[0] in ("black", "dark") else names
            found.append((" - ".join(begins), played))
        return found

    def has_values(self, player: Player) -> bool:
        """Test whether *player* values moves: networks and searches to a depth do."""
        return isinstance(player, CompiledPlayer) and bool(rate_moves(player, self.game.initial()))

    def find_values(self, player: CompiledPlayer, position: Board) -> dict[int, float]:
        """Return the values of moves; that of a win at once is infinite."""
        return rate_moves(player, position)

    def describe_values(self, player: CompiledPlayer, position: Board) -> str:
        """Return the values of all moves, the best one with a star, eight in a line."""
        return list_values(player, rate_moves(player, position), self.game.format_move)

    def called(self) -> str:
        """Return the name of a shipped game, or the path of another game's file."""
        shipped = self.game.name in shipped_games()
        return self.game.name if shipped else os.path.relpath(self.game.file)


def list_values(player: Player, values: Mapping[int, float], name: Callable[[int], str]) -> str:
    """Return a *player*'s *values* of moves as text, the best one with a star, eight in a line.

    Args:
        player: Player whose values they are.
        values: Value of each move, one or more; infinite ones tell wins and losses.
        name: Returns the name of a move.
    """
    best = max(values, key=lambda move: values[move])
    parts = [
        f"{name(move)}: {_write_value(value)}{'*' if move == best else ''}"
        for move, value in values.items()
    ]
    lines = ["  " + "  ".join(parts[at : at + 8]) for at in range(0, len(parts), 8)]
    return "\n".join([f"{one_line(player.name)}'s values of moves:", *lines])


def _write_value(value: float) -> str:
    return "wins" if value == inf else "loses" if value == -inf else f"{value:.3g}"


class BoardDialect(Dialect):
    """Protocol in lines of words: states are sent as numbers, moves as numbers or names."""

    answer = "'move' and the number or name of a move"
    farewell = "quit\n"
    limits = Limits(time_bank=10_000, per_move=1_000)

    def greet(self, game: AnyGame, side: int, limits: Limits) -> str:
        """Return the lines that name the game and the bot's seat.

        Args:
            game: Game to play; its options are named, too.
            side: Seat of the bot, from 0.
            limits: Limits of the bot, which this protocol does not tell.
        """
        options = "".join(f" {name}={value}" for name, value in game.options.items())
        return f"game {game.name}{options}\nseat {side}\n"

    def show(self, position: Board) -> str:
        """Return the numbers of the state, whose meaning the game's rules define.

        Where earlier positions can end a game, the states since the last move that made progress
        come first, each after the word ``past``.
        """
        lines = [("past", state) for state in position.past] + [("state", position.state)]
        return "".join(f"{word} {' '.join(map(str, state))}\n" for word, state in lines)

    def ask(self, bank: int, limits: Limits) -> str:
        """Return the line that asks for a move, with the milliseconds in the time bank."""
        return f"go {bank}\n"

    def read(self, game: AnyGame, position: Board, line: bytes) -> int | None:
        """Return the move of ``move 19`` or ``move d3``.

        Args:
            game: Game that is played.
            position: Position in which the bot is to move.
            line: Answer of the bot, one line without white space at its ends.

        Raises:
            IllegalMoveError: The rules do not allow the move.
        """
        found = re.fullmatch(rb"move[ \t]+([\w.+-]{1,60})[ \t]*", line)
        if found is None:
            return None
        text = found[1].decode("ascii", "replace")
        move = int(text) if text.isdigit() else game.parse_move(text)
        game.play(position, move)
        return int(move)
