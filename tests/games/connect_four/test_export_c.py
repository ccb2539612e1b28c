"""Connect Four players in C: the same moves as in the arena, and both protocols of hosts."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve_arena.arena.match import play_match
from evolve_arena.core.stream import new_stream
from evolve_arena.games.connect_four.export_python import export_python
from evolve_arena.games.connect_four.game import Position
from evolve_arena.games.connect_four.graph import GraphDecoder
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.games.connect_four.tuple_network import TupleDecoder
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from tests.bred import grow, make_bred, random_positions
from tests.c_bots import ask, assert_withstands, build, feed, with_gcc, with_sanitizers
from tests.fuzz.bot_lines import four_lines
from tests.games.connect_four.test_export_graph import EVERYTHING

STREAM = new_stream(0)


def ask_positions(program: Path, positions: list[Position]) -> list[int]:
    lines = ["settings field_columns 7"]
    for position in positions:
        field = ";".join(",".join(map(str, row)) for row in position.cells())
        lines += [f"settings your_botid {1 + position.ply % 2}", f"update game field {field}"]
        lines.append("action move 1000")
    return ask(program, lines)


NETWORKS: list[dict[str, Any]] = [
    {"head": "policy", "viewpoint": "absolute", "activation": "sigmoid", "hidden": (10, 17)},
    {"head": "value", "viewpoint": "mover", "activation": "tanh", "hidden": (40, 8)},
    {"head": "action", "encoding": "two-planes", "activation": "relu", "hidden": (20,)},
    {"head": "value", "encoding": "0/1/2", "take_wins": False, "hidden": ()},
    {"head": "policy", "encoding": "0/1/-1", "hidden": (), "columns": 5, "rows": 4, "connect": 3},
]


@with_gcc
@pytest.mark.parametrize("settings", NETWORKS)
def test_multilayer_perceptrons_choose_the_same_moves(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    decoder = NetworkDecoder(**settings)
    generator = np.random.default_rng(1)
    genome = decoder.initialise(1, "uniform", generator)[0]
    strange = generator.random(decoder.genes) < 0.02
    for weights in (genome, 50 * genome, np.where(strange, np.float32(np.nan), genome)):
        with np.errstate(invalid="ignore"):
            player = decoder.player(weights.astype(np.float32), "weights")
        program = build(str(export_player(player, "c")), tmp_path)
        positions = random_positions(decoder.game, 300)
        wanted = [player.choose(position, STREAM) for position in positions]
        assert ask_positions(program, positions) == wanted


@with_gcc
@pytest.mark.parametrize("feed_forward", [True, False])
@pytest.mark.parametrize("head", ["policy", "value"])
def test_graphs_choose_the_same_moves_and_remember_the_same(
    head: str, feed_forward: bool, tmp_path: Path
) -> None:
    decoder = GraphDecoder(head=head, feed_forward=feed_forward)
    player = decoder.player(grow(decoder, 3, EVERYTHING), "grown")
    bot: dict[str, Any] = {}
    exec(export_python(player), bot)
    chance, game, positions = random.Random(2), decoder.game, []
    for _ in range(20):
        position = game.initial()
        while game.outcome(position) is None:
            positions.append(position)
            position = game.play(position, chance.choice(game.legal_moves(position)))
    wanted = [bot["choose"](p.cells().ravel().tolist(), 1 + p.ply % 2) for p in positions]
    program = build(str(export_player(player, "c")), tmp_path)
    assert ask_positions(program, positions) == wanted


@with_gcc
@pytest.mark.parametrize("settings", [{"tuples": 40}, {"shape": "lines"}, {"length": 1}])
def test_tuple_networks_choose_the_same_moves(settings: dict[str, Any], tmp_path: Path) -> None:
    decoder = TupleDecoder(**{"length": 5} | settings)
    generator = np.random.default_rng(2)
    cells = decoder.draw(generator)
    numbers = generator.normal(0.0, 0.1, decoder.table(cells).numbers).astype(np.float32)
    numbers[generator.random(len(numbers)) < 0.7] = 0.0
    numbers[: len(numbers) // 20] *= 1e4
    player = decoder.player(TuplePopulation(cells[None], numbers[None]), "tables")
    positions = random_positions(decoder.game, 500)
    program = build(str(export_player(player, "c")), tmp_path)
    wanted = [player.choose(position, STREAM) for position in positions]
    assert ask_positions(program, positions) == wanted


@with_gcc
@pytest.mark.parametrize("dialect", ["ai-games", "riddles"])
def test_it_plays_matches_as_a_program_in_both_protocols(dialect: str, tmp_path: Path) -> None:
    player = make_bred("connect-four", "mlp")
    game = player.game
    program = build(str(export_player(player, "c")), tmp_path)
    bot = ProcessPlayer(game, str(program), dialect=dialect)
    for opening in ((), (3,), (6, 6, 1)):
        wanted = play_match(game, (player, player), opening=opening).moves
        assert play_match(game, (bot, player), opening=opening).moves == wanted
        assert play_match(game, (player, bot), opening=opening).moves == wanted


@with_gcc
def test_bad_boards_are_refused(tmp_path: Path) -> None:
    program = build(str(export_player(make_bred("connect-four", "mlp"), "c")), tmp_path)
    text = "settings your_botid 1\nupdate game field 0,0,0\naction move 1000\n"
    said = subprocess.run([program], input=text, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert said.stderr == "expected a board of 7 columns and 6 rows, and player 1 or 2\n"


@with_sanitizers
def test_no_line_makes_it_read_beyond_its_tables(tmp_path: Path) -> None:
    player = make_bred("connect-four", "tuples", tuples=10, length=4, columns=5, rows=4)
    source = str(export_player(player, "c"))
    program = assert_withstands(source, four_lines(5, 4), tmp_path)
    begin = "settings field_width 5\n"
    hanging = f"settings your_botid 0\nupdate game field 0{',.' * 19}\naction move 1\n"
    inputs = [f"{begin}settings your_botid 2147483647\naction move 1\n", f"{begin}{hanging}"]
    for answer in feed(program, [text.encode() for text in inputs]):
        sentence = "expected a board of 5 columns and 4 rows, and player 0 or 1\n"
        assert answer == (1, "", sentence)
