"""Exported NEAT graphs: the same moves as in the arena, also of those that remember."""

from __future__ import annotations

import ast
import itertools
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.match import play_match
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import Stream
from evolve_arena.games.connect_four.export_python import export_python
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.graph import GraphDecoder, GraphPlayer
from evolve_arena.genomes.neat.breeding import mutate
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.creation import create
from evolve_arena.genomes.neat.functions import ACTIVATIONS, AGGREGATIONS
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import Player

BOARDS = {"7x6": (7, 6, 4), "5x4": (5, 4, 3), "9x5": (9, 5, 4)}
STREAM = np.zeros(1, dtype=np.uint64)
EVERYTHING = NeatConfig(
    pop_size=2,
    num_hidden=4,
    initial_connection="full_direct",
    conn_delete_prob=0.2,
    node_add_prob=0.15,
    node_delete_prob=0.05,
    activation_default="random",
    activation_options=ACTIVATIONS,
    activation_mutate_rate=0.1,
    aggregation_default="random",
    aggregation_options=AGGREGATIONS,
    aggregation_mutate_rate=0.1,
    response_init_stdev=0.3,
    response_mutate_rate=0.3,
    response_mutate_power=0.3,
    enabled_mutate_rate=0.02,
    weight_init_stdev=0.3,
)


@cache
def grow(decoder: GraphDecoder, seed: int) -> GraphPlayer:
    """A player whose genome was mutated 200 times."""
    config = EVERYTHING.model_copy(update={"feed_forward": decoder.feed_forward})
    sizes = {"inputs": decoder.inputs, "outputs": decoder.outputs}
    population, counters = create(config, **sizes, seed=seed)
    for number in range(200):
        population, counters = mutate(
            config, population, **sizes, seed=1000 * seed + number, counters=counters
        )
    return decoder.player(population.take([0]), f"grown {seed}")


@cache
def random_positions(board: str) -> list[Position]:
    """Every position that is not over from six hundred random games."""
    game, chance = ConnectFour(*BOARDS[board]), random.Random(4)
    positions = []
    for _ in range(600):
        position = game.initial()
        while game.outcome(position) is None:
            positions.append(position)
            position = game.play(position, chance.choice(game.legal_moves(position)))
    return positions


class Bot(Player):
    """An exported file, loaded as Kaggle loads it: in an empty dictionary."""

    def __init__(self, player: GraphPlayer) -> None:
        self.name = player.name
        self.names: dict[str, Any] = {}
        exec(compile(export_python(player), "bot.py", "exec"), self.names)

    def choose(self, position: Position, stream: Stream = STREAM) -> int:
        """What the file says."""
        column = self.names["choose"](flat(position), 1 + position.ply % 2)
        assert type(column) is int
        return column


def flat(position: Position) -> list[int]:
    return [int(cell) for cell in position.cells().ravel()]


def functions_of(player: GraphPlayer) -> set[str]:
    """The activations and aggregations on which its outputs depend."""
    names: dict[str, Any] = {}
    exec(export_python(player), names)
    return {name for node in names["NODES"] for name in node[1:3]}


DECODERS = list(
    itertools.product(
        ("policy", "value"),
        ("0/1/2", "0/1/-1", "two-planes"),
        ("mover", "absolute"),
        (True, False),
    )
)


@pytest.mark.parametrize(("head", "encoding", "viewpoint", "feed_forward"), DECODERS)
def test_exported_bot_chooses_the_same_moves(
    head: str, encoding: str, viewpoint: str, feed_forward: bool
) -> None:
    chance = random.Random(7)
    for seed, (board, sizes) in enumerate(BOARDS.items()):
        player = grow(GraphDecoder(*sizes, head, encoding, viewpoint, feed_forward), seed)
        bot = Bot(player)
        positions = chance.sample(random_positions(board), 100)
        wanted = [player.choose(position, STREAM) for position in positions]
        assert [bot.choose(position) for position in positions] == wanted
        assert len(set(wanted)) > 1  # 24 decoders: 7,200 positions in all


