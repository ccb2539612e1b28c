"""To and from neat-python: nothing is lost, its files are read, and bad files are refused."""

from __future__ import annotations

import copy
import json
import random
import warnings
from collections.abc import Callable
from dataclasses import fields

import neat
import neat.aggregations
import neat.export
import neat.math_util
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neat.genes import DefaultConnectionGene, DefaultNodeGene

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.types import Json, JsonObject
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.genomes.neat.interchange import (
    from_neat_python,
    read_json,
    to_neat_python_genomes,
    write_json,
)
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError
from tests.genomes.neat import theirs

INPUTS, OUTPUTS = 3, 2


def make_config(feed_forward: bool) -> neat.Config:
    """Return neat-python's configuration for genomes of every function."""
    choices = NeatConfig(
        feed_forward=feed_forward,
        activation_default="random",
        activation_options=ACTIVATIONS,
        aggregation_default="random",
        aggregation_options=AGGREGATIONS,
        response_init_stdev=0.5,
        enabled_mutate_rate=0.1,
    )
    return theirs.make_config(choices, INPUTS, OUTPUTS)


def grow(genomes: int, config: neat.Config) -> list[neat.DefaultGenome]:
    return theirs.grow(config, genomes, 25, first_key=100)


def make_network(
    genome: neat.DefaultGenome, config: neat.Config
) -> neat.nn.FeedForwardNetwork | neat.nn.RecurrentNetwork:
    feed_forward = config.genome_config.feed_forward
    kind = neat.nn.FeedForwardNetwork if feed_forward else neat.nn.RecurrentNetwork
    return kind.create(genome, config)


def export(genome: neat.DefaultGenome, config: neat.Config, **metadata: object) -> str:
    """Return the text that neat-python writes for a genome."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its datetime.utcnow()
        return neat.export.export_network_json(make_network(genome, config), metadata=metadata)


def assert_equal(actual: NeatPopulation, expected: NeatPopulation) -> None:
    for field in fields(NeatPopulation):
        one, other = getattr(actual, field.name), getattr(expected, field.name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, err_msg=field.name)


def describe(genome: neat.DefaultGenome) -> list[object]:
    """Return all parts of a genome of neat-python's, in its order."""
    nodes = [(key, vars(gene)) for key, gene in genome.nodes.items()]
    return [genome.key, nodes, [(key, vars(gene)) for key, gene in genome.connections.items()]]


@pytest.mark.parametrize("feed_forward", [True, False])
def test_genomes_come_back_as_they_went(feed_forward: bool) -> None:
    grown = grow(30, make_config(feed_forward))
    random.shuffle(grown)
    population = from_neat_python(grown)
    assert population.find_fault() is None
    back = to_neat_python_genomes(population)
    assert [describe(genome) for genome in back] == [describe(genome) for genome in grown]
    assert {type(gene.weight) for genome in back for gene in genome.connections.values()} == {float}
    assert_equal(from_neat_python(back), population)
    assert any(not gene.enabled for genome in grown for gene in genome.connections.values())


def test_no_genomes() -> None:
    assert to_neat_python_genomes(from_neat_python([])) == []


def test_genomes_that_cannot_be_taken() -> None:
    genome = neat.DefaultGenome(1)
    node = genome.nodes[0] = DefaultNodeGene(0)
    vars(node).update(bias=0.0, response=1.0, activation="tanhh", aggregation="sum")
    with pytest.raises(UnknownNameError, match=r"^unknown activation 'tanhh': did you"):
        from_neat_python([genome])
    node.activation = "tanh"
    link = genome.connections[-1, 2**40] = DefaultConnectionGene((-1, 2**40), innovation=1)
    link.weight, link.enabled = 1.0, True
    with pytest.raises(BadValueError, match=r"^target: "):
        from_neat_python([genome])
    genome.connections.clear()
    genome.key = None
    with pytest.raises(BadValueError, match=r"^keys: "):
        from_neat_python([genome])


