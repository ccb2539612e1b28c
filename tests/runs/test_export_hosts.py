"""Bots exported for OpenSpiel, Botzone and PettingZoo: the arena's moves, and no illegal one."""

from __future__ import annotations

import ast
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evolve_arena.core import registry
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, open_file, shipped_games
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Json, Settings
from evolve_arena.players.board.game import Board, BoardGame, GameFileError
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.dialects import HOSTS
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.runs.export import export_player, pack
from tests.evolved import make_evolved
from tests.exported import load_bot

if TYPE_CHECKING:
    import pyspiel

SPIEL: list[tuple[str, str, Settings]] = [
    ("connect-four", "mlp", {}),
    ("connect-four", "tuples", {"columns": 6, "rows": 5, "tuples": 9, "length": 4}),
    ("checkers", "mlp", {"depth": 1}),
    ("tic-tac-toe", "mlp", {}),
    ("breakthrough", "mlp", {}),
    ("hex", "tuples", {"size": 4, "tuples": 5, "length": 4}),
    ("gomoku", "mlp", {"size": 6, "row": 4}),
    ("othello", "mlp", {}),
    ("kalah", "graph", {}),
]
"""Game, kind of network, its settings."""


def number_moves(game: BoardGame, position: Board, state: pyspiel.State) -> dict[int, int]:
    """Return OpenSpiel's action for each legal move."""
    legal, actions = game.legal_moves(position), state.legal_actions()
    if game.name == "checkers":
        return {move: game.plain["openspiel_move"](position.state, move) for move in legal}
    if game.name == "breakthrough":  # row 1 is its last row, and a move that takes has a star
        names = {state.action_to_string(action).rstrip("*"): action for action in actions}
        rows = str.maketrans("12345678"[: game.rules.size], "87654321"[-game.rules.size :])
        return {move: names[game.format_move(move).translate(rows)] for move in legal}
    assert len(actions) == len(legal)  # in the order of the cells, columns or pits
    return dict(zip(legal, actions, strict=True))


@pytest.mark.parametrize(("game", "network", "settings"), SPIEL)
def test_openspiel_gets_the_arenas_moves(game: str, network: str, settings: Settings) -> None:
    """Moves of both sides are compared, in games of a bot against chance."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    player = make_evolved(game, network, 3, **settings)
    source, make_bot = str(export_player(player, "openspiel")), load_bot(player, "openspiel")["Bot"]
    choose, rules = load_bot(player)["choose"], player.game
    loaded = pyspiel.load_game(source.partition('load_game("')[2].partition('")')[0])
    for seed in range(2):
        bots = [make_bot(), pyspiel.make_uniform_random_bot(1 - seed, seed)]
        played = loaded.new_initial_state()
        assert sum(pyspiel.evaluate_bots(played, bots if seed == 0 else bots[::-1], seed)) == 0
        assert played.is_terminal()
        bot, state, position = make_bot(), loaded.new_initial_state(), rules.initial()
        for action in played.history():
            if not rules.legal_moves(position):
                assert game == "checkers"  # where OpenSpiel does not count repetitions
                break
            numbers = number_moves(rules, position, state)
            assert bot.step(state) == numbers[choose(position.state, past=position.past)]
            state.apply_action(action)
            position = rules.play(position, next(m for m in numbers if numbers[m] == action))
        assert position.plies > 2


def name_cell(game: BoardGame, move: int) -> dict[str, int]:
    """Return Botzone's words for a move, the last one of which is a pass."""
    x, y = divmod(move, int(game.code.WIDTH)) if move < game.code.CELLS else (-1, -1)
    return {"x": x, "y": y}


