"""Duels: balanced seats, counts that add up, the same games compiled or not, tables by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.arena.batch import Batch, Results, new_results, seat_players
from evolve_arena.arena.duel import duel, summarise
from evolve_arena.arena.duel_result import DuelResult, ForfeitCount, describe_repeats
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import Stream
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.evolved import VectorPlayer
from evolve_arena.players.player import CompiledPlayer, Forfeit, ForfeitError, Player, make_random
from evolve_arena.players.specification import make_player

NetworkDecoder = find_game("connect-four").networks["mlp"].decoder_type

GAME = make_game("connect-four")
TICKETS = make_game("ticket-to-ride")
TABLES = find_game("ticket-to-ride")
NAMES = ("a", "b")
Z = 1.959963984540054


class Slow(Player):
    """A compiled player that is asked for each move, as a program or a person would be."""

    def __init__(self, player: CompiledPlayer) -> None:
        self.player = player
        self.name = player.name

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the compiled player's move."""
        return self.player.choose(position, rng)


class Stacker(Player):
    """Player that drops everything into one column, and then into the next ones."""

    def __init__(self, column: int) -> None:
        self.column = column
        self.name = f"stacker {column}"

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the first open column, counted from its own on."""
        moves = GAME.legal_moves(position)
        return min(moves, key=lambda column: (column - self.column) % 7)


class Cheat(Player):
    """Player of a column that does not exist."""

    name = "cheat"

    def choose(self, position: Board, rng: Stream) -> int:
        """Return an illegal column."""
        return 7


class Recorder(SerialExecutor):
    """Executor that plays in this process and keeps its batches."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []

    def play(self, batch: Batch) -> Results:
        """Play all matches of *batch*."""
        self.batches.append(batch)
        return super().play(batch)


def make_network(seed: int = 0, game: BoardGame = GAME, head: str = "policy") -> VectorPlayer:
    decoder = NetworkDecoder(**game.options, head=head, hidden=(4,))
    genome = decoder.initialise(1, "uniform", np.random.default_rng(seed))[0]
    return decoder.player(genome, f"network {seed}")