def sort_network(data: JsonObject) -> JsonObject:
    """Sort the nodes by their keys and the connections by their targets, stably."""
    nodes = sorted(data["nodes"], key=lambda node: node["id"])
    links = sorted(data["connections"], key=lambda link: link["to"])
    return {**data, "nodes": nodes, "connections": links}


@pytest.mark.parametrize("feed_forward", [True, False])
def test_our_files_say_what_those_of_neat_python_say(feed_forward: bool) -> None:
    """The order of feed-forward nodes is that of a set in neat-python."""
    config = make_config(feed_forward)
    grown = grow(40, config)
    population = from_neat_python(grown)
    for number, genome in enumerate(grown):
        exported = json.loads(export(genome, config, fitness=1.5, genome_id=genome.key))
        text = write_json(population, number, INPUTS, OUTPUTS, feed_forward, exported["metadata"])
        ours = json.loads(text)
        assert neat.export.validate_json(ours)
        assert list(ours) == list(exported)
        assert ours["metadata"].pop("evolve_arena")["key"] == genome.key
        assert sort_network(ours) == sort_network(exported)
        if not feed_forward:
            assert ours["nodes"] == exported["nodes"]
            assert ours["connections"] == exported["connections"]


@pytest.mark.parametrize("feed_forward", [True, False])
def test_our_files_hold_the_whole_genome(feed_forward: bool) -> None:
    population = from_neat_python(grow(30, make_config(feed_forward)))
    for number in range(len(population)):
        metadata = {"fitness": 0.1 + 0.2, "generation": 4, "note": "\ud800 ü", "more": {"a": [1]}}
        text = write_json(population, number, INPUTS, OUTPUTS, feed_forward, metadata)
        read = read_json(text)
        assert_equal(read.population, population.take([number]))
        assert (read.inputs, read.outputs, read.feed_forward) == (INPUTS, OUTPUTS, feed_forward)
        assert read.metadata == {"neat_python_version": "2.0.0", **metadata}
        assert write_json(read.population, 0, INPUTS, OUTPUTS, feed_forward, read.metadata) == text


@pytest.mark.parametrize("feed_forward", [True, False])
def test_files_of_neat_python_make_the_same_network(feed_forward: bool) -> None:
    config = make_config(feed_forward)
    rows = np.random.default_rng(5).normal(0.0, 1.0, (5, INPUTS))
    compared = 0
    for genome in grow(40, config):
        read = read_json(export(genome, config, genome_id=genome.key))
        assert (read.inputs, read.outputs, read.feed_forward) == (INPUTS, OUTPUTS, feed_forward)
        assert read.population.keys.tolist() == [genome.key]
        assert read.population.node_key[:OUTPUTS].tolist() == [0, 1]
        assert read.metadata["neat_python_version"] == neat.__version__
        graphs = compile_graphs(read.population, INPUTS, OUTPUTS, feed_forward)
        network = make_network(genome, config)
        try:
            expected = [network.activate(row) for row in rows.tolist()]
        except OverflowError:
            continue
        np.testing.assert_array_equal(evaluate(graphs, 0, rows), expected)
        compared += 1
    assert compared > 30


def small_file(feed_forward: bool = True) -> JsonObject:
    """Return a file as neat-python writes it: -1 and -2 lead to 5, and 5 and -1 to 0."""

    def node(key: int, kind: str) -> JsonObject:
        return {
            "id": key,
            "type": kind,
            "activation": {"name": "identity", "custom": False},
            "aggregation": {"name": "none" if kind == "input" else "sum", "custom": False},
            "bias": 0.5 if kind == "output" else 0,
            "response": 1.0,
        }

    ends = [(-1, 5), (-2, 5), (5, 0), (-1, 0)]
    return {
        "format_version": "1.0",
        "network_type": "feedforward" if feed_forward else "recurrent",
        "metadata": {"created_timestamp": "2026-01-01T00:00:00Z"},
        "topology": {"num_inputs": 2, "num_outputs": 1, "input_keys": [-1, -2], "output_keys": [0]},
        "nodes": [node(5, "hidden"), node(0, "output"), node(-1, "input"), node(-2, "input")],
        "connections": [
            {"from": source, "to": target, "weight": 2.0 * number, "enabled": True}
            for number, (source, target) in enumerate(ends)
        ],
    }


