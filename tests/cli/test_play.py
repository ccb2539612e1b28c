"""Games at the terminal: what is typed, what is shown, what players know after a take-back."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.duel import duel
from evolve_arena.arena.match import Termination, play_match
from evolve_arena.arena.table import Party, Table
from evolve_arena.cli.play import Plan, Session, newest_opponent
from evolve_arena.cli.play.prompt import COMMANDS, Command, read_input
from evolve_arena.core.errors import ArenaError, UnknownNameError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.stream import Stream
from evolve_arena.core.types import Settings
from evolve_arena.players import specification
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.board.text_ui import BoardText
from evolve_arena.players.dialects import Limits
from evolve_arena.players.player import Player, make_random
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.players.specification import make_player
from evolve_arena.players.text_ui import find_text_ui
from tests import terminal
from tests.forked import evolve
from tests.terminal import Typist

NetworkDecoder = find_game("connect-four").networks["mlp"].decoder_type

GAME = make_game("connect-four")
YOU = None
"""A person, in the list of players."""


class Scripted(Player):
    """Player of a text's columns, by the number of discs on the board, that notes calls."""

    def __init__(self, columns: str, name: str = "scripted") -> None:
        self.name = name
        self.columns = columns
        self.calls: list[str] = []

    def begin(self, side: int) -> None:
        """Note the call."""
        self.calls.append(f"begin {side}")

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the column of this ply."""
        self.calls.append(f"choose {position.plies}")
        return int(self.columns[position.plies])

    def end(self) -> None:
        """Note the call."""
        self.calls.append("end")

    def close(self) -> None:
        """Note the call."""
        self.calls.append("close")


BOARD = "(the board)"


@pytest.fixture(autouse=True)
def _draw_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw each board in one line."""
    monkeypatch.setattr(BoardText, "draw", lambda self, position, last=None, **options: BOARD)


def sit(
    typed: str,
    players: Sequence[Player | None],
    plan: Plan | None = None,
    advisor: Callable[[], Player] | None = None,
    game: BoardGame = GAME,
) -> tuple[Session, str]:
    """Play a session in which a person types *typed*, words or lines; return it and its output."""
    entries = typed if "\n" in typed else "".join(f"{word}\n" for word in typed.split())
    return terminal.sit(game, entries, players, plan, advisor)


def invite(words: str, **wishes: object) -> tuple[Session, str]:
    """Play a session with the options of the command line; return it and its output."""
    return terminal.invite("".join(f"{word}\n" for word in words.split()), **wishes)


def talk(shown: str) -> list[str]:
    """Return the lines of the conversation, without boards and blank lines."""
    lines = [line.rstrip() for line in shown.splitlines()]
    return [line for line in lines if line not in ("", BOARD)]


ASK = "Your move (x), a move such as 0, or help: "
OPEN = "These moves can be played: 0, 1, 2, 3, 4, 5, 6."
NEXT = "Enter for another game, or undo, or quit: "


def read(text: str) -> object:
    """Interpret *text* that is typed at the beginning of a game."""
    return read_input(find_text_ui(GAME), text, GAME.initial())


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("3", 3),
        (" 3 ", 3),
        *((text, Command("undo")) for text in ("undo", "U", "un", "take  Back")),
        ("undo 3", Command("undo", 3)),
        ("u2", Command("undo", 2)),
        *((text, Command("help")) for text in ("h", "?")),
        *((text, Command("hint")) for text in ("hi", "Hint!")),
        ("v", Command("values")),
        *((text, Command("quit")) for text in ("Q", "exit")),
        ("r", Command("resign")),
    ],
)
def test_entries(text: str, meant: int | Command) -> None:
    assert read(text) == (meant if isinstance(meant, Command) else [meant])


def test_every_command_has_a_beginning_of_its_own_and_mistakes_are_guessed() -> None:
    assert {read(name) for name in COMMANDS} == {Command(name) for name in COMMANDS}
    assert {read(name[:2]) for name in COMMANDS} == {Command(n) for n in COMMANDS}
    with pytest.raises(UnknownNameError, match="did you mean 'undo'"):
        read("undoo")


