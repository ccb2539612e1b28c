"""Finding a node among those of a genome, whatever their order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.genomes.neat.genes import find_node


@given(
    keys=st.lists(st.integers(0, 20), unique=True, max_size=12),
    before=st.lists(st.integers(0, 20), max_size=4),
    after=st.lists(st.integers(0, 20), max_size=4),
    ascending=st.booleans(),
    key=st.integers(-3, 23),
)
def test_a_node_is_found_where_it_stands(
    keys: list[int], before: list[int], after: list[int], ascending: bool, key: int
) -> None:
    if ascending:
        keys.sort()
    node_key = np.array([*before, *keys, *after], dtype=np.int32)
    start, stop = len(before), len(before) + len(keys)
    expected = start + keys.index(key) if key in keys else -1
    assert find_node(node_key, start, stop, key) == expected
