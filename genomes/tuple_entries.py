"""The entries that tuples read, kept up to date as a board changes; for players and learners alike.

All functions take a *structure*, an array of ``int32`` that says how tuples read a board:

- the fields named here, of which four say where the parts begin that follow;
- ``starts``: for each place of the board where in ``members`` the readings begin that a change
  there concerns;
- ``members``: their numbers;
- ``deltas``: for each place what a change there adds to the entries of its members, first for one
  kind of change, then for the other. What the two are is the game's business: a disc of the first
  or of the second player, or a bit that comes or goes;
- ``first``: the entry of each reading on the empty board.

Entries stand in one array of numbers, an entry for each reading.

Sums have four parts that are added up at the end, since a processor can't begin an addition
before the one that it depends on is done. So their order is fixed, but not that of readings.
"""

from __future__ import annotations

from typing import Any

from evolve_arena.core.compiled import inlined
from evolve_arena.genomes.simd import peek, poke

READINGS, ENTRIES, STARTS_AT, MEMBERS_AT, DELTAS_AT, FIRST_AT, TURNS = range(7)
"""Fields of a structure: how many readings and entries there are, and where parts begin; and if
there are more numbers than for all entries: 0, AGAIN or BY_SEAT."""
FIELDS = 8
AGAIN, BY_SEAT = 1, 2
"""There are as many numbers again, which count where the same player moves once more; there are
numbers for the moves of each seat."""


@inlined
def start_readings(structure: Any, base: int, entries: Any, at: int) -> None:
    """Puts what stands for the empty board into ``entries[at:]``.

    The structure begins at ``structure[base]``.
    """
    readings = peek(structure, base + READINGS)
    first = base + peek(structure, base + FIRST_AT)
    for reading in range(readings):
        poke(entries, at + reading, peek(structure, first + reading))


@inlined
def note_change(structure: Any, base: int, entries: Any, at: int, change: Any, cell: int) -> None:
    """Takes note of a *change*, 0 or 1, at a *cell*."""
    members, count, deltas = _find_change(structure, base, change, cell)
    for member in range(count):
        _move_entry(structure, entries, at, members + member, deltas + member)


@inlined
def note_two_changes(
    structure: Any,
    entries: Any,
    at: int,
    change: Any,
    cell: int,
    later: int,
    other: Any,
    place: int,
) -> None:
    """Takes note of a *change* at a *cell* in ``entries[at:]``, and of another in another part.

    That is faster than one after the other: neither waits for the other's numbers.

    Args:
        structure: As above, from its beginning on.
        entries: As above.
        at: Where the first part begins.
        change: 0 or 1.
        cell: Where.
        later: Where the second part begins.
        other: The change there.
        place: Its cell.
    """
    members, count, deltas = _find_change(structure, 0, change, cell)
    others, many, terms = _find_change(structure, 0, other, place)
    if count != many:
        note_change(structure, 0, entries, at, change, cell)
        note_change(structure, 0, entries, later, other, place)
        return
    for member in range(count):
        _move_entry(structure, entries, at, members + member, deltas + member)
        _move_entry(structure, entries, later, others + member, terms + member)


@inlined
def _move_entry(structure: Any, entries: Any, at: int, member: int, delta: int) -> None:
    place = at + peek(structure, member)
    poke(entries, place, peek(entries, place) + peek(structure, delta))


@inlined
def weigh_change(
    structure: Any,
    base: int,
    entries: Any,
    at: int,
    change: Any,
    cell: int,
    tables: Any,
    table: int,
    now: Any,
    total: Any,
) -> Any:
    """*total*, plus what a *change* at a *cell* would change in the sum of all entries.

    Args:
        structure: As above.
        base: Where it begins.
        entries: As above.
        at: Where they begin.
        change: 0 or 1.
        cell: Where.
        tables: The numbers.
        table: Where the first of those begins that count afterwards.
        now: What each reading picks from them now; see :func:`sum_entries`.
        total: Where to begin.
    """
    members, count, deltas = _find_change(structure, base, change, cell)
    first = second = third = fourth = total - total
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
    structure: Any, base: int, entries: Any, at: int, tables: Any, table: int, now: Any, total: Any
) -> Any:
    """*total*, plus the sum of all entries; what each reading picks goes into *now*."""
    readings = peek(structure, base + READINGS)
    whole = readings & ~3
    first = second = third = fourth = total - total
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
    structure: Any,
    member: int,
    delta: int,
    entries: Any,
    at: int,
    tables: Any,
    table: int,
    now: Any,
) -> Any:
    """What a member of a change would pick, less what it picks now."""
    reading = peek(structure, member)
    entry = peek(entries, at + reading) + peek(structure, delta)
    return peek(tables, table + entry) - peek(now, reading)


@inlined
def _pick(entries: Any, at: int, tables: Any, table: int, now: Any, reading: int) -> Any:
    number = peek(tables, table + peek(entries, at + reading))
    poke(now, reading, number)
    return number


@inlined
def _find_change(structure: Any, base: int, change: Any, cell: int) -> Any:
    """Where the members of a change begin, how many they are, and where their deltas begin."""
    starts = base + peek(structure, base + STARTS_AT) + cell
    begin = peek(structure, starts)
    count = peek(structure, starts + 1) - begin
    members = base + peek(structure, base + MEMBERS_AT) + begin
    deltas = base + peek(structure, base + DELTAS_AT) + 2 * begin + change * count
    return members, count, deltas
