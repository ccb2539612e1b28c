"""The compiled arena of Connect Four: whole matches between packed players.

How each kind of compiled player chooses a column of Connect Four.

The match kernel and the Python classes call the same functions, so a player moves alike in
both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.core.bits import count_bits
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import below, next_word
from evolve_arena.games.connect_four.bitboard import (
    Rules,
    cell_of,
    column_of,
    count_moves,
    drop,
    full_columns,
    has_line,
    hide_steal,
    is_full,
    is_tight,
    landing_cells,
    mark_if_full,
    may_steal,
    stack_tops,
    steal_bit,
    winning_cells,
)
from evolve_arena.games.connect_four.graph_moves import (
    keep_trial,
    pick_open_output,
    remember_best,
    value_disc,
)
from evolve_arena.games.connect_four.network_moves import (
    HAS_GRAPHS,
    HAS_NETWORKS,
    HAS_POLICIES,
    HAS_SEARCHES,
    HAS_TEST_BOTS,
    HAS_TUPLES,
    begin_match,
    choose_by_network,
    init_player,
    prefers_steal,
    see_disc,
)
from evolve_arena.games.connect_four.search import find_best, value_steal
from evolve_arena.games.connect_four.tuple_moves import pick_by_tuples
from evolve_arena.games.connect_four.workspace import (
    BOARD_FIELDS,
    CACHE_DEPTH,
    CACHE_FIELDS,
    CACHE_HEAD,
    CACHE_KIND,
    CACHE_LINES_AT,
    CACHE_NOISE,
    CACHE_PLAYER,
    CACHE_WIDTH,
    MINIMAX,
    POLICY,
    count_tables,
)
from evolve_arena.genomes.simd import peek, poke
from evolve_arena.players.packed import GRAPH, NETWORK, RANDOM, TUPLES

FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)

OWN, OTHER, FULL, GAME = 0, 1, 2, 3
"""Fields of a table's board: the discs of whose turn it is, those of the other, the full
columns, and the hash of the moves so far."""
MATCH, PLY, LOOKS = 0, 1, 2
"""Fields of a table's match: its number, how many plies are played, and whether anybody there
looks at discs."""
NOBODY = -1
GOES_ON = 2


@compiled
def play_matches(
    rules: Rules,
    packed: Any,
    pairings: Any,
    seeds: Any,
    openings: Any,
    workspace: Any,
    places: Any,
    plies: Any,
    offenders: Any,
    games: Any,
) -> None:
    """Plays every pairing and fills in the rest, of shape ``(n,)``, but for *places*.

    Args:
        rules: The board.
        packed: The players.
        pairings: Rows of the packed players, who begins first, shape ``(n, 2)``.
        seeds: The seed of each match's stream, shape ``(n,)``.
        openings: Columns that are played before the players decide, shape ``(n, plies)``;
            -1 ends an opening early.
        workspace: Room for the matches in hand.
        places: 1 and 2, or 1 and 1 after a draw, shape ``(n, 2)`` (``int8``).
        plies: The length of each match, the opening included (``int16``).
        offenders: -1 (``int8``): nobody can make a forbidden move.
        games: A hash of the moves (``uint64``): equal games have equal hashes.
    """
    count = pairings.shape[0]
    tables = min(count, count_tables(packed))
    if not HAS_POLICIES or tables == 1:
        for match in range(count):
            looks = _seat_players(rules, packed, pairings, seeds, workspace, 0, match)
            own = other = full = np.uint64(0)
            game = FNV_START
            ply, outcome = 0, GOES_ON
            while outcome == GOES_ON:
                own, other, full, game, outcome = _play_ply(
                    rules, packed, openings, workspace, 0, match, ply, looks, own, other, full, game
                )
                ply += 1
            places[match, 0] = 1 + (outcome < 0)
            places[match, 1] = 1 + (outcome > 0)
            offenders[match] = -1
            plies[match] = ply
            games[match] = game
        return
    for table in range(tables):
        _start_match(rules, packed, pairings, seeds, workspace, table, table)
    started = playing = tables
    while playing > 0:
        for table in range(tables):
            match = peek(workspace.matches, table * BOARD_FIELDS + MATCH)
            if match < 0:
                continue
            outcome = _play_ply_at(rules, packed, openings, workspace, table, match)
            if outcome == GOES_ON:
                continue
            places[match, 0] = 1 + (outcome < 0)
            places[match, 1] = 1 + (outcome > 0)
            offenders[match] = -1
            plies[match] = peek(workspace.matches, table * BOARD_FIELDS + PLY)
            games[match] = peek(workspace.boards, table * BOARD_FIELDS + GAME)
            if started < count:
                _start_match(rules, packed, pairings, seeds, workspace, table, started)
                started += 1
            else:
                poke(workspace.matches, table * BOARD_FIELDS + MATCH, NOBODY)
                playing -= 1


@inlined
def _seat_players(
    rules: Rules, packed: Any, pairings: Any, seeds: Any, workspace: Any, table: int, match: int
) -> Any:
    """Seats the players of a match; not 0 if one of them looks at discs."""
    looks = 0
    for side in range(2):
        slot = 2 * table + side
        init_player(rules, packed, pairings[match, side], workspace, slot)
        looks |= peek(workspace.caches, slot * CACHE_FIELDS + CACHE_WIDTH)
    workspace.streams[table] = seeds[match]
    return looks


@inlined
def _start_match(
    rules: Rules, packed: Any, pairings: Any, seeds: Any, workspace: Any, table: int, match: int
) -> None:
    looks = _seat_players(rules, packed, pairings, seeds, workspace, table, match)
    at = table * BOARD_FIELDS
    poke(workspace.boards, at + OWN, np.uint64(0))
    poke(workspace.boards, at + OTHER, np.uint64(0))
    poke(workspace.boards, at + FULL, np.uint64(0))
    poke(workspace.boards, at + GAME, FNV_START)
    poke(workspace.matches, at + MATCH, match)
    poke(workspace.matches, at + PLY, 0)
    poke(workspace.matches, at + LOOKS, looks)


@inlined
def _play_ply_at(
    rules: Rules, packed: Any, openings: Any, workspace: Any, table: int, match: int
) -> Any:
    """Plays one ply of the match that lies at a table: its outcome, or GOES_ON."""
    boards, matches = workspace.boards, workspace.matches
    at = table * BOARD_FIELDS
    ply = peek(matches, at + PLY)
    own, other, full, game, outcome = _play_ply(
        rules,
        packed,
        openings,
        workspace,
        table,
        match,
        ply,
        peek(matches, at + LOOKS),
        peek(boards, at + OWN),
        peek(boards, at + OTHER),
        peek(boards, at + FULL),
        peek(boards, at + GAME),
    )
    poke(boards, at + OWN, own)
    poke(boards, at + OTHER, other)
    poke(boards, at + FULL, full)
    poke(boards, at + GAME, game)
    poke(matches, at + PLY, ply + 1)
    return outcome


@inlined
def _play_ply(
    rules: Rules,
    packed: Any,
    openings: Any,
    workspace: Any,
    table: int,
    match: int,
    ply: int,
    looks: int,
    own: Any,
    other: Any,
    full: Any,
    game: Any,
) -> Any:
    """Plays one ply: the board for whose turn it is then, and the outcome or GOES_ON."""
    side = ply & 1
    column: Any = -1
    if ply < openings.shape[1]:
        column = np.int64(openings[match, ply])
    if column < 0:
        column = choose_move(rules, packed, 2 * table + side, own, other, full, workspace)
    game = (game ^ np.uint64(column + 1)) * FNV_PRIME
    outcome: Any = GOES_ON
    if is_tight(rules) and column == rules.columns:
        _see_steal(rules, packed, workspace, table, looks, other)
        return np.uint64(0), other, full, game, outcome
    bit = drop(own | other, column, rules)
    own |= bit
    full = mark_if_full(full, bit, column, rules)
    if has_line(own, rules):
        outcome = 1 - 2 * side
    elif is_full(rules, ply + 1, own | other):
        outcome = 0
    elif looks:
        for slot in range(2 * table, 2 * table + 2):
            see_disc(packed, workspace, slot, side, cell_of(bit))
    return other, own, full, game, outcome


@inlined
def _see_steal(
    rules: Rules, packed: Any, workspace: Any, table: int, looks: int, disc: Any
) -> None:
    """Lets both players look at the board anew, as the only *disc* is now the second one's."""
    for slot in range(2 * table, 2 * table + 2):
        player = peek(workspace.caches, slot * CACHE_FIELDS + CACHE_PLAYER)
        init_player(rules, packed, player, workspace, slot)
        if looks:
            see_disc(packed, workspace, slot, 1, cell_of(disc))


