"""Exported checkers bots: the arena's moves, no illegal one, and every host can ask them."""

from __future__ import annotations

import ast
import itertools
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyspiel
import pytest

from evolve_arena.arena.match import Termination, play_match
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import new_stream
from evolve_arena.games.checkers.board import note_position
from evolve_arena.games.checkers.export_python import export_checkers
from evolve_arena.games.checkers.game import Checkers, Move, Position
from evolve_arena.games.checkers.linear import LinearDecoder, make_minimax
from evolve_arena.games.checkers.network import CheckersNetworkDecoder
from evolve_arena.games.checkers.search import find_moves
from evolve_arena.games.checkers.spec import CheckersDialect
from evolve_arena.games.checkers.values import make_checkers_workspace
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.dialects import Limits
from evolve_arena.players.player import make_random
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from tests.bred import make_bred

GAME = Checkers()
DIALECT = CheckersDialect()
Names = dict[str, Any]

LINEAR = {
    "pieces": (LinearDecoder(features=4, depth=3), "pieces", 450),
    "pieces, deep": (LinearDecoder(features=4, depth=6), "pieces", 50),
    "pieces, quiet": (LinearDecoder(features=4, depth=2, quiet=True), "pieces", 500),
    "14": (LinearDecoder(features=14, depth=2), "uniform", 300),
    "14, light first": (LinearDecoder(features=14, depth=1, turned=1), "uniform", 200),
    "14 binary, quiet": (
        LinearDecoder(features=14, encoding="binary", depth=2, quiet=True),
        "normal",
        300,
    ),
    "20": (LinearDecoder(features=20, depth=2), "pieces:0.1", 200),
}
NETWORKS = {
    "tanh": (CheckersNetworkDecoder(depth=2), 30),
    "sigmoid, quiet": (
        CheckersNetworkDecoder(hidden=(9, 5), activation="sigmoid", depth=1, quiet=True),
        100,
    ),
    "relu": (CheckersNetworkDecoder(hidden=(17,), activation="relu", depth=2), 40),
    "subsquares, plain output": (
        CheckersNetworkDecoder(hidden=(4, 3), subsquares=True, piece_difference=False, depth=1),
        40,
    ),
}

GRAPHS = {"two plies": ({"depth": 2}, 60), "quiet": ({"depth": 1, "quiet": True}, 100)}


@cache
def random_positions(game: Checkers = GAME) -> list[Position]:
    """Positions of a hundred random games, mixed; none is over."""
    chance = random.Random(4)
    positions = []
    for _ in range(100):
        position = game.initial()
        while game.outcome(position) is None:
            positions.append(position)
            position = game.play(position, chance.choice(game.legal_moves(position)))
    chance.shuffle(positions)
    return positions


@cache
def endgames() -> list[Position]:
    """Positions of games with a few kings that either like to go back, or go on and on."""
    chance = random.Random(5)
    positions = []
    for number in range(8):
        position = GAME.parse_position("W:WK1,K5,K9:BK32,K28")
        before: list[Move] = []
        while GAME.outcome(position) is None:
            positions.append(position)
            moves = GAME.legal_moves(position)
            back = Move(before[-2].path[::-1]) if len(before) > 1 else None
            if number % 2:
                moves = [m for m in moves if goes_on(GAME.play(position, m))] or moves
            elif back in moves and chance.random() < 0.5:
                moves = [back]
            before.append(chance.choice(moves))
            position = GAME.play(position, before[-1])
    return positions


def goes_on(position: Position) -> bool:
    """Whether there are moves, and none is a capture."""
    moves = GAME.legal_moves(position)
    return bool(moves) and not moves[0].is_capture


def make_player(
    decoder: LinearDecoder | CheckersNetworkDecoder, initialisation: str = "uniform", seed: int = 0
) -> BredPlayer:
    genome = decoder.initialise(1, initialisation, np.random.default_rng(seed))[0]
    return decoder.player(genome, "champion")


