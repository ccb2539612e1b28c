"""The drawing of a network shows what the network is: everything, in its place, and readable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch, PathPatch
from matplotlib.path import Path as Curve

from evolve_arena.cli.commands.runs import plot
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.board.networks import BoardTupleDecoder
from evolve_arena.players.board.stacks import show_entries
from evolve_arena.players.evolved import NeatPlayer, VectorPlayer
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.api import start
from evolve_arena.runs.errors import NotARunError
from evolve_arena.runs.plots.cards import NEGATIVE, POSITIVE, SIGNS
from evolve_arena.runs.plots.layout import Box, arrange, order_rows, spread_row
from evolve_arena.runs.plots.network import (
    MAX_EDGES,
    MAX_NODES,
    draw_network,
    plot_network,
    thin_out,
)
from evolve_arena.runs.plots.network_layout import Edge, Sketch, find_layers, sketch_player
from evolve_arena.runs.plots.tuples import draw_tuples, read_tuples, value_cells
from evolve_arena.runs.run import Run

NetworkDecoder = find_game("connect-four").networks["mlp"].decoder_type
GraphDecoder = find_game("connect-four").networks["graph"].decoder_type

Link = tuple[int, int, float]
TANH, RELU = map(ACTIVATIONS.index, ("tanh", "relu"))
SUM, MAX = map(AGGREGATIONS.index, ("sum", "max"))


def graph(
    links: Sequence[Link],
    hidden: Sequence[int] = (),
    disabled: Sequence[int] = (),
    **options: object,
) -> NeatPlayer:
    """Return a NEAT player of those connections; some, by their places, are *disabled*."""
    decoder = GraphDecoder(**{"head": "value", "encoding": "planes", **options})
    keys = [*range(decoder.outputs), *hidden]
    nodes, connections = len(keys), len(links)
    sources, targets, weights = zip(*links, strict=True) if links else ((), (), ())
    genome = NeatPopulation(
        keys=np.array([1]),
        node_start=np.array([0, nodes]),
        node_key=np.array(keys, dtype=np.int32),
        bias=np.linspace(-0.5, 0.5, nodes),
        response=np.ones(nodes),
        activation=np.full(nodes, TANH, dtype=np.int32),
        aggregation=np.full(nodes, SUM, dtype=np.int32),
        connection_start=np.array([0, connections]),
        source=np.array(sources, dtype=np.int32),
        target=np.array(targets, dtype=np.int32),
        weight=np.array(weights, dtype=np.float64),
        enabled=np.array([place not in disabled for place in range(connections)], dtype=np.bool_),
        innovation=np.arange(connections),
    )
    return decoder.player(genome, "drawn")


def perceptron(seed: int = 1, **options: object) -> VectorPlayer:
    usual = {"head": "policy", "encoding": "numbered", "hidden": (10,), "activation": "sigmoid"}
    decoder = NetworkDecoder(**{**usual, **options})
    genomes = decoder.initialise(1, "normal", np.random.default_rng(seed))
    return decoder.player(genomes[0], "drawn")


def texts(axes: Axes) -> list[str]:
    return [text.get_text().strip() for text in axes.texts]


def caches(axes: Axes) -> list[Box]:
    found = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    return [Box(p.get_x(), p.get_y(), p.get_width(), p.get_height()) for p in found]


def cells_inside(axes: Axes, box: Box) -> dict[tuple[float, float], float]:
    """Return weights by the middle of the cell with their colour, relative to the box."""
    found = {}
    for collection in axes.collections:
        if isinstance(collection, PolyCollection) and collection.get_cmap() is SIGNS:
            for path, weight in zip(collection.get_paths(), collection.get_array(), strict=True):
                x, y = path.vertices[:4].mean(axis=0)
                if box.left < x < box.right and box.bottom < y < box.top:
                    found[round(x - box.left, 4), round(y - box.bottom, 4)] = float(weight)
    return found


def edges(axes: Axes) -> list[Patch]:
    kinds = (PathPatch, FancyArrowPatch)
    return [patch for patch in axes.patches if isinstance(patch, kinds)]


def colours_of(patches: Sequence[Patch]) -> list[str]:
    return [to_hex(patch.get_edgecolor()) for patch in patches]


def test_only_what_counts_is_drawn_and_the_rest_is_told() -> None:
    links = [(-1, 0, 1.0), (-2, 5, 2.0), (5, 0, 3.0)]  # to the output, and by a node
    links += [(-3, 5, 4.0), (7, 0, 7.0)]  # disabled
    links += [(-4, 6, 5.0), (6, 7, 6.0)]  # which is why these lead nowhere
    sketch = sketch_player(graph(links, hidden=[5, 6, 7], disabled=[3, 4]))
    assert [node.name for node in sketch.nodes] == ["value", "5"]
    assert sketch.edges == [Edge(1, 0, 3.0)]
    assert sorted(sketch.weights) == [1.0, 2.0, 3.0]
    assert sketch.remarks[:2] == [
        "1 hidden node, 3 connections, feed-forward",
        "not drawn: 2 idle nodes, 2 idle connections, 2 disabled connections",
    ]
    player = graph([], head="policy")
    sketch = sketch_player(player)
    assert [node.name for node in sketch.nodes] == list("0123456")
    assert sketch.remarks[0] == "no hidden nodes, no connections, feed-forward"
    assert not any("not drawn" in remark for remark in sketch.remarks)
    assert draw_network(thin_out(sketch)).axes


def test_nodes_say_what_they_compute() -> None:
    player = graph([(-1, 5, 1.0), (5, 0, 1.0)], hidden=[5])
    changed = {"response": np.array([1.0, 0.25]), "bias": np.array([0.125, -3.0])}
    changed["activation"] = np.array([TANH, RELU], dtype=np.int32)
    changed["aggregation"] = np.array([SUM, MAX], dtype=np.int32)
    genome = NeatPopulation(**{**vars(player.genome), **changed})
    axes = draw_network(sketch_player(player.decoder.player(genome, "drawn"))).axes[0]
    said = texts(axes)
    assert {"value", "tanh", "5", "relu of max ×0.25", "+0.12", "−3.00"} <= set(said)
    colours = {text.get_text(): to_hex(text.get_color()) for text in axes.texts}
    assert colours["+0.12"] == POSITIVE.lower()
    assert colours["−3.00"] == NEGATIVE.lower()
    assert "Cards: nodes, what they compute, ×response, bias" in "\n".join(said)


def recompute(sketch: Sketch, rows: np.ndarray, outputs: int) -> np.ndarray:
    """Return the outputs for *rows* of inputs, from a sketch of tanh nodes with sums alone."""
    results = []
    for row in rows:
        values = np.zeros(len(sketch.nodes))
        for _ in sketch.nodes:  # until nothing changes
            for place, node in enumerate(sketch.nodes):
                total = 0.0
                if node.board is not None:
                    total += float(np.nansum(node.board.ravel() * row))
                links = [edge for edge in sketch.edges if edge.target == place]
                total += sum(edge.weight * values[edge.source] for edge in links)
                values[place] = np.tanh(2.5 * (node.bias + node.response * total))
        results.append(values[:outputs])
    return np.array(results)


@st.composite
def graphs(draw: st.DrawFn) -> NeatPlayer:
    """Draw random NEAT players."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    head = draw(st.sampled_from(["value", "policy"]))
    outputs = 7 if head == "policy" else 1
    hidden = (outputs + np.arange(draw(st.integers(0, 9)))).tolist()
    order = rng.permutation([*hidden, *range(outputs)])
    links: dict[tuple[int, int], float] = {}
    for _ in range(draw(st.integers(0, 40))):
        first, second = rng.integers(0, len(order), 2)
        if first > second:
            first, second = second, first
        source, target = int(order[first]), int(order[second])
        if rng.random() < 0.4:
            source = -int(rng.integers(1, 43))
        if source != target:
            links[source, target] = float(rng.normal())
    disabled = [place for place in range(len(links)) if rng.random() < 0.2]
    found = [(*ends, weight) for ends, weight in links.items()]
    return graph(found, hidden=hidden, disabled=disabled, head=head, encoding="numbered")


