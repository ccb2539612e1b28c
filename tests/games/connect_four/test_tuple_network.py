"""Tuple networks as players: their moves against plain Python, values, files."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.tuples_numpy import NumpyTuples, find_places
from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.match import play_match
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import Stream, below, new_stream, next_word
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.games.connect_four.spec import make_test_bot
from evolve_arena.games.connect_four.tuple_network import TupleDecoder, TuplePlayer
from evolve_arena.games.connect_four.workspace import TABLES, count_tables
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.tensors import DamagedFileError, read_tensors, write_tensors
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.bred import FORMAT, read_player
from evolve_arena.players.packed import combine_players, with_noise
from evolve_arena.players.player import Player, make_random

SMALL = TupleDecoder(4, 3, 3, tuples=6, length=4)


def make_genome(decoder: TupleDecoder, seed: int, coarse: bool = False) -> TuplePopulation:
    """Random tables; *coarse* ones hold few different numbers, so that moves are often equal."""
    generator = np.random.default_rng(seed)
    cells = decoder.draw(generator)
    numbers = generator.normal(0.0, 0.1, decoder.table(cells).numbers).astype(np.float32)
    if coarse:
        numbers = np.sign(np.rint(4 * numbers)).astype(np.float32)
    return TuplePopulation(cells[None], numbers[None])


class Reference(Player):
    """The definition of a tuple network that plays: every cell is looked at for every move."""

    def __init__(self, decoder: TupleDecoder, genome: TuplePopulation, noise: float = 0.0) -> None:
        self.name = "reference"
        self.decoder = decoder
        self.noise = round(noise * 2**32)
        self.side = 0
        self.decisions = 0
        rules, cells = decoder.game.rules, genome.cells[0]
        whole = np.rint(genome.tables[0].astype(np.float64) * RESOLUTION).astype(np.int64)
        tables = np.zeros((2, len(cells), 4 ** cells.shape[1]), dtype=np.int64)
        tables.reshape(2, -1)[:, find_places(rules, cells)] = whole.reshape(2, -1)
        self.tables = NumpyTuples(rules, cells, tables, None, 0)

    def begin(self, side: int) -> None:
        """Takes a seat."""
        self.side = side

    def choose(self, position: Position, stream: Stream) -> int:
        """The first move that wins, else the first of the best value."""
        game = self.decoder.game
        legal = game.legal_moves(position)
        if self.noise and int(next_word(stream)) >> 32 < self.noise:
            while (column := int(below(stream, game.rules.columns))) not in legal:
                pass
            return column
        self.decisions += 1
        for column in legal:
            outcome = game.outcome(game.play(position, column))
            if outcome is not None and outcome.winner == self.side:
                return column
        values = self.values(position)
        return max(legal, key=lambda column: (values[column], -column))

    def values(self, position: Position) -> dict[int, int]:
        """What each move is worth to who is to move, in units of 1/65536."""
        game = self.decoder.game
        side = position.ply % 2
        values = {}
        for column in game.legal_moves(position):
            board = states_of(game.play(position, column))
            entries = self.tables.read(board[None])[0]
            values[column] = (1 - 2 * side) * int(self.tables.tables[side][entries].sum())
        return values


def states_of(position: Position) -> NDArray[np.int64]:
    """The states of all cells, column by column from below."""
    board = position.cells()[::-1].T.astype(np.int64)
    for column in board:
        height = int(np.count_nonzero(column))
        column[height : height + 1] = 3
    return board.ravel()


def decoders_on(board: tuple[int, int, int]) -> list[TupleDecoder]:
    length = min(6, board[0] * board[1])
    return [
        TupleDecoder(*board, tuples=20, length=length),
        TupleDecoder(*board, tuples=5, length=2),
        TupleDecoder(*board, shape="lines"),
    ]


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("board", [(7, 6, 4), (4, 3, 3), (12, 4, 4), (3, 7, 4)], ids=str)
def test_games_are_those_of_plain_python(board: tuple[int, int, int], noise: float) -> None:
    """At several tables at once, with others between the tuple networks."""
    game = ConnectFour(*board)
    decoders = decoders_on(board) * 2
    genomes = [make_genome(decoder, seed, seed % 2 == 1) for seed, decoder in enumerate(decoders)]
    perceptron = NetworkDecoder(*board, hidden=(12,))
    weights = perceptron.initialise(1, "normal", np.random.default_rng(1))
    bots = [make_test_bot(game), perceptron.player(weights[0], "mlp"), make_random(game)]
    packed_players = [
        decoder.pack(genome) for decoder, genome in zip(decoders, genomes, strict=True)
    ]
    references = [
        Reference(decoder, genome, noise) for decoder, genome in zip(decoders, genomes, strict=True)
    ]
    players: list[Player] = list(references)
    for at, bot in ((0, bots[0]), (4, bots[1]), (8, bots[2])):
        packed_players.insert(at, bot.packed)
        bot.packed = with_noise(bot.packed, noise)
        players.insert(at, bot)
    packed = with_noise(combine_players(packed_players), noise)
    assert count_tables(packed) == TABLES
    generator = np.random.default_rng(2)
    pairings = generator.integers(len(players), size=(90, 2)).astype(np.int32)
    pairings = pairings[pairings[:, 0] != pairings[:, 1]]
    openings = random_openings(game, 3, len(pairings), 4)
    openings[::3] = -1
    seeds = derive_seeds(3, 0, "matches", len(pairings))
    results = run_kernel(make_batch(game, packed, pairings, seeds, openings))
    for match, (first, second) in enumerate(pairings):
        opening = [move for move in openings[match].tolist() if move >= 0]
        pair = [players[first], players[second]]
        played = play_match(game, pair, seed=int(seeds[match]), opening=opening)
        assert results.games[match] == played.game, (match, first, second, played.moves)
    assert results.distinct_games > len(pairings) // 2
    assert sum(reference.decisions for reference in references) > 100


def random_positions(game: ConnectFour, games: int) -> list[Position]:
    chance = random.Random(4)
    positions = []
    for _ in range(games):
        position = game.initial()
        while game.outcome(position) is None:
            positions.append(position)
            position = game.play(position, chance.choice(game.legal_moves(position)))
    return positions


@pytest.mark.parametrize("coarse", [False, True], ids=["fine", "coarse"])
@pytest.mark.parametrize("board", [(7, 6, 4), (5, 4, 3)], ids=str)
def test_a_player_chooses_and_values_as_plain_python_does(
    board: tuple[int, int, int], coarse: bool
) -> None:
    compared = equal = 0
    for seed, decoder in enumerate(decoders_on(board)):
        genome = make_genome(decoder, seed + 20, coarse)
        player, reference = decoder.player(genome, "it"), Reference(decoder, genome)
        for position in random_positions(decoder.game, 15):
            reference.begin(position.ply % 2)
            expected = reference.values(position)
            values = player.value_columns(position)
            full = set(range(board[0])) - set(expected)
            assert set(np.flatnonzero(np.isnan(values))) == full
            assert {c: values[c] * RESOLUTION for c in expected} == expected
            stream = new_stream(1)
            assert player.choose(position, stream) == reference.choose(position, stream)
            compared += 1
            equal += list(expected.values()).count(max(expected.values())) > 1
    assert compared > 300  # 4 tests, and in those above about as many again at tables
    assert equal > (compared // 10 if coarse else -1)


def test_strange_numbers_count_as_what_is_safe() -> None:
    genome = make_genome(SMALL, 1)
    entries = SMALL.table(genome.cells[0]).numbers // 2
    readings = 2 * SMALL.tuples
    for number, whole in (
        (np.nan, 0),
        (np.inf, (32767 // readings) * 65536),
        (-1e30, -(32767 // readings) * 65536),
        (0.25, 16384),
    ):
        genome.tables[:] = number
        packed = SMALL.pack(genome)
        assert (packed.columns[-2 * entries :] == whole).all()
        values = SMALL.player(genome, "strange").value_columns(SMALL.game.initial())
        assert values == pytest.approx([readings * whole / 65536] * 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tuples": 0}, "tuples is 0: it must be from 1 to 1000"),
        ({"length": 17}, "length is 17: it must be from 1 to 16"),
        ({"columns": 2, "rows": 5, "length": 11}, "a board of 2 by 5 has room for 1 to 10"),
        ({"columns": 4, "rows": 13}, "13 rows: tuple networks read boards of up to 12"),
    ],
)
def test_decoders_that_can_not_be(options: dict[str, int], message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        TupleDecoder(**options)
    with pytest.raises(UnknownNameError, match="did you mean 'lines'"):
        TupleDecoder(shape="line")


# Files


def test_a_stored_player_is_the_same_again() -> None:
    for decoder in (SMALL, TupleDecoder(shape="lines"), TupleDecoder(9, 5, 4, tuples=3, length=5)):
        player = decoder.player(make_genome(decoder, 7), "żółw")
        again = read_player(player.serialise(generation=5))
        assert isinstance(again, TuplePlayer)
        assert (again.decoder, again.name, again.remarks) == (decoder, "żółw", {"generation": 5})
        for name, array in player.arrays.items():
            assert again.arrays[name].dtype == array.dtype
            assert np.array_equal(again.arrays[name], array)
        assert all(map(np.array_equal, again.packed, player.packed))


def test_room_that_is_not_needed_is_not_stored() -> None:
    genome = make_genome(SMALL, 7)
    more = np.concatenate([genome.tables, np.zeros((1, 50), dtype=np.float32)], axis=1)
    player = SMALL.player(TuplePopulation(genome.cells, more), "it")
    assert np.array_equal(player.arrays["tables"], genome.tables[0])


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("cells", lambda cells: cells - 12, "its tuples are no cells of a board of 12"),
        ("cells", lambda cells: np.where(cells == 5, 12, cells), "no cells of a board of 12"),
        ("cells", lambda cells: np.where(cells == 5, -1, cells), "no cells of a board of 12"),
        ("cells", lambda cells: cells.ravel(), "its tuples are int16 of shape"),
        ("cells", lambda cells: cells.astype(np.float32), "its tuples are float32 of shape"),
        ("cells", lambda cells: cells[:0], "its tuples are int16 of shape"),
        ("cells", lambda cells: cells[:, :3], "its tables are float32 of shape"),
        ("tables", lambda tables: tables[:-1], "its tables are float32 of shape"),
        ("tables", lambda tables: tables[None], "its tables are float32 of shape"),
        ("tables", lambda tables: np.where(tables > 0, np.nan, tables), "holds NaN or infinity"),
        ("tables", lambda tables: np.where(tables > 0, np.inf, tables), "holds NaN or infinity"),
    ],
)
def test_damaged_players_are_refused(name: str, damage: Any, message: str) -> None:
    content = read_tensors("player", FORMAT, SMALL.player(make_genome(SMALL, 7), "it").serialise())
    arrays = dict(content.arrays)
    damaged = damage(arrays[name])
    arrays[name] = damaged if damaged.dtype == np.float64 else np.ascontiguousarray(damaged)
    if arrays[name].dtype == np.float64:
        arrays[name] = arrays[name].astype(np.float32)
    blob = write_tensors("player", FORMAT, arrays, content.description)
    with pytest.raises(DamagedFileError, match=message):
        read_player(blob)


def test_missing_parts_are_refused() -> None:
    content = read_tensors("player", FORMAT, SMALL.player(make_genome(SMALL, 7), "it").serialise())
    for name, option in product(("cells", "tables"), (None, {"columns": 99})):
        arrays = {key: array for key, array in content.arrays.items() if key != name}
        description = dict(content.description)
        if option:
            arrays, description["design"] = dict(content.arrays), option
        with pytest.raises(DamagedFileError):
            read_player(write_tensors("player", FORMAT, arrays, description))
