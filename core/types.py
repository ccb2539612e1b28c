"""Type aliases for values whose form a game, a genome or a file decides.

Compiled code is typed by Numba, which looks at the values themselves; there these names are for the
reader. Elsewhere a type variable says that a value is passed on without being inspected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

State = TypeVar("State")
"""A state of a game."""
Move = TypeVar("Move")
"""A move of a game."""
Genome = TypeVar("Genome")
"""An individual or a population: vectors of weights, graphs, or tuple networks."""
Rules = TypeVar("Rules")
"""A game with its options chosen."""

Array: TypeAlias = NDArray[Any]
"""An array of any element type."""
Floats: TypeAlias = NDArray[np.float32]
"""Numbers of single precision: weights, inputs, values of states."""
Arrays: TypeAlias = dict[str, Array]
"""Arrays by name, as files and kernels take them."""
Record: TypeAlias = Any
"""A row of a structured array. Compiled code reads its fields as attributes."""
Records: TypeAlias = Any
"""A structured array, or a tuple of arrays with a common first axis."""
Position: TypeAlias = Any
"""A state as compiled code has it: an array, a record or a tuple, whatever the rules make."""
Number: TypeAlias = Any
"""An integer or a float of any width, as compiled code returns it."""
Function: TypeAlias = Any
"""A compiled function that is handed to compiled code."""
Json: TypeAlias = Any
"""A value of a JSON or TOML document."""
JsonObject: TypeAlias = dict[str, Any]
"""A table of a JSON or TOML document."""
Settings: TypeAlias = Mapping[str, Any]
"""Settings by name: options of a game, values of a recipe, arguments that are passed on."""
Integer: TypeAlias = Any
"""A whole number of any width: an `int` in Python, mostly one of 64 bits in compiled code."""
