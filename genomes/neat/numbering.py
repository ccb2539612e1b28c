"""Innovation numbers of new connections, by endpoints, and keys of nodes, by the connection split.

Two rules differ from neat-python 2.0.0, which gives equal numbers only if two genomes mutate alike
in one generation, and makes a new node each time that a connection is split:

- A connection takes the number that its endpoints have in the parents' population or were given in
  this generation, and a new one only if there is none. So genes of two genomes match by number
  exactly if they match by endpoints.
- Genomes that split the same connection in one generation get the same node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import mix
from evolve_arena.core.types import Array, Number
from evolve_arena.genomes.neat.population import NeatPopulation


class Counters(NamedTuple):
    """The last number of each kind that a run has assigned."""

    genome: int
    node: int
    innovation: int


MAX_ISLANDS = 32
"""Most populations with separate ranges of numbers."""
SPANS = Counters(genome=2**57, node=2**25, innovation=2**57)
"""Size of each population's own range of numbers, by kind: island k assigns numbers from k times
this size on, so that an immigrant's numbers have no other meaning on the island where it
arrives."""


def highest_own(numbers: Array, last: int, span: int) -> int:
    """Return the highest of *numbers* in the range of *last*; 0 if none is.

    Args:
        numbers: Numbers of one kind, of any island.
        last: A number in the range that counts: the last one given out there.
        span: Size of a range, a field of :data:`SPANS`.
    """
    first = last - last % span
    own = numbers[(numbers >= first) & (numbers < first + span)]
    return int(own.max(initial=0))


def number_like(
    population: NeatPopulation, immigrants: NeatPopulation, last: int
) -> tuple[NDArray[np.int64], int]:
    """Return the innovation numbers for the connections of *immigrants* in a *population*.

    A connection gets the number of the population's connection between the same nodes. If there is
    none, it keeps its own number, or gets a new one if its own is taken there.

    Args:
        population: The population where they arrive.
        immigrants: Genomes from another island.
        last: The last number given out in *population*.

    Returns:
        The numbers, shape ``(connection genes,)``, and the new last one given out.
    """
    known: dict[tuple[int, int], int] = {}
    ends = zip(population.source.tolist(), population.target.tolist(), strict=True)
    known |= zip(ends, population.innovation.tolist(), strict=True)
    taken, found = set(known.values()), []
    for source, target, number in zip(
        immigrants.source.tolist(),
        immigrants.target.tolist(),
        immigrants.innovation.tolist(),
        strict=True,
    ):
        # A connection that is new here keeps its number unless that is taken.
        if (source, target) not in known:
            if number in taken:
                last += 1
            known[source, target] = last if number in taken else number
            taken.add(known[source, target])
        found.append(known[source, target])
    return np.array(found, dtype=np.int64), last


class Table(NamedTuple):
    """A hash table of numbers by key, with linear probing."""

    keys: NDArray[np.int64]
    """The keys, -1 for a free slot; their number is a power of two."""
    numbers: NDArray[np.int64]


class Numbering(NamedTuple):
    """The numbers that have been assigned so far."""

    links: Table
    """Innovation numbers by endpoints."""
    splits: Table
    """Node keys by the innovation number of the connection that was split."""
    last: NDArray[np.int64]
    """The last node key and the last innovation number assigned, shape ``(2,)``."""


EMPTY = np.int64(-1)
NODE, INNOVATION = 0, 1


def new_numbering(links: int, splits: int, counters: Counters) -> Numbering:
    """Make an empty numbering with space for *links* connections and *splits* split connections.

    Args:
        links: Most connections with different ends.
        splits: Most different connections that are split.
        counters: The last numbers given out so far.
    """
    last = np.array([counters.node, counters.innovation], dtype=np.int64)
    return Numbering(_new_table(links), _new_table(splits), last)


def _new_table(entries: int) -> Table:
    size = 1 << max(4, (2 * entries).bit_length())
    return Table(np.full(size, EMPTY), np.zeros(size, dtype=np.int64))


@compiled
def note_numbers(numbering: Numbering, source: Array, target: Array, innovation: Array) -> None:
    """Record the innovation numbers of existing connections.

    Args:
        numbering: Receives the numbers.
        source: Key of each connection's source, shape ``(connections,)``.
        target: Key of each connection's target, shape ``(connections,)``.
        innovation: Each connection's innovation number, shape ``(connections,)``.
    """
    for place in range(source.shape[0]):
        key = _link(source[place], target[place])
        slot = _find_slot(numbering.links, key)
        numbering.links.keys[slot] = key
        numbering.links.numbers[slot] = innovation[place]


@inlined
def number_link(numbering: Numbering, source: int, target: int) -> Number:
    """Return the innovation number of a connection from *source* to *target*.

    Args:
        numbering: The numbers so far; a new one is added to these.
        source: Key of a node or an input.
        target: Key of a node.
    """
    return _number(numbering.links, _link(source, target), numbering.last, INNOVATION)


@inlined
def number_split(numbering: Numbering, innovation: int) -> Number:
    """Return the key of the node that splits the connection of that *innovation* number."""
    return _number(numbering.splits, innovation, numbering.last, NODE)


@compiled
def _number(table: Table, key: int, last: Array, sort: int) -> Number:
    """Return the number of *key*, a new one if it has none."""
    slot = _find_slot(table, key)
    if table.keys[slot] == EMPTY:
        last[sort] += 1
        table.keys[slot] = key
        table.numbers[slot] = last[sort]
    return table.numbers[slot]


@inlined
def _link(source: int, target: int) -> Number:
    """Pack both ends into one word; it is never -1, since targets are not negative."""
    return (np.int64(source) << 32) | np.int64(target)


@inlined
def _find_slot(table: Table, key: int) -> Number:
    """Return the slot of *key*, or the free one that it would take."""
    last = table.keys.shape[0] - 1
    slot = np.int64(mix(np.uint64(key)) >> np.uint64(1)) & last
    while table.keys[slot] != EMPTY and table.keys[slot] != key:
        slot = (slot + 1) & last
    return slot
