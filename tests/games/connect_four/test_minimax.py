"""The minimax player: its choices, its chance, its name, and how strong it was published to be."""

from __future__ import annotations

import numpy as np
import pytest

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.duel import duel
from evolve_arena.arena.match import play_match
from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.column_player import MinimaxPlayer, count_lines
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.spec import make_test_bot
from evolve_arena.games.connect_four.workspace import make_workspace
from evolve_arena.players.packed import NOISE, combine_players, with_noise
from evolve_arena.players.player import CompiledPlayer, make_random
from evolve_arena.players.specification import make_player

GAME = ConnectFour()


def choices(player: CompiledPlayer, moves: str, draws: int = 60) -> set[int]:
    position = player.game.parse_position(moves)
    stream = new_stream(1)
    return {player.choose(position, stream) for _ in range(draws)}


def share_with_error(won: float, games: int, published: float) -> tuple[float, float]:
    """How far a share is from a published one of 1000 games, and the error of that."""
    error = np.sqrt(won * (1 - won) * (1 / games + 1 / 1000))
    return won - published, float(error)


def test_lines_are_those_of_table_3_1() -> None:
    lines = count_lines(GAME.rules).reshape(7, 7)[:, :6].T
    assert lines.tolist() == [
        [3, 4, 5, 7, 5, 4, 3],
        [4, 6, 8, 10, 8, 6, 4],
        [5, 8, 11, 13, 11, 8, 5],
        [5, 8, 11, 13, 11, 8, 5],
        [4, 6, 8, 10, 8, 6, 4],
        [3, 4, 5, 7, 5, 4, 3],
    ]
    assert lines.sum() == 69 * 4


def test_with_one_ply_it_takes_the_cell_with_most_lines() -> None:
    assert choices(MinimaxPlayer(GAME, 1), "") == {3}
    assert choices(MinimaxPlayer(GAME, 1), "3") == {3}
    assert choices(MinimaxPlayer(GAME, 1), "333333") == {2, 4}


@pytest.mark.parametrize("depth", range(1, 9))
@pytest.mark.parametrize(
    ("moves", "winning"),
    [("030303", {0}), ("616161", {6}), ("203040", {1, 5}), ("0112232335", {3})],
)
def test_it_wins_where_it_can_at_once(moves: str, winning: set[int], depth: int) -> None:
    assert choices(MinimaxPlayer(GAME, depth), moves) == winning


@pytest.mark.parametrize("depth", range(2, 9))
@pytest.mark.parametrize(("moves", "only"), [("03030", 0), ("04142", 3), ("616160", 6)])
def test_it_prevents_a_loss_from_two_plies_on(moves: str, only: int, depth: int) -> None:
    assert choices(MinimaxPlayer(GAME, depth), moves) == {only}


def test_one_ply_does_not_see_the_opponents_win() -> None:
    assert choices(MinimaxPlayer(GAME, 1), "03030") == {3}
    assert choices(MinimaxPlayer(GAME, 2), "03030") == {0}


def test_it_finds_a_win_in_three_from_three_plies_on() -> None:
    """With two discs side by side and room at both ends, a third makes two threats."""
    moves = "2233"
    assert choices(MinimaxPlayer(GAME, 3), moves) == {1, 4}
    assert choices(MinimaxPlayer(GAME, 4), moves) == {1, 4}
    assert choices(MinimaxPlayer(GAME, 2), moves) == {3}


def test_it_prevents_a_win_in_three_from_four_plies_on() -> None:
    """Any column beside the two discs does."""
    assert choices(MinimaxPlayer(GAME, 4), "223") <= {1, 3, 4}
    assert 2 in choices(MinimaxPlayer(GAME, 3), "223")


def test_equal_moves_are_equally_likely() -> None:
    player = MinimaxPlayer(GAME, 1)
    position = GAME.parse_position("333333")
    stream = new_stream(3)
    counts = np.bincount([player.choose(position, stream) for _ in range(10_000)], minlength=7)
    assert counts[2] + counts[4] == 10_000
    assert abs(counts[2] - 5000) < 5 * 50
    lost = GAME.parse_position("22334")
    deep = MinimaxPlayer(GAME, 2)
    counts = np.bincount([deep.choose(lost, stream) for _ in range(14_000)], minlength=7)
    assert np.all(abs(counts - 2000) < 5 * np.sqrt(2000 * 6 / 7))


def test_a_single_best_move_draws_nothing() -> None:
    stream = new_stream(9)
    assert MinimaxPlayer(GAME, 3).choose(GAME.initial(), stream) == 3
    assert stream[0] == 9


def test_the_seed_decides() -> None:
    player = MinimaxPlayer(GAME, 2, noise=0.5)
    first, second = new_stream(4), new_stream(4)
    position = GAME.parse_position("333333")
    columns = [player.choose(position, first) for _ in range(60)]
    assert columns == [player.choose(position, second) for _ in range(60)]
    assert len(set(columns)) == 6


@pytest.mark.parametrize("noise", [0.0, 0.2, 1.0])
def test_noise_is_the_share_of_random_moves(noise: float) -> None:
    player = MinimaxPlayer(GAME, 3, noise=noise)
    stream = new_stream(5)
    draws = 14_000
    counts = np.bincount([player.choose(GAME.initial(), stream) for _ in range(draws)], minlength=7)
    others = np.delete(counts, 3)
    expected = draws * noise / 7
    assert np.all(abs(others - expected) <= 5 * np.sqrt(expected))


