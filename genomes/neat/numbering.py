"""Numbers for what is new: connections by their endpoints, nodes by the connection they split.

Two rules differ from neat-python 2.0.0, which asks for equal numbers only where two genomes
mutate alike in one generation, and gives the halves of a split connection new nodes each time:

- A connection takes the number that its endpoints have in the parents' population or were
  given in this generation, and a new one only if there is none. So genes of two genomes match
  by number exactly if they match by endpoints.
- Genomes that split the same connection in one generation get the same node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import mix
from evolve_arena.genomes.neat.population import NeatPopulation


class Counters(NamedTuple):
    """The last number of each sort that a run has given out."""

    genome: int
    node: int
    innovation: int


MOST_ISLANDS = 32
"""How many populations can give out numbers apart from each other."""
SPANS = Counters(genome=2**57, node=2**25, innovation=2**57)
"""How many numbers of each sort a population has for itself: island k those from k times as many
on, so that genomes which migrate bring no number that means something else where they arrive."""


def highest_own(numbers: NDArray[Any], last: int, span: int) -> int:
    """The highest of *numbers* that come from the population which gave out *last*; 0 if none."""
    first = last - last % span
    own = numbers[(numbers >= first) & (numbers < first + span)]
    return int(own.max(initial=0))


def number_like(
    population: NeatPopulation, newcomers: NeatPopulation, last: int
) -> tuple[NDArray[np.int64], int]:
    """The innovation numbers that connections of *newcomers* have in a *population*.

    They are those of its connections between the same nodes; others keep theirs, unless that
    stands for something else there and they get new ones.

    Args:
        population: Where they arrive.
        newcomers: From another island.
        last: The last number given out in *population*.

    Returns:
        The numbers, shape ``(connection genes,)``, and the last one given out then.
    """
    known: dict[tuple[int, int], int] = {}
    ends = zip(population.source.tolist(), population.target.tolist(), strict=True)
    known |= zip(ends, population.innovation.tolist(), strict=True)
    taken, found = set(known.values()), []
    for source, target, number in zip(
        newcomers.source.tolist(),
        newcomers.target.tolist(),
        newcomers.innovation.tolist(),
        strict=True,
    ):
        if (source, target) not in known:
            if number in taken:
                last += 1
            known[source, target] = last if number in taken else number
            taken.add(known[source, target])
        found.append(known[source, target])
    return np.array(found, dtype=np.int64), last


class Table(NamedTuple):
    """Numbers by key, in the next free place from the one that the key's bits point at."""

    keys: NDArray[np.int64]
    """-1 where there is none; as many as a power of two."""
    numbers: NDArray[np.int64]


class Numbering(NamedTuple):
    """What has been numbered so far."""

    links: Table
    """Innovation numbers by endpoints."""
    splits: Table
    """Node keys by the innovation number of the connection that was split."""
    last: NDArray[np.int64]
    """The last node and the last innovation number given out."""


EMPTY = np.int64(-1)
NODE, INNOVATION = 0, 1


def new_numbering(links: int, splits: int, counters: Counters) -> Numbering:
    """Room for so many different *links* and *splits*, nothing numbered yet."""
    last = np.array([counters.node, counters.innovation], dtype=np.int64)
    return Numbering(_new_table(links), _new_table(splits), last)


def _new_table(entries: int) -> Table:
    size = 1 << max(4, (2 * entries).bit_length())
    return Table(np.full(size, EMPTY), np.zeros(size, dtype=np.int64))


@compiled
def note_numbers(numbering: Any, source: Any, target: Any, innovation: Any) -> None:
    """Notes the numbers that connections have already."""
    for place in range(source.shape[0]):
        key = _link(source[place], target[place])
        slot = _find_slot(numbering.links, key)
        numbering.links.keys[slot] = key
        numbering.links.numbers[slot] = innovation[place]


@inlined
def number_link(numbering: Any, source: int, target: int) -> Any:
    """The innovation number of a connection from *source* to *target*."""
    return _number(numbering.links, _link(source, target), numbering.last, INNOVATION)


@inlined
def number_split(numbering: Any, innovation: int) -> Any:
    """The key of the node that splits the connection of that *innovation* number."""
    return _number(numbering.splits, innovation, numbering.last, NODE)


@compiled
def _number(table: Any, key: int, last: Any, sort: int) -> Any:
    slot = _find_slot(table, key)
    if table.keys[slot] == EMPTY:
        last[sort] += 1
        table.keys[slot] = key
        table.numbers[slot] = last[sort]
    return table.numbers[slot]


@inlined
def _link(source: int, target: int) -> Any:
    """Both ends in one word; never -1, since targets are not negative."""
    return (np.int64(source) << 32) | np.int64(target)


@inlined
def _find_slot(table: Any, key: int) -> Any:
    """Where *key* stands, or the empty place that it would take."""
    last = table.keys.shape[0] - 1
    slot = np.int64(mix(np.uint64(key)) >> np.uint64(1)) & last
    while table.keys[slot] != EMPTY and table.keys[slot] != key:
        slot = (slot + 1) & last
    return slot