def answer_botzone(file: Path, told: list[Json], keeps_running: bool) -> list[Json]:
    """Return the responses of an isolated program, which runs for a move or a whole game."""
    command = [sys.executable, "-I", "-S", str(file)]
    answers = []
    for line in map(json.dumps, () if keeps_running else told):
        done = subprocess.run(command, input=line, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
        answers.append(json.loads(done.stdout)["response"])
    if not keeps_running:
        return answers
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in map(json.dumps, told):
            print(line, file=process.stdin, flush=True)
            answers.append(json.loads(process.stdout.readline())["response"])
            assert process.stdout.readline() == ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n"
        process.stdin.close()
        assert process.wait() == 0
    return answers


BOTZONE = ("tic-tac-toe", "othello", "gomoku")


@pytest.mark.parametrize("keeps_running", [False, True])
@pytest.mark.parametrize("name", BOTZONE)
def test_botzone_gets_the_bots_moves(name: str, keeps_running: bool, tmp_path: Path) -> None:
    """By its published protocol: a program is told a game so far, and later new moves alone."""
    is_packed = name == "tic-tac-toe"  # a compressed bot keeps its switch where it can be set
    player = make_evolved(name, "mlp", 2, hidden=(4,))
    game, choose = player.game, load_bot(player)["choose"]
    source, file = str(export_player(player, "botzone")), tmp_path / "bot.py"
    source = pack(source) if is_packed else source
    source = source.replace("\nKEEP_RUNNING = False\n", f"\nKEEP_RUNNING = {keeps_running}\n")
    file.write_text(source, encoding="utf-8")
    few = not keeps_running and name != "tic-tac-toe"
    for seat in (0, 1)[few:]:
        position, chance = game.initial(), random.Random(seat)
        asked, answers, told = [{"x": -1, "y": -1}][seat:], [], []
        while moves := game.legal_moves(position):
            if game.to_move(position) == seat:
                move = choose(position.state)
                whole = {"requests": list(asked), "responses": list(answers)}
                told.append(asked[-1] if answers and keeps_running else whole)
                answers.append(name_cell(game, move))
            else:
                move = chance.choice(moves)
                asked.append(name_cell(game, move))
            position = game.play(position, move)
        assert len(answers) > 1
        assert answer_botzone(file, told, keeps_running) == answers


def test_a_pass_is_told_and_understood_at_botzone() -> None:
    player = make_evolved("othello", "mlp", 2)
    names = load_bot(player, "botzone")
    game = player.game
    for seed in range(100):  # till there is a game in which somebody passes
        position, moves, chance = game.initial(), [], random.Random(seed)
        while legal := game.legal_moves(position):
            if moves.count(64) == 2 and moves[-1] != 64:
                told = [names["write_move"]([], move) for move in moves]
                mine = len(moves) % 2
                requests = [{"x": -1, "y": -1}] * (1 - mine) + told[1 - mine :: 2]
                responses = told[mine::2]
                assert names["tell"](requests, responses) == told
                assert names["choose_after"](told) in [names["write_move"]([], m) for m in legal]
                return
            moves.append(chance.choice(legal))
            position = game.play(position, moves[-1])
    raise AssertionError("nobody passed")


PETTINGZOO = {"connect-four": "connect_four_v3", "tic-tac-toe": "tictactoe_v3"}


def play_in_pettingzoo(player: EvolvedPlayer, games: int) -> int:
    """Play against chance and return the number of moves that were compared with the arena's."""
    classic = pytest.importorskip("pettingzoo.classic", reason="PettingZoo is not installed")
    pytest.importorskip("pygame", reason="pygame is not installed")
    policy = load_bot(player, "pettingzoo")["policy"]
    game = player.game
    compared = 0
    env = getattr(classic, PETTINGZOO[game.name]).env()
    for seed in range(games):
        env.reset(seed=seed)
        position, chance = game.initial(), random.Random(seed)
        for number, _ in enumerate(env.agent_iter()):
            observation, reward, ended, truncated, _ = env.last()
            if ended or truncated:
                assert game.outcome(position) is not None
                assert reward in (-1, 0, 1)
                env.step(None)
                continue
            legal = [int(place) for place in observation["action_mask"].nonzero()[0]]
            assert legal == game.legal_moves(position)
            if number % 2 == seed % 2:
                move = policy(observation)
                assert move == player.choose(position, new_stream(seed))
                compared += 1
            else:
                move = chance.choice(legal)
            position = game.play(position, move)
            env.step(move)
    return compared


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("game", PETTINGZOO)
def test_pettingzoos_environments_are_played(game: str) -> None:
    assert play_in_pettingzoo(make_evolved(game, "mlp", 4), 4) > 10


@pytest.mark.parametrize(
    ("game", "settings", "target", "said"),
    [
        ("othello", {"size": 6}, "openspiel", "size 6, which can't be exported to openspiel: Open"),
        ("chomp", {}, "botzone", "Botzone does not have it by these rules"),
        ("connect-four", {"columns": 6}, "pettingzoo", "PettingZoo does not have it"),
    ],
)
def test_what_a_host_lacks_is_refused(
    game: str, settings: Settings, target: str, said: str
) -> None:
    with pytest.raises(BadValueError, match=said):
        export_player(make_evolved(game, "mlp", **settings), target)


@pytest.mark.parametrize("target", ["botzone", "pettingzoo"])
def test_files_need_no_more_than_python_3_8(target: str) -> None:
    source = str(export_player(make_evolved("tic-tac-toe", "mlp"), target))
    assert source.isascii()
    tree = ast.parse(source, feature_version=(3, 8))
    about = ast.get_docstring(tree) or ""
    assert f"- {target.title()[:3]}" in about
    assert "It needs Python 3.8 or later and no other package" in about
    words = [sys.executable, "-I", "-S", "-c", source]
    done = subprocess.run(words, input="", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_host_has_games_and_every_game_a_bot_for_its_hosts() -> None:
    found = {
        host: {name for name in shipped_games() if host.upper() in find_game(name).make().plain}
        for host in HOSTS
    }
    assert found["openspiel"] >= {game for game, *_ in SPIEL}
    assert found["botzone"] == set(BOTZONE)
    assert found["pettingzoo"] == set(PETTINGZOO)


def test_a_file_of_ones_own_says_what_a_host_calls_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    file, rows = tmp_path / "own.py", find_game("tic-tac-toe").game.source  # type: ignore[attr-defined]
    file.write_text(rows.replace('BOTZONE = "TicTacToe"', ""))
    bot = make_evolved(open_file(file).name, "mlp")
    assert 'load_game("tic_tac_toe")' in str(export_player(bot, "openspiel"))
    with pytest.raises(BadValueError, match="can't be exported to botzone"):
        export_player(bot, "botzone")
    file.write_text(rows.replace('BOTZONE = "TicTacToe"', "BOTZONE = 3"))
    with pytest.raises(GameFileError, match="line 16: BOTZONE must be the game's name there"):
        load_game(file)
