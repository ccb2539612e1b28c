"""Programs that play checkers: what they are told, and how good and bad ones fare."""

from __future__ import annotations

import random
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from evolve_arena.arena.match import Match, Termination, play_match
from evolve_arena.core.errors import UnknownNameError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.games.checkers.game import Checkers, Move, Position
from evolve_arena.games.checkers.spec import CheckersDialect
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.spec import DIALECTS
from evolve_arena.players.dialects import Limits, find_dialect
from evolve_arena.players.player import ForfeitError, Player
from evolve_arena.players.process import ProcessPlayer

GAME = Checkers()
DIALECT = CheckersDialect()
PATIENT = Limits(time_bank=30_000, per_move=500)
HASTY = Limits(time_bank=300, per_move=0)

SOURCE = """
import sys, time
log = open(sys.argv[0] + '.log', 'w', buffering=1)
def say(text):
    print(text, flush=True)
moves = iter({moves!r})
for line in sys.stdin:
    log.write(line)
    if line.startswith("go"):
        {answer}
"""


class Scripted(Player):
    """Plays the given moves."""

    def __init__(self, moves: str) -> None:
        self.name = "scripted"
        self._moves = iter(moves.split())

    def choose(self, position: Position, stream: Stream) -> Move:
        """The next move."""
        return GAME.resolve(position, Move.parse(next(self._moves)))