@settings(max_examples=40)
@given(
    games=st.integers(1, 60),
    plies=st.integers(0, 10),
    seed=st.integers(0, 2**62),
    kinds=st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
def test_counts_add_up_and_compiled_or_not_is_the_same(
    games: int, plies: int, seed: int, kinds: tuple[int, int]
) -> None:
    makers = [
        lambda: make_random(GAME),
        lambda: make_player("test-bot", GAME),
        make_network,
        lambda: make_network(1, head="value"),
    ]
    first, second = (makers[kind]() for kind in kinds)
    options = {"games": games, "opening_plies": plies, "seed": seed}
    result = duel(GAME, first, second, **options)
    assert result.games == result.wins + result.draws + result.losses == games + games % 2
    assert 1 <= result.distinct_games <= result.games
    assert sum(result.terminations.values()) == result.games
    assert result.terminations.get("draw", 0) == result.draws
    assert result.names == (first.name, second.name)
    assert duel(GAME, Slow(first), second, **options) == result
    assert duel(GAME, first, Slow(second), **options) == result


def test_each_beginning_is_played_twice_with_colours_swapped() -> None:
    recorder = Recorder()
    duel(GAME, make_network(0), make_network(1), games=40, opening_plies=6, executor=recorder)
    (batch,) = recorder.batches
    assert batch.openings.shape == (40, 6)
    assert np.array_equal(batch.openings[0::2], batch.openings[1::2])
    assert len({tuple(row) for row in batch.openings.tolist()}) > 15
    assert batch.pairings[0::2].tolist() == [[0, 1]] * 20
    assert batch.pairings[1::2].tolist() == [[1, 0]] * 20
    assert len(set(batch.seeds.tolist())) == 40


def test_every_executor_gives_the_same_result() -> None:
    players = make_network(), make_player("test-bot", GAME)
    expected = duel(GAME, *players, games=1000, opening_plies=4, seed=3)
    with ProcessExecutor(2) as executor:
        assert duel(GAME, *players, games=1000, opening_plies=4, seed=3, executor=executor) == (
            expected
        )


def test_a_forfeit_is_lost_by_who_forfeits_and_won_by_nobody() -> None:
    result = duel(GAME, Cheat(), make_random(GAME), games=6)
    assert (result.wins, result.draws, result.losses, result.games) == (0, 0, 0, 6)
    assert result.terminations == {"illegal move": 6}
    sentence = "cheat plays 7, which is not legal here."
    assert result.forfeits == (ForfeitCount(0, "illegal move", 6, sentence),)
    assert (result.counted, result.score, result.won) == (6, 0.0, 0.0)
    turned = duel(GAME, make_random(GAME), Cheat(), games=6)
    assert turned.forfeits == (ForfeitCount(1, "illegal move", 6, sentence),)
    assert (turned.wins, turned.counted, turned.distinct_games) == (0, 0, 0)
    assert math.isnan(turned.score)
    assert math.isnan(turned.won)
    assert turned.wilson_95 == turned.win_interval == (0.0, 1.0)
    assert turned.reversed() == result
    content = json.loads(json.dumps(turned.to_dict(), allow_nan=False))
    assert content["score"] is None
    assert (content["games"], content["finished_games"], content["counted_games"]) == (6, 0, 0)
    assert content["forfeits"] == [
        {
            "player": 1,
            "name": "cheat",
            "kind": "illegal move",
            "games": 6,
            "first": sentence,
            "stderr": [],
        }
    ]


class Fickle(Stacker):
    """Player that gives up in its third and fifth game, each time in another way."""

    def __init__(self) -> None:
        super().__init__(0)
        self.name = "fickle"
        self.begun = 0

    def begin(self, side: int) -> None:
        """Count the games."""
        self.begun += 1

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the stacker's move, or forfeit in the third and fifth game."""
        if self.begun == 3:
            raise ForfeitError(Forfeit.CRASH, "It broke.")
        if self.begun == 5:
            raise ForfeitError(Forfeit.TIMEOUT, "It slept.")
        return super().choose(position, rng)


def test_shares_are_of_own_forfeits_and_games_by_the_rules() -> None:
    """The first mover wins; the fickle player forfeits two of the four games that it begins."""
    result = duel(GAME, Fickle(), Stacker(6), games=8)
    assert (result.wins, result.draws, result.losses) == (2, 0, 4)
    assert [(f.player, f.kind, f.games, f.sentence) for f in result.forfeits] == [
        (0, "crash", 1, "It broke."),
        (0, "time-out", 1, "It slept."),
    ]
    assert (result.finished, result.counted, result.games, result.distinct_games) == (6, 8, 8, 2)
    assert result.won == result.score == 2 / 8
    assert result.win_interval == pytest.approx(wilson(2 / 8, 8))
    other = duel(GAME, Stacker(6), Fickle(), games=8)
    assert (other.wins, other.losses, other.counted, other.games) == (2, 4, 6, 8)
    assert other.won == 2 / 6
    assert other.terminations == {"win": 6, "crash": 1, "time-out": 1}


def test_repeated_games_are_told_of() -> None:
    assert describe_repeats(100, 200) is None
    assert describe_repeats(0, 0) is None
    told = "only 99 of 200 games are distinct: the intervals are too narrow"
    assert describe_repeats(99, 200) == told


@pytest.mark.parametrize("slow", [False, True])
def test_a_player_of_another_board_is_refused(slow: bool) -> None:
    # The larger board is the player's, so that nothing is read from beyond its arrays.
    stranger = make_network(0, make_game("connect-four", columns=8, rows=7, connect=4))
    with pytest.raises(ArenaError, match="8"):
        duel(GAME, Slow(stranger) if slow else stranger, make_random(GAME), games=4)


def test_a_seed_is_not_negative() -> None:
    with pytest.raises(ArenaError, match="seed"):
        duel(GAME, make_random(GAME), make_random(GAME), games=2, seed=-1)


def wilson(share: float, games: int) -> tuple[float, float]:
    """Return Wilson's interval as the roots of (p - share)^2 = z^2 p (1 - p) / games."""
    square = 1.959963984540054**2 / games
    a, b, c = 1 + square, -(2 * share + square), share * share
    root = math.sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
def test_shares_and_their_intervals(wins: int, draws: int, losses: int) -> None:
    result = DuelResult(("a", "b"), wins, draws, losses, 1, {})
    if result.games == 0:
        assert math.isnan(result.score)
        assert result.wilson_95 == result.win_interval == (0.0, 1.0)
        return
    assert result.score == (wins + draws / 2) / result.games
    assert result.wilson_95 == pytest.approx(wilson(result.score, result.games), abs=1e-9)
    assert result.win_interval == pytest.approx(wilson(wins / result.games, result.games), abs=1e-9)
    low, high = result.wilson_95
    assert 0.0 <= low <= result.score + 1e-12
    assert result.score - 1e-12 <= high <= 1.0


def by_hand() -> tuple[np.ndarray, Results]:
    """Return four games at tables of four, in pairs with the same deals."""
    pairings = seat_players([[0, 1, 0, 1], [1, 0, 1, 0]] * 2, TABLES.most_seats)
    results = new_results(TICKETS, 4)
    results.columns["points"][:, :4] = [
        [100, 90, 80, 70],
        [111, 120, 121, 141],
        [50, 50, 20, 10],
        [10, 20, -5, 30],
    ]
    results.places[:, :4] = [[1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 3, 4], [2, 1, 3, 4]]
    done = [[3, 1, 1, 1], [1, 4, 1, 2], [2, 1, 0, 1], [0, 0, 0, 0]]
    failed = [[0, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 2, 0]]
    results.columns["tickets_done"][:, :4] = done
    results.columns["tickets_failed"][:, :4] = failed
    results.columns["rounds"][:] = [[40], [44], [45], [7]]
    results.offenders[:] = -1, -1, -1, 3
    results.game_hashes[:] = 1, 2, 3, 3
    return pairings, results


def test_figures_worked_out_by_hand() -> None:
    pairings, results = by_hand()
    cheats = (ForfeitCount(0, "illegal move", 1, "a makes a forbidden move."),)
    result = summarise(TABLES, NAMES, pairings, results, cheats)
    # Best places of a and b: 1-2, 1-2 (a sits in seats 1 and 3 now), 1-1, 1-2 (but a cheats).
    assert (result.wins, result.draws, result.losses) == (2, 1, 0)
    assert result.games == result.counted == 4
    assert result.score == 2.5 / 4
    assert result.forfeits == cheats
    assert result.terminations == {"win": 2, "draw": 1, "illegal move": 1}
    assert result.distinct_games == 3
    assert result.seats == 4
    assert result.sides is not None
    a, b = result.sides
    # a: 100+80, 120+141, 50+20, 20+30; b: 90+70, 111+121, 50+10, 10-5.
    assert (a.points, b.points) == (561 / 8, 457 / 8)
    assert a.above == {110: 2 / 8, 120: 1 / 8, 140: 1 / 8}
    assert b.above == {110: 2 / 8, 120: 1 / 8, 140: 0.0}
    # Done: a 3+1, 4+2, 2+0, 0; b 1+1, 1+1, 1+1, 0. Not done: a 0+1, 0, 1, 0; b 1+1, 0, 0, 2+2.
    # Rounds: a seat of the fourth game counts as one of the others.
    a_counts, b_counts = (12 / 8, 2 / 8, 34.0), (6 / 8, 6 / 8, 34.0)
    columns = ("tickets_done", "tickets_failed", "rounds")
    assert a.columns == {"points": 561 / 8, **dict(zip(columns, a_counts, strict=True))}
    assert b.columns == {"points": 457 / 8, **dict(zip(columns, b_counts, strict=True))}
    assert (a.forbidden, b.forbidden) == (1, 0)
    assert result.columns == {}
    # Margins per game: 10, 14.5, 5, 22.5; per pair 12.25 and 13.75, so half of it is
    # 1.96 * 1.0607 / sqrt(2).
    assert result.margin == 13.0
    half = Z * math.sqrt(1.125) / math.sqrt(2)
    assert result.margin_interval == pytest.approx((13.0 - half, 13.0 + half))
    # a's pairs: 441/4 and 120/4.
    half = Z * (441 / 4 - 30) / 2
    assert a.points_interval == pytest.approx((561 / 8 - half, 561 / 8 + half))
    turned = result.reversed()
    assert (turned.sides, turned.margin, turned.losses) == ((b, a), -13.0, 2)
    assert turned.reversed() == result
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert (content["seats"], content["margin"]) == (4, 13.0)
    side = content["sides"][0]
    assert (side["points"], side["above"]) == (a.points, {"110": 0.25, "120": 0.125, "140": 0.125})
    assert (side["tickets_done"], side["tickets_failed"], side["forbidden_moves"]) == (1.5, 0.25, 1)


@pytest.mark.parametrize(
    ("seats", "first", "second"),
    [
        (2, [0, 1], [1, 0]),
        (3, [0, 1, 0], [1, 0, 1]),
        (4, [0, 1, 0, 1], [1, 0, 1, 0]),
        (5, [0, 1, 0, 1, 0], [1, 0, 1, 0, 1]),
    ],
)
def test_seats_alternate_and_are_changed_with_the_same_decks(
    seats: int, first: list[int], second: list[int]
) -> None:
    recorder = Recorder()
    players = make_player("random", TICKETS), make_player("random", TICKETS)
    result = duel(TICKETS, *players, games=5, seats=seats, executor=recorder)
    assert result.games == 6
    assert result.seats == seats
    (batch,) = recorder.batches
    assert batch.pairings[:, :seats].tolist() == [first, second] * 3
    assert (batch.pairings[:, seats:] == -1).all()
    assert np.array_equal(batch.seeds[0::2], batch.seeds[1::2])
    assert len(set(batch.seeds.tolist())) == 3


def test_three_seats_count_two_and_one() -> None:
    pairings = seat_players([[0, 1, 0], [1, 0, 1]], TABLES.most_seats)
    results = new_results(TICKETS, 2)
    results.columns["points"][:, :3] = [[30, 60, 90], [0, 30, 20]]
    results.places[:, :3] = [[3, 2, 1], [3, 1, 2]]
    results.offenders[:] = -1
    result = summarise(TABLES, NAMES, pairings, results, ())
    assert result.sides is not None
    assert [side.points for side in result.sides] == [50.0, 80 / 3]
    assert result.margin == (0 + 20) / 2
    assert result.margin_interval == (-math.inf, math.inf)
    content = result.to_dict()
    assert content["margin_95"] is None
    assert content["sides"][0]["points_95"] is None
    assert (result.wins, result.losses) == (2, 0)


def test_a_player_against_itself_is_even() -> None:
    """Both games of a pair are the same game, told from both sides."""
    players = make_player("random", TICKETS), make_player("random", TICKETS)
    result = duel(TICKETS, *players, games=60)
    assert result.wins == result.losses
    assert (result.margin, result.seats) == (0.0, 4)
    assert result.margin_interval == (0.0, 0.0)
    assert result.sides is not None
    assert result.sides[0].points == result.sides[1].points
    assert result.distinct_games == 30


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 0}, "games is 0"),
        ({"seats": 1}, "a table of 1 seats: there must be from 2 to 5"),
        ({"seats": 6}, "a table of 6 seats"),
        ({"games": 2, "opening_plies": 2}, "openings of 2 plies"),
    ],
)
def test_values_out_of_range_are_refused(options: dict[str, int], message: str) -> None:
    players = make_player("random", TICKETS), make_player("random", TICKETS)
    with pytest.raises(BadValueError, match=message):
        duel(TICKETS, *players, **options)
