"""Descriptions of tasks for workers, and the distribution of their parts."""

from __future__ import annotations

import math
from collections import Counter, deque
from dataclasses import dataclass, field

from evolve_arena.arena.tasks import Kernel, Task, find_kernel
from evolve_arena.core.compiled import add_variants, list_variants
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import Settings

Chunk = tuple[int, int]
"""A range of parts of a task: the first, and the one after the last."""
Key = tuple[str, str]
"""A kernel, and the variant for which it is compiled."""
ALONE = 4
"""Factor of the smallest chunk if one process runs all: each chunk has a cost, there is no wait for
the last one, and interrupts are handled only between two."""


def describe(work: Task) -> dict[str, object]:
    """Describe the task *work* for workers, without its arrays."""
    variants = list_variants(work.options.get("game"))
    return {"kernel": work.kernel, "options": dict(work.options), "variants": variants}


def find_described(order: Settings) -> Kernel:
    """Return, in a worker, the kernel of a task that :func:`describe` described."""
    if order["variants"]:
        add_variants(find_game(order["options"]["game"]), order["variants"])
    return find_kernel(order["kernel"])


def make_chunks(count: int, workers: int, fewest: int) -> deque[Chunk]:
    """Divide parts into chunks, large ones first, so that all workers end at the same time.

    Args:
        count: Number of parts.
        workers: Number of workers.
        fewest: Fewest parts of a chunk; 0 for chunks of one part.
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
    """A task that workers are running: the chunks that are left, and statistics."""

    number: int
    key: Key | None
    """The kernel that workers must have compiled."""
    order: object
    """The description of the task, in the object store."""
    fresh: deque[Chunk]
    """Chunks that have not been sent yet."""
    fewest: int | None = None
    """Fewest parts to send together; None if chunks are not divided further."""
    games: int = 0
    """Number of games in a part."""
    own: bool = False
    """True if this process runs chunks, too."""
    total: int = 0
    """Number of parts."""
    unit: float = 0.0
    """Seconds of a part, from earlier jobs; 0 if unknown."""
    parts: int = 0
    busy: float = 0.0
    """Number of parts that are done, and the workers' seconds for them."""
    again: deque[Chunk] = field(default_factory=deque)
    """Chunks that were lost."""
    copies: Counter[Chunk] = field(default_factory=Counter)
    """Number of workers that have each unfinished chunk."""
    deaths: Counter[Chunk] = field(default_factory=Counter)
    """Number of workers that died over each chunk."""
    done: Counter[str] = field(default_factory=Counter)
    """Number of parts that each node has run."""

    def is_open(self) -> bool:
        """Return True if there is something to do or to wait for."""
        return bool(self.fresh or self.again or self.copies)

    def take(self, share: float, seconds: float) -> Chunk | None:
        """Return the next chunk for a worker; None if there is none.

        Args:
            share: Share of all parts that this worker is expected to run, from 0 to 1.
            seconds: Shortest time that the chunk should take.
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
