"""Bots in processes of their own: good ones play on, bad ones lose, and none is left behind."""

from __future__ import annotations

import gc
import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from evolve_arena.arena.match import Match, Termination, play_match
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.players.board.game import Board
from evolve_arena.players.child import Child, quoted
from evolve_arena.players.dialects import Limits
from evolve_arena.players.player import ForfeitError, Player, make_random
from evolve_arena.players.process import ProcessPlayer

GAME = make_game("connect-four")
PATIENT = Limits(time_bank=30_000, per_move=500)
HASTY = Limits(time_bank=300, per_move=0)

HEAD = """
import os, re, signal, subprocess, sys, time
field, asked = [], 0
def say(text, end="\\n"):
    print(text, end=end, flush=True)
def play():
    if field:
        say(f"place_disc {field.index('0')}")
    else:
        say(f"move {next(column for column in range(7) if not discs >> 7 * column + 5 & 1)}")
"""
LOOP = """
for line in sys.stdin:
    words = line.split()
    if words[:3] == ["update", "game", "field"]:
        field = re.split("[;,]", words[3])
    elif words[:1] == ["state"]:
        discs = int(words[1]) | int(words[2])
    elif words[:1] in (["action"], ["go"]):
        asked += 1
"""


class Scripted(Player):
    """Player of the given columns."""

    def __init__(self, *columns: int) -> None:
        self.name = "scripted"
        self._columns = columns
        self._next = 0

    def begin(self, side: int) -> None:
        """Start again."""
        self._next = 0

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the next column."""
        self._next += 1
        return self._columns[self._next - 1]


class Workshop:
    """Maker of bots: Python files in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, answer: str = "play()", start: str = "", end: str = "") -> str:
        """Return the command of a bot that runs *answer* when asked for a move.

        It runs *start* before it reads anything, and *end* once its input has ended.
        """
        body = "".join(f"        {line}\n" for line in answer.splitlines())
        path = self.folder / "bot.py"
        path.write_text(f"{HEAD}{start}\n{LOOP}{body}\n{end}\n")
        return f"{shlex.quote(sys.executable)} -IS {shlex.quote(str(path))}"

    def log(self) -> list[str]:
        """Return the lines that the bot wrote to a file beside it."""
        return (self.folder / "bot.py.log").read_text().splitlines()


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    """Yield a workshop; afterwards, no process may be left."""
    yield Workshop(tmp_path)
    assert psutil.Process().children(recursive=True) == []


def is_gone(pid: int) -> bool:
    """Test whether the process ends within a few seconds; a zombie has ended."""
    for _ in range(100):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def lose(command: str, limits: Limits = PATIENT, opening: tuple[int, ...] = ()) -> Match:
    """Play a match that the bot must lose, whether it moves first or second."""
    player = ProcessPlayer(GAME, command, limits=limits)
    side = len(opening) % 2
    players = [make_random(GAME), make_random(GAME)]
    match = play_match(
        GAME, [player, players[1]] if side == 0 else [players[0], player], opening=opening
    )
    assert match.outcome == (-1 if side == 0 else 1)
    assert psutil.Process().children(recursive=True) == []
    return match


