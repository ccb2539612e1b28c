"""The JSON format in which neat-python 2.0.0 exports networks: its models, reading and writing.

Genes are plain dictionaries here, named as in that JSON: nodes with ``id``, ``activation``,
``aggregation``, ``bias`` and ``response``; connections with ``from``, ``to``, ``weight``,
``enabled`` and ``innovation``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolve_arena.core.types import Json, JsonObject
from evolve_arena.genomes.tensors import DamagedFileError

Gene: TypeAlias = JsonObject
"""A node gene or a connection gene."""

Key = Annotated[int, Field(ge=-(2**31), lt=2**31)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Long = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class Topology(_Part):
    """The inputs and outputs of a network."""

    num_inputs: Annotated[int, Field(ge=1)]
    num_outputs: Annotated[int, Field(ge=1)]
    input_keys: list[Key]
    output_keys: list[Key]


class Function(_Part):
    """An activation or aggregation."""

    name: str
    custom: bool = False


class Node(_Part):
    """A node or an input."""

    id: Key
    type: Literal["input", "hidden", "output"]
    activation: Function
    aggregation: Function
    bias: Number
    response: Number


class Connection(_Part):
    """A connection."""

    source: Key = Field(alias="from")
    target: Key = Field(alias="to")
    weight: Number
    enabled: bool


class NetworkFile(_Part):
    """A whole file, without the parts that are not used here."""

    format_version: Literal["1.0"]
    network_type: Literal["feedforward", "recurrent"]
    metadata: JsonObject
    topology: Topology
    nodes: list[Node]
    connections: list[Connection]

    def find_sizes(self) -> tuple[int, int, bool]:
        """Return the numbers of inputs and outputs, and True if the network is feed-forward.

        Raises:
            DamagedFileError: Inputs are not -1, -2, ..., or outputs not 0, 1, ...
        """
        topology = self.topology
        for name, keys, count, step in (
            ("input_keys", topology.input_keys, topology.num_inputs, -1),
            ("output_keys", topology.output_keys, topology.num_outputs, 1),
        ):
            first = min(step, 0)
            if len(keys) != count or keys != list(range(first, first + step * count, step)):
                raise DamagedFileError(
                    f"topology.{name}: expected {first}, {first + step}, ..., {count} in all"
                )
        return topology.num_inputs, topology.num_outputs, self.network_type == "feedforward"


class OwnNode(_Part):
    """A node gene."""

    id: Key
    activation: str
    aggregation: str
    bias: Number
    response: Number


class OwnConnection(Connection):
    """A connection gene."""

    innovation: Long


class OwnGenome(_Part):
    """The complete genome, which only files of this project contain."""

    format: int
    key: Long
    nodes: list[OwnNode]
    connections: list[OwnConnection]


Model = TypeVar("Model", bound=BaseModel)


def load(text: str) -> Json:
    """Return the value of a JSON *text*.

    Raises:
        DamagedFileError: The text is no JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"not JSON: {error}") from None