def test_a_whole_game() -> None:
    session, shown = sit("0 0 0 0 quit", [YOU, Scripted(".1.1.1.")])
    assert talk(shown) == [
        "Game 1: you are x, scripted is o.",
        *[f"{ASK}0", "scripted (o) plays 1."] * 3,
        *[f"{ASK}0", "You win: 4 in a row.", "Moves: 0 1 0 1 0 1 0", f"{NEXT}quit", "Goodbye."],
    ]
    assert shown.count(BOARD) == 5
    (match,) = session.matches
    assert (match.moves, match.outcome) == ((0, 1, 0, 1, 0, 1, 0), 1)
    assert (match.termination, session.wins) == (Termination.WIN, [1, 0])


def test_what_cannot_be_played_is_explained() -> None:
    plan = Plan(seed=1, moves=(3, 3, 3, 3, 3, 3))
    _, shown = sit("9\n3\n\nleft\nhint\nvalues\nhelp\nq\n", [YOU, Scripted("")], plan)
    assert "It begins with 3 3 3 3 3 3." in shown
    assert "Not possible: 3 can't be played here, but 0, 1 or 2 can.\nThese moves" in shown
    assert "Not possible: '9' is no move, such as 0, 1 or 2.\n" in shown
    assert "unknown command 'left'" in shown
    assert "Not possible: no program plays here that could be asked: use --hint PLAYER." in shown
    assert "Not possible: no network plays here that could be asked" in shown
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in COMMANDS)
    assert shown.count(ASK) == 8
    assert shown.count(BOARD) == 1


def test_resigning_and_another_game() -> None:
    session, shown = sit("3 resign yes resign n moves new board q", [YOU, Scripted("4444")])
    said = talk(shown)
    assert "You resign. scripted wins (resigned)." in said
    assert [match.outcome for match in session.matches] == [-1, 1]
    assert {match.termination for match in session.matches} == {Termination.RESIGNED}
    seats = ["you are x, scripted is o.", "scripted is x, you are o."] * 2
    games = [line for line in said if line.startswith("Game")]
    assert games == [f"Game {number}: {seat}" for number, seat in enumerate(seats, 1)]
    assert said[-1] == "Score: you 0, scripted 2, drawn 0."


def test_two_people() -> None:
    session, shown = sit("0 1 0 undo 0 1 0 1 swap 0 q", [YOU, None])
    said = talk(shown)
    assert said[:3] == [
        "Game 1: person #1 is x, person #2 is o.",
        "Move of person #1 (x), a move such as 0, or help: 0",
        "Move of person #2 (o), a move such as 0, or help: 1",
    ]
    assert "Not possible: swap needs a single person: two people can change chairs." in said
    assert "person #1 wins: 4 in a row." in said
    assert session.matches[0].moves == (0, 1, 0, 1, 0, 1, 0)


def test_so_many_games_and_no_questions() -> None:
    bot = Scripted("01010101")
    session, shown = sit("0 0 0 0 1 1 1 1", [YOU, bot], Plan(seed=1, games=2))
    assert len(session.matches) == 2
    assert NEXT not in shown
    assert talk(shown)[-1] == "Score: you 1, scripted 1, drawn 0."
    assert bot.calls.count("begin 0") == bot.calls.count("begin 1") == 1
    assert bot.calls.count("end") == 2


def test_the_input_ends() -> None:
    session, shown = sit("3", [YOU, bot := Scripted("-4")])
    end = [ASK.rstrip(), "Unfinished. Moves: 3 4", "The input has ended. Goodbye."]
    assert talk(shown)[-3:] == end
    assert session.matches == []
    assert bot.calls[-1] == "end"


def test_a_move_is_taken_back_with_its_answer() -> None:
    session, shown = sit("undo 3 0 u 5 undo undo m 6 m q", [YOU, Scripted("-1-1-1")])
    answer = "scripted (o) plays 1."
    assert talk(shown) == [
        "Game 1: you are x, scripted is o.",
        *[f"{ASK}undo", "Not possible: there is no move of yours to take back."],
        *[f"{ASK}3", answer, f"{ASK}0", answer, f"{ASK}u", "Taken back."],
        *[f"{ASK}5", answer, f"{ASK}undo", "Taken back.", f"{ASK}undo", "Taken back."],
        *[f"{ASK}m", OPEN, "Moves:", f"{ASK}6", answer, f"{ASK}m", OPEN, "Moves: 6 1"],
        *[f"{ASK}q", "Unfinished. Moves: 6 1", "Goodbye."],
    ]
    assert session.matches == []
    _, shown = sit("0\n0\n2\nundo 2\nmoves\nundo 7\nmoves\nq\n", [YOU, Scripted("-1-1-1")])
    assert [line for line in talk(shown) if line.startswith("Moves")] == ["Moves: 0 1", "Moves:"]


