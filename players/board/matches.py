"""Compiled matches of a board game between packed players."""

from __future__ import annotations

import numpy as np

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import GOLDEN, Stream, below, chance, mix, next_word
from evolve_arena.core.types import Array, Integer, Number, Position
from evolve_arena.genomes.network import (
    ACTIVATION,
    LAYERS,
    SIZES,
    add_column,
    padded,
    shallow_pick,
    start_sums,
)
from evolve_arena.genomes.simd import LANES, peek, poke
from evolve_arena.players.board.alpha_beta import HAS_SEARCHES
from evolve_arena.players.board.choose import (
    HAS_FORFEITS,
    HAS_OWN_VALUES,
    HAS_SCRIPTS,
    choose_move,
    pick_shallow,
)
from evolve_arena.players.board.example import IS_ARRAY, START, load_state, store_state
from evolve_arena.players.board.mcts import HAS_MCTS
from evolve_arena.players.board.rules import (
    GOES_ON,
    HAS_CHANCE,
    HAS_CHANGES,
    HAS_GUESS,
    HAS_PAST,
    HAS_WINS,
    LONGEST,
    MOVES,
    SEATS,
    TALLY_COUNT,
    adjudicate,
    adjudicate_at,
    adjudicate_move,
    advance,
    begin,
    clear_notes,
    count_points,
    find_allowed,
    find_mover,
    follow_at,
    list_bits,
    list_changes,
    list_deeper_moves,
    list_moves,
    list_wins,
    note_move,
    settle,
    write_tally,
)
from evolve_arena.players.board.values import (
    HAS_DENSE,
    HAS_GRAPHS,
    HAS_LAYERS,
    HAS_POLICIES,
    HAS_TUPLES,
    HAS_VALUES,
    add_listed,
    take_slot,
)
from evolve_arena.players.board.workspace import (
    ACTIVATION_NOTE,
    COLUMNS,
    DEPTH,
    FORFEIT,
    GAME,
    HEAD,
    HEAD_NOTE,
    MATCH,
    PLY,
    POLICY,
    ROLLOUTS,
    ROW,
    SITTING,
    STATE,
    STRAYS,
    SUMS,
    TABLES,
    TAKES_WINS,
    UNITS,
    VALUE,
    WHO,
    WIDTH,
    BoardWorkspace,
    table_fields,
)
from evolve_arena.players.packed import (
    COLUMNS_AT,
    KIND,
    NETWORK,
    NOISE,
    RANDOM,
    SHAPE,
    WEIGHTS_AT,
    PackedPlayers,
)

FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)
PLAYS_IN_TURNS = (
    (HAS_POLICIES or HAS_VALUES)
    and (HAS_CHANGES and (HAS_WINS or not HAS_VALUES) and (MOVES <= LANES or not HAS_POLICIES))
    and not (IS_ARRAY or HAS_CHANCE or HAS_PAST or HAS_GUESS)
)
"""True if matches of shallow networks and random players are interleaved, move by move."""
ONLY_IN_TURNS = not (
    (HAS_LAYERS or HAS_GRAPHS or HAS_TUPLES or HAS_DENSE)
    or (HAS_SEARCHES or HAS_MCTS or HAS_SCRIPTS)
)
"""True if there are no players of other kinds, so that all matches are interleaved."""
TABLE_FIELDS = table_fields(START)
ASKS_WINS = HAS_WINS and (HAS_OWN_VALUES or HAS_SEARCHES or HAS_MCTS)
"""True if players need the moves that win at once; else the result is found without a list."""


@inlined
def split_seed(seed: Number) -> Integer:
    """Derive the seed of the players' random numbers from that of the game's."""
    return mix(seed ^ GOLDEN)