class Workshop:
    """Makes bots: Python files in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(
        self, moves: str = "", answer: str = "say('move ' + next(moves))", limits: Limits = PATIENT
    ) -> ProcessPlayer:
        """A bot that runs *answer* when asked for a move: one of *moves* after the other."""
        path = self.folder / "bot.py"
        path.write_text(SOURCE.format(moves=moves.split(), answer=answer))
        command = f"{shlex.quote(sys.executable)} -IS {shlex.quote(str(path))}"
        return ProcessPlayer(GAME, command, limits=limits)

    def log(self) -> list[str]:
        """The lines that the bot was sent."""
        return (self.folder / "bot.py.log").read_text().splitlines()


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    """A workshop; afterwards, no process may be left."""
    yield Workshop(tmp_path)
    assert psutil.Process().children(recursive=True) == []


def lose(bot: ProcessPlayer, opening: str = "") -> Match:
    """A match that the bot, who moves first, must lose."""
    numbers, position = [], GAME.initial()
    for text in opening.split():
        move = GAME.resolve(position, Move.parse(text))
        numbers.append(GAME.number_of(move))
        position = GAME.play(position, move)
    match = play_match(GAME, [bot, Scripted("24-20 28-24 22-18")], opening=numbers)
    assert match.outcome == -1
    return match


def test_what_a_bot_is_told(workshop: Workshop) -> None:
    bot = workshop.make("11-15 8-11 4-8")
    lose(bot)
    shown = workshop.log()
    assert shown == [
        "position B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
        "go movetime 750",  # a fortieth of the bank
        "position B:W20,21,22,23,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15",
        shown[3],
        "position B:W20,21,22,23,24,25,26,27,29,30,31,32:B1,2,3,4,5,6,7,9,10,11,12,15",
        shown[5],
        "position B:W18,20,21,23,24,25,26,27,29,30,31,32:B1,2,3,5,6,7,8,9,10,11,12,15",
        shown[7],
    ]
    assert all(re.fullmatch("go movetime [1-7][0-9]{2}", line) for line in shown[1::2])


def test_a_bot_is_told_to_quit(workshop: Workshop) -> None:
    bot = workshop.make("11-15")
    bot.begin(0)
    assert bot.choose(GAME.initial(), new_stream(0)) == Move((11, 15))
    bot.end()
    assert workshop.log()[2:] == ["quit"]


@pytest.mark.parametrize(
    ("limits", "bank", "milliseconds"),
    [
        (Limits(10_000, 500), 10_000, 500),
        (Limits(10_000, 100), 10_000, 250),
        (Limits(10_000, 100), 3_000, 100),
        (Limits(1_000, 1_000), 1_000, 900),
        (Limits(10_000, 0), 4_000, 100),
        (Limits(1, 0), 1, 1),
    ],
)
def test_the_time_for_a_move(limits: Limits, bank: int, milliseconds: int) -> None:
    assert DIALECT.ask(bank, limits) == f"go movetime {milliseconds}\n"


def test_moves_are_told_as_far_back_as_positions_can_come_again() -> None:
    position = GAME.parse_position("W:WK1,25:BK32,21")
    shown = []
    for text in ("25-22", "32-28", "1-6", "28-32", "6-1", "21-25"):
        position = GAME.play(position, GAME.parse_move(text))
        shown.append(DIALECT.show(position))
    first = "position B:WK1,22:B21,K32"
    assert shown == [
        f"{first}\n",
        f"{first} moves 32-28\n",
        f"{first} moves 32-28 1-6\n",
        f"{first} moves 32-28 1-6 28-32\n",
        f"{first} moves 32-28 1-6 28-32 6-1\n",
        "position W:WK1,22:B25,K32\n",
    ]


@pytest.mark.parametrize("turned", [0, 1])
def test_a_position_is_the_same_after_the_moves_that_are_told(turned: int) -> None:
    game = Checkers(turned=turned)
    chance = random.Random(turned)
    longest = 0
    for _ in range(20):
        position = game.parse_position("W:WK1,K5,30:BK32,K28,4")
        while game.outcome(position) is None:
            words = DIALECT.show(position).split()
            again = game.parse_position(words[1])
            for text in words[3:]:
                again = game.play(again, game.parse_move(text))
            assert again == position
            longest = max(longest, len(words) - 3)
            position = game.play(position, chance.choice(game.legal_moves(position)))
    assert longest > 20


def test_captures_may_be_short_where_they_are_clear(workshop: Workshop) -> None:
    one = GAME.parse_position("B:W7,15:B2")
    two = GAME.parse_position("B:W6,7,14,15:B2")
    answers = [
        (one, "2x18", (2, 11, 18)),
        (one, "2-11-18", (2, 11, 18)),
        (two, "2x9x18", (2, 9, 18)),
        (two, "2X11X18", (2, 11, 18)),
    ]
    for position, text, whole in answers:
        bot = workshop.make(text, "say('move  ' + next(moves) + ' I think')")
        assert bot.choose(position, new_stream(0)) == Move(whole)
        bot.close()


ILLEGAL = {
    "move 11-18": "makes an illegal move: 11x18: from 11 dark can play 11-15 or 11-16.",
    "move 22-18": "makes an illegal move: 22-18: no piece of dark stands on 22.",
    "move 0-33": "makes an illegal move: there is no square 0: they are numbered 1 to 32.",
    "no_moves": "passes, which the rules do not allow.",
}
GARBAGE = [
    "hello",
    "move",
    "move eleven",
    "move 11",
    "move 11-",
    "11-15",
    "move 1-2-3-4-5-6-7-8-9-10-11",
]


@pytest.mark.parametrize("answer", ILLEGAL)
def test_an_illegal_move_loses(workshop: Workshop, answer: str) -> None:
    match = lose(workshop.make(answer=f"say({answer!r})"))
    assert match.termination is Termination.ILLEGAL_MOVE
    assert match.sentence == f"bot.py {ILLEGAL[answer]}"
    assert match.moves == ()


def test_a_capture_that_is_not_finished_or_not_clear_is_illegal(workshop: Workshop) -> None:
    position = GAME.parse_position("B:W6,7,14,15:B2")
    for text, fault in {"2x9": "the jump goes on", "2x18": "this could be"}.items():
        bot = workshop.make(text)
        with pytest.raises(ForfeitError, match=f"illegal move: {text}: {fault}"):
            bot.choose(position, new_stream(0))


@pytest.mark.parametrize("answer", GARBAGE)
def test_garbage_loses(workshop: Workshop, answer: str) -> None:
    match = lose(workshop.make(answer=f"say({answer!r})"))
    assert match.termination is Termination.GARBAGE
    expected = f"bot.py answers '{answer}' instead of 'move' and a move such as 11-15."
    assert match.sentence == expected


def test_bytes_that_are_no_text_are_garbage(workshop: Workshop) -> None:
    match = lose(workshop.make(answer="sys.stdout.buffer.write(b'move \\xff\\x00\\n'); say('')"))
    assert match.termination is Termination.GARBAGE


def test_no_answer_in_time_a_crash_and_a_flood_lose(workshop: Workshop) -> None:
    late = lose(workshop.make(answer="time.sleep(60)", limits=HASTY))
    assert late.sentence == "bot.py does not answer within 300 ms."
    assert late.termination is Termination.TIMEOUT
    crash = lose(workshop.make(answer="sys.exit(3)"))
    assert crash.sentence == "bot.py exits with status 3 instead of answering."
    assert crash.termination is Termination.CRASH
    flood = lose(workshop.make(answer="\n        while True: print('spam')"))
    assert flood.termination is Termination.FLOOD


def test_each_game_has_dialects_of_its_own() -> None:
    assert find_dialect(GAME) is find_game("checkers").dialects["checkers"]
    assert find_dialect(ConnectFour()) is DIALECTS["ai-games"]
    assert find_dialect(ConnectFour(), "riddles") is DIALECTS["riddles"]
    with pytest.raises(UnknownNameError, match=r"unknown dialect 'ai-games': \(known: checkers\)"):
        ProcessPlayer(GAME, sys.executable, dialect="ai-games")
    with pytest.raises(UnknownNameError, match=r"\(known: ai-games, codingame, riddles\)"):
        ProcessPlayer(ConnectFour(), sys.executable, dialect="checkers")