@compiled
def draw_openings(rules: Rules, seeds: Any, openings: Any) -> None:
    """Fills each row of *openings* with random moves after which the game still goes on.

    Row k is drawn from the stream of ``seeds[k]``, which is used up.
    """
    for row in range(openings.shape[0]):
        stream = seeds[row : row + 1]
        while not _draw_opening(rules, stream, openings, row):
            pass


@inlined
def _draw_opening(rules: Rules, stream: Any, openings: Any, row: int) -> Any:
    own = other = full = np.uint64(0)
    for ply in range(openings.shape[1]):
        column = _choose_at_random(rules, hide_steal(rules, ply & 1, own, full), stream)
        if is_tight(rules) and column == rules.columns:
            openings[row, ply] = column  # and the other one has no disc, as the one before
            continue
        bit = drop(own | other, column, rules)
        own |= bit
        if has_line(own, rules):
            return False
        full = mark_if_full(full, bit, column, rules)
        openings[row, ply] = column
        own, other = other, own
    return True


ONE = np.uint64(1)


@inlined
def choose_move(  # noqa: PLR0911  (one for each kind)
    rules: Rules, packed: Any, slot: int, own: Any, other: Any, full: Any, workspace: Any
) -> Any:
    """The column that the player on *slot* drops a disc into.

    Args:
        rules: The board.
        packed: The players.
        slot: Whose turn it is. The player has taken that seat and seen all discs.
        own: Its discs.
        other: The opponent's discs.
        full: Bit c: column c is full. At least one is not.
        workspace: What the players know.
    """
    cache = slot * CACHE_FIELDS
    table = slot >> 1
    stream = workspace.streams[table : table + 1]
    full = hide_steal(rules, slot & 1, own, full)
    noise = peek(workspace.caches, cache + CACHE_NOISE)
    kind = peek(workspace.caches, cache + CACHE_KIND)
    strays = noise > 0 and np.int64(next_word(stream) >> np.uint64(32)) < noise
    if strays or kind == RANDOM:
        return _choose_at_random(rules, full, stream)
    if may_steal(rules, full) and prefers_steal(rules, packed, slot, other, full, workspace):
        return rules.columns
    if HAS_NETWORKS and kind == NETWORK:
        return choose_by_network(rules, packed, cache, own, other, full, workspace)
    if HAS_GRAPHS and kind == GRAPH:
        return _choose_by_graph(rules, packed, cache, own, other, full, workspace)
    if HAS_TUPLES and kind == TUPLES:
        return _choose_by_tuples(rules, packed, cache, own, other, workspace)
    if HAS_SEARCHES and kind == MINIMAX:
        return _choose_by_search(rules, packed, cache, own, other, full, workspace, stream)
    if HAS_TEST_BOTS:
        return _choose_by_stack(rules, own, other, full, stream)
    return _choose_at_random(rules, full, stream)


