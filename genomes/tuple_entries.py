"""Incremental evaluation of tuple networks: the entries that tuples read as a board changes.

A *reading* is a tuple under one image of the board (mirrored, turned). Its *entry* is an index into
the network's weights, which the contents of the tuple's cells determine.

All functions take a *structure*, an array of ``int32`` that describes the tuples on a board:

- the fields named below, of which four are the beginnings of the following parts;
- ``starts``: for each place of the board the beginning, in ``members``, of the readings that a
  change there affects;
- ``members``: the indices of these readings;
- ``deltas``: for each place the numbers that a change there adds to the entries of its members,
  first for one kind of change, then for the other. The game decides which these are: a disc of the
  first or of the second player, or a bit that is set or cleared;
- ``first``: the entry of each reading on the empty board.

Entries are an array of integers, one for each reading. If the network has other weights for each
stage of a game, the number of pieces on the board follows, to which each bit that is set adds 1.

Sums have four parts that are added at the end, since a processor can't begin an addition before the
one that it depends on is done. So their order is fixed, but it is not that of the readings.
"""

from __future__ import annotations

from evolve_arena.core.compiled import inlined
from evolve_arena.core.types import Array, Number
from evolve_arena.genomes.simd import peek, poke

FIELDS = 9
READINGS, ENTRIES, STARTS_AT, MEMBERS_AT, DELTAS_AT, FIRST_AT, TURNS, STAGES, SPAN = range(FIELDS)
"""Fields of a structure: the counts of readings and entries, the beginnings of parts, the kind of
further tables of weights (0 for none, AGAIN or BY_SEAT), the number of stages of a game that have
weights of their own (0 if there is only one), and how many numbers of pieces make a stage."""
AGAIN, BY_SEAT = 1, 2
"""Further tables of weights: a second one for positions in which the same player moves again; or
one for the positions after the moves of each seat."""


@inlined
def start_readings(structure: Array, base: int, entries: Array, at: int) -> None:
    """Write the entries of the empty board to ``entries[at:]``.

    Args:
        structure: Structures of tuple networks; see the module's docstring.
        base: Beginning of this network's structure.
        entries: Receives an entry for each reading.
        at: Beginning of these entries.
    """
    first = base + peek(structure, base + FIRST_AT)
    for reading in range(count_entries(structure, base)):
        poke(entries, at + reading, peek(structure, first + reading))


@inlined
def count_entries(structure: Array, base: int) -> Number:
    """Return the size of a network's entries: one for each reading, and with stages the pieces.

    Args:
        structure: Structures of tuple networks; see the module's docstring.
        base: Beginning of this network's structure.
    """
    return peek(structure, base + READINGS) + (peek(structure, base + STAGES) > 0)


