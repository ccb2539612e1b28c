"""Exported bots: the same moves as in the arena, and every host can run them."""

from __future__ import annotations

import ast
import itertools
import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.games.connect_four.export_python import export_python
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.network import NetworkDecoder, NetworkPlayer
from evolve_arena.runs.export import TARGETS, export_player
from tests.bred import make_bred

BOARDS = {"7x6": (7, 6, 4), "5x4": (5, 4, 3)}
HIDDEN = ((), (10,), (10, 10), (16,), (40, 8))
WEIGHTS = ("plain", "large", "tiny", "zero")
STREAM = np.zeros(1, dtype=np.uint64)


@cache
def random_positions(board: str) -> list[Position]:
    """Every position that is not over from a hundred random games."""
    game, chance = ConnectFour(*BOARDS[board]), random.Random(4)
    positions = []
    for _ in range(100):
        position = game.initial()
        while game.outcome(position) is None:
            positions.append(position)
            position = game.play(position, chance.choice(game.legal_moves(position)))
    return positions


def make_player(
    decoder: NetworkDecoder, weights: str = "plain", seed: int = 0, name: str = "champion"
) -> NetworkPlayer:
    genome = decoder.initialise(1, "uniform", np.random.default_rng(seed))[0]
    factor = {"plain": 1.0, "large": 100.0, "tiny": 3e-4, "zero": 0.0}[weights]
    return decoder.player(genome * np.float32(factor), name)


def run_source(source: str) -> dict[str, Any]:
    """What the file defines, if run as Kaggle runs it: in an empty dictionary."""
    names: dict[str, Any] = {}
    exec(compile(source, "bot.py", "exec"), names)
    return names


def flat(position: Position) -> list[int]:
    return [int(cell) for cell in position.cells().ravel()]


