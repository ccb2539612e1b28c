"""Matches of more than two seats, with any players: move by move where not all are compiled.

Players that exist as arrays meet in the compiled kernels instead; both give the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.duel_result import ForfeitCount, count_forfeits
from evolve_arena.arena.executors import Executor, SerialExecutor
from evolve_arena.arena.match import Termination, hash_moves
from evolve_arena.arena.seating import (
    EMPTY,
    SEATS,
    SeatedResults,
    Seatings,
    make_seated_batch,
    new_seated_results,
)
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.games.ticket_to_ride.kernel import judge, new_table, players_word
from evolve_arena.games.ticket_to_ride.layout import FORBIDDEN, OFFENDER, OVER, PHASE, ROUND
from evolve_arena.players.forfeit import Forfeit, ForfeitError
from evolve_arena.players.lineup import combine_lineups
from evolve_arena.players.player import CompiledPlayer, Player, check_board, distinct_names

__all__ = ["TableMatch", "check_seats", "play_table", "play_tables"]

WORD = 2**64 - 1


@dataclass(frozen=True)
class TableMatch:
    """A finished match; what is told by seat is in order of moving."""

    moves: tuple[int, ...]
    """All moves, by their numbers."""
    points: tuple[int, ...]
    """Final points; as they stood if somebody forfeited."""
    places: tuple[int, ...]
    """1 for the most points, equals sharing the better place; who forfeited is last."""
    done: tuple[int, ...]
    """Tickets done."""
    failed: tuple[int, ...]
    """Tickets not done."""
    rounds: int
    offender: int
    """The seat that forfeited, or -1."""
    termination: Termination
    """A win if somebody is first alone, a draw if several are, or how somebody forfeited."""
    sentence: str
    """How it ended, in words."""
    errors: tuple[str, ...] = ()
    """The last lines on the standard error of who forfeited, if it is a program."""

    @property
    def game(self) -> int:
        """The hash of the moves that the kernels compute too."""
        return hash_moves(self.moves)


def play_table(
    game: AnyGame,
    players: Sequence[Player],
    *,
    seed: int = 0,
    watch: Callable[[Any, Any], None] | None = None,
) -> TableMatch:
    """Plays one match to its end; each player is shown what its seat may know, and no more.

    Args:
        game: The rules; as many play as it has seats.
        players: Who sits where, in order of moving. A player may sit at several seats.
        seed: Seeds decks and players; its lowest 64 bits count.
        watch: Called with every position and the move that led to it (None at the start).

    Raises:
        BadValueError: There are more or fewer players than seats.
    """
    if len(players) != game.seats:
        raise BadValueError(f"{len(players)} players sit at a table of {game.seats} seats")
    stream = new_stream(int(players_word(np.uint64(seed & WORD))))
    position = game.initial(seed & WORD)
    moves: list[int] = []
    forfeit: tuple[int, ForfeitError] | None = None
    if watch:
        watch(position, None)
    try:
        for seat, player in enumerate(players):
            player.begin(seat)
        while game.outcome(position) is None:
            seat = game.to_move(position)
            try:
                move = _ask(game, players[seat], position, seat, stream)
            except ForfeitError as error:
                forfeit = seat, error
                break
            position = game.play(position, move)
            moves.append(game.number_of(move))
            if watch:
                watch(position, move)
    finally:
        for player in players:
            player.end()
    return _judge(position, players, tuple(moves), forfeit)


def play_tables(
    game: AnyGame,
    players: Sequence[Player],
    seatings: Seatings,
    seeds: NDArray[np.uint64],
    executor: Executor | None = None,
) -> tuple[SeatedResults, tuple[ForfeitCount, ...]]:
    """Plays a match for each of *seatings*, compiled if all *players* are.

    Args:
        game: The rules; how many play is told by the seatings.
        players: Whom the seatings name, by number.
        seatings: Who sits where, shape ``(matches, SEATS)``.
        seeds: Shape ``(matches,)``; matches of the same seed have the same decks.
        executor: Plays the matches of compiled players; serial if None.

    Returns:
        The results, and who forfeited how often, and how.

    Raises:
        BadValueError: A player is made for another board.
    """
    for player in players:
        check_board(player, game.rules)
    compiled = [player for player in players if isinstance(player, CompiledPlayer)]
    if len(compiled) < len(players):
        return _play_one_by_one(game, players, seatings, seeds)
    lineup = combine_lineups([player.lineup for player in compiled])
    batch = make_seated_batch(game, lineup, seatings, seeds)
    results = (executor or SerialExecutor()).seat(batch)
    aborted = np.flatnonzero(~results.completed)
    return results, count_forfeits(
        (row, Termination.ILLEGAL_MOVE, f"{players[row].name} makes a forbidden move.", ())
        for row in seatings[aborted, results.offenders[aborted]].tolist()
    )


def check_seats(seats: int) -> int:
    """How many *seats* a table has.

    Raises:
        BadValueError: They are not from 2 to 5.
    """
    if not 2 <= seats <= SEATS:
        raise BadValueError(f"a table of {seats} seats: there must be from 2 to {SEATS}")
    return seats


def _play_one_by_one(
    game: AnyGame, players: Sequence[Player], seatings: Seatings, seeds: NDArray[np.uint64]
) -> tuple[SeatedResults, tuple[ForfeitCount, ...]]:
    results = new_seated_results(len(seatings))
    forfeits = []
    for number, (seating, seed) in enumerate(zip(seatings, seeds, strict=True)):
        seated = [players[row] for row in seating[seating != EMPTY]]
        match = play_table(_at_seats(game, len(seated)), seated, seed=int(seed))
        here = number, slice(0, len(seated))
        results.points[here] = match.points
        results.places[here] = match.places
        results.done[here] = match.done
        results.failed[here] = match.failed
        results.rounds[number] = match.rounds
        results.offenders[number] = match.offender
        results.games[number] = match.game
        if match.offender >= 0:
            row = int(seating[match.offender])
            forfeits.append((row, match.termination, match.sentence, match.errors))
    return results, count_forfeits(forfeits)


def _at_seats(game: AnyGame, seats: int) -> AnyGame:
    """The same game for so many players."""
    if game.seats == seats:
        return game
    return cast(AnyGame, make_game(game.name, **{**game.options, "players": seats}))


def _ask(game: AnyGame, player: Player, position: Any, seat: int, stream: Stream) -> Any:
    """The move of whose turn it is.

    Raises:
        ForfeitError: There is none, or the rules do not allow it.
    """
    move = player.choose(game.view(position, seat), stream)
    if move == FORBIDDEN:
        sentence = f"{player.name} wants to do what can't be done here."
        raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence)
    if move not in game.legal_moves(position):
        sentence = f"{player.name} plays {move}, which is not legal here."
        raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence)
    return move


def _judge(
    position: Any,
    players: Sequence[Player],
    moves: tuple[int, ...],
    forfeit: tuple[int, ForfeitError] | None,
) -> TableMatch:
    """What came of a match that ended in *position*, by the rules or not."""
    table = new_table()
    table.state[:] = position.array
    offender = -1
    if forfeit:
        offender = forfeit[0]
        table.state[OFFENDER], table.state[PHASE] = offender, OVER
    judge(position.rules, table)
    points, places, done, failed = (
        tuple(row[: len(players)].tolist())
        for row in (table.points, table.places, table.done, table.failed)
    )
    if forfeit:
        termination, sentence = Termination(forfeit[1].kind), str(forfeit[1])
    else:
        termination, sentence = _tell(players, points, places)
    rounds = int(table.state[ROUND])
    errors = forfeit[1].errors if forfeit else ()
    return TableMatch(
        moves, points, places, done, failed, rounds, offender, termination, sentence, errors
    )


def _tell(
    players: Sequence[Player], points: tuple[int, ...], places: tuple[int, ...]
) -> tuple[Termination, str]:
    table = ", ".join(str(number) for number in points)
    names = distinct_names([player.name for player in players])
    winners = [name for name, place in zip(names, places, strict=True) if place == 1]
    if len(winners) == 1:
        return Termination.WIN, f"{winners[0]} wins: {table} points."
    return Termination.DRAW, f"{' and '.join(winners)} are first: {table} points."
