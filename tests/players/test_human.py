"""A person at the terminal: what is shown, what is understood, how one stops."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys

import pytest

from evolve_arena.arena.match import Termination, play_match
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.human import HumanPlayer
from evolve_arena.players.player import Forfeit, ForfeitError, Player, make_random
from evolve_arena.players.text_ui import find_text_ui

GAME = make_game("connect-four")
CHECKERS = make_game("checkers")
UI = find_text_ui(GAME)
START = f"\n{UI.draw(GAME.initial())}\n"
PROMPT = "Your move, a move such as 0, or q to quit: "


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def enter(text: str, moves: str = "", game: BoardGame = GAME) -> tuple[int, str]:
    """Return the column chosen by typing *text* after *moves*, and the output."""
    seen = io.StringIO()
    human = HumanPlayer(game, reads=io.StringIO(text), writes=seen)
    return human.choose(game.parse_position(moves), new_stream(0)), seen.getvalue()


def test_the_board_is_shown_and_a_move_asked_for_until_there_is_one() -> None:
    assert enter("\n  \n\t4\r\n") == (4, START + PROMPT * 3)


@pytest.mark.parametrize(
    ("text", "explained"),
    [
        ("7", "'7' is no move, such as 1, 2 or 3"),
        ("-1", "'-1' is no move, such as 1, 2 or 3"),
        ("3 4", "'3 4' is no move, such as 1, 2 or 3"),
        ("left", "'left' is no move, such as 1, 2 or 3"),
        ("9" * 5000, f"'{'9' * 20}' is no move, such as 1, 2 or 3"),
        ("\x1b[A", "'\\x1b[a' is no move, such as 1, 2 or 3"),
        ("0", "0 can't be played here, but 1, 2 or 3 can"),
    ],
)
def test_an_illegal_entry_is_explained_and_asked_for_again(text: str, explained: str) -> None:
    column, seen = enter(f"{text}\n4\n", "000000")
    assert column == 4
    said = f"Not possible: {explained}. These moves can be played: 1, 2, 3, 4, 5, 6.\n"
    prompt = PROMPT.replace("0", "1")
    assert seen.endswith(prompt + said + prompt)


ENDED = ["", "9\n", "\n"]


@pytest.mark.parametrize("text", [*ENDED, "q\n", "Q\n3\n", " quit \n", "exit\n", "resign\n"])
def test_a_person_may_resign_or_end_the_input(text: str) -> None:
    sentence = f"human resigns{': the input has ended' if text in ENDED else ''}."
    with pytest.raises(ForfeitError, match=f"^{re.escape(sentence)}$") as caught:
        enter(text)
    assert caught.value.kind is Forfeit.RESIGNED


class First(Player):
    """Player of the first legal move."""

    name = "first"

    def choose(self, position: Board, rng: Stream) -> int:
        """Return column 0, while it has room."""
        return int(GAME.legal_moves(position)[0])


def test_a_whole_match() -> None:
    seen = io.StringIO()
    human = HumanPlayer(GAME, name="Ada", reads=io.StringIO("6\n5\n4\n"), writes=seen)
    match = play_match(GAME, [human, First()], opening=(3, 0))
    assert (match.outcome, match.termination) == (1, Termination.WIN)
    assert match.sentence == "Ada wins: 4 in a row."
    assert seen.getvalue().startswith("You play x and move first.\n\n")
    assert seen.getvalue().count(f"The opponent plays {match.moves[3]}.\n") >= 1
    assert seen.getvalue().count("The opponent plays") == 2

    second = HumanPlayer(GAME, reads=io.StringIO("3\nq\n"), writes=(seen := io.StringIO()))
    match = play_match(GAME, [First(), second])
    assert (match.outcome, match.termination) == (1, Termination.RESIGNED)
    assert seen.getvalue().startswith("You play o and move second.\n")


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    position = GAME.parse_position("33")
    boards = []
    for value in ("", "1"):
        monkeypatch.setenv("NO_COLOR", value)
        human = HumanPlayer(GAME, reads=io.StringIO("3\n"), writes=(seen := Terminal()))
        human.choose(position, new_stream(0))
        boards.append(seen.getvalue())
    assert re.search(r"\x1b\[[0-9;]+m[oO]\x1b\[0m", boards[0])
    assert re.search(r"\x1b\[[0-9;]+m[xX]\x1b\[0m", boards[0])
    assert "\x1b" not in boards[1]


def test_all_moves_of_a_turn_are_entered_at_once() -> None:
    text, seen = "11x18\n1x19\n2x9x18\n", io.StringIO()
    human = HumanPlayer(CHECKERS, reads=io.StringIO(text), writes=seen)
    position, names = CHECKERS.parse_position("B:W6,7,14,15:B2"), list[str]()
    for _ in range(2):
        move = human.choose(position, new_stream(0))
        names.append(CHECKERS.format_move(move))
        position = CHECKERS.play(position, move)
    assert names == ["2x9", "9x18"]
    prompt = "Your move, a move such as 2x9, or q to quit: "
    board = find_text_ui(CHECKERS).draw(CHECKERS.parse_position("B:W6,7,14,15:B2"))
    refused = "Not possible: 11x18 can't be played here, but 2x9 or 2x11 can.\n"
    shown = seen.getvalue()
    assert shown.startswith(f"\n{board}\n{prompt}{refused}{prompt}Not possible: '1x19' is")
    assert shown.count(board) == 1


def test_a_whole_match_of_checkers() -> None:
    """A person who plays a program's moves is shown every turn of the other."""
    wanted = play_match(CHECKERS, [make_random(CHECKERS), make_random(CHECKERS)], seed=1)
    positions = [CHECKERS.initial()]
    for move in wanted.moves:
        positions.append(CHECKERS.play(positions[-1], move))
    turns = find_text_ui(CHECKERS).write_game(wanted.moves, positions).split()
    assert "9x18x27" in turns[::2]
    assert "19x10x3" in turns[1::2]
    own = "".join(f"{turn}\n" for turn in turns[::2])
    human = HumanPlayer(CHECKERS, reads=io.StringIO(own), writes=(seen := io.StringIO()))

    class Again(Player):
        """Player that repeats the moves of the other side."""

        name = "again"

        def choose(self, position: Board, rng: Stream) -> int:
            """Return the move that was made there."""
            return wanted.moves[positions.index(position)]

    match = play_match(CHECKERS, [human, Again()])
    assert (match.moves, match.outcome) == (wanted.moves, wanted.outcome)
    shown = seen.getvalue()
    assert shown.startswith("You play dark and move first.\n")
    assert re.findall("The opponent plays (.+)[.]\n", shown) == turns[1:-1:2]
    assert shown.count("[b]") + shown.count("[B]") == 0
    assert shown.count("[w]") + shown.count("[W]") == len(turns[1:-1:2])


def test_at_a_real_terminal() -> None:
    script = (
        "from evolve_arena.core.registry import make_game;"
        "from evolve_arena.core.stream import new_stream;"
        "from evolve_arena.players.human import HumanPlayer; game = make_game('connect-four');"
        "print('chosen', HumanPlayer(game).choose(game.initial(), new_stream(0)))"
    )
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8:strict"}
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    try:
        shown = b""
        for entry in (b"\xff\xfe\n", b" 5\n"):
            while not shown.endswith(b"quit: "):
                shown += os.read(ours, 4096)
            os.write(ours, entry)
            shown += b"\n"
        while b"chosen 5" not in shown:
            shown += os.read(ours, 4096)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert b"Not possible: '\xef\xbf\xbd' is no move, such as 0, 1 or 2." in shown