@compiled
def play_matches(  # noqa: PLR0912
    players: PackedPlayers,
    pairings: Array,
    seeds: Array,
    openings: Array,
    workspace: BoardWorkspace,
    places: Array,
    plies: Integer,
    offenders: Array,
    games: Array,
    points: Array,
    tallies: Array,
) -> None:
    """Play all matches and fill in the results, of shape ``(n,)`` or ``(n, seats)``.

    Args:
        players: Packed players.
        pairings: Rows of the players in order of moving, shape ``(n, seats)``.
        seeds: Seed of each match, shape ``(n,)``.
        openings: Moves before the players choose, shape ``(n, plies)``; -1 ends an opening early.
        workspace: See `evolve_arena.players.board.workspace`.
        places: Places, 1 for the best; equals share the better place (``int8``).
        plies: Length of each match, with the opening (``int16``).
        offenders: Seat that forfeited (``int8``), or -1.
        games: Hash of the moves (``uint64``): equal games have equal hashes.
        points: Final points of each seat (``int32``); no columns if they are not needed.
        tallies: Numbers that the file's ``tally`` writes, shape ``(n, seats, TALLY_COUNT)``.
    """
    if PLAYS_IN_TURNS and (ONLY_IN_TURNS or _are_shallow(players)):
        results = places, plies, offenders, games, points
        play_in_turns(players, pairings, seeds, openings, workspace, results)
        return
    for match in range(pairings.shape[0]):
        # Seats, seeds and the first state
        clear_notes(workspace.notes)
        for seat in range(SEATS):
            take_slot(players, pairings[match, seat], seat, workspace)
        workspace.chance[0] = seeds[match]
        workspace.streams[0] = start_stream(seeds[match])
        states, game, ply, largest = workspace.states, FNV_START, 0, np.uint64(0)
        state = settle(states, begin(states), workspace.chance)
        verdict, offender = adjudicate(states, state), np.int64(-1)
        while verdict == GOES_ON and ply < LONGEST:
            winning = np.int64(0)
            if ASKS_WINS:
                winning = list_wins(states, state, workspace.wins)
            # The move: of the opening, or chosen
            move = np.int64(-1)
            if ply < openings.shape[1]:
                move = np.int64(openings[match, ply])
            if move < 0:
                if HAS_MCTS or HAS_SEARCHES or HAS_PAST:
                    workspace.plies[0] = ply
                mover = find_mover(states, state)
                move = choose_move(players, mover, state, winning, workspace)
                if HAS_FORFEITS and move == FORFEIT:
                    offender = np.int64(mover)
                    break
            # The new state and the verdict
            largest = max(largest, np.uint64(move))  # detects negative moves, too
            game = (game ^ np.uint64(move + 1)) * FNV_PRIME
            ply += 1
            state = settle(states, advance(states, state, move, ply), workspace.chance)
            if ASKS_WINS:
                verdict = adjudicate_move(
                    states, state, move, ply, verdict, workspace.wins, winning
                )
            else:
                verdict = adjudicate_at(states, state, ply)
        note_move(states, largest)
        results = places, plies, offenders, games, points
        _write_result(states, state, verdict, match, ply, game, results)
        if HAS_FORFEITS and offender >= 0:
            _write_forfeit(match, offender, places, offenders)
        if TALLY_COUNT > 0:
            for seat in range(SEATS):
                write_tally(states, state, seat, tallies[match, seat])


@inlined
def _write_forfeit(match: Integer, offender: Integer, places: Array, offenders: Array) -> None:
    """Put the seat that forfeits in the last place, whatever the points."""
    for seat in range(SEATS):
        if places[match, seat] > places[match, offender]:
            places[match, seat] -= 1
    places[match, offender] = SEATS
    offenders[match] = offender


@inlined
def _write_result(
    states: Array,
    state: Position,
    verdict: Integer,
    match: Integer,
    ply: Integer,
    game: Number,
    results: tuple[Array, ...],
) -> None:
    """Fill in the results of a match."""
    places, plies, offenders, games, points = results
    for seat in range(SEATS):
        own, place = count_points(states, state, verdict, seat), 1
        for other in range(SEATS):
            place += count_points(states, state, verdict, other) > own
        places[match, seat] = place
        if seat < points.shape[1]:
            points[match, seat] = own
    offenders[match] = -1
    plies[match] = ply
    games[match] = game


# Interleaved matches. What a network computes for a move is one long chain of instructions, each of
# which waits for the one before; meanwhile those of other matches are executed. A *table* is the
# place of one such match in ``workspace.tables``.


@inlined
def _are_shallow(players: PackedPlayers) -> bool:
    """Test whether all *players* are random or shallow networks without a search."""
    seats, shallow = players.seats, True
    for row in range(seats.shape[0]):
        if seats[row, KIND] == NETWORK:
            shallow &= seats[row, DEPTH] == 0 and seats[row, ROLLOUTS] == 0
            shallow &= seats[row, HEAD] <= VALUE
            shallow &= players.shapes[np.uint64(seats[row, SHAPE]), LAYERS] == 2
        else:
            shallow &= seats[row, KIND] == RANDOM
    return shallow


