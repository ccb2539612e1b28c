"""Networks that see a board and its mirror image alike, by sharing genes.

Mirroring exchanges inputs, hidden units (in pairs) and outputs. If every weight equals the one
between the mirrored units, the whole network is symmetric: it values a position like its
mirror image, or prefers the mirrored column. That leaves about half of the genes to be found.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evolve_arena.genomes.mlp import MLP


def share_genes(
    mlp: MLP, inputs: NDArray[np.int64], outputs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which genes of a symmetric network are one and the same.

    Args:
        mlp: The network. In each hidden layer units 0 and 1, 2 and 3, ... are mirror images
            of each other; the last unit of an odd layer is its own.
        inputs: The mirror image of each input, shape ``(inputs,)``.
        outputs: The mirror image of each output, shape ``(outputs,)``.

    Returns:
        For each gene of the whole network the number of the shared gene, shape
        ``(mlp.genes,)``; and for each shared gene a place of the whole network that has it.
    """
    mirrors = [inputs, *(_pair_units(size) for size in mlp.hidden), outputs]
    twins = []
    start = 0
    for before, after in pairwise(mirrors):
        rows, columns = np.meshgrid(before, after, indexing="ij")
        twins.append(start + (rows * len(after) + columns).ravel())
        twins.append(start + len(before) * len(after) + after)
        start += (len(before) + 1) * len(after)
    twin = np.concatenate(twins)
    leaders = np.minimum(twin, np.arange(mlp.genes))
    places, shared = np.unique(leaders, return_inverse=True)
    return shared.astype(np.int64), places.astype(np.int64)


def _pair_units(size: int) -> NDArray[np.int64]:
    units = np.arange(size)
    partner = units ^ 1
    return np.where(partner < size, partner, units)
