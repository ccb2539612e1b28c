"""The compiled arena of Ticket to Ride: decks, seats, offences, and independence of all else."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena, run_kernel
from evolve_arena.arena.batch import Results, make_batch, rotations, seat_players
from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.ticket_to_ride.kernel import judge, new_table, set_up
from evolve_arena.games.ticket_to_ride.layout import (
    DECK_AT,
    HAND_AT,
    KEEP_TICKETS,
    MOST_PLAYERS,
    MOVES,
    OFFENDER,
    OVER,
    PHASE,
    POINTS,
    TICKET_DECK_AT,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import list_moves
from evolve_arena.games.ticket_to_ride.network import DecisionDecoder
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal
from evolve_arena.games.ticket_to_ride.workspace import SEAT_FIELDS, make_ticket_workspace
from evolve_arena.players.packed import combine_players, simple_player
from evolve_arena.players.specification import make_player

GAME = make_game("ticket-to-ride")


def make_packed() -> tuple[object, int]:
    decoder = DecisionDecoder(masked=False)
    genomes = decoder.initialise(6, "uniform", np.random.default_rng(3))
    others = [make_player(name, GAME).packed for name in ("rule", "rule:code", "random")]
    packed = combine_players([decoder.pack(genomes), *others])
    return packed, len(packed.seats)


def make_matches(count: int, seed: int = 0) -> object:
    """Matches of two to five among networks, rule players and a random one."""
    packed, players = make_packed()
    generator = np.random.default_rng(seed)
    seatings = seat_players(generator.integers(0, players, (count, 5)), MOST_PLAYERS)
    for row, seats in zip(seatings, generator.integers(2, 6, count), strict=True):
        row[seats:] = -1
    return make_batch(GAME, packed, seatings, derive_seeds(seed, 0, "test", count))


def assert_same(one: Results, other: Results) -> None:
    for name, numbers in name_arrays(one).items():
        assert np.array_equal(numbers, name_arrays(other)[name]), name


def name_arrays(results: Results) -> dict[str, NDArray[Any]]:
    """All that came of some matches, by name."""
    named = {field.name: getattr(results, field.name) for field in fields(results)}
    columns = named.pop("columns")
    return {**named, **columns}


def test_results_do_not_depend_on_the_executor() -> None:
    batch = make_matches(150)
    expected = run_kernel(batch)
    assert_same(SerialExecutor().play(batch), expected)
    for workers in (2, 3):
        with ProcessExecutor(workers) as executor:
            assert_same(executor.play(batch), expected)
    assert 0 < np.count_nonzero(expected.offenders >= 0) < 150
    assert expected.distinct_games > 140


def test_results_do_not_depend_on_the_matches_before() -> None:
    batch = make_matches(60, seed=1)
    whole = run_kernel(batch)
    order = np.random.default_rng(1).permutation(60)
    turned = make_batch(GAME, batch.packed, batch.seatings[order], batch.seeds[order])
    results = run_kernel(turned)
    for name, numbers in name_arrays(whole).items():
        assert np.array_equal(name_arrays(results)[name], numbers[order]), name


def test_a_batch_of_no_matches_has_no_results() -> None:
    assert len(SerialExecutor().play(make_matches(0))) == 0


def test_places_and_points_agree_and_empty_seats_have_none() -> None:
    batch = make_matches(200, seed=2)
    results = run_kernel(batch)
    columns = results.columns
    for number, seating in enumerate(batch.seatings):
        players = int((seating >= 0).sum())
        points = columns["points"][number, :players].tolist()
        places = results.places[number, :players].tolist()
        offender = int(results.offenders[number])
        if offender < 0:
            assert places == [1 + sum(other > own for other in points) for own in points]
        else:
            assert places[offender] == players
            rest = [own for seat, own in enumerate(points) if seat != offender]
            expected = [1 + sum(other > own for other in rest) for own in rest]
            del places[offender]
            assert places == expected
        for name in ("points", "tickets_done", "tickets_failed"):
            assert not columns[name][number, players:].any()
        assert not results.places[number, players:].any()
        done, failed = (columns[f"tickets_{how}"][number, :players] for how in ("done", "failed"))
        assert done.min() >= 0
        held = done + failed
        assert held.min() >= 2 or offender >= 0


@settings(max_examples=50)
@given(seed=st.integers(0, 2**64 - 1), players=st.integers(2, 5))
def test_seats_are_dealt_the_same_whoever_sits_there(seed: int, players: int) -> None:
    """Rotated seatings with the same seed: common random numbers."""
    seatings = seat_players(rotations([list(range(players))]), MOST_PLAYERS)
    seeds = np.full(len(seatings), seed, dtype=np.uint64)
    workspace = make_ticket_workspace(simple_player(SEAT_FIELDS))
    tables = [new_table() for _ in seatings]
    for match, table in enumerate(tables):
        assert set_up(GAME.rules, seatings, seeds, match, table.state, workspace) == players
        assert np.array_equal(table.state, tables[0].state)
    expected = np.zeros_like(tables[0].state)
    deal(GAME.rules, players, np.uint64(seed), expected)
    assert np.array_equal(tables[0].state, expected)


def test_the_same_seats_with_the_same_seed_play_the_same_game() -> None:
    packed = combine_players([make_player("random", GAME).packed] * 4)
    seatings = seat_players(rotations([[0, 1, 2, 3]]), MOST_PLAYERS)
    seeds = np.full(4, 9, dtype=np.uint64)
    results = run_kernel(make_batch(GAME, packed, seatings, seeds))
    assert results.distinct_games == 1
    points = results.columns["points"]
    assert (points == points[0]).all()
    other = run_kernel(make_batch(GAME, packed, seatings, seeds + np.uint64(1)))
    assert other.distinct_games == 1
    assert other.games[0] != results.games[0]


def test_a_population_sits_beside_others() -> None:
    decoder = DecisionDecoder()
    genomes = decoder.initialise(3, "uniform", np.random.default_rng(1))
    rule = make_player("rule", GAME).packed
    seatings = seat_players([[0, 3, 1, 3], [3, 2, 3, 0]], MOST_PLAYERS)
    seeds = np.arange(2, dtype=np.uint64)
    arena = Arena(decoder, SerialExecutor())
    results = arena.play(genomes, seatings, seeds, others=[rule])
    packed = combine_players([decoder.pack(genomes), rule])
    assert_same(results, run_kernel(make_batch(GAME, packed, seatings, seeds)))
    assert arena.games == 2
    noisy = arena.play(genomes, seatings, seeds, others=[rule], noise=0.5)
    assert not np.array_equal(noisy.games, results.games)
    assert arena.games == 4


def test_another_number_of_players_is_dealt_other_hands() -> None:
    two, three = np.zeros_like(new_table().state), np.zeros_like(new_table().state)
    deal(GAME.rules, 2, np.uint64(1), two)
    deal(GAME.rules, 3, np.uint64(1), three)
    first = slice(player_at(0) + HAND_AT, player_at(0) + HAND_AT + 9)
    assert np.array_equal(two[first], three[first])
    assert not np.array_equal(two[DECK_AT:TICKET_DECK_AT], three[DECK_AT:TICKET_DECK_AT])


@pytest.mark.parametrize(
    ("points", "offender", "places"),
    [
        ([30, 20, 10, 5], -1, [1, 2, 3, 4]),
        ([30, 20, 10, 5], 1, [1, 4, 2, 3]),
        ([30, 20, 10, 5], 3, [1, 2, 3, 4]),
        ([30, 30, 10, 5], 0, [4, 1, 2, 3]),
        ([10, 20, 20, 20], -1, [4, 1, 1, 1]),
        ([10, 20, 20, 20], 2, [3, 1, 4, 1]),
    ],
)
def test_who_offends_is_last(points: list[int], offender: int, places: list[int]) -> None:
    table = new_table()
    deal(GAME.rules, 4, np.uint64(5), table.state)
    for seat, number in enumerate(points):
        table.state[player_at(seat) + POINTS] = number  # and no tickets yet
    table.state[PHASE], table.state[OFFENDER] = OVER, offender
    judge(GAME.rules, table)
    assert table.points[:4].tolist() == points
    assert table.places[:4].tolist() == places


def test_the_hash_is_that_of_the_moves() -> None:
    """A random game, played again from the streams of cards and players."""
    packed = make_player("random", GAME).packed
    seatings, seeds = seat_players([[0, 0]], MOST_PLAYERS), np.array([12345], np.uint64)
    results = run_kernel(make_batch(GAME, packed, seatings, seeds))
    word = (12345 ^ 0xA24BAED4963EE407) & (2**64 - 1)
    stream = scramble(word)
    state, moves = np.zeros_like(new_table().state), np.zeros(MOVES, np.int64)
    deal(GAME.rules, 2, seeds[0], state)
    value, played = 0xCBF29CE484222325, []
    while state[PHASE] != OVER:
        count = list_moves(GAME.rules, state, moves)
        place = 0
        if count > 1:
            stream = (stream + 0x9E3779B97F4A7C15) % 2**64
            place = (scramble(stream) >> 32) * count >> 32
        move = int(moves[place])
        value = (value ^ (move + 1)) * 0x100000001B3 % 2**64
        apply_move(GAME.rules, state, move)
        played.append(move)
    assert played[0] > KEEP_TICKETS
    assert int(results.games[0]) == value
    assert results.plies[0] == len(played)


def scramble(word: int) -> int:
    """SplitMix64's output function, in plain integers."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
    return word ^ word >> 31


def test_as_many_can_play_as_the_framework_allows() -> None:
    assert find_game("ticket-to-ride").most_seats == MOST_PLAYERS
