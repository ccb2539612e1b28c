"""Tasks for executors: independent parts of one computation, as plain arrays and numbers.

A batch of matches is one kind of task, whose parts are matches. A population of learners is
another, whose parts are learners.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TypeAlias

import numpy as np

from evolve_arena.core.types import Array, Settings

Kernel: TypeAlias = Callable[[Settings, Sequence[Array], Sequence[Array], slice], None]
"""Function that runs a part of a task: takes the task's options, inputs and outputs, and the part.

It only reads the inputs, and only writes that part of the outputs. A part may be repeated if a
worker dies, so it must not depend on the content of the outputs.
"""


@dataclass(frozen=True, eq=False)
class Task:
    """A computation in independent parts."""

    kernel: str
    """The import path of the :data:`Kernel`: ``package.module:function``."""
    inputs: tuple[Array, ...]
    """Arrays that all parts may read."""
    outputs: tuple[tuple[str, tuple[int, ...]], ...]
    """The type and the shape of each array of results, whose first axis is that of the parts."""
    options: Settings = field(default_factory=dict)
    """Further arguments of the kernel, JSON-able."""
    coarse: bool = False
    """True if a part takes a tenth of a second or more, so that parts are sent one by one."""
    fewest: int = 256
    """Fewest parts that are sent together if not :attr:`coarse`, as sending fewer takes too
    long."""
    games: int = 1
    """Number of games in a part."""

    def __len__(self) -> int:
        """Return the number of parts."""
        return self.outputs[0][1][0]


@cache
def find_kernel(name: str) -> Kernel:
    """Return the kernel with the import path *name*."""
    module, _, function = name.partition(":")
    kernel: Kernel = getattr(import_module(module), function)
    return kernel


def new_outputs(work: Task) -> list[Array]:
    """Make arrays, filled with zeros, for the results of the task *work*."""
    return [np.zeros(shape, dtype=kind) for kind, shape in work.outputs]