def mark_to_move(position: Position) -> int:
    return 1 + position.ply % 2


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu"])
@pytest.mark.parametrize("viewpoint", ["absolute", "mover"])
@pytest.mark.parametrize("encoding", ["0/1/2", "0/1/-1", "two-planes"])
@pytest.mark.parametrize("head", ["policy", "value"])
def test_exported_bot_chooses_the_same_moves(
    head: str, encoding: str, viewpoint: str, activation: str
) -> None:
    chance = random.Random(7)
    compared = 0
    boards = itertools.cycle(BOARDS.items())  # as there are five networks, each meets both
    for (weights, hidden), (board, sizes) in zip(
        itertools.product(WEIGHTS, HIDDEN), boards, strict=False
    ):
        decoder = NetworkDecoder(*sizes, head, encoding, viewpoint, hidden, activation)
        player = make_player(decoder, weights, seed=compared)
        choose = run_source(export_python(player))["choose"]
        positions = chance.sample(random_positions(board), 20)
        wanted = [player.choose(position, STREAM) for position in positions]
        chosen = [choose(flat(position), mark_to_move(position)) for position in positions]
        assert chosen == wanted, (decoder, weights)
        assert {type(column) for column in chosen} == {int}
        compared += len(positions)
    assert compared == 400  # 36 decoders: 14,400 positions in all


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu"])
@pytest.mark.parametrize("viewpoint", ["absolute", "mover"])
@pytest.mark.parametrize("head", ["value", "action"])
def test_bots_without_a_rule_about_wins_choose_the_same_moves(
    head: str, viewpoint: str, activation: str
) -> None:
    chance = random.Random(8)
    compared = won = 0
    for (board, sizes), hidden in itertools.product(BOARDS.items(), HIDDEN):
        encoding = ("0/1/2", "two-planes")[len(hidden) % 2]
        decoder = NetworkDecoder(
            *sizes, head, encoding, viewpoint, hidden, activation, take_wins=head != "value"
        )
        player = make_player(decoder, ("plain", "large")[compared // 90 % 2], seed=compared)
        choose = run_source(export_python(player))["choose"]
        for position in chance.sample(random_positions(board), 90):
            column = player.choose(position, STREAM)
            assert choose(flat(position), mark_to_move(position)) == column, decoder
            compared += 1
            won += any(decoder.game.outcome(after) for after in reached(decoder.game, position))
    assert compared == 900  # 12 tests: 10,800 positions in all
    assert won > 200  # in so many of them there was a win to be missed


def reached(game: ConnectFour, position: Position) -> list[Position]:
    return [game.play(position, move) for move in game.legal_moves(position)]


@pytest.mark.parametrize("head", ["policy", "value"])
@pytest.mark.parametrize("encoding", ["0/1/-1", "two-planes"])
def test_symmetric_networks_are_exported_whole(head: str, encoding: str) -> None:
    for hidden in HIDDEN:
        decoder = NetworkDecoder(head=head, encoding=encoding, hidden=hidden, symmetric=True)
        player = make_player(decoder)
        choose = run_source(export_python(player))["choose"]
        for position in random_positions("7x6")[:100]:
            chosen = choose(flat(position), mark_to_move(position))
            assert chosen == player.choose(position, STREAM)


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu"])
@pytest.mark.parametrize("hidden", HIDDEN)
def test_exported_values_equal_the_arenas_to_the_last_bit(
    hidden: tuple[int, ...], activation: str
) -> None:
    decoder = NetworkDecoder(head="value", hidden=hidden, activation=activation)
    for seed, weights in enumerate(("plain", "large", "tiny")):
        player = make_player(decoder, weights, seed)
        bot = run_source(export_python(player))
        for position in random.Random(seed).sample(random_positions("7x6"), 20):
            board, mark = flat(position), mark_to_move(position)
            values = player.value_columns(position)
            for column in np.flatnonzero(~np.isnan(values)):
                after = list(board)
                after[bot["landing_cell"](board, column)] = mark
                assert bot["evaluate"](bot["see"](after, mark)) == [values[column]]


@pytest.mark.parametrize("head", ["policy", "value"])
def test_infinite_weights_and_those_that_are_no_numbers_play_as_in_the_arena(head: str) -> None:
    generator = np.random.default_rng(3)
    for activation, hidden in itertools.product(("sigmoid", "relu"), ((), (10,), (10, 10))):
        decoder = NetworkDecoder(head=head, hidden=hidden, activation=activation)
        genome = decoder.initialise(1, "uniform", generator)[0]
        strange = generator.random(decoder.genes) < 0.1
        genome[strange] = generator.choice([np.inf, -np.inf, np.nan], strange.sum())
        with np.errstate(invalid="ignore"):
            player = decoder.player(genome, "strange")
        choose = run_source(export_python(player))["choose"]
        for position in random_positions("7x6")[:200]:
            chosen = choose(flat(position), mark_to_move(position))
            assert chosen == player.choose(position, STREAM)


def test_value_bot_takes_the_first_win_and_else_the_first_of_equals() -> None:
    player = make_player(NetworkDecoder(head="value"), "zero")
    choose = run_source(export_python(player))["choose"]
    row = [0, 2, 2, 2, 1, 1, 1]
    assert choose([0] * 35 + [0, 0, 0, 0, 0, 0, 0], 1) == 0
    assert choose([0] * 28 + [0, 0, 0, 0, 2, 0, 2] + row, 1) == 0
    assert choose([0] * 28 + [1, 2, 2, 1, 2, 1, 1] + [1, 2, 1, 2, 1, 2, 2], 2) == 0
    assert choose([0] * 28 + [0, 0, 0, 0, 0, 0, 0] + [2, 0, 1, 1, 1, 0, 2], 1) == 1


@pytest.mark.parametrize(
    ("board", "mark", "complaint"),
    [([0] * 41, 1, "41 cells"), ([0] * 42, 3, "mark 3"), ([1] * 42, 1, "the board is full")],
)
def test_bad_positions_are_refused(board: list[int], mark: int, complaint: str) -> None:
    choose = run_source(export_python(make_player(NetworkDecoder())))["choose"]
    with pytest.raises(ValueError, match=complaint):
        choose(board, mark)


@pytest.mark.parametrize("head", ["policy", "value"])
def test_kaggle_finds_the_agent_last_and_gets_plain_integers(head: str) -> None:
    player = make_player(NetworkDecoder(head=head))
    names = run_source(export_player(player, "python"))
    agent = [value for value in names.values() if callable(value)][-1]
    assert agent.__name__ == "agent"
    for position in random_positions("7x6")[:50]:
        seen = {"board": flat(position), "mark": mark_to_move(position), "step": position.ply}
        settings = {"columns": 7, "rows": 6, "inarow": 4}
        wanted = player.choose(position, STREAM)
        assert agent(seen) == agent(seen, settings) == wanted
        assert agent(SimpleNamespace(**seen), SimpleNamespace(**settings)) == wanted
        assert type(agent(seen)) is int


@pytest.mark.filterwarnings("ignore")  # of Kaggle's packages
@pytest.mark.parametrize("host", ["connectx", "open_spiel_connect_four"])
def test_kaggles_own_hosts_play_it(host: str, tmp_path: Path) -> None:
    reason = "kaggle-environments is large, and not among the packages for tests"
    kaggle = pytest.importorskip("kaggle_environments", reason=reason)
    file = tmp_path / "champion.py"
    file.write_text(export_python(make_player(NetworkDecoder(head="value"))), encoding="utf-8")
    options = {} if host == "connectx" else {"includeLegalActions": True}
    for _ in range(2):
        environment = kaggle.make(host, configuration=options)
        environment.run([str(file), str(file)])
        assert [player.status for player in environment.steps[-1]] == ["DONE", "DONE"]
        assert sum(player.reward for player in environment.steps[-1]) == 0
        assert len(environment.steps) > 8


def test_kaggles_openspiel_host_is_answered() -> None:
    player = make_player(NetworkDecoder(head="value"))
    agent = run_source(export_player(player, "python"))["agent"]
    assert agent({"remainingOverageTime": 12, "step": 0}) == {"submission": -1}
    for position in random_positions("7x6")[:50]:
        rows = [[".xo"[cell] for cell in row] for row in position.cells().tolist()[::-1]]
        seen = {  # as recorded from the host
            "observationString": json.dumps({"board": rows, "is_terminal": False}),
            "currentPlayer": position.ply % 2,
            "playerId": position.ply % 2,
            "legalActions": player.game.legal_moves(position),
        }
        assert agent(seen) == {"submission": player.choose(position, STREAM)}
        assert agent(seen | {"playerId": 1 - position.ply % 2}) == {"submission": -1}


def test_file_is_plain_ascii_for_python_3_8_and_its_standard_library() -> None:
    name = 'Zoë "the\n""" \\ best\''
    source = export_python(make_player(NetworkDecoder(hidden=(10, 10)), name=name))
    assert source.isascii()
    assert max(len(line) for line in source.splitlines()) <= 100
    tree = ast.parse(source, feature_version=(3, 8))
    assert "Zoë 'the ''' \\ best'" in (ast.get_docstring(tree) or "")
    assert "42-10-10-7 units, sigmoid" in (ast.get_docstring(tree) or "")
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)]
    assert all(node in tree.body for node in imports)
    modules = [node.module or "" for node in imports if isinstance(node, ast.ImportFrom)]
    modules += [
        name.name for node in imports if isinstance(node, ast.Import) for name in node.names
    ]
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