def test_a_file_of_neat_python() -> None:
    read = read_json(json.dumps(small_file()))
    population = read.population
    assert population.keys.tolist() == [0]
    assert population.node_key.tolist() == [0, 5]
    assert population.bias.tolist() == [0.5, 0.0]
    assert population.source.tolist() == [-1, -2, 5, -1]
    assert population.target.tolist() == [5, 5, 0, 0]
    assert population.weight.tolist() == [0.0, 2.0, 4.0, 6.0]
    assert population.innovation.tolist() == [1, 2, 3, 4]
    assert read.metadata == {"created_timestamp": "2026-01-01T00:00:00Z"}


def test_nodes_that_neat_python_leaves_out_because_they_are_0() -> None:
    """An output that nothing reaches, and a source that nothing reaches, if recurrent."""
    data = small_file(feed_forward=False)
    data["nodes"] = [node for node in data["nodes"] if node["id"] == 5]
    data["connections"][2:] = [{"from": 8, "to": 5, "weight": 1.0, "enabled": True}]
    population = read_json(json.dumps(data)).population
    assert population.node_key.tolist() == [0, 5, 8]
    graphs = compile_graphs(population, 2, 1, False)
    assert evaluate(graphs, 0, np.ones((2, 2))).tolist() == [[0.0], [0.0]]


def changed(path: str, value: Json) -> Callable[[JsonObject], None]:
    """Return a function that sets the part of a file at a path such as ``nodes.0.id``."""

    def change(data: Json) -> None:
        *parts, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in parts:
            data = data[part]
        data[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed("format_version", "1.1"), "format_version: Input should be '1.0'"),
        (changed("network_type", "ctrnn"), "network_type: Input should be 'feedforward' or 'rec"),
        (changed("nodes.0.id", 2**31), "nodes.0.id: Input should be less than 2147483648"),
        (changed("nodes.0.id", 0), "node 0 occurs twice"),
        (changed("nodes.0.id", 7), "connection -1 -> 5 leads to a node that does not exist"),
        (changed("nodes.0.bias", 1e999), "nodes.0.bias: Input should be a finite number"),
        (changed("nodes.0.activation.name", "tanhh"), "unknown activation 'tanhh': did you mean"),
        (changed("nodes.1.aggregation.name", "none"), "unknown aggregation 'none' (known: max, "),
        (changed("nodes.0.activation.custom", True), "node 5: its activation is a custom one"),
        (changed("connections.0.from", -3), "connection -3 -> 5 comes from nowhere"),
        (changed("connections.0.to", -2), "connection -1 -> -2 leads to an input"),
        (changed("connections.3.to", 5), "connection -1 -> 5 occurs twice"),
        (changed("connections.0.from", 0), "its connections make a cycle: "),
        (changed("topology.num_inputs", 10**12), "topology.input_keys: expected -1, -2, ..., 10"),
        (changed("topology.input_keys", [-2, -1]), "topology.input_keys: expected -1, -2, ..., 2"),
        (changed("topology.output_keys", [1]), "topology.output_keys: expected 0, 1, ..., 1 in"),
        (changed("metadata.evolve_arena", {}), "metadata.evolve_arena.format: Field required (an"),
        (changed("metadata.evolve_arena", {"format": 2}), "written in format 2; this version of"),
    ],
)
def test_bad_files_are_refused_in_a_line(
    change: Callable[[JsonObject], None], message: str
) -> None:
    data = small_file()
    change(data)
    with pytest.raises(ArenaError) as caught:
        read_json(json.dumps(data))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    kinds = {"unknown": UnknownNameError, "written": NewerFormatError}
    assert type(caught.value) is kinds.get(message.partition(" ")[0], DamagedFileError)


