"""Export as ONNX: the network alone, for any runtime, without rules and choice of moves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from evolve_arena.core.errors import one_line
from evolve_arena.core.extras import import_extra
from evolve_arena.core.types import Array, JsonObject, Settings
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.tuple_entries import (
    DELTAS_AT,
    ENTRIES,
    FIRST_AT,
    MEMBERS_AT,
    STARTS_AT,
    TURNS,
)
from evolve_arena.players.evolved import EvolvedPlayer, NeatPlayer, VectorPlayer
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export.networks import Node, find_nodes, find_numbers

OPSET, IR_VERSION = 17, 8
"""Versions of 2022, which all current runtimes of ONNX support."""
SHOWN = {
    "policy": "the position, as whose turn it is sees it; an output for each move, by its number",
    "kinds": "the position, as whose turn it is sees it; an output for each kind of moves",
    "action": "the position, and a move; the output is what the move is worth",
    "value": "a position after a move, as who moved sees it; the output is what it is worth to him",
}
"""Meaning of inputs and outputs, by the head, where a game does not say otherwise."""


def export_onnx(player: EvolvedPlayer) -> bytes:
    """Return the network of *player* as an ONNX model with input ``inputs`` and output ``values``.

    ``inputs`` are ``float32`` of shape ``(positions, inputs)``: the values of `EvolvedPlayer.see`,
    or for tuple networks those in the metadata. ``values`` have the shape ``(positions, outputs)``.

    Raises:
        MissingPackageError: The package onnx is not installed.
    """
    model = _Model()
    if isinstance(player, TuplePlayer):
        inputs = _write_tuples(model, player)
    elif isinstance(player, NeatPlayer):
        inputs = _write_graph(model, player)
    else:
        assert isinstance(player, VectorPlayer)
        inputs = _write_layers(model, player)
    return model.finish(player, inputs, _describe(player))


def _describe(player: EvolvedPlayer) -> JsonObject:
    """Return a description of the model for its metadata, ready for JSON.

    ``planes`` or ``names`` describe the inputs; ``scales`` is empty, as none need multiplying.
    """
    decoder, head = player.decoder, player.decoder.head
    told: JsonObject = {
        "game": player.game.name,
        "options": player.game.options,
        "kind": player.kind,
        "name": player.name,
        "head": head,
        "decoder": asdict(decoder),
        "shown": SHOWN[head],
    }
    names = getattr(decoder, "input_names", ())
    planes: list[list[str | int]] = []
    if isinstance(player, TuplePlayer):
        planes = [
            [name, len(place)]
            for (name, *_), place in zip(decoder.game.planes, decoder.places, strict=True)
        ]
        planes += [["moves again", 1]] if decoder.turns else []
        planes += [["seat that has moved, from 0", 1]] if decoder.by_seat else []
    elif not names and (seen := player.see(player.game.initial())):
        planes, names = [list(plane) for plane in seen.labels.planes], seen.labels.names
    return {**told, "planes": planes, "names": list(names), "scales": []}


class _Model:
    """An ONNX model under construction: each method adds a value and returns its name."""

    def __init__(self) -> None:
        self.onnx = import_extra("onnx", "onnx")
        self.nodes: list[object] = []
        self.constants: dict[str, object] = {}
        self.known: dict[tuple[str, bytes, tuple[int, ...]], str] = {}

    def constant(self, value: ArrayLike, kind: DTypeLike = np.float64) -> str:
        """Add a constant array; equal ones are stored once."""
        array: Array = np.ascontiguousarray(value, dtype=kind).reshape(np.shape(value))
        key = array.dtype.str, array.tobytes(), array.shape
        if key not in self.known:
            name = self.known[key] = f"constant_{len(self.known)}"
            self.constants[name] = self.onnx.numpy_helper.from_array(array, name)
        return self.known[key]

    def add(self, kind: str, *inputs: str, result: str = "", **attributes: object) -> str:
        """Add an operator of this *kind*."""
        name = result or f"value_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def split(self, name: str, count: int) -> list[str]:
        """Split a value into columns, shape ``(positions, 1)`` each; return their names."""
        parts = [f"{name}_{number}" for number in range(count)]
        sizes = self.constant(np.ones(count), np.int64)
        self.nodes.append(self.onnx.helper.make_node("Split", [name, sizes], parts, axis=1))
        return parts

    def sort(self, name: str, count: int) -> str:
        """Sort each row of *count* numbers, the largest first."""
        found = f"value_{len(self.nodes)}"
        names = [name, self.constant([count], np.int64)]
        self.nodes.append(self.onnx.helper.make_node("TopK", names, [found, f"{found}_at"], axis=1))
        return found

    def cast(self, name: str, kind: str, result: str = "") -> str:
        """Convert a value to another type, such as ``DOUBLE``.

        Args:
            name: Name of the value.
            kind: Name of the new type in ONNX's ``TensorProto``.
            result: Name of the converted value; a new one if empty.
        """
        return self.add("Cast", name, result=result, to=getattr(self.onnx.TensorProto, kind))

    def finish(self, player: EvolvedPlayer, inputs: int, about: Settings) -> bytes:
        """Return the content of the file.

        Args:
            player: Player whose network the model is.
            inputs: Number of the network's inputs.
            about: Description of the model, ready for JSON, that its metadata contain; ``shown``
                explains inputs and outputs.
        """
        helper, kind = self.onnx.helper, self.onnx.TensorProto.FLOAT

        def tell(name: str, size: int | None) -> object:
            return helper.make_tensor_value_info(name, kind, ["positions", size])

        outputs = getattr(player.decoder, "outputs", 1)  # of tuples one
        given, found = [tell("inputs", inputs)], [tell("values", outputs)]
        graph = helper.make_graph(self.nodes, "network", given, found, self.constants.values())
        model = helper.make_model(
            graph,
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET)],
            producer_name="evolve-arena",
            doc_string=f"{one_line(player.name)} plays {player.game.describe()}. {about['shown']}",
        )
        helper.set_model_props(model, {"evolve_arena": json.dumps(about), "game": player.game.name})
        self.onnx.checker.check_model(model)
        return bytes(model.SerializeToString(deterministic=True))


LAYERS = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}


def _write_layers(model: _Model, player: VectorPlayer) -> int:
    """Add a multilayer perceptron; return the number of its inputs.

    The first layer is rounded as in the arena.
    """
    decoder, network = player.decoder, player.network()
    mlp = decoder.mlp
    value, count = "inputs", len(mlp.sizes) - 1
    for layer in range(1, count + 1):
        parts = [network[f"{name}_{layer}"] for name in ("weights", "biases")]
        if layer == 1 and not decoder.is_dense:
            parts = [np.rint(part * float(RESOLUTION)) / RESOLUTION for part in parts]
        given = [model.constant(part, np.float32) for part in parts]
        value = model.add("Gemm", value, *given, result="values" if layer == count else "")
        if layer < count:
            value = model.add(LAYERS[mlp.activation], value)
    return int(mlp.inputs)


def _write_tuples(model: _Model, player: TuplePlayer) -> int:
    """Add a tuple network, whose inputs add to indices of entries; return their number."""
    decoder = player.decoder
    table = decoder.table(player.genome.cells[0])
    structure, readings = table.structure.astype(np.int64), table.readings
    starts, members, deltas, first = (
        structure[structure[at] :] for at in (STARTS_AT, MEMBERS_AT, DELTAS_AT, FIRST_AT)
    )
    places = decoder.places.reshape(-1, 2)

    # What each input adds to the number of the entry that each reading picks
    adds = np.zeros((len(places), readings), dtype=np.int64)
    for row, (place, change) in zip(adds, places.tolist(), strict=True):
        begin, end = int(starts[place]), int(starts[place + 1])
        at = 2 * begin + change * (end - begin)
        listed = members[begin:end]
        own = listed < readings  # the rest count pieces
        np.add.at(row, listed[own], deltas[at : at + end - begin][own])
    stages = decoder.stages
    if structure[TURNS]:
        adds = np.vstack([adds, np.full((1, readings), stages * structure[ENTRIES])])

    # Number the entries, look up their worths, and add these up as whole numbers
    bits = model.cast("inputs", "INT64")
    entries = model.add("MatMul", bits, model.constant(adds, np.int64))
    entries = model.add("Add", entries, model.constant(first[:readings], np.int64))
    if stages > 1:  # the stage by the number of pieces, or by numbers, chooses the table
        order = np.arange(len(adds))
        begin = decoder.stage_planes * decoder.game.grid.size
        ones = ((order >= begin) & (order < len(places)))[:, None]
        pieces = model.add("MatMul", bits, model.constant(ones, np.int64))
        stage = model.add("Div", pieces, model.constant(decoder.span, np.int64))
        stage = model.add("Min", stage, model.constant(stages - 1, np.int64))
        table = model.add("Mul", stage, model.constant(structure[ENTRIES], np.int64))
        entries = model.add("Add", entries, table)
    numbers = model.constant(find_numbers(player), np.int32)
    picked = model.cast(model.add("Gather", numbers, entries), "INT64")
    total = model.add("ReduceSum", picked, model.constant([1], np.int64), keepdims=1)  # is exact
    unit = model.constant(1.0 / RESOLUTION)
    model.cast(model.add("Mul", model.cast(total, "DOUBLE"), unit), "FLOAT", "values")
    return len(adds)


def _write_graph(model: _Model, player: NeatPlayer) -> int:
    """Add a NEAT graph, node by node, in double precision; return the number of its inputs."""
    decoder = player.decoder
    inputs, outputs = int(decoder.inputs), int(decoder.outputs)
    count, nodes = find_nodes(player)
    slots = model.split(model.cast("inputs", "DOUBLE"), inputs)
    nothing = model.add("Sub", slots[0], slots[0])
    after = [*slots, *[nothing] * (count - inputs)]
    for node in nodes:
        after[node.slot] = _write_node(model, node, after, nothing)
    found = model.add("Concat", *after[inputs : inputs + outputs], axis=1)
    model.cast(found, "FLOAT", "values")
    return inputs


def _write_node(model: _Model, node: Node, slots: Sequence[str], nothing: str) -> str:
    """Add a node: activation(bias + response * aggregation(weight * value, ...))."""
    if node.connections:
        sources = model.add("Concat", *(slots[slot] for slot, _ in node.connections), axis=1)
        weights = np.array([weight for _, weight in node.connections])
        if node.aggregation == "sum":
            total = model.add("MatMul", sources, model.constant(weights[:, None]))
        else:
            terms = model.add("Mul", sources, model.constant(weights))
            total = _aggregate(model, node.aggregation, terms, len(weights))
    else:
        total = nothing
        if node.aggregation == "product":
            total = model.add("Add", nothing, model.constant(1.0))
    scaled = model.add("Mul", total, model.constant(node.response))
    return _activate(model, node.activation, model.add("Add", scaled, model.constant(node.bias)))


REDUCERS = {"max": "ReduceMax", "min": "ReduceMin", "mean": "ReduceMean"}


def _aggregate(model: _Model, name: str, terms: str, count: int) -> str:
    """Aggregate each row of *terms*, of which there are *count*."""
    if name in REDUCERS or (name == "median" and count <= 2):
        return model.add(REDUCERS.get(name, "ReduceMean"), terms, axes=[1], keepdims=1)
    if name == "product":
        first, *others = model.split(terms, count)
        for other in others:
            first = model.add("Mul", first, other)
        return first
    if name == "maxabs":
        place = model.add("ArgMax", model.add("Abs", terms), axis=1, keepdims=1)
        return model.add("GatherElements", terms, place, axis=1)
    ordered = model.sort(terms, count)
    middle = [count // 2] if count % 2 else [count // 2 - 1, count // 2]
    picked = model.add("Gather", ordered, model.constant(middle, np.int64), axis=1)
    return model.add("ReduceMean", picked, axes=[1], keepdims=1)


def _activate(model: _Model, name: str, x: str) -> str:
    """Add a function of neat-python's, as `evolve_arena.runs.export.templates.graph` defines it."""

    def number(value: float) -> str:
        return model.constant(value)

    def within(what: str, bound: float) -> str:
        return model.add("Max", model.add("Min", what, number(bound)), number(-bound))

    def times(factor: float, what: str) -> str:
        return model.add("Mul", number(factor), what)

    def plus(term: float, what: str) -> str:
        return model.add("Add", number(term), what)

    def positive(then: str, otherwise: str) -> str:
        return model.add("Where", model.add("Greater", x, number(0.0)), then, otherwise)

    def less_one() -> str:
        return plus(-1.0, model.add("Exp", model.add("Min", x, number(0.0))))

    def power(exponent: int, what: str) -> str:
        return model.add("Mul", what, what if exponent == 2 else power(exponent - 1, what))

    def invert() -> str:
        zero = model.add("Equal", x, number(0.0))
        safe = model.add("Where", zero, number(1.0), x)
        return model.add("Where", zero, number(0.0), model.add("Div", number(1.0), safe))

    # Formulas of neat-python's activations, with the same bounds against overflow
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    functions: dict[str, Callable[[], str]] = {
        "sigmoid": lambda: model.add("Sigmoid", within(times(5.0, x), 60.0)),
        "tanh": lambda: model.add("Tanh", within(times(2.5, x), 60.0)),
        "sin": lambda: model.add("Sin", within(times(5.0, x), 60.0)),
        "gauss": lambda: model.add("Exp", times(-5.0, power(2, within(x, 3.4)))),
        "relu": lambda: model.add("Max", x, number(0.0)),
        "elu": lambda: positive(x, less_one()),
        "lelu": lambda: positive(x, times(0.005, x)),
        "selu": lambda: positive(times(scale, x), times(scale * alpha, less_one())),
        "softplus": lambda: times(
            0.2, model.add("Log", plus(1.0, model.add("Exp", within(times(5.0, x), 60.0))))
        ),
        "identity": lambda: x,
        "clamped": lambda: within(x, 1.0),
        "inv": invert,
        "log": lambda: model.add("Log", model.add("Max", x, number(1e-7))),
        "exp": lambda: model.add("Exp", within(x, 60.0)),
        "abs": lambda: model.add("Abs", x),
        "hat": lambda: model.add("Max", plus(1.0, times(-1.0, model.add("Abs", x))), number(0.0)),
        "square": lambda: power(2, x),
        "cube": lambda: power(3, x),
    }
    return functions[name]()