def test_those_bots_had_every_activation_and_aggregation() -> None:
    found: set[str] = set()
    for head, encoding, viewpoint, feed_forward in DECODERS:
        decoder = GraphDecoder(7, 6, 4, head, encoding, viewpoint, feed_forward)
        found |= functions_of(grow(decoder, 0))
    assert found == {*ACTIVATIONS, *AGGREGATIONS}


def test_ten_thousand_positions() -> None:
    player = grow(GraphDecoder(head="value", encoding="two-planes"), 5)
    bot = Bot(player)
    positions = random.Random(1).sample(random_positions("7x6"), 10_000)
    wanted = [player.choose(position, STREAM) for position in positions]
    assert [bot.choose(position) for position in positions] == wanted
    assert set(wanted) == set(range(7))


NUMBERS = [
    *(0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 2.75, -3.4, 3.5, 12.0, -12.5, 59.0, 700.0, -750.0),
    *(1e-7, 5e-324, -1e-310, 1e103, -1e103, 1e155, -1e155, 1e300, -1e308, inf, -inf, nan),
]


def single_nodes(activations: Sequence[str], aggregations: Sequence[str], inputs: int) -> Any:
    """A genome with an output for each of the functions, of all inputs, and of no input."""
    nodes = len(activations)
    return NeatPopulation(
        keys=np.array([1], dtype=np.int64),
        node_start=np.array([0, nodes], dtype=np.int64),
        node_key=np.arange(nodes, dtype=np.int32),
        bias=np.zeros(nodes),
        response=np.ones(nodes),
        activation=np.array([ACTIVATIONS.index(name) for name in activations], dtype=np.int32),
        aggregation=np.array([AGGREGATIONS.index(name) for name in aggregations], dtype=np.int32),
        connection_start=np.array([0, nodes * inputs], dtype=np.int64),
        source=np.tile(-1 - np.arange(inputs, dtype=np.int32), nodes),
        target=np.repeat(np.arange(nodes, dtype=np.int32), inputs),
        weight=np.ones(nodes * inputs),
        enabled=np.ones(nodes * inputs, dtype=np.bool_),
        innovation=np.arange(nodes * inputs, dtype=np.int64),
    )


def assert_same(actual: list[list[float]], expected: Any) -> None:
    """Bit for bit, but that there is only one NaN."""
    found = np.array(actual)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found)[found == 0.0], np.signbit(expected)[found == 0])


def test_exported_activations_give_the_same_bits() -> None:
    bot = Bot(grow(GraphDecoder(), 1))
    assert list(bot.names["ACTIVATIONS"]) == list(ACTIVATIONS)
    numbers = NUMBERS + np.random.default_rng(1).normal(0.0, 3.0, 500).tolist()
    genome = single_nodes(ACTIVATIONS, ["max"] * len(ACTIVATIONS), 1)
    graphs = compile_graphs(genome, 1, len(ACTIVATIONS), True)
    functions = bot.names["ACTIVATIONS"].values()
    found = [[function(0.0 + 1.0 * number) for function in functions] for number in numbers]
    assert_same(found, evaluate(graphs, 0, np.array(numbers)[:, None]))


@pytest.mark.parametrize("inputs", [1, 2, 3, 4, 9])
def test_exported_aggregations_give_the_same_bits(inputs: int) -> None:
    bot = Bot(grow(GraphDecoder(), 1))
    assert list(bot.names["AGGREGATIONS"]) == list(AGGREGATIONS)
    chance = random.Random(3)
    ordinary = [chance.gauss(0.0, 1.0) for _ in range(30)]
    rows = [chance.choices(NUMBERS + ordinary, k=inputs) for _ in range(300)]
    rows += [chance.choices(ordinary, k=inputs) for _ in range(300)]
    count = len(AGGREGATIONS)
    graphs = compile_graphs(
        single_nodes(["identity"] * count, AGGREGATIONS, inputs), inputs, count, True
    )
    functions = bot.names["AGGREGATIONS"].values()
    found = [[0.0 + 1.0 * function(row) for function in functions] for row in rows]
    with np.errstate(invalid="ignore"):
        assert_same(found, evaluate(graphs, 0, np.array(rows)))