def test_targets_of_other_games_are_refused_by_the_games_name() -> None:
    told = "plays tic-tac-toe, which can't be exported to codingame: export it with --to python"
    with pytest.raises(BadValueError, match=told):
        export_player(make_bred("tic-tac-toe", "mlp"), "codingame")


def test_unknown_target_is_told_the_nearest() -> None:
    assert next(iter(TARGETS)) == "python"
    with pytest.raises(UnknownNameError, match=r"unknown export target 'pyton'.*'python'"):
        export_player(make_player(NetworkDecoder()), "pyton")


Ask = Callable[[Position, int], int]


def ai_games_lines(position: Position, seat: int) -> list[str]:
    """What The AI Games' engine sends before it waits for a move."""
    rows = [",".join(str(cell) for cell in row) for row in position.cells()]
    return [
        "settings timebank 10000",
        "settings player_names player1,player2",
        f"settings your_bot player{seat + 1}",
        f"settings your_botid {seat + 1}",
        f"settings field_columns {position.rules.columns}",
        f"settings field_rows {position.rules.rows}",
        f"update game round {position.ply + 1}",
        f"update game field {';'.join(rows)}",
        "action move 10000",
    ]


def riddles_lines(position: Position, seat: int) -> list[str]:
    """What Riddles.io's engine sends before it waits for a move."""
    return [
        "settings player_names player0,player1",
        f"settings your_bot player{seat}",
        f"settings your_botid {seat}",
        f"settings field_width {position.rules.columns}",
        f"settings field_height {position.rules.rows}",
        f"update game round {position.ply // 2 + 1}",
        f"update game field {','.join('.01'[cell] for cell in flat(position))}",
        "action move 5000",
    ]


