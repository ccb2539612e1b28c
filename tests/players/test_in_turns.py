"""Matches in hand at the same time, a move of each in turn: they are those played one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import Openings, Pairings, Results, make_batch
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Function
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.packed import NOISE, PackedPlayers, combine_players
from evolve_arena.players.player import make_random
from evolve_arena.players.specification import make_player

MATCHES = 300


def make_networks(game: BoardGame, head: str, hidden: tuple[int, ...]) -> PackedPlayers:
    """Return six networks; two of them play an eighth of their moves at random."""
    decoder = find_game(game.name).networks["mlp"].decoder_type(head=head, hidden=hidden)
    genomes = decoder.initialise(6, "uniform", np.random.default_rng(3))
    packed: PackedPlayers = decoder.pack(genomes)
    packed.seats[4:, NOISE] = 2**29
    return packed


def find_matches(game: BoardGame, packed: PackedPlayers) -> Function:
    return find_variant(find_game(game.name), game.rules, packed)["matches"]


def play(
    game: BoardGame, packed: PackedPlayers, pairings: Pairings, openings: Openings | None = None
) -> Results:
    seeds = derive_seeds(1, 0, "turns", len(pairings))
    return run_kernel(make_batch(game, packed, pairings, seeds, openings))


@pytest.mark.usefixtures("compiled_as_needed")
@pytest.mark.parametrize("heads", [("policy",), ("value",), ("policy", "value")])
def test_matches_in_turns_are_those_one_by_one(
    heads: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_game("connect-four")
    networks = [make_networks(game, head, (units,)) for head in heads for units in (10, 40)]
    packed = combine_players([*networks, make_random(game).packed])
    searching = make_player("minimax:depth=1", game)  # with whom matches are not in turns
    more = combine_players([packed, searching.packed])
    assert find_matches(game, packed).ONLY_IN_TURNS
    assert not find_matches(game, more).ONLY_IN_TURNS
    rng = np.random.default_rng(2)
    pairings = rng.integers(0, len(packed.seats), (MATCHES, 2)).astype(np.int32)
    openings = np.full((MATCHES, 3), -1, dtype=np.int64)
    openings[::2] = rng.integers(0, 7, (MATCHES // 2, 3))
    for given in (None, openings):
        in_turns, one_by_one = (play(game, each, pairings, given) for each in (packed, more))
        for name in ("places", "plies", "offenders", "game_hashes"):
            assert np.array_equal(getattr(in_turns, name), getattr(one_by_one, name)), name
    assert len(set(in_turns.game_hashes.tolist())) > MATCHES // 3
    for count in (1, 2, 5):  # fewer than are in hand at a time, and one more
        few = play(game, packed, pairings[:count])
        assert np.array_equal(few.game_hashes, play(game, more, pairings[:count]).game_hashes)
    knows_searches = find_variant(find_game(game.name), game.rules, more)
    monkeypatch.setattr("evolve_arena.arena.arena.find_variant", lambda *_: knows_searches)
    assert np.array_equal(play(game, packed, pairings, openings).game_hashes, in_turns.game_hashes)


def test_networks_of_other_depths_are_not_in_turns() -> None:
    game = make_game("connect-four")
    for hidden in ((), (12, 20)):
        assert not find_matches(game, make_networks(game, "policy", hidden)).ONLY_IN_TURNS


LAST_OF_64 = """
import numpy as np
from evolve_arena.core.bits import lowest_bit
ONE = np.uint64(1)
MOVES = LONGEST = CELLS = 64
PLANES = 1
def start():
    return np.uint64(2**64 - 1), 0
def to_move(state):
    return state[1]
def legal(state, moves):
    left, count = state[0], 0
    while left:
        moves[count] = lowest_bit(left)
        left &= left - ONE
        count += 1
    return count
def legal_bits(state):
    return state[0]
def play(state, move):
    rest = state[0] & ~(ONE << np.uint64(move))
    return rest & ~(ONE << np.uint64((move + 32) % 64)), 1 - state[1]
def result(state):
    return 2 if state[0] else 2 * state[1] - 1
def see(state, seat, planes):
    planes[0] = state[0]
"""


def test_players_at_random_draw_the_same_moves_with_bits_of_64(tmp_path: Path) -> None:
    played = []
    for name, text in (
        ("bits", LAST_OF_64),
        ("listed", LAST_OF_64.replace("def legal_bits", "def unused")),
    ):
        file = tmp_path / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        game = make_game(str(file))
        pairings = np.zeros((50, 2), dtype=np.int32)
        played.append(play(game, make_random(game).packed, pairings))
    assert np.array_equal(played[0].game_hashes, played[1].game_hashes)
    assert len(set(played[0].game_hashes.tolist())) == 50
