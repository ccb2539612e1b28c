"""Play and learning of n-tuple networks in any compiled board game."""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import Stream, below, chance
from evolve_arena.core.types import Array, Floats, Number, Position
from evolve_arena.evolve.learning.opponents import (
    HAS_OPPONENTS,
    Opponents,
    ask_opponent,
    seat_opponents,
)
from evolve_arena.evolve.learning.returns import end_game, find_return, find_sign
from evolve_arena.evolve.learning.tuple_learning import (
    ERROR,
    TDSettings,
    TupleWorkspace,
    note_position,
    start_randomly,
    step_towards,
)
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.genomes.tuple_entries import (
    AGAIN,
    BY_SEAT,
    READINGS,
    STAGES,
    TURNS,
    count_entries,
    find_table,
    note_change,
    note_two_changes,
    start_readings,
    sum_entries,
    weigh_change,
)
from evolve_arena.players.board.rules import (
    GOES_ON,
    HAS_CHANCE,
    HAS_CHANGES,
    HAS_WINS,
    LONGEST,
    SEATS,
    SEEN,
    STACKS,
    adjudicate,
    adjudicate_move,
    advance,
    begin,
    find_changes,
    find_mover,
    follow,
    has_won,
    list_changes,
    list_moves,
    list_wins,
    may_exhaust,
    moves_again,
    note_move,
    settle,
    value_exhausting,
)

TRIAL = SEATS
FOLLOWS = HAS_CHANGES and not HAS_CHANCE
"""True if each move's changes update the entries of all seats, which are then not read anew."""


@compiled
def teach(
    learning: TDSettings,
    structure: Array,
    tables: Floats,
    rng: Stream,
    workspace: TupleWorkspace,
    figures: Array,
    opponents: Opponents,
) -> None:
    """Play games and change *tables* after each of them.

    The rules are compiled into this module and are no parameter: their type is made anew in each
    process, so that Numba would find nothing in its cache.

    Args:
        learning: Settings of play and learning.
        structure: Structure of the network, laid out by :mod:`evolve_arena.genomes.tuple_entries`.
        tables: All table entries, flat (``float32``), changed in place.
        rng: Random stream.
        workspace: Work space for a game.
        figures: The statistics of `tuple_learning.FIGURES`, shape ``(4,)``, to which those of the
            games are added.
        opponents: Fixed opponents, as in `opponents.seat_opponents`; None for self-play.
    """
    readings = peek(structure, READINGS)
    for game in range(learning.games):
        own = seat_opponents(opponents, game, rng)
        plies = _play(learning, structure, tables, rng, workspace, opponents, own, figures)
        error = 0.0
        for ply in range(plies - 2, -1, -1):
            learns, result = find_return(learning, ply, own, workspace)
            if learns:
                error += step_towards(learning, readings, tables, ply, result, workspace)
        figures[ERROR] += error


@inlined
def _play(
    learning: TDSettings,
    structure: Array,
    tables: Floats,
    rng: Stream,
    workspace: TupleWorkspace,
    opponents: Opponents,
    own: Number,
    figures: Array,
) -> Number:
    """Play one game; return its number of plies."""
    readings, size = peek(structure, READINGS), count_entries(structure, 0)
    for seat in range(SEATS):
        start_readings(structure, 0, workspace.entries, seat * size)
        for word in range(SEEN):
            poke(workspace.planes, seat * SEEN + word, np.uint64(0))
    state, ply = settle(workspace.states, begin(workspace.states), rng), 0
    if FOLLOWS:
        for seat in range(SEATS):
            _read(structure, workspace, seat, state, seat * size, seat * size, False)
    outcome = adjudicate(workspace.states, state)
    opening = start_randomly(learning, rng)
    while outcome == GOES_ON and ply < LONGEST:
        seat = find_mover(workspace.states, state)
        winning = list_wins(workspace.states, state, workspace.wins)
        poke(workspace.movers, ply, seat)
        if HAS_OPPONENTS and own >= 0 and seat != own:
            move = ask_opponent(opponents, seat, state, ply, winning)
            note_move(workspace.states, move)
            _see_move(structure, workspace, state, move)
            state = advance(workspace.states, state, move, ply + 1)
            poke(workspace.explored, ply, np.uint8(0))
        else:
            at = seat * size
            count = list_moves(workspace.states, state, workspace.moves, 0)
            explores = ply < opening or chance(rng) < learning.exploration
            explores = explores and (learning.explore_wins or winning == 0)
            value, known = np.float32(0.0), False
            if explores or count == 1:
                move = peek(workspace.moves, below(rng, count) if count > 1 else 0)
            else:
                if not FOLLOWS:
                    _read(structure, workspace, seat, state, at, at, True)
                move, value, known = _choose(
                    structure, tables, seat, state, ply, count, winning, workspace
                )
            note_move(workspace.states, move)
            _see_move(structure, workspace, state, move)
            state = advance(workspace.states, state, move, ply + 1)
            if not FOLLOWS:
                _read(structure, workspace, seat, state, at, at, True)
            sign = find_sign(seat)
            table = _find_table(structure, seat, state, workspace, at)
            if not known:
                value = _sum(structure, tables, table, workspace, at)
            total = sign * value
            note_position(workspace, ply, at, readings, table, total, explores and count > 1)
            poke(workspace.signs, ply, sign)
        state = settle(workspace.states, state, rng)
        ply += 1
        outcome = adjudicate_move(
            workspace.states, state, move, ply, outcome, workspace.wins, winning
        )
    verdict = outcome if outcome != GOES_ON else np.int64(0)
    end_game(workspace.states, state, verdict, ply, workspace, figures)
    return ply


