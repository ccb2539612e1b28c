"""Scripted players of a game's file: the same moves in Python and compiled, and refusals."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.batch import Results
from evolve_arena.arena.duel import duel
from evolve_arena.arena.match import play_matches
from evolve_arena.cli.game_report import print_report
from evolve_arena.core.errors import UnknownNameError
from evolve_arena.core.registry import game_names, make_game, open_file, register_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import Stream, new_stream, next_word
from evolve_arena.players.board import self_check
from evolve_arena.players.board.game import Board, BoardGame, GameFileError
from evolve_arena.players.board.scripted import ScriptedPlayer, needs_list
from evolve_arena.players.player import Player, make_random
from evolve_arena.players.specification import make_player
from evolve_arena.runs.game_files import report

RIGHT: str = make_game("tic-tac-toe").source
TWO = '''PLAYERS = ("first_or_middle", "careless")


def first_or_middle(state, moves, count):
    """Take the middle if it is free."""
    for place in range(count):
        if moves[place] == 4:
            return 4
    return moves[0]


def careless(state, moves, count, random):
    return moves[count - 1] if random % 3 else moves[random // 3 % count]


'''


HIDDEN = '''"""Guess: who calls the number that only the other one knows."""

import numpy as np

MOVES, LONGEST, CELLS, PLANES = 2, 2, 1, 1
PLAYERS = ("spy",)

def start():
    return np.zeros(6, np.int8)

def to_move(state):
    return state[0] % 2

def legal(state, moves):
    moves[0], moves[1] = 0, 1
    return 2

def play(state, move):
    state[3 + state[0]] = move
    state[0] += 1

def chance(state):
    return 0 if state[5] else 4

def resolve(state, outcome):
    state[1], state[2], state[5] = outcome % 2, outcome // 2, 1

def is_over(state):
    return state[0] == 2

def points(state, seat):
    return np.int64(state[3 + seat] == state[2 - seat])

def view(state, seat):
    state[2 - seat] = 0

def see(state, seat, planes):
    planes[0] = np.uint64(state[1 + seat])

def spy(state, moves, count):
    return state[2 - state[0] % 2]
'''


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    return file


def with_players(text: str) -> str:
    return RIGHT.replace("def start(", text + "def start(")


class Plain(Player):
    """A scripted player as Python runs it: nothing of it is compiled."""

    def __init__(self, game: BoardGame, function: str) -> None:
        super().__init__(game)
        self.function = function

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the function's move; a single one is played unasked."""
        moves = self.game.legal_moves(position)
        listed = (np.array(moves), len(moves)) if needs_list(self.game, self.function) else ()
        if listed and len(moves) == 1:
            return int(moves[0])
        drawn = int(next_word(rng)) >> 2 if self.game.scripts[self.function] else 0
        more = self.game.tell(self.function, drawn)
        return int(self.game.plain[self.function](self.game.to_native(position), *listed, *more))