@settings(max_examples=100)
@given(graphs(), st.integers(0, 10**6))
def test_a_sketch_holds_the_whole_network(player: NeatPlayer, seed: int) -> None:
    rows = np.random.default_rng(seed).integers(0, 3, (4, 42)).astype(float)
    decoder = player.decoder
    compiled = compile_graphs(player.genome, 42, decoder.outputs, feed_forward=True)
    expected = evaluate(compiled, 0, rows)
    computed = recompute(sketch_player(player), rows, decoder.outputs)
    assert computed == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("hidden", [(), (6,), (6, 5)])
@pytest.mark.parametrize("symmetric", [False, True])
def test_a_sketch_of_layers_holds_the_whole_network(
    hidden: tuple[int, ...], symmetric: bool
) -> None:
    player = perceptron(hidden=hidden, symmetric=symmetric, encoding="planes", head="value")
    sketch = sketch_player(player)
    row = np.random.default_rng(2).integers(0, 2, 84).astype(float)
    values = np.zeros(len(sketch.nodes))
    for depth, layer in enumerate(sketch.layers):
        for place in layer:
            node = sketch.nodes[place]
            values[place] += node.bias
            if depth == 0:
                assert node.board is not None
                values[place] += float((node.board.ravel() * row).sum())
            if depth + 1 < len(sketch.layers):
                values[place] = 1.0 / (1.0 + np.exp(-values[place]))
                assert node.votes is not None
                values[sketch.layers[depth + 1]] += node.votes * values[place]
    genes = player.decoder.expand(player.genome[None, :])[0]
    expected = player.decoder.mlp.evaluate(genes, row[None, :])[0]
    assert values[sketch.layers[-1]] == pytest.approx(expected, abs=1e-6)


