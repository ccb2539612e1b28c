"""Matches between any players, also people and programs: move by move, or compiled.

Players that exist as arrays meet in the compiled kernels; both ways give the same games.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import (
    EMPTY,
    Openings,
    Results,
    Seatings,
    make_batch,
    new_results,
)
from evolve_arena.arena.duel_result import ForfeitCount, count_forfeits
from evolve_arena.arena.executors import Executor, SerialExecutor
from evolve_arena.core.errors import BadValueError, one_line
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import (
    CompiledPlayer,
    Forfeit,
    ForfeitError,
    Player,
    check_board,
    distinct_names,
)

WORD = 2**64 - 1
Keep = Callable[[AnyGame, Sequence[str], int, "Match"], None]
"""Is given each match that is played, with the game, the players' names by seat, and its seed."""


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
    """A finished match; what is told by seat is in order of moving."""

    moves: tuple[Any, ...]
    """All moves, those of the opening included."""
    places: tuple[int, ...]
    """1 is the best, equals sharing the better place; who forfeited is last."""
    termination: Termination
    """A win if somebody is first alone, a draw if several are, or how somebody forfeited."""
    sentence: str
    """How it ended, in words."""
    numbers: tuple[int, ...] = ()
    """The moves by their numbers (:meth:`evolve_arena.core.game.Game.number_of`); empty if they
    are numbers themselves."""
    offender: int = -1
    """The seat that forfeited, or -1."""
    errors: tuple[str, ...] = ()
    """The last lines on its standard error then, if it is a program."""
    columns: Mapping[str, Any] = field(default_factory=dict)
    """What the game counts beside, by name; as it stood if somebody forfeited."""

    @property
    def outcome(self) -> int:
        """In games of two: 1 if the player who moved first won, 0 for a draw, -1 for a loss."""
        return int(np.sign(self.places[1] - self.places[0]))

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
    """Plays one match to its end; each player is shown what its seat may know, and no more.

    Args:
        game: The rules; as many play as it has seats.
        players: Who sits where, in order of moving. A player may sit at several seats.
        seed: Seeds what chance the game has, and the stream from which all players draw; its
            lowest 64 bits count.
        opening: The numbers of moves made before the players decide; -1 ends it early.
        watch: Called with every position and the move that led to it (None at the start).

    Raises:
        BadValueError: There are more or fewer players than seats.
    """
    if len(players) != game.seats:
        raise BadValueError(f"{len(players)} players sit at a table of {game.seats} seats")
    stream = new_stream(game.stream_seed(seed & WORD))
    position = game.initial(seed & WORD)
    moves: list[Any] = []
    forfeit: tuple[int, ForfeitError] | None = None
    if watch:
        watch(position, None)
    try:
        for seat, player in enumerate(players):
            player.begin(seat)
        while game.outcome(position) is None:
            seat = game.to_move(position)
            if len(moves) < len(opening) and opening[len(moves)] >= 0:
                move = game.move_of(opening[len(moves)])
            else:
                try:
                    move = _ask(game, players[seat], position, seat, stream)
                except ForfeitError as error:
                    forfeit = seat, error
                    break
            position = game.play(position, move)
            moves.append(move)
            if watch:
                watch(position, move)
    finally:
        for player in players:
            player.end()
    return judge(game, position, tuple(moves), forfeit, partial(_tell, players))


def play_matches(
    game: AnyGame,
    players: Sequence[Player],
    seatings: Seatings,
    seeds: NDArray[np.uint64],
    openings: Openings | None = None,
    executor: Executor | None = None,
    keep: Keep | None = None,
) -> tuple[Results, tuple[ForfeitCount, ...]]:
    """Plays a match for each of *seatings*, compiled if all *players* are.

    Args:
        game: The rules; how many play is told by the seatings.
        players: Whom the seatings name, by number.
        seatings: Who sits where, shape ``(matches, slots)``.
        seeds: Shape ``(matches,)``; in games of chance matches of the same seed begin alike.
        openings: How the matches begin, shape ``(matches, plies)``.
        executor: Plays the matches of compiled players; serial if None.
        keep: Is given each match with its moves, which compiled code forgets: so none is used.

    Returns:
        The results, and who forfeited how often, and how.

    Raises:
        BadValueError: A player is made for another board.
    """
    for player in players:
        check_board(player, game.rules)
    compiled = [player for player in players if isinstance(player, CompiledPlayer)]
    packed = combine_players([player.packed for player in compiled]) if compiled else None
    if packed is None or len(compiled) < len(players) or keep:
        return _play_one_by_one(game, players, seatings, seeds, openings, keep)
    batch = make_batch(game, packed, seatings, seeds, openings)
    results = (executor or SerialExecutor()).play(batch)
    aborted = np.flatnonzero(~results.completed)
    return results, count_forfeits(
        (row, Termination.ILLEGAL_MOVE, f"{players[row].name} makes a forbidden move.", ())
        for row in seatings[aborted, results.offenders[aborted]].tolist()
    )