def test_the_same_again_gets_the_same_answers() -> None:
    bot = make_random(GAME)
    first = play_match(GAME, [Scripted("3-3-3-3-3-3-3-3"), bot], seed=7).moves[:6]
    table = Table(GAME, Party([YOU, bot]), (0, 1), 7)
    for move in (3, 3, 3):
        table.play(move)
        table.play(bot.choose(table.position, table.rng))
    assert tuple(table.moves) == first
    assert table.take_back(2)
    table.play(3)
    assert bot.choose(table.position, table.rng) == first[3]
    table = Table(GAME, Party([YOU, YOU]), (0, 1), 0, (0, 1, 2))
    table.play(3)
    assert [position.plies for position in table.earlier(1)] == [3]
    assert table.earlier(0) == []
    assert table.take_back(3)
    table.play(5)
    assert str(table) == "0 5"
    assert [position.plies for position in table.earlier(1)] == [1]


def test_who_may_remember_is_asked_again() -> None:
    bot = Scripted("-1-1-1-1")
    sit("0 0 0 undo 2 q", [YOU, bot])
    assert bot.calls == ["begin 1", "choose 1", "choose 3", "choose 5", "end"] * 2


def test_hints_disturb_nobody_and_change_no_chance() -> None:
    mentor, bot = Scripted("6262", "mentor"), Scripted("-1-1-1")
    _, shown = sit("hint hint 0 hint undo 5 hint q", [YOU, bot], advisor=lambda: mentor)
    assert re.findall(r"mentor would play (\d)", shown) == ["6", "6", "6", "6"]
    assert mentor.calls.count("close") == 1
    assert mentor.calls[-2:] == ["end", "close"]
    assert bot.calls[:4] == ["begin 1", "choose 1", "end", "begin 1"]
    bot = make_random(GAME)
    plain, _ = sit("0 1 2 resign q", [YOU, bot], Plan(seed=3))
    typed = "hint 0 hint hint 1 hint 2 hint resign q"
    asked, shown = sit(typed, [YOU, bot], Plan(seed=3), lambda: make_random(GAME))
    assert asked.matches[0].moves == plain.matches[0].moves
    assert shown.count("random would play") == 5


WON = "You win: 4 in a row."
CONVERSATIONS: dict[str, tuple[str, str, Plan, list[str], list[int]]] = {
    "the other wins, and then the person begins no more": (
        *("0\n1\n0\n6\n\nq\n", "23-3-3-3", Plan(seed=1)),
        ["scripted wins: 4 in a row.", "Game 2: scripted is x, you are o.", "Unfinished. Moves: 2"],
        [0, 1],
    ),
    "the first move of the other cannot be taken back": (
        *("undo 2 undo moves q", "3333", Plan(seed=1, first=1)),
        ["Not possible: there is no move of yours to take back.", "Moves: 3"],
        [0, 0],
    ),
    "a finished game is taken back and does not count": (
        *("0 0 0 0 undo 2 undo resign undo 0 undo q", "-1-1-1-1", Plan(seed=1)),
        [*[WON] * 2, "scripted wins: 4 in a row.", "You resign. scripted wins (resigned)."],
        [0, 0],
    ),
    "after the end nothing is decided": (
        *("resign hint values swap resign 3 q", "", Plan(seed=1)),
        ["Not possible: this game is over."] * 5,
        [0, 1],
    ),
    "a mentor who cannot go on costs nobody the game": (
        *("hint 3 q", "-4", Plan(seed=1)),
        ["No hint: mentor plays 9, which is not legal here.", "scripted (o) plays 4."],
        [0, 0],
    ),
}
"""Typed text, the opponent's columns, required messages with their counts, and the winner."""


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_conversations(name: str) -> None:
    typed, columns, plan, expected, wins = CONVERSATIONS[name]
    players = [YOU, Scripted(columns)]
    session, shown = sit(typed, players, plan, lambda: Scripted("9" * 9, "mentor"))
    said = talk(shown)
    assert {line: said.count(line) for line in expected} == Counter(expected)
    assert session.wins == wins
    assert len(session.matches) == sum(wins)