DIALECTS = {"ai-games": ai_games_lines, "riddles": riddles_lines}


@contextmanager
def started(player: NetworkPlayer, folder: Path, dialect: str) -> Iterator[Ask]:
    """The exported bot as a process without anything installed; gives a way to ask it."""
    file = folder / "bot.py"
    file.write_text(export_python(player), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        stdin, stdout = process.stdin, process.stdout
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()

        def ask(position: Position, seat: int) -> int:
            lines = ["", "settings what_is_this 3", "hello", *DIALECTS[dialect](position, seat)]
            stdin.write("\n".join(lines) + "\n")
            stdin.flush()
            word, column = stdout.readline().split()
            assert word == "place_disc"
            return int(column)

        try:
            yield ask
            stdin.close()
            assert process.wait() == 0
        finally:
            watchdog.cancel()
            process.kill()
        assert stdout.read() == process.stderr.read() == ""


@pytest.mark.parametrize("sizes", BOARDS.values(), ids=BOARDS)
@pytest.mark.parametrize("head", ["policy", "value"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_bot_process_plays_whole_games(
    dialect: str, head: str, sizes: tuple[int, int, int], tmp_path: Path
) -> None:
    decoder = NetworkDecoder(*sizes, head, "two-planes", "absolute", (16,), "tanh")
    player = make_player(decoder)
    chance = random.Random(1)
    with started(player, tmp_path, dialect) as ask:
        for seat in (0, 1, 0, 1):
            position = decoder.game.initial()
            while decoder.game.outcome(position) is None:
                if position.ply % 2 == seat:
                    column = ask(position, seat)
                    assert column == player.choose(position, STREAM)
                else:
                    column = chance.choice(decoder.game.legal_moves(position))
                position = decoder.game.play(position, column)  # raises if it is illegal


def test_two_hundred_games_against_random_without_an_illegal_move(tmp_path: Path) -> None:
    player = make_player(NetworkDecoder(head="value", encoding="two-planes", hidden=(32,)))
    game, chance = ConnectFour(), random.Random(2)
    finished = 0
    with started(player, tmp_path, "riddles") as ask:
        for number in range(200):
            position = game.initial()
            while game.outcome(position) is None:
                ours = position.ply % 2 == number % 2
                legal = game.legal_moves(position)
                column = ask(position, number % 2) if ours else chance.choice(legal)
                assert column in legal
                position = game.play(position, column)
            finished += 1
    assert finished == 200