def test_aggregations_of_nothing() -> None:
    bot = Bot(grow(GraphDecoder(), 1))
    found = {name: function([]) for name, function in bot.names["AGGREGATIONS"].items()}
    assert found == dict.fromkeys(AGGREGATIONS, 0.0) | {"product": 1.0}


@pytest.mark.parametrize("head", ["policy", "value"])
@pytest.mark.parametrize("feed_forward", [True, False])
def test_outputs_that_are_infinite_or_no_numbers(head: str, feed_forward: bool) -> None:
    """Products and cubes of huge weights: what is no number is worse than anything."""
    bots, strange = [], 0
    for seed in range(6):
        player = grow(GraphDecoder(head=head, feed_forward=feed_forward), 20 + seed)
        genome = player.genome.take([0])
        huge = np.random.default_rng(seed).random(len(genome.weight)) < 0.4
        genome.weight[huge] *= 1e307
        bots.append(player.decoder.player(genome, "strange"))
    for player in bots:
        bot = Bot(player)
        for position in random_positions("7x6")[:100]:
            assert bot.choose(position) == player.choose(position, STREAM)
            strange += not np.isfinite(bot.names["PLANES"][1 + position.ply % 2]).all()
    assert strange > 20


def make_player(
    decoder: GraphDecoder, nodes: dict[int, tuple[str, float]], links: dict[tuple[int, int], float]
) -> GraphPlayer:
    """A player from its nodes (activation and bias; they all add up) and its connections."""
    keys, ends = np.array(list(nodes), dtype=np.int32), np.array(list(links), dtype=np.int32)
    genome = NeatPopulation(
        keys=np.array([1], dtype=np.int64),
        node_start=np.array([0, len(nodes)], dtype=np.int64),
        node_key=keys,
        bias=np.array([bias for _, bias in nodes.values()]),
        response=np.ones(len(nodes)),
        activation=np.array([ACTIVATIONS.index(n) for n, _ in nodes.values()], dtype=np.int32),
        aggregation=np.full(len(nodes), AGGREGATIONS.index("sum"), dtype=np.int32),
        connection_start=np.array([0, len(links)], dtype=np.int64),
        source=ends[:, 0].copy(),
        target=ends[:, 1].copy(),
        weight=np.array(list(links.values())),
        enabled=np.ones(len(links), dtype=np.bool_),
        innovation=np.arange(1, len(links) + 1, dtype=np.int64),
    )
    assert genome.find_fault() is None
    return decoder.player(genome, "made")


@pytest.mark.parametrize("make", [lambda player: player, Bot], ids=["arena", "exported"])
def test_what_is_no_number_is_worse_than_any(make: Callable[[GraphPlayer], Player]) -> None:
    """Node 9 is infinite, and infinity minus infinity is no number."""
    policy = {0: ("identity", 0.0), 1: ("identity", -2.0), 2: ("identity", -1.0)}
    links = {(9, 0): 1.0, (10, 0): -1.0}
    infinite = {9: ("cube", 1e200), 10: ("cube", 1e200)}
    player = make(make_player(GraphDecoder(3, 4, 3), policy | infinite, links))
    game = ConnectFour(3, 4, 3)
    assert player.choose(game.initial(), STREAM) == 2
    assert player.choose(game.parse_position("2211221"), STREAM) == 1
    # As a value: what a disc at the bottom of the first column leads to is no number.
    bottom = -1 - 9
    links |= {(bottom, 9): 1e200, (bottom, 10): 1e200}
    value = {0: ("identity", -3.0), 9: ("cube", 0.0), 10: ("cube", 0.0)}
    player = make(make_player(GraphDecoder(3, 4, 3, "value"), value, links))
    assert player.choose(game.initial(), STREAM) == 1
    assert player.choose(game.parse_position("1"), STREAM) == 1


def test_a_network_without_connections_plays_alike() -> None:
    for head in ("policy", "value"):
        for feed_forward in (True, False):
            decoder = GraphDecoder(head=head, feed_forward=feed_forward)
            config = EVERYTHING.model_copy(update={"initial_connection": "unconnected"})
            genome, _ = create(config, decoder.inputs, decoder.outputs, 1)
            player = decoder.player(genome.take([0]), "empty")
            bot = Bot(player)
            for position in random_positions("7x6")[:60]:
                assert bot.choose(position) == player.choose(position, STREAM)


