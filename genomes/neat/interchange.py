"""Conversion of genomes from and to neat-python: its objects, and the JSON that it exports.

neat-python 2.0.0 exports a *network*: without disabled connections, innovation numbers, and nodes
that have no effect. A file from here is such a file, and also contains the complete genome, under a
name of its own in the metadata, where the format allows anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.types import Arrays, Json, JsonObject
from evolve_arena.genomes.neat.faults import find_fault
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.ini import import_neat_python
from evolve_arena.genomes.neat.network_json import (
    Gene,
    NetworkFile,
    OwnGenome,
    describe_network,
    list_genes,
    load,
    parse,
    says_the_same,
)
from evolve_arena.genomes.neat.population import TYPES, NeatPopulation
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError

if TYPE_CHECKING:
    from neat import DefaultGenome

NEAT_PYTHON_VERSION = "2.0.0"
OWN_NAME = "evolve_arena"
OWN_FORMAT = 1

NODE_FIELDS = {
    "id": "node_key",
    "activation": "activation",
    "aggregation": "aggregation",
    "bias": "bias",
    "response": "response",
}
CONNECTION_FIELDS = {
    "from": "source",
    "to": "target",
    "weight": "weight",
    "enabled": "enabled",
    "innovation": "innovation",
}
"""Names of attributes in the JSON of genes, and of the fields of `NeatPopulation` for them."""
FUNCTIONS = {"activation": ACTIVATIONS, "aggregation": AGGREGATIONS}


@dataclass(frozen=True, eq=False)
class ImportedGenome:
    """A genome that was read from a JSON file."""

    population: NeatPopulation
    """The genome, as a population of one."""
    inputs: int
    outputs: int
    feed_forward: bool
    metadata: JsonObject
    """Everything else in the file."""


def from_neat_python(genomes: Sequence[DefaultGenome]) -> NeatPopulation:
    """Convert *genomes* to arrays, with genes in the same order.

    Fitness is dropped, and so are time constants, which have a meaning only for networks in
    continuous time. Innovation numbers do not change.

    Raises:
        BadValueError: A genome has no key, or a number is too large.
        UnknownNameError: A genome uses a function that is not neat-python's own.
    """
    # Genes in the order of neat-python's dictionaries.
    nodes = [
        [{"id": key, **_take(node, NODE_FIELDS)} for key, node in genome.nodes.items()]
        for genome in genomes
    ]
    connections = [
        [
            {"from": source, "to": target, **_take(link, CONNECTION_FIELDS)}
            for (source, target), link in genome.connections.items()
        ]
        for genome in genomes
    ]
    return _to_population([genome.key for genome in genomes], nodes, connections)


def to_neat_python_genomes(population: NeatPopulation) -> list[DefaultGenome]:
    """Convert genomes to objects of neat-python, with genes in the same order, without fitness."""
    neat = import_neat_python()
    genomes = []
    for place, key in enumerate(population.keys.tolist()):
        genome = neat.DefaultGenome(key)
        nodes, connections = _to_genes(population, place)
        for gene in nodes:
            node = neat.genes.DefaultNodeGene(gene.pop("id"))
            vars(node).update(gene, time_constant=1.0)
            genome.nodes[node.key] = node
        for gene in connections:
            ends = gene.pop("from"), gene.pop("to")
            link = neat.genes.DefaultConnectionGene(ends, innovation=gene["innovation"])
            vars(link).update(gene)
            genome.connections[link.key] = link
        genomes.append(genome)
    return genomes


def write_json(
    population: NeatPopulation,
    genome: int,
    inputs: int,
    outputs: int,
    feed_forward: bool,
    metadata: JsonObject | None = None,
) -> str:
    """Write one genome in the JSON format of neat-python 2.0.0.

    neat-python adds the time of writing, as ``created_timestamp``. Here the caller may add it to
    *metadata*, so that the same genome always gives the same text.

    Args:
        population: Genomes.
        genome: Row of the genome to write.
        inputs: Number of inputs of its network.
        outputs: Number of outputs.
        feed_forward: True for a feed-forward network, False for a recurrent one.
        metadata: Further entries of the file's ``metadata``, JSON-able; none is called
            ``evolve_arena``.

    Raises:
        BadValueError: The genome's network is not sound, or *metadata* can't be written.
    """
    fault = find_fault(population, genome, inputs, outputs, feed_forward)
    if fault:
        raise BadValueError(f"genome {population.keys[genome]}: {fault}")
    remarks = dict(metadata or {})
    if OWN_NAME in remarks:
        raise BadValueError(f"metadata has {OWN_NAME!r}: that name is for the genome")
    nodes, connections = _to_genes(population, genome)
    own = {
        "format": OWN_FORMAT,
        "key": int(population.keys[genome]),
        "nodes": nodes,
        "connections": connections,
    }
    network = describe_network(nodes, connections, inputs, outputs, feed_forward)
    network["metadata"] = {"neat_python_version": NEAT_PYTHON_VERSION, **remarks, OWN_NAME: own}
    try:
        return json.dumps(network, indent=2, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadValueError(f"metadata can't be written as JSON: {error}") from None


def read_json(text: str) -> ImportedGenome:
    """Read the genome in a file that :func:`write_json` or neat-python wrote.

    From a file of neat-python itself comes a genome with the same network. Its key is
    ``genome_id`` in the metadata, else 0; its innovation numbers begin with 1.

    Raises:
        DamagedFileError: The text is no such file, or its genome's network is not sound.
        NewerFormatError: A later version of this project wrote it.
        UnknownNameError: The file names a function that neat-python does not have.
    """
    file = parse(NetworkFile, load(text))
    inputs, outputs, feed_forward = file.find_sizes()
    metadata = dict(file.metadata)
    own = metadata.pop(OWN_NAME, None)
    if own is None:
        key = metadata.get("genome_id")
        key = key if type(key) is int and 0 <= key < 2**63 else 0
        nodes, connections = list_genes(file)
    else:
        key, nodes, connections = _read_own(own)
    population = _to_population([key], [nodes], [connections])
    fault = find_fault(population, 0, inputs, outputs, feed_forward)
    if fault:
        raise DamagedFileError(fault)
    network = describe_network(nodes, connections, inputs, outputs, feed_forward)
    if own is not None and not says_the_same(file, network):
        raise DamagedFileError(
            f"its network is not that of the genome in metadata.{OWN_NAME};"
            " take that out to read the network alone"
        )
    return ImportedGenome(population, inputs, outputs, feed_forward, metadata)


def _read_own(data: Json) -> tuple[int, list[Gene], list[Gene]]:
    written = data.get("format") if isinstance(data, dict) else None
    if isinstance(written, int) and written > OWN_FORMAT:
        raise NewerFormatError(
            f"written in format {written}; this version of evolve reads up to {OWN_FORMAT}"
        )
    own = parse(OwnGenome, data, f"metadata.{OWN_NAME}")
    nodes = [node.model_dump() for node in own.nodes]
    return own.key, nodes, [link.model_dump(by_alias=True) for link in own.connections]


def _take(gene: object, names: Mapping[str, str]) -> Gene:
    return {name: getattr(gene, name) for name in names if hasattr(gene, name)}


def _to_genes(population: NeatPopulation, genome: int) -> tuple[list[Gene], list[Gene]]:
    nodes = _to_rows(population, population.nodes(genome), NODE_FIELDS)
    for node in nodes:
        for kind, names in FUNCTIONS.items():
            node[kind] = names[node[kind]]
    connections = _to_rows(population, population.connections(genome), CONNECTION_FIELDS)
    return nodes, connections


def _to_rows(population: NeatPopulation, place: slice, names: Mapping[str, str]) -> list[Gene]:
    columns = [getattr(population, field)[place].tolist() for field in names.values()]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _to_population(
    keys: Sequence[int], nodes: Sequence[Sequence[Gene]], connections: Sequence[Sequence[Gene]]
) -> NeatPopulation:
    columns: dict[str, Sequence[Json]] = {
        "keys": keys,
        "node_start": [0, *accumulate(map(len, nodes))],
        "connection_start": [0, *accumulate(map(len, connections))],
    }
    for rows, names in ((nodes, NODE_FIELDS), (connections, CONNECTION_FIELDS)):
        for name, field in names.items():
            columns[field] = [gene[name] for row in rows for gene in row]
    for kind, known in FUNCTIONS.items():
        columns[kind] = [_find_code(kind, name, known) for name in columns[kind]]
    arrays: Arrays = {}
    for field, column in columns.items():
        try:
            arrays[field] = np.array(column, dtype=TYPES[field])
        except (OverflowError, TypeError, ValueError) as error:
            raise BadValueError(f"{field}: {error}") from None
    return NeatPopulation(**arrays)


def _find_code(kind: str, name: str, known: Sequence[str]) -> int:
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return known.index(name)
