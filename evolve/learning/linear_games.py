"""Games of checkers in which linear players learn, against others or themselves; compiled.

A player's weights are 64-bit numbers here. After each change they are written to the tables of
its seat, so that its next move is searched with what it has learned; two chairs may belong to
one player, who then learns from both sides of the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve.learning.linear_lessons import (
    AFTER,
    BEFORE,
    EVERY_MOVE,
    EXPLORATION,
    FEATURE_COUNT,
    MOST_FEATURES,
    MOST_GENES,
    RATE,
    STATES,
    UPDATE,
    VALUES,
    clear_traces,
    learn_from_game,
    learn_from_move,
    spoil_if_lost,
    write_tables,
)
from games.checkers_board import (
    MOST_MOVES,
    count_moves,
    is_draw,
    is_reversible,
    move_piece,
    note_position,
)
from games.compiled import compiled, internal
from genomes.network import SHAPE_FIELDS
from players.checkers import choose_move
from players.checkers_features import count_features
from players.checkers_seat import forget_positions, make_checkers_scratch, take_seat
from players.lineup import COLUMNS_AT, NOISE, Lineup

__all__ = ["DRAWS", "ERROR", "FIGURES", "FIRST_WINS", "PLIES", "meet_part", "play_and_learn"]

PLIES, FIRST_WINS, DRAWS, ERROR = range(4)
FIGURES = 4
"""What is counted over all games: plies, games that who began has won, draws, and the sum of the
differences between values and their targets."""
WINS, DRAWN, LOSSES = 0, 1, 2

MOST_STATES = 7000
"""Longer than any episode. Men can make 144 moves and 24 pieces be captured; after at most 80
other plies in a row it is a draw. That makes less than 13,700 plies."""
DARK_START, LIGHT_START = np.uint64(0x1EFF), np.uint64(0x7FBC00000)
LAST_VALUE = VALUES - 1


class LinearRoom(NamedTuple):
    """Room for a game and what is learned from it."""

    states: NDArray[np.int64]
    """The features of both players' positions, flat, chair by chair."""
    counts: NDArray[np.int64]
    """How many positions each has."""
    traces: NDArray[np.float64]
    """Shape ``(2, MOST_GENES)``."""
    values: NDArray[np.float64]
    moves: NDArray[np.uint64]


def meet_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """Plays the games of some pairings; a kernel, see :mod:`arena.work`.

    Args:
        options: ``games`` of each pairing; ``learn``, whether its players do; ``alternate``,
            whether the second player begins every other game, or the first one all; ``turned``,
            as in `games.checkers.Checkers`.
        inputs: All players' weights, shape ``(players, MOST_GENES)`` (``float64``), their lessons
            ``(players, LESSON_FIELDS)`` (see :class:`evolve.learning.linear_lessons.Lesson`) and
            their seats ``(players, SEAT_FIELDS)``; the pairings, rows of these, ``(parts, 2)``;
            and a seed for each (``uint64``). Who is paired with himself plays himself, and all
            his moves change the same weights.
        outputs: The weights of both afterwards, one's after the other's, shape ``(parts,
            2 * MOST_GENES)`` (``float64``), not numbers where they grew beyond all bounds; the
            first player's wins, draws and losses, ``(parts, 3)`` (``int64``); and the
            :data:`FIGURES`, ``(parts, FIGURES)``.
        part: Which pairings.
    """
    weights, lessons, seats, pairings, seeds = inputs
    room = make_room()
    turned, games = int(options["turned"]), int(options["games"])
    learn, alternate = bool(options["learn"]), bool(options["alternate"])
    if part.start == part.stop:  # only to compile
        lineup = _make_lineup(seats[:1], lessons[:1])
        scratch = make_checkers_scratch(lineup)
        play_and_learn(
            *(turned, 0, learn, alternate, lineup, 1, lessons[:1].copy(), weights[:1].copy()),
            *(scratch, room, np.zeros(3, dtype=np.int64), np.zeros(FIGURES)),
        )
    for place in range(part.start, part.stop):
        first, second = pairings[place]
        rows = [first] if first == second else [first, second]
        lineup = _make_lineup(seats[rows], lessons[rows])
        learned = weights[rows]
        after, scores, figures = (output[place] for output in outputs)
        scores[:] = 0
        figures[:] = 0.0
        scratch = make_checkers_scratch(lineup)
        scratch.streams[0] = seeds[place]
        play_and_learn(
            *(turned, games, learn, alternate, lineup, len(rows), lessons[rows], learned),
            *(scratch, room, scores, figures),
        )
        after[:MOST_GENES] = learned[0]
        after[MOST_GENES:] = learned[-1]


