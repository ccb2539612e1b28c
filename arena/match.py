"""Matches between players of any kind, people and programs included: move by move, or compiled.

Players that are arrays meet in compiled kernels; both ways give the same games.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import (
    EMPTY,
    Openings,
    Pairings,
    Results,
    make_batch,
    new_results,
)
from evolve_arena.arena.duel_result import ForfeitCount, count_forfeits
from evolve_arena.arena.executors import Executor, SerialExecutor
from evolve_arena.core.errors import BadValueError, one_line
from evolve_arena.core.game import AnyGame, AnyMove, AnyPosition, Counts, Game
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.core.types import Move, State
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
OnMatch = Callable[[AnyGame, Sequence[str], int, "Match"], None]
"""Callback for each match that is played: takes the game, the players' names by seat, the seed and
the match."""


class Termination(StrEnum):
    """The way in which a match ended."""

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
    """A finished match; values by seat are in order of moving."""

    moves: tuple[AnyMove, ...]
    """All moves, those of the opening included."""
    places: tuple[int, ...]
    """The rank of each seat: 1 is the best, ties share the better rank; a player who forfeited is
    last."""
    termination: Termination
    """A win if one player is first, a draw if several are, or the kind of a forfeit."""
    sentence: str
    """A description of the end."""
    numbers: tuple[int, ...] = ()
    """The moves by their numbers (:meth:`evolve_arena.core.game.Game.number_of`); empty if moves
    are numbers themselves."""
    offender: int = -1
    """The seat that forfeited, or -1."""
    errors: tuple[str, ...] = ()
    """The last lines on the offender's standard error, if it is a program."""
    columns: Counts = field(default_factory=dict)
    """The game's counts, by name; after a forfeit those of the last position."""

    @property
    def outcome(self) -> int:
        """In two-player games: 1 if the first player won, 0 for a draw, -1 for a loss."""
        return int(np.sign(self.places[1] - self.places[0]))

    @property
    def game_hash(self) -> int:
        """The hash of the moves, as kernels compute it."""
        return hash_moves(self.numbers or self.moves)


def play_match(
    game: AnyGame,
    players: Sequence[Player],
    *,
    seed: int = 0,
    opening: Sequence[int] = (),
    watch: Callable[[AnyPosition, AnyMove | None], None] | None = None,
) -> Match:
    """Play one match to its end; each player sees only the information of its seat.

    Args:
        game: The rules.
        players: The player at each seat, in order of moving. A player may have several seats.
        seed: Seed of the game's chance, and of the stream that all players share; its lowest 64
            bits count.
        opening: The numbers of moves before the players' first decisions; -1 ends it early.
        watch: Called with every position and the move that led to it (None at the start).

    Raises:
        BadValueError: There are more or fewer players than seats.
    """
    if len(players) != game.seats:
        raise BadValueError(f"{len(players)} players sit at a table of {game.seats} seats")
    rng = new_stream(game.stream_seed(seed & WORD))
    position = game.initial(seed & WORD)
    moves: list[AnyMove] = []
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
                    move = _ask(game, players[seat], position, seat, rng)
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
    return adjudicate(game, position, tuple(moves), forfeit, partial(_report, players))


def play_matches(
    game: AnyGame,
    players: Sequence[Player],
    pairings: Pairings,
    seeds: NDArray[np.uint64],
    openings: Openings | None = None,
    executor: Executor | None = None,
    on_match: OnMatch | None = None,
) -> tuple[Results, tuple[ForfeitCount, ...]]:
    """Play a match for each of *pairings*, in compiled code if all *players* are compiled.

    Args:
        game: The rules; the pairings determine the number of players.
        players: The players, whose indices the pairings contain.
        pairings: The player at each seat, shape ``(matches, seats)``.
        seeds: Shape ``(matches,)``; in games of chance matches of the same seed begin alike.
        openings: The first moves of each match, shape ``(matches, plies)``.
        executor: Executor of matches of compiled players; serial if None.
        on_match: Called with each match and its moves. Kernels do not record moves, so no compiled
            code is used then.

    Returns:
        The results, and the forfeits by player and kind.

    Raises:
        BadValueError: A player is for another board.
    """
    for player in players:
        check_board(player, game.rules)
    # Compiled players meet in a kernel; one player of another kind means move by move.
    compiled = [player for player in players if isinstance(player, CompiledPlayer)]
    packed = combine_players([player.packed for player in compiled]) if compiled else None
    if packed is None or len(compiled) < len(players) or on_match:
        return _play_one_by_one(game, players, pairings, seeds, openings, on_match)
    batch = make_batch(game, packed, pairings, seeds, openings)
    results = (executor or SerialExecutor()).play(batch)
    # The only forfeit of a compiled player is a forbidden move.
    aborted = np.flatnonzero(~results.completed)
    return results, count_forfeits(
        (row, Termination.ILLEGAL_MOVE, f"{players[row].name} makes a forbidden move.", ())
        for row in pairings[aborted, results.offenders[aborted]].tolist()
    )