def test_a_draw() -> None:
    game = make_game("connect-four", columns=3, rows=2, connect=3)
    session, shown = sit("0 1 2 q", [YOU, Scripted("-1-0-2")], game=game)
    assert "A draw: the board is full." in talk(shown)
    assert [match.termination for match in session.matches] == [Termination.DRAW]


def test_two_programs_play_the_games_of_a_duel() -> None:
    one, other = make_player("test-bot", GAME), make_random(GAME)
    plan = Plan(seed=5, games=6, opening_plies=3)
    session, shown = sit("", [one, other], plan)
    result = duel(GAME, one, other, games=6, opening_plies=3, seed=5)
    draws = sum(match.outcome == 0 for match in session.matches)
    assert (*session.wins, draws) == (result.wins, result.losses, result.draws)
    assert len({match.moves for match in session.matches}) == result.distinct_games == 6
    openings = re.findall(r"It begins with (\d \d \d)\.", shown)
    assert openings[0::2] == openings[1::2]
    assert len(openings) == 6
    boards = sum(len(match.moves) - 3 + 1 for match in session.matches)
    assert shown.count(BOARD) == boards


def test_pauses_are_for_those_who_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    players = [make_player("test-bot", GAME), make_random(GAME)]
    session, _ = sit("", players, Plan(seed=5, delay=30.0))
    assert len(pauses) == len(session.matches[0].moves)
    assert all(20 < pause <= 30 for pause in pauses)
    pauses.clear()
    sit("3 3 q", [YOU, players[0]], Plan(seed=5, delay=30.0))
    assert pauses == []


GOOD = """
import sys
for line in sys.stdin:
    if line.startswith("go"):
        print("move 0", flush=True)
"""
MUTE = "import sys; sys.stdin.read()"


@pytest.fixture
def make_bot(tmp_path: Path) -> Iterator[Callable[[str], ProcessPlayer]]:
    made: list[ProcessPlayer] = []

    def make(source: str) -> ProcessPlayer:
        file = tmp_path / f"bot{len(made)}.py"
        file.write_text(source)
        limits = Limits(time_bank=300 if source == MUTE else 10_000, per_move=0)
        made.append(ProcessPlayer(GAME, f"{sys.executable} {file}", dialect="plain", limits=limits))
        return made[-1]

    yield make
    for player in made:
        player.close()


def test_a_process_plays_on_after_a_take_back(make_bot: Callable[[str], ProcessPlayer]) -> None:
    session, shown = sit("3 3 undo 4 resign q", [YOU, make_bot(GOOD)])
    assert re.findall(r"^bot0\.py \([xo]\) plays (\d)", shown, re.MULTILINE) == ["0", "0", "0"]
    assert session.matches[0].moves == (3, 0, 4, 0)
    session, shown = sit("3 undo 4 q", [YOU, make_bot(MUTE)])
    told = "bot1.py does not answer within 300 ms. You win (time-out)."
    assert talk(shown).count(told) == 2
    (match,) = session.matches
    assert (match.moves, match.termination, match.outcome) == ((4,), Termination.TIMEOUT, 1)
    session, shown = sit("", [make_bot("print('move 9')"), make_random(GAME)])
    assert "random wins (illegal move)." in shown


def test_who_begins_is_said_or_drawn() -> None:
    for names in (["test-bot"], ["human", "test-bot"], ["test-bot", "human"]):
        _, shown = invite("q", names=names, first=True, seed=1)
        assert shown.startswith("Game 1: you are x, test-bot is o.")
        _, shown = invite("q", names=names, first=False, seed=1)
        assert shown.startswith("Game 1: test-bot is x, you are o.")
    drawn = [invite("q", names=["test-bot"], seed=seed)[1][:15] for seed in range(12)]
    assert set(drawn) == {"Game 1: you are", "Game 1: test-bo"}
    for moves, begins in (("3", "test-bot is x"), ("3 3", "you are x")):
        _, shown = invite("q", names=["test-bot"], moves=moves)
        assert shown.startswith(f"Game 1: {begins}")