@inlined
def play_in_turns(
    players: PackedPlayers,
    pairings: Array,
    seeds: Array,
    openings: Array,
    workspace: BoardWorkspace,
    results: tuple[Array, ...],
) -> None:
    """Play all matches, a few at a time, a move of each in turn; see :func:`play_matches`.

    Args:
        players: Packed players: random ones, and shallow networks without a search.
        pairings: Rows of the players in order of moving, shape ``(n, seats)``.
        seeds: Seed of each match, shape ``(n,)``.
        openings: Moves before the players choose, shape ``(n, plies)``; -1 ends an opening early.
        workspace: Arrays in which players compute; see `evolve_arena.players.board.workspace`.
        results: Arrays to fill in: places, plies, offenders, games and points, in the form that
            :func:`play_matches` describes.
    """
    tables, states = workspace.tables, workspace.states
    count = pairings.shape[0]
    playing = started = taken = min(count, TABLES)
    # A match at each table, until none is left to start
    for table in range(taken):
        _start_match(players, pairings, seeds, workspace, table, table)
    while playing > 0:
        for table in range(taken):
            at = table * TABLE_FIELDS
            match = peek(tables, at + MATCH)
            if match < 0:
                continue
            # A move; at the end of the match its results, and the next match at this table
            verdict = _play_move(players, openings, workspace, table, match)
            ply = peek(tables, at + PLY)
            if verdict == GOES_ON and ply < LONGEST:
                continue
            state, game = load_state(tables, at + STATE), np.uint64(peek(tables, at + GAME))
            _write_result(states, state, verdict, match, ply, game, results)
            if started < count:
                _start_match(players, pairings, seeds, workspace, table, started)
                started += 1
            else:
                poke(tables, at + MATCH, np.int64(-1))
                playing -= 1


@inlined
def _start_match(
    players: PackedPlayers,
    pairings: Array,
    seeds: Array,
    workspace: BoardWorkspace,
    table: Integer,
    match: Integer,
) -> None:
    """Start a *match* at a *table*: note its players and their sums for the first state."""
    tables, sums, states = workspace.tables, workspace.sums, workspace.states
    state = begin(states)
    for seat in range(SEATS):
        player, at = np.int64(pairings[match, seat]), _sits_at(table, seat)
        is_network = players.seats[player, KIND] == NETWORK
        poke(tables, at + WHO, player)
        poke(tables, at + STRAYS, np.int64(not is_network or players.seats[player, NOISE] > 0))
        poke(tables, at + WIDTH, np.int64(0))
        if is_network:  # notes of the record, and sums of the first observation
            row = players.seats[player, SHAPE]
            width = padded(players.shapes[row, SIZES + 1])
            base = players.seats[player, COLUMNS_AT] + width
            place = (sums.shape[0] - 1 - table * SEATS - seat) * sums.shape[1]
            poke(tables, at + HEAD_NOTE, players.seats[player, HEAD])
            poke(tables, at + UNITS, np.int64(players.shapes[row, SIZES + 1]))
            poke(tables, at + WIDTH, np.int64(width))
            poke(tables, at + ACTIVATION_NOTE, np.int64(players.shapes[row, ACTIVATION]))
            poke(tables, at + SUMS, place)
            poke(tables, at + COLUMNS, base)
            poke(tables, at + ROW, players.seats[player, WEIGHTS_AT])
            start_sums(sums, place, players.columns, base - width, width)
            count = list_bits(states, state, workspace.planes, workspace.changes, seat)
            add_listed(workspace, count, players.columns, base, width, place, place)
    # The match itself
    workspace.streams[table] = start_stream(seeds[match])
    at = table * TABLE_FIELDS
    store_state(tables, at + STATE, state)
    poke(tables, at + MATCH, np.int64(match))
    poke(tables, at + PLY, np.int64(0))
    poke(tables, at + GAME, np.int64(FNV_START))


@inlined
def _sits_at(table: Integer, seat: Integer) -> Integer:
    """Return the index in ``tables`` of the notes on the player at a *seat* of a *table*."""
    return TABLES * TABLE_FIELDS + SITTING * (table * SEATS + seat)


