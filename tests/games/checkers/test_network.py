"""Value networks for checkers: what genes mean, what is played, sub-squares, files."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.stream import new_stream
from evolve_arena.games.checkers.game import Checkers
from evolve_arena.games.checkers.network import (
    CheckersNetworkDecoder,
    CheckersNetworkPlayer,
    connect_sub_squares,
    list_sub_squares,
)
from evolve_arena.games.checkers.position import Position, bit_of
from evolve_arena.games.checkers.values import DEPTH, QUIET
from evolve_arena.genomes.network import (
    RESOLUTION,
    activate_sums,
    add_column,
    evaluate_hidden,
    padded,
    single_output,
    start_sums,
)
from evolve_arena.players.bred import read_player
from evolve_arena.players.packed import COLUMNS_AT, KIND, NETWORK, WEIGHTS_AT, PackedPlayers

GAME = Checkers()
SMALL = CheckersNetworkDecoder(hidden=(7, 3))
DECODERS = [
    CheckersNetworkDecoder(),
    CheckersNetworkDecoder(hidden=(5,), activation="relu"),
    CheckersNetworkDecoder(hidden=(20,), piece_difference=False),
    CheckersNetworkDecoder(hidden=(17, 4), activation="sigmoid"),
    CheckersNetworkDecoder(hidden=(6, 5), activation="relu", piece_difference=False),
    CheckersNetworkDecoder(subsquares=True),
    CheckersNetworkDecoder(subsquares=True, hidden=(4,), activation="sigmoid"),
    CheckersNetworkDecoder(subsquares=True, hidden=(3,), piece_difference=False),
]
"""One, two and three hidden layers; more units than a vector has, and fewer."""


def make_genomes(decoder: CheckersNetworkDecoder, count: int, seed: int = 1) -> NDArray[np.float32]:
    generator = np.random.default_rng(seed)
    genomes = decoder.initialise(count, "normal:0.3", generator)
    genomes[:, -1] = generator.uniform(1.0, 3.0, count)
    return genomes


def random_positions(count: int, seed: int = 3) -> list[Position]:
    """From random games: openings, endings with kings, both sides to move."""
    generator = np.random.default_rng(seed)
    found: list[Position] = []
    while len(found) < count:
        position = GAME.initial()
        while GAME.outcome(position) is None:
            moves = GAME.legal_moves(position)
            position = GAME.play(position, moves[generator.integers(len(moves))])
            if generator.random() < 0.1:
                found.append(position)
    return found[:count]


# An independent network: read from the published description, square by square.


def read_inputs(position: Position, side: int, king: float) -> list[float]:
    """The 32 inputs of *side*'s network, in the order in which it counts squares."""
    inputs = []
    for square in range(1, 33):
        real = square if side == 0 else 33 - square
        bit = bit_of(real)
        own, other = position.dark & bit, position.light & bit
        if side == 1:
            own, other = other, own
        worth = king if position.kings & bit else 1.0
        inputs.append(worth if own else -worth if other else 0.0)
    return inputs


FUNCTIONS: dict[str, Any] = {
    "tanh": np.tanh,
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0.0),
}


def evaluate(
    decoder: CheckersNetworkDecoder, genome: NDArray[np.float32], position: Position, side: int
) -> float:
    *weights, king = genome.astype(float).tolist()
    inputs = read_inputs(position, side, king)
    values = np.array(inputs)
    genes = iter(weights)
    sizes = [32, *([91] if decoder.subsquares else []), *decoder.hidden, 1]
    for layer, (before, after) in enumerate(pairwise(sizes)):
        total = np.zeros(after)
        for source in range(before):
            for unit in range(after):
                if layer == 0 and decoder.subsquares and not sees(unit, source + 1):
                    continue
                total[unit] += values[source] * next(genes)
        total += [next(genes) for _ in range(after)]
        values = total if after == 1 and layer == len(sizes) - 2 else apply(decoder, total)
    assert next(genes, None) is None
    return float(values[0]) + (sum(inputs) if decoder.piece_difference else 0.0)