def test_noise_of_a_match_comes_on_top_of_its_own() -> None:
    packed = combine_players([MinimaxPlayer(GAME, 1, noise=0.2).packed, make_random(GAME).packed])
    both = with_noise(packed, 0.5).seats[:, NOISE] / 2**32
    np.testing.assert_allclose(both, [0.6, 0.5], atol=1e-9)
    assert with_noise(packed, 1.0).seats[:, NOISE].tolist() == [2**32, 2**32]
    assert with_noise(packed, 0.0).seats.tolist() == packed.seats.tolist()


@pytest.mark.parametrize("board", [(7, 6, 4), (4, 3, 3), (9, 6, 5), (16, 3, 4), (2, 3, 2)], ids=str)
def test_whole_matches_in_compiled_code_are_the_same_games(board: tuple[int, int, int]) -> None:
    game = ConnectFour(*board)
    players = [
        MinimaxPlayer(game, 6, noise=0.1),
        make_test_bot(game),
        MinimaxPlayer(game, 1),
        MinimaxPlayer(game, 4, noise=0.2),
    ]
    pairings = np.array([(a, b) for a in range(4) for b in range(4)] * 2, dtype=np.int32)
    seeds = derive_seeds(5, 0, "matches", len(pairings))
    packed = combine_players([player.packed for player in players])
    results = run_kernel(make_batch(game, packed, pairings, seeds))
    for match, (first, second) in enumerate(pairings):
        played = play_match(game, [players[first], players[second]], seed=int(seeds[match]))
        assert results.games[match] == played.game
        assert results.outcomes[match] == played.outcome


def test_who_does_not_search_carries_no_table() -> None:
    assert make_workspace(make_random(GAME).packed).search.nbytes == 8
    assert make_workspace(MinimaxPlayer(GAME, 4).packed).search.nbytes == 8
    assert make_workspace(MinimaxPlayer(GAME, 12).packed).search.nbytes == 8 + 2**14 * 16


@pytest.mark.parametrize(
    ("text", "depth", "noise", "name"),
    [
        ("minimax", 4, 0.0, "minimax:depth=4"),
        ("minimax:depth=2", 2, 0.0, "minimax:depth=2"),
        ("minimax:noise=0.2", 4, 0.2, "minimax:depth=4,noise=0.2"),
        ("minimax:noise=0.25,depth=12", 12, 0.25, "minimax:depth=12,noise=0.25"),
        (" minimax: depth = 1 , noise = 1 ", 1, 1.0, "minimax:depth=1,noise=1"),
    ],
)
def test_its_specification(text: str, depth: int, noise: float, name: str) -> None:
    player = make_player(text, GAME)
    assert isinstance(player, MinimaxPlayer)
    assert (player.depth, player.noise, player.name) == (depth, noise, name)
    assert make_player(name, GAME).packed.seats.tolist() == player.packed.seats.tolist()


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("minimax:", BadValueError, "write minimax:depth=4,noise=0.2"),
        ("minimax:deph=4", UnknownNameError, "did you mean 'depth'?"),
        ("minimax:noise=0,4", UnknownNameError, "known: depth, noise"),
        ("minimax:depth=4,", UnknownNameError, "known: depth, noise"),
        ("minimax:depth=0", BadValueError, "depth is 0: it must be from 1 to 12"),
        ("minimax:depth=13", BadValueError, "depth is 13: it must be from 1 to 12"),
        ("minimax:depth=2.5", BadValueError, "depth is '2.5': it must be a whole number"),
        ("minimax:depth", BadValueError, "depth is '': it must be a whole number"),
        ("minimax:noise=1.5", BadValueError, "noise is 1.5: it must be from 0 to 1"),
        ("minimax:noise=nan", BadValueError, "noise is nan: it must be from 0 to 1"),
        ("minimax:noise=much", BadValueError, "noise is 'much': it must be a number"),
        ("minimax:depth=2,depth=3", BadValueError, "depth is set twice"),
        ("minmax:depth=4", UnknownNameError, "did you mean"),
    ],
)
def test_a_wrong_specification_gets_one_line(text: str, kind: type[ArenaError], said: str) -> None:
    with pytest.raises(kind) as caught:
        make_player(text, GAME)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


PUBLISHED = {
    (1, 0): 0.89,
    (3, 0): 0.97,
    (4, 0): 0.98,
    (1, 2): 0.42,
    (1, 3): 0.21,
    (1, 4): 0.16,
    (2, 2): 0.48,
    (2, 3): 0.37,
    (2, 4): 0.24,
    (3, 1): 0.77,
    (3, 2): 0.62,
    (3, 4): 0.37,
    (4, 1): 0.86,
    (4, 2): 0.77,
    (4, 3): 0.66,
}
"""Table 5.1 of Löfroth and Dalenius (2011): points of MM1 to MM4 against each other and, as
number 0, the random player."""


@pytest.mark.parametrize(("first", "second"), PUBLISHED)
def test_the_ladder_is_as_strong_as_published(first: int, second: int) -> None:
    """Three and a half standard errors; the cells that are off by more stand in docs."""
    players = [
        MinimaxPlayer(GAME, d, noise=0.2) if d else make_random(GAME) for d in (first, second)
    ]
    result = duel(GAME, *players, games=10_000, seed=1)
    published = PUBLISHED[first, second]
    difference, error = share_with_error(result.score, result.games, published)
    assert abs(difference) < 3.5 * error
    low, high = wilson_interval(result.score * 10_000, 10_000)
    assert high - low < 0.02
