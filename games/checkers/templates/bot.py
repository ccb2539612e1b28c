"""The outside of every exported checkers bot: its search, and how hosts ask it.

An exported file is made of the sections of this file, of `checkers_rules`, and of an inside that
values positions: `checkers_linear`, or `checkers_network` with the arithmetic of `mlp`. A section
begins with a ruled line. The player that stands here only makes this file a module that tools can
check. Whatever is here must stay free of everything but Python 3.8 and its standard library.
"""

from __future__ import annotations

import json
import re
import sys
import time
from typing import Any

from evolve_arena.games.checkers.templates.linear import begin, follow, value_board
from evolve_arena.games.checkers.templates.rules import (
    Position,
    bit_of,
    can_capture,
    can_move,
    is_draw,
    list_moves,
    move_piece,
    play,
    read_move,
    read_position,
    square_of,
    start_position,
    write_move,
)

# --- The player ---------------------------------------------------------------------------
DEPTH, QUIET, TURNED = 1, False, False
# --- How it chooses -----------------------------------------------------------------------

WIN = 1 << 40
INFINITE = 2 * WIN
DEEPEST = 99
MOST_REMEMBERED = 300_000


class OutOfTimeError(Exception):
    """No time is left to look ahead."""


class Chance:
    """Random numbers: SplitMix64, as the arena's."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def below(self, count: int) -> int:
        """A whole number from 0 to count - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        word = self.state
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        return ((word ^ word >> 31) >> 32) * count >> 32


CHANCE = Chance(time.time_ns())


def choose(
    position: Position,
    depth: int = DEPTH,
    seconds: float | None = None,
    moves: list[tuple[int, ...]] | None = None,
) -> tuple[int, ...]:
    """The move to play: one of those that are best, looking depth plies ahead.

    With a limit of time it looks one ply ahead, then two, and so on up to depth, and goes by the
    last look that it could complete. If moves are given, it is one of these.
    """
    if moves is None:
        moves = list_moves(*position[:4])
    if not moves:
        raise ValueError("there is no move: the game is over")
    if len(moves) > 1:
        search = Search(position.side, seconds)
        moves = search.deepen(position, moves, depth)
    return moves[CHANCE.below(len(moves))] if len(moves) > 1 else moves[0]


class Search:
    """One look ahead, by alpha-beta.

    A value is what a position is worth to the player to move, in the eyes of the one who looks.
    Draws are only looked for right after the first move.
    """

    def __init__(self, searcher: int, seconds: float | None) -> None:
        self.searcher = searcher
        self.timed = seconds is not None
        self.deadline = time.monotonic() + (seconds or 0.0) if self.timed else float("inf")
        self.known: dict[tuple[int, ...], tuple[int, int, int, tuple[int, ...]]] = {}
        self.cuts: dict[tuple[int, ...], int] = {}
        self.best: list[tuple[int, ...]] = []

    def deepen(
        self, position: Position, moves: list[tuple[int, ...]], depth: int
    ) -> list[tuple[int, ...]]:
        """The best moves at this depth, or at the last one for which there was time."""
        best, value = moves, 0
        for plies in range(1 if self.timed else depth, depth + 1):
            try:
                best, value = self.find_best(position, moves, plies)
            except OutOfTimeError:
                break
            if abs(value) >= WIN:
                break
        return best

    def find_best(
        self, position: Position, moves: list[tuple[int, ...]], depth: int
    ) -> tuple[list[tuple[int, ...]], int]:
        """All moves that are worth most, in the order of the list, and what they are worth.

        Those that were best the last time are tried first.
        """
        own, other, kings, side, _ = position
        sums = begin(own, other, kings, side)
        best: list[tuple[int, ...]] = []
        most = -INFINITE
        for move in sorted(moves, key=lambda move: move not in self.best):
            after = move_piece(own, other, kings, move)
            if not can_move(*after, 1 - side):
                value = WIN + depth
            elif is_draw(play(position, move)):
                value = 0
            else:
                kept = follow(sums, kings, side, self.searcher, move)
                # A window that begins below the best so far tells equals from worse.
                value = -self.value(*after, 1 - side, depth - 1, -INFINITE, 1 - most, kept)
            if value > most:
                best, most = [], value
            if value == most:
                best.append(move)
        self.best = [move for move in moves if move in best]
        return self.best, most

    def value(
        self,
        own: int,
        other: int,
        kings: int,
        side: int,
        depth: int,
        low: int,
        high: int,
        sums: int,
    ) -> int:
        """What the position is worth; a bound if that is not between low and high."""
        if depth == 0 and not (QUIET and can_capture(own, other, kings, side)):
            if not can_move(own, other, kings, side):
                return -1 - WIN
            return value_board(own, other, kings, side, self.searcher, sums)
        if time.monotonic() > self.deadline:
            raise OutOfTimeError
        key = (own, other, kings, side)
        hint: tuple[int, ...] = ()
        if depth > 1 and key in self.known:
            plies, least, most, hint = self.known[key]
            if plies == depth and (least == most or least >= high or most <= low):
                return least if least >= high else most
        moves = list_moves(own, other, kings, side)
        if not moves:
            return -1 - WIN - depth
        if depth > 1:
            cuts = self.cuts
            moves.sort(
                key=lambda move: INFINITE if move == hint else cuts.get(move, 0), reverse=True
            )
        best, floor, left = -INFINITE, low, max(depth - 1, 0)
        for move in moves:
            after = move_piece(own, other, kings, move)
            kept = follow(sums, kings, side, self.searcher, move)
            value = -self.value(*after, 1 - side, left, -high, -floor, kept)
            if value > best:
                best, hint = value, move
                if best > floor:
                    floor = best
                    if best >= high:
                        self.cuts[move] = self.cuts.get(move, 0) + depth * depth
                        break
        if depth > 1:
            self.remember(key, depth, low, high, best, hint)
        return best

    def remember(
        self,
        key: tuple[int, ...],
        depth: int,
        low: int,
        high: int,
        value: int,
        move: tuple[int, ...],
    ) -> None:
        """Notes what a search with this window gave: at least and at most how much."""
        if len(self.known) >= MOST_REMEMBERED:
            self.known.clear()
        least = -INFINITE if value <= low else value
        most = INFINITE if value >= high else value
        self.known[key] = (depth, least, most, move)