def apply(decoder: CheckersNetworkDecoder, total: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = FUNCTIONS[decoder.activation](total)
    return result


def sees(unit: int, square: int) -> bool:
    """Whether *square* lies in part number *unit*, the small parts first, row by row."""
    row, place = divmod(square - 1, 4)
    column = 2 * place + 1 - row % 2
    for size in range(3, 9):
        across = 9 - size
        if unit < across * across:
            top, left = divmod(unit, across)
            return top <= row < top + size and left <= column < left + size
        unit -= across * across
    raise AssertionError("there are 91 parts")


# What compiled code sees of a packed network.


@compiled
def value_of(shape: Any, columns: Any, weights: Any, at: Any, pieces: Any, memory: Any) -> Any:
    """The output for a board with these *pieces*, numbers of columns."""
    sums, ping, pong = memory
    width = padded(shape[3])
    start_sums(sums, 0, columns, at[0], width)
    for place in range(pieces.shape[0]):
        add_column(sums, 0, columns, at[0] + (1 + pieces[place]) * width, width)
    activate_sums(shape, sums, 0, columns, 0, False, ping)
    last, inputs = evaluate_hidden(shape, weights, at[1], ping, pong)
    return single_output(shape, weights, last, inputs)


def list_pieces(position: Position, side: int) -> NDArray[np.int64]:
    """Plane times 35 plus the bit, as *side* sees the board, for each piece."""
    pieces = []
    for square in range(1, 33):
        bit = bit_of(square)
        if not (position.dark | position.light) & bit:
            continue
        mine = bool(position.dark & bit) == (side == 0)
        plane = (0 if mine else 2) + (1 if position.kings & bit else 0)
        place = bit.bit_length() - 1
        pieces.append(plane * 35 + (place if side == 0 else 34 - place))
    return np.array(pieces, dtype=np.int64)


def play_value(packed: PackedPlayers, player: int, position: Position, side: int) -> float:
    at = packed.seats[player, [COLUMNS_AT, WEIGHTS_AT]]
    memory = (np.zeros(128, np.int32), np.zeros(128, np.float32), np.zeros(128, np.float32))
    pieces = list_pieces(position, side)
    return float(value_of(packed.shapes[0], packed.columns, packed.weights, at, pieces, memory))


@pytest.mark.parametrize("decoder", DECODERS, ids=str)
def test_what_is_played_is_the_network_of_the_papers(decoder: CheckersNetworkDecoder) -> None:
    genomes = make_genomes(decoder, 3)
    packed = decoder.pack(genomes)
    positions = random_positions(12)
    assert any(position.kings for position in positions)
    for number, position in enumerate(positions):
        player = number % 3
        for side in (0, 1):
            expected = evaluate(decoder, genomes[player], position, side)
            found = play_value(packed, player, position, side)
            assert found == pytest.approx(expected, abs=0.02 if decoder.subsquares else 0.005)


def test_a_position_worked_by_hand() -> None:
    # Dark: men on 1 and 6, a king on 20. Light: a man on 31, a king on 10. K = 2.5.
    position = GAME.parse_position("B:W31,K10:B1,6,K20")
    assert read_inputs(position, 0, 2.5)[:10] == [1, 0, 0, 0, 0, 1, 0, 0, 0, -2.5]
    decoder = CheckersNetworkDecoder(hidden=(1,), activation="relu", piece_difference=False)
    genome = np.zeros(decoder.genes, np.float32)
    genome[[0, 5, 9, 19, 30]] = [1, 10, 100, 1000, 10000]  # of squares 1, 6, 10, 20, 31
    genome[32:] = [20000, -2, 3, 2.5]  # bias, output weight, output bias, K
    # For dark: 1 + 10 - 2.5 * 100 + 2.5 * 1000 - 10000 + 20000 = 12261. It is too large to be
    # played as it is, so all is divided by 100.
    genome[:33] /= 100
    packed = decoder.pack(genome[None, :])
    assert play_value(packed, 0, position, 0) == pytest.approx(3 - 2 * 122.61, rel=1e-4)
    # For light squares are counted from the other end: its man stands on 2, its king on 23, the
    # others' men on 32 and 27, their king on 13: nothing but zeros, the bias is left.
    assert play_value(packed, 0, position, 1) == pytest.approx(3 - 2 * 200, rel=1e-4)


@pytest.mark.parametrize("decoder", DECODERS[:2], ids=str)
def test_without_weights_pieces_are_counted(decoder: CheckersNetworkDecoder) -> None:
    genome = np.zeros((2, decoder.genes), np.float32)
    genome[:, -1] = [1.5, 2.75]
    packed = decoder.pack(genome)
    position = GAME.parse_position("B:W31,K10,K11:B1,6,7,8,K20")
    assert play_value(packed, 0, position, 0) == pytest.approx(4 + 1.5 - 1 - 3, abs=0.01)
    assert play_value(packed, 1, position, 1) == pytest.approx(-(4 + 2.75) + 1 + 5.5, abs=0.01)


def test_the_value_of_kings_has_its_bounds() -> None:
    genome = make_genomes(SMALL, 6)
    genome[:] = genome[0]
    genome[:, -1] = [0.0, 1.0, 7.0, 3.0, np.nan, 2.0]
    columns = SMALL.pack(genome).columns.reshape(6, -1)
    for broken, meant in ((0, 1), (2, 3), (4, 5)):
        assert np.array_equal(columns[broken], columns[meant])
    assert not np.array_equal(columns[1], columns[3])


def test_columns_lie_as_the_search_reads_them() -> None:
    genome = make_genomes(SMALL, 2)
    genome[:, -1] = 2.0
    packed = SMALL.pack(genome)
    columns = packed.columns.reshape(2, 1 + 4 * 35, 16)
    men, kings, others, other_kings = np.split(columns[:, 1:], 4, axis=1)
    assert np.array_equal(others, -men)
    assert np.array_equal(other_kings, -kings)
    assert np.abs(kings - 2 * men).max() <= 1  # each is rounded by itself
    assert not men[:, [8, 17, 26]].any()  # bits that are no squares
    weight = genome[1, 9 * 7 + 4]  # from square 10 to the fifth unit
    assert men[1, 10, 4] == round(float(weight) * RESOLUTION)
    assert not columns[:, :, 8:].any()  # seven units and a relaying one; the rest is padding


def test_seats_say_how_the_player_searches() -> None:
    for depth, quiet in ((1, False), (5, True)):
        decoder = CheckersNetworkDecoder(hidden=(3,), depth=depth, quiet=quiet)
        seats = decoder.pack(make_genomes(decoder, 2)).seats
        assert seats[:, [KIND, DEPTH, QUIET]].tolist() == [[NETWORK, depth, quiet]] * 2
        assert np.diff(seats[:, COLUMNS_AT]).tolist() == [141 * 16]


def test_huge_weights_do_not_overflow() -> None:
    # All 24 pieces kings, which can't be: each sum stays below 2**31 all the same.
    genome = np.full((1, SMALL.genes), 3e38, np.float32)
    genome[0, ::2] = -np.inf
    genome[0, -1] = 3.0
    columns = SMALL.pack(genome).columns.reshape(1 + 4 * 35, 16).astype(np.int64)
    assert np.abs(columns[0]).max() + 24 * np.abs(columns[1:]).max() < 2**31
    assert np.abs(columns).max() > 448 * 2.99 * RESOLUTION


# Sub-squares and genes


def test_the_papers_numbers_of_weights() -> None:
    assert CheckersNetworkDecoder().genes - 1 == 32 * 40 + 40 + 40 * 10 + 10 + 10 + 1 == 1741
    assert CheckersNetworkDecoder(piece_difference=False).genes - 1 == 1741
    parts = list_sub_squares()
    assert len(parts) == len(set(parts)) == 36 + 25 + 16 + 9 + 4 + 1
    assert sum(map(len, parts)) == connect_sub_squares().sum() == 854
    assert CheckersNetworkDecoder(subsquares=True).genes - 1 == 5046


def test_parts_of_the_board() -> None:
    parts = list_sub_squares()
    # Columns 0 to 2 of rows 0 to 2 (square 1 is in column 1), and one column further.
    assert parts[:2] == [(1, 5, 6, 9), (1, 2, 6, 9, 10)]
    assert parts[36] == (1, 2, 5, 6, 9, 10, 13, 14)
    assert parts[-1] == tuple(range(1, 33))
    for unit, part in enumerate(parts):
        assert part == tuple(square for square in range(1, 33) if sees(unit, square))


def test_a_unit_sees_only_its_part() -> None:
    decoder = CheckersNetworkDecoder(subsquares=True, hidden=(2,))
    genomes = np.ones((1, decoder.genes), np.float32)
    first = decoder.expand(genomes)[0, : 32 * 92].reshape(32, 92)
    for unit, part in enumerate(list_sub_squares()):
        assert (np.flatnonzero(first[:, unit]) + 1).tolist() == list(part)
    assert (first[:, 91] == 1 / 256).all()  # relays the sum of the inputs


def test_first_weights() -> None:
    for decoder in (CheckersNetworkDecoder(), CheckersNetworkDecoder(subsquares=True)):
        genomes = decoder.initialise(5, "uniform:0.2", np.random.default_rng(1))
        assert genomes.dtype == np.float32
        assert genomes.shape == (5, decoder.genes)
        assert genomes[:, -1].tolist() == [2.0] * 5
        assert 0.199 < genomes[:, :-1].max() <= 0.2
        assert -0.2 <= genomes[:, :-1].min() < -0.199
        assert abs(genomes[:, :-1].mean()) < 0.004


def test_the_gene_of_kings_changes_by_steps() -> None:
    (step,) = SMALL.step_genes
    assert (step.gene, step.step, step.low, step.high) == (SMALL.genes - 1, 0.1, 1.0, 3.0)


# Decoders and players


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden": ()}, "at least one hidden layer"),
        ({"hidden": (0,)}, "every layer needs at least one unit"),
        ({"hidden": (1,) * 8}, "at most 7"),
        ({"subsquares": True, "hidden": (1,) * 7}, "at most 7"),
        ({"depth": 0}, "depth is 0: it must be a whole number from 1 to 12"),
        ({"depth": 13}, "depth is 13: it must be a whole number from 1 to 12"),
        ({"depth": True}, "depth is True"),
        ({"turned": 2}, "turned is 2"),
        ({"quiet": 1}, "quiet is 1: it must be true or false"),
        ({"subsquares": "yes"}, "subsquares is 'yes'"),
    ],
)
def test_decoders_without_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        CheckersNetworkDecoder(**options)


