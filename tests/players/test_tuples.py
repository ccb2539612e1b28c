"""Tuple networks: how they read boards, and their moves and values against plain Python."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.match import play_match
from evolve_arena.arena.pairings import random_openings
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import Stream, below, new_stream, next_word
from evolve_arena.core.types import Array, Settings
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.tensors import DamagedFileError, read_tensors, write_tensors
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.board.game import Board
from evolve_arena.players.board.networks import BoardTupleDecoder
from evolve_arena.players.evolved import FORMAT, read_player
from evolve_arena.players.packed import combine_players, with_noise
from evolve_arena.players.player import Player, make_random
from evolve_arena.players.specification import make_player
from tests.evolved import random_positions
from tests.tracks import HANDS, open_text
from tests.tuples import PlainTuples


def make_decoder(game: str, **settings: object) -> BoardTupleDecoder:
    return find_game(game).networks["tuples"].decoder_type(**settings)


def on_stacks(board: tuple[int, int, int], **settings: object) -> BoardTupleDecoder:
    options = dict(zip(("columns", "rows", "connect"), board, strict=True))
    length = min(6, board[0] * board[1])
    return make_decoder("connect-four", **options, **{"tuples": 25, "length": length, **settings})


def make_genome(decoder: BoardTupleDecoder, seed: int, coarse: bool = False) -> TuplePopulation:
    """Return random tables; *coarse* ones hold few different numbers, for frequent ties."""
    rng = np.random.default_rng(seed)
    cells = decoder.draw(rng)
    numbers = rng.normal(0.0, 0.1, decoder.table(cells).numbers).astype(np.float32)
    if coarse:
        numbers = np.sign(np.rint(4 * numbers)).astype(np.float32)
    return TuplePopulation(cells[None], numbers[None])


BY_LINES = make_decoder("hex", size=4, length=3)
SMALL = on_stacks((4, 3, 3), tuples=6, length=4, by_seat=True)

# Entries on stacks


@pytest.mark.parametrize("board", [(3, 3, 3), (2, 5, 3)], ids=str)
def test_what_can_not_occur_has_no_entry(board: tuple[int, int, int]) -> None:
    (columns, rows, _), decoder = board, on_stacks(board, tuples=6, length=5)
    fillings = [
        (*owners, 3, *[0] * rows)[:rows][::-1]
        for height in range(rows + 1)
        for owners in product((1, 2), repeat=height)
    ]
    boards = [np.array(each).T.ravel() for each in product(fillings, repeat=columns)]
    for cells in decoder.draw(np.random.default_rng(3)).astype(np.int64):
        shown = list(map(tuple, decoder.list_entries(cells).tolist()))
        assert len(set(shown)) == len(shown)
        assert set(shown) == {tuple(board[cells].tolist()) for board in boards}


def test_no_tuple_of_numbers_comes_twice_before_each_has_come() -> None:
    cells = make_decoder("kalah", tuples=105 + 40, length=2).draw(np.random.default_rng(1))
    chosen = [frozenset(pair) for pair in cells.tolist()]
    assert len(set(chosen[:105])) == 105  # of 15 numbers
    assert len(set(chosen[105:])) == 40


@pytest.mark.parametrize(
    ("game", "settings", "message"),
    [
        ("connect-four", {"tuples": 0}, "tuples is 0: it must be from 1 to 1000"),
        ("connect-four", {"length": 17}, "length is 17: it must be from 1 to 16"),
        ("connect-four", {"columns": 2, "rows": 5, "length": 11}, "board of 2 by 5 .* 1 to 10"),
        ("connect-four", {"columns": 4, "rows": 13}, "13 rows: tuple networks .* of up to 12"),
        ("connect-four", {"by_seat": 1}, "by_seat is 1: it must be true or false"),
        ("kalah", {"by_seat": True, "turns": True}, "by_seat is true: then turns must be false"),
        ("kalah", {"contents": 27}, "contents is 27: it must be 0, or from 2 to 26"),
        ("kalah", {"systematic": True}, "systematic is true, but the file of kalah declares no"),
        ("hex", {"systematic": True, "tuples": -1}, "tuples is -1: it must be from 0 to 1000"),
        (
            "connect-four",
            {"systematic": True, "tuples": 0, "length": 11},
            "length is 11: a board of 7 by 6 has neither lines nor rectangles of so many cells",
        ),
        ("hex", {"stages": 0}, "stages is 0: it must be from 1 to 49, the most pieces"),
        (
            "hex",
            {"stages": 40},
            "stages is 40: stages of 2 .* are only 25; write network.stages=25",
        ),
        ("hex", {"contents": 3}, "contents is 3: the file of hex shows no PLANE_NUMBERS"),
        ("hands", {"contents": 3}, "hands shows no PLANE_NUMBERS without a board"),
        (
            "hands",
            {"stages": 8},
            "8: it must be from 1 to 7, as the numbers of hands sum to at most 6",
        ),
        ("hex", {"length": 16}, "length is 16: 60 tuples .*; network.length=13 would do"),
    ],
)
def test_decoders_that_can_not_be(game: str, settings: Settings, message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        make_decoder(game, **settings)


# Moves and values

BY_SEAT = {"by_seat": True}
PLAYERS: dict[str, tuple[str, Settings, list[Settings]]] = {
    "stacks": ("connect-four", {}, [BY_SEAT, {"tuples": 5, "length": 2}, {"turns": True}]),
    "stages of stacks": (
        "connect-four",
        {},
        [{"stages": 4}, {"counts": True}, BY_SEAT | {"stages": 3, "counts": True}],
    ),
    "stacks of 64": ("connect-four", {"columns": 8, "rows": 8}, [BY_SEAT]),
    "cells": ("tic-tac-toe", {}, [BY_SEAT, {}, {"stages": 3}]),
    "lines and squares": (
        "othello",
        {"size": 6},
        [{"systematic": True, "tuples": 0}, {"systematic": True, "stages": 5, "counts": True}],
    ),
    "numbers": ("kalah", {"pits": 3}, [BY_SEAT, {"turns": True}, {"contents": 5}]),
    "stages of numbers": (
        "kalah",
        {"pits": 3},
        [{"stages": 6}, {"turns": True, "stages": 2, "counts": True}],
    ),
    "numbers beside a board": (
        "hands",
        {},
        [{"stages": 2}, {"counts": True}, BY_SEAT | {"stages": 4, "counts": True}],
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _games(tmp_path_factory: pytest.TempPathFactory) -> None:
    open_text(tmp_path_factory.mktemp("games"), HANDS, "hands.py")


class Reference(Player):
    """A tuple network that plays, by the definition; of so many moves some are random."""

    def __init__(
        self, decoder: BoardTupleDecoder, genome: TuplePopulation, noise: float = 0.0
    ) -> None:
        self.name, self.noise = "reference", round(noise * 2**32)
        numbers = np.rint(genome.tables[0].astype(np.float64) * RESOLUTION).astype(np.int64)
        self.plain = PlainTuples(decoder, genome.cells[0].astype(np.int64), numbers)

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the best move, or a random one."""
        legal = self.plain.game.legal_moves(position)
        strays = self.noise and int(next_word(rng)) >> 32 < self.noise
        if strays and len(legal) > 1:
            return int(legal[below(rng, len(legal))])
        return self.plain.choose(position, legal)