@given(st.data())
def test_layers_are_those_of_networkx(data: st.DataObject) -> None:
    nodes = data.draw(st.integers(1, 12))
    outputs, node = data.draw(st.integers(1, nodes)), st.integers(0, nodes - 1)
    edges = data.draw(st.lists(st.tuples(node, node), max_size=25))
    entered = {target for source, target in edges if source >= outputs and source != target}
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(range(outputs, nodes), key=lambda node: node in entered))
    graph.add_edges_from(ends for ends in edges if min(ends) >= outputs)
    left = {node: at for at, node in enumerate(nx.dfs_postorder_nodes(graph))}
    graph.remove_edges_from([ends for ends in graph.edges if left[ends[0]] <= left[ends[1]]])
    layers = [sorted(layer) for layer in nx.topological_generations(graph)]
    assert find_layers(nodes, outputs, edges) == [*layers, list(range(outputs))]


def test_layers_are_the_longest_ways() -> None:
    #  0 is the output; 1 -> 2 -> 3 -> 0, 1 -> 3, 4 -> 0
    edges = [(1, 2), (2, 3), (1, 3), (3, 0), (4, 0)]
    assert find_layers(5, 1, edges) == [[1, 4], [2], [3], [0]]
    assert find_layers(1, 1, []) == [[0]]
    late_shortcut = [(1, 5), (2, 3), (3, 4), (4, 5), (5, 0)]
    assert find_layers(6, 1, late_shortcut) == [[1, 2], [3], [4], [5], [0]]
    assert find_layers(3, 2, [(2, 0)]) == [[2], [0, 1]]
    assert find_layers(4, 1, [(1, 2), (2, 3), (3, 0), (3, 1), (2, 2)]) == [[1], [2], [3], [0]]
    assert find_layers(3, 1, [(0, 1), (1, 2), (2, 0)]) == [[1], [2], [0]], "out of an output"
    assert find_layers(3, 1, [(1, 2), (2, 1)]) == [[1], [2], [0]]
    chain = [(node, node + 1) for node in range(1, 9999)]
    assert len(find_layers(10_000, 1, chain)) == 10_000


def test_rows_are_ordered_so_that_wires_do_not_cross() -> None:
    rows = [[3, 4, 5], [0, 1, 2]]
    ordered = order_rows(rows, [[3, 2], [4, 0], [5, 1]], [1.0] * 6)
    assert ordered == [[4, 5, 3], [0, 1, 2]]
    crossing = [[2, 1], [3, 0]]
    assert order_rows([[2, 3], [0, 1]], crossing, [1.0] * 4) == [[3, 2], [0, 1]]
    assert order_rows([[2, 3], [0, 1]], crossing, [1.0] * 4, fixed=2) == [[2, 3], [0, 1]]
    assert spread_row([3, 4], [0, 0, 0, 1.0, 2.0]) == {3: -1.0, 4: 0.5}


