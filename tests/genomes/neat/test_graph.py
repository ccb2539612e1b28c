"""Networks of NEAT genomes: the values of neat-python, and what it does with odd genomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace

import neat
import neat.aggregations
import neat.math_util
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neat.activations import ActivationFunctionSet
from neat.aggregations import AggregationFunctionSet
from neat.genes import DefaultConnectionGene, DefaultNodeGene
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Array, Settings
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.graph import Graphs, clear_plane, compile_graphs, evaluate, run_graph
from evolve_arena.genomes.neat.interchange import from_neat_python
from tests.genomes.neat import theirs

INPUTS, OUTPUTS = 3, 2
FUNCTIONS: Settings = {
    "activation_default": "random",
    "activation_options": ACTIVATIONS,
    "activation_mutate_rate": 0.1,
    "aggregation_default": "random",
    "aggregation_options": AGGREGATIONS,
    "aggregation_mutate_rate": 0.1,
    "response_init_stdev": 0.3,
    "response_mutate_rate": 0.3,
    "response_mutate_power": 0.3,
    "enabled_mutate_rate": 0.02,
}
SMALL = {"conn_add_prob": 0.2, "conn_delete_prob": 0.1, "node_add_prob": 0.1}
LARGE = {"conn_add_prob": 0.4, "conn_delete_prob": 0.1, "node_add_prob": 0.2}


class Oracle:
    """neat-python's network of a genome, with its two failures mended and counted.

    It raises OverflowError for a square or a cube beyond the largest float, and the median of
    numbers of which one is NaN depends on their order.
    """

    def __init__(
        self, genome: neat.DefaultGenome, inputs: int, outputs: int, feed_forward: bool
    ) -> None:
        self.overflows = 0
        activations, aggregations = ActivationFunctionSet(), AggregationFunctionSet()
        for name, sign in (("square", 1.0), ("cube", -1.0)):
            activations.functions[name] = self._watch(activations.get(name), sign)
        median = aggregations.get("median")
        aggregations.functions["median"] = lambda terms: (
            math.nan if any(map(math.isnan, terms)) else median(terms)
        )
        config = SimpleNamespace(
            input_keys=[-1 - place for place in range(inputs)],
            output_keys=list(range(outputs)),
            activation_defs=activations,
            aggregation_function_defs=aggregations,
        )
        kind = neat.nn.FeedForwardNetwork if feed_forward else neat.nn.RecurrentNetwork
        self.network = kind.create(genome, SimpleNamespace(genome_config=config))

    def _watch(self, function: Callable[[float], float], sign: float) -> Callable[[float], float]:
        def safe(z: float) -> float:
            try:
                return function(z)
            except OverflowError:
                self.overflows += 1
                return sign * math.inf if z < 0 else math.inf

        return safe

    def evaluate(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the outputs, row by row."""
        return np.array([self.network.activate(row) for row in rows.tolist()], dtype=np.float64)


def assert_same(actual: NDArray[np.float64], expected: NDArray[np.float64]) -> None:
    """Assert that arrays are equal bit for bit, but that there is only one NaN."""
    np.testing.assert_array_equal(actual, expected)
    np.testing.assert_array_equal(
        np.signbit(actual)[~np.isnan(actual)], np.signbit(expected)[~np.isnan(expected)]
    )


def grow(genomes: int, feed_forward: bool, rates: dict[str, float]) -> list[neat.DefaultGenome]:
    """Return genomes of neat-python, each mutated 200 times."""
    choices = NeatConfig(feed_forward=feed_forward, node_delete_prob=0.05, **FUNCTIONS, **rates)
    return theirs.grow(theirs.make_config(choices, INPUTS, OUTPUTS), genomes, 200)


@pytest.mark.parametrize("feed_forward", [True, False])
def test_grown_genomes_compute_what_neat_python_computes(feed_forward: bool) -> None:
    """To the last bit, and all overflows stay infinite; recurrent ones remember all the rows."""
    grown = grow(60, feed_forward, SMALL) + grow(10, feed_forward, LARGE)
    graphs = compile_graphs(from_neat_python(grown), INPUTS, OUTPUTS, feed_forward)
    rng = np.random.default_rng(3)
    overflowing = 0
    for number, genome in enumerate(grown):
        rows = rng.normal(0.0, 2.0, (100, INPUTS))
        oracle = Oracle(genome, INPUTS, OUTPUTS, feed_forward)
        assert_same(evaluate(graphs, number, rows), oracle.evaluate(rows))
        overflowing += oracle.overflows > 0
    assert overflowing < 10