@pytest.mark.parametrize("name", PLAYERS)
def test_moves_and_values_are_those_of_plain_python(name: str) -> None:
    """Of single players, and in compiled matches, with other players between the networks."""
    label, options, settings = PLAYERS[name]
    usual = {"tuples": 9, "length": 4}
    decoders = [make_decoder(label, **options, **usual | each) for each in settings * 2]
    game = decoders[0].game
    genomes = [make_genome(each, seed, seed % 2 == 1) for seed, each in enumerate(decoders)]
    made = list(zip(decoders, genomes, strict=True))
    compared = 0
    for decoder, genome in made:
        player, reference = decoder.player(genome, "it"), Reference(decoder, genome)
        for position in random_positions(game, 60):
            for move, value in player.values(position).items():
                after = game.play(position, move)
                if np.isfinite(value):
                    expected = reference.plain.value(after, game.to_move(position))
                    assert value * RESOLUTION == expected
                    compared += 1
            rng = new_stream(1)
            assert player.choose(position, rng) == reference.choose(position, rng)
    assert compared > 100
    noise, packed = 0.2, [decoder.pack(genome) for decoder, genome in made]
    players: list[Player] = [Reference(*each, noise) for each in made]
    for at, other in enumerate((make_random(game), make_player("minimax:depth=1", game))):
        packed.insert(2 * at, other.packed)
        other.packed = with_noise(other.packed, noise)
        players.insert(2 * at, other)
    rng = np.random.default_rng(2)
    pairings = rng.integers(len(players), size=(60, 2)).astype(np.int32)
    pairings = pairings[pairings[:, 0] != pairings[:, 1]]
    openings = random_openings(game, 2, len(pairings), 4)
    openings[::3] = -1
    seeds = derive_seeds(3, 0, "matches", len(pairings))
    everybody = with_noise(combine_players(packed), noise)
    results = run_kernel(make_batch(game, everybody, pairings, seeds, openings))
    for match, pair in enumerate(pairings):
        opening = [move for move in openings[match].tolist() if move >= 0]
        both = [players[player] for player in pair]
        played = play_match(game, both, seed=int(seeds[match]), opening=opening)
        assert results.game_hashes[match] == played.game_hash, (match, pair, played.moves)
    assert results.distinct_games > len(pairings) // 2


