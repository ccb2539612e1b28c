"""Multilayer perceptrons as weight vectors: one row of a ``float32`` array per individual.

The genes of a network are ordered by layer: the weights, those from the first input first, then the
biases.

Networks can share genes, so that they treat a board and its images (mirrored, turned) alike. Each
view of the board permutes inputs, hidden units (in groups of as many as there are views) and
outputs. If every weight equals the one between the images of its units, the whole network is
symmetric: it values a position like its image, or prefers the mirrored column. With two views about
half of the genes remain free, with eight an eighth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.types import Array, Floats, Number
from evolve_arena.genomes import simd
from evolve_arena.genomes.encoding import Encoding
from evolve_arena.genomes.network import (
    ACTIVATION,
    ACTIVATIONS,
    LAYERS,
    MAX_LAYERS,
    RESOLUTION,
    SHAPE_FIELDS,
    SIZES,
    padded,
)
from evolve_arena.genomes.simd import LANES

Genomes = NDArray[np.float32]
"""A population, shape ``(individuals, genes)``."""


@dataclass(frozen=True)
class MLP:
    """The structure of a multilayer perceptron, without its weights.

    Raises:
        BadValueError: A layer is empty, or there are more than eight layers of weights.
        UnknownNameError: There is no such activation function.

    >>> MLP(inputs=42, hidden=(10,), outputs=7).genes
    507
    """

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    activation: str = "sigmoid"

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise UnknownNameError("activation", self.activation, ACTIVATIONS)
        if min(self.sizes) < 1:
            raise BadValueError(f"every layer needs at least one unit: {self.sizes}")
        if len(self.hidden) + 1 > MAX_LAYERS:
            raise BadValueError(f"{len(self.hidden)} hidden layers: at most {MAX_LAYERS - 1}")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Units per layer, inputs and outputs included."""
        return (self.inputs, *self.hidden, self.outputs)

    @property
    def genes(self) -> int:
        """Number of genes of an individual: all weights and biases."""
        return sum((before + 1) * after for before, after in pairwise(self.sizes))

    @property
    def shape(self) -> NDArray[np.int64]:
        """The structure as compiled code reads it; see :mod:`evolve_arena.genomes.network`."""
        shape = np.zeros(SHAPE_FIELDS, dtype=np.int64)
        shape[ACTIVATION] = ACTIVATIONS[self.activation]
        shape[LAYERS] = len(self.sizes) - 1
        shape[SIZES : SIZES + len(self.sizes)] = self.sizes
        return shape

    def initialise(self, individuals: int, name: str, rng: np.random.Generator) -> Genomes:
        """Draw a random population, shape ``(individuals, genes)``.

        Args:
            individuals: Number of individuals.
            name: One of :data:`INITIALISATIONS`, perhaps with its width: ``uniform:0.5``.
            rng: Source of random numbers.

        Raises:
            UnknownNameError: There is no such initialisation.
            BadValueError: The width is no positive number.
        """
        kind, _, text = name.partition(":")
        if kind not in INITIALISATIONS:
            raise UnknownNameError("initialisation", kind, INITIALISATIONS)
        try:
            width = float(text) if text else 1.0
        except ValueError:
            width = 0.0
        if not 0.0 < width < float("inf"):
            raise BadValueError(f"initialisation {name!r}: its width must be a number above 0")
        # Genes are drawn layer by layer, so that each has a width of its own.
        layers = []
        for before, after in pairwise(self.sizes):
            count = (before + 1) * after
            spread = width * INITIALISATIONS[kind](before, after)
            if kind in ("normal", "he"):
                values = rng.normal(0.0, spread, (individuals, count))
            else:
                values = rng.uniform(-spread, spread, (individuals, count))
            if kind in ("glorot", "he"):
                values[:, before * after :] = 0.0
            layers.append(values)
        return np.concatenate(layers, axis=1).astype(np.float32)

    def embed(self, genomes: Genomes, smaller: MLP, base: Genomes) -> Genomes:
        """Return networks with more hidden units that have the outputs of smaller ones.

        Units that are added have random weights from the layer before; the weights from them to the
        other units and to the outputs are 0.

        Args:
            genomes: Networks of the structure *smaller*, shape ``(individuals, smaller.genes)``.
            smaller: A structure with the same inputs, outputs, activation and number of layers.
            base: Random networks, shape ``(individuals, genes)``, which are not changed.

        Raises:
            BadValueError: A hidden layer of *smaller* is larger, or something else differs.
        """
        same = (self.inputs, self.outputs, self.activation, len(self.hidden))
        if same != (smaller.inputs, smaller.outputs, smaller.activation, len(smaller.hidden)):
            raise BadValueError(f"{smaller} can't grow to {self}")
        if any(here < there for here, there in zip(self.hidden, smaller.hidden, strict=True)):
            raise BadValueError(
                f"hidden is {list(self.hidden)}: that is smaller than {list(smaller.hidden)}"
            )
        embedded = base.astype(np.float32)
        at = own = 0
        sizes = zip(pairwise(smaller.sizes), pairwise(self.sizes), strict=True)
        for (few, targets), (before, after) in sizes:
            inside = embedded[:, own : own + (before + 1) * after].reshape(-1, before + 1, after)
            known = genomes[:, at : at + (few + 1) * targets].reshape(-1, few + 1, targets)
            inside[:, :-1, :targets] = 0.0
            inside[:, :few, :targets], inside[:, -1, :targets] = known[:, :-1], known[:, -1]
            own, at = own + (before + 1) * after, at + (few + 1) * targets
        return embedded

    def pack(
        self, genomes: Genomes, encoding: Encoding
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the networks of *genomes* as compiled code reads them (:mod:`.network`).

        Returns:
            ``columns``, shape ``(individuals, 1 + features, padded first layer)``, and
            ``weights``, shape ``(individuals, numbers)``.

        Raises:
            BadValueError: *genomes* does not have the shape ``(individuals, genes)``.
        """
        if genomes.ndim != 2 or genomes.shape[1] != self.genes:
            raise BadValueError(
                f"genomes have shape {genomes.shape}, expected (individuals, {self.genes})"
            )
        width = _padded(self.sizes[1])
        # The first layer, a column for each feature.
        columns = np.empty((len(genomes), 1 + encoding.features, width), dtype=np.int32)
        # The numbers of all later layers together, in the layout of `network`.
        numbers = 0
        for layer, (before, after) in enumerate(pairwise(self.sizes[1:]), start=1):
            if after == 1 and layer == len(self.hidden):
                numbers += LANES + _padded(before)
            else:
                numbers += (1 + before) * _padded(after)
        weights = np.zeros((len(genomes), numbers), dtype=np.float32)
        genomes = np.ascontiguousarray(genomes, dtype=np.float32)
        _pack(
            genomes,
            self.shape,
            encoding.index,
            encoding.factor,
            encoding.limit,
            np.empty((self.sizes[0] + 1) * self.sizes[1], dtype=np.int32),
            np.zeros((self.sizes[0] + 1) * width, dtype=np.int32),
            columns.reshape(-1),
            weights,
        )
        return columns, weights

    def evaluate(self, genome: Array, inputs: Array) -> NDArray[np.float64]:
        """Return the outputs for a batch of *inputs*, in double precision and plain NumPy.

        This is the textbook's forward pass, as a reference for the compiled one. The last layer has
        no activation.

        Args:
            genome: Shape ``(genes,)``.
            inputs: Shape ``(batch, inputs)``.
        """
        return self.activations(genome, inputs)[-1]

    def activations(self, genome: Array, inputs: Array) -> list[NDArray[np.float64]]:
        """Return the activations of each layer, for a batch of *inputs*; see :meth:`evaluate`."""
        values, found = np.asarray(inputs, dtype=np.float64), []
        for layer, (weights, biases) in enumerate(self.layers(genome)):
            values = values @ weights + biases
            if layer < len(self.hidden):
                values = _FUNCTIONS[self.activation](values)
            found.append(values)
        return found

    def layers(self, genome: Array) -> list[tuple[NDArray[np.float64], Array]]:
        """Return each layer's weights, shape ``(before, after)``, and biases, ``(after,)``."""
        found, at = [], 0
        for before, after in pairwise(self.sizes):
            end = at + before * after
            weights = genome[at:end].reshape(before, after).astype(np.float64)
            found.append((weights, genome[end : end + after]))
            at = end + after
        return found


INITIALISATIONS: dict[str, Callable[[int, int], float]] = {
    "uniform": lambda before, after: 1.0,
    "normal": lambda before, after: 1.0,
    "glorot": lambda before, after: float(np.sqrt(6.0 / (before + after))),
    "he": lambda before, after: float(np.sqrt(2.0 / before)),
    "fan-in": lambda before, after: float(1.0 / np.sqrt(before)),
    "inverse": lambda before, after: 1.0 / before,
}
"""Distributions of initial weights: the width, for a layer of *before* inputs and *after* units.

``uniform``, ``glorot``, ``fan-in`` and ``inverse`` draw from [-width, width], ``normal`` and
``he`` from a Gaussian of that standard deviation. Biases are drawn alike, but are 0 in
``glorot`` and ``he``. Sources: Glorot and Bengio 2010, equation 16; He et al. 2015, equation
10; Löfroth and Dalenius 2011, section 3.3, for ``inverse``.
"""

_FUNCTIONS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-np.clip(x, -500.0, 500.0))),
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0.0),
}


