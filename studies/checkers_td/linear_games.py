"""Games of checkers in which linear players learn, against others or themselves; compiled.

A player's weights are 64-bit numbers here. After each change they are written to the tables of
its seat, so that its next move is searched with what it has learned; two slots may belong to
one player, who then learns from both sides of the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.bits import count_bits
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.games.checkers.board import (
    MOST_MOVES,
    count_moves,
    is_draw,
    is_reversible,
    move_piece,
    note_position,
)
from evolve_arena.games.checkers.features import count_features
from evolve_arena.games.checkers.kernel import choose_move
from evolve_arena.games.checkers.values import (
    CheckersWorkspace,
    forget_positions,
    init_player,
    make_checkers_workspace,
)
from evolve_arena.genomes.network import SHAPE_FIELDS
from evolve_arena.players.packed import COLUMNS_AT, NOISE, PackedPlayers
from evolve_arena.studies.checkers_td.linear_learning import (
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

PLIES, FIRST_WINS, DRAWS, ERROR = range(4)
FIGURES = 4
"""What is counted over all games: plies, games that who began has won, draws, and the sum of the
differences between values and their targets."""

STANDARD, FORTY_MOVES, PIECES = 0, 1, 2
DRAW_RULES = {"standard": STANDARD, "forty-moves": FORTY_MOVES, "pieces": PIECES}
"""When a game is drawn. ``standard``: as in :class:`evolve_arena.games.checkers.game.Checkers`.
``forty-moves``: after 40 moves each without a capture or a man's move, but not by repetition.
``pieces``: what is drawn by the standard is won by who has more pieces."""

MOST_STATES = 7000
"""Longer than any episode. Men can make 144 moves and 24 pieces be captured; after at most 80
other plies in a row it is a draw. That makes less than 13,700 plies."""
DARK_START, LIGHT_START = np.uint64(0x1EFF), np.uint64(0x7FBC00000)
LAST_VALUE = VALUES - 1


class EpisodeWorkspace(NamedTuple):
    """Room for a game and what is learned from it."""

    states: NDArray[np.int64]
    """The features of both players' positions, flat, node by slot."""
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
    """Plays the games of some pairings; a kernel, see :mod:`evolve_arena.arena.work`.

    Args:
        options: ``games`` of each pairing; ``learn``, whether its players do; ``alternate``,
            whether the second player begins every other game, or the first one all; ``turned``,
            as in `evolve_arena.games.checkers.game.Checkers`; ``draws``, one of the values of
            :data:`DRAW_RULES`.
        inputs: All players' weights, shape ``(players, MOST_GENES)`` (``float64``), how they learn,
            ``(players, SETTINGS_FIELDS)`` (see
            :class:`evolve_arena.studies.checkers_td.linear_learning.LearningSettings`), and their
            seats, ``(players, SEAT_FIELDS)``; the pairings, rows of these, ``(parts, 2)``; and a
            seed for each (``uint64``). Who is paired with himself plays himself; all his moves
            change the same weights.
        outputs: The weights of both afterwards, one's after the other's, shape ``(parts,
            2 * MOST_GENES)`` (``float64``), not numbers where they grew beyond all bounds; the
            first player's wins, draws and losses, ``(parts, 3)`` (``int64``); and the
            :data:`FIGURES`, ``(parts, FIGURES)``.
        part: Which pairings.
    """
    weights, learning_rows, seats, pairings, seeds = inputs
    episode = make_episode_workspace()
    alternate = bool(options["alternate"])
    if part.start == part.stop:  # only to compile
        table = _lay_table(seats[:1], learning_rows[:1], weights[:1], np.uint64(0))
        _play(table, 0, options, episode, np.zeros(FIGURES))
    for place in range(part.start, part.stop):
        first, second = pairings[place]
        rows = [first] if first == second else [first, second]
        table = _lay_table(seats[rows], learning_rows[rows], weights[rows], seeds[place])
        after, scores, figures = (output[place] for output in outputs)
        scores[:] = 0
        figures[:] = 0.0
        for game in range(options["games"]):
            begins = game % len(rows) if alternate else 0
            outcome = _play(table, begins, options, episode, figures)
            scores[1 - outcome if begins == 0 else 1 + outcome] += 1
        for player in range(len(rows)):
            spoil_if_lost(table.learning_rows, table.weights, player)
        after[:MOST_GENES] = table.weights[0]
        after[MOST_GENES:] = table.weights[-1]