def hash_moves(numbers: Sequence[int]) -> int:
    """Return the hash of a game's moves, by their *numbers*, as kernels compute it.

    Source: FNV-1a, Fowler, Noll and Vo, with whole moves in place of bytes.
    """
    value = 0xCBF29CE484222325
    for number in numbers:
        value = (value ^ (number + 1)) * 0x100000001B3 & WORD
    return value


def at_seats(game: AnyGame, seats: int) -> AnyGame:
    """Return *game* with its options for a number of *seats*, if it has an option for that."""
    spec = find_game(game.name)
    if game.seats == seats or spec.seats_option is None:
        return game
    changed: AnyGame = spec.make(**{**game.options, spec.seats_option: seats})
    return changed


def _play_one_by_one(
    game: AnyGame,
    players: Sequence[Player],
    pairings: Pairings,
    seeds: NDArray[np.uint64],
    openings: Openings | None,
    on_match: OnMatch | None,
) -> tuple[Results, tuple[ForfeitCount, ...]]:
    results = new_results(game, len(pairings))
    forfeits = []
    for number, (pairing, seed) in enumerate(zip(pairings, seeds, strict=True)):
        seated = [players[row] for row in pairing[pairing != EMPTY]]
        table = at_seats(game, len(seated))
        opening = () if openings is None else openings[number].tolist()
        match = play_match(table, seated, seed=int(seed), opening=opening)
        if on_match:
            on_match(table, [player.name for player in seated], int(seed), match)
        results.places[number, : len(seated)] = match.places
        results.plies[number] = len(match.moves)
        results.offenders[number] = match.offender
        results.game_hashes[number] = match.game_hash
        for name, values in match.columns.items():
            column = results.columns[name]
            if column.ndim == 2:
                column[number, : len(seated)] = values
            else:
                column[number] = values
        if match.offender >= 0:
            row = int(pairing[match.offender])
            forfeits.append((row, match.termination, match.sentence, match.errors))
    return results, count_forfeits(forfeits)


def _ask(game: Game[State, Move], player: Player, position: State, seat: int, rng: Stream) -> Move:
    """Return the move of the player to move.

    Raises:
        ForfeitError: The player has no move, or an illegal one.
    """
    try:
        move: Move = player.choose(game.view(position, seat), rng)
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
    """Describe the crash of a *player* in Python, with the end of the traceback."""
    lines = traceback.format_exception(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    forfeit = ForfeitError(
        Forfeit.CRASH,
        f"{player.name} crashes: {type(error).__name__}: {error}"
        f" ({os.path.basename(where.filename)}, line {where.lineno}).",
    )
    forfeit.errors = tuple(one_line(line) for line in "".join(lines).splitlines()[-4:])
    return forfeit


def adjudicate(
    game: Game[State, Move],
    position: State,
    moves: tuple[Move, ...],
    forfeit: tuple[int, ForfeitError] | None,
    report: Callable[[Sequence[int], str], str],
) -> Match:
    """Return the match that ended in *position*, by the rules or by a forfeit.

    Args:
        game: The rules.
        position: The last position.
        moves: All moves.
        forfeit: The seat that forfeited, and its error; None if the match ended by the rules.
        report: Returns a sentence for the seats in first place and the reason of the end.
    """
    places, columns = game.tally(position)
    numbers = tuple(game.number_of(move) for move in moves)
    numbers = () if numbers == moves else numbers
    if forfeit:
        offender, error = forfeit
        # The offender moves to the last place, and those behind it move up.
        places = tuple(place - (place > places[offender]) for place in places)
        places = (*places[:offender], len(places), *places[offender + 1 :])
        ending = Termination(error.kind), str(error)
        return Match(moves, places, *ending, numbers, offender, error.errors, columns)
    outcome = game.outcome(position)
    assert outcome is not None
    first = [seat for seat, place in enumerate(places) if place == 1]
    ending = Termination.WIN if len(first) == 1 else Termination.DRAW, report(first, outcome.reason)
    return Match(moves, places, *ending, numbers, columns=columns)


def _report(players: Sequence[Player], seats: Sequence[int], reason: str) -> str:
    names = distinct_names([player.name for player in players])
    if len(seats) == 1:
        return f"{names[seats[0]]} wins: {reason}."
    if len(seats) == len(players):
        return f"A draw: {reason}."
    return f"{' and '.join(names[seat] for seat in seats)} are first: {reason}."
