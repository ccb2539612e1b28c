"""The game as everything above uses it: values, outcomes, texts, options."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError, GameOverError, IllegalMoveError, PositionError
from evolve_arena.core.registry import game_of, make_game
from evolve_arena.games.ticket_to_ride.game import OBSERVED, TicketToRide
from evolve_arena.games.ticket_to_ride.layout import OVER, PHASE, POINTS, ROUND, player_at
from evolve_arena.games.ticket_to_ride.position import Position


def test_it_is_made_by_name_and_by_its_rules():
    game = make_game("ticket-to-ride", players=3, cards=92)
    assert (
        game_of(game.rules).options == game.options == {**TicketToRide(players=3, cards=92).options}
    )
    assert game.seats == 3
    assert game.describe() == "the map of the United States, 3 players, 92 cards"
    other = TicketToRide(longest_path=1, pink_line=0)
    assert "with points for the longest path, without the pink line" in other.describe()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"players": 1}, "players is 1: it must be from 2 to 5"),
        ({"players": 6}, "players is 6: it must be from 2 to 5"),
        ({"cards": 100}, "cards is 100: it must be 110 or 92"),
        ({"tie_breaks": 2}, "tie_breaks is 2: it must be 0 or 1"),
    ],
)
def test_options_out_of_range(options, told):
    with pytest.raises(BadValueError, match=told):
        TicketToRide(**options)


@pytest.mark.parametrize("players", [2, 5])
def test_a_game_to_its_end_by_texts(players):
    game, chooser = TicketToRide(players=players), random.Random(players)
    state, texts = game.initial(9), []
    while game.outcome(state) is None:
        before = state.array.copy()
        move = chooser.choice(game.legal_moves(state))
        texts.append(game.format_move(move))
        assert game.move_of(game.number_of(move)) == game.parse_move(texts[-1]) == move
        after = game.play(state, move)
        assert (state.array == before).all()
        assert "round" in str(after)
        state = after
    outcome = game.outcome(state)
    assert outcome is not None
    assert outcome.points == game.points(state)
    assert sum(outcome.scores) == pytest.approx(1.0)
    assert outcome.reason.endswith(f"and {outcome.points[-1]} points after {state.round} rounds")
    assert game.legal_moves(state) == []
    with pytest.raises(GameOverError, match="after the end of the game"):
        game.play(state, game.parse_move("draw deck"))
    again = game.parse_position("seed 9: " + ";\n".join(texts))
    assert again == state
    assert hash(again) == hash(state)


def test_the_win_is_shared_by_who_is_first():
    game = TicketToRide(players=3)
    array = game.initial().array.copy()
    array[PHASE], array[ROUND] = OVER, 7
    for seat, points in enumerate((30, 12, 30)):
        array[player_at(seat) + POINTS] = points
    outcome = game.outcome(Position(game.rules, array))
    assert outcome is not None
    assert outcome.scores == (0.5, 0.0, 0.5)
    assert outcome.winner is None
    assert outcome.points == (30, 12, 30)
    assert outcome.reason == "30, 12 and 30 points after 7 rounds"
    assert game.places(Position(game.rules, array)) == (1, 3, 1)


def test_different_seeds_are_different_games_and_big_ones_wrap():
    game = TicketToRide()
    assert game.initial(1) != game.initial(2)
    assert game.initial(1) == game.initial(1 + 2**64)
    assert game.initial(-1) == game.initial(2**64 - 1)
    assert game.initial() == game.initial(0)


def test_positions_are_values_that_nobody_can_change():
    state = TicketToRide().initial()
    with pytest.raises(ValueError, match="read-only"):
        state.array[0] = 3
    assert state != TicketToRide(players=3).initial()


def test_a_view_can_not_be_played_on():
    game = TicketToRide()
    state = game.initial()
    with pytest.raises(IllegalMoveError, match="the decks are hidden"):
        game.play(game.view(state, 0), game.parse_move("keep 1 2"))


@pytest.mark.parametrize(
    ("before", "move", "told"),
    [
        ("", "keep 1", "'keep 1': at least two of 3 offered tickets must be kept"),
        ("", "draw deck", "at least two of 3"),
        ("keep 1 2;keep 1 2", "pass", "'pass': there is something else to do"),
        ("keep 1 2;keep 1 2", "keep 1 2", "no tickets are offered"),
        ("keep 1 2;keep 1 2", "claim Portland-San Francisco green", "the cards do not suffice: "),
        ("keep 1 2;keep 1 2;draw deck", "tickets", "the turn goes on with a second card"),
        ("keep 1 2;keep 1 2;draw deck", "claim Dallas-Houston red", "goes on with a second card"),
    ],
)
def test_what_is_wrong_with_a_move(before, move, told):
    game = TicketToRide(players=2)
    state = game.parse_position(before)
    with pytest.raises(IllegalMoveError) as raised:
        game.play(state, game.parse_move(move))
    assert told in str(raised.value)


def test_a_number_that_is_no_move(line_of):
    game = TicketToRide(players=2)
    red_paid_blue = 9 * line_of("Dallas", "El Paso") + 1
    for move in (-1, 919, red_paid_blue):
        with pytest.raises(IllegalMoveError, match=f"no move has the number {move}"):
            game.play(game.parse_position("keep 1 2;keep 1 2"), move)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("seed x", "a seed is a number, as in seed 7: keep 1 2"),
        ("seed 7: keep 1", "move 1, 'keep 1': 'keep 1': at least two"),
        ("seed 7: keep 1 2; hop", "move 2, 'hop': there is no move 'hop'"),
    ],
)
def test_texts_that_describe_no_position(text, told):
    with pytest.raises(PositionError) as raised:
        TicketToRide().parse_position(text)
    assert told in str(raised.value)


def test_observation_counts_seats_on_from_the_own():
    game = TicketToRide(players=3)
    state = game.parse_position("seed 4: keep 1 2; keep 1 2 3; keep 2 3; draw deck; draw deck")
    seen = game.observe(state, 2)
    assert seen.shape == (OBSERVED,)
    assert seen.dtype == np.int16
    assert seen[:9].tolist() == [3, 1, 1, 0, 110 - 12 - 5 - 2, 0, 30 - 7, 2, -1]
    assert seen[9:18].sum() == 5
    assert seen[27:36].sum() == 4
    assert np.flatnonzero(seen[66:96]).tolist() == sorted(state.tickets(2))
    assert set(seen[96:196]) == {-1}
    assert seen[196:].tolist() == [
        *[45, 0, 4, 2],
        *[45, 0, 6, 2],
        *[45, 0, 4, 3],
        *[0] * 8,
    ]
