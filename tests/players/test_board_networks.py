"""Networks and graphs as players of board games: what they see, choose and refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import product

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.tensors import DamagedFileError, read_tensors, write_tensors
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.evolved import FORMAT, EvolvedPlayer, read_player
from evolve_arena.players.packed import combine_players
from tests.evolved import grow, make_evolved, random_positions

GAME = make_game("connect-four")
Network = find_game("connect-four").networks["mlp"].decoder_type
Graph = find_game("connect-four").networks["graph"].decoder_type
POLICY = {"head": "policy", "encoding": "numbered", "hidden": (10,)}
VALUE = Network(hidden=(16,))
WILD = NeatConfig(
    pop_size=2,
    activation_default="random",
    activation_options=ACTIVATIONS,
    aggregation_default="random",
    aggregation_options=AGGREGATIONS,
    node_add_prob=0.5,
    initial_connection="partial_direct 0.5",
)


def make(decoder: NetworkDecoder, seed: int = 1) -> EvolvedPlayer:
    return decoder.player(decoder.initialise(1, "normal", np.random.default_rng(seed))[0], "net")


def choose(player: EvolvedPlayer, moves: str) -> int:
    return int(player.choose(player.game.parse_position(moves), new_stream(0)))


# Decoders


@pytest.mark.parametrize(
    ("options", "inputs", "outputs", "genes"),
    [
        (POLICY, 42, 7, 507),
        ({**POLICY, "hidden": (10, 10)}, 42, 7, 617),
        ({"hidden": (16,)}, 84, 1, 84 * 16 + 16 + 16 + 1),
        ({**POLICY, "columns": 9, "connect": 5}, 54, 9, 54 * 10 + 10 + 90 + 9),
        ({"head": "policy", "hidden": (), "columns": 32, "rows": 2}, 128, 32, 129 * 32),
        ({"head": "action", "encoding": "signed", "hidden": (50,)}, 43, 1, 43 * 50 + 101),
    ],
)
def test_sizes_follow_from_board_head_and_encoding(
    options: Settings, inputs: int, outputs: int, genes: int
) -> None:
    decoder = Network(**options)
    assert (decoder.inputs, decoder.outputs, decoder.genes) == (inputs, outputs, genes)
    graph = Graph(**{name: value for name, value in options.items() if name != "hidden"})
    assert (graph.inputs, graph.outputs) == (inputs, outputs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"head": "polcy"}, "unknown head 'polcy': did you mean 'policy'"),
        ({"encoding": "plane"}, "unknown encoding 'plane': did you mean 'planes'"),
        ({"activation": "tan"}, "unknown activation 'tan': did you mean 'tanh'"),
        ({"columns": 8, "rows": 9}, "columns \\* rows must be 64 at most"),
        ({"connect": 1}, "connect is 1: it must be"),
        ({"depth": 100}, "depth is 100: it must be from 1 to"),
        ({"features": 2.5}, "features is 2.5: it must be a whole number"),
        ({"features": 3}, "features is 3: that is for the encoding 'features'"),
        ({"hidden": (0,)}, "0"),
        ({"take_wins": 0}, "take_wins is 0: it must be true or false"),
        ({"head": "policy", "symmetric": True}, "symmetric is for networks that value"),
    ],
)
def test_decoders_without_sense_are_refused(options: Settings, message: str) -> None:
    with pytest.raises((BadValueError, UnknownNameError), match=message):
        Network(**options)


def test_genomes_of_another_length_are_refused() -> None:
    with pytest.raises(BadValueError, match=r"shape \(2, 506\), expected \(individuals, 507\)"):
        Network(**POLICY).pack(np.zeros((2, 506), dtype=np.float32))


def test_positions_of_other_boards_are_refused() -> None:
    other = make_game("connect-four", columns=6, rows=5).initial()
    with pytest.raises(BadValueError, match="'net' plays on connect-four with columns 7, rows 6"):
        make(VALUE).choose(other, new_stream(0))


# What they choose


def test_only_legal_moves_are_chosen_and_the_first_of_equals() -> None:
    for decoder in (Network(**POLICY), VALUE, Network(head="action"), Network(hidden=())):
        assert all(choose(make(decoder, seed), "333333") != 3 for seed in range(20))
        zeros = decoder.player(np.zeros(decoder.genes, dtype=np.float32), "zero")
        assert [choose(zeros, moves) for moves in ("", "000000", "000000111111")] == [0, 1, 2]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38])
def test_outputs_that_are_no_numbers_still_give_a_legal_move(value: float) -> None:
    legal = GAME.legal_moves(GAME.parse_position("000000333"))
    for head, hidden in product(("value", "policy", "action"), ((), (10,), (5, 5))):
        decoder = Network(head=head, hidden=hidden)
        genome = np.full(decoder.genes, value, dtype=np.float32)
        assert choose(decoder.player(genome, "broken"), "000000333") in legal
    for head in ("value", "policy"):
        graph = Graph(head=head)
        genome = grow(graph, 1)
        genome.bias[:] = genome.weight[:] = value
        assert choose(graph.player(genome, "broken"), "000000333") in legal


def test_a_win_at_once_is_taken_before_any_value_unless_told_otherwise() -> None:
    for moves, winning in (("0101016", 1), ("001122", 3), ("0303034", 3)):
        assert all(choose(make(VALUE, seed), moves) == winning for seed in range(20))
    position = GAME.parse_position("0101016")  # 3 discs in column 1, and it is that side's turn
    missed = 0
    for seed in range(20):
        greedy = make(replace(VALUE, take_wins=False), seed)
        values = rate_moves(greedy, position)
        assert {**values, 1: np.inf} == rate_moves(make(VALUE, seed), position)
        assert choose(greedy, "0101016") == max(values, key=values.__getitem__)
        missed += choose(greedy, "0101016") != 1
    assert missed > 10


def test_a_file_from_before_there_was_that_key_takes_wins() -> None:
    content = read_tensors("player", FORMAT, make(VALUE).serialise())
    description = {key: value for key, value in content.description.items() if key != "decoder"}
    description["design"] = {k: v for k, v in asdict(VALUE).items() if k != "take_wins"}
    old = write_tensors("player", FORMAT, content.arrays, description)
    assert read_player(old).decoder == VALUE


# Graphs


@pytest.mark.parametrize("options", [{}, {"columns": 5, "rows": 4}, {"columns": 8, "rows": 8}])
@pytest.mark.parametrize("encoding", ["numbered", "signed", "planes"])
@pytest.mark.parametrize("head", ["value", "policy"])
def test_graphs_of_all_kinds_choose_by_their_outputs(
    head: str, encoding: str, options: dict[str, int]
) -> None:
    decoder = Graph(head=head, encoding=encoding, **options)
    game, taken = decoder.game, set()
    for seed in range(3):
        genome = grow(decoder, seed, WILD)
        player = decoder.player(genome, "graph")
        graphs = compile_graphs(genome, decoder.inputs, decoder.outputs, True)
        for position in random_positions(game, 40, seed):
            legal = game.legal_moves(position)
            if head == "policy":
                (told,) = evaluate(graphs, 0, decoder.encode(position)[None])
                expected = {move: float(told[move]) for move in legal}
            else:
                expected = {}
                for move in legal:
                    after = game.play(position, move)
                    seen = game.observe(after, game.to_move(position))[:, game.drawn].astype(float)
                    if encoding != "planes":
                        seen = seen[:1] + {"numbered": 2, "signed": -1}[encoding] * seen[1:]
                    (told,) = evaluate(graphs, 0, seen.reshape(1, -1))
                    outcome = game.outcome(after)
                    won = outcome is not None and outcome.winner is not None
                    expected[move] = np.inf if won else float(told[0])
                assert rate_moves(player, position) == expected
            best = max(legal, key=lambda move: (expected[move], -move))
            taken.add(player.choose(position, new_stream(0)))
            assert player.choose(position, new_stream(0)) == best
    assert len(taken) > 1


def test_packing_changes_nothing_and_depends_on_no_other_genome() -> None:
    decoder = Graph()
    genomes = [grow(decoder, seed, WILD) for seed in range(3)]
    before = [[array.tobytes() for array in vars(genome).values()] for genome in genomes]
    packed = [decoder.pack(genome) for genome in genomes]
    together = combine_players(packed)
    alone = [decoder.player(genome, "graph").packed for genome in genomes]
    for one, other in zip(packed, alone, strict=True):
        assert [array.tobytes() for array in one] == [array.tobytes() for array in other]
    assert len(together.seats) == 3
    assert [[a.tobytes() for a in vars(genome).values()] for genome in genomes] == before
    assert len(decoder.pack(genomes[0].take([])).seats) == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda genome: replace(genome, source=genome.source - 85), "comes from nowhere"),
        (lambda genome: replace(genome, weight=genome.weight * np.nan), "weight holds NaN"),
        (lambda genome: replace(genome, node_key=genome.node_key + 3), "are not the outputs"),
        (lambda genome: replace(genome, node_start=genome.node_start + 1), "do not cover"),
        (lambda genome: replace(genome, bias=genome.bias[:1]), "genes are incomplete"),
        (lambda genome: replace(genome, bias=genome.bias.astype(np.float32)), "type float32"),
        (lambda genome: replace(genome, weight=genome.weight[None, :]), "shape"),
        (lambda genome: genome.take([0, 0]), "no single genome"),
        (lambda genome: genome.take([]), "no single genome"),
    ],
)
def test_a_file_whose_genome_makes_no_network_is_damaged(
    change: Callable[[NeatPopulation], NeatPopulation], message: str
) -> None:
    genome = create(NeatConfig(pop_size=2, num_hidden=2), 84, 1, 1)[0].take([0])
    player = Graph().player(genome, "graph")
    assert read_player(player.serialise()).arrays["weight"].tolist() == genome.weight.tolist()
    player.genome = change(genome)
    with pytest.raises(DamagedFileError, match=message) as caught:
        read_player(player.serialise())
    assert "\n" not in str(caught.value)


def test_recurrent_graphs_are_refused() -> None:
    made = make_evolved("connect-four", "graph")
    content = read_tensors("player", FORMAT, made.serialise())
    decoder = {**content.description["decoder"], "feed_forward": False}
    changed = {**content.description, "decoder": decoder}
    old = write_tensors("player", FORMAT, content.arrays, changed)
    with pytest.raises(DamagedFileError, match="feed_forward"):
        read_player(old)
