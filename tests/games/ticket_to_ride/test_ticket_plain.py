"""The compiled Ticket to Ride and its rule player, move by move beside the plain Python double."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks import ticket_to_ride_plain_player as plain_player
from benchmarks.ticket_to_ride_plain import MOST_SWEEPS, Options, Randomness, Table
from evolve_arena.core.stream import below, new_stream
from evolve_arena.games.ticket_to_ride import layout
from evolve_arena.games.ticket_to_ride.layout import (
    MOVES,
    OVER,
    PHASE,
    ROUND,
    STATE_FIELDS,
    TicketRules,
)
from evolve_arena.games.ticket_to_ride.legality import list_moves
from evolve_arena.games.ticket_to_ride.options import CODE, OPTIONS, TEXT, parse_variant
from evolve_arena.games.ticket_to_ride.rule import rule_move
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal
from evolve_arena.games.ticket_to_ride.scoring import score
from evolve_arena.games.ticket_to_ride.views import hide
from evolve_arena.games.ticket_to_ride.workspace import SEAT_FIELDS, make_ticket_workspace
from evolve_arena.players.packed import simple_player

CHOICES = random.Random(20180904)
VARIANTS = [TEXT, CODE, *(CHOICES.getrandbits(len(OPTIONS)) for _ in range(8))]


def compiled_game(rules: TicketRules, seed: int) -> np.ndarray:
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(rules, rules.players, np.uint64(seed), state)
    return state


def moves_of(rules: TicketRules, state: np.ndarray) -> list[int]:
    moves = np.zeros(MOVES, dtype=np.int64)
    return moves[: list_moves(rules, state, moves)].tolist()


def reading_of(variant: int) -> plain_player.Reading:
    values = {option.name: option.values[variant >> bit & 1] for bit, option in enumerate(OPTIONS)}
    return plain_player.Reading(**values)


def test_both_draw_the_same_numbers() -> None:
    stream, randomness = new_stream(7), Randomness(7)
    drawn = [randomness.below(count) for count in range(1, 200)]
    assert drawn == [below(stream, count) for count in range(1, 200)]


def test_both_sweep_equally_often() -> None:
    assert MOST_SWEEPS == layout.MOST_SWEEPS


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(6))
def test_random_games(players: int, seed: int) -> None:
    options = {
        "players": players,
        "cards": (110, 92)[seed % 2],
        "longest_path": seed % 3 == 0,
        "sweep_first": seed % 4 > 0,
        "second_locomotive": seed % 5 == 0,
        "pink_line": seed != 1,
    }
    rules = TicketRules(**{name: int(value) for name, value in options.items()})
    table, state = Table(Options(**options), seed), compiled_game(rules, seed)  # type: ignore[arg-type]
    chance = random.Random(seed)
    while moves := table.moves():
        assert moves_of(rules, state) == moves
        move = chance.choice(moves)
        table.play(move)
        apply_move(rules, state, move)
    assert state[PHASE] == OVER
    assert state[ROUND] == table.round
    points = np.zeros(layout.MOST_PLAYERS, dtype=np.int64)
    score(rules, state, points)
    assert points[:players].tolist() == table.points()


@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_games_of_rule_players(number: int) -> None:
    """Every reading decides alike, from the player's own view alone."""
    variant, players, seed = VARIANTS[number], 2 + number % 4, 100 + number
    joker = number % 3 == 0
    rules = TicketRules(players=players, second_locomotive=int(joker), pink_line=number % 2)
    options = Options(players=players, second_locomotive=joker, pink_line=bool(number % 2))
    table, state = Table(options, seed), compiled_game(rules, seed)
    view = np.zeros(STATE_FIELDS, dtype=np.int64)
    workspace, luck = make_ticket_workspace(simple_player(SEAT_FIELDS)), Randomness(seed)
    workspace.streams[0] = seed
    reading = reading_of(variant)
    while table.moves():
        hide(state, table.to_move, view)
        move = rule_move(rules, view, table.to_move, variant, workspace)
        assert move == plain_player.choose_move(table, reading, luck)
        table.play(move)
        apply_move(rules, state, move)
    assert state[PHASE] == OVER


def test_named_readings_are_the_same_on_both_sides() -> None:
    assert reading_of(parse_variant("text")) == plain_player.TEXT
    assert reading_of(parse_variant("code")) == plain_player.CODE