@inlined
def _play_move(
    players: PackedPlayers,
    openings: Array,
    workspace: BoardWorkspace,
    table: Integer,
    match: Integer,
) -> Integer:
    """Play the next move at a *table*; return the verdict on the new state."""
    tables, states, at = workspace.tables, workspace.states, table * TABLE_FIELDS
    before, ply = load_state(tables, at + STATE), peek(tables, at + PLY)
    move, winning = np.int64(-1), np.int64(0)
    if ASKS_WINS:
        winning = list_wins(states, before, workspace.wins)
    if ply < openings.shape[1]:
        move = np.int64(openings[match, ply])
    if move < 0:
        seat = find_mover(states, before)
        move = _choose(players, workspace, table, seat, before, winning)
    else:
        note_move(states, move)
    # The new state, and the hash of the moves (FNV-1a)
    game = (np.uint64(peek(tables, at + GAME)) ^ np.uint64(move + 1)) * FNV_PRIME
    ply += 1
    state = advance(states, before, move, ply)
    store_state(tables, at + STATE, state)
    poke(tables, at + PLY, ply)
    poke(tables, at + GAME, np.int64(game))
    if ASKS_WINS:
        verdict = adjudicate_move(
            states, state, move, ply, np.int64(GOES_ON), workspace.wins, winning
        )
    else:
        verdict = adjudicate_at(states, state, ply)
    # All seats update their sums by what the move changes.
    if verdict == GOES_ON:
        for seat in range(SEATS):
            _show_move(players, workspace, _sits_at(table, seat), seat, before, move)
    return verdict


@inlined
def _show_move(
    players: PackedPlayers,
    workspace: BoardWorkspace,
    sits: Integer,
    seat: Integer,
    state: Position,
    move: Integer,
) -> None:
    """Update the sums of the player at a *seat* by the changes of a *move* in a *state*."""
    tables, sums, columns = workspace.tables, workspace.sums, players.columns
    width = peek(tables, sits + WIDTH)
    if width > 0:
        count = list_changes(workspace.states, state, move, seat, workspace.changes)
        base, place = peek(tables, sits + COLUMNS), peek(tables, sits + SUMS)
        first = peek(workspace.changes, 0)
        if count == 1 and first >= 0:
            add_column(sums, place, columns, base + first * width, width)
        else:
            add_listed(workspace, count, columns, base, width, place, place)


@inlined
def _choose(
    players: PackedPlayers,
    workspace: BoardWorkspace,
    table: Integer,
    seat: Integer,
    state: Position,
    winning: Integer,
) -> Integer:
    """Return the move of the player at a *seat* of a *table*: a network, or a random player.

    The first *winning* moves in ``workspace.wins`` win at once.
    """
    tables, sits, states = workspace.tables, _sits_at(table, seat), workspace.states
    moves, at, row = workspace.moves, peek(tables, sits + SUMS), peek(tables, sits + ROW)
    activation = peek(tables, sits + ACTIVATION_NOTE)
    # Random moves, in the same order of random numbers as in `choose.choose_move`
    if peek(tables, sits + STRAYS):
        player, rng = peek(tables, sits + WHO), workspace.streams[table : table + 1]
        noise = players.seats[player, NOISE]
        strays = noise > 0 and np.int64(next_word(rng) >> np.uint64(32)) < noise
        if strays or players.seats[player, KIND] != NETWORK:
            count = list_moves(states, state, moves, 0)
            return peek(moves, below(rng, count) if count > 1 else 0)
    # Policies, then values
    if HAS_POLICIES and (not HAS_VALUES or peek(tables, sits + HEAD_NOTE) == POLICY):
        allowed, units = find_allowed(states, state, moves), peek(tables, sits + UNITS)
        sums, inputs = workspace.sums, workspace.ping
        return np.int64(
            shallow_pick(activation, units, sums, at, players.weights, row, inputs, allowed)
        )
    if winning > 0 and players.seats[peek(tables, sits + WHO), TAKES_WINS]:
        return peek(workspace.wins, 0)
    # A value network, whose record `values.find_layers` would read
    layers = activation, peek(tables, sits + WIDTH), peek(tables, sits + COLUMNS), at, row
    count = list_moves(states, state, moves, 0)
    return pick_shallow(players, layers, seat, state, count, workspace)