COUNTER = """
The hidden node counts activations: identity(1 + itself). Output c is hat(count - c), which is 1
where both are equal and else 0. So the network plays column 0, 1, 2, ... one after the other.
"""


def make_counter() -> GraphPlayer:
    """See :data:`COUNTER`; on a board of 5 by 4."""
    nodes = {key: ("hat", -float(key)) for key in range(5)} | {5: ("identity", 1.0)}
    decoder = GraphDecoder(5, 4, 4, "policy", feed_forward=False)
    return make_player(decoder, nodes, {(5, key): 1.0 for key in range(6)})


@pytest.mark.parametrize("make", [lambda player: player, Bot], ids=["arena", "exported"])
def test_what_goes_on_with_a_game_and_what_begins_another(
    make: Callable[[GraphPlayer], Player],
) -> None:
    """Positions are named by the moves that lead to them."""
    player = make(make_counter())
    game = ConnectFour(5, 4, 4)

    def ask(moves: str) -> int:
        return player.choose(game.parse_position(moves), STREAM)

    assert [ask(""), ask("04"), ask("0413"), ask("041322")] == [0, 1, 2, 3]
    assert ask("041322") == 0, "the same again"
    assert ask("04132233") == 1, "what follows that"
    assert ask("") == 0, "another game"
    assert ask("0") == 0, "the other player's first move"
    assert [ask("12"), ask("041"), ask("1234"), ask("04123")] == [1, 1, 2, 2], "taking turns"
    assert ask("123400") == 3
    assert ask("12340011") == 4
    assert ask("12340012") == 0, "as many discs, others"
    assert ask("123400121122") == 0, "two moves at once"
    assert ask("12340012112") == 0, "the other player again, and not two discs more"
    assert ask("40") == 0, "a former disc is gone"
    assert ask("4031") == 1


def test_a_new_game_is_announced_in_the_arena() -> None:
    """A game may begin where the one before might have gone on."""
    player, game = make_counter(), ConnectFour(5, 4, 4)
    assert player.choose(game.initial(), STREAM) == 0
    player.begin(1)
    assert player.choose(game.parse_position("04"), STREAM) == 1
    player.begin(0)
    assert player.choose(game.parse_position("0413"), STREAM) == 0


@pytest.mark.parametrize(("head", "seed"), [("policy", 9), ("value", 5)])
def test_any_sequence_of_positions_is_remembered_alike(head: str, seed: int) -> None:
    """Games that go on, sometimes after another move than was chosen, jump or begin anew."""
    player = grow(GraphDecoder(5, 4, 3, head, feed_forward=False), seed)
    bot, game, chance = Bot(player), player.game, random.Random(2)
    position, chosen, went_on = game.initial(), [], 0
    for _ in range(2000):
        fate = chance.random()
        if game.outcome(position) is not None or fate < 0.05:
            position = game.initial()
        elif fate < 0.1:
            position = chance.choice(random_positions("5x4"))
        column = player.choose(position, STREAM)
        assert bot.choose(position) == column
        fresh = grow_again(player)
        went_on += fresh.choose(position, STREAM) != column
        chosen.append(column)
        if fate > 0.2:
            column = chance.choice(game.legal_moves(position)) if fate > 0.9 else column
            position = game.play(position, column)
            if game.outcome(position) is None and fate < 0.95:
                position = game.play(position, chance.choice(game.legal_moves(position)))
    assert went_on > 100
    assert len(set(chosen)) == 5


def grow_again(player: GraphPlayer) -> GraphPlayer:
    """The same player, who has seen nothing yet."""
    return player.decoder.player(player.genome, player.name)


class Forgetful(Bot):
    """A bot that takes every position for the first one of a game."""

    def choose(self, position: Position, stream: Stream = STREAM) -> int:
        """What the file says if it is asked nothing else."""
        self.names["BOARDS"].clear()
        return super().choose(position)