@pytest.mark.parametrize(
    "text",
    ["", "[", "{}", "3", "null", '"a"', "[" * 100_000, "9" * 5000, "\ud800", '{"a": 1e5000}'],
)
def test_texts_that_are_no_such_file(text: str) -> None:
    with pytest.raises(DamagedFileError) as caught:
        read_json(text)
    assert "\n" not in str(caught.value)


def own_file() -> JsonObject:
    read = read_json(json.dumps(small_file()))
    data: JsonObject = json.loads(write_json(read.population, 0, 2, 1, True))
    return data


def test_a_network_that_is_not_that_of_its_genome_is_refused() -> None:
    """Whoever changes a weight by hand must not find that it made no difference."""
    for path, value in (("connections.1.weight", 2.5), ("nodes.0.bias", 1.0)):
        data = own_file()
        changed(path, value)(data)
        with pytest.raises(DamagedFileError, match=r"without|take that out"):
            read_json(json.dumps(data))
        del data["metadata"]["evolve_arena"]
        assert read_json(json.dumps(data)).population.find_fault() is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("metadata.evolve_arena.nodes.0.activation", "x", "unknown activation 'x'"),
        ("metadata.evolve_arena.nodes.0.id", 3, "its first 1 nodes are not the outputs"),
        ("metadata.evolve_arena.connections.1.innovation", 1, "two connections have the innov"),
        ("metadata.evolve_arena.key", -(2**64), "metadata.evolve_arena.key: Input should be gr"),
    ],
)
def test_bad_genomes_in_our_files_are_refused_in_a_line(
    path: str, value: Json, message: str
) -> None:
    data = own_file()
    changed(path, value)(data)
    with pytest.raises(ArenaError) as caught:
        read_json(json.dumps(data))
    assert str(caught.value).startswith(message)


def test_what_cannot_be_written_is_refused() -> None:
    population = read_json(json.dumps(small_file())).population
    for metadata, message in (
        ({"fitness": float("nan")}, "metadata can't be written as JSON: Out of range"),
        ({"who": object()}, "metadata can't be written as JSON: Object of type object"),
        ({"evolve_arena": 1}, "metadata has 'evolve_arena': that name is for the genome"),
    ):
        with pytest.raises(BadValueError) as caught:
            write_json(population, 0, 2, 1, True, metadata)
        assert str(caught.value).startswith(message)
    with pytest.raises(BadValueError, match=r"^genome 0: connection -2 -> 5 comes from nowhere"):
        write_json(population, 0, 1, 1, True)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def damaged_files(draw: st.DrawFn) -> str:
    """Draw a file with a part or two replaced or taken out, perhaps cut short."""
    data = copy.deepcopy(draw(st.sampled_from([OWN, small_file(), small_file(False)])))
    for _ in range(draw(st.integers(1, 2))):
        part = data
        while True:
            keys = list(part) if isinstance(part, dict) else list(range(len(part)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(part[key], dict | list) and draw(st.integers(0, 3)):
                part = part[key]
                continue
            if draw(st.booleans()):
                part[key] = draw(values | st.sampled_from([-1, 0, 5, 6, 1.0, "tanh"]))
            else:
                del part[key]
            break
    text = json.dumps(data)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 9)) == 0 else text


OWN = own_file()


@given(text=damaged_files())
@settings(max_examples=600)
def test_a_damaged_file_is_read_or_refused_in_a_line(text: str) -> None:
    message = ""
    try:
        read = read_json(text)
    except ArenaError as error:
        message = str(error)
    assert "\n" not in message
    if not message:
        assert read.population.find_fault() is None
        graphs = compile_graphs(read.population, read.inputs, read.outputs, read.feed_forward)
        evaluate(graphs, 0, np.ones((1, read.inputs)))