@compiled
def record_matches(
    players: PackedPlayers,
    rows: Array,
    seeds: Array,
    exploration: float,
    workspace: BoardWorkspace,
    played: Array,
    chosen: Array,
) -> None:
    """Play matches of players against themselves, and record their choices.

    Args:
        players: Packed players.
        rows: Player of each match, shape ``(n,)``.
        seeds: Seed of each match, shape ``(n,)``.
        exploration: Probability of a random legal move in place of the choice.
        workspace: See `evolve_arena.players.board.workspace`.
        played: Moves, shape ``(n, plies)``. A row of -1 is filled with the moves of a match; the
            moves of any other row are played, whatever the choice, as far as they are legal.
        chosen: Choice at each ply, of the same shape; -1 where only one move was legal.
    """
    for match in range(rows.shape[0]):
        clear_notes(workspace.notes)
        # The same player at all seats
        for seat in range(SEATS):
            take_slot(players, rows[match], seat, workspace)
        workspace.chance[0] = seeds[match]
        workspace.streams[0] = start_stream(seeds[match])
        states, ply, largest = workspace.states, 0, np.uint64(0)
        state = settle(states, begin(states), workspace.chance)
        verdict, free = adjudicate(states, state), played[match, 0] < 0
        while verdict == GOES_ON and ply < played.shape[1] and (free or played[match, ply] >= 0):
            winning = list_wins(states, state, workspace.wins) if ASKS_WINS else np.int64(0)
            if HAS_MCTS or HAS_SEARCHES or HAS_PAST:
                workspace.plies[0] = ply
            choice = choose_move(players, find_mover(states, state), state, winning, workspace)
            if HAS_FORFEITS and choice == FORFEIT:
                break
            # Record the choice, then play it, a random move, or the given one.
            count = list_moves(states, state, workspace.moves, 0)
            chosen[match, ply] = choice if count > 1 else -1
            largest = max(largest, np.uint64(choice))
            if free:
                strays = exploration > 0 and chance(workspace.streams) < exploration
                drawn = below(workspace.streams, count) if strays else np.int64(0)
                played[match, ply] = workspace.moves[drawn] if strays else choice
            elif not is_listed(workspace.moves, count, played[match, ply]):
                break  # the given moves are legal no further
            state = advance(states, state, np.int64(played[match, ply]), ply + 1)
            state, ply = settle(states, state, workspace.chance), ply + 1
            verdict = adjudicate_at(states, state, ply)
        note_move(states, largest)


@inlined
def is_listed(moves: Array, count: Integer, move: Integer) -> bool:
    """Test whether a *move* is among the first *count* of *moves*.

    Args:
        moves: Array of ``int64`` that begins with the listed moves.
        count: Number of listed moves.
        move: Move to find.
    """
    found = False
    for place in range(count):
        found |= moves[place] == move
    return found


@inlined
def start_stream(seed: Number) -> Integer:
    """Return the seed of the players' random numbers in the match with this *seed*."""
    if HAS_CHANCE:
        return split_seed(seed)
    return seed


@compiled
def draw_openings(seeds: Array, openings: Array, moves: Array, states: Array) -> None:
    """Fill each row of *openings* with random moves after which the game goes on.

    Args:
        seeds: State of a random stream for each row (``uint64``), shape ``(n,)``; it advances.
        openings: Array for the moves, shape ``(n, plies)``.
        moves: Buffer of ``int64`` for the legal moves of a state, with at least MOVES places.
        states: Buffer for a state; see `workspace.make_states`.
    """
    for row in range(openings.shape[0]):
        while not _draw_opening(seeds[row : row + 1], openings, row, moves, states):
            pass


@inlined
def _draw_opening(rng: Stream, openings: Array, row: Integer, moves: Array, states: Array) -> bool:
    state = begin(states)
    for ply in range(openings.shape[1]):
        count = list_moves(states, state, moves, 0)
        openings[row, ply] = moves[below(rng, count)]
        state = advance(states, state, np.int64(openings[row, ply]), ply + 1)
        if adjudicate_at(states, state, ply + 1) != GOES_ON:
            return False
    return True


@compiled
def count_sequences(
    state: Position, depth: Integer, moves: Array, states: Array, level: Integer, ply: Integer
) -> Integer:
    """Count the sequences of *depth* plies from a state after *ply* plies of a game (perft).

    Args:
        state: State at which the sequences begin: a tuple, or its row in *states*.
        depth: Number of plies of each sequence, from 0.
        moves: Buffer of ``int64`` for the legal moves, with MOVES places for each level.
        states: Buffer with a row for each level; see `workspace.make_states`.
        level: Number of plies since the root, whose level is 0.
        ply: Number of plies of the game up to the state.
    """
    if adjudicate_at(states, state, ply) != GOES_ON:
        return np.int64(depth == 0)
    at = level * MOVES
    count = list_deeper_moves(states, state, moves, at)
    if depth <= 1:
        return np.int64(count if depth else 1)
    total = np.int64(0)
    for place in range(at, at + count):
        after = follow_at(states, level + 1, state, moves[place], ply + 1)
        total += count_sequences(after, depth - 1, moves, states, level + 1, ply + 1)
    return total
