"""NEAT graphs as players: decoders, memory, values, and genomes that make no player."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.match import play_match
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.graph import GraphDecoder, GraphPlayer
from evolve_arena.genomes.neat.breeding import mutate
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.players.bred import read_player
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import make_random

GAME = ConnectFour()
STREAM = new_stream(0)
WILD: dict[str, Any] = {
    "activation_default": "random",
    "activation_options": ACTIVATIONS,
    "aggregation_default": "random",
    "aggregation_options": AGGREGATIONS,
    "node_add_prob": 0.5,
    "initial_connection": "partial_direct 0.5",
}


def grow(decoder: GraphDecoder, seed: int = 1, steps: int = 30, **settings: Any) -> NeatPopulation:
    """One genome, mutated many times."""
    config = NeatConfig(pop_size=2, feed_forward=decoder.feed_forward, **{**WILD, **settings})
    size = {"inputs": decoder.inputs, "outputs": decoder.outputs}
    population, counters = create(config, **size, seed=seed)
    population = population.take([0])
    for step in range(steps):
        population, counters = mutate(
            config, population, **size, seed=1000 * seed + step, counters=counters
        )
    return population


def make_player(decoder: GraphDecoder, seed: int = 1) -> GraphPlayer:
    return decoder.player(grow(decoder, seed), "graph")


def counter(rows: int = 8) -> GraphPlayer:
    """Plays column 1 until its last turn was at more than two discs, then column 0."""
    decoder = GraphDecoder(4, rows, 4, "policy", "two-planes", "mover", False)
    sources = [-1 - place for place in range(decoder.inputs)]
    links = len(sources) + 2
    genome = NeatPopulation(
        keys=np.array([7]),
        node_start=np.array([0, 5]),
        node_key=np.arange(5, dtype=np.int32),
        bias=np.array([0.0, 2.5, 0.0, 0.0, 0.0]),
        response=np.ones(5),
        activation=np.full(5, ACTIVATIONS.index("identity"), dtype=np.int32),
        aggregation=np.full(5, AGGREGATIONS.index("sum"), dtype=np.int32),
        connection_start=np.array([0, links]),
        source=np.array([*sources, 4, -1], dtype=np.int32),
        target=np.array([*[4] * len(sources), 0, 1], dtype=np.int32),
        weight=np.array([*[1.0] * len(sources), 1.0, 0.0]),
        enabled=np.ones(links, dtype=np.bool_),
        innovation=np.arange(links, dtype=np.int64),
    )
    return decoder.player(genome, "counter")


# --- decoders -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "inputs", "outputs"),
    [
        ({}, 42, 7),
        ({"head": "value"}, 42, 1),
        ({"encoding": "two-planes"}, 84, 7),
        ({"columns": 9, "connect": 5, "encoding": "0/1/-1"}, 54, 9),
        ({"columns": 1, "rows": 4}, 4, 1),
        ({"columns": 32, "rows": 1}, 32, 32),
    ],
)
def test_the_board_and_the_head_say_how_many_numbers_go_in_and_out(
    options: dict[str, Any], inputs: int, outputs: int
) -> None:
    decoder = GraphDecoder(**options)
    assert (decoder.inputs, decoder.outputs) == (inputs, outputs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"head": "polcy"}, "unknown head 'polcy': did you mean 'policy'?"),
        ({"encoding": "two-plane"}, "unknown encoding 'two-plane': did you mean 'two-planes'?"),
        ({"viewpoint": "movr"}, "unknown viewpoint 'movr': did you mean 'mover'?"),
    ],
)
def test_unknown_names_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        GraphDecoder(**options)
    assert str(caught.value).startswith(message)


def test_packing_changes_nothing_and_depends_on_no_other_genome() -> None:
    decoder = GraphDecoder(head="value")
    genomes = [grow(decoder, seed) for seed in range(3)]
    before = [[getattr(genome, f.name).tobytes() for f in fields(genome)] for genome in genomes]
    packed = combine_players([decoder.pack(genome) for genome in genomes])
    after = [[getattr(genome, f.name).tobytes() for f in fields(genome)] for genome in genomes]
    assert before == after
    pairings = np.array([[one, 3] for one in range(3)] * 5, dtype=np.int32)
    seeds = derive_seeds(1, 0, "test", 15)

    def play(rows: list[int], pairings: np.ndarray, seeds: np.ndarray) -> list[int]:
        others = [decoder.pack(genomes[row]) for row in rows] + [make_random(GAME).packed]
        batch = make_batch(GAME, combine_players(others), pairings, seeds)
        return run_kernel(batch).games.tolist()

    assert len(packed.seats) == 3
    together = play([0, 1, 2], pairings, seeds)
    for row in range(3):
        alone = play([row], np.tile(np.array([[0, 1]], dtype=np.int32), (5, 1)), seeds[row::3])
        assert alone == together[row::3]


def test_a_population_of_no_genomes_packs() -> None:
    decoder = GraphDecoder()
    assert decoder.pack(grow(decoder).take([])).seats.shape[0] == 0


# --- memory --------------------------------------------------------------------------------


def test_a_recurrent_graph_remembers_its_own_moves() -> None:
    player = counter()
    moves = play_match(player.game, [player, player]).moves
    assert moves[:8] == (1, 1, 1, 1, 1, 0, 0, 0)


def ask(player: GraphPlayer, *moves: str) -> list[int]:
    return [player.choose(player.game.parse_position(text), STREAM) for text in moves]


def test_a_new_game_forgets() -> None:
    player = counter()
    # At the turns with 2, 4 and 6 discs; the last time it remembers 4.
    assert ask(player, "11", "1111", "111122") == [1, 1, 0]
    player.begin(0)
    assert ask(player, "111122") == [1]
    player.begin(1)
    assert ask(player, "11112") == [1]


def test_games_of_the_two_sides_do_not_mix() -> None:
    player = counter()
    asked = ("11", "111", "1111", "11112", "111122", "1111222")
    assert ask(player, *asked) == [1, 1, 1, 0, 0, 0]
    player.begin(0)
    assert ask(player, "11112222", "111122223") == [1, 0]  # only the second goes on


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("1111", "2222"),  # an earlier position of another game
        ("1111", "222233"),  # two discs more, but others
        ("1111", "11112233"),  # four discs more
        ("1111", "1111"),  # the same once more
        ("111122", "1111"),  # a move taken back
    ],
)
def test_a_position_that_does_not_follow_begins_another_game(before: str, now: str) -> None:
    """Whoever calls no `begin`, such as a program that only sends positions."""
    player = counter()
    assert ask(player, before, now)[1] == 1
    assert ask(player, now + "32") == [0]  # what follows that one goes on with it


def test_a_feed_forward_graph_forgets_at_once() -> None:
    decoder = GraphDecoder(head="value")
    player = make_player(decoder)
    position = GAME.parse_position("334433")
    first = player.choose(position, STREAM)
    assert [player.choose(position, STREAM) for _ in range(3)] == [first] * 3
    player.choose(GAME.parse_position("0123456"), STREAM)
    assert player.choose(position, STREAM) == first


def test_memory_and_game_end_with_each_match_in_the_kernel() -> None:
    player = counter()
    pairings = np.zeros((9, 2), dtype=np.int32)
    batch = make_batch(player.game, player.packed, pairings, derive_seeds(1, 0, "test", 9))
    assert run_kernel(batch).distinct_games == 1


# --- values --------------------------------------------------------------------------------


@pytest.mark.parametrize("feed_forward", [True, False])
@pytest.mark.parametrize("encoding", ["0/1/2", "0/1/-1", "two-planes"])
@pytest.mark.parametrize("viewpoint", ["mover", "absolute"])
def test_values_are_the_graphs_output_for_each_position_reached(
    encoding: str, viewpoint: str, feed_forward: bool
) -> None:
    decoder = GraphDecoder(5, 4, 4, "value", encoding, viewpoint, feed_forward)
    genome = grow(decoder, 3, activation_options=("tanh", "sigmoid"))
    player = decoder.player(genome, "graph")
    graphs = compile_graphs(genome, decoder.inputs, 1, feed_forward)
    for moves in ("", "2", "2222", "01234012", "2211044"):
        position = decoder.game.parse_position(moves)
        seat = len(moves) % 2 if viewpoint == "mover" else 0
        values = player.value_columns(position)
        for column in range(5):
            if column not in decoder.game.legal_moves(position):
                assert np.isnan(values[column])
                continue
            after = decoder.game.play(position, column)
            own, other = decoder.game.observe(after, seat).reshape(2, -1).astype(float)
            inputs = {
                "0/1/2": own + 2 * other,
                "0/1/-1": own - other,
                "two-planes": np.concatenate([own, other]),
            }[encoding]
            assert values[column] == evaluate(graphs, 0, inputs[None, :])[0, 0]


def test_asking_for_values_disturbs_no_game() -> None:
    decoder = GraphDecoder(head="value", feed_forward=False)

    class Curious(GraphPlayer):
        def choose(self, position: Position, stream: Any) -> int:
            self.value_columns(position)
            return super().choose(position, stream)

    for seed in range(5):
        genome = grow(decoder, seed)
        games = []
        for kind in (GraphPlayer, Curious):
            pair = [kind(decoder, genome, "graph"), make_random(GAME)]
            games.append([play_match(GAME, pair, seed=game).moves for game in range(5)])
        assert games[0] == games[1]


def test_a_policy_has_no_values() -> None:
    with pytest.raises(BadValueError, match="graph is a policy network: it has no values"):
        make_player(GraphDecoder()).value_columns(GAME.initial())


def test_positions_of_other_boards_are_refused() -> None:
    player = make_player(GraphDecoder())
    with pytest.raises(BadValueError, match="'graph' plays on a board of 7 by 6"):
        player.choose(ConnectFour(6, 5, 4).initial(), STREAM)


@settings(max_examples=60)
@given(
    st.sampled_from(list(product(["policy", "value"], [True, False]))),
    st.integers(0, 10_000),
    st.lists(st.integers(0, 6), max_size=41),
)
def test_whatever_the_genome_the_move_is_legal(
    sort: tuple[str, bool], seed: int, moves: list[int]
) -> None:
    decoder = GraphDecoder(head=sort[0], feed_forward=sort[1])
    player = decoder.player(grow(decoder, seed % 20), "graph")
    position = GAME.initial()
    for move in moves:
        if GAME.outcome(position) is not None:
            return
        if move in GAME.legal_moves(position):
            position = GAME.play(position, move)
    if GAME.outcome(position) is None:
        assert player.choose(position, STREAM) in GAME.legal_moves(position)


# --- genomes that make no player -----------------------------------------------------------


def with_link(genome: NeatPopulation, source: int, target: int, **changes: Any) -> NeatPopulation:
    """The genome with one more connection."""
    link = {"weight": 1.0, "enabled": True, "innovation": 10**6, **changes}
    link |= {"source": source, "target": target}
    arrays = {}
    for name, value in link.items():
        array = getattr(genome, name)
        arrays[name] = np.append(array, np.array([value], dtype=array.dtype))
    return replace(
        genome, connection_start=np.array([0, len(arrays["weight"])], dtype=np.int64), **arrays
    )


FLAT = GraphDecoder(head="value", encoding="two-planes")
PLAIN = create(NeatConfig(pop_size=2, num_hidden=2), 84, 1, 1)[0].take([0])
Change = Callable[[NeatPopulation], NeatPopulation]


def changed(**changes: Any) -> Change:
    """Puts other values in the first places of arrays."""

    def change(genome: NeatPopulation) -> NeatPopulation:
        arrays = {name: getattr(genome, name).copy() for name in changes}
        for name, value in changes.items():
            arrays[name][0] = value
        return replace(genome, **arrays)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda genome: with_link(genome, 1, 1), "cycle: 1 -> 1"),
        (lambda genome: with_link(with_link(genome, 1, 2), 2, 1, innovation=7**7), "a cycle"),
        (lambda genome: with_link(genome, 1, 1, enabled=False), "a cycle"),
        (lambda genome: with_link(genome, -85, 0), "comes from nowhere: there is no -85"),
        (lambda genome: with_link(genome, -1, 9), "leads to a node that does not exist"),
        (lambda genome: with_link(genome, 1, -1), "leads to an input"),
        (lambda genome: with_link(genome, -1, 0), "connection -1 -> 0 occurs twice"),
        (changed(weight=np.nan), "its weight holds NaN or infinity"),
        (changed(bias=np.inf), "its bias holds NaN or infinity"),
        (changed(activation=len(ACTIVATIONS)), "has the activation 18"),
        (changed(aggregation=-1), "has the aggregation -1"),
        (changed(node_key=3), "are not the outputs"),
        (changed(node_start=1), "do not cover"),
        (lambda genome: replace(genome, bias=genome.bias[:1]), "genes are incomplete"),
        (lambda genome: replace(genome, bias=genome.bias.astype(np.float32)), "type float32"),
        (lambda genome: replace(genome, weight=genome.weight[None, :]), "shape"),
        (lambda genome: genome.take([0, 0]), "no single genome"),
        (lambda genome: genome.take([]), "no single genome"),
    ],
)
def test_a_file_whose_genome_makes_no_network_is_damaged(change: Change, message: str) -> None:
    genome = change(PLAIN)
    player = FLAT.player(PLAIN, "graph")
    assert read_player(player.serialise()).arrays["weight"].tolist() == PLAIN.weight.tolist()
    player.genome = genome
    with pytest.raises(DamagedFileError, match=message) as caught:
        read_player(player.serialise())
    assert "\n" not in str(caught.value)


def test_what_is_a_cycle_is_no_fault_of_a_recurrent_genome() -> None:
    decoder = GraphDecoder(head="value", encoding="two-planes", feed_forward=False)
    player = decoder.player(with_link(with_link(PLAIN, 1, 1), 0, 1, innovation=7**7), "graph")
    again = read_player(player.serialise())
    assert isinstance(again, GraphPlayer)
    assert again.genome.source.tolist()[-2:] == [1, 0]


@pytest.mark.parametrize("feed_forward", [True, False])
@pytest.mark.parametrize("head", ["policy", "value"])
def test_a_genome_with_no_path_to_an_output_plays_the_first_open_column(
    head: str, feed_forward: bool
) -> None:
    """All its outputs are equal; but a value still takes a win, and so ends the game."""
    decoder = GraphDecoder(4, 5, 4, head, feed_forward=feed_forward)
    equal = {"bias_init_stdev": 0.0, "activation_default": "tanh", "aggregation_default": "sum"}
    genome = grow(decoder, steps=0, initial_connection="unconnected", num_hidden=2, **equal)
    genome = with_link(genome, -1, decoder.outputs)  # a hidden node that leads nowhere
    player = read_player(decoder.player(genome, "empty").serialise())
    for seed in range(5):
        position, stream = decoder.game.initial(), new_stream(seed)
        opponent = make_random(decoder.game)
        while decoder.game.outcome(position) is None:
            legal = decoder.game.legal_moves(position)
            if position.ply % 2:
                move = opponent.choose(position, stream)
            else:
                move = player.choose(position, stream)
                ends = decoder.game.outcome(decoder.game.play(position, move)) is not None
                assert move == legal[0] or (head == "value" and ends)
            position = decoder.game.play(position, move)
