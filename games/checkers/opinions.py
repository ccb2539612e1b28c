"""What a program that looks ahead in checkers thinks of each move: the values it compares."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from evolve_arena.core.errors import one_line
from evolve_arena.games.checkers.graph import CheckersGraphPlayer
from evolve_arena.games.checkers.linear import PIECES, LinearPlayer
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.games.checkers.position import Move, Position
from evolve_arena.games.checkers.search import find_moves
from evolve_arena.games.checkers.seat import DEPTH, UNIT, CheckersScratch, make_checkers_scratch
from evolve_arena.players.lineup import Lineup
from evolve_arena.players.search import WIN

Thinker: TypeAlias = LinearPlayer | CheckersNetworkPlayer | CheckersGraphPlayer
"""Players of checkers that can be asked."""

LEAST_DEPTH = 3
"""Those who look less far ahead only tell of their best moves."""
PER_LINE = 6


def describe_thoughts(player: Thinker, position: Position) -> str:
    """The opinions in some lines, the best ones with a star; see :func:`find_thoughts`."""
    depth, game = player.design.depth, player.design.game
    thoughts = find_thoughts(player, position)
    best = max(thoughts.values())
    parts = [
        f"{game.format_move(move, position)}: {_write(value)}{'*' if value == best else ''}"
        for move, value in thoughts.items()
    ]
    lines = ["  " + "  ".join(parts[at : at + PER_LINE]) for at in range(0, len(parts), PER_LINE)]
    which = "each move" if depth >= LEAST_DEPTH else "its best moves"
    ahead = f"{depth} {'ply' if depth == 1 else 'plies'} ahead"
    head = f"{one_line(player.name)}'s values of {which}, {ahead}, {_name_unit(player)}:"
    return "\n".join([head, *lines])


def find_thoughts(player: Thinker, position: Position) -> dict[Move, float]:
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
    scratch = make_checkers_scratch(player.lineup)
    if player.design.depth < LEAST_DEPTH:
        moves, value = _search(player, player.lineup, position, scratch)
        return {move: _scale(value) for move in sorted(moves)}
    seats = player.lineup.seats.copy()
    seats[:, DEPTH] -= 2
    shallow = player.lineup._replace(seats=seats)
    return {
        move: _scale(_value_move(player, shallow, position, move, scratch))
        for move in player.design.game.legal_moves(position)
    }


def _value_move(
    player: Thinker, shallow: Lineup, position: Position, move: Move, scratch: CheckersScratch
) -> int:
    """What a *move* is worth; the *shallow* player looks two plies less far ahead."""
    game = player.design.game
    after = game.play(position, move)
    if end := game.outcome(after):
        return 0 if end.winner is None else WIN
    after = replace(after, past=())  # further on nobody looks for draws
    worst = WIN
    for answer in game.legal_moves(after):
        later = game.play(after, answer)
        later = replace(later, past=())
        value = -WIN if game.outcome(later) else _search(player, shallow, later, scratch)[1]
        worst = min(worst, value)
    return worst


def _search(
    player: Thinker, lineup: Lineup, position: Position, scratch: CheckersScratch
) -> tuple[list[Move], int]:
    """The moves that a search finds best, and their value."""
    own, other = position.dark, position.light
    if position.side == 1:
        own, other = other, own
    quiet = len(position.past)
    scratch.past[:quiet] = np.array(position.past, dtype=np.uint64)
    board = np.uint64(own), np.uint64(other), np.uint64(position.kings), position.side
    count, value = find_moves(lineup, 0, *board, quiet, scratch)
    return [player.design.game.move_of(int(word)) for word in scratch.moves[:count]], int(value)


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
