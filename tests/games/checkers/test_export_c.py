"""Exported checkers bots in C: the arena's moves, and what hosts and CheckerBoard ask of them."""

from __future__ import annotations

import ctypes
import random
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve_arena.arena.match import Termination, play_match
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import new_stream
from evolve_arena.games.checkers.export_c import export_c, export_checkerboard
from evolve_arena.games.checkers.export_python import export_checkers
from evolve_arena.games.checkers.game import Checkers, Position
from evolve_arena.games.checkers.linear import make_minimax
from evolve_arena.games.checkers.spec import CheckersDialect
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.dialects import Limits
from evolve_arena.players.player import make_random
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from tests.bred import make_bred, random_positions
from tests.c_bots import SANITIZERS, assert_withstands, build, with_gcc, with_sanitizers
from tests.fuzz.bot_lines import checkers_lines

pytestmark = with_gcc
GAME = Checkers()
DIALECT = CheckersDialect()
PIECES = make_minimax(GAME, depth=6)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "four features": ("linear", {"features": 4, "depth": 6}),
    "light first": ("linear", {"features": 14, "depth": 4, "encoding": "binary", "turned": 1}),
    "twenty features": ("linear", {"features": 20, "depth": 3, "quiet": True}),
    "network": ("network", {"depth": 3}),
    "subsquares": (
        "network",
        {"hidden": (4, 3), "subsquares": True, "piece_difference": False, "activation": "sigmoid"},
    ),
    "one layer": ("network", {"hidden": (17,), "activation": "relu", "depth": 2, "quiet": True}),
    "graph": ("graph", {"depth": 3}),
}


def make_kind(kind: str, seed: int = 1) -> BredPlayer:
    network, settings = KINDS[kind]
    return make_bred("checkers", network, seed, **settings)


def talk(command: list[str], text: str) -> tuple[list[str], list[str]]:
    """What a program writes, and what it complains of."""
    done = subprocess.run(
        command, input=text.encode("latin-1"), capture_output=True, timeout=60, check=True
    )
    return done.stdout.decode().splitlines(), done.stderr.decode().splitlines()


def ask_all(positions: list[Position]) -> str:
    """Asks for a move in each of the *positions*, with its place as seed."""
    lines = [f"{DIALECT.show(one)}seed {number}\ngo\n" for number, one in enumerate(positions)]
    return "".join(lines)


def choose_all(player: BredPlayer, positions: list[Position]) -> list[str]:
    """What the arena answers to that."""
    moves = [player.choose(one, new_stream(number)) for number, one in enumerate(positions)]
    return [
        f"move {player.game.format_move(move, position)}"
        for move, position in zip(moves, positions, strict=True)
    ]


@cache
def end_games() -> list[Position]:
    """Positions of games of kings that repeat positions, or go on until they are drawn."""
    chance, positions = random.Random(3), []
    for number in range(6):
        position = GAME.parse_position("W:WK1,K5:BK32,K28")
        while GAME.outcome(position) is None:
            positions.append(position)
            moves = GAME.legal_moves(position)
            if number % 2:  # no repetition, no capture, and none to come
                later = {move: GAME.play(position, move) for move in moves}
                moves = [move for move in moves if goes_on(later[move])] or moves
            position = GAME.play(position, chance.choice(moves))
    return positions


def goes_on(position: Position) -> bool:
    """Whether there are moves, and none is a capture."""
    moves = GAME.legal_moves(position)
    return bool(moves) and not moves[0].is_capture


def crowded_positions(game: Checkers) -> list[Position]:
    """Positions with many kings, in which captures are long."""
    chance, positions = random.Random(5), []
    while len(positions) < 100:
        squares = chance.sample(range(1, 33), 2 * chance.randrange(3, 9))
        texts = [f"K{square}" for square in squares]
        half = len(texts) // 2
        text = f"{chance.choice('BW')}:W{','.join(texts[:half])}:B{','.join(texts[half:])}"
        position = game.parse_position(text)
        positions += [position] if game.outcome(position) is None else []
    return positions