def make_room() -> LinearRoom:
    """Room for games of any two players."""
    return LinearRoom(
        np.zeros(2 * MOST_STATES * MOST_FEATURES, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros((2, MOST_GENES)),
        np.zeros(MOST_STATES),
        np.zeros(MOST_MOVES, dtype=np.uint64),
    )


def _make_lineup(seats: NDArray[np.int64], lessons: NDArray[np.float64]) -> Lineup:
    """The players of a pairing, with room for their tables."""
    seats = seats.copy()
    seats[:, COLUMNS_AT] = np.arange(len(seats)) * MOST_GENES
    seats[:, NOISE] = np.rint(lessons[:, EXPLORATION] * 2.0**32).astype(np.int64)
    return Lineup(
        seats,
        np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
        np.zeros(len(seats) * MOST_GENES, dtype=np.int32),
        np.zeros(0, dtype=np.float32),
        np.zeros(0, dtype=np.float64),
    )


@compiled
def play_and_learn(
    turned: int,
    games: int,
    learn: bool,
    alternate: bool,
    lineup: Any,
    players: int,
    lessons: Any,
    weights: Any,
    scratch: Any,
    room: LinearRoom,
    scores: Any,
    figures: Any,
) -> None:
    """Plays games of two players, or of one against himself, who learn from them.

    Args:
        turned: 1 if light moves first, else 0.
        games: How many.
        learn: Whether anybody learns.
        alternate: Whether the second player begins every other game.
        lineup: The players, whose tables are written here.
        players: 2, or 1 for games of one against himself.
        lessons: How each learns, a row for a player.
        weights: What each knows, a row for a player; changed in place.
        scratch: What the players' search needs, with the stream of all these games.
        room: Scratch.
        scores: Wins, draws and losses of the first player, to which the games' are added.
        figures: :data:`FIGURES`, to which the games' are added.
    """
    for player in range(players):
        _take_up(lessons, weights, player, lineup, scratch)
    for game in range(games):
        first = game & 1 if alternate and players > 1 else 0
        outcome = _play_game(
            turned, learn, lineup, first, players, lessons, weights, scratch, room, figures
        )
        scores[1 - outcome if first == 0 else 1 + outcome] += 1
    for player in range(players):
        spoil_if_lost(lessons, weights, player)


@internal
def _play_game(
    turned: int,
    learn: bool,
    lineup: Any,
    first: int,
    players: int,
    lessons: Any,
    weights: Any,
    scratch: Any,
    room: LinearRoom,
    figures: Any,
) -> Any:
    """One game: 1 if who began has won, 0 for a draw, -1 if the other has.

    *first* is the player who begins; the other one is the next, around.
    """
    for chair in range(2):
        who = (first + chair) % players
        take_seat(lineup, who, scratch, chair)
        room.counts[chair] = 0
        clear_traces(lessons, who, room.traces, chair)
    own, other = (LIGHT_START, DARK_START) if turned else (DARK_START, LIGHT_START)
    kings = np.uint64(0)
    side, plies, quiet, error = turned, 0, 0, 0.0
    note_position(scratch.past, quiet, own, other, kings, side)
    goes_on = True
    while goes_on:
        chair = side ^ turned
        who = (first + chair) % players
        learns = learn and lessons[who, RATE] > 0.0
        if learns and lessons[who, STATES] == BEFORE:
            error += _see(
                lessons, weights, who, chair, own, other, kings, side, lineup, scratch, room
            )
        move = _choose(lineup, chair, own, other, kings, side, quiet, scratch)
        quiet = quiet + 1 if is_reversible(kings, move) else 0
        mine, yours, kings = move_piece(own, other, kings, move)
        own, other = yours, mine
        side = 1 - side
        plies += 1
        note_position(scratch.past, quiet, own, other, kings, side)
        moves = count_moves(own, other, kings, side, room.moves, 0)
        goes_on = moves > 0 and not is_draw(scratch.past, quiet)
        if learns and lessons[who, STATES] == AFTER and goes_on:
            error += _see(
                lessons, weights, who, chair, other, own, kings, 1 - side, lineup, scratch, room
            )
    outcome = 0
    if moves == 0:
        outcome = 2 * (side ^ turned) - 1
    if learn:
        for chair in range(2):
            colour = chair ^ turned
            active, passive = (own, other) if colour == side else (other, own)
            error += _see_end(
                *(lessons, weights, (first + chair) % players, chair, active, passive, kings),
                *(colour, float(outcome * (1 - 2 * chair)), lineup, scratch, room),
            )
    figures[PLIES] += plies
    figures[FIRST_WINS] += outcome > 0
    figures[DRAWS] += outcome == 0
    figures[ERROR] += error
    return outcome


@compiled
def _choose(
    lineup: Any, chair: int, own: Any, other: Any, kings: Any, side: int, quiet: int, scratch: Any
) -> Any:
    """Not put in place of its call: a search takes so long that only the compiler would notice."""
    return choose_move(lineup, chair, own, other, kings, side, quiet, scratch)


@internal
def _see(
    lessons: Any,
    weights: Any,
    who: int,
    chair: int,
    active: Any,
    passive: Any,
    kings: Any,
    colour: int,
    lineup: Any,
    scratch: Any,
    room: LinearRoom,
) -> Any:
    """Adds a position to the episode of who sits on *chair*, and learns from it by every move.

    Returns:
        How far off the value of the position before was.
    """
    here, before = _note_state(
        *(lessons, who, chair, active, passive, kings, colour),
        *(room.states, room.counts, room.moves),
    )
    if before < 0 or lessons[who, UPDATE] != EVERY_MOVE:
        return 0.0
    error = learn_from_move(
        lessons, weights, who, room.states, before, here, False, 0.0, room.traces, chair
    )
    _take_up(lessons, weights, who, lineup, scratch)
    return error


@internal
def _see_end(
    lessons: Any,
    weights: Any,
    who: int,
    chair: int,
    active: Any,
    passive: Any,
    kings: Any,
    colour: int,
    reward: float,
    lineup: Any,
    scratch: Any,
    room: LinearRoom,
) -> Any:
    """Ends the episode of who sits on *chair*, and learns from it all or from its last move."""
    if lessons[who, RATE] == 0.0:
        return 0.0
    here, before = _note_state(
        *(lessons, who, chair, active, passive, kings, colour),
        *(room.states, room.counts, room.moves),
    )
    if before < 0:
        return 0.0
    if lessons[who, UPDATE] == EVERY_MOVE:
        error = learn_from_move(
            lessons, weights, who, room.states, before, here, True, reward, room.traces, chair
        )
    else:
        start = chair * MOST_STATES * MOST_FEATURES
        error = learn_from_game(
            *(lessons, weights, who, room.states, start, room.counts[chair], reward),
            *(room.traces, chair, room.values),
        )
    _take_up(lessons, weights, who, lineup, scratch)
    return error


@internal
def _take_up(lessons: Any, weights: Any, who: int, lineup: Any, scratch: Any) -> None:
    """Lets a player search with the weights as they are now."""
    write_tables(lessons, weights, who, lineup.columns, MOST_GENES * who)
    forget_positions(scratch)


@compiled
def _note_state(
    lessons: Any,
    who: int,
    chair: int,
    active: Any,
    passive: Any,
    kings: Any,
    colour: int,
    states: Any,
    counts: Any,
    moves: Any,
) -> Any:
    """Writes the features of a position: where they begin, and where those before; -1 if none."""
    features = int(lessons[who, FEATURE_COUNT])
    count = counts[chair]
    at = chair * MOST_STATES * MOST_FEATURES + count * features
    count_features(states, at, features, active, passive, kings, colour, moves, 0)
    for place in range(at, at + features):
        states[place] = min(states[place], LAST_VALUE)
    counts[chair] = count + 1
    return at, at - features if count > 0 else -1