@compiled
def decide(
    rules: Rules, packed: Any, side: int, own: Any, other: Any, workspace: Any, going_on: bool
) -> Any:
    """The column that the first player of *packed* chooses.

    *side* is 0 if that player began, else 1; a recurrent graph that is *going_on* remembers
    its moves before; the rest as in :func:`choose_move`. Chance comes from the first of
    ``workspace.streams``.
    """
    full = full_columns(own | other, rules)
    begin_match(rules, packed, side, own, other, workspace, going_on)
    return choose_move(rules, packed, side, own, other, full, workspace)


@inlined
def _choose_by_graph(
    rules: Rules, packed: Any, cache: int, own: Any, other: Any, full: Any, workspace: Any
) -> Any:
    """By its head, as networks choose; a recurrent graph remembers the position it chose."""
    if peek(workspace.caches, cache + CACHE_HEAD) == POLICY:
        return pick_open_output(packed, cache, count_moves(rules), full, workspace)
    discs = own | other
    wins = winning_cells(own, rules) & landing_cells(discs, rules)
    if wins:
        return column_of(wins, rules)
    best = -1
    best_value = 0.0
    for column in range(rules.columns):
        if (full >> np.uint64(column)) & ONE:
            continue
        value = value_disc(packed, cache, cell_of(drop(discs, column, rules)), workspace)
        if best < 0 or value > best_value:
            best = column
            best_value = value
            keep_trial(cache, workspace)
    remember_best(cache, workspace)
    return best


@inlined
def _choose_by_tuples(
    rules: Rules, packed: Any, cache: int, own: Any, other: Any, workspace: Any
) -> Any:
    """The first column that wins at once, else the first whose position has the best value."""
    discs = own | other
    wins = winning_cells(own, rules) & landing_cells(discs, rules)
    if wins:
        return column_of(wins, rules)
    return pick_by_tuples(rules, packed, cache, discs, workspace)


@inlined
def _choose_by_search(
    rules: Rules,
    packed: Any,
    cache: int,
    own: Any,
    other: Any,
    full: Any,
    workspace: Any,
    stream: Any,
) -> Any:
    """One of the best columns, each as likely; a single one without a draw."""
    depth = peek(workspace.caches, cache + CACHE_DEPTH)
    lines_at = peek(workspace.caches, cache + CACHE_LINES_AT)
    best, value = find_best(rules, packed.columns, lines_at, workspace.search, own, other, depth)
    if may_steal(rules, full):
        stolen = value_steal(rules, packed.columns, lines_at, workspace.search, other, depth)
        if stolen > value:
            best = steal_bit(rules)
        elif stolen == value:
            best |= steal_bit(rules)
    choices = count_bits(best)
    if choices > 1:
        for _ in range(below(stream, choices)):
            best &= best - ONE
    return column_of(best, rules)


@inlined
def _choose_by_stack(rules: Rules, own: Any, other: Any, full: Any, stream: Any) -> Any:
    """As the test bot does: a stack that it completes or blocks, else any column."""
    column = _find_stack(rules, own, other, full)
    if column >= 0:
        return column
    return _choose_at_random(rules, full, stream)


@inlined
def _find_stack(rules: Rules, own: Any, other: Any, full: Any) -> Any:
    """The first column that tops a stack of own discs one short of a line, else of the other's.

    -1 if there is none.
    """
    free = landing_cells(own | other, rules)
    tops = stack_tops(own, rules) & free
    if not tops:
        tops = stack_tops(other, rules) & free
    return column_of(tops, rules) if tops else -1


@inlined
def _choose_at_random(rules: Rules, full: Any, stream: Any) -> Any:
    while True:
        column = below(stream, count_moves(rules))
        if not (full >> np.uint64(column)) & ONE:
            return column