def hash_moves(numbers: Sequence[int]) -> int:
    """The hash of a game's moves, by their *numbers*, that the kernels compute too.

    Source: FNV-1a, Fowler, Noll and Vo, with whole moves in place of bytes.
    """
    value = 0xCBF29CE484222325
    for number in numbers:
        value = (value ^ (number + 1)) * 0x100000001B3 & WORD
    return value


def at_seats(game: AnyGame, seats: int) -> AnyGame:
    """The same game for so many players."""
    spec = find_game(game.name)
    if game.seats == seats or spec.seats_option is None:
        return game
    changed: AnyGame = spec.make(**{**game.options, spec.seats_option: seats})
    return changed


def _play_one_by_one(
    game: AnyGame,
    players: Sequence[Player],
    seatings: Seatings,
    seeds: NDArray[np.uint64],
    openings: Openings | None,
    keep: Keep | None,
) -> tuple[Results, tuple[ForfeitCount, ...]]:
    results = new_results(game, len(seatings))
    forfeits = []
    for number, (seating, seed) in enumerate(zip(seatings, seeds, strict=True)):
        seated = [players[row] for row in seating[seating != EMPTY]]
        table = at_seats(game, len(seated))
        opening = () if openings is None else openings[number].tolist()
        match = play_match(table, seated, seed=int(seed), opening=opening)
        if keep:
            keep(table, [player.name for player in seated], int(seed), match)
        results.places[number, : len(seated)] = match.places
        results.plies[number] = len(match.moves)
        results.offenders[number] = match.offender
        results.games[number] = match.game
        for name, values in match.columns.items():
            column = results.columns[name]
            if column.ndim == 2:
                column[number, : len(seated)] = values
            else:
                column[number] = values
        if match.offender >= 0:
            row = int(seating[match.offender])
            forfeits.append((row, match.termination, match.sentence, match.errors))
    return results, count_forfeits(forfeits)


def _ask(game: AnyGame, player: Player, position: Any, seat: int, stream: Stream) -> Any:
    """The move of whose turn it is.

    Raises:
        ForfeitError: There is none, or the rules do not allow it.
    """
    try:
        move = player.choose(game.view(position, seat), stream)
    except (ForfeitError, BadValueError):
        raise
    except (Exception, SystemExit) as error:
        if isinstance(player, CompiledPlayer):  # no code of the user's
            raise
        raise _describe_crash(player, error) from error
    if isinstance(move, int) and move < 0:
        sentence = f"{player.name} wants to do what can't be done here."
        raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence)
    if move not in game.legal_moves(position):
        sentence = f"{player.name} plays {move}, which is not legal here."
        raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence)
    return move


def _describe_crash(player: Player, error: BaseException) -> ForfeitError:
    """What is told of a *player* in Python whose code failed, with the end of the traceback."""
    lines = traceback.format_exception(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    forfeit = ForfeitError(
        Forfeit.CRASH,
        f"{player.name} crashes: {type(error).__name__}: {error}"
        f" ({os.path.basename(where.filename)}, line {where.lineno}).",
    )
    forfeit.errors = tuple(one_line(line) for line in "".join(lines).splitlines()[-4:])
    return forfeit


def judge(
    game: AnyGame,
    position: Any,
    moves: tuple[Any, ...],
    forfeit: tuple[int, ForfeitError] | None,
    tell: Callable[[Sequence[int], str], str],
) -> Match:
    """What came of a match that ended in *position*, by the rules or not.

    Args:
        game: The rules.
        position: The last one.
        moves: All moves.
        forfeit: The seat that forfeited, and how; None if the match ended by the rules.
        tell: Makes a sentence of who is first, and why the match ended.
    """
    places, columns = game.tally(position)
    numbers = tuple(game.number_of(move) for move in moves)
    numbers = () if numbers == moves else numbers
    if forfeit:
        offender, error = forfeit
        places = tuple(place - (place > places[offender]) for place in places)
        places = (*places[:offender], len(places), *places[offender + 1 :])
        ending = Termination(error.kind), str(error)
        return Match(moves, places, *ending, numbers, offender, error.errors, columns)
    outcome = game.outcome(position)
    assert outcome is not None
    first = [seat for seat, place in enumerate(places) if place == 1]
    ending = Termination.WIN if len(first) == 1 else Termination.DRAW, tell(first, outcome.reason)
    return Match(moves, places, *ending, numbers, columns=columns)


def _tell(players: Sequence[Player], seats: Sequence[int], reason: str) -> str:
    names = distinct_names([player.name for player in players])
    if len(seats) == 1:
        return f"{names[seats[0]]} wins: {reason}."
    if len(seats) == len(players):
        return f"A draw: {reason}."
    return f"{' and '.join(names[seat] for seat in seats)} are first: {reason}."