@compiled
def list_decisions(
    games: int,
    exploration: float,
    noise: float,
    structure: Array,
    tables: Floats,
    rng: Stream,
    workspace: TupleWorkspace,
    entries: Array,
    decisions: Array,
) -> Number:
    """Play games of one network against another, and list what the first one chooses from.

    From game to game it moves on by one seat. It plays no random moves, the others do, so that its
    decisions are those that it meets if it plays as well as it can.

    Args:
        games: Number of games; fewer are played if there is no more room.
        exploration: Share of the others' moves that are played at random.
        noise: The most that a random number adds to each value before the others choose.
        structure: Structure of both networks, laid out by `genomes.tuple_entries`.
        tables: All weights of the network, then those of the others', flat (``float32``).
        rng: Random stream.
        workspace: Work space for a game.
        entries: Receives the weights that each move's afterstate reads, as indices, flat
            (``int32``); of decisions among several moves of which none wins at once.
        decisions: Receives the number of the decision of each afterstate, shape ``(afterstates,)``.

    Returns:
        The number of afterstates listed.
    """
    size, listed, number = count_entries(structure, 0), np.int64(0), np.int64(0)
    for game in range(games):
        for seat in range(SEATS):
            start_readings(structure, 0, workspace.entries, seat * size)
            for word in range(SEEN):
                poke(workspace.planes, seat * SEEN + word, np.uint64(0))
        state, ply = settle(workspace.states, begin(workspace.states), rng), 0
        outcome = adjudicate(workspace.states, state)
        while outcome == GOES_ON and ply < LONGEST:
            seat = find_mover(workspace.states, state)
            winning = list_wins(workspace.states, state, workspace.wins)
            count = list_moves(workspace.states, state, workspace.moves, 0)
            own = seat == game % SEATS
            if winning > 0:
                move = peek(workspace.wins, 0)
            elif count == 1 or (not own and chance(rng) < exploration):
                move = peek(workspace.moves, below(rng, count) if count > 1 else 0)
            elif listed + count > decisions.shape[0]:
                return listed
            else:
                _read(structure, workspace, seat, state, seat * size, seat * size, True)
                half = np.int64(0) if own else tables.shape[0] // 2
                added = np.float64(not own) * noise
                given = structure, tables, half, seat, state, count, added, rng, workspace
                move, won = _list_afterstates(*given, entries, listed)
                if own and not won:
                    decisions[listed : listed + count] = number
                    number += 1
                    listed += count
            note_move(workspace.states, move)
            state = advance(workspace.states, state, move, ply + 1)
            state = settle(workspace.states, state, rng)
            ply += 1
            outcome = adjudicate_move(
                workspace.states, state, move, ply, outcome, workspace.wins, winning
            )
    return listed


@inlined
def _list_afterstates(
    structure: Array,
    tables: Floats,
    half: Number,
    seat: Number,
    state: Position,
    count: Number,
    noise: Number,
    rng: Stream,
    workspace: TupleWorkspace,
    entries: Array,
    listed: Number,
) -> Number:
    """Write the weights that each move's afterstate reads to *entries*, from row *listed* on.

    Returns:
        The first move of the best value by the weights at index *half*, to which some *noise* is
        added, or one that wins at once; and True if it wins.
    """
    states, size, readings = workspace.states, count_entries(structure, 0), structure[READINGS]
    best, best_value = np.int64(-1), np.float32(0.0)
    for place in range(count):
        move = peek(workspace.moves, place)
        trial = follow(states, 1, state, move)
        if not HAS_WINS and has_won(states, trial, adjudicate(states, trial), seat):
            return move, True
        _read(structure, workspace, seat, trial, seat * size, TRIAL * size, False)
        table = _find_table(structure, seat, trial, workspace, TRIAL * size)
        for reading in range(readings):
            entry = table + peek(workspace.entries, TRIAL * size + reading)
            poke(entries, (listed + place) * readings + reading, entry)
        value = _sum(structure, tables, half + table, workspace, TRIAL * size)
        # Between -1 and 1, so that decided games are not played without noise.
        value = value / (np.float32(1.0) + abs(value)) + np.float32(noise * chance(rng))
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best, False