def test_unknown_activations_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'tanh'"):
        CheckersNetworkDecoder(activation="tahn")


def test_genomes_of_another_size_are_refused() -> None:
    with pytest.raises(BadValueError, match=r"shape \(2, 5\), expected \(individuals, 1742\)"):
        CheckersNetworkDecoder().pack(np.zeros((2, 5), np.float32))


@pytest.mark.parametrize("decoder", [DECODERS[0], DECODERS[6]], ids=["two layers", "sub-squares"])
def test_one_ply_ahead_the_best_position_is_chosen(decoder: CheckersNetworkDecoder) -> None:
    decoder = replace(decoder, depth=1)
    genome = make_genomes(decoder, 1)[0]
    player = decoder.player(genome, "net")
    seen: Counter[int] = Counter()
    for position in random_positions(40, seed=5):
        moves = GAME.legal_moves(position)
        after = [GAME.play(position, move) for move in moves]
        if any(GAME.outcome(reached) for reached in after) or len(moves) < 2:
            continue
        values = [evaluate(decoder, genome, reached, position.side) for reached in after]
        chosen = player.choose(position, new_stream(0))
        assert values[moves.index(chosen)] > max(values) - 0.01
        if values.index(max(values)) > 0:
            seen[position.side] += 1
    assert min(seen[0], seen[1]) > 5


def test_players_are_stored_and_read() -> None:
    for decoder in (
        SMALL,
        CheckersNetworkDecoder(subsquares=True, hidden=(3,), depth=2, quiet=True),
    ):
        player = decoder.player(make_genomes(decoder, 1)[0], "net")
        again = read_player(player.serialise(generation=7))
        assert isinstance(again, CheckersNetworkPlayer)
        assert (again.decoder, again.name) == (decoder, "net")
        assert again.remarks == {"generation": 7}
        assert np.array_equal(again.genome, player.genome)