def make_genome(
    nodes: Mapping[int, str | tuple[object, ...]],
    links: Mapping[tuple[int, int], float | tuple[float]],
) -> neat.DefaultGenome:
    """Make a genome of neat-python.

    Args:
        nodes: By key the activation and, unless they are sum, 0 and 1, the aggregation, bias
            and response.
        links: By ends the weight, in a tuple if the connection is disabled.
    """
    genome = neat.DefaultGenome(0)
    for key, what in nodes.items():
        row = what if isinstance(what, tuple) else (what,)
        node = genome.nodes[key] = DefaultNodeGene(key)
        node.activation, node.aggregation, node.bias, node.response = (
            row + ("sum", 0.0, 1.0)[len(row) - 1 :]
        )
    for number, (ends, weight) in enumerate(links.items()):
        link = genome.connections[ends] = DefaultConnectionGene(ends, innovation=number)
        link.enabled = not isinstance(weight, tuple)
        link.weight = weight if link.enabled else weight[0]
    return genome


@st.composite
def any_genomes(draw: st.DrawFn) -> tuple[neat.DefaultGenome, int, int]:
    """Draw genomes with cycles, dead ends and unreachable nodes, which evolution never makes."""
    inputs, outputs, hidden = (draw(st.integers(1, most)) for most in (2, 3, 4))
    numbers = st.floats(-2, 2).map(lambda number: round(number, 2))
    nodes = {
        key: (
            draw(st.sampled_from(ACTIVATIONS)),
            draw(st.sampled_from(AGGREGATIONS)),
            draw(numbers),
            draw(numbers),
        )
        for key in (*range(outputs), *draw(st.permutations(range(outputs, outputs + hidden))))
    }
    ends = st.tuples(st.integers(-inputs, outputs + hidden - 1), st.sampled_from(list(nodes)))
    weights = numbers | st.tuples(numbers)
    links = draw(st.dictionaries(ends, weights, max_size=14))
    return make_genome(nodes, links), inputs, outputs