@inlined
def _choose(
    structure: Array,
    tables: Floats,
    seat: int,
    state: Position,
    ply: Number,
    count: int,
    winning: Number,
    workspace: TupleWorkspace,
) -> Number:
    """Return the first move that wins at once, or leads to the state of the best value.

    Returns:
        The move, the value, and True if the value is the sum of the entries.
    """
    states, size = workspace.states, count_entries(structure, 0)
    if winning > 0:
        return peek(workspace.wins, 0), np.float32(0.0), False
    source, target = seat * size, TRIAL * size
    ends = may_exhaust(states, ply)
    knows_turns = peek(structure, TURNS) == AGAIN
    same_tables = not knows_turns and peek(structure, STAGES) == 0  # whatever move is played
    if STACKS and HAS_WINS and HAS_CHANGES and same_tables and not ends:
        table = _find_table(structure, seat, state, workspace, source)
        return _choose_on_stacks(structure, tables, table, seat, state, count, workspace)
    best, best_value = np.int64(-1), np.float32(0.0)
    for place in range(count):
        move, trial = peek(workspace.moves, place), state
        if not (HAS_WINS and HAS_CHANGES) or knows_turns:
            trial = follow(states, 1, state, move)
        if not HAS_WINS and has_won(states, trial, adjudicate(states, trial), seat):
            return move, np.float32(0.0), False
        if HAS_CHANGES:
            listed = list_changes(states, state, move, seat, workspace.changes)
            _note_changes(structure, workspace, listed, source, target)
        else:
            _read(structure, workspace, seat, trial, source, target, False)
        table = _find_table(structure, seat, trial, workspace, target)
        value = _sum(structure, tables, table, workspace, target)
        if ends:
            value = np.float32(value_exhausting(states, state, move, ply, seat, value))
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best, best_value, not ends


@inlined
def _choose_on_stacks(
    structure: Array,
    tables: Floats,
    table: Number,
    seat: int,
    state: Position,
    count: int,
    workspace: TupleWorkspace,
) -> Number:
    """Return the first move of the best value; those with a single change are not tried out."""
    size = count_entries(structure, 0)
    at, entries, now = seat * size, workspace.entries, workspace.now
    total, noted = np.float32(0.0), False
    best, best_value = np.int64(-1), np.float32(0.0)
    for place in range(count):
        move = peek(workspace.moves, place)
        listed = list_changes(workspace.states, state, move, seat, workspace.changes)
        if listed == 1:
            if not noted:
                total, noted = _sum(structure, tables, table, workspace, at), True
            bit = peek(workspace.changes, 0)
            went = np.int64(bit < 0)
            bit ^= -went
            value = weigh_change(structure, 0, entries, at, went, bit, tables, table, now, total)
        else:
            _note_changes(structure, workspace, listed, at, TRIAL * size)
            value, noted = _sum(structure, tables, table, workspace, TRIAL * size), False
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best, best_value, True


@inlined
def _see_move(structure: Array, workspace: TupleWorkspace, state: Position, move: Number) -> None:
    """Update the entries of all seats by the changes that a *move* makes in a *state*."""
    if FOLLOWS:
        size, changes = count_entries(structure, 0), workspace.changes
        if SEATS == 2 and list_changes(workspace.states, state, move, 0, changes) == 1:
            first = peek(changes, 0)
            if list_changes(workspace.states, state, move, 1, changes) == 1:
                second = peek(changes, 0)
                gone, went = np.int64(first < 0), np.int64(second < 0)
                given = structure, workspace.entries, 0, gone, first ^ -gone
                note_two_changes(*given, size, went, second ^ -went)
                return
        for seat in range(SEATS):
            count = list_changes(workspace.states, state, move, seat, changes)
            _note_changes(structure, workspace, count, seat * size, seat * size)


@inlined
def _read(
    structure: Array,
    workspace: TupleWorkspace,
    seat: int,
    state: Position,
    source: int,
    target: int,
    keep: Number,
) -> None:
    """Store the entries of a *state* at index *target*, derived from those at index *source*."""
    planes, changes = workspace.planes, workspace.changes
    count = find_changes(workspace.states, state, planes, changes, seat, seat, keep, True)
    _note_changes(structure, workspace, count, source, target)


@inlined
def _note_changes(
    structure: Array, workspace: TupleWorkspace, count: Number, source: int, target: int
) -> None:
    """Store the entries at index *source*, after *count* listed changes, at index *target*."""
    if source != target:
        for reading in range(count_entries(structure, 0)):
            poke(workspace.entries, target + reading, peek(workspace.entries, source + reading))
    for place in range(count):
        change = peek(workspace.changes, place)
        went = np.int64(change < 0)
        note_change(structure, 0, workspace.entries, target, went, change ^ -went)


@inlined
def _find_table(
    structure: Array, seat: int, state: Position, workspace: TupleWorkspace, at: int
) -> Number:
    """Return the index of the first weight for a *state* after a move of *seat*."""
    turns, side = peek(structure, TURNS), np.int64(0)
    if turns == BY_SEAT:
        side += seat
    elif turns == AGAIN:
        side += moves_again(workspace.states, state, seat)
    return find_table(structure, 0, workspace.entries, at, side)


@inlined
def _sum(
    structure: Array, tables: Floats, table: Number, workspace: TupleWorkspace, at: int
) -> Number:
    return sum_entries(
        structure, 0, workspace.entries, at, tables, table, workspace.now, np.float32(0.0)
    )