def make_episode_workspace() -> EpisodeWorkspace:
    """Room for games of any two players."""
    return EpisodeWorkspace(
        np.zeros(2 * MOST_STATES * MOST_FEATURES, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros((2, MOST_GENES)),
        np.zeros(MOST_STATES),
        np.zeros(MOST_MOVES, dtype=np.uint64),
    )


class Table(NamedTuple):
    """The players of a pairing, and what they need to play."""

    packed: PackedPlayers
    learning_rows: NDArray[np.float64]
    """Shape ``(players, SETTINGS_FIELDS)``."""
    weights: NDArray[np.float64]
    """Shape ``(players, MOST_GENES)``; changed by what they learn."""
    workspace: CheckersWorkspace


def _lay_table(
    seats: NDArray[np.int64],
    learning_rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    seed: np.uint64,
) -> Table:
    """A table for those whose rows these are, who have not learned anything yet."""
    seats, learning_rows, weights = seats.copy(), learning_rows.copy(), weights.copy()
    seats[:, COLUMNS_AT] = np.arange(len(seats)) * MOST_GENES
    seats[:, NOISE] = np.rint(learning_rows[:, EXPLORATION] * 2.0**32).astype(np.int64)
    packed = PackedPlayers(
        seats,
        np.zeros((1, SHAPE_FIELDS), dtype=np.int64),
        np.zeros(len(seats) * MOST_GENES, dtype=np.int32),
        np.zeros(0, dtype=np.float32),
        np.zeros(0, dtype=np.float64),
    )
    for player in range(len(seats)):
        write_tables(learning_rows, weights, player, packed.columns, MOST_GENES * player)
    workspace = make_checkers_workspace(packed)
    workspace.streams[0] = seed
    return Table(packed, learning_rows, weights, workspace)


def _play(
    table: Table,
    first: int,
    options: Mapping[str, Any],
    episode: EpisodeWorkspace,
    figures: NDArray[np.float64],
) -> int:
    """Plays one game of the players at a *table*; see :func:`play_and_learn`."""
    rules = int(options["turned"]), int(options["draws"]), bool(options["learn"])
    players = len(table.weights)
    return int(
        play_and_learn(
            *(*rules, first, (first + 1) % players, table.packed, table.learning_rows),
            *(table.weights, table.workspace, episode, figures),
        )
    )


@compiled
def play_and_learn(
    turned: int,
    draws: int,
    learn: bool,
    first: int,
    second: int,
    packed: Any,
    learning_rows: Any,
    weights: Any,
    workspace: Any,
    episode: EpisodeWorkspace,
    figures: Any,
) -> Any:
    """Plays one game, from which the players learn.

    Args:
        turned: 1 if light moves first, else 0.
        draws: When the game is drawn, one of the values of :data:`DRAW_RULES`.
        learn: Whether anybody learns.
        first: Who begins, a row of the packed players, of *learning_rows* and of *weights*.
        second: The other; the same if somebody plays himself.
        packed: The players, whose tables hold their weights.
        learning_rows: How each learns, shape ``(players, SETTINGS_FIELDS)``.
        weights: What each knows, shape ``(players, MOST_GENES)``; changed in place, with the
            tables.
        workspace: What the players' search needs, with the stream that chance comes from.
        episode: Memory that is used again and again.
        figures: :data:`FIGURES`, to which the game's are added.

    Returns:
        1 if who began has won, 0 for a draw, -1 if the other has.
    """
    for slot in range(2):
        who = second if slot else first
        init_player(packed, who, workspace, slot)
        episode.counts[slot] = 0
        clear_traces(learning_rows, who, episode.traces, slot)
    own, other = (LIGHT_START, DARK_START) if turned else (DARK_START, LIGHT_START)
    kings = np.uint64(0)
    side, plies, quiet, error = turned, 0, 0, 0.0
    _note(workspace.past, draws, quiet, plies, own, other, kings, side)
    moves = 1
    while moves > 0 and not is_draw(workspace.past, quiet):
        slot = side ^ turned
        who = second if slot else first
        learns = learn and learning_rows[who, RATE] > 0.0
        if learns and learning_rows[who, STATES] == BEFORE:
            error += _see(
                *(learning_rows, weights, who, slot, own, other, kings, side, False, 0.0),
                *(packed.columns, workspace, episode),
            )
        move = choose_move(packed, slot, own, other, kings, side, quiet, workspace)
        quiet = quiet + 1 if is_reversible(kings, move) else 0
        mine, yours, kings = move_piece(own, other, kings, move)
        own, other = yours, mine
        side = 1 - side
        plies += 1
        _note(workspace.past, draws, quiet, plies, own, other, kings, side)
        moves = count_moves(own, other, kings, side, episode.moves, 0)
        goes_on = moves > 0 and not is_draw(workspace.past, quiet)
        if learns and learning_rows[who, STATES] == AFTER and goes_on:
            error += _see(
                *(learning_rows, weights, who, slot, mine, yours, kings, 1 - side, False, 0.0),
                *(packed.columns, workspace, episode),
            )
    outcome = 0
    if moves == 0:
        outcome = 2 * (side ^ turned) - 1
    elif draws == PIECES:
        lead = count_bits(own) - count_bits(other)
        outcome = (1 - 2 * (side ^ turned)) * (int(lead > 0) - int(lead < 0))
    for slot in range(2):
        who = second if slot else first
        if learn and learning_rows[who, RATE] > 0.0:
            colour = slot ^ turned
            active, passive = (own, other) if colour == side else (other, own)
            reward = float(outcome * (1 - 2 * slot))
            error += _see(
                *(learning_rows, weights, who, slot, active, passive, kings, colour, True, reward),
                *(packed.columns, workspace, episode),
            )
    figures[PLIES] += plies
    figures[FIRST_WINS] += outcome > 0
    figures[DRAWS] += outcome == 0
    figures[ERROR] += error
    return outcome


@inlined
def _note(
    past: Any, draws: int, quiet: int, plies: int, own: Any, other: Any, kings: Any, side: int
) -> None:
    """Notes a position, or where repetition is no draw a number that never comes again."""
    if draws == FORTY_MOVES:
        past[quiet] = ~np.uint64(plies)
    else:
        note_position(past, quiet, own, other, kings, side)


@compiled
def _see(
    learning_rows: Any,
    weights: Any,
    who: int,
    slot: int,
    active: Any,
    passive: Any,
    kings: Any,
    colour: int,
    is_last: bool,
    reward: float,
    columns: Any,
    workspace: Any,
    episode: EpisodeWorkspace,
) -> Any:
    """Adds a position to the episode of who sits on *slot*, and learns if it is time to.

    Args:
        learning_rows: As in :func:`play_and_learn`, like what is not named here.
        weights: See there.
        who: Whose episode.
        slot: See there.
        active: The pieces of that player, of *colour*.
        passive: Those of the other.
        kings: Which of all of them are kings.
        colour: 0 dark, 1 light.
        is_last: Whether the game has ended in that position.
        reward: What the player gets there.
        columns: The tables of all players.
        workspace: See there.
        episode: See there.

    Returns:
        By how much values were off their targets.
    """
    features = int(learning_rows[who, FEATURE_COUNT])
    start = slot * MOST_STATES * MOST_FEATURES
    here = start + episode.counts[slot] * features
    count_features(episode.states, here, features, active, passive, kings, colour, episode.moves, 0)
    for place in range(here, here + features):
        episode.states[place] = min(episode.states[place], LAST_VALUE)
    episode.counts[slot] += 1
    count = episode.counts[slot]
    if learning_rows[who, UPDATE] == EVERY_MOVE:
        if count == 1:
            return 0.0
        error = learn_from_move(
            *(learning_rows, weights, who, episode.states, here - features, here, is_last, reward),
            *(episode.traces, slot),
        )
    elif is_last:
        error = learn_from_game(
            *(learning_rows, weights, who, episode.states, start, count, reward),
            *(episode.traces, slot, episode.values),
        )
    else:
        return 0.0
    write_tables(learning_rows, weights, who, columns, MOST_GENES * who)
    forget_positions(workspace)
    return error
