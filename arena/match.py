"""One match, move by move, between any players: also people and programs.

Players that exist as arrays meet in the compiled kernels instead; both give the same game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from evolve_arena.core.game import AnyGame, Outcome
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.players.forfeit import Forfeit, ForfeitError
from evolve_arena.players.player import Player

__all__ = ["Match", "Termination", "hash_moves", "play_match"]

MASK = 0xFFFFFFFFFFFFFFFF


class Termination(StrEnum):
    """How a match ended."""

    WIN = "win"
    DRAW = "draw"
    ILLEGAL_MOVE = Forfeit.ILLEGAL_MOVE.value
    TIMEOUT = Forfeit.TIMEOUT.value
    CRASH = Forfeit.CRASH.value
    GARBAGE = Forfeit.GARBAGE.value
    FLOOD = Forfeit.FLOOD.value
    RESIGNED = Forfeit.RESIGNED.value


@dataclass(frozen=True)
class Match:
    """A finished match."""

    moves: tuple[Any, ...]
    """All moves, those of the opening included."""
    outcome: int
    """1 if the player who moved first won, 0 for a draw, -1 if the other won."""
    termination: Termination
    sentence: str
    """How it ended, in words."""
    numbers: tuple[int, ...] = ()
    """The moves by their numbers (:meth:`evolve_arena.core.game.Game.number_of`); empty if they
    are numbers themselves."""
    offender: int = -1
    """The side that forfeited, or -1."""
    errors: tuple[str, ...] = ()
    """The last lines on its standard error then, if it is a program."""

    @property
    def game(self) -> int:
        """The hash of the moves that the kernels compute too."""
        return hash_moves(self.numbers or self.moves)


def play_match(
    game: AnyGame,
    players: Sequence[Player],
    *,
    seed: int = 0,
    opening: Sequence[int] = (),
    watch: Callable[[Any, Any], None] | None = None,
) -> Match:
    """Plays one match to its end.

    Args:
        game: The rules.
        players: Who moves first, and the other.
        seed: Seeds the match's stream, from which both players draw in turn.
        opening: The numbers of moves made before the players decide; -1 ends it early.
        watch: Called with every position and the move that led to it (None at the start).
    """
    stream = new_stream(seed)
    position = game.initial()
    moves: list[Any] = []
    forfeit: tuple[int, ForfeitError] | None = None
    if watch:
        watch(position, None)
    try:
        for side, player in enumerate(players):
            player.begin(side)
        while (outcome := game.outcome(position)) is None:
            side = game.to_move(position)
            player = players[side]
            if len(moves) < len(opening) and opening[len(moves)] >= 0:
                move = game.move_of(opening[len(moves)])
            else:
                try:
                    move = _ask(game, player, position, stream)
                except ForfeitError as error:
                    forfeit = side, error
                    break
            position = game.play(position, move)
            moves.append(move)
            if watch:
                watch(position, move)
    finally:
        for player in players:
            player.end()
    numbers = tuple(game.number_of(move) for move in moves)
    told = tuple(moves), () if numbers == tuple(moves) else numbers
    if forfeit is None:
        return Match(told[0], *_judge(cast(Outcome, outcome), players), told[1])
    side, reason = forfeit
    ending = 2 * side - 1, Termination(reason.kind), str(reason)
    return Match(told[0], *ending, told[1], offender=side, errors=reason.errors)


def hash_moves(numbers: Sequence[int]) -> int:
    """The hash of a game's moves, by their *numbers*, that the kernels compute too.

    Source: FNV-1a, Fowler, Noll and Vo, with whole moves in place of bytes.
    """
    value = 0xCBF29CE484222325
    for number in numbers:
        value = (value ^ (number + 1)) * 0x100000001B3 & MASK
    return value


def _judge(outcome: Outcome, players: Sequence[Player]) -> tuple[int, Termination, str]:
    winner = outcome.winner
    if winner is None:
        return 0, Termination.DRAW, f"A draw: {outcome.reason}."
    sentence = f"{players[winner].name} wins: {outcome.reason}."
    return 1 - 2 * winner, Termination.WIN, sentence


def _ask(game: AnyGame, player: Player, position: Any, stream: Stream) -> Any:
    move = player.choose(position, stream)
    if move not in game.legal_moves(position):
        raise ForfeitError(
            Forfeit.ILLEGAL_MOVE, f"{player.name} plays {move}, which is not legal here."
        )
    return move