# --- How a game is played -----------------------------------------------------------------


def start() -> Position:
    """Returns the position before the first move."""
    return start_position(int(TURNED))


def legal(position: Position) -> list[tuple[int, ...]]:
    """Returns the moves in a position; none once the game is over."""
    return [] if is_draw(position) else list_moves(*position[:4])


def result(position: Position) -> Any:
    """Returns None while the game goes on, else 1, 0 or -1 for each: won, drawn or lost."""
    if not can_move(*position[:4]):
        return (-1, 1) if position.side == int(TURNED) else (1, -1)
    return (0, 0) if is_draw(position) else None


# --- Actions of OpenSpiel ----------------------------------------------------------------

# OpenSpiel, and Kaggle with it, numbers actions so: 64 times the row (0 is row 8) plus 8 times the
# column, plus 2 times the direction, plus 1 for a jump. Every jump of a capture is an action of
# its own. The first player, who sits below, is dark here; its square 1 is g1.

WAYS = ((-1, -1), (-1, 1), (1, 1), (1, -1))
SIGNS = {"o": (0, 0), "O": (0, 1), "8": (0, 1), "+": (1, 0), "*": (1, 1)}


def bit_at(row: int, column: int) -> int:
    """The bit of one of OpenSpiel's squares."""
    return bit_of((7 - row) * 4 + (7 - column) // 2 + 1)


def find_cell(bit: int) -> tuple[int, int]:
    """The row and the column of one of our bits."""
    row, place = divmod(square_of(bit) - 1, 4)
    return 7 - row, 7 - (2 * place + 1 - row % 2)


def number_of(move: tuple[int, ...]) -> int:
    """The number of the first action that a move consists of."""
    (row, column), (below, right) = find_cell(move[1]), find_cell(move[2])
    way = WAYS.index((1 if below > row else -1, 1 if right > column else -1))
    return 64 * row + 8 * column + 2 * way + (1 if move[0] else 0)


def act(position: Position, action: int) -> tuple[Position, int]:
    """The position after one action, and the piece that has to jump on, else 0."""
    row, column, (down, right) = action // 64, action // 8 % 8, WAYS[action // 2 % 4]
    origin, size = bit_at(row, column), 1 + action % 2
    target = bit_at(row + size * down, column + size * right)
    captured = bit_at(row + down, column + right) if size > 1 else 0
    after = play(position, (captured, origin, target))
    crowned = after.kings & target and not position.kings & origin
    own, other, kings = after.other, after.own, after.kings
    if captured and not crowned and target in origins(own, other, kings, position.side):
        return Position(own, other, kings, position.side), target
    return after, 0


def origins(own: int, other: int, kings: int, side: int) -> set[int]:
    """The pieces that can capture."""
    return {move[1] for move in list_moves(own, other, kings, side) if move[0]}


# --- How hosts ask ------------------------------------------------------------------------


def play_on_stdin() -> None:
    """Answers lines of text until the input ends; see the top of this file."""
    position: Position | None = None
    for line in sys.stdin.buffer:
        words = line.decode("ascii", "replace").split()
        try:
            if words[:1] == ["quit"]:
                break
            if words[:1] == ["position"]:
                position = None
                position = set_up(words[1:])
            elif words[:1] == ["seed"]:
                CHANCE.state = read_number(words[1:], 0) % 2**64
            elif words[:1] == ["go"]:
                print(answer(position, words[1:]), flush=True)
        except ValueError as error:
            print(f"{' '.join(words)[:60]}: {error}", file=sys.stderr, flush=True)


def set_up(words: list[str]) -> Position:
    """The position that the words after "position" describe, else ValueError."""
    at = words.index("moves") if "moves" in words else len(words)
    first = words[:at]
    position = start_position(int(TURNED))
    if first != ["start"]:
        position = read_position(" ".join(first))
    for word in words[at + 1 :]:
        position = play(position, read_move(word.lower(), position))
    return position


def answer(position: Position | None, words: list[str]) -> str:
    """The answer to "go", else ValueError."""
    if position is None:
        raise ValueError("there is no position")
    if words[:1] == ["movetime"]:
        # A part is kept back for the way there and back.
        seconds = max(0.9 * read_number(words[1:], 0) - 5.0, 0.0) / 1000.0
        move = choose(position, DEEPEST, seconds)
    elif words[:1] == ["depth"]:
        move = choose(position, min(read_number(words[1:], 1), DEEPEST))
    elif words:
        raise ValueError("write go, go depth PLIES or go movetime MILLISECONDS")
    else:
        move = choose(position)
    return f"move {write_move(move, list_moves(*position[:4]))}"


def read_number(words: list[str], least: int) -> int:
    """The one whole number among the words, else ValueError."""
    if len(words) != 1 or not words[0].isdigit() or len(words[0]) > 20 or int(words[0]) < least:
        raise ValueError(f"a whole number is wanted, {least} or more")
    return int(words[0])


def read_history(text: str) -> tuple[Position, int] | None:
    """The position after the actions that a serialised game lists, and the piece to jump on.

    The piece is 0 if none has to; nothing is given if the text cannot be read.
    """
    # A line for each action, or all behind "history=", each with its player: 0:336,1:172.
    played = re.search(r"\[State\]\s*(?:history=)?([0-9:,\s]*)", text)
    if not played:
        return None
    position, jumper = start_position(0), 0
    for number in re.findall("(?:[0-9]+:)?([0-9]+)", played[1]):
        try:
            position, jumper = act(position, int(number))
        except ValueError:
            return None
    return position, jumper


def read_board(text: str, side: int) -> tuple[Position, int]:
    """The same from the board that is shown; what was before is unknown."""
    shown: Any = json.loads(text) if text.startswith("{") else {}
    rows = shown["board"][::-1] if shown else [line[1:] for line in text.splitlines()[:8]]
    sides, kings = [0, 0], 0
    for row, marks in enumerate(rows):
        for column, mark in enumerate(marks):
            if mark in SIGNS:
                colour, king = SIGNS[mark]
                sides[colour] |= bit_at(row, column)
                kings |= king * bit_at(row, column)
    position = Position(sides[side], sides[1 - side], kings, side)
    last = shown.get("last_move") or ""
    target = bit_at(8 - int(last[3]), "abcdefgh".index(last[2])) if last else 0
    return position, target & position.own


def look_up(thing: Any, name: str) -> Any:
    """What is called so in a dictionary or an object; None if there is nothing."""
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)


def agent(observation: Any, configuration: Any = None) -> dict[str, int]:
    """The agent for Kaggle's open_spiel_checkers, which takes the last function in this file."""
    side, legal = look_up(observation, "currentPlayer"), look_up(observation, "legalActions")
    board = look_up(observation, "observationString")
    if not board or side not in (0, 1) or side != look_up(observation, "playerId"):
        return {"submission": -1}
    try:
        position, jumper = read_board(board, side)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise ValueError("the observationString holds no board") from None
    told = read_history(look_up(observation, "serializedGameAndState") or "")
    if told and told[0][:4] == position[:4]:  # it also knows what was before
        position, jumper = told
    moves = list_moves(*position[:4])
    moves = [move for move in moves if not jumper or move[1] == jumper]
    if legal:
        moves = [move for move in moves if number_of(move) in legal]
    if not moves:
        return {"submission": legal[0] if legal else -1}
    seconds = look_up(configuration, "actTimeout")
    move = choose(position, DEPTH, None if seconds is None else 0.5 * seconds, moves)
    return {"submission": number_of(move)}


if __name__ == "__main__":
    play_on_stdin()