def follow(route: Sequence[tuple[float, float]]) -> np.ndarray:
    """Return many points of a curve, shape ``(points, 2)``."""
    control = np.array(route)
    t = np.linspace(0.0, 1.0, 33)[:, None]
    shares = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
    starts = range(0, len(control) - 1, 3)
    return np.concatenate([sum(s * control[at + k] for k, s in enumerate(shares)) for at in starts])


@settings(max_examples=100)
@given(graphs())
def test_wires_join_their_cards_and_pass_behind_no_other(player: NeatPlayer) -> None:
    sketch = sketch_player(player)
    places = arrange(sketch)
    for edge, route, back in zip(sketch.edges, places.routes, places.back, strict=True):
        source, target = places.boxes[edge.source], places.boxes[edge.target]
        for box, (x, y) in ((source, route[0]), (target, route[-1])):
            assert box.left < x <= box.right + 1e-9
            assert min(abs(y - box.top), abs(y - box.bottom), abs(x - box.right)) < 1e-9
        points = follow(route)
        for box in places.boxes:
            inside = (points > (box.left + 1e-6, box.bottom + 1e-6)).all(axis=1)
            inside &= (points < (box.right - 1e-6, box.top - 1e-6)).all(axis=1)
            assert not inside.any()
        assert back == (source.bottom >= target.bottom)
    boxes = sorted(places.boxes, key=lambda box: (box.bottom, box.left))
    for first, second in pairwise(boxes):
        assert second.bottom >= first.top or second.left > first.right, "cards do not overlap"


def test_wires_enter_a_card_in_the_order_of_their_sources() -> None:
    links = [(-1 - node, node, 1.0) for node in (5, 6, 7)]
    links += [(node, 0, 1.0) for node in (7, 5, 6)]
    places = arrange(sketch_player(graph(links, hidden=[5, 6, 7])))
    begin, end = zip(*sorted((route[0][0], route[-1][0]) for route in places.routes), strict=True)
    assert list(end) == sorted(end)
    assert np.diff(end) == pytest.approx([0.2, 0.2])
    assert begin[1] == pytest.approx(end[1])
    player = graph([(0, 6, 1.0), (-1, 0, 1.0), (-2, 3, 1.0)], head="policy")
    places = arrange(sketch_player(player))
    (route,) = places.routes
    assert places.back == [True]
    assert follow(route)[:, 1].max() > places.height + 0.2


def test_outputs_that_take_two_rows_keep_their_order() -> None:
    rng = np.random.default_rng(3)
    hidden = range(16, 24)
    links = {(int(s), int(t)): 1.0 for s, t in rng.integers((16, 0), (24, 16), (60, 2))}
    links |= {(-1 - node, node): 1.0 for node in range(24)}
    found = [(*ends, weight) for ends, weight in links.items()]
    player = graph(found, hidden=hidden, head="policy", columns=16, rows=3)
    boxes = arrange(sketch_player(player)).boxes[:16]
    order = sorted(range(16), key=lambda output: (-boxes[output].bottom, boxes[output].left))
    assert order == [*range(16)]
    assert len({box.bottom for box in boxes}) > 1
    sketch = sketch_player(perceptron(hidden=(40,), encoding="planes"))
    influence = [float(np.abs(sketch.nodes[unit].votes).sum()) for unit in sketch.layers[0]]
    assert influence == sorted(influence, reverse=True)
    places = arrange(sketch)
    assert places.width <= 11.0
    bottoms = [places.boxes[unit].bottom for unit in sketch.layers[0]]
    assert bottoms == sorted(bottoms, reverse=True), "the strongest units stand highest"
    assert len(set(bottoms)) > 3
    lefts = [places.boxes[output].left for output in range(7)]
    assert lefts == sorted(lefts)


