"""Bots exported for OpenSpiel, Botzone and PettingZoo: the arena's moves, and no illegal one."""

from __future__ import annotations

import ast
import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve_arena.core import registry
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, open_file, shipped_games
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.game import GameFileError
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.dialects import HOSTS
from evolve_arena.runs.export import export_player
from tests.bred import make_bred

SPIEL: list[tuple[str, str, dict[str, Any]]] = [
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
ASK_THE_ARENA = ("connect-four", "checkers", "tic-tac-toe", "breakthrough")
"""Games whose compiled players are asked; of the others the Python bots, which is quicker here."""


def run_source(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "bot"}
    exec(compile(source, "bot.py", "exec"), names)
    return names


def count_agreeing(player: BredPlayer, games: int) -> int:
    """How many moves were compared with the arena's, in so many games against a random bot."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    source = export_player(player, "openspiel")
    assert isinstance(source, str)
    names = run_source(source)
    loaded = pyspiel.load_game(source.partition('load_game("')[2].partition('")')[0])
    agreed = 0
    for seed in range(games):
        random_bot = pyspiel.make_uniform_random_bot(1 - seed % 2, seed)
        bots = [names["Bot"](), random_bot]
        state = loaded.new_initial_state()
        returns = pyspiel.evaluate_bots(state, bots if seed % 2 == 0 else bots[::-1], seed)
        assert state.is_terminal()
        assert sum(returns) == 0
        agreed += compare_turns(player, names, loaded.new_initial_state(), state.history(), seed)
    return agreed


def compare_turns(
    player: BredPlayer, names: dict[str, Any], state: Any, history: list[int], seed: int
) -> int:
    """How many moves were compared, of both sides, along a *history* from a first *state* on."""
    game: Any = player.game
    bot, position, compared = names["Bot"](), game.initial(), 0
    plain = run_source(str(export_player(player, "python")))
    for action in history:
        if not game.legal_moves(position):
            assert game.name == "checkers"  # where OpenSpiel does not count repetitions
            break
        numbers = number_moves(game, position, state)
        if game.name in ASK_THE_ARENA:
            wanted = player.choose(position, new_stream(seed))
        else:
            wanted = plain["choose"](position.state)
        assert bot.step(state) == numbers[wanted]
        compared += 1
        state.apply_action(action)
        position = game.play(position, next(move for move in numbers if numbers[move] == action))
    return compared


def number_moves(game: Any, position: Any, state: Any) -> dict[Any, int]:
    """OpenSpiel's action for each legal move."""
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
def test_openspiel_is_answered_with_the_arenas_moves(
    game: str, network: str, settings: dict[str, Any]
) -> None:
    assert count_agreeing(make_bred(game, network, 3, **settings), 2) > 5


class Botzone:
    """A referee by Botzone's published protocol: it starts a program for each move, or keeps it.

    Moves are told as cells; the board and what is legal is the game's of the package.
    """

    def __init__(self, player: BredPlayer, folder: Path, *, keeps_running: bool) -> None:
        self.game: Any = player.game
        source = str(export_player(player, "botzone"))
        if keeps_running:
            source = source.replace("KEEP_RUNNING = False", "KEEP_RUNNING = True")
        self.file = folder / "bot.py"
        self.file.write_text(source, encoding="utf-8")
        self.keeps_running = keeps_running

    def play(self, seat: int, chance: random.Random) -> list[tuple[Any, int]]:
        """A game of the bot at a *seat* against chance: its positions and moves."""
        position, asked, told = self.game.initial(), [{"x": -1, "y": -1}][seat:], []
        answers: list[tuple[Any, int]] = []
        with started(self.file, self.keeps_running) as ask:
            while moves := self.game.legal_moves(position):
                if self.game.to_move(position) == seat:
                    history = {"requests": asked, "responses": told}
                    told.append(ask(json.dumps(history if not told else asked[-1]), history))
                    move = self._read(told[-1])
                    assert move in moves
                    answers.append((position, move))
                else:
                    move = chance.choice(moves)
                    asked.append(self._write(move))
                position = self.game.play(position, move)
        return answers

    def _write(self, move: int) -> dict[str, int]:
        width = int(self.game.code.WIDTH)
        passes = move >= self.game.code.CELLS
        return {"x": -1, "y": -1} if passes else {"x": move // width, "y": move % width}

    def _read(self, response: Any) -> int:
        assert response.keys() == {"x", "y"}
        if response["x"] < 0:
            return int(self.game.code.CELLS)
        return int(response["x"] * self.game.code.WIDTH + response["y"])


@contextmanager
def started(file: Path, keeps_running: bool) -> Iterator[Callable[[str, Any], Any]]:
    """A way to ask a program without anything installed, which runs for a game or for a move."""
    command = [sys.executable, "-I", "-S", str(file)]
    if not keeps_running:

        def ask_once(line: str, history: Any) -> Any:
            done = subprocess.run(
                command,
                input=f"{json.dumps(history)}\n",
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout.count("\n") == 1
            return json.loads(done.stdout)["response"]

        yield ask_once
        return
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()

        def ask(line: str, history: Any) -> Any:
            stdin.write(f"{line}\n")
            stdin.flush()
            response = json.loads(stdout.readline())["response"]
            assert stdout.readline() == ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n"
            return response

        try:
            yield ask
            stdin.close()
            assert process.wait() == 0
        finally:
            watchdog.cancel()
            process.kill()


BOTZONE: list[tuple[str, dict[str, Any]]] = [("tic-tac-toe", {}), ("othello", {}), ("gomoku", {})]


@pytest.mark.parametrize("keeps_running", [False, True])
@pytest.mark.parametrize(("game", "settings"), BOTZONE)
def test_botzone_is_answered_with_the_bots_moves(
    game: str, settings: dict[str, Any], keeps_running: bool, tmp_path: Path
) -> None:
    player = make_bred(game, "mlp", 2, hidden=(4,), **settings)
    referee = Botzone(player, tmp_path, keeps_running=keeps_running)
    choose = run_source(str(export_player(player, "python")))["choose"]
    few = not keeps_running and game != "tic-tac-toe"
    for seat in (0, 1)[few:]:
        answers = referee.play(seat, random.Random(seat))
        assert len(answers) > 1
        assert [choose(position.state) for position, _ in answers] == [move for _, move in answers]


def test_a_pass_is_told_and_understood_at_botzone() -> None:
    player = make_bred("othello", "mlp", 2)
    names = run_source(str(export_player(player, "botzone")))
    game: Any = player.game
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


PETTINGZOO = {
    "connect-four": ("connect_four_v3", ("mlp", "graph", "tuples")),
    "tic-tac-toe": ("tictactoe_v3", ("mlp", "graph")),
}


def play_in_pettingzoo(player: BredPlayer, games: int) -> int:
    """How many moves of the policy were compared with the arena's, in games against chance."""
    classic = pytest.importorskip("pettingzoo.classic", reason="PettingZoo is not installed")
    pytest.importorskip("pygame", reason="pygame is not installed")
    policy = run_source(str(export_player(player, "pettingzoo")))["policy"]
    game: Any = player.game
    compared = 0
    env = getattr(classic, PETTINGZOO[game.name][0]).env()
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
    assert play_in_pettingzoo(make_bred(game, "mlp", 4), 4) > 10


@pytest.mark.parametrize("game", PETTINGZOO)
def test_policies_choose_the_bots_moves_whoever_moved_first(game: str) -> None:
    """The planes are made by hand, as PettingZoo documents them."""
    player = make_bred(game, "mlp", 4)
    policy = run_source(str(export_player(player, "pettingzoo")))["policy"]
    played: Any = player.game
    chance, compared = random.Random(2), 0
    for _ in range(10):
        position = played.initial()
        while legal := played.legal_moves(position):
            seat = played.to_move(position)
            grid = played.grid if game == "connect-four" else np.arange(9).reshape(3, 3)
            planes = played.observe(position, seat)[:, grid].transpose(1, 2, 0).astype(np.int8)
            mask = np.isin(np.arange(played.code.MOVES), legal).astype(np.int8)
            move = policy({"observation": planes, "action_mask": mask})
            assert move == player.choose(position, new_stream(0))
            compared += 1
            position = played.play(position, chance.choice(legal))
    assert compared > 60


def test_what_a_host_does_not_have_is_refused_in_a_line() -> None:
    for game, network, settings, target, name in (
        (
            "othello",
            "mlp",
            {"size": 6},
            "openspiel",
            "othello with size 6, which can't be exported to openspiel: OpenSpiel ",
        ),
        ("chomp", "mlp", {}, "botzone", "Botzone does not have it by these rules"),
        ("connect-four", "mlp", {"columns": 6}, "pettingzoo", "PettingZoo does not have it"),
    ):
        with pytest.raises(BadValueError, match=name):
            export_player(make_bred(game, network, **settings), target)


@pytest.mark.parametrize("target", ["botzone", "pettingzoo"])
def test_files_need_no_more_than_python_3_8(target: str) -> None:
    source = str(export_player(make_bred("tic-tac-toe", "mlp"), target))
    assert source.isascii()
    tree = ast.parse(source, feature_version=(3, 8))
    about = ast.get_docstring(tree) or ""
    assert f"- {target.title()[:3]}" in about
    assert "It needs Python 3.8 or later and no other package" in about
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", source],
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_every_host_has_games_and_every_game_a_bot_for_its_hosts() -> None:
    found = {
        host: {name for name in shipped_games() if host.upper() in find_game(name).make().plain}
        for host in HOSTS
    }
    assert found["openspiel"] >= {game for game, *_ in SPIEL}
    assert found["botzone"] == {game for game, _ in BOTZONE}
    assert found["pettingzoo"] == set(PETTINGZOO)


OWN = """
CELLS, WIDTH, MOVES, LONGEST = 4, 2, 4, 4
import numpy as np
def start(): return np.zeros(5, np.int8)
def to_move(state): return state[4]
def legal(state, moves):
    count = 0
    for cell in range(4):
        if state[cell] == 0:
            moves[count] = cell
            count += 1
    return count
def play(state, move):
    state[move] = 1 + state[4]
    state[4] = 1 - state[4]
def result(state): return 2 if (state[:4] == 0).any() else 0
"""


def test_a_file_of_ones_own_says_what_a_host_calls_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    file = tmp_path / "own.py"
    file.write_text(f"OPENSPIEL = 'mnk(m=2,n=2,k=3)'\n{OWN}")
    bot = make_bred(open_file(file).name, "mlp")
    assert 'load_game("mnk(m=2,n=2,k=3)")' in str(export_player(bot, "openspiel"))
    for host in ("botzone", "pettingzoo"):
        with pytest.raises(BadValueError, match=f"can't be exported to {host}"):
            export_player(bot, host)
    file.write_text(f"BOTZONE = 3\n{OWN}")
    with pytest.raises(GameFileError, match="line 1: BOTZONE must be the game's name there"):
        load_game(file)
