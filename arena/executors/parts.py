"""What workers are told of some work, and how its parts are handed out."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evolve_arena.arena.work import Kernel, Work, find_kernel
from evolve_arena.core.compiled import add_variants, list_variants
from evolve_arena.core.registry import find_game

Chunk = tuple[int, int]
"""Parts of some work: the first, and the one after the last."""
Key = tuple[str, str]
"""A kernel, and for whom it is compiled."""
ALONE = 4
"""The factor by which the smallest chunk is larger if one process does all: each chunk costs a
little, nobody waits for the last one, and only between two is an interrupt heeded."""


def describe(work: Work) -> dict[str, Any]:
    """What workers are told of *work*, except where its arrays are."""
    variants = list_variants(work.options.get("game"))
    return {"kernel": work.kernel, "options": dict(work.options), "variants": variants}


def find_described(order: Mapping[str, Any]) -> Kernel:
    """The kernel of the work that :func:`describe` described, in a worker."""
    if order["variants"]:
        add_variants(find_game(order["options"]["game"]), order["variants"])
    return find_kernel(order["kernel"])


def make_chunks(count: int, workers: int, fewest: int) -> deque[Chunk]:
    """Parts of a whole, many at once and more of them first, so that all workers end together.

    Args:
        count: How many parts there are.
        workers: How many share them.
        fewest: How many are handed out together at least; each singly if 0.
    """
    if not fewest:
        return deque((part, part + 1) for part in range(count))
    if workers == 1:
        fewest *= ALONE
    chunks: deque[Chunk] = deque()
    start = 0
    while start < count:
        size = max(fewest, count // (64 * workers), (count - start) // (2 * workers))
        stop = min(count, start + size)
        chunks.append((start, stop))
        start = stop
    return chunks


@dataclass(eq=False)
class Job:
    """Parts that are to be done, by workers who are told once what it is about."""

    number: int
    key: Key | None
    """What workers must have compiled."""
    order: Any
    """What they are told, in the object store."""
    fresh: deque[Chunk]
    """What nobody was given yet."""
    fewest: int | None = None
    """How many parts are given together at least; None if chunks are given as they are."""
    games: int = 0
    """How many games a part plays."""
    own: bool = False
    """Whether this process works, too."""
    total: int = 0
    """How many parts there are."""
    unit: float = 0.0
    """How many seconds one takes, as far as that is known from other jobs; else 0."""
    parts: int = 0
    busy: float = 0.0
    """How many parts are done, and how many seconds workers needed for them."""
    again: deque[Chunk] = field(default_factory=deque)
    """What was lost."""
    copies: Counter[Chunk] = field(default_factory=Counter)
    """How many workers have what is not done yet."""
    deaths: Counter[Chunk] = field(default_factory=Counter)
    """How many died over it."""
    done: Counter[str] = field(default_factory=Counter)
    """How many parts each node did."""

    def is_open(self) -> bool:
        """Whether something is to be done or waited for."""
        return bool(self.fresh or self.again or self.copies)

    def take(self, share: float, seconds: float) -> Chunk | None:
        """What is to be done next, by somebody who does that *share* of everything.

        Args:
            share: From 0 to 1.
            seconds: How long it should take at least.
        """
        if self.again:
            return self.again.popleft()
        if not self.fresh:
            return None
        start, stop = self.fresh.popleft()
        if self.fewest is not None:
            least = float(self.fewest)
            if self.unit:  # slow parts are worth sending a few at a time
                least = min(seconds / self.unit, self.total * share / 4)
            middle = start + math.ceil(max(least, (stop - start) * share / 2))
            if middle < stop:
                self.fresh.appendleft((middle, stop))
                stop = middle
        return start, stop
