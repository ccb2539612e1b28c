"""Linear players of checkers: their tables against the weighted sum, errors, files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.stream import below, new_stream
from evolve_arena.games.checkers.board import MOST_MOVES
from evolve_arena.games.checkers.features import count_features
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.linear import PIECES, LinearDecoder, LinearPlayer, make_minimax
from evolve_arena.games.checkers.position import Position, parse_fen
from evolve_arena.games.checkers.values import DEPTH, FEATURES, LINEAR, QUIET, TABLE_SIZE, UNIT
from evolve_arena.genomes.tensors import read_tensors
from evolve_arena.players.bred import FORMAT
from evolve_arena.players.packed import COLUMNS_AT, KIND, NOISE, PackedPlayers, combine_players

GAME = Checkers()


def features_of(position: Position, count: int) -> list[int]:
    """As the player to move sees them."""
    counts = np.zeros(count, dtype=np.int64)
    boards = np.uint64(position.dark), np.uint64(position.light)
    active, passive = boards if position.side == 0 else boards[::-1]
    workspace = np.zeros(MOST_MOVES, dtype=np.uint64)
    kings = np.uint64(position.kings)
    count_features(counts, 0, count, active, passive, kings, position.side, workspace, 0)
    return [int(number) for number in counts]


def add_up(packed: PackedPlayers, player: int, numbers: list[int]) -> int:
    """What the tables of a player add for these values of its features."""
    seat = packed.seats[player]
    assert seat[FEATURES] == len(numbers)
    places = seat[COLUMNS_AT] + TABLE_SIZE * np.arange(len(numbers))
    return int(packed.columns[places + np.minimum(numbers, TABLE_SIZE - 1)].astype(np.int64).sum())


def random_positions(count: int) -> list[Position]:
    stream = new_stream(11)
    positions: list[Position] = []
    while len(positions) < count:
        position = GAME.initial()
        while moves := GAME.legal_moves(position):
            positions.append(position)
            position = GAME.play(position, moves[below(stream, len(moves))])
    return positions[:count]


@pytest.mark.parametrize("features", [4, 14, 20])
def test_many_valued_tables_hold_the_weighted_sum(features: int) -> None:
    decoder = LinearDecoder(features=features, depth=7, quiet=True)
    generator = np.random.default_rng(1)
    genomes = generator.normal(0.0, 1.0, (3, features)).astype(np.float32)
    packed = decoder.pack(genomes)
    for seat in packed.seats:
        fields = [int(seat[field]) for field in (KIND, DEPTH, QUIET, FEATURES)]
        assert fields == [LINEAR, 7, 1, features]
    for position in random_positions(150):
        numbers = features_of(position, features)
        for player, genome in enumerate(genomes):
            expected = float(genome.astype(np.float64) @ numbers) * UNIT
            assert add_up(packed, player, numbers) == pytest.approx(expected, abs=features / 2)


def test_binary_tables_hold_the_weight_of_each_value() -> None:
    decoder = LinearDecoder(features=14, encoding="binary")
    assert decoder.genes == 14 * 32
    generator = np.random.default_rng(2)
    genomes = generator.uniform(-1.0, 1.0, (2, decoder.genes)).astype(np.float32)
    packed = decoder.pack(genomes)
    for position in random_positions(150):
        numbers = features_of(position, 14)
        for player, genome in enumerate(genomes):
            whole = [round(float(genome[32 * f + v]) * 2**20) for f, v in enumerate(numbers)]
            assert add_up(packed, player, numbers) == sum(whole)


def test_numbers_that_were_worked_by_hand() -> None:
    """Three men and a king against one man: 3 * 1 + 1 * 1.5 - 1 = 3.5."""
    player = make_minimax(GAME)
    numbers = features_of(parse_fen("B:W30:B1,2,3,K10"), 4)
    assert numbers == [3, 1, 1, 0]
    assert add_up(player.packed, 0, numbers) == 3.5 * 2**20
    table = LinearDecoder(features=4).pack(np.array([[0.25, 0, 0, -2]], dtype=np.float32)).columns
    assert table.shape == (4 * 32,)
    assert table[:5].tolist() == [0, 2**18, 2 * 2**18, 3 * 2**18, 4 * 2**18]
    assert table[32:96].tolist() == [0] * 64
    assert table[96 + 31] == -62 * 2**20


def test_values_above_the_last_count_as_the_last() -> None:
    packed = LinearDecoder(features=4).pack(np.ones((1, 4), dtype=np.float32))
    assert add_up(packed, 0, [40, 0, 0, 0]) == 31 * UNIT


def test_weights_that_are_no_numbers_or_too_large_do_no_harm() -> None:
    wild = np.array([[np.nan, np.inf, -np.inf, 3000.0]], dtype=np.float32)
    table = LinearDecoder(features=4).pack(wild).columns.reshape(4, 32)
    largest = 2**31 - 1
    assert table[0].tolist() == [0] * 32
    assert table[1].tolist() == [0] + [largest] * 31
    assert table[2].tolist() == [0] + [-largest] * 31
    assert table[3].tolist() == [0] + [largest] * 31
    binary = LinearDecoder(features=4, encoding="binary")
    table = binary.pack(np.repeat(wild, 32, axis=1)).columns.reshape(4, 32)
    assert table[:, 0].tolist() == [0, largest, -largest, largest]


def test_combined_packed_players_keep_their_tables() -> None:
    first = LinearDecoder(features=4).pack(np.array([[1, 2, 3, 4]], dtype=np.float32))
    second = LinearDecoder(features=14).pack(np.full((2, 14), 0.5, dtype=np.float32))
    both = combine_players([second, first])
    assert add_up(both, 2, [1, 1, 1, 1]) == 10 * UNIT
    assert add_up(both, 1, [2] * 14) == 14 * UNIT


@pytest.mark.parametrize("encoding", ["many-valued", "binary"])
def test_first_weights(encoding: str) -> None:
    decoder = LinearDecoder(features=14, encoding=encoding)

    def draw(name: str, individuals: int = 200) -> NDArray[np.float32]:
        genomes = decoder.initialise(individuals, name, np.random.default_rng(3))
        assert genomes.shape == (individuals, decoder.genes)
        assert genomes.dtype == np.float32
        return genomes

    assert not draw("zero").any()
    uniform = draw("uniform:0.25")
    assert 0.24 < uniform.max() <= 0.25
    assert -0.25 <= uniform.min() < -0.24
    assert draw("normal:2").std() == pytest.approx(2.0, rel=0.05)
    assert 0.95 < draw("fan-in").max() * np.sqrt(14) <= 1.0
    pieces, noisy = draw("pieces"), draw("pieces:0.1")
    position = parse_fen("B:W30:B1,2,3,K10")
    assert add_up(decoder.pack(pieces), 7, features_of(position, 14)) == 3.5 * UNIT
    assert (noisy - pieces).std() == pytest.approx(0.1, rel=0.05)
    assert np.array_equal(draw("uniform:0.25"), uniform)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"features": 5}, BadValueError, "features is 5: it must be 4, 14 or 20"),
        (
            {"encoding": "bianry"},
            UnknownNameError,
            "unknown encoding 'bianry': did you mean",
        ),
        ({"depth": 0}, BadValueError, "depth is 0: it must be a whole number from 1 to 12"),
        ({"depth": 13}, BadValueError, "depth is 13: it must be a whole number from 1 to 12"),
        ({"depth": 2.5}, BadValueError, "depth is 2.5: it must be a whole number from 1 to 12"),
        ({"depth": True}, BadValueError, "depth is True: it must be a whole number from 1 to 12"),
        ({"quiet": 2}, BadValueError, "quiet is 2: it must be true or false"),
        ({"turned": 2}, BadValueError, "turned is 2: it must be 0 or 1"),
    ],
)
def test_bad_decoders(options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        LinearDecoder(**options)


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("unifrom", UnknownNameError, "unknown initialisation 'unifrom': did you mean 'uniform'"),
        ("uniform:-1", BadValueError, "its width must be a number above 0"),
        ("pieces:much", BadValueError, "its width must be a number above 0"),
        ("uniform:", BadValueError, "its width must be a number above 0"),
        ("normal:inf", BadValueError, "its width must be a number above 0"),
        ("zero:1", BadValueError, "zero has no width"),
    ],
)
def test_bad_initialisations(name: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        LinearDecoder().initialise(3, name, np.random.default_rng(0))


def test_genomes_of_another_shape_are_refused() -> None:
    with pytest.raises(BadValueError, match=r"shape \(3, 4\), expected \(individuals, 14\)"):
        LinearDecoder().pack(np.zeros((3, 4), dtype=np.float32))


def test_a_player_survives_its_file() -> None:
    decoder = LinearDecoder(features=4, encoding="binary", depth=3, quiet=True, turned=1)
    genome = decoder.initialise(1, "normal", np.random.default_rng(5))[0]
    player = decoder.player(genome, "fan")
    content = read_tensors("player", FORMAT, player.serialise(seed=7))
    description = content.description
    assert (description["kind"], description["game"]) == ("linear", "checkers")
    again = LinearPlayer.read(description["design"], content.arrays, "again")
    assert again.decoder == decoder
    assert again.genome.tobytes() == genome.tobytes()
    assert again.name == "again"
    assert again.game.turned


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda genome: genome[:3],
            r"weights are float32 of shape \(3,\), expected float32 of shape \(4,\)",
        ),
        (
            lambda genome: genome[0].reshape(()),
            r"weights are float32 of shape \(\), expected float32 of shape \(4,\)",
        ),
    ],
)
def test_files_with_wrong_weights_are_refused(
    change: Callable[[NDArray[np.float32]], NDArray[np.float32]], text: str
) -> None:
    genome = change(np.ones(4, dtype=np.float32))
    with pytest.raises(BadValueError, match=text):
        LinearPlayer.read({"features": 4}, {"genome": genome}, "wrong")


def test_minimax_counts_pieces() -> None:
    player = make_minimax(GAME, depth=3, noise=0.25, quiet=True)
    assert player.name == "minimax:depth=3,noise=0.25,quiet=1"
    seat = player.packed.seats[0]
    assert [int(seat[field]) for field in (DEPTH, QUIET, FEATURES)] == [3, 1, 4]
    assert seat[NOISE] == 2**30
    assert player.genome.tolist() == list(PIECES)
    assert make_minimax(Checkers(turned=1)).game.turned
    assert make_minimax(GAME).name == "minimax:depth=4"
    with pytest.raises(BadValueError, match=r"noise is 1\.5: it must be from 0 to 1"):
        make_minimax(GAME, noise=1.5)
    with pytest.raises(BadValueError, match="depth is 20: it must be a whole number from 1 to 12"):
        make_minimax(GAME, depth=20)


def test_a_player_takes_the_better_capture() -> None:
    """2x9 takes one man, 1x10x19 two."""
    position = parse_fen("B:W6,15,32:B1,2")
    move = make_minimax(GAME, depth=1).choose(position, new_stream(1))
    assert str(move) == "1x10x19"