def run_source(source: str) -> Names:
    """What the file defines, if run as Kaggle runs it: in an empty dictionary."""
    names: Names = {}
    exec(compile(source, "bot.py", "exec"), names)
    return names


def export(player: BredPlayer) -> Names:
    """What the player's file defines; its random numbers begin as always."""
    names = run_source(export_checkers(player))
    names["CHANCE"].state = 0
    return names


def tell(bot: Names, position: Position) -> Any:
    """The position as the bot knows it, repetitions included."""
    return bot["set_up"](DIALECT.show(position).split()[1:])


def path(bot: Names, move: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(bot["square_of"](bit) for bit in move[1:])


def search_in_arena(player: BredPlayer, position: Position) -> tuple[list[tuple[int, ...]], int]:
    """The best moves in order, and their value."""
    workspace = make_checkers_workspace(player.packed)
    own, other = position.dark, position.light
    if position.side:
        own, other = other, own
    board = np.uint64(own), np.uint64(other), np.uint64(position.kings), position.side
    quiet = len(position.past)
    workspace.past[:quiet] = np.array(position.past, dtype=np.uint64)
    note_position(workspace.past, quiet, *board)
    found, value = find_moves(player.packed, 0, *board, quiet, workspace)
    return [GAME.move_of(int(word)).path for word in workspace.moves[:found]], int(value)


def search_in_bot(bot: Names, told: Any) -> tuple[list[tuple[int, ...]], int]:
    search = bot["Search"](told.side, None)
    moves, value = search.find_best(told, bot["list_moves"](*told[:4]), bot["DEPTH"])
    return [path(bot, move) for move in moves], value


def compare(player: BredPlayer, positions: list[Position]) -> int:
    """Asserts that the bot's moves are the arena's, of some also the values."""
    bot = export(player)
    several = 0
    for number, position in enumerate(positions):
        told = tell(bot, position)
        bot["CHANCE"].state = number
        chosen = path(bot, bot["choose"](told))
        assert chosen == player.choose(position, new_stream(number)).path, position.fen()
        if number % 4 == 0:
            best = search_in_arena(player, position)
            assert search_in_bot(bot, told) == best, position.fen()
            several += len(best[0]) > 1
    return several


@pytest.mark.parametrize("name", LINEAR)
def test_bots_of_features_choose_the_arenas_moves(name: str) -> None:
    decoder, initialisation, count = LINEAR[name]
    positions = random_positions(Checkers(turned=decoder.turned))[:count]
    several = compare(make_player(decoder, initialisation), positions)
    assert len(positions) == count
    if initialisation == "pieces":
        assert several > count // 16  # of the quarter that was looked at


def test_two_thousand_positions_are_compared() -> None:
    assert sum(count for _, _, count in LINEAR.values()) == 2000


@pytest.mark.parametrize("name", NETWORKS)
def test_bots_of_networks_choose_the_arenas_moves(name: str) -> None:
    decoder, count = NETWORKS[name]
    compare(make_player(decoder), random_positions()[:count])


@pytest.mark.parametrize("name", GRAPHS)
def test_bots_of_graphs_choose_the_arenas_moves(name: str) -> None:
    settings, count = GRAPHS[name]
    for seed in range(2):
        compare(make_bred("checkers", "graph", seed, **settings), random_positions()[:count])


def test_large_and_strange_weights_play_as_in_the_arena() -> None:
    generator = np.random.default_rng(3)
    decoder = CheckersNetworkDecoder(hidden=(5, 3), activation="relu", depth=1)
    genome = decoder.initialise(1, "uniform", generator)[0] * np.float32(1e12)
    strange = generator.random(decoder.genes) < 0.1
    genome[strange] = generator.choice([np.inf, -np.inf, np.nan], strange.sum())
    with np.errstate(invalid="ignore"):
        compare(decoder.player(genome, "strange"), random_positions()[:100])
    linear = LinearDecoder(features=14, depth=1)
    genome = linear.initialise(1, "uniform", generator)[0] * np.float32(1e9)
    compare(linear.player(genome, "large"), random_positions()[:50])


def test_repetitions_and_forty_moves_without_progress_count_as_draws() -> None:
    player = make_player(LinearDecoder(features=4, depth=1), "pieces")
    positions = endgames()
    drawn = exhausted = 0
    for position in positions:
        after = [GAME.play(position, move) for move in GAME.legal_moves(position)]
        drawn += any(GAME.legal_moves(place) == [] for place in after)
        exhausted += len(position.past) == 79
    assert drawn > 10
    assert exhausted >= 4
    compare(player, positions)


def test_draw_by_hand() -> None:
    """Light is a king behind. Going to 5 for the third time draws; else it stays behind."""
    bot = export(make_player(LinearDecoder(features=4, depth=1), "pieces"))
    begin = "W:WK9:BK27,K28 moves 9-5 27-32 5-1 32-27"
    once = bot["set_up"](begin.split())
    twice = bot["set_up"](f"{begin} 1-5 27-32 5-1 32-27".split())
    assert search_in_bot(bot, twice) == ([(1, 5)], 0)
    best, value = search_in_bot(bot, once)
    assert (sorted(best), value) == ([(1, 5), (1, 6)], round(-1.5 * 2**20))


@pytest.mark.parametrize(
    ("fen", "counts"),
    [
        (GAME.initial().fen(), [7, 49, 302, 1469, 7361]),
        ("B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", [5, 38, 178, 1378, 5836]),
        ("W:W9,K11,19,K26,27,30:B15,22,25,K32", [4, 11, 17, 54, 327, 1423, 9641]),
    ],
)
def test_rules_reach_the_published_numbers_of_positions(fen: str, counts: list[int]) -> None:
    bot = export(make_player(LinearDecoder(features=4)))

    def count(own: int, other: int, kings: int, side: int, depth: int) -> int:
        moves = bot["list_moves"](own, other, kings, side)
        assert bool(moves) == bool(bot["can_move"](own, other, kings, side))
        if depth == 1:
            return len(moves)
        after = (bot["move_piece"](own, other, kings, move) for move in moves)
        return sum(count(*board, 1 - side, depth - 1) for board in after)

    position = bot["read_position"](fen)
    assert [count(*position[:4], depth) for depth in range(1, len(counts) + 1)] == counts


def test_two_hundred_games_without_an_illegal_move() -> None:
    bots = [
        export(make_player(LinearDecoder(features=4, depth=1), "pieces")),
        export(make_player(LinearDecoder(features=14, depth=1, quiet=True))),
        export(make_player(CheckersNetworkDecoder(hidden=(3,), activation="relu", depth=1))),
        export(make_bred("checkers", "graph", depth=1)),
    ]
    chance = random.Random(2)
    games = asked = 0
    for bot, side in itertools.islice(itertools.cycle(itertools.product(bots, (0, 1))), 200):
        position, told = GAME.initial(), bot["start_position"](0)
        while GAME.outcome(position) is None:
            if position.side == side:
                move = Move(path(bot, bot["choose"](told)))
                asked += 1
            else:
                move = chance.choice(GAME.legal_moves(position))
            text = GAME.format_move(move, position)
            known = bot["read_move"](text, told)
            position = GAME.play(position, move)
            assert text == bot["write_move"](known, bot["list_moves"](*told[:4]))
            told = bot["play"](told, known)
            own, other = (position.dark, position.light)[:: 1 - 2 * position.side]
            assert told[:4] == (own, other, position.kings, position.side)
            assert len(told.past) == len(position.past)
        games += 1
    assert games == 200
    assert asked > 5000


class Clock:
    """Time that passes by a millisecond whenever it is asked for."""

    def __init__(self) -> None:
        self.now = 0

    def monotonic(self) -> float:
        """The seconds since it was made."""
        self.now += 1
        assert self.now < 10_000, "time was up long ago"
        return self.now / 1000.0


def test_time_is_kept_and_the_last_complete_look_counts() -> None:
    bot = export(make_player(LinearDecoder(features=14, depth=1)))
    found: list[list[tuple[int, ...]]] = []

    class Recorder(bot["Search"]):  # type: ignore[misc]
        def find_best(self, *position: Any) -> Any:
            result = super().find_best(*position)
            found.append(result[0])
            return result

    deep = 0
    for position in random_positions()[:20]:
        told = tell(bot, position)
        moves = bot["list_moves"](*told[:4])
        bot["time"] = clock = Clock()
        found.clear()
        search = Recorder(told.side, 0.2)
        best = search.deepen(told, moves, 99)
        assert clock.now <= 202  # one look at the clock for the limit, 200 on the way, one too late
        assert best == found[-1]
        bot["time"] = time
        for depth, some in enumerate(found[:3], start=1):
            assert some == bot["Search"](told.side, None).find_best(told, moves, depth)[0]
        deep += len(found) > 2
    assert deep > 10


def test_looking_deeper_step_by_step_finds_what_one_deep_look_finds() -> None:
    player = make_player(LinearDecoder(features=14, depth=5), "pieces:0.1")
    bot = export(player)
    undecided = 0
    for position in [*random_positions()[:50], *endgames()[:200:10]]:
        told = tell(bot, position)
        moves = bot["list_moves"](*told[:4])
        best, value = search_in_arena(player, position)
        if abs(value) < bot["WIN"]:  # else it stops as soon as it knows
            step_by_step = bot["Search"](told.side, 3600.0).deepen(told, moves, 5)
            assert [path(bot, move) for move in step_by_step] == best
            undecided += 1
    assert undecided > 40


def test_without_any_time_it_looks_one_ply_ahead() -> None:
    bot = export(make_player(LinearDecoder(features=14, depth=3)))
    start = bot["start_position"](0)
    moves = bot["list_moves"](*start[:4])
    best, _ = bot["Search"](0, None).find_best(start, moves, 1)
    assert bot["Search"](0, -1.0).deepen(start, moves, 3) == best != moves


def test_a_single_move_is_played_at_once_and_a_game_that_is_over_refused() -> None:
    bot = export(make_player(LinearDecoder(features=14, depth=12)))
    del bot["Search"]
    assert path(bot, bot["choose"](bot["read_position"]("B:W18:B14,K1"))) == (14, 23)
    with pytest.raises(ValueError, match="the game is over"):
        bot["choose"](bot["read_position"]("W:W5:B1"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is no position"),
        ("W:W5", "is no position"),
        ("X:W5:B1", "is no position"),
        ("W:W5:W6", "is no position"),
        ("W:W5:B1,33", "'33' names no squares"),
        ("W:W5:B0", "'0' names no squares"),
        ("W:W5:B9-6", "'9-6' names no squares"),
        ("W:W5:B5", "two pieces stand on one square"),
        ("W:W5:B32", "a man stands where it would be a king"),
        ("W:W4:B5", "a man stands where it would be a king"),
        ("W:W25:B1-13", "a side has more than 12 pieces"),
        ("start 11-15", "is no position"),
        ("start moves 11-99", "is not legal here"),
        ("start moves 11x15x18", "is not legal here"),
        ("start moves eleven", "'eleven' is no move"),
        ("B:W6,7,14,15:B2 moves 2x9", "is not legal here"),
        ("B:W6,7,14,15:B2 moves 2x18", "can be several moves"),
    ],
)
def test_wrong_positions_are_named(text: str, complaint: str) -> None:
    bot = export(make_player(LinearDecoder(features=4)))
    with pytest.raises(ValueError, match=complaint):
        bot["set_up"](text.split())


def test_positions_are_read_as_the_arena_reads_them() -> None:
    bot = export(make_player(LinearDecoder(features=4)))
    for text in ("W:WK3,21-24:B1,2", "b:bk30 , 1:wK2,5.", "B:B1-12:W21-32", "W:W:BK1-4"):
        position = GAME.parse_position(text)
        own, other = (position.dark, position.light)[:: 1 - 2 * position.side]
        assert bot["set_up"](text.split()) == (own, other, position.kings, position.side, ())


def test_the_start_is_that_of_the_game() -> None:
    for turned in (0, 1):
        position = Checkers(turned=turned).initial()
        bot = export(make_player(LinearDecoder(features=4, turned=turned)))
        assert bot["set_up"](["start"]) == bot["read_position"](position.fen())


def test_captures_are_written_with_all_squares_only_where_that_is_needed() -> None:
    bot = export(make_player(LinearDecoder(features=4)))
    for fen, texts in {
        "B:W7,15:B2": ["2x18"],
        "B:W6,7,14,15:B2": ["2x9x18", "2x11x18"],
        "W:WK32:BK28": ["32-27"],
    }.items():
        position = bot["read_position"](fen)
        moves = bot["list_moves"](*position[:4])
        assert [bot["write_move"](move, moves) for move in moves] == texts
        assert [bot["read_move"](text, position) for text in texts] == moves


def kaggle_views(state: pyspiel.State) -> Iterator[Names]:
    """What Kaggle's host may show: a history of either kind, or only the board of either kind."""
    legal = {"legalActions": state.legal_actions()}
    lines = str(state).splitlines()[:8]
    marks = {"8": "O"}
    board = [[marks.get(mark, mark) for mark in line[1:]] for line in reversed(lines)]
    actions = state.full_history()
    last = state.action_to_string(actions[-1].player, actions[-1].action) if actions else None
    seen = {
        "currentPlayer": state.current_player(),
        "playerId": state.current_player(),
        "observationString": json.dumps({"board": board, "last_move": last}),
    }
    host = ",".join(f"{one.player}:{one.action}" for one in actions)
    written = f"[Game]\ncheckers_proxy()\n[State]\nhistory={host}\nmove_number=3\n__dict__=gASV="
    yield {
        **seen,
        "serializedGameAndState": pyspiel.serialize_game_and_state(state.get_game(), state),
    }
    yield {**seen, **legal, "serializedGameAndState": written}
    yield seen
    yield {**seen, **legal, "observationString": str(state)}


def test_kaggles_agent_plays_two_hundred_games_without_an_illegal_action() -> None:
    theirs = pyspiel.load_game("checkers")
    decoders = [LinearDecoder(features=4, depth=1), LinearDecoder(features=4, depth=2, quiet=True)]
    agents = [export(make_player(decoder, "pieces"))["agent"] for decoder in decoders]
    chance = random.Random(8)
    asked = chains = won = 0
    for number in range(200):
        agent, side = agents[number % 8 == 0], number % 2
        state = theirs.new_initial_state()
        before = -1
        while not state.is_terminal():
            player = state.current_player()
            action = chance.choice(state.legal_actions())
            if player == side:
                asked += 1
                chains += before == player
                view = next(itertools.islice(kaggle_views(state), asked % 4, None))
                action = agent(view, {"actTimeout": 3600})["submission"]
                assert type(action) is int
                assert action in state.legal_actions(), state
            before = player
            state.apply_action(action)
        won += state.returns()[side] > 0
    assert asked > 4000
    assert chains > 100
    assert won > 80


def their_step(action: int) -> tuple[int, int]:
    """Our squares from and to which one of OpenSpiel's actions leads, by its text."""
    text = pyspiel.load_game("checkers").new_initial_state().action_to_string(0, action)
    here, there = (
        4 * (int(cell[1]) - 1) + (7 - "abcdefgh".index(cell[0])) // 2 + 1
        for cell in (text[:2], text[2:4])
    )
    return here, there


def test_kaggles_agent_plays_the_arenas_moves_whatever_it_is_shown() -> None:
    player = make_player(LinearDecoder(features=14, depth=2))
    bot = export(player)
    agent, choose = bot["agent"], bot["choose"]
    asked: list[Any] = []
    bot["choose"] = lambda told, *rest: asked.append(told) or choose(told, *rest)
    compared = continued = longest = 0
    for seed in range(8):
        chance = random.Random(seed)
        position, state = GAME.initial(), pyspiel.load_game("checkers").new_initial_state()
        while not state.is_terminal() and GAME.outcome(position) is None:
            best, _ = search_in_arena(player, position)
            for view in kaggle_views(state):
                assert their_step(agent(view)["submission"]) in {move[:2] for move in best}
                compared += 1
            before = len(position.past)  # only a history tells of it
            assert [len(told.past) for told in asked[-4:]] == [before, before, 0, 0]
            longest = max(longest, before)
            move = chance.choice(GAME.legal_moves(position))
            for step in itertools.pairwise(move.path):
                legal = state.legal_actions()
                if step[0] != move.path[0] and len(legal) == 1:  # the capture goes on
                    chosen = [agent(view)["submission"] for view in kaggle_views(state)]
                    assert chosen == 4 * legal
                    continued += 1
                state.apply_action(next(one for one in legal if their_step(one) == step))
            position = GAME.play(position, move)
    assert compared > 1000
    assert continued > 10
    assert longest > 3


def test_a_man_that_is_crowned_by_a_jump_stops() -> None:
    bot = export(make_player(LinearDecoder(features=4)))
    position = bot["read_position"]("B:W26,27:B22")
    assert [bot["number_of"](move) for move in bot["list_moves"](*position[:4])] == [169]
    after, jumper = bot["act"](position, 169)
    assert after == bot["read_position"]("W:W27:BK31")
    assert jumper == 0
    king = bot["read_position"]("B:W26,27:BK22")
    after, jumper = bot["act"](king, 169)
    assert after == bot["read_position"]("B:W27:BK31")
    assert bot["square_of"](jumper) == 31


RECORDED = {
    "remainingOverageTime": 12,
    "step": 34,
    "observationString": '{"board": [[".", ".", "o", ".", ".", ".", ".", "."], [".", "o", ".", ".",'
    ' ".", ".", ".", "o"], ["o", ".", "o", ".", ".", ".", ".", "."], [".", ".", ".", "o", ".", ".",'
    ' ".", "o"], ["+", ".", ".", ".", "+", ".", ".", "."], [".", ".", ".", ".", ".", ".", ".",'
    ' "+"], [".", ".", ".", ".", ".", ".", "+", "."], [".", "O", ".", "+", ".", ".", ".", "+"]],'
    ' "current_player": "o", "is_terminal": false, "winner": null, "move_number": 33,'
    ' "last_move": "f2d4", "piece_counts": {"o": 7, "+": 6, "O": 1, "*": 0}}',
    "currentPlayer": 0,
    "playerId": 0,
    "isTerminal": False,
    "serializedGameAndState": "# Automatically generated by OpenSpiel SerializeGameAndState\n[Meta]"
    "\nVersion: 1\n\n[Game]\ncheckers_proxy(columns=8,egocentric=False,rows=8)\n[State]\n"
    "history=0:368,1:142,0:352,1:158,0:281,1:69,0:336,1:197,0:395,0:281,1:87,0:408,1:172,0:424,"
    "1:100,0:440,1:46,0:482,1:12,0:450,1:86,0:296,1:175,0:353,0:209,1:102,0:370,1:246,0:66,1:156,"
    "0:498,1:302,0:425\nmove_number=33\n__dict__=gASVOgEAAAAAAAB9lIwLX193cmFwcGVkX1+UjAdweXNwaW"
    "VslIwFU3RhdGWUk5Q=\n",
}
"""What Kaggle's host (kaggle-environments 1.33.2) showed in the middle of a capture."""


def test_an_observation_recorded_from_kaggles_host_is_understood() -> None:
    bot = export(make_player(LinearDecoder(features=4, depth=2), "pieces"))
    board_only = {**RECORDED, "serializedGameAndState": None}
    for seen in (RECORDED, board_only, SimpleNamespace(**RECORDED)):
        assert bot["agent"](seen, {"actTimeout": 3600}) == {"submission": 283}  # d4f6
    position, jumper = bot["read_history"]("[State]\n368\n142\n352\n158\n281\n69\n336\n197\n395\n")
    assert bot["square_of"](jumper) == 15  # d4
    assert bot["number_of"](bot["list_moves"](*position[:4])[0]) == 281


@pytest.mark.parametrize("history", ["", "[State]\nx", "[State]\n9999\n1", "[State]\n0:322"])
def test_a_history_that_does_not_lead_to_the_board_is_not_believed(history: str) -> None:
    agent = export(make_player(LinearDecoder(features=4, depth=2), "pieces"))["agent"]
    assert agent({**RECORDED, "serializedGameAndState": history}) == {"submission": 283}


def test_kaggles_agent_passes_when_it_is_not_asked() -> None:
    names = export(make_player(LinearDecoder(features=4)))
    assert [value for value in names.values() if callable(value)][-1] is names["agent"]
    nothing = {"submission": -1}
    assert names["agent"]({"remainingOverageTime": 12, "step": 0}) == nothing
    assert names["agent"](SimpleNamespace(step=0), None) == nothing
    assert names["agent"]({**RECORDED, "currentPlayer": 1}) == nothing
    assert names["agent"]({**RECORDED, "currentPlayer": -4}) == nothing


Talk = Callable[[str], str]


@contextmanager
def started(player: BredPlayer, folder: Path) -> Iterator[tuple[Talk, list[str]]]:
    """The exported bot as a process without anything installed; gives a way to ask it.

    The list has what it wrote on standard error, once it has ended.
    """
    file = folder / "bot.py"
    file.write_text(export_checkers(player), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(file)]
    pipe = subprocess.PIPE
    errors: list[str] = []
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        stdin, stdout = process.stdin, process.stdout
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()

        def ask(lines: str) -> str:
            stdin.write(lines.encode("latin-1") + b"\n")
            stdin.flush()
            return stdout.readline().decode().rstrip("\n")

        try:
            yield ask, errors
            stdin.close()
            assert process.wait() == 0
        finally:
            watchdog.cancel()
            process.kill()
        assert stdout.read() == b""
        errors += process.stderr.read().decode().splitlines()


def test_a_process_answers_as_the_arena_plays(tmp_path: Path) -> None:
    player = make_player(LinearDecoder(features=14, depth=2), "pieces")
    with started(player, tmp_path) as (ask, errors):
        for number, position in enumerate(random_positions()[:40]):
            move = player.choose(position, new_stream(number))
            wanted = f"move {GAME.format_move(move, position)}"
            show = DIALECT.show(position)
            assert ask(f"{show}seed {number}\ngo") == wanted
            assert ask(f"  {show}\nseed {number}\r\ngo depth 2") == wanted
    assert errors == []


def test_a_process_survives_wrong_lines(tmp_path: Path) -> None:
    wrong = [
        "hello",
        "\xff\xfe\0",
        "go",
        "position",
        "position start moves 11-16 11-16",
        "go depth 2",
        "position W:W5:B1",
        "go movetime 100",
        "position start",
        "go depth",
        "go depth 0",
        "go depth -1",
        "go movetime 1 2",
        "go movetime 1e3",
        f"go depth {'9' * 5000}",
        "go infinite",
        "seed x",
        "move 11-15",
        "position nonsense",
        "go depth 1",
    ]
    with started(make_player(LinearDecoder(features=4), "pieces"), tmp_path) as (ask, errors):
        answer = ask("\n".join([*wrong, "position B:W18:B14,K1", "go movetime 0"]))
        assert answer == "move 14x23"
        assert ask("go movetime 1").startswith("move ")
        assert ask("position start\ngo movetime 1").startswith("move ")
        assert ask("quit\nposition start\ngo") == ""
    assert errors == [
        "go: there is no position",
        "position: '' is no position such as W:WK3,21-24:B1,2",
        "position start moves 11-16 11-16: '11-16' is not legal here",
        "go depth 2: there is no position",
        "go movetime 100: there is no move: the game is over",
        "go depth: a whole number is wanted, 1 or more",
        "go depth 0: a whole number is wanted, 1 or more",
        "go depth -1: a whole number is wanted, 1 or more",
        "go movetime 1 2: a whole number is wanted, 0 or more",
        "go movetime 1e3: a whole number is wanted, 0 or more",
        f"go depth {'9' * 51}: a whole number is wanted, 1 or more",
        "go infinite: write go, go depth PLIES or go movetime MILLISECONDS",
        "seed x: a whole number is wanted, 0 or more",
        "position nonsense: 'nonsense' is no position such as W:WK3,21-24:B1,2",
        "go depth 1: there is no position",
    ]


def test_an_exported_bot_plays_in_the_arena(tmp_path: Path) -> None:
    game = Checkers(turned=1)
    file = tmp_path / "bot.py"
    decoder = LinearDecoder(features=14, depth=3, turned=1)
    file.write_text(export_checkers(make_player(decoder, "pieces:0.1")), encoding="utf-8")
    limits = Limits(time_bank=3_000, per_move=10)
    bot = ProcessPlayer(game, f"{sys.executable} -IS {file}", limits=limits)
    match = play_match(game, [make_random(game), bot], seed=1)
    assert match.termination is Termination.WIN
    assert match.sentence.startswith("bot.py wins: ")


def test_the_file_is_plain_ascii_for_python_3_8_and_its_standard_library() -> None:
    name = 'Zoë "the\n""" \\ best\''
    quiet = "alpha-beta, 4 plies, and follows captures farther until none is left"
    facts = {
        LinearDecoder(features=20, quiet=True, turned=1): [
            "game: English checkers, light moves first",
            "a weighted sum of 20 features, many-valued",
            quiet,
        ],
        CheckersNetworkDecoder(depth=6): [
            "game: English checkers\n",
            "a network of 32-41-11-1 units",
            "alpha-beta, 6 plies\n",
        ],
    }
    for decoder, expected in facts.items():
        genome = decoder.initialise(1, "uniform", np.random.default_rng(0))[0]
        source = export_checkers(decoder.player(genome, name))
        assert source.isascii()
        assert max(len(line) for line in source.splitlines()) <= 100
        tree = ast.parse(source, feature_version=(3, 8))
        docstring = ast.get_docstring(tree) or ""
        for fact in ["Zoë 'the ''' \\ best'", *expected]:
            assert fact in docstring
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)]
        assert all(node in tree.body for node in imports)
        modules = [node.module or "" for node in imports if isinstance(node, ast.ImportFrom)]
        for node in imports:
            if isinstance(node, ast.Import):
                modules += [alias.name for alias in node.names]
        assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


def test_players_that_play_at_random_now_and_then_are_refused() -> None:
    with pytest.raises(BadValueError, match=r"depth=2,noise=0\.5 makes random moves"):
        export_checkers(make_minimax(GAME, depth=2, noise=0.5))


def test_neat_pythons_files_hold_graphs_alone() -> None:
    told = "neat-python's files hold NEAT graphs: export it with --to python"
    with pytest.raises(BadValueError, match=told):
        export_player(make_player(LinearDecoder(features=4)), "neat-python")
    with pytest.raises(BadValueError, match=told):
        export_player(make_player(CheckersNetworkDecoder()), "neat-python")
