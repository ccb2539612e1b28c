"""Logs of decisions: the games that the arena plays, turn by turn, in parts of any size."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import Results, Seatings, make_batch, seat_players
from evolve_arena.arena.match import play_match
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.ticket_to_ride.kernel import decision_of
from evolve_arena.games.ticket_to_ride.layout import (
    DRAW_DECK,
    DRAW_OPEN,
    DRAW_TICKETS,
    MOST_PLAYERS,
    PASS,
    TURN,
)
from evolve_arena.games.ticket_to_ride.logs import DecisionLog, join_logs, log_games
from evolve_arena.games.ticket_to_ride.network import DecisionDecoder
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.specification import make_player

GAME = make_game("ticket-to-ride", players=3)
NAMES = [field.name for field in fields(DecisionLog)]


def make_players() -> list[CompiledPlayer]:
    decoder = DecisionDecoder(players=3, masked=False)
    genome = decoder.initialise(1, "uniform", np.random.default_rng(5))[0]
    names = ("rule", "rule:code", "random")
    return [*(make_player(name, GAME) for name in names), decoder.player(genome, "network")]


def make_seatings(count: int) -> tuple[Seatings, np.ndarray]:
    tables = np.random.default_rng(count).integers(0, 4, (count, 3))
    return seat_players(tables, MOST_PLAYERS), derive_seeds(count, 0, "test", count)


def play(players: list[CompiledPlayer], seatings: Seatings, seeds: np.ndarray) -> Results:
    packed = combine_players([player.packed for player in players])
    return run_kernel(make_batch(GAME, packed, seatings, seeds))


def test_logged_games_are_those_of_the_arena() -> None:
    players = make_players()
    seatings, seeds = make_seatings(25)
    (log,) = log_games(GAME, players, seatings, seeds)
    results = play(players, seatings, seeds)
    assert np.array_equal(log.points, results.columns["points"])
    assert np.array_equal(log.places, results.places)
    assert np.array_equal(log.offenders, results.offenders)
    assert 0 < np.count_nonzero(log.offenders >= 0) < 25
    for match in np.flatnonzero(log.offenders < 0):
        assert log.rounds[log.games == match].max() == results.columns["rounds"][match]


def test_decisions_are_those_of_the_turns() -> None:
    """The same matches move by move: who decided what, in which round, and what it had."""
    players = make_players()
    seatings, seeds = make_seatings(25)
    (log,) = log_games(GAME, players, seatings, seeds)
    row = 0
    for match in range(25):
        seen: list[tuple[Position, int]] = []
        positions: list[Position] = []

        def watch(
            position: Position,
            move: int | None,
            seen: list[tuple[Position, int]] = seen,
            positions: list[Position] = positions,
        ) -> None:
            if move is not None:
                seen.append((positions[-1], move))
            positions.append(position)

        seated = [players[player] for player in seatings[match, :3]]
        play_match(GAME, seated, seed=int(seeds[match]), watch=watch)
        for position, move in seen:
            if position.phase != TURN:
                continue
            seat = position.to_move
            assert (log.games[row], log.seats[row]) == (match, seat)
            assert log.rounds[row] == position.round == log.features[row, 0]
            assert log.features[row, 1] == position.cards(seat)
            assert log.features[row, 7] == position.trains(seat)
            assert log.features[row, 14] == 3
            taken = 3 if move < 900 else 0 if move == 918 else 2 if move == 910 else 1
            assert log.classes[row] == taken
            row += 1
    assert row == len(log)


@pytest.mark.parametrize("rows", [50, 130, 500])
def test_parts_of_any_size_hold_the_same(rows: int) -> None:
    players = make_players()
    seatings, seeds = make_seatings(12)
    (whole,) = log_games(GAME, players, seatings, seeds)
    parts = list(log_games(GAME, players, seatings, seeds, rows=rows))
    assert len(parts) > 1
    assert all(set(part.games.tolist()) for part in parts)
    joined = join_logs(parts)
    for name in NAMES:
        assert np.array_equal(getattr(joined, name), getattr(whole, name)), name
        assert getattr(joined, name).dtype == getattr(whole, name).dtype


def test_of_no_games_there_is_no_log() -> None:
    assert list(log_games(GAME, make_players(), *make_seatings(0))) == []


def test_the_class_of_each_move() -> None:
    moves = (0, 899, DRAW_DECK, DRAW_OPEN, DRAW_OPEN + 8, DRAW_TICKETS, PASS)
    assert [decision_of(move) for move in moves] == [3, 3, 1, 1, 1, 2, 0]


def test_players_of_other_games_are_refused() -> None:
    stranger = make_player("random", make_game("connect-four"))
    with pytest.raises(BadValueError, match="connect-four"):
        list(log_games(GAME, [stranger], *make_seatings(1)))