def _padded(size: int) -> int:
    return -(-size // LANES) * LANES


@inlined
def _whole(gene: Number, limit: Number) -> Number:
    """Return *gene* as an integer in units of 1 / :data:`RESOLUTION`, clipped; NaN counts as 0."""
    bounded = min(max(np.float64(gene), -limit), limit)
    bounded = bounded if gene == gene else 0.0  # noqa: PLR0124 - what is no number differs from itself
    return np.int32(np.rint(bounded * np.float64(RESOLUTION)))


@inlined
def _copy_row(rows: Array, at: int, times: int, columns: Array, to: int, width: int) -> None:
    for block in range(0, width, LANES):
        row = simd.scale_int(simd.load_int(rows, at + block), np.int32(times))
        simd.store_int(columns, to + block, row)


@compiled
def _pack(
    genomes: Genomes,
    shape: Array,
    index: Array,
    factor: Array,
    limit: float,
    whole: Array,
    rows: Array,
    columns: Array,
    weights: Floats,
) -> None:
    """Write the networks of *genomes* to *columns* and *weights*.

    *whole* is scratch space for the first layer in units of a running sum, *rows* for its padded
    rows.
    """
    layers = shape[LAYERS]
    inputs = shape[SIZES]
    units = shape[SIZES + 1]
    width = padded(units)
    to = 0
    for one in range(genomes.shape[0]):
        # First layer: integers, a padded row for each input and one for the biases.
        for gene in range(whole.shape[0]):
            whole[gene] = _whole(genomes[one, gene], limit)
        for source in range(inputs + 1):
            for unit in range(units):
                rows[source * width + unit] = whole[source * units + unit]
        # Columns: the biases, then for each feature the row of its input times its factor.
        _copy_row(rows, inputs * width, 1, columns, to, width)
        for feature in range(index.shape[0]):
            to += width
            source = index[feature]
            times = factor[feature] if source >= 0 else 0
            _copy_row(rows, max(source, 0) * width, times, columns, to, width)
        to += width
        # Later layers: floats, with biases in front; a single output's weights lie side by side.
        gene_at = (inputs + 1) * units
        at = 0
        for layer in range(2, layers + 1):
            before = shape[SIZES + layer - 1]
            after = shape[SIZES + layer]
            if after == 1 and layer == layers:
                weights[one, at] = genomes[one, gene_at + before]
                for unit in range(before):
                    weights[one, at + LANES + unit] = genomes[one, gene_at + unit]
            else:
                workspace = padded(after)
                for unit in range(after):
                    weights[one, at + unit] = genomes[one, gene_at + before * after + unit]
                for source in range(before):
                    for unit in range(after):
                        place = at + (source + 1) * workspace + unit
                        weights[one, place] = genomes[one, gene_at + source * after + unit]
                at += workspace * (before + 1)
            gene_at += (before + 1) * after


def share_genes(
    mlp: MLP, inputs: NDArray[np.int64], outputs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the genes that are equal in a symmetric network, and so share one free gene.

    Args:
        mlp: The network. In each hidden layer, consecutive units are images of each other, as many
            as there are views; units that are left over at the end are their own images.
        inputs: The image of each input in each view, shape ``(views, inputs)``. The first view is
            the identity; if there are more than two, all differ and are closed under composition.
        outputs: The image of each output, shape ``(views, outputs)``.

    Returns:
        The number of the shared gene of each gene of the whole network, shape ``(mlp.genes,)``; and
        for each shared gene one of its places in the whole network, shape ``(shared genes,)``.
    """
    if len(inputs) == 2:  # they may look alike, as on a board of one column
        # turned[i][j]: the view that equals view j followed by view i.
        turned = np.array([[0, 1], [1, 0]])
    else:
        numbers = {view.tobytes(): number for number, view in enumerate(inputs)}
        turned = np.array([[numbers[one[other].tobytes()] for other in inputs] for one in inputs])
    # The leader of a gene is the lowest place among its images in all views.
    images = [inputs, *(_turn_units(size, turned) for size in mlp.hidden), outputs]
    leaders = np.arange(mlp.genes)
    for layers in zip(*images, strict=True):
        # The places, in the vector of genes, of the images of all weights and biases in this view.
        places, start = [], 0
        for before, after in pairwise(layers):
            rows, columns = np.meshgrid(before, after, indexing="ij")
            places.append(start + (rows * len(after) + columns).ravel())
            places.append(start + len(before) * len(after) + after)
            start += (len(before) + 1) * len(after)
        leaders = np.minimum(leaders, np.concatenate(places))
    first, shared = np.unique(leaders, return_inverse=True)
    return shared.astype(np.int64), first.astype(np.int64)


def _turn_units(size: int, turned: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the images of hidden units, shape ``(views, size)``."""
    views = len(turned)
    images = np.tile(np.arange(size), (views, 1))
    for first in range(0, size - views + 1, views):
        images[:, first : first + views] = first + turned
    return images