@pytest.mark.parametrize("kind", KINDS)
def test_programs_choose_the_arenas_moves(kind: str, tmp_path: Path) -> None:
    player = make_kind(kind)
    positions = random_positions(player.game, 150) + crowded_positions(player.game)
    if kind == "four features":
        positions = random_positions(player.game, 150) + end_games()
        assert max(len(position.past) for position in positions) == 79
    program = build(str(export_player(player, "c")), tmp_path)
    answers, complaints = talk([str(program)], ask_all(positions))
    assert complaints == []
    assert answers == choose_all(player, positions)


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_large_and_strange_weights_play_as_in_the_arena(share: float, tmp_path: Path) -> None:
    decoder = make_bred("checkers", "network", hidden=(5, 3), activation="relu", depth=2).decoder
    generator = np.random.default_rng(3)
    genome = decoder.initialise(1, "uniform", generator)[0] * np.float32(1e12)
    strange = generator.random(len(genome)) < share
    genome[strange] = generator.choice([np.inf, -np.inf, np.nan], strange.sum())
    with np.errstate(invalid="ignore"):
        player = decoder.player(genome, 'strange "??/\n\\')
        positions = random_positions(GAME, 100)
        program = build(export_c(player), tmp_path, *SANITIZERS)
        assert talk([str(program)], ask_all(positions)) == (choose_all(player, positions), [])


WRONG = [
    *("hello", "\xff\xfe\0", "go", "position", "position start moves 11-16 11-16", "go depth 2"),
    *("position W:W5:B1", "go movetime 100", "position start", "go depth", "go depth 0"),
    *("go depth -1", "go movetime 1 2", "go movetime 1e3", f"go depth {'9' * 5000}"),
    *("go infinite", "seed x", "seed", "move 11-15", "position nonsense", "go depth 1"),
    "position W:W1,1:B2",
    "position W:W10,11,12:B32,5",
    "position B:W1-13:B20",
    "position B:WK1-13:B20",
    "position B:W21-32",
    "position B:W21-32:B1-12:W5",
    "position B:W21-32:B1-33",
    "position B:W21-32:B12-1",
    "position B:W21-32:BK,1",
    "position start moves 11-15-18",
    "position start moves 11x15 24-20 8-11 28-24 4-8 23-19 15x",
    "position start moves -",
    "position B:WK6,K7,K14,K15:BK2 moves 2-2",
    "position B:WK6,K7,K14,K15:BK2 moves 2-18",
    "position B:W19,18,9,10:BK14 moves 14x14",
    "position B:W6,7,14,15:B2 moves 2-9",
]
RIGHT = [
    "position start",
    "   position \t start moves   11-15 23-19",
    "position b : w 21 , 22,k23-k24,,25-27 : b k1 , 2.",
    "position B:W21,22,K23,25-27:BK1,2.",
    "position W:W32:B1,2-4",
    "position B:W:B1",
    "position W:BK20,2,k3:w30",
    "position B:W6,7,14,15:B2 moves 2x9x18",
    "position B:WK6,K7,K14,K15:BK2 moves 2x18:9x2",
    "position W:WK9:BK27,K28 moves 9-5 27-32 5-1 32-27 1-5 27-32 5-1 32-27",
]


def test_programs_understand_what_the_bot_in_python_understands(tmp_path: Path) -> None:
    player = make_kind("twenty features")
    python, program = tmp_path / "bot.py", build(export_c(player), tmp_path, *SANITIZERS)
    python.write_text(export_checkers(player), encoding="utf-8")
    chance = random.Random(6)
    lines = [*WRONG, *(line for right in RIGHT for line in (right, "seed 7", "go", "go depth 1"))]
    for _ in range(300):  # right lines, of which some letters were changed
        letters = list(chance.choice(RIGHT))
        for _ in range(chance.randrange(3)):
            letters[chance.randrange(len(letters))] = chance.choice("WBK:,-x0123456789 ")
        lines += ["".join(letters), "seed 3", "go depth 2"]
    text = "\n".join([*lines, "quit", "position start", "go"])
    answers, complaints = talk([str(program)], text)
    assert (answers, complaints) == talk([sys.executable, "-IS", str(python)], text)
    assert len(answers) > 100
    assert len(complaints) > 200


def test_programs_answer_in_time(tmp_path: Path) -> None:
    program = build(export_c(make_kind("four features")), tmp_path, "-O2")
    text = "position B:W18:B14,K1\ngo movetime 0\nposition start\ngo movetime 20\ngo movetime 1\n"
    answers, complaints = talk([str(program)], text)
    assert complaints == []
    assert answers[0] == "move 14x23"
    legal = {f"move {move}" for move in GAME.legal_moves(GAME.initial())}
    assert set(answers[1:]) <= legal
    assert len(answers) == 3


def test_a_program_plays_in_the_arena(tmp_path: Path) -> None:
    game = Checkers(turned=1)
    program = build(export_c(make_kind("light first")), tmp_path)
    bot = ProcessPlayer(game, str(program), limits=Limits(time_bank=3_000, per_move=10))
    match = play_match(game, [make_random(game), bot], seed=1)
    assert match.termination in (Termination.WIN, Termination.DRAW)