@pytest.mark.parametrize("feed_forward", [True, False])
@given(sample=any_genomes(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_any_genome_computes_what_neat_python_computes(
    feed_forward: bool, sample: tuple[neat.DefaultGenome, int, int], seed: int
) -> None:
    genome, inputs, outputs = sample
    rows = np.random.default_rng(seed).normal(0.0, 1.0, (3, inputs))
    graphs = compile_graphs(from_neat_python([genome]), inputs, outputs, feed_forward)
    assert_same(
        evaluate(graphs, 0, rows), Oracle(genome, inputs, outputs, feed_forward).evaluate(rows)
    )


def test_the_arrays_of_a_network() -> None:
    """Inputs have slots 0 and 1, the output 2, the node that it needs 3; node 9 is not needed."""
    genome = make_genome(
        {0: ("tanh", "sum", 0.5, 2.0), 9: "relu", 7: ("abs", "max", -1.0, 3.0)},
        {(7, 0): 4.0, (-2, 0): 5.0, (-1, 9): 1.0, (-1, 0): (6.0,), (-1, 7): 7.0, (-2, 7): 8.0},
    )
    graphs = compile_graphs(from_neat_python([genome, genome]), 2, 1, True)
    maximum, total = AGGREGATIONS.index("max"), AGGREGATIONS.index("sum")
    first = [3, ACTIVATIONS.index("abs"), maximum, 2, 0, 1]
    second = [2, ACTIVATIONS.index("tanh"), total, 2, 3, 1]
    assert graphs.structure.tolist() == [2, *first, *second] * 2
    assert graphs.numbers.tolist() == [-1.0, 3.0, 7.0, 8.0, 0.5, 2.0, 4.0, 5.0] * 2
    assert graphs.structure_at.tolist() == [0, 13]
    assert graphs.numbers_at.tolist() == [0, 8]
    assert graphs.slots.tolist() == [4, 4]
    assert graphs.terms.tolist() == [2, 2]


@compiled
def activate_once(
    graphs: Graphs, genome: int, values: Array, read_at: int, write_at: int, workspace: Array
) -> None:
    at, numbers_at = graphs.structure_at[genome], graphs.numbers_at[genome]
    run_graph(
        graphs.structure, at, graphs.numbers, numbers_at, values, read_at, write_at, workspace
    )


@compiled
def clear(values: Array, at: int, slots: int) -> None:
    clear_plane(values, at, slots)


def test_moves_are_tried_from_one_state_and_only_the_chosen_one_is_remembered() -> None:
    """The node halves what it has and adds the input; the output shows the node as it was."""
    genome = make_genome(
        {0: "identity", 5: "identity"}, {(-1, 5): 1.0, (5, 5): 0.5, (5, 0): 1.0, (-1, 0): 100.0}
    )
    graphs = compile_graphs(from_neat_python([genome]), 1, 1, False)
    assert graphs.slots.tolist() == [3]
    values, workspace = np.full(2 + 3 * 3, np.nan), np.zeros(0)
    clear(values, 2, 9)
    state, better, other = 2, 5, 8
    shown = []
    for move in (1.0, 2.0, 3.0):
        for tried, plane in ((move, better), (7.0, other)):
            values[state] = tried
            activate_once(graphs, 0, values, state, plane, workspace)
        shown.append((values[better + 1], values[other + 1]))
        state, better = better, state
    assert shown == [(100.0, 700.0), (201.0, 701.0), (302.5, 702.5)]
    rows = np.array([[1.0], [2.0], [3.0]])
    assert evaluate(graphs, 0, rows).tolist() == [[100.0], [201.0], [302.5]]
    assert np.isnan(values[:2]).all()


def test_a_feed_forward_network_needs_no_cleared_plane_and_keeps_to_it() -> None:
    """Not even where outputs have no value of their own."""
    genome = make_genome(
        {0: "identity", 1: ("identity", "median", 9.0), 5: ("abs", "min", -1.0)},
        {(-1, 5): -2.0, (-2, 5): 3.0, (5, 0): 2.0, (1, 1): 1.0},
    )
    graphs = compile_graphs(from_neat_python([genome]), 2, 2, True)
    values, workspace = np.full(9, np.nan), np.full(int(graphs.terms[0]) + 1, np.nan)
    values[2:4] = [4.0, 1.0]
    activate_once(graphs, 0, values, 2, 2, workspace)
    assert values[2:7].tolist() == [4.0, 1.0, 18.0, 0.0, 9.0]
    assert np.isnan(values[[0, 1, 7, 8]]).all()
    assert workspace[:2].tolist() == [-8.0, 3.0]
    assert np.isnan(workspace[2])


def test_ends_that_do_not_exist_are_left_out() -> None:
    """neat-python stops with a KeyError; what is left makes a network of its own."""
    sound = {(-1, 5): 2.0, (5, 0): 3.0}
    odd = {(-3, 0): 1.0, (8, 0): 1.0, (-1, 9): 1.0, (-1, -2): 1.0, (5, -1): 1.0, (9, 8): 1.0}
    nodes = dict.fromkeys((0, 5), "identity")
    genome = make_genome(nodes, {**odd, **sound})
    for feed_forward, expected in ((True, [[6.0], [12.0]]), (False, [[0.0], [6.0]])):
        with pytest.raises(KeyError):
            Oracle(genome, 2, 1, feed_forward)
        graphs = compile_graphs(from_neat_python([genome]), 2, 1, feed_forward)
        rows = np.array([[1.0, 1.0], [2.0, 1.0]])
        assert evaluate(graphs, 0, rows).tolist() == expected


def test_an_output_without_a_node_is_0() -> None:
    genome = make_genome({1: "identity", 5: "identity"}, {(-1, 1): 2.0, (-1, 0): 1.0, (5, 2): 1.0})
    graphs = compile_graphs(from_neat_python([genome]), 1, 3, True)
    assert evaluate(graphs, 0, np.array([[3.0]])).tolist() == [[0.0, 6.0, 0.0]]


def test_no_genomes_make_no_networks() -> None:
    graphs = compile_graphs(from_neat_python([]), 2, 1, True)
    assert [len(array) for array in graphs[3:]] == [0] * 6


def test_genes_that_cannot_be_written_to_will_do() -> None:
    """So come arrays that are mapped from a file."""
    population = from_neat_python(grow(12, True, SMALL))
    expected = compile_graphs(population, INPUTS, OUTPUTS, True)
    genes = [array.copy() for array in vars(population).values()]
    for array in vars(population).values():
        array.setflags(write=False)
    for array, other in zip(
        (*compile_graphs(population, INPUTS, OUTPUTS, True), *vars(population).values()),
        (*expected, *genes),
        strict=True,
    ):
        np.testing.assert_array_equal(array, other)


def test_wrong_sizes_are_refused() -> None:
    population = from_neat_python([make_genome({0: "tanh"}, {})])
    with pytest.raises(BadValueError, match=r"^0 inputs and 1 outputs: at least one of each$"):
        compile_graphs(population, 0, 1, True)
    graphs = compile_graphs(population, 2, 1, True)
    for shape in ((1, 3), (2,)):
        with pytest.raises(BadValueError, match=r"expected \(rows, 2\)$"):
            evaluate(graphs, 0, np.zeros(shape))