@inlined
def find_table(structure: Array, base: int, entries: Array, at: int, side: Number) -> Number:
    """Return where the weights begin that count for a *side* at the stage that entries show.

    Args:
        structure: Structures of tuple networks; see the module's docstring.
        base: Beginning of this network's structure.
        entries: Entries of the position.
        at: Beginning of those of this network.
        side: Which of the further tables counts, by TURNS; 0 if there are none.
    """
    stages = peek(structure, base + STAGES)
    if stages > 0:
        pieces = peek(entries, at + peek(structure, base + READINGS))
        stage = min(pieces // peek(structure, base + SPAN), stages - 1)
        side = side * stages + stage
    return side * peek(structure, base + ENTRIES)


@inlined
def note_change(
    structure: Array, base: int, entries: Array, at: int, change: Number, cell: int
) -> None:
    """Update the entries after a *change*, 0 or 1, at a *cell*.

    Args:
        structure: Structures of tuple networks; see the module's docstring.
        base: Beginning of this network's structure.
        entries: Entries before the change.
        at: Beginning of those of this network.
        change: 0 for the first kind of change, 1 for the other; see the module's docstring.
        cell: The place of the board, or the bit, that changes.
    """
    members, count, deltas = _find_change(structure, base, change, cell)
    for member in range(count):
        _move_entry(structure, entries, at, members + member, deltas + member)


@inlined
def note_two_changes(
    structure: Array,
    entries: Array,
    at: int,
    change: Number,
    cell: int,
    later: int,
    other: Number,
    place: int,
) -> None:
    """Update ``entries[at:]`` after a *change* at a *cell*, and another part after another change.

    That is faster than one after the other, as neither waits for the other's numbers.

    Args:
        structure: Structure of one tuple network; see the module's docstring.
        entries: Entries before the changes.
        at: Beginning of the first part.
        change: 0 or 1.
        cell: The changed cell of the first part.
        later: Beginning of the second part.
        other: The change in the second part, 0 or 1.
        place: The changed cell of the second part.
    """
    members, count, deltas = _find_change(structure, 0, change, cell)
    others, many, terms = _find_change(structure, 0, other, place)
    if count != many:  # they can't be interleaved
        note_change(structure, 0, entries, at, change, cell)
        note_change(structure, 0, entries, later, other, place)
        return
    for member in range(count):
        _move_entry(structure, entries, at, members + member, deltas + member)
        _move_entry(structure, entries, later, others + member, terms + member)


@inlined
def _move_entry(structure: Array, entries: Array, at: int, member: int, delta: int) -> None:
    place = at + peek(structure, member)
    poke(entries, place, peek(entries, place) + peek(structure, delta))


@inlined
def weigh_change(
    structure: Array,
    base: int,
    entries: Array,
    at: int,
    change: Number,
    cell: int,
    tables: Array,
    table: int,
    now: Array,
    total: Number,
) -> Number:
    """Return *total* plus the difference that a *change* at a *cell* would make to the sum.

    Args:
        structure: Structures of tuple networks; see the module's docstring.
        base: Beginning of this network's structure.
        entries: The entry of each reading, which does not change.
        at: Beginning of those of this network.
        change: 0 for the first kind of change, 1 for the other.
        cell: The place of the board, or the bit, that would change.
        tables: Weights of networks.
        table: Beginning of the weights that count after the change.
        now: The weight that each reading picks now; see :func:`sum_entries`.
        total: The sum to start from, which also sets the type of the result.
    """
    members, count, deltas = _find_change(structure, base, change, cell)
    # Four independent sums, see the module's docstring.
    first = second = third = fourth = total - total
    # Four members at a time, and the rest.
    for _ in range(count >> 2):
        first += _change(structure, members, deltas, entries, at, tables, table, now)
        second += _change(structure, members + 1, deltas + 1, entries, at, tables, table, now)
        third += _change(structure, members + 2, deltas + 2, entries, at, tables, table, now)
        fourth += _change(structure, members + 3, deltas + 3, entries, at, tables, table, now)
        members += 4
        deltas += 4
    for member in range(count & 3):
        first += _change(
            structure, members + member, deltas + member, entries, at, tables, table, now
        )
    return total + ((first + second) + (third + fourth))


@inlined
def sum_entries(
    structure: Array,
    base: int,
    entries: Array,
    at: int,
    tables: Array,
    table: int,
    now: Array,
    total: Number,
) -> Number:
    """Return *total* plus the weights of all readings; *now* receives the weight of each.

    Args:
        structure: Structures of tuple networks; see the module's docstring.
        base: Beginning of this network's structure.
        entries: The entry of each reading.
        at: Beginning of those of this network.
        tables: Weights of networks.
        table: Beginning of the weights that count in this position.
        now: Receives the weight that each reading picks, from 0 on.
        total: The sum to start from, which also sets the type of the result.
    """
    readings = peek(structure, base + READINGS)
    whole = readings & ~3
    first = second = third = fourth = total - total
    # Four readings at a time, and the rest.
    for reading in range(0, whole, 4):
        first += _pick(entries, at, tables, table, now, reading)
        second += _pick(entries, at, tables, table, now, reading + 1)
        third += _pick(entries, at, tables, table, now, reading + 2)
        fourth += _pick(entries, at, tables, table, now, reading + 3)
    for reading in range(whole, readings):
        first += _pick(entries, at, tables, table, now, reading)
    return total + ((first + second) + (third + fourth))


@inlined
def _change(
    structure: Array,
    member: int,
    delta: int,
    entries: Array,
    at: int,
    tables: Array,
    table: int,
    now: Array,
) -> Number:
    """Return the weight that a reading would pick after a change, less the one it picks now."""
    reading = peek(structure, member)
    entry = peek(entries, at + reading) + peek(structure, delta)
    return peek(tables, table + entry) - peek(now, reading)


@inlined
def _pick(entries: Array, at: int, tables: Array, table: int, now: Array, reading: int) -> Number:
    number = peek(tables, table + peek(entries, at + reading))
    poke(now, reading, number)
    return number


@inlined
def _find_change(structure: Array, base: int, change: Number, cell: int) -> Number:
    """Return the beginning and number of a change's members, and the beginning of their deltas."""
    starts = base + peek(structure, base + STARTS_AT) + cell
    begin = peek(structure, starts)
    count = peek(structure, starts + 1) - begin
    members = base + peek(structure, base + MEMBERS_AT) + begin
    deltas = base + peek(structure, base + DELTAS_AT) + 2 * begin + change * count
    return members, count, deltas