def test_strange_numbers_count_as_what_is_safe() -> None:
    genome, readings = make_genome(SMALL, 1), 2 * SMALL.tuples
    for number, whole in (
        (np.nan, 0),
        (np.inf, (32767 // readings) * RESOLUTION),
        (-1e30, -(32767 // readings) * RESOLUTION),
        (0.25, RESOLUTION // 4),
    ):
        genome.tables[:] = number
        packed = SMALL.pack(genome)
        assert (packed.columns[-genome.tables.size :] == whole).all()


# Files


def test_a_stored_player_is_the_same_again() -> None:
    more = make_genome(SMALL, 7)
    room = np.pad(more.tables, ((0, 0), (0, 50)))
    for decoder, genome in (
        (SMALL, more),
        (SMALL, TuplePopulation(more.cells, room)),
        (BY_LINES, make_genome(BY_LINES, 7)),
    ):
        player = decoder.player(genome, "żółw")
        again = read_player(player.serialise(generation=5))
        assert (again.decoder, again.name, again.remarks) == (decoder, "żółw", {"generation": 5})
        for name, array in player.arrays.items():
            assert again.arrays[name].dtype == array.dtype
            assert np.array_equal(again.arrays[name], array)
        assert all(map(np.array_equal, again.packed, player.packed))
    assert np.array_equal(again.arrays["tables"], genome.tables[0])
    assert again.arrays["tables"].size == decoder.table(genome.cells[0]).numbers


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("cells", lambda cells: cells + 12, "no cells of a board of 12"),
        ("cells", lambda cells: cells.ravel(), "its tuples are int16 of shape"),
        ("cells", lambda cells: cells.astype(np.float32), "its tuples are float32 of shape"),
        ("cells", lambda cells: cells[:, :3].copy(), "its tables are float32 of shape"),
        ("cells", lambda cells: None, "cells"),
        ("tables", lambda tables: None, "tables"),
        ("tables", lambda tables: tables[:-1], "its tables are float32 of shape"),
        ("tables", lambda tables: tables * np.float32(np.nan), "holds NaN or infinity"),
    ],
)
def test_damaged_players_are_refused(
    name: str, damage: Callable[[Array], Array | None], message: str
) -> None:
    content = read_tensors("player", FORMAT, SMALL.player(make_genome(SMALL, 7), "it").serialise())
    arrays = {**content.arrays, name: damage(content.arrays[name])}
    if arrays[name] is None:
        del arrays[name]
    with pytest.raises(DamagedFileError, match=message):
        read_player(write_tensors("player", FORMAT, arrays, content.description))
