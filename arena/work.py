"""What executors do: independent parts of one computation, as plain arrays and numbers.

A batch of matches is one kind of work, in which a match is a part. A population of learners is
another, in which a part is a learner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Sequence[NDArray[Any]]

Kernel = Callable[[Mapping[str, Any], Arrays, Arrays, slice], None]
"""Does a part of some work: takes its options, inputs and outputs, and which part.

It only reads the inputs, and writes that part of the outputs and nothing else. A part may be
done again from the start if a worker dies over it, so it must not depend on what the outputs
hold.
"""


@dataclass(frozen=True, eq=False)
class Work:
    """Something to be done in parts, none of which depends on another."""

    kernel: str
    """Where the :data:`Kernel` is found: ``package.module:function``."""
    inputs: tuple[NDArray[Any], ...]
    """What all parts may read."""
    outputs: tuple[tuple[str, tuple[int, ...]], ...]
    """What comes out: the type and the shape of each array, of which the first dimension counts
    the parts."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What else the kernel is told, JSON-able."""
    coarse: bool = False
    """Whether a part takes long enough, a tenth of a second or more, to be handed out singly."""
    fewest: int = 256
    """If not, how many parts at least are handed out together, so that they are worth it."""
    games: int = 1
    """How many games a part plays."""

    def __len__(self) -> int:
        """How many parts there are."""
        return self.outputs[0][1][0]


@cache
def find_kernel(name: str) -> Kernel:
    """The function that *name* stands for."""
    module, _, function = name.partition(":")
    kernel: Kernel = getattr(import_module(module), function)
    return kernel


def new_outputs(work: Work) -> list[NDArray[Any]]:
    """Room for what *work* gives."""
    return [np.zeros(shape, dtype=kind) for kind, shape in work.outputs]