def test_the_seed_is_told_if_it_was_drawn() -> None:
    _, shown = invite("q", names=["random"])
    assert re.search(r"^The seed was \d+\.$", shown, re.MULTILINE)
    assert "seed" not in invite("q", names=["random"], seed=3)[1]


def test_players_are_closed_and_a_mentor_leaves_each_game(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = Scripted("4444", "noted")
    monkeypatch.setattr(specification, "KINDS", dict(specification.KINDS))
    kind = specification.PlayerKind("noted", "", lambda argument, game: bot)
    specification.register_player("noted", kind)
    invite("3 q", names=["noted"], first=True)
    assert bot.calls == ["begin 1", "choose 1", "end", "close"]
    mentor, bot = Scripted("6262", "mentor"), Scripted("5555")
    mentor.calls = bot.calls
    sit("hint n q", [YOU, bot], Plan(seed=1), lambda: mentor)
    game = ["begin 0", "choose 0", "end"]
    assert bot.calls == [*game, *game, "close"]  # the mentor's, the other's


def test_a_player_brings_its_board(tmp_path: Path) -> None:
    file = tmp_path / "small.safetensors"
    decoder = NetworkDecoder(columns=5, rows=4, hidden=(6,))
    genome = decoder.initialise(1, "normal", np.random.default_rng(3))[0]
    file.write_bytes(decoder.player(genome, "net").serialise())
    _, shown = invite("moves q", names=[f"file:{file}"], first=True)
    assert "played: 0, 1, 2, 3, 4.\n" in shown
    _, shown = invite("moves q", names=["random"], advisor=f"file:{file}", first=True)
    assert "played: 0, 1, 2, 3, 4.\n" in shown
    with pytest.raises(ArenaError, match="plays on connect-four with columns 5, rows 4"):
        invite("q", names=[f"file:{file}"], options={"columns": 6})
    options = {"columns": 12, "rows": 4, "connect": 3}
    _, shown = invite("moves q", names=["random"], options=options, first=True)
    assert "8, 9, a, b.\n" in shown


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"names": ["tset-bot"]}, "did you mean 'test-bot'"),
        ({"names": ["random"], "moves": "9"}, "moves '9': move 1: '9' is no move"),
        ({"names": ["random"], "moves": "3 3 3 3 3 3 3"}, "move 7: 3 can't be played"),
        ({"names": ["random"], "moves": "..x.."}, r"moves '..x..'"),
        ({"names": ["random"], "moves": "3", "opening_plies": 2}, "one or the other"),
        ({"names": ["random"], "opening_plies": 99}, "from 0 to 10"),
        ({"names": ["random"], "advisor": "human"}, "a program's name"),
    ],
)
def test_what_is_not_possible_is_said(wishes: Settings, message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        invite("3", seed=1, **wishes)


def test_a_finished_game_can_be_looked_at() -> None:
    """The person is the one to move, and takes back the opponent's winning move."""
    _, shown = invite("board q", names=["test-bot"], moves="0 1 0 1 0 1 0")
    assert "test-bot wins: 4 in a row.\nMoves: 0 1 0 1 0 1 0\n" in shown
    again = {"names": ["test-bot"], "moves": "0 1 0 1 0 1 0", "seed": 1}
    session, shown = invite("undo moves 0 moves q", **again)
    assert "\nMoves: 0 1 0 1 0\n" in shown
    assert "\nMoves: 0 1 0 1 0 0" in shown
    assert session.matches == []


def test_the_newest_champion_is_the_opponent(tmp_path: Path) -> None:
    assert newest_opponent(tmp_path) == "test-bot"
    for name, age in (("old", 30), ("newest", 10), ("middle", 20), ("no-run", 0)):
        (tmp_path / name).mkdir()
        champion = tmp_path / name / "champion.safetensors"
        champion.touch()
        os.utime(champion, (time.time() - age,) * 2)
        if name != "no-run":
            (tmp_path / name / "recipe.toml").touch()
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "recipe.toml").touch()
    assert newest_opponent(tmp_path) == f"run:{tmp_path / 'newest'}"