@pytest.mark.parametrize("head", ["policy", "value"])
@pytest.mark.parametrize("feed_forward", [True, False])
def test_exported_bots_play_the_games_of_the_compiled_arena(head: str, feed_forward: bool) -> None:
    """Two graphs, in compiled matches and as files: the same games move for move."""
    decoder = GraphDecoder(5, 4, 3, head, feed_forward=feed_forward)
    first, second = grow(decoder, 9 if head == "policy" else 5), grow(decoder, 12)
    game, matches = first.game, 40
    pairings = np.array([[0, 1], [1, 0]] * (matches // 2), dtype=np.int32)
    seeds = derive_seeds(1, 0, "matches", matches)
    openings = random_openings(game, 3, matches, 1)
    packed = combine_players([first.packed, second.packed])
    results = run_kernel(make_batch(game, packed, pairings, seeds, openings))
    forgotten = 0
    teams = [Bot(first), Bot(second)], [Forgetful(first), Forgetful(second)]
    for match, pair in enumerate(pairings.tolist()):
        opening = openings[match].tolist()
        same, other = (
            play_match(game, [team[row] for row in pair], opening=opening).game for team in teams
        )
        assert same == results.games[match]
        forgotten += other != same
    assert (forgotten > 5) == (not feed_forward)


def test_file_describes_its_network_and_needs_nothing_but_python_3_8() -> None:
    player = grow(GraphDecoder(head="value", encoding="0/1/-1", feed_forward=False), 2)
    source = export_python(player)
    assert source.isascii()
    assert max(len(line) for line in source.splitlines()) <= 100
    tree = ast.parse(source, feature_version=(3, 8))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    ]
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names
    assert "__file__" not in source
    text = " ".join((ast.get_docstring(tree) or "").split())
    nodes = Bot(player).names["NODES"]
    links = sum(len(node[-1]) for node in nodes)
    assert (
        f"recurrent NEAT graph, inputs 42, hidden nodes {len(nodes) - 1}, outputs 1,"
        f" connections {links}" in text
    )
    assert len(nodes) > 5
    for name in functions_of(player):
        times = sum(name in node[1:3] for node in nodes)
        assert f"{name} {times}" in text
    assert "remembers its own moves of a game" in text
    still = export_python(grow(GraphDecoder(), 2))
    assert "keeps nothing from one move to the next" in " ".join(still.split())
    assert "feed-forward NEAT graph" in still
    agent = [value for value in Bot(player).names.values() if callable(value)][-1]
    assert agent.__name__ == "agent"


Ask = Callable[[Position], int]


@contextmanager
def started(player: GraphPlayer, folder: Path) -> Iterator[Ask]:
    """The exported bot as a process without anything installed, asked in Riddles.io's way."""
    file = folder / "bot.py"
    file.write_text(export_python(player), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        stdin, stdout = process.stdin, process.stdout
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()

        def ask(position: Position) -> int:
            field = ",".join(".01"[cell] for cell in flat(position))
            stdin.write("settings field_width 7\n")
            stdin.write(f"settings your_botid {position.ply % 2}\n")
            stdin.write(f"update game field {field}\naction move 5000\n")
            stdin.flush()
            word, column = stdout.readline().split()
            assert word == "place_disc"
            return int(column)

        try:
            yield ask
            stdin.close()
            assert process.wait() == 0
        finally:
            watchdog.cancel()
            process.kill()
        assert stdout.read() == process.stderr.read() == ""


@pytest.mark.parametrize("head", ["policy", "value"])
def test_two_hundred_games_in_one_process_without_an_illegal_move(
    head: str, tmp_path: Path
) -> None:
    player = grow(GraphDecoder(head=head, encoding="two-planes", feed_forward=False), 9)
    game, chance = player.game, random.Random(2)
    finished = 0
    with started(player, tmp_path) as ask:
        for number in range(200):
            position = game.initial()
            player.begin(number % 2)
            while game.outcome(position) is None:
                column = chance.choice(game.legal_moves(position))
                if position.ply % 2 == number % 2:
                    column = ask(position)
                    assert column == player.choose(position, STREAM)
                position = game.play(position, column)  # raises if it is illegal
            finished += 1
    assert finished == 200
