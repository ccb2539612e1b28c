"""Exported bots of Ticket to Ride: the arena's moves, no illegal one, from what a seat may see."""

from __future__ import annotations

import ast
import json
import random
import shlex
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve_arena.arena.match import Termination, at_seats, play_match
from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.core.stream import new_stream
from evolve_arena.games.ticket_to_ride.board import CITIES
from evolve_arena.games.ticket_to_ride.choose import begin_weighing, weigh_decisions, weigh_move
from evolve_arena.games.ticket_to_ride.dialect import TicketDialect, describe_view
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import (
    DECK_SIZE,
    DISCARD_AT,
    HAND_AT,
    LAST_SEAT,
    OFFENDER,
    PART_AT,
    PHASE,
    SECOND_CARD,
    STREAM,
    TICKET_DECK_AT,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.move_features import INPUTS
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.situation import MOVES_AT
from evolve_arena.games.ticket_to_ride.workspace import make_ticket_workspace
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import NOISE
from evolve_arena.players.player import make_random
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from tests.bred import make_bred, random_positions

GAME = TicketToRide()
DIALECT = TicketDialect()
PLAYERS = {
    "moves, relu": ("moves", {"hidden": (16,), "activation": "relu"}),
    "moves, tanh, code": ("moves", {"hidden": (20, 5), "variant": "code", "pink_line": 0}),
    "moves, no hidden units": ("moves", {"hidden": ()}),
    "decisions": ("decision", {}),
    "decisions, 28, raw": (
        "decision",
        {"features": 28, "scaling": "raw", "hidden": (9, 17), "activation": "sigmoid"},
    ),
    "decisions, unmasked": ("decision", {"masked": False, "variant": "text,long=6,needs=lengths"}),
    "graph of decisions": ("graph", {"variant": "text,lacking=none"}),
    "graph of moves": ("graph", {"head": "action"}),
}


@cache
def bred(kind: str) -> BredPlayer:
    network, settings = PLAYERS[kind]
    return make_bred("ticket-to-ride", network, seed=3, **settings)


@cache
def load_bot(kind: str) -> dict[str, Any]:
    """What the exported file defines."""
    space: dict[str, Any] = {"__name__": "bot"}
    text = export_player(bred(kind), "python")
    exec(compile(text, kind, "exec", dont_inherit=True), space)
    return space


@cache
def views(seats: int) -> list[Position]:
    game = at_seats(GAME, seats)
    return [game.view(each, each.to_move) for each in random_positions(game, 30, seed=seats)]


@pytest.mark.parametrize("kind", PLAYERS)
def test_it_chooses_the_arenas_moves(kind: str) -> None:
    player, choose = bred(kind), load_bot(kind)["choose"]
    chosen = set()
    for seats in (2, 5):
        for number, view in enumerate(views(seats)):
            given = Position(player.game.rules, view.array.copy(), view.seen_by)
            ours, theirs = new_stream(number), [number]
            expected = player.choose(given, ours)
            told = json.loads(json.dumps(describe_view(given)))
            move = choose(told, theirs)
            assert move in told["moves"]
            if expected >= 0:  # else the arena forfeits, and the bot does the next best
                assert (move, theirs) == (GAME.format_move(expected), ours.tolist())
            chosen.add(move.split()[0])
    assert len(chosen) > 1


def test_a_view_has_all_that_a_seat_may_know() -> None:
    """Of fields that a seat sees only those are missing on which no move depends."""
    read_view = load_bot("moves, relu")["read_view"]
    parts = [player_at(seat) + PART_AT for seat in range(5)]
    last = 0
    for position in [*random_positions(at_seats(GAME, 2), 200), *random_positions(GAME, 200)]:
        view = GAME.view(position, position.to_move)
        expected, found = view.array.copy(), np.array(read_view(describe_view(view)))
        last += int(expected[LAST_SEAT] >= 0)
        for state in (expected, found):
            state[[STREAM, OFFENDER]] = 0
            state[DISCARD_AT : DISCARD_AT + 9] = 0
            for seat in range(5):
                if seat >= view.players:
                    state[player_at(seat) : player_at(seat + 1)] = 0
                elif seat != view.to_move:
                    state[parts[seat] : parts[seat] + CITIES] = 0
                    state[player_at(seat) + HAND_AT : player_at(seat) + HAND_AT + 9] = 0
        assert found.tolist() == expected.tolist()
    assert last > 0


@pytest.mark.parametrize(("kind", "seats"), [("moves, relu", 2), ("moves, tanh, code", 5)])
def test_a_game_is_played_with_the_file_alone(kind: str, seats: int) -> None:
    """Its states are those of the arena, but for the sign of the stream's word."""
    bot = load_bot(kind)
    game = at_seats(bred(kind).game, seats)
    for seed in (3, 2**63 + 5):
        choices = random.Random(seed)
        state, expected = bot["start"](seats, seed), game.initial(seed)
        while not expected.is_over:
            state[STREAM] = int(expected.array[STREAM])
            assert state == expected.array.tolist()
            assert bot["result"](state) is None
            assert bot["view"](state) == describe_view(expected)
            move = choices.choice(game.legal_moves(expected))
            assert game.format_move(move) in bot["legal"](state)
            state = bot["play"](state, game.format_move(move))
            expected = game.play(expected, move)
        assert bot["result"](state) == game.points(expected)
        assert bot["legal"](state) == []
    with pytest.raises(ValueError, match="no move 'draw deck' here"):
        bot["play"](bot["start"](seats), "draw deck")
    with pytest.raises(ValueError, match="2 to 5 play"):
        bot["start"](1)
    state = bot["start"](seats)
    assert bot["choose"](bot["view"](state)) in bot["legal"](state)


@pytest.mark.parametrize("kind", PLAYERS)
def test_the_network_gives_the_arenas_numbers(kind: str) -> None:
    player, evaluate = bred(kind), load_bot(kind)["evaluate_numbers"]
    packed, workspace = player.packed, make_ticket_workspace(player.packed)
    network, generator = workspace.network, np.random.default_rng(2)
    for _ in range(5):
        network.inputs[:INPUTS] = generator.normal(size=INPUTS)
        if player.decoder.head == "decision":
            _weigh_decisions(packed, 0, network)
            expected = network.worths[:4].tolist()
        else:
            network.places[: INPUTS - MOVES_AT] = np.arange(MOVES_AT, INPUTS)
            expected = [_weigh_move(packed, 0, network, INPUTS - MOVES_AT)]
        assert evaluate(network.inputs.tolist())[: len(expected)] == expected
        assert np.isfinite(expected).all()


@compiled
def _weigh_decisions(packed: Any, player: int, network: Any) -> None:
    weigh_decisions(packed, player, network)


@compiled
def _weigh_move(packed: Any, player: int, network: Any, count: int) -> Any:
    begin_weighing(packed, player, network)
    return weigh_move(packed, player, network, count)


def test_the_arenas_forfeits_are_the_next_best(
    make_state: Callable[..., Any],
) -> None:
    """Who has no card can't claim, but one output is always the strongest."""
    position = Position(TicketRules(), make_state(deck="red blue", opened="red"))
    player = bred("decisions, unmasked")
    genome = np.zeros_like(player.genome)  # type: ignore[attr-defined]
    genome[-4:] = 0.0, 0.5, 0.2, 1.0  # the biases of the outputs: claim, else draw a card
    keen = player.decoder.player(genome, "keen")
    assert keen.choose(position, new_stream(0)) == -1
    space: dict[str, Any] = {"__name__": "bot"}
    exec(compile(str(export_player(keen, "python")), "keen", "exec", dont_inherit=True), space)
    assert space["choose"](describe_view(position)) in ("draw deck", "draw red")


def test_chance_comes_from_the_stream(make_state: Callable[..., Any]) -> None:
    """Nothing is lacking and the deck is empty: any open card will do."""
    state = make_state(hands=("red",), opened="red blue green white black")
    state[PHASE] = SECOND_CARD
    position = Position(TicketRules(), state)
    view, choose = describe_view(position), load_bot("decisions")["choose"]
    drawn = set()
    for seed in range(20):
        ours, theirs = new_stream(seed), [seed]
        expected = GAME.format_move(bred("decisions").choose(position, ours))
        assert (choose(view, theirs), theirs) == (expected, ours.tolist())
        assert theirs != [seed]
        drawn.add(expected)
    assert len(drawn) > 2


def test_the_file_is_python_3_8_and_needs_nothing_else() -> None:
    for kind in ("moves, relu", "decisions", "graph of decisions"):
        tree = ast.parse(str(export_player(bred(kind), "python")), feature_version=(3, 8))
        modules = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                modules.add(str(node.module))
            elif isinstance(node, ast.Import):
                modules.update(alias.name for alias in node.names)
        assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


def test_what_a_player_does_not_need_is_left_out() -> None:
    moves, decisions = load_bot("moves, relu"), load_bot("decisions")
    assert "choose_tickets" in decisions
    assert "choose_tickets" not in moves
    assert "describe_move" in moves
    assert "describe_move" not in decisions


def test_a_player_that_moves_at_random_is_refused() -> None:
    player = make_bred("ticket-to-ride", "moves")
    player.packed.seats[0, NOISE] = 1
    with pytest.raises(BadValueError, match="random moves"):
        export_player(player, "python")


@pytest.mark.parametrize("seats", [2, 5])
def test_it_plays_as_a_process(tmp_path: Path, seats: int) -> None:
    file = tmp_path / "bot.py"
    file.write_text(str(export_player(bred("decisions"), "python")), encoding="utf-8")
    game = at_seats(GAME, seats)
    bot = ProcessPlayer(game, f"{shlex.quote(sys.executable)} -IS {shlex.quote(str(file))}")
    bot.check_ready()
    others = [make_random(game)] * (seats - 1)
    match = play_match(game, [*others, bot], seed=seats)
    assert match.termination in (Termination.WIN, Termination.DRAW), match.sentence
    # With the player itself in its place the moves are the same, where chance is.
    assert match.moves == play_match(game, [*others, bred("decisions")], seed=seats).moves


# The dialect


def test_what_is_hidden_is_not_told() -> None:
    for position in random_positions(GAME, 20, seed=1):
        seat = position.to_move
        changed = position.array.copy()
        changed[STREAM] += 1
        changed[TICKET_DECK_AT : TICKET_DECK_AT + 30] = -1
        other = player_at((seat + 1) % 4)
        changed[other + HAND_AT : other + HAND_AT + 9] += 1
        told = DIALECT.show(Position(position.rules, changed))
        assert told == DIALECT.show(position) == DIALECT.show(GAME.view(position, seat))
        assert told.count("\n") == 1


def test_a_view_tells_what_lies_there(make_state: Callable[..., Any]) -> None:
    state = make_state(3, hands=("red red blue",), deck="red blue", opened="pink", discarded="red")
    told = describe_view(Position(TicketRules(), state))
    assert (told["seat"], told["phase"], told["last_seat"]) == (0, "turn", None)
    assert (told["deck"], told["open"], told["discarded"]) == (2, ["pink"], {"red": 1})
    assert (told["hand"], told["tickets"]) == ({"red": 2, "blue": 1}, [])
    assert told["seats"][0] == {"trains": 45, "points": 0, "cards": 3, "tickets": 0}
    assert len(told["seats"]) == 3
    assert told["claimed"] == {}
    assert "claim Dallas-Houston red" in told["moves"]
    game = at_seats(GAME, 3)
    after = game.play(Position(TicketRules(), state), game.parse_move("claim Dallas-Houston red"))
    assert describe_view(after)["claimed"] == {"Dallas-Houston": [0, None]}
    assert int(after.array[DECK_SIZE]) == describe_view(after)["deck"]


def test_answers_are_read() -> None:
    position = GAME.view(GAME.initial(3), 0)
    assert DIALECT.read(GAME, position, b"move keep 1 3") == GAME.parse_move("keep 1 3")
    assert DIALECT.read(GAME, position, b"keep 1 3") is None
    assert DIALECT.read(GAME, position, b"move \xff") is None
    with pytest.raises(IllegalMoveError, match="at least two of 3 offered tickets"):
        DIALECT.read(GAME, position, b"move keep 1")
    with pytest.raises(IllegalMoveError, match="there is no city"):
        DIALECT.read(GAME, position, b"move claim Dalas-Paris red")