def parse(model: type[Model], data: Json, name: str = "") -> Model:
    """Validate *data*, called *name* in errors, as a *model*.

    Args:
        model: Class that describes the data.
        data: Value from a JSON file.
        name: Path of *data* in that file, such as ``metadata.evolve_arena``; empty for the whole
            file.

    Raises:
        DamagedFileError: The data do not fit the model.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first, *more = error.errors(include_url=False, include_input=False)
        place = ".".join([name] * bool(name) + [str(part) for part in first["loc"]])
        text = f"{place}: {first['msg']}" if place else first["msg"]
        raise DamagedFileError(text + (f" (and {len(more)} more)" if more else "")) from None


def describe_network(
    nodes: Sequence[Gene],
    connections: Sequence[Gene],
    inputs: int,
    outputs: int,
    feed_forward: bool,
) -> JsonObject:
    """Return neat-python's export of the network of a sound genome, without metadata.

    Nodes are listed in the order of their evaluation; where the iteration order of a set decides
    there, the smaller key comes first here.

    Args:
        nodes: Its node genes, as in the module's docstring.
        connections: Its connection genes, likewise.
        inputs: Number of inputs of the network.
        outputs: Number of outputs.
        feed_forward: True for a feed-forward network, False for a recurrent one.
    """
    arriving = _collect_arriving(connections, outputs, feed_forward)
    order = _order_layers(arriving, inputs) if feed_forward else list(arriving)
    genes = {node["id"]: node for node in nodes}
    listed = [
        {
            "id": key,
            "type": "output" if key < outputs else "hidden",
            "activation": {"name": genes[key]["activation"], "custom": False},
            "aggregation": {"name": genes[key]["aggregation"], "custom": False},
            "bias": genes[key]["bias"],
            "response": genes[key]["response"],
        }
        for key in order
    ]
    # Inputs are listed as nodes, too, after all others.
    pins = [
        {
            "id": -1 - place,
            "type": "input",
            "activation": {"name": "identity", "custom": False},
            "aggregation": {"name": "none", "custom": False},
            "bias": 0.0,
            "response": 1.0,
        }
        for place in range(inputs)
    ]
    names = ("from", "to", "weight", "enabled")
    links = [{name: link[name] for name in names} for key in order for link in arriving[key]]
    return {
        "format_version": "1.0",
        "network_type": "feedforward" if feed_forward else "recurrent",
        "metadata": {},
        "topology": {
            "num_inputs": inputs,
            "num_outputs": outputs,
            "input_keys": [pin["id"] for pin in pins],
            "output_keys": list(range(outputs)),
        },
        "nodes": listed + pins,
        "connections": links,
    }


def says_the_same(file: NetworkFile, network: JsonObject) -> bool:
    """Return True if a *file* contains exactly this *network*, whatever its metadata."""
    other = NetworkFile.model_validate(network)
    return file.nodes == other.nodes and file.connections == other.connections


def list_genes(file: NetworkFile) -> tuple[list[Gene], list[Gene]]:
    """Return nodes and connections of a genome for the network of a *file*, the outputs first.

    neat-python leaves out nodes that are always 0: they get genes with that effect.
    Connections are numbered from 1 on.

    Raises:
        DamagedFileError: A function is not one of neat-python's own, or a node occurs twice.
    """
    genes: dict[int, Gene] = {}
    for node in file.nodes:
        if node.type == "input":
            continue
        if node.id in genes:
            raise DamagedFileError(f"node {node.id} occurs twice")
        for kind, function in (("activation", node.activation), ("aggregation", node.aggregation)):
            if function.custom:
                raise DamagedFileError(f"node {node.id}: its {kind} is a custom one")
        genes[node.id] = {
            "id": node.id,
            "activation": node.activation.name,
            "aggregation": node.aggregation.name,
            "bias": node.bias,
            "response": node.response,
        }
    links = [
        {**link.model_dump(by_alias=True), "innovation": number}
        for number, link in enumerate(file.connections, start=1)
    ]
    outputs = range(file.topology.num_outputs)
    silent = [key for key in outputs if key not in genes]
    if file.network_type == "recurrent":
        sources = {link["from"]: None for link in links if link["from"] >= len(outputs)}
        silent += [key for key in sources if key not in genes]
    order = dict.fromkeys([*outputs, *genes, *silent])
    return [genes.get(key) or _silent_node(key) for key in order], links


def _silent_node(key: int) -> Gene:
    return {
        "id": key,
        "activation": "identity",
        "aggregation": "sum",
        "bias": 0.0,
        "response": 1.0,
    }


def _collect_arriving(
    connections: Sequence[Gene], outputs: int, feed_forward: bool
) -> dict[int, list[Gene]]:
    """Return the connections to each node, with nodes in the order of their first connection.

    In recurrent networks neat-python counts a node as needed even if only disabled connections
    make it so, and keeps all successors of needed nodes.
    """
    enabled = [link for link in connections if link["enabled"]]
    needed = _find_needed(enabled if feed_forward else connections, outputs)
    arriving: dict[int, list[Gene]] = {}
    for link in enabled:
        if link["to"] in needed or (not feed_forward and link["from"] in needed):
            arriving.setdefault(link["to"], []).append(link)
    if feed_forward:
        arriving.update((key, []) for key in needed if key not in arriving)
    return arriving


def _find_needed(connections: Iterable[Gene], outputs: int) -> set[int]:
    """Return the outputs, and the nodes with a path to one."""
    sources: dict[int, list[int]] = {}
    for link in connections:
        sources.setdefault(link["to"], []).append(link["from"])
    needed = set(range(outputs))
    unseen = list(needed)
    while unseen:
        found = {key for key in sources.get(unseen.pop(), []) if key >= 0} - needed
        needed |= found
        unseen += found
    return needed


def _order_layers(arriving: dict[int, list[Gene]], inputs: int) -> list[int]:
    """Return the needed nodes layer by layer; nodes without connections are the first layer."""
    order: list[int] = []
    ready = set(range(-inputs, 0))
    layer = sorted(key for key, links in arriving.items() if not links)
    while True:
        order += layer
        ready.update(layer)
        layer = sorted(
            key
            for key, links in arriving.items()
            if key not in ready and all(link["from"] in ready for link in links)
        )
        if not layer:
            return order