def play_all(game: BoardGame, players: list[Player], matches: int) -> Results:
    """Play games of some players in all orders, with the same chance events."""
    rows = np.arange(matches * game.seats, dtype=np.int32).reshape(matches, game.seats)
    slots = np.full((matches, max(game.seats, 5 if "seats" in game.options else 2)), -1, np.int32)
    slots[:, : game.seats] = (rows + rows // 2) % len(players)
    results, forfeits = play_matches(
        game, players, slots, derive_seeds(matches, 0, "test", matches)
    )
    assert not forfeits
    return results


def list_scripts() -> list[tuple[str, str]]:
    games = ((name, make_game(name)) for name in game_names())
    return [(name, script) for name, game in games for script in getattr(game, "scripts", ())]


@pytest.mark.parametrize(("name", "function"), list_scripts())
def test_scripted_players_of_all_games_play_the_same_games_in_python(
    name: str, function: str
) -> None:
    game = make_game(name)
    scripted, plain = ScriptedPlayer(game, function), Plain(game, function)
    other = make_random(game)
    compiled, in_python = (play_all(game, [each, other], 40) for each in (scripted, plain))
    assert compiled.game_hashes.tolist() == in_python.game_hashes.tolist()
    assert compiled.distinct_games > 5


def test_who_asks_for_chance_gets_the_same_compiled(tmp_path: Path) -> None:
    spec = open_file(write(tmp_path, "with_two", with_players(TWO)))
    register_game(spec)
    game = spec.make()
    assert game.scripts == {"first_or_middle": False, "careless": True}
    plain = [Plain(game, name) for name in game.scripts]
    compiled = [make_player(name, game) for name in ("first-or-middle", "careless")]
    one, other = play_all(game, compiled, 60), play_all(game, [*plain], 60)
    assert one.game_hashes.tolist() == other.game_hashes.tolist()
    assert one.distinct_games > 10
    careless, rng = compiled[1], new_stream(3)
    moves = {careless.choose(game.initial(), rng) for _ in range(60)}
    assert len(moves) > 4
    drawn = new_stream(3)
    compiled[0].choose(game.initial(), drawn)
    assert drawn[0] == 3  # who does not ask for chance draws nothing
    assert make_player("first-or-middle:noise=1", game).choose(game.initial(), drawn) != 4


def test_what_is_hidden_stays_hidden_without_guesses_too(tmp_path: Path) -> None:
    spec = open_file(write(tmp_path, "guess_what", HIDDEN))
    register_game(spec)
    game = spec.make()
    spy = make_player("spy", game)
    secrets = {game.initial(seed).state[2] for seed in range(20)}
    assert secrets == {0, 1}
    for seed in range(20):
        position = game.initial(seed)
        assert spy.choose(position, new_stream(1)) == 0
        assert spy.choose(game.play(position, 0), new_stream(1)) == 0
    results = play_all(game, [spy, spy], 40)
    assert results.distinct_games == 1


WRONG = {
    "no such function": (('careless")', 'careles")'), r"PLAYERS names 'careles', but there is no"),
    "no tuple": (('("first_or_middle", "careless")', "3"), r"PLAYERS must look like"),
    "rules are no players": (('"careless")', '"legal")'), "no player can be called legal"),
    "a name that means something": (
        ("careless", "random"),
        "no player can be called random: that means something else",
    ),
    "other parameters": (
        ("(state, moves, count):", "(state, seat):"),
        r"takes \(state, seat\): write \(state, moves, count\), and behind them random, notes,",
    ),
    "no legal move": (
        ("            return 4\n    return moves[0]", "            return 4\n    return 9"),
        r"first_or_middle gives 9, which is no legal move \([0-8, ]+\), after [a-c1-3 ]*b2",
    ),
    "nothing": (
        ("            return 4\n", "            return\n"),
        r"first_or_middle gives None, .*, at the start",
    ),
    "an index in place of a move": (
        ("    return moves[0]\n", "    return 0\n"),
        r"first_or_middle gives 0, which is no legal move",
    ),
    "it changes the state": (
        ("    for place in range(count):\n", "    state[0] = 1\n    for place in range(count):\n"),
        "first_or_middle changes the state, which only play may do, at the start",
    ),
    "it depends on something else": (
        (
            "    for place in range(count):\n",
            "    CALLS[0] += 1\n    return moves[CALLS[0] % 2]\n    for place in (0,):\n",
        ),
        r"first_or_middle gives \d or \d for the same position, at the start",
    ),
    "it fails": (("            return 4\n", "            return 1 // 0\n"), "ZeroDivisionError"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_players_are_refused(name: str, tmp_path: Path) -> None:
    (old, new), sentence = WRONG[name]
    assert old in TWO
    text = "CALLS = [0]\n" + TWO.replace(old, new)
    file = write(tmp_path, f"wrong_player_{list(WRONG).index(name)}", with_players(text))
    with pytest.raises(GameFileError) as caught:
        open_file(file)
    told = str(caught.value)
    assert re.search(sentence, told), told
    assert told.startswith(f"{file}, line ")
    assert "\n" not in told


ELSE = "np.int8(100) + np.int8(100) > 0"
"""Condition that holds only in compiled code."""


def test_what_is_compiled_otherwise_is_refused(tmp_path: Path) -> None:
    text = TWO.replace("            return 4\n", f"            return 5 if {ELSE} else 4\n")
    game = open_file(write(tmp_path, "otherwise", with_players(text))).make()
    with pytest.raises(GameFileError, match=r"compiled, first_or_middle gives 5, not 4 as in P.*"):
        duel(game, make_random(game), make_random(game), games=2)


def test_no_match_goes_on_by_a_move_that_is_not_legal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_check, "check_compiled", lambda *given: None)
    text = TWO.replace("    return moves[count - 1]", f"    return 99 if {ELSE} else moves[0]")
    spec = open_file(write(tmp_path, "far_away", with_players(text)))
    register_game(spec)
    game = spec.make()
    sentence = r"line \d+: in a game, careless gives 99, which is no legal move there"
    with pytest.raises(GameFileError, match=sentence):
        duel(game, make_player("careless", game), make_random(game), games=2)


def test_unknown_players_and_settings_are_told() -> None:
    game = make_game("pig")
    with pytest.raises(UnknownNameError, match="did you mean 'hold"):
        make_player("hald", game)
    with pytest.raises(UnknownNameError, match="depth"):
        make_player("hold:depth=2", game)


def test_the_check_compares_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = report(write(tmp_path, "checked_players", with_players(TWO)), 20)
    assert content["scripted"]["players"] == ["first-or-middle", "careless"]
    assert content["scripted"]["positions"] > 100
    assert not [hint for hint in content["hints"] if "did you mean" in hint]
    print_report(content)
    printed = " ".join(capsys.readouterr().out.split())
    assert "players (first-or-middle, careless) choose the same moves compiled in" in printed