def test_large_networks_are_thinned_out() -> None:
    sketch = sketch_player(perceptron(hidden=(150, 120), encoding="numbered"))
    thin = thin_out(sketch)
    assert [len(layer) for layer in thin.layers] == [MAX_NODES, MAX_NODES, 7]
    kept = {thin.nodes[unit].name for unit in thin.layers[0]}
    assert kept == {sketch.nodes[unit].name for unit in sketch.layers[0][:MAX_NODES]}
    lowest = sketch.nodes[sketch.layers[0][0]]
    assert lowest.votes is not None
    assert np.array_equal(thin.nodes[thin.layers[0][0]].votes, lowest.votes[:MAX_NODES])
    assert thin.remarks[2:] == [
        "drawn: of 150 nodes of a layer the 96 strongest",
        "drawn: of 120 nodes of a layer the 96 strongest",
    ]
    hidden = range(7, 57)
    links = [(source, target, float(source)) for source in hidden for target in range(7)]
    links += [(-1, node, 1.0) for node in hidden]
    thin = thin_out(sketch_player(graph(links, hidden=hidden, head="policy")))
    assert len(thin.edges) == MAX_EDGES
    assert min(edge.weight for edge in thin.edges) == 28.0
    assert thin.remarks[-1] == "drawn: of 350 connections between nodes the 200 strongest"


def test_cells_have_the_colours_of_their_weights() -> None:
    axes = draw_network(sketch_player(graph([(-1, 0, 1.0), (-42, 0, -2.0), (-45, 0, 0.5)]))).axes[0]
    (box,) = caches(axes)
    found = cells_inside(axes, box)
    cell = 0.17
    left, lowest, top = (round(0.07 + place * cell, 4) for place in (0.5, 0.5, 5.5))
    last, other = (round(left + column * cell, 4) for column in (6, 7.7 + 2))
    assert found == pytest.approx({(left, top): 1.0, (last, lowest): -2.0, (other, top): 0.5})
    assert to_hex(SIGNS(0.0)) == NEGATIVE.lower()
    assert min(SIGNS(0.5)) > 0.99
    assert to_hex(SIGNS(1.0)) == POSITIVE.lower()
    links = [(-1 - place, 0, 0.5) for place in range(80)] + [(-84, 0, 30.0)]
    figure = draw_network(sketch_player(graph(links)))
    scale = figure.axes[1]
    assert scale.get_xlim() == (-0.5, 0.5)
    assert max(cells_inside(figure.axes[0], caches(figure.axes[0])[0]).values()) == 30.0


def test_wires_are_coloured_by_sign_and_arrows_in_a_row() -> None:
    links = [(-1, 5, 1.0), (-2, 6, 1.0), (-3, 7, 1.0)]
    links += [(5, 0, -2.0), (6, 0, 1.0), (7, 0, 0.5)]
    axes = draw_network(sketch_player(graph(links, hidden=[5, 6, 7]))).axes[0]
    drawn = sorted(edges(axes), key=lambda edge: -edge.get_linewidth())
    assert colours_of(drawn) == [NEGATIVE.lower(), POSITIVE.lower(), POSITIVE.lower()]
    widths = [edge.get_linewidth() for edge in drawn]
    assert widths == pytest.approx([3.6, 2.1, 1.35])
    assert not any(isinstance(edge, FancyArrowPatch) for edge in drawn)
    assert "Dashed" not in "\n".join(texts(axes))
    links = [(-1, 7, 1.0), (-1, 0, -2.0), (7, 0, 1.0), (0, 6, -1.0)]
    sketch = sketch_player(graph(links, hidden=[7], head="policy"))
    assert (sketch.reading[0], np.count_nonzero(sketch.reading)) == (3.0, 1)
    axes = draw_network(sketch).axes[0]
    back = [edge for edge in edges(axes) if isinstance(edge, FancyArrowPatch)]
    assert colours_of(back) == [NEGATIVE.lower()]
    assert all(edge.get_linestyle() != "-" for edge in back)
    assert len(edges(axes)) == 2
    assert "Dashed edges: against the order of the layers" in "\n".join(texts(axes))
    ahead = [edge for edge in edges(axes) if edge not in back]
    assert all(edge.get_path().codes[0] == Curve.MOVETO for edge in ahead)


