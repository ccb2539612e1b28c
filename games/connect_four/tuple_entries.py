"""The entries that tuples read, kept up to date disc by disc; for players and learners alike.

See :mod:`evolve_arena.games.connect_four.tuple_table` for the structure that all functions take.
Entries stand in one array of numbers, an entry for each reading.

Sums have four parts that are added up at the end, since a processor can't begin an addition
before the one that it depends on is done. So their order is fixed, but not that of readings.
"""

from __future__ import annotations

from typing import Any

from evolve_arena.core.compiled import inlined
from evolve_arena.genomes.simd import peek, poke

__all__ = [
    "DELTAS_AT",
    "ENTRIES",
    "FIELDS",
    "FIRST_AT",
    "MEMBERS_AT",
    "READINGS",
    "STARTS_AT",
    "read_disc",
    "start_readings",
    "sum_entries",
    "weigh_disc",
]

READINGS, ENTRIES, STARTS_AT, MEMBERS_AT, DELTAS_AT, FIRST_AT = range(6)
"""Fields of a structure: how many readings and entries there are, and where parts begin."""
FIELDS = 8


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
def read_disc(structure: Any, base: int, entries: Any, at: int, owner: int, cell: int) -> None:
    """Takes note of a disc of *owner* (0: who began) on *cell*, the lowest empty one."""
    members, count, deltas = _find_move(structure, base, owner, cell)
    for member in range(count):
        place = at + peek(structure, members + member)
        poke(entries, place, peek(entries, place) + peek(structure, deltas + member))


@inlined
def weigh_disc(
    structure: Any,
    base: int,
    entries: Any,
    at: int,
    owner: int,
    cell: int,
    tables: Any,
    table: int,
    now: Any,
    total: Any,
) -> Any:
    """*total*, plus what a disc of *owner* on *cell* would change in the sum of all entries.

    Args:
        structure: As above.
        base: Where it begins.
        entries: As above.
        at: Where they begin.
        owner: 0 for who began, else 1.
        cell: The lowest empty one of a column.
        tables: The numbers.
        table: Where the first of those begins that count after a move of *owner*.
        now: What each reading picks from them now; see :func:`sum_entries`.
        total: Where to begin.
    """
    members, count, deltas = _find_move(structure, base, owner, cell)
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
    """What a member of a move would pick, less what it picks now."""
    reading = peek(structure, member)
    entry = peek(entries, at + reading) + peek(structure, delta)
    return peek(tables, table + entry) - peek(now, reading)


@inlined
def _pick(entries: Any, at: int, tables: Any, table: int, now: Any, reading: int) -> Any:
    number = peek(tables, table + peek(entries, at + reading))
    poke(now, reading, number)
    return number


@inlined
def _find_move(structure: Any, base: int, owner: int, cell: int) -> Any:
    """Where the members of a move begin, how many they are, and where their deltas begin."""
    starts = base + peek(structure, base + STARTS_AT) + cell
    begin = peek(structure, starts)
    count = peek(structure, starts + 1) - begin
    members = base + peek(structure, base + MEMBERS_AT) + begin
    deltas = base + peek(structure, base + DELTAS_AT) + 2 * begin + owner * count
    return members, count, deltas