@pytest.mark.parametrize("export", [export_c, export_checkerboard])
def test_players_that_play_at_random_now_and_then_are_refused(export: Any) -> None:
    with pytest.raises(BadValueError, match=r"depth=2,noise=0\.5 makes random moves"):
        export(make_minimax(GAME, depth=2, noise=0.5))


BLACK, WHITE, MAN, KING = 2, 1, 4, 8
DRAW, WIN, LOSS, UNKNOWN = range(4)
PICTURE = """
  32  31  30  29
28  27  26  25
  24  23  22  21
20  19  18  17
  16  15  14  13
12  11  10   9
   8   7   6   5
 4   3   2   1
"""
"""The board as CheckerBoard's own engines draw it, white above: x goes to the right, y up."""
CELLS = {
    int(line[at : at + 2]): (at // 2, 7 - row)
    for row, line in enumerate(PICTURE.strip("\n").splitlines())
    for at in range(0, len(line), 2)
    if line[at : at + 2].strip()
}
Cells = ctypes.c_int * 8 * 8
EXACT = 2


class Engine:
    """An engine as CheckerBoard uses it."""

    def __init__(self, file: Path, seed: int = 1) -> None:
        self.library = ctypes.CDLL(str(file))
        self.stop = ctypes.c_int(0)
        assert self.command(f"set seed {seed}") == (1, str(seed))

    def command(self, text: str) -> tuple[int, str]:
        """What it returns, and what it replies."""
        reply = ctypes.create_string_buffer(1024 + 64)
        reply[1024:] = b"#" * 64
        known = self.library.enginecommand(text.encode(), reply)
        assert reply[1024:] == b"#" * 64
        return known, reply.value.decode()

    def move(
        self, position: Position, seconds: float = 0.0, info: int = 0, more: int = 0
    ) -> tuple[Position | None, int]:
        """The position after its move, if that is legal, else none; and what it says of it."""
        cells = Cells(*(Cells._type_() for _ in range(8)))
        fill(cells, position)
        text = ctypes.create_string_buffer(1024 + 64)
        text[1024:] = b"#" * 64
        colour = WHITE if position.side else BLACK
        result = self.library.getmove(
            *(cells, colour, ctypes.c_double(seconds), text),
            *(ctypes.byref(self.stop), info, more, None),
        )
        assert text[1024:] == b"#" * 64
        assert text.value
        for move in GAME.legal_moves(position):
            after = GAME.play(position, move)
            expected = Cells(*(Cells._type_() for _ in range(8)))
            fill(expected, after)
            if bytes(expected) == bytes(cells):
                return after, result
        return None, result


def fill(cells: Any, position: Position) -> None:
    """Writes a *position* to the *cells*, x first."""
    for square, (x, y) in CELLS.items():
        bit = 1 << (square - 1 + (square - 1) // 8)
        colour = BLACK * bool(position.dark & bit) | WHITE * bool(position.light & bit)
        cells[x][y] = colour and colour | (KING if position.kings & bit else MAN)


@pytest.fixture(scope="module")
def engine_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An engine that looks six plies ahead and counts pieces."""
    folder = tmp_path_factory.mktemp("engine")
    return build(str(export_player(PIECES, "checkerboard")), folder, "-shared", "-fPIC")


def test_the_picture_has_the_corners_that_checkerboard_documents() -> None:
    corners = {1: (6, 0), 4: (0, 0), 5: (7, 1), 12: (0, 2), 29: (7, 7), 32: (1, 7)}
    assert {square: CELLS[square] for square in corners} == corners
    assert len(CELLS) == 32


@pytest.mark.parametrize("side", [0, 1])
def test_engines_play_games_without_an_illegal_move(engine_file: Path, side: int) -> None:
    engine, chance = Engine(engine_file), random.Random(side)
    claimed = won = 0
    for _ in range(5):
        position = GAME.initial()
        while GAME.outcome(position) is None:
            if position.side != side:
                position = GAME.play(position, chance.choice(GAME.legal_moves(position)))
                continue
            after, result = engine.move(position)
            assert after is not None, position.fen()
            claimed += result == WIN
            position = after
        outcome = GAME.outcome(position)
        assert outcome is not None
        won += outcome.places[side] < outcome.places[1 - side]
    assert won >= 4
    assert claimed >= won


def test_without_more_time_an_engine_plays_the_arenas_move(engine_file: Path) -> None:
    engine, player = Engine(engine_file), PIECES
    drawn = 0
    for number, position in enumerate([*random_positions(GAME, 100), *end_games()]):
        engine.command(f"set seed {number}")
        played = DIALECT.show(position).removeprefix("position ").replace("moves ", "").strip()
        assert engine.command(f"set gamehist {played}") == (1, "ok")
        after, result = engine.move(position)
        assert after == GAME.play(position, player.choose(position, new_stream(number)))
        drawn += result == DRAW
        outcome = GAME.outcome(after)
        if outcome:
            assert result == (DRAW if outcome.places == (1, 1) else WIN)
    assert drawn > 0


def test_engines_stop_when_they_are_told_to_and_tell_what_they_see(engine_file: Path) -> None:
    engine = Engine(engine_file)
    engine.stop.value = 1
    begun = time.monotonic()
    after, result = engine.move(GAME.initial(), 120.0)
    assert time.monotonic() - begun < 60.0
    assert after is not None
    assert result == UNKNOWN
    engine.stop.value = 0
    for info, more in ((EXACT, 0), (1 << 2, 40 << 16), (3 << 2, 0)):
        seconds = 0.02 if info == EXACT else 120.0
        after, result = engine.move(GAME.initial(), seconds, info, more)
        assert after is not None
    assert engine.move(GAME.parse_position("B:W18:B14"), 120.0)[1] == WIN
    assert engine.move(GAME.parse_position("B:WK1,11,22,26,29:B14"), 120.0)[1] == LOSS
    assert engine.move(GAME.parse_position("B:W5,6,9,10:B1"), 120.0) == (None, LOSS)


def test_engines_answer_commands(engine_file: Path) -> None:
    engine = Engine(engine_file)
    assert engine.command("name") == (1, "minimax:depth=6")
    about = (
        "minimax:depth=6, bred by Evolve Arena\ngame: English checkers\nvalue: a weighted sum of 4"
    )
    assert engine.command("about")[1].startswith(about)
    assert engine.command("get gametype") == (1, "21")
    assert engine.command("get protocolversion") == (1, "2")
    for unknown in ("help", "set hashsize 64", "get book", "", f"set gamehist {'9' * 20_000}"):
        assert engine.command(unknown) == (0, "?")
    assert engine.command("set gamehist B:W0:B2") == (1, "'0' names no squares")
    assert engine.command("set gamehist B:W7:B2 2-7") == (1, "'2-7' is not legal here")


DRIVER = r"""
#include <stdlib.h>
int main(void) {
    int games = 0;
    for (int side = 0; games < 6; games++, side = 1 - side) {
        static int cells[8][8];
        char *text = malloc(1024);
        int stop = 0, colour = 2;
        for (int square = 1; square <= 32; square++)
            *find_cell(cells, square) = square < 13 ? 2 | 4 : square > 20 ? 1 | 4 : 0;
        for (int ply = 0; ply < 300; ply++, colour = 3 - colour)
            if (getmove(cells, colour, 0.0, text, &stop, games % 2 ? 2 : 0, 0, NULL) != 3)
                break;
        enginecommand("about", text);
        free(text);
    }
    return 0;
}
"""


@with_sanitizers
@pytest.mark.parametrize("kind", ["network", "graph"])
def test_engines_make_no_error_that_sanitizers_see(kind: str, tmp_path: Path) -> None:
    source = export_checkerboard(make_kind(kind)) + DRIVER
    program = build(source, tmp_path, *SANITIZERS)
    assert talk([str(program)], "") == ([], [])


@with_sanitizers
def test_no_line_makes_a_program_do_what_sanitizers_see(tmp_path: Path) -> None:
    source = str(export_player(make_kind("light first"), "c"))
    assert_withstands(source, checkers_lines(), tmp_path)


def test_engines_refuse_boards_with_more_pieces_than_a_side_has(engine_file: Path) -> None:
    engine, cells = Engine(engine_file), Cells(*(Cells._type_() for _ in range(8)))
    text = ctypes.create_string_buffer(1024)
    for square in range(1, 14):
        x, y = CELLS[square]
        cells[x][y] = BLACK | KING
    before = bytes(cells)
    result = engine.library.getmove(
        cells, BLACK, ctypes.c_double(0.0), text, ctypes.byref(engine.stop), 0, 0, None
    )
    assert (result, text.value) == (UNKNOWN, b"a side has more than 12 pieces")
    assert bytes(cells) == before