def test_votes_are_numbers_for_one_output_and_colours_for_more() -> None:
    player = perceptron(hidden=(3,), head="value")
    votes = [float(node.votes[0]) for node in sketch_player(player).nodes[1:]]
    said = texts(draw_network(sketch_player(player)).axes[0])
    assert all(f"{vote:+.2f}".replace("-", "−") in said for vote in votes)
    axes = draw_network(sketch_player(perceptron(hidden=(3,), head="policy"))).axes[0]
    box = caches(axes)[-1]
    colours = cells_inside(axes, box)
    highest = max(y for _, y in colours)
    assert len([1 for _, y in colours if y == highest]) == 7, "one square for each column"
    assert len(colours) == 42 + 7
    assert "Bars: weights to the nodes above, left to right" in "\n".join(texts(axes))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    changes = ["neat.pop_size=12", "run.generations=4", "check.every=2", "check.games=20"]
    path = tmp_path_factory.mktemp("network") / "grown"
    return start("connect-four-neat", run=path, changes=changes, executor="serial")


def test_a_run_is_drawn_into_its_folder(run: Run, tmp_path: Path) -> None:
    assert plot_network(run) == run.path / "plots" / "network.png"
    assert plot_network(str(run.path), generation=2) == run.path / "plots" / "network-2.png"
    for name in ("network.png", "network-2.png"):
        assert (run.path / "plots" / name).read_bytes().startswith(b"\x89PNG")
    figure = draw_network(sketch_player(run.champion_at(2), "grown"))
    assert figure.get_suptitle().strip() == "grown: champion of generation 2"
    written = [getattr(artist, "get_text", str)() for artist in figure.artists]
    assert any("84 connections, feed-forward" in text for text in written)
    with pytest.raises(BadValueError, match="no champion of generation 3"):
        plot_network(run, generation=3)
    with pytest.raises(BadValueError, match=r"\.png, \.svg, \.pdf"):
        plot_network(run, tmp_path / "a.gif")
    with pytest.raises(NotARunError):
        plot_network(str(tmp_path / "missing"))


def test_the_same_network_has_the_same_bytes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for suffix in (".png", ".svg", ".pdf"):
        paths = [tmp_path / f"{name}{suffix}" for name in "ab"]
        first, second = (plot_network(run, path).read_bytes() for path in paths)
        assert first == second
    monkeypatch.chdir(tmp_path)
    of = f"file:{run.directory.champion}"
    assert plot_network(of) == Path("champion-network.png")
    assert (tmp_path / "champion-network.png").stat().st_size > 10_000
    with pytest.raises(BadValueError, match="one player"):
        plot_network(of, generation=2)
    with pytest.raises(ArenaError, match="No such file"):
        plot_network("file:missing")