def test_the_command_meets_the_newest_champion(tmp_path: Path, small_recipe: Callable) -> None:  # type: ignore[type-arg]
    import evolve_arena as ea

    recipe = small_recipe("game.columns=6", "run.generations=1")
    ea.start(recipe, run=tmp_path / "evolved" / "mine", executor="serial")
    done = evolve("play", "--first", "--seed", "1", typed="hint\nvalues\n3\n", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Game 1: you are x, mine is o." in done.stdout
    assert "mine would play" in done.stdout
    assert "mine's values" in done.stdout
    assert "The input has ended. Goodbye." in done.stdout
    done = evolve("play", "--columns", "7", typed="q\n", folder=tmp_path)
    assert "test-bot" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("a b c", "3 players are named, and 2 can play"),
        ("--frist", "unknown option '--frist': did you mean '--first'?"),
        ("-x", "unknown option '-x'"),
        ("--columns", "--columns needs a whole number"),
        ("--columns x", "--columns is 'x': it must be a whole number"),
        ("random --rows 0", "rows is 0: it must be from 1 to 32"),
        ("--longest-path=2", "longest_path is 2: it must be 0 or 1"),
        ("--columns 9 --longest-path", "is an option of ticket-to-ride, but this is connect-four"),
        ("--players 3 --game checkers", "two play checkers"),
    ],
)
def test_what_the_command_does_not_understand(words: str, said: str, tmp_path: Path) -> None:
    done = evolve("play", *words.split(), folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_finished_games_are_kept_at_the_end_of_a_file(tmp_path: Path) -> None:
    words = ["random", "--game", "tic-tac-toe", "--games", "1", "--first", "--keep-games"]
    for number in (1, 2):
        done = evolve("play", *words, "mine.jsonl", typed="resign\n", folder=tmp_path)
        assert done.returncode == 0
        lines = (tmp_path / "mine.jsonl").read_text().splitlines()
        assert len(lines) == number
    assert json.loads(lines[-1])["players"] == ["you", "random"]
    done = evolve("play", *words, "mine.txt", folder=tmp_path)
    assert done.returncode == 2
    assert "the name of a file of games ends in .jsonl" in done.stderr
    (tmp_path / "link.jsonl").symlink_to("/dev/null")
    done = evolve("play", *words, "link.jsonl", typed="resign\n", folder=tmp_path)
    assert done.returncode == 2


def test_options_of_a_game_are_options_of_the_command(tmp_path: Path) -> None:
    words = ["random", "--columns", "9", "--rows=3", "--seed", "1"]
    done = evolve("play", *words, typed="moves\nq\n", folder=tmp_path)
    assert done.returncode == 0
    assert "played: 0, 1, 2, 3, 4, 5, 6, 7, 8." in done.stdout


def test_a_terminal_has_colours_and_control_d_leaves(tmp_path: Path) -> None:
    strict = {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8:strict"}
    person = Typist("play", "test-bot", "--first", folder=tmp_path, **strict)
    person.wait_for("or help: ")
    person.type("3\n")
    person.wait_for("or help: ")
    assert re.search(r"\x1b\[[0-9;]+m[xX]\x1b\[0m", person.seen)
    assert re.search(r"\x1b\[[0-9;]+m[oO]\x1b\[0m", person.seen)
    assert "3\r\n3" not in person.seen  # not echoed a second time
    person.type(b"\xff\n")
    person.wait_for("'\N{REPLACEMENT CHARACTER}' is no move, such as 0, 1 or 2.")
    person.wait_for("or help: ")
    person.type("\x04")
    assert person.leave() == 0
    assert "The input has ended. Goodbye." in person.seen
    assert "Traceback" not in person.seen


def test_control_c_leaves_politely_even_while_a_program_thinks(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import sys, time\ntime.sleep(600)\n")
    command = f'process:"{sys.executable} bot.py"'
    person = Typist("play", command, "--first", folder=tmp_path, NO_COLOR="1")
    person.wait_for("or help: ")
    assert "\x1b" not in person.seen
    person.type("3\n")
    time.sleep(0.5)
    person.type("\x03")
    person.wait_for("Unfinished. Moves: 3")
    assert person.leave() == 0
    assert "Stopped. Goodbye.\r\nThe seed was " in person.seen
    assert "Traceback" not in person.seen
