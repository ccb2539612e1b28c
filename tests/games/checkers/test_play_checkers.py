"""Checkers at the terminal: what is typed, what is shown, what programs think of moves."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evolve_arena as ea
from evolve_arena.arena.duel import duel
from evolve_arena.arena.match import Match, Termination, play_match
from evolve_arena.core.errors import ArenaError, IllegalMoveError, UnknownNameError
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.games.checkers.game import Checkers, Move, Position
from evolve_arena.games.checkers.linear import LinearDecoder, LinearPlayer, make_minimax
from evolve_arena.games.checkers.network import CheckersNetworkDecoder
from evolve_arena.games.checkers.text_ui import (
    CheckersText,
    Thinker,
    describe_values,
    draw_checkers,
    find_values,
)
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.players.player import Player, make_random
from evolve_arena.runs.play import Plan, Session, newest_opponent
from evolve_arena.runs.play.prompt import COMMANDS, Command, read_input
from evolve_arena.runs.recipe import Recipe, load_recipe
from tests import terminal
from tests.forked import evolve
from tests.terminal import Typist, invite

GAME, TURNED = Checkers(), Checkers(turned=1)
YOU = None
"""A person, in the list of players."""
WEIGHTS = (1.0, 1.7, -0.8, -1.3)
ASK = "Your move (dark), such as"


class Scripted(Player):
    """Plays the moves of a list, one for each of its turns, again and again."""

    def __init__(self, *moves: str, name: str = "scripted") -> None:
        self.name = name
        self.moves = moves
        self.turn = 0

    def choose(self, position: Position, stream: Stream) -> Move:
        """The next move, with its whole path."""
        self.turn += 1
        text = self.moves[(self.turn - 1) % len(self.moves)]
        return GAME.resolve(position, GAME.parse_move(text))


def sit(
    typed: str,
    players: Sequence[Player | None],
    plan: Plan | None = None,
    advisor: Callable[[], Player] | None = None,
    game: Checkers = GAME,
) -> tuple[Session, str]:
    """A session in which a person types *typed*, lines, and what is shown."""
    return terminal.sit(game, typed, players, plan, advisor)


def talk(shown: str) -> list[str]:
    """What was said, without boards and blank lines."""
    lines = [line.rstrip() for line in shown.splitlines()]
    board = re.compile(r" *\d+[ \[][.bBwWx]| (dark|light) \([bw]\): ")
    return [line for line in lines if line and not board.match(line)]


def play_on(game: Checkers, *moves: str) -> Position:
    return game.parse_position(" ".join(moves))


def read(text: str, position: Position | None = None) -> Any:
    """What somebody means who types *text* in this *position*, or at the beginning of a game."""
    return read_input(CheckersText(GAME), text, position or GAME.initial())


# --- entries -------------------------------------------------------------------------------

LONG = GAME.parse_position("B:W6,15:B1,9")  # 1x10x19, and a step of nobody
FORK = GAME.parse_position("B:W6,7,14:B2")  # 2x9x18 or 2x11
RING = GAME.parse_position("B:W6,7,14,15:BK1")  # 1x10 and on: 1x10x3 or 1x10x17 or 1x10x19


@pytest.mark.parametrize(
    ("position", "text", "meant"),
    [
        *[
            (GAME.initial(), text, "11-15")
            for text in (
                "11-15",
                " 11 15 ",
                "11x15",
                "11:15",
                "11 to 15",
                "11->15",
                "11–15",
                "11, 15",
                "Move 11-15!",
                "(11-15)",
                "#11-15.",
            )
        ],
        (GAME.initial(), "12", "12-16"),
        (GAME.initial(), "13", "9-13"),  # to 13
        (LONG, "1x19", "1x10x19"),
        (LONG, "1x10x19", "1x10x19"),
        (LONG, "1-10", "1x10x19"),
        (LONG, "1", "1x10x19"),
        (LONG, "19", "1x10x19"),
        (FORK, "2 9", "2x9x18"),
        (FORK, "18", "2x9x18"),
        (RING, "1x17", "1x10x17"),
    ],
)
def test_moves(position: Position, text: str, meant: str) -> None:
    assert str(read(text, position)) == meant


@pytest.mark.parametrize(
    ("position", "text", "explained", "advice"),
    [
        (GAME.initial(), "11", "11: this could be 11-15 or 11-16", False),
        (GAME.initial(), "15", "15: this could be 10-15 or 11-15", False),
        (GAME.initial(), "11-19", "11x19: from 11 dark can play 11-15 or 11-16", False),
        (GAME.initial(), "3", "3: the piece on 3 can't move", True),
        (GAME.initial(), "22-18", "22-18: no piece of dark stands on 22", True),
        (GAME.initial(), "11-33", "there is no square 33: they are numbered 1 to 32", True),
        (GAME.initial(), "0", "there is no square 0: they are numbered 1 to 32", True),
        (LONG, "9-13", "9-13: dark must capture: 1x10x19", False),
        (LONG, "9", "9: dark must capture: 1x10x19", False),
        (FORK, "2", "2: this could be 2x9x18 or 2x11", False),
        (RING, "1x10", "1x10: the jump goes on: 1x10x3, 1x10x17 or 1x10x19", False),
        *[
            (GAME.initial(), text, f"{text[:20]!r} is no move: write 11-15", False)
            for text in ("x", "-1", "111-15", "\x1b[A", "\N{REPLACEMENT CHARACTER}", "1-")
        ],
    ],
)
def test_what_is_no_move_is_explained(
    position: Position, text: str, explained: str, advice: bool
) -> None:
    with pytest.raises(IllegalMoveError, match=f"^{re.escape(explained)}") as caught:
        read(text, position)
    said = CheckersText(GAME).advise(caught.value, position)
    assert bool(said) == advice
    if advice:
        moves = "9-13, 9-14, 10-14, 10-15, 11-15, 11-16 or 12-16"
        assert said == f"Dark can play {moves}."


def test_commands_are_those_of_every_game() -> None:
    assert {read(name) for name in COMMANDS} == {Command(name) for name in COMMANDS}
    assert {read(name[:2]) for name in COMMANDS} == {Command(n) for n in COMMANDS}
    assert read("undo 3") == read("u3") == Command("undo", 3)
    with pytest.raises(UnknownNameError, match="did you mean 'undo'"):
        read("undoo")


def test_every_legal_move_is_understood_as_it_is_written() -> None:
    """Of 60 random games: whole paths, and as short as records write them."""
    kings = 0
    for seed in range(60):
        generator = random.Random(seed)
        position = GAME.initial()
        while moves := GAME.legal_moves(position):
            move = generator.choice(moves)
            for text in (str(move), str(move).replace("x", " ")):
                assert read(text, position) == move
            after = GAME.play(position, move)
            short = read(GAME.format_move(move, position), position)
            assert GAME.play(position, short) == after
            kings += bool(position.kings)
            position = after
    assert kings > 500


@given(st.text(alphabet="0123456789 -x:,.>to(!\x1b\N{EN DASH}", max_size=40) | st.text())
def test_whatever_is_typed_is_a_legal_move_a_command_or_explained(text: str) -> None:
    for position in (GAME.initial(), RING):
        try:
            entry = read(text, position)
        except ArenaError:
            continue
        assert isinstance(entry, Command) or entry in GAME.legal_moves(position)


# --- drawing -------------------------------------------------------------------------------


def test_the_board_has_numbers_and_shows_the_last_move() -> None:
    position = play_on(GAME, "11-15", "22-18", "15x22", "25x18")
    assert draw_checkers(position, Move((25, 18))) == (
        "       1 b       2 b       3 b       4 b\n"
        "  5 b       6 b       7 b       8 b\n"
        "       9 b      10 b      11 .      12 b\n"
        " 13 .      14 .      15 .      16 .\n"
        "      17 .      18[w]     19 .      20 .\n"
        " 21 w      22 x      23 w      24 w\n"
        "      25[.]     26 w      27 w      28 w\n"
        " 29 w      30 w      31 w      32 w\n"
        "\n"
        " dark (b): 11 men, 1 captured\n light (w): 11 men, 1 captured"
    )


def test_kings_are_in_upper_case_and_all_captures_are_marked() -> None:
    position = GAME.play(LONG, Move((1, 10, 19)))
    shown = draw_checkers(position, Move((1, 10, 19)))
    for mark in (" 1[.]", " 6 x ", "10 .", "15 x", "19[b]", " 9 b"):
        assert mark in shown
    assert shown.endswith("dark (b): 2 men, 10 captured\n light (w): 0 men, 12 captured")
    kings = draw_checkers(GAME.parse_position("W:WK1,32:BK20,K19"))
    assert " 1 W" in kings
    assert "32 w" in kings
    assert kings.endswith(
        "dark (b): 0 men, 2 kings (B), 10 captured\n light (w): 1 man, 1 king (W), 10 captured"
    )


def test_a_board_turned_round() -> None:
    lines = draw_checkers(TURNED.initial()).splitlines()
    assert lines[0] == "      32 w      31 w      30 w      29 w"
    assert lines[7] == "  4 b       3 b       2 b       1 b"


def test_the_drawing_has_the_pieces_where_they_print_themselves() -> None:
    generator = random.Random(1)
    for game in (GAME, TURNED):
        position = game.initial()
        for _ in range(60):
            if not (moves := game.legal_moves(position)):
                break
            position = game.play(position, generator.choice(moves))
            rows = draw_checkers(position).splitlines()[:8]
            shown = "".join(re.findall(r"\d+ ([.bBwW])", "\n".join(rows)))
            assert shown == position.drawing()[:32]


def test_colours_say_what_the_marks_say() -> None:
    position = play_on(GAME, "11-15", "22-18", "15x22")
    last = Move((15, 22))
    coloured = draw_checkers(position, last, colour=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == draw_checkers(
        position, last
    ).splitlines()
    assert len({len(line) for line in plain.splitlines()[:8]}) == 1
    grounds = re.findall(r"\x1b\[38;5;\d+;48;5;(\d+)m *(\d+)", coloured)
    assert [number for ground, number in grounds if ground == "24"] == ["15", "18", "22"]
    assert len(grounds) == 32


# --- games ---------------------------------------------------------------------------------


def test_a_game_is_talked_about_in_squares() -> None:
    typed = "11 15\n9\n15\nmoves\nq\n"
    session, shown = sit(typed, [YOU, Scripted("22-18", "25x18")])
    assert talk(shown) == [
        "Game 1: you are dark, scripted is light.",
        f"{ASK} 9-13, or help: 11 15",
        "scripted (light) plays 22-18.",
        "Your move (dark), only 15x22 is possible, or help: 9",
        "Not possible: 9: dark must capture: 15x22.",
        "Your move (dark), only 15x22 is possible, or help: 15",
        "scripted (light) plays 25x18.",
        f"{ASK} 7-11, or help: moves",
        "Dark can play 7-11, 8-11, 9-13, 9-14, 10-14, 10-15 or 12-16.",
        "Moves: 11-15 22-18 15x22 25x18",
        f"{ASK} 7-11, or help: q",
        "Unfinished. Moves: 11-15 22-18 15x22 25x18",
        "Goodbye.",
    ]
    assert "18[w]" in shown
    assert " 21 w      22 x      23 w " in shown
    assert "      25[.]" in shown
    assert session.matches == []


def test_light_begins_on_a_board_turned_round() -> None:
    _, shown = sit("24-20\nq\n", [None, make_random(TURNED)], game=TURNED)
    assert talk(shown)[:2] == [
        "Game 1: you are light, random is dark.",
        "Your move (light), such as 21-17, or help: 24-20",
    ]
    assert "random (dark) plays" in shown
    assert "      32 w      31 w" in shown


@pytest.fixture(scope="module")
def played() -> dict[Termination, Match]:
    """A random game that ends in each way."""
    found: dict[Termination, Match] = {}
    for seed in range(200):
        match = play_match(GAME, [make_random(GAME), make_random(GAME)], seed=seed)
        found.setdefault(match.termination, match)
        if len(found) == 2:
            break
    return found


@pytest.mark.parametrize("ending", [Termination.WIN, Termination.DRAW])
def test_two_people_play_a_whole_game(
    played: dict[Termination, Match], ending: Termination
) -> None:
    wanted = played[ending]
    texts, position = [], GAME.initial()
    for move in wanted.moves:
        texts.append(GAME.format_move(move, position))
        position = GAME.play(position, move)
    session, shown = sit("\n".join([*texts, "undo", texts[-1], "q\n"]), [YOU, None])
    (match,) = session.matches
    assert (match.outcome, match.termination) == (wanted.outcome, ending)
    assert (match.game, match.numbers) == (wanted.game, wanted.numbers)
    assert shown.count(f"\nMoves: {' '.join(texts)}\n") == 2
    assert shown.count(match.sentence) == 2
    assert match.sentence.partition(": ")[2] == wanted.sentence.partition(": ")[2]
    assert "person #1 is dark, person #2 is light" in shown


def test_records_are_read_again(played: dict[Termination, Match]) -> None:
    wanted = played[Termination.WIN]
    typed = "\n".join([*map(str, wanted.moves), "q\n"])
    _, shown = sit(typed, [YOU, None])
    record = re.search(r"^Moves: (.*)$", shown, re.MULTILINE)
    assert record
    _, again = invite("q\n", names=["human", "human"], game="checkers", moves=record[1])
    assert f"\nMoves: {record[1]}\n" in again
    assert "has no move." in again


def test_undo_swap_resign_and_another_game() -> None:
    bot = make_minimax(GAME, depth=2)
    typed = "11-15\nundo\n9-13\nswap\nm\nresign\n\nq\n"
    session, shown = sit(typed, [YOU, bot], Plan(seed=1, first=0))
    said = talk(shown)
    assert said.count("Taken back.") == 1
    assert "Now minimax:depth=2 is dark, you are light." in said
    assert "You resign. minimax:depth=2 wins (resigned)." in said
    assert "Game 2: minimax:depth=2 is dark, you are light." in said
    (match,) = session.matches
    assert str(match.moves[0]) == "9-13"
    assert (match.outcome, len(match.moves)) == (1, 3)
    _, shown = sit("resign\n11-15\nq\n", [YOU, bot])
    assert "Not possible: this game is over." in shown


def test_help_speaks_of_squares() -> None:
    _, shown = sit("help\nhint\nvalues\nq\n", [YOU, make_random(GAME)])
    assert "Squares make a move: 11-15" in shown
    assert "the moves that can be played" in shown
    assert "column" not in shown
    assert "there is nobody to ask: begin with --hint PLAYER" in shown
    assert "there is no program that looks ahead here to ask: begin with --hint PLAYER" in shown


def test_hints_are_moves_and_disturb_nobody() -> None:
    plain, _ = sit("11-15\nresign\nq\n", [YOU, make_random(GAME)])
    asked, shown = sit(
        "hint\n11-15\nhint\nresign\nq\n",
        [YOU, make_random(GAME)],
        advisor=lambda: make_minimax(GAME, depth=2),
    )
    assert asked.matches[0].moves == plain.matches[0].moves
    assert len(re.findall(r"minimax:depth=2 would play \d+[-x]\d+\.", shown)) == 2


def test_two_programs_play_the_games_of_a_duel() -> None:
    one, other = make_minimax(GAME, depth=2, noise=0.1), make_random(GAME)
    session, shown = sit("", [one, other], Plan(seed=5, games=4, opening_plies=5))
    result = duel(GAME, one, other, games=4, opening_plies=5, seed=5)
    draws = sum(match.outcome == 0 for match in session.matches)
    assert (*session.wins, draws) == (result.wins, result.losses, result.draws)
    assert len({match.moves for match in session.matches}) == result.distinct_games == 4
    openings = re.findall(r"It begins with (.*)\.", shown)
    assert openings[0::2] == openings[1::2]
    assert [len(opening.split()) for opening in openings] == [5] * 4


# --- values --------------------------------------------------------------------------------


def searchers() -> list[Thinker]:
    """Several that look ahead, at several depths; nothing about their values is symmetric."""
    generator = np.random.default_rng(3)
    made: list[Thinker] = [make_minimax(GAME, depth) for depth in (1, 2, 4)]
    for features, depth, quiet in ((14, 3, False), (14, 4, True), (20, 1, True)):
        decoder = LinearDecoder(features=features, depth=depth, quiet=quiet)
        genome = decoder.initialise(1, "pieces:0.2", generator)[0]
        made.append(decoder.player(genome, f"linear-{depth}"))
    network = CheckersNetworkDecoder(hidden=(8,), depth=3)
    made.append(network.player(network.initialise(1, "normal", generator)[0], "net"))
    return made


def positions(count: int, seed: int) -> list[Position]:
    """Random ones, some of them late in a game."""
    generator = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        position = GAME.initial()
        for _ in range(generator.randrange(60)):
            if moves := GAME.legal_moves(position):
                position = GAME.play(position, generator.choice(moves))
        if GAME.legal_moves(position):
            found.append(position)
    return found


def test_the_best_thoughts_are_those_that_the_player_chooses_from() -> None:
    players = searchers()
    for position in positions(25, seed=1):
        for player in players:
            thoughts = find_values(player, position)
            best = {move for move, value in thoughts.items() if value == max(thoughts.values())}
            chosen = {player.choose(position, new_stream(seed)) for seed in range(40)}
            assert chosen <= best
            assert chosen == best or len(best) > 5
            if player.decoder.depth >= 3:
                assert list(thoughts) == GAME.legal_moves(position)


def value_slowly(position: Position, depth: int, root: int) -> float:
    """What a position is worth to *root*, by the plainest of searches over pieces."""
    moves = GAME.legal_moves(replace(position, past=()))
    mine = position.side == root
    if not moves:
        return -np.inf if mine else np.inf
    if depth == 0:
        sides = (position.dark, position.light)
        own, other = sides[root], sides[1 - root]
        counts = [
            side & kind for side in (own, other) for kind in (~position.kings, position.kings)
        ]
        return sum(w * n.bit_count() for w, n in zip(WEIGHTS, counts, strict=True))
    after = [GAME.play(replace(position, past=()), move) for move in moves]
    values = [value_slowly(p, depth - 1, root) for p in after]
    return max(values) if mine else min(values)


@pytest.mark.parametrize("depth", [3, 4])
def test_every_thought_is_what_a_plain_search_finds(depth: int) -> None:
    """The weights of a side's own pieces and of the other's differ: it matters who values."""
    decoder = LinearDecoder(features=4, depth=depth)
    player = decoder.player(np.array(WEIGHTS, dtype=np.float32), "uneven")
    for position in positions(12 if depth == 3 else 5, seed=depth):
        expected = {
            move: value_slowly(GAME.play(position, move), depth - 1, position.side)
            for move in GAME.legal_moves(position)
        }
        assert find_values(player, position) == pytest.approx(expected, abs=1e-4)


def test_wins_losses_and_draws_are_called_so() -> None:
    player = make_minimax(GAME, depth=3)
    wins = GAME.parse_position("B:W19:B15,1")  # 15x24 takes the last piece
    assert describe_values(player, wins) == (
        "minimax:depth=3's values of each move, 3 plies ahead, in men:\n  15x24: wins*"
    )
    loses = GAME.parse_position("W:W30:B13,K18,K19")
    text = describe_values(make_minimax(GAME, depth=4), loses)
    assert "loses" in text
    position = GAME.parse_position("B:WK32,21:BK1")
    walk = ("1-5", "32-28", "5-1", "28-32")
    for move in (*walk, *walk[:3]):
        position = GAME.play(position, GAME.parse_move(move))
    thoughts = find_values(player, position)
    assert thoughts[Move((28, 32))] == 0.0  # the third time
    assert thoughts[Move((21, 17))] == pytest.approx(1.0)


def test_values_say_how_far_they_look_and_in_what_they_count() -> None:
    position = play_on(GAME, "11-15", "23-18", "9-13")  # light must capture
    assert describe_values(make_minimax(GAME, depth=1), position) == (
        "minimax:depth=1's values of its best moves, 1 ply ahead, in men:\n  18x11: +1.000*"
    )
    decoder = LinearDecoder(features=14, depth=3)
    player: LinearPlayer = decoder.player(np.full(14, 0.25, dtype=np.float32), "even")
    assert "even's values of each move, 3 plies ahead, by its weights:" in describe_values(
        player, GAME.initial()
    )
    network = CheckersNetworkDecoder(hidden=(4,), depth=3)
    genome = network.initialise(1, "normal", np.random.default_rng(1))[0]
    text = describe_values(network.player(genome, "net"), GAME.initial())
    assert "by its network:" in text
    assert len(re.findall(r"\d-\d+: [+-]?\d+\.\d{3}", text)) == 7


def test_values_on_request_and_always() -> None:
    bot = make_minimax(GAME, depth=2)
    _, shown = sit("v\nq\n", [YOU, bot])
    assert shown.count("minimax:depth=2's values of its best moves") == 1
    _, shown = sit("q\n", [YOU, bot], Plan(seed=1, values=True))
    assert shown.count("minimax:depth=2's values") == 1
    _, shown = sit("v\nq\n", [YOU, make_random(GAME)], advisor=lambda: bot)
    assert "minimax:depth=2's values" in shown


# --- what is asked for ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Players of each game, as specifications."""
    folder = tmp_path_factory.mktemp("players")
    generator = np.random.default_rng(1)
    made: dict[str, Player] = {}
    for name, turned in (("checkers", 0), ("turned", 1)):
        decoder = LinearDecoder(features=4, depth=2, turned=turned)
        made[name] = decoder.player(decoder.initialise(1, "pieces", generator)[0], name)
    columns = NetworkDecoder(hidden=(4,))
    made["columns"] = columns.player(columns.initialise(1, "normal", generator)[0], "columns")
    for name, player in made.items():
        (folder / f"{name}.safetensors").write_bytes(player.serialise())  # type: ignore[attr-defined]
    return {name: f"file:{folder / name}.safetensors" for name in made}