def test_the_command(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(run.path)
    plot([path], to=tmp_path / "a.svg", network=True, games=2)
    assert capsys.readouterr().out == f"{tmp_path / 'a.svg'}\n"
    for options, message in (
        ({"runs": [path, path], "network": True}, "--network draws one run at a time"),
        ({"runs": [path, path], "ancestors": True}, "--ancestors draws one run at a time"),
        ({"runs": [path], "ancestors": True, "network": True}, "different pictures"),
        ({"runs": [path], "generation": 2}, "--generation is for --network"),
        ({"runs": [path], "position": ""}, "--position is for --network"),
        ({"runs": [path], "network": True, "seed": 1}, "--seed is for --position self-play"),
    ):
        with pytest.raises(BadValueError, match=message):
            plot(**options)


TupleDecoder = find_game("connect-four").networks["tuples"].decoder_type

TUPLES = TupleDecoder(columns=3, rows=3, connect=3, tuples=1, length=2, by_seat=True)


def make_tuples(decoder: BoardTupleDecoder, cells: list[list[int]], seed: int = 1) -> TuplePlayer:
    shapes = np.array(cells, dtype=np.int16)
    numbers = np.random.default_rng(seed).normal(size=decoder.table(shapes).numbers)
    return decoder.player(TuplePopulation(shapes[None], numbers[None].astype(np.float32)), "it")


def test_entries_stand_beside_what_they_mean() -> None:
    player = make_tuples(TUPLES, [[6, 7], [5, 2]])
    first, second = read_tuples(player)
    assert first.states.shape == (9, 2)
    assert set(map(tuple, first.states.tolist())) == {(a, b) for a in (1, 2, 3) for b in (1, 2, 3)}
    assert first.numbers.shape == (2, 9)
    tables = player.arrays["tables"].astype(np.float64)
    assert np.array_equal(np.concatenate([first.numbers[1], second.numbers[1]]), tables[-17:])
    assert len(second.states) == 8  # one column: no disc below, and so on


def test_cells_are_worth_what_they_add_to_a_tuples_mean() -> None:
    player = make_tuples(TUPLES, [[6, 4]])
    (one,) = read_tuples(player)
    one.numbers[0, 3] = 0.0  # not in use
    values = value_cells([one], TUPLES)
    assert values.shape == (2, 3, 9)
    values = values.reshape(2, 3, 3, 3)  # the rows from the top
    numbers, states = one.numbers[0], show_entries(np.array([6, 4]), (3, 3))
    used = numbers != 0
    for place, row, columns in ((0, 2, (0, 2)), (1, 1, (1,))):
        for state in (1, 2, 3):
            chosen = numbers[used & (states[:, place] == state)].mean() - numbers[used].mean()
            for column in columns:  # cell 4 lies in the middle, and so it is its own mirror
                expected = chosen * (2 if len(columns) == 1 else 1)
                assert values[0, state - 1, row, column] == pytest.approx(expected)
    assert np.isnan(values[:, :, 0]).all(), "no tuple reads the top row"


def discs(axes: Axes) -> list[str]:
    return [
        to_hex(artist.get_facecolor()[0])  # type: ignore[index]
        for artist in axes.collections
        if isinstance(artist, PathCollection) and artist.get_sizes()[0] > 20
    ]


def test_the_strongest_entries_are_drawn_as_boards() -> None:
    player = make_tuples(TUPLES, [[6, 7], [3, 0]])
    # Discs of both players: who began likes theirs, the other one likes their own.
    player.genome.tables[:] = 0.01
    states = show_entries(np.array([6, 7]), (3, 3))
    entries = TUPLES.table(player.genome.cells[0]).numbers // 2
    good = int(np.flatnonzero((states == 1).all(axis=1))[0])
    bad = int(np.flatnonzero((states == 2).all(axis=1))[0])
    player.genome.tables[0, good] = 1.25
    player.genome.tables[0, entries + bad] = -2.5
    figure = draw_tuples(player, "some run")
    axes = figure.axes[0]
    said = [text.get_text() for text in axes.texts]
    assert {"+1.25", "−2.50", "1st", "2nd", "2nd: after a move of seat 2"} <= set(said)
    assert said.index("+1.25") < said.index("−2.50")
    found = discs(axes)
    assert found[:2] == [POSITIVE.lower(), NEGATIVE.lower()], "the key"
    assert found[2:6] == [POSITIVE.lower()] * 2 + [NEGATIVE.lower()] * 2
    faces = [to_hex(each.get_facecolor()[0]) for each in axes.collections]  # type: ignore[index]
    assert faces.count("#ffffff") == 4 + 2 * 2 * 2
    assert figure.get_suptitle().strip() == "some run"
    written = [getattr(artist, "get_text", str)() for artist in figure.artists]
    assert any("2 tuples of 2 cells" in text and "100% are in use" in text for text in written)


def test_one_that_learned_nothing_is_drawn() -> None:
    cells = TUPLES.draw(np.random.default_rng(1))
    tables = np.zeros((1, TUPLES.table(cells).numbers), dtype=np.float32)
    draw_tuples(TUPLES.player(TuplePopulation(cells[None], tables), "new")).draw_without_rendering()


def test_of_many_stages_the_first_and_the_last_are_drawn() -> None:
    decoder = replace(TUPLES, by_seat=False, stages=5, counts=True)
    figure = draw_tuples(make_tuples(decoder, [[6, 7], [5, 2]]))
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    stages = [text for text in texts if text.endswith("pieces") and ": " in text]
    assert stages[0] == "1st: 0 to 1 pieces"
    assert len(stages) == 2
    assert stages[-1] == "5th: 8 to 9 pieces"
