"""Matches of Ticket to Ride that record the decisions at the beginning of each turn, compiled.

The module is copied for each player; see `evolve_arena.players.board.kernel.specialise_board`.
"""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.types import Array, Floats, Integer
from evolve_arena.games.ticket_to_ride.layout import DRAW_DECK, DRAW_TICKETS, PASS, PHASE, TURN
from evolve_arena.players.board.choose import choose_move
from evolve_arena.players.board.matches import start_stream
from evolve_arena.players.board.rules import (
    GOES_ON,
    LONGEST,
    SEATS,
    adjudicate,
    adjudicate_at,
    advance,
    begin,
    clear_notes,
    count_features,
    features_at,
    find_mover,
    settle,
)
from evolve_arena.players.board.values import take_slot
from evolve_arena.players.board.workspace import SETTING, BoardWorkspace
from evolve_arena.players.packed import PackedPlayers


@compiled
def note_decisions(
    players: PackedPlayers,
    seeds: Array,
    played: Array,
    workspace: BoardWorkspace,
    features: Floats,
    kinds: Array,
    games: Array,
    seats: Array,
) -> int:
    """Play or replay a match for each seed, as `evolve_arena.players.board.matches` does.

    The decisions are noted.

    Args:
        players: A packed scripted player, which takes all seats.
        seeds: The seed of each match, shape ``(matches,)``.
        played: The moves of each match, shape ``(matches, plies)``; -1 where the player decides.
        workspace: The workspace of the player.
        features: Filled with the player's features at the beginning of each turn, scaled as for
            networks, shape ``(rows, features)``; there must be as many rows as turns.
        kinds: Filled with the kind of the move made then, shape ``(rows,)`` as the next two.
        games: Filled with the number of the match.
        seats: Filled with the seat that decided.

    Returns:
        The number of rows filled.
    """
    row, states, setting = 0, workspace.states, players.seats[0, SETTING]
    for match in range(seeds.shape[0]):
        clear_notes(workspace.notes)
        for seat in range(SEATS):
            take_slot(players, 0, seat, workspace)
        workspace.chance[0] = seeds[match]
        workspace.streams[0] = start_stream(seeds[match])
        state, ply = settle(states, begin(states), workspace.chance), 0
        verdict = adjudicate(states, state)
        while verdict == GOES_ON and ply < LONGEST:
            seat = find_mover(states, state)
            begins = states[state, PHASE] == TURN
            # The features are those before the move: the player's notes are of this state.
            if begins:
                told = workspace.values, features.shape[1], workspace.notes, setting
                count_features(states, state, seat, *told)
                for place in range(features.shape[1]):
                    features[row, place] = workspace.values[features_at(workspace.values) + place]
            move = np.int64(played[match, ply]) if ply < played.shape[1] else np.int64(-1)
            if move < 0:
                move = choose_move(players, seat, state, np.int64(0), workspace)
            if begins:
                kinds[row], games[row], seats[row] = kind_of(move), match, seat
                row += 1
            ply += 1
            state = settle(states, advance(states, state, move, ply), workspace.chance)
            verdict = adjudicate_at(states, state, ply)
    return row


@inlined
def kind_of(move: Integer) -> int:
    """Return the index in the rules' ``KINDS`` of a *move* that begins a turn."""
    if move < DRAW_DECK:
        return 3
    if move < DRAW_TICKETS:
        return 1
    return 0 if move == PASS else 2