def test_the_game_is_that_of_the_first_player_with_one(files: dict[str, str]) -> None:
    for names, game, options, expected in (
        (["random", files["turned"]], None, {}, TURNED),
        ([files["checkers"], "random"], None, {}, GAME),
        ([files["turned"]], "checkers", {}, TURNED),
        (["random"], "checkers", {}, GAME),
        (["random"], "checkers", {"turned": 1}, TURNED),
        (["random"], None, {"turned": 1}, TURNED),
        (["random"], None, {}, ConnectFour()),
        (["random"], None, {"columns": 5}, ConnectFour(columns=5)),
    ):
        session, _ = invite("q\n", names=names, game=game, options=options, seed=1)
        assert session.game.rules == expected.rules
    with pytest.raises(ArenaError, match="'columns' plays connect-four, but this is checkers"):
        invite("", names=[files["checkers"], files["columns"]])
    with pytest.raises(ArenaError, match="'checkers' plays checkers, but this is connect-four"):
        invite("", names=[files["columns"], files["checkers"]])
    _, shown = invite("11-15\nq\n", names=[files["checkers"]], first=True)
    assert shown.startswith("Game 1: you are dark, checkers is light.")
    _, shown = invite("q\n", names=["random"], advisor=files["turned"], first=True)
    assert "you are light, random is dark" in shown


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"game": "chekers"}, "did you mean 'checkers'"),
        ({"game": "checkers", "options": {"columns": 8}}, "columns is an option of connect-four"),
        ({"game": "connect-four", "options": {"turned": 1}}, "turned is an option of checkers"),
        ({"options": {"rows": 8, "turned": 1}}, "turned is an option of checkers"),
        ({"game": "chekers", "options": {"turned": 1}}, "did you mean 'checkers'"),
        ({"game": "checkers", "names": ["test-bot"]}, "test-bot plays connect-four, not checkers"),
        ({"game": "checkers", "moves": "11-15 11-15"}, "move 2 of '11-15 11-15': 11-15: no piece"),
        ({"game": "checkers", "moves": "3321"}, "move 1 of '3321': '3321' is no move"),
        ({"game": "checkers", "moves": "11-15", "opening_plies": 2}, "one or the other"),
    ],
)
def test_what_is_not_possible_is_said(wishes: dict[str, Any], message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        invite("q\n", **{"names": ["random"], "seed": 1, **wishes})


def test_players_of_another_game_are_not_let_in(files: dict[str, str]) -> None:
    with pytest.raises(ArenaError, match="plays connect-four, but this is checkers"):
        invite("q\n", names=[files["columns"]], game="checkers")
    with pytest.raises(ArenaError, match="plays checkers, but this is connect-four"):
        invite("q\n", names=[files["checkers"]], options={"columns": 8})
    with pytest.raises(ArenaError, match="a board that is not turned, but this game has"):
        invite("q\n", names=[files["checkers"]], options={"turned": 1})


def test_games_begin_with_moves() -> None:
    for moves in ("11-15 22-18 15x22", "1. 11-15 22-18 2. 15x22", "1.11-15 22-18 2.15x22"):
        _, shown = invite("q\n", names=["random"], game="checkers", moves=moves)
        assert "It begins with 11-15 22-18 15x22." in shown
        assert "Game 1: random is dark, you are light." in shown


# --- real runs, processes and terminals ----------------------------------------------------

SMALL = """
title = "small"
[game]
name = "checkers"
[network]
hidden = [4]
depth = 1
[method]
name = "evolutionary-programming"
individuals = 2
opponents = 1
[check]
every = 1
games = 2
opponents = ["random"]
[run]
generations = 1
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, small_recipe: Callable[..., Recipe]) -> Path:
    """A folder with a run of checkers, and a newer one of Connect Four."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "small.toml").write_text(SMALL)
    recipes = {
        "draughts": load_recipe(str(folder / "small.toml"), []),
        "columns": small_recipe("run.generations=1"),
    }
    for age, (name, recipe) in enumerate(recipes.items()):
        run = folder / "evolved" / name
        ea.start(recipe, run=run, executor="serial")
        os.utime(run / "champion.safetensors", (1000.0 + age,) * 2)
    return folder


def test_the_newest_champion_of_the_game_is_the_opponent(home: Path, tmp_path: Path) -> None:
    evolved = home / "evolved"
    assert newest_opponent(evolved) == f"run:{evolved / 'columns'}"
    assert newest_opponent(evolved, GAME) == f"run:{evolved / 'draughts'}"
    assert newest_opponent(evolved, GAME, exactly=True) == f"run:{evolved / 'draughts'}"
    assert newest_opponent(evolved, TURNED, exactly=True) == "minimax:depth=4"
    assert newest_opponent(evolved, ConnectFour()) == f"run:{evolved / 'columns'}"
    assert newest_opponent(evolved, ConnectFour(columns=9), exactly=True) == "test-bot"
    assert newest_opponent(tmp_path, GAME) == "minimax:depth=4"
    assert newest_opponent(tmp_path, ConnectFour()) == "test-bot"


def test_the_command_plays_checkers(home: Path) -> None:
    def play(*words: str, typed: str) -> Any:
        return evolve("play", "--first", "--seed", "1", *words, typed=typed, folder=home)

    done = play("--game", "checkers", typed="hint\n11-15\nvalues\n")
    assert done.returncode == 0, done.stderr
    assert "Game 1: you are dark, draughts is light." in done.stdout
    assert "draughts would play" in done.stdout
    assert "draughts (light) plays" in done.stdout
    assert "draughts's values of its best moves, 1 ply ahead, by its network:" in done.stdout
    assert "The input has ended. Goodbye." in done.stdout
    done = play("random", "--turned", typed="resign\nq\n")
    assert "Game 1: you are light, random is dark." in done.stdout
    assert 'Look at a game again: evolve play --game checkers --turned 1 --moves "MOVES"' in (
        done.stdout
    )


def test_at_a_terminal(tmp_path: Path) -> None:
    words = ["play", "minimax:depth=2", "--game", "checkers", "--first"]
    person = Typist(*words, folder=tmp_path)
    person.wait_for("or help: ")
    assert "\x1b[38;5;210;1mb" in person.seen
    for entry, answer in ((b"11-19\n", "Not possible: 11x19"), (b"\xff\n", "is no move")):
        person.type(entry)
        person.wait_for(answer)
        person.wait_for("or help: ")
    person.type("11-15\n")
    person.wait_for("minimax:depth=2 (light) plays ")
    person.wait_for("or help: ")
    assert "\x1b[38;5;250;48;5;24m" in person.seen
    person.type("\x04")
    person.wait_for("The input has ended. Goodbye.")
    person.wait_for("The seed was ")
    assert person.leave() == 0
    assert "Traceback" not in person.seen