@pytest.mark.parametrize("dialect", ["ai-games", "plain"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_good_bot_plays_whole_games(workshop: Workshop, dialect: str, side: int) -> None:
    bot = ProcessPlayer(GAME, workshop.write(), dialect=dialect, limits=PATIENT)
    for seed in range(2):
        test_bot = find_game("connect-four").players["test-bot"]
        players: list[Player] = [test_bot.make("", GAME), test_bot.make("", GAME)]
        players[side] = bot
        match = play_match(GAME, players, seed=seed)
        assert match.termination in {Termination.WIN, Termination.DRAW}
        position = GAME.initial()
        for ply, column in enumerate(match.moves):
            if ply % 2 == side:
                assert column == min(GAME.legal_moves(position))
            position = GAME.play(position, column)
        assert GAME.outcome(position) is not None


def recorded(workshop: Workshop, dialect: str, side: int) -> list[str]:
    """Return the bot's input up to its second move; it plays 3 and 3, the other 2 and 2."""
    log = "log = open(sys.argv[0] + '.log', 'w', buffering=1)"
    command = workshop.write("say('place_disc 3')", log)
    path = workshop.folder / "bot.py"
    path.write_text(path.read_text().replace("words = line", "log.write(line); words = line"))
    bot = ProcessPlayer(GAME, command, dialect=dialect)
    other = Scripted(2, 2, 2, 2)
    play_match(GAME, [bot, other] if side == 0 else [other, bot])
    lines = workshop.log()
    asked = [number for number, line in enumerate(lines) if line.startswith("action")]
    left = re.fullmatch(r"action move (\d+)", lines[asked[1]])
    assert left
    assert 0 < int(left[1]) <= int(lines[asked[0]].split()[2])
    lines[asked[1]] = "action move LEFT"
    return lines[: asked[1] + 2]


def test_the_ai_games_transcript(workshop: Workshop) -> None:
    no_row = "0,0,0,0,0,0,0;"
    assert recorded(workshop, "ai-games", 0) == [
        "settings timebank 10000",
        "settings time_per_move 500",
        "settings player_names player1,player2",
        "settings your_bot player1",
        "settings your_botid 1",
        "settings field_columns 7",
        "settings field_rows 6",
        "update game round 1",
        f"update game field {no_row * 5}0,0,0,0,0,0,0",
        "action move 10000",
        f"update game field {no_row * 5}0,0,0,1,0,0,0",
        "update game round 3",
        f"update game field {no_row * 5}0,0,2,1,0,0,0",
        "action move LEFT",
        f"update game field {no_row * 4}0,0,0,1,0,0,0;0,0,2,1,0,0,0",
    ]
    assert recorded(workshop, "ai-games", 1)[3:12] == [
        "settings your_bot player2",
        "settings your_botid 2",
        "settings field_columns 7",
        "settings field_rows 6",
        "update game round 2",
        f"update game field {no_row * 5}0,0,1,0,0,0,0",
        "action move 10000",
        f"update game field {no_row * 5}0,0,1,2,0,0,0",
        "update game round 4",
    ]


def banks(workshop: Workshop, answer: str, limits: Limits) -> list[int]:
    """Return the time bank announced before each of a bot's moves."""
    start = "log = open(sys.argv[0] + '.log', 'w', buffering=1)"
    command = workshop.write(f"print(words[2], file=log)\n{answer}", start)
    play_match(GAME, [ProcessPlayer(GAME, command, limits=limits), Scripted(6, 6, 6, 6)])
    return [int(line) for line in workshop.log()]


def test_time_is_taken_from_the_bank(workshop: Workshop) -> None:
    left = banks(workshop, "time.sleep(0.1)\nplay()", Limits(time_bank=20_000, per_move=0))
    assert len(left) == 4
    assert left[0] == 20_000
    assert all(after <= before - 100 for before, after in itertools.pairwise(left))


def test_the_bank_is_refilled_up_to_its_size(workshop: Workshop) -> None:
    limits = Limits(time_bank=20_000, per_move=20_000)
    assert banks(workshop, "time.sleep(0.02)\nplay()", limits) == [20_000] * 4


SLEEP = "time.sleep(60)"
LATE = Termination.TIMEOUT, "does not answer within 300 ms."
FLOOD = Termination.FLOOD, "floods its output: over 65536 bytes or 1000 lines for one move."
ILLEGAL = Termination.ILLEGAL_MOVE
LAST = "exits with status 1 instead of answering; its last words:"
LOSSES: dict[str, tuple[tuple[Termination, str], str]] = {
    "a long sleep": (LATE, SLEEP),
    "nothing": (LATE, "pass"),
    "too late": (LATE, "time.sleep(0.6); play()"),
    "errors without end": (LATE, "while True: sys.stderr.write('x' * 4096)"),
    "many lines": (FLOOD, "while True: print('spam')"),
    "one endless line": (FLOOD, "while True: print('x' * 4096, end='')"),
    "a flood, then sleep": (FLOOD, f"say('\\n' * 1000); {SLEEP}"),
    "a later flood": (FLOOD, "say('spam'); time.sleep(0.02)\nwhile True: print('spam')"),
    "no such column": (
        (ILLEGAL, "makes an illegal move: 7 can't be played here, but 0, 1 or 2 can."),
        "say('place_disc 7')",
    ),
    "no move": ((ILLEGAL, "passes, which the rules do not allow."), "say('no_moves')"),
}
LOSSES |= {
    f"crash: {happened}": ((Termination.CRASH, happened), answer)
    for happened, answer in (
        ("exits with status 0 instead of answering.", "sys.exit()"),
        (f"{LAST} 'out of ideas'.", "if asked == 3: sys.exit('out of ideas')\nplay()"),
        (f"{LAST} 'ValueError: no \\x1b[2J column'.", "raise ValueError('no \\x1b[2J column')"),
        ("is ended by SIGKILL instead of answering.", "os.kill(os.getpid(), signal.SIGKILL)"),
        ("closes its output instead of answering.", f"os.close(1); {SLEEP}"),
        (
            "exits with status 4 instead of answering.",
            "subprocess.Popen(['sleep', '60']); os._exit(4)",  # which holds the pipes
        ),
    )
}
LOSSES |= {
    f"garbage: {shown}": (
        (Termination.GARBAGE, f"answers '{shown}' instead of 'place_disc' and a column."),
        answer,
    )
    for shown, answer in (
        ("place_disc", "say('place_disc')"),
        ("place_disc 3.0", "say('place_disc 3.0')"),
        ("place_disc 99999999999999999999", "say('place_disc ' + '9' * 20)"),
        ("éé\\u202e", "sys.stdout.buffer.write('éé\\u202e\\n'.encode()); say('', end='')"),
    )
}


@pytest.mark.parametrize("how", LOSSES)
def test_who_does_not_answer_with_a_move_loses(workshop: Workshop, how: str) -> None:
    (termination, happened), answer = LOSSES[how]
    late = termination is Termination.TIMEOUT
    match = lose(workshop.write(answer), HASTY if late else PATIENT)
    assert (match.termination, match.sentence) == (termination, f"bot.py {happened}")
    assert match.sentence.isprintable()
    assert len(match.moves) == (4 if "out of ideas" in how else 0)


def test_an_exhausted_bank_loses(workshop: Workshop) -> None:
    command = workshop.write("time.sleep(1 if asked == 1 else 60)\nplay()")
    match = lose(command, Limits(time_bank=3_000, per_move=0))
    assert match.termination is Termination.TIMEOUT
    assert match.moves[0] == 0
    assert len(match.moves) == 2
    left = re.fullmatch(r"bot\.py does not answer within (\d+) ms\.", match.sentence)
    assert left
    assert int(left[1]) <= 2_000


def test_a_bot_that_never_reads_loses(workshop: Workshop) -> None:
    assert lose(workshop.write(start=SLEEP), HASTY).termination is Termination.TIMEOUT
    child = Child(shlex.split(workshop.write(start=SLEEP)), "deaf", 1000, 10)
    child.send("x" * 1_000_000)
    with pytest.raises(ForfeitError, match=r"deaf does not answer within 300 ms\."):
        child.answer(300)
    child.stop(patience=0)


def test_a_bot_that_reads_late_gets_all(workshop: Workshop) -> None:
    start = "time.sleep(0.2); say(len(sys.stdin.readline())); say(len(sys.stdin.readline()))"
    child = Child(shlex.split(workshop.write(start=start)), "late", 1000, 10)
    child.send("x" * 1_000_000 + "\n")
    child.send("y" * 100 + "\n")
    assert [child.answer(30_000), child.answer(30_000)] == [b"1000001", b"101"]
    child.stop(patience=1)


def test_a_bot_that_closes_its_input_may_still_answer(workshop: Workshop) -> None:
    start = "os.close(0); say('closed'); time.sleep(0.1); say('place_disc 1'); time.sleep(60)"
    child = Child(shlex.split(workshop.write(start=start)), "deaf", 1000, 10)
    assert child.answer(30_000) == b"closed"
    child.send("who will read this?\n")
    assert child.answer(30_000) == b"place_disc 1"
    child.stop(patience=0)


def test_every_line_is_an_answer_and_blank_ones_are_none(workshop: Workshop) -> None:
    twice = r"say('\r\n\n place_disc  +4 please \r\nplace_disc 5')"
    match = lose(workshop.write(f"if asked == 1: {twice}\nif asked == 3: sys.exit(9)"))
    assert match.moves[::2] == (4, 5)
    assert match.termination is Termination.CRASH


def test_a_last_answer_needs_no_line_break(workshop: Workshop) -> None:
    match = lose(workshop.write("say('place_disc 2', end=''); sys.exit(5)"))
    assert match.termination is Termination.CRASH
    assert match.moves[0] == 2
    assert len(match.moves) == 2


def test_a_bot_that_ignores_the_end_is_killed(workshop: Workshop) -> None:
    ignore = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    bot = ProcessPlayer(GAME, workshop.write(start=ignore, end=SLEEP), limits=PATIENT)
    match = play_match(GAME, [bot, Scripted(6, 6, 6)])
    assert match.sentence == "bot.py wins: 4 in a row."
    assert psutil.Process().children(recursive=True) == []


def test_a_bot_may_tidy_up(workshop: Workshop) -> None:
    tidy = "open(sys.argv[0] + '.log', 'w').write('tidy')"
    bot = ProcessPlayer(GAME, workshop.write(end=tidy), limits=PATIENT)
    play_match(GAME, [bot, Scripted(6, 6, 6)])
    assert workshop.log() == ["tidy"]


def test_each_game_has_a_process_of_its_own(workshop: Workshop) -> None:
    start = "print(os.getpid(), file=open(sys.argv[0] + '.log', 'a'))"
    bot = ProcessPlayer(GAME, workshop.write(start=start), limits=PATIENT)
    for _ in range(2):
        play_match(GAME, [bot, Scripted(6, 6, 6)])
    bot.begin(0)
    bot.begin(0)
    assert bot.choose(GAME.initial(), new_stream(0)) == 0
    bot.close()
    bot.close()
    assert bot.choose(GAME.play(GAME.initial(), 3), new_stream(0)) == 0
    bot.end()
    pids = workshop.log()
    assert len(set(pids)) == len(pids) >= 4


def test_a_forgotten_player_leaves_no_process(workshop: Workshop) -> None:
    bot = ProcessPlayer(GAME, workshop.write(), limits=PATIENT)
    bot.begin(0)
    assert len(psutil.Process().children()) == 1
    del bot
    gc.collect()
    assert psutil.Process().children() == []


def test_a_command_that_cannot_start_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="there is no program 'no-such-bot' to start"):
        ProcessPlayer(GAME, "no-such-bot --fast")
    with pytest.raises(BadValueError, match="names no program"):
        ProcessPlayer(GAME, "  ")
    with pytest.raises(BadValueError, match="cannot be read: No closing quotation"):
        ProcessPlayer(GAME, "python 'bot.py")
    plain = tmp_path / "my bot"
    plain.write_text("print('hello')")
    with pytest.raises(BadValueError, match="my bot is not executable: make it so"):
        ProcessPlayer(GAME, shlex.quote(str(plain)))
    plain.write_bytes(b"\0\1\2")
    plain.chmod(0o755)
    player = ProcessPlayer(GAME, shlex.quote(str(plain)))
    assert player.name == "my bot"
    with pytest.raises(BadValueError, match=r"cannot start '.*/my bot': Exec format error"):
        player.begin(0)


def test_bad_options_are_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ai-games'"):
        ProcessPlayer(GAME, sys.executable, dialect="ai_games")
    with pytest.raises(BadValueError, match="time_bank is 0: it must be 1 or more"):
        Limits(0, 0)
    with pytest.raises(BadValueError, match="per_move is -1: it must be 0 or more"):
        Limits(1, -1)


def test_names(workshop: Workshop) -> None:
    command = workshop.write()
    assert ProcessPlayer(GAME, command).name == "bot.py"
    assert ProcessPlayer(GAME, f"{command} --depth 4").name == "bot.py"
    assert ProcessPlayer(GAME, "sh -c 'exec my_bot'").name == "sh"
    assert ProcessPlayer(GAME, command, name="Deep Drop").name == "Deep Drop"


def test_quoted_text_is_short_and_harmless() -> None:
    assert quoted(b"\x1b]0;title\x07\r\n") == "'\\x1b]0;title\\x07\\r\\n'"
    assert len(quoted(bytes(range(256)) * 100)) <= 62


ESCAPE = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.closerange(0, 3)
        open(sys.argv[0] + '.log', 'w').write(str(os.getpid()))
        time.sleep(60)
    os._exit(0)
os.wait()
while not os.path.exists(sys.argv[0] + '.log') or not open(sys.argv[0] + '.log').read():
    time.sleep(0.01)
"""
"""Starts a process that has another session, another parent and no pipes, and notes its id."""


@pytest.mark.parametrize("answer", ["play()", "say('nonsense')", "os._exit(0)"])
def test_a_process_that_left_session_and_parent_ends_too(workshop: Workshop, answer: str) -> None:
    bot = ProcessPlayer(GAME, workshop.write(answer, ESCAPE), limits=PATIENT)
    play_match(GAME, [bot, Scripted(6, 6, 6)])
    assert is_gone(int(workshop.log()[0]))


def test_a_bot_that_kills_its_parents_group_loses(workshop: Workshop) -> None:
    """The group is that of its supervisor alone; what it started before is found all the same."""
    spare = f"if os.getppid() == {os.getpid()}: sys.exit('the host would die')"  # and the tests
    kill = f"{spare}\nos.killpg(os.getpgid(os.getppid()), signal.SIGKILL)\ntime.sleep(60)"
    match = lose(workshop.write(kill, ESCAPE))
    assert match.termination is Termination.CRASH
    sentence = "bot.py ends the process that watches over it instead of answering."
    assert match.sentence == sentence
    assert is_gone(int(workshop.log()[0]))


HOST = """
import os, sys
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.process import Limits, ProcessPlayer
game = make_game("connect-four")
bot = ProcessPlayer(game, sys.argv[1], limits=Limits(60_000, 60_000))
bot.begin(0)
bot.choose(game.initial(), new_stream(0))
"""


def test_a_bot_ends_with_a_host_that_is_killed(workshop: Workshop) -> None:
    ignore = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    note = "open(sys.argv[0] + '.log', 'a').write(f'\\n{os.getpid()}\\nasked\\n'); time.sleep(60)"
    command = workshop.write(note, f"{ignore}\n{ESCAPE}")
    host = subprocess.Popen([sys.executable, "-c", HOST, command], start_new_session=True)
    log = workshop.folder / "bot.py.log"
    while not (log.exists() and "asked" in log.read_text()):
        assert host.poll() is None
        time.sleep(0.02)
    supervisors = psutil.Process(host.pid).children()
    host.kill()
    assert host.wait() == -signal.SIGKILL
    pids = [int(line) for line in workshop.log() if line.isdigit()]
    assert len(pids) == 2
    assert len(supervisors) == 1
    assert all(is_gone(pid) for pid in [*pids, supervisors[0].pid])


def test_the_end_of_standard_error_is_kept_and_harmless(workshop: Workshop) -> None:
    complain = (
        "for number in range(20_000): print('line', number, file=sys.stderr)\n"
        "sys.stderr.buffer.write(b'\\x1b]0;title\\x07\\x1b[31m red \\xff\\n' + b'x' * 3000)\n"
        "sys.exit(7)"
    )
    match = lose(workshop.write(complain))
    assert match.termination is Termination.CRASH
    *before, red, last = match.errors
    assert before == [f"line {number}" for number in range(19_994, 20_000)]
    assert red == r"\x1b]0;title\x07\x1b[31m red " + "\ufffd"
    assert last == "x" * 77 + " ... " + "x" * 77


def test_what_a_bot_said_before_it_hung_is_kept(workshop: Workshop) -> None:
    match = lose(workshop.write(f"print('thinking', file=sys.stderr)\n{SLEEP}"), HASTY)
    assert match.termination is Termination.TIMEOUT
    assert match.errors == ("thinking",)


def test_a_program_that_cannot_play_is_found_out_before_any_game(workshop: Workshop) -> None:
    missing = f"{shlex.quote(sys.executable)} -IS {workshop.folder}/none.py"
    with pytest.raises(
        BadValueError, match=r"can't play: .* status 2 .*; its last words: "
    ) as told:
        ProcessPlayer(GAME, missing).check_ready()
    assert len(str(told.value)) < 300
    broken = workshop.write(start="print('\\x1b[2J', file=sys.stderr); raise ValueError('no book')")
    with pytest.raises(BadValueError, match=r"'ValueError: no book'\. \(before: ….*") as told:
        ProcessPlayer(GAME, broken).check_ready()
    assert str(told.value).isprintable()
    assert len(str(told.value)) < 400
    assert psutil.Process().children(recursive=True) == []


class Unheard(subprocess.Popen[bytes]):
    """A supervisor that ends before anything reads from it."""

    def __init__(self, *words: object, **settings: object) -> None:
        super().__init__(*words, **settings)
        assert is_gone(self.pid)


def test_a_program_that_ends_before_anybody_listens_is_told_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "Popen", Unheard)
    with pytest.raises(BadValueError, match="status 1 instead of answering"):
        ProcessPlayer(GAME, "false").check_ready()


@pytest.mark.parametrize("answer", ["play()", "say('nonsense')", "say('place_disc 9')"])
def test_a_program_that_answers_may_play(workshop: Workshop, answer: str) -> None:
    count = "print('started', file=open(sys.argv[0] + '.log', 'a'))"
    bot = ProcessPlayer(GAME, workshop.write(answer, count), limits=PATIENT)
    bot.check_ready()
    assert psutil.Process().children(recursive=True) == []
    match = play_match(GAME, [bot, Scripted(6, 6, 6)])
    assert (match.outcome == 1) == (answer == "play()")
    assert workshop.log() == ["started"] * 2
