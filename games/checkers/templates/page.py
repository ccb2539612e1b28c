"""What a page asks of an exported checkers bot; see `bot`, whose sections precede these.

A position and a move are those of the bot.
"""

from __future__ import annotations

from evolve_arena.games.checkers.templates.bot import DEPTH, TURNED, WIN, Search, choose
from evolve_arena.games.checkers.templates.rules import (
    Position,
    bit_of,
    is_draw,
    list_moves,
    play,
    square_of,
    start_position,
    write_move,
)
from evolve_arena.players.board_paths import shorten_paths

# --- What a page asks ---------------------------------------------------------------------


def begin_page() -> Position:
    """Twelve men each."""
    return start_position(int(TURNED))


def ask_seat(position: Position) -> int:
    """Whose turn it is."""
    return position.side ^ int(TURNED)


def ask_moves(position: Position) -> list[tuple[int, ...]]:
    """The legal moves; none once the game is over."""
    return [] if is_draw(position) else list_moves(*position[:4])


def ask_names(position: Position) -> list[str]:
    """What the legal moves are called."""
    moves = ask_moves(position)
    return [write_move(move, moves) for move in moves]


def play_on_page(position: Position, move: tuple[int, ...]) -> Position:
    """The position after a move."""
    return play(position, move)


def ask_places(position: Position) -> list[int]:
    """The place of each seat once the game is over."""
    if list_moves(*position[:4]):
        return [1, 1]
    return [2, 1] if ask_seat(position) == 0 else [1, 2]


def ask_bot(position: Position) -> tuple[int, ...]:
    """The move that the bot chooses."""
    return choose(position)


def ask_values(position: Position) -> list[float]:
    """What each legal move is worth to who is to move, as far as the bot looks ahead."""
    values = []
    for move in ask_moves(position):
        value = Search(position.side, None).find_best(position, [move], DEPTH)[1]
        infinite = float("inf") if value > 0 else float("-inf")
        values.append(infinite if abs(value) >= WIN else value / 2**20)
    return values


def find_cell(square: int) -> int:
    """The cell of a square, 1 to 32."""
    place = 32 - square if TURNED else square - 1
    return 2 * place + 1 - place // 4 % 2


def ask_pieces(position: Position) -> list[list[int]]:
    """Cell, owner and kind (0 is a man, 1 a king) of each piece."""
    own, other, kings, _, _ = position
    seat, found = ask_seat(position), []
    for square in range(1, 33):
        bit = bit_of(square)
        if (own | other) & bit:
            owner = seat if own & bit else 1 - seat
            found.append([find_cell(square), owner, 1 if kings & bit else 0])
    return found


def ask_paths(position: Position) -> list[list[list[int]]]:
    """The squares to click for each legal move; the first and the last if no other has these."""
    moves = ask_moves(position)
    return shorten_paths([[find_cell(square_of(bit)) for bit in move[1:]] for move in moves])
