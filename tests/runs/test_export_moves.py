"""Exported bots of all kinds of states, networks and rules choose what the arena chooses."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.evolve.learning import tuple_pruning
from evolve_arena.evolve.learning.tuple_pruning import TuplePruning
from evolve_arena.players.board.game import Board
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export import export_player, look_ahead, pack, shorten
from tests.c_bots import ask, build, with_gcc
from tests.evolved import LEAST_POSITIONS, make_evolved, random_positions
from tests.exported import (
    Case,
    Namespace,
    Table,
    in_every_language,
    load_bot,
    load_text,
    pick_player,
    tell,
    write_state,
)
from tests.forked import evolve
from tests.heap import load_heap
from tests.pages import ask_page, with_node
from tests.tracks import HANDS, TRACKS, open_text, play_randomly

CHANCY = (
    ("greedy(state, moves, count, notes, setting, kind)", "greedy(state, moves, count, random)"),
    ("    wanted, most = think(state, notes, setting), moves[0]\n", ""),
    (
        """    for place in range(count):
        move = moves[place]
        if kind < 0 or kind == min(move, 1) + (move > 3):
            if move == wanted:
                return move
            most = move
    return most
""",
        "    return moves[random % count]\n",
    ),
    ("quick(state, setting, kind):", "quick(state, random, kind):"),
    (
        "return 0 if kind == 0 else 4 if kind == 2 else 1",
        "return 4 - random % 3 if kind == 2 else random % 2",
    ),
)
"""Scripted players of heaps that leave something to chance."""
NERVOUS = "nervous"
"""Tic-tac-toe, whose states are not quiet while its corner is free and its middle is not."""
COUNTED = {"encoding": "features", "hidden": ()}
SIGNED = {"encoding": "signed", "shortcut": True}
PLAYERS: Table = {
    "words": ("othello", "mlp", {"activation": "tanh"}),
    "words, graph": ("breakthrough", "graph", {"head": "policy"}),
    "words, tuples, a function that calls itself": ("hex", "tuples", {"tuples": 20, "length": 4}),
    "words, large constants": ("chomp", "mlp", {}),
    "words in which some bits are no cells": ("checkers", "mlp", {}),
    "features of moves": ("othello", "mlp", {"encoding": "features", "head": "action", "size": 6}),
    "features of moves, graph": ("othello", "graph", {"size": 6, "head": "action"}),
    "cells": ("tic-tac-toe", "mlp", {"activation": "tanh", "take_wins": False}),
    "more cells than a word has bits": ("gomoku", "mlp", {"head": "policy", "size": 9}),
    "numbers": ("kalah", "mlp", {"head": "policy", "activation": "sigmoid"}),
    "numbers, turns": ("kalah", "tuples", {"tuples": 10, "length": 3, "turns": True}),
    "ranges of numbers": ("kalah", "tuples", {"tuples": 10, "length": 3, "contents": 7}),
    "features, graph": ("kalah", "graph", {"encoding": "features", "head": "policy"}),
    "stacks": ("connect-four", "tuples", {"tuples": 20, "length": 6, "by_seat": True}),
    "stages of stacks": (
        "connect-four",
        "tuples",
        {"length": 4, "by_seat": True, "stages": 5, "counts": True},
    ),
    "stages of words, systematic": (
        "othello",
        "tuples",
        {"tuples": 0, "length": 6, "systematic": True, "stages": 7, "counts": True},
    ),
    "stages of numbers": ("kalah", "tuples", {"tuples": 9, "length": 3, "stages": 4}),
    "numbers beside a board": ("hands", "mlp", {"symmetric": True}),
    "stages by numbers beside a board": (
        "hands",
        "tuples",
        {"tuples": 9, "length": 3, "stages": 2, "counts": True},
    ),
    "stacks, numbered": ("connect-four", "mlp", {"columns": 9, "rows": 7, "encoding": "numbered"}),
    "stacks, graph": ("connect-four", "graph", {}),
    "three seats, chance": ("pig", "graph", {"seats": 3}),
    "three seats, tuples": ("pig", "tuples", {"seats": 3, "tuples": 6, "length": 3}),
}
LOOKING: Table = {
    "cells": ("tic-tac-toe", "mlp", {"depth": 3}),
    "a graph": ("tic-tac-toe", "graph", {"depth": 2}),
    "words": ("othello", "mlp", {"size": 6, "hidden": (4,), "depth": 2}),
    "tuples": ("hex", "tuples", {"size": 4, "tuples": 10, "length": 3, "depth": 3}),
    "changes": ("breakthrough", "mlp", {"size": 5, "hidden": (4, 4), "depth": 3}),
    "turns": ("kalah", "tuples", {"tuples": 6, "length": 3, "turns": True, "depth": 4}),
    "stages": ("hex", "tuples", {"size": 4, "length": 3, "stages": 5, "counts": True, "depth": 3}),
    "features": ("kalah", "mlp", {"encoding": "features", "hidden": (4,), "depth": 3}),
    "linear features": ("kalah", "mlp", {"encoding": "features", "hidden": (), "depth": 2}),
    "features of a graph": ("kalah", "graph", {"encoding": "features", "depth": 3}),
    "few features": ("checkers", "mlp", {**COUNTED, "features": 14, "depth": 3}),
    "values of features": ("checkers", "mlp", {**COUNTED, "features": 4, "bins": 8, "depth": 2}),
    "a shortcut": ("checkers", "mlp", {**SIGNED, "hidden": (4, 2), "depth": 2}),
    "a shortcut of relu": ("checkers", "mlp", {**SIGNED, "activation": "relu", "depth": 2}),
    "chance": ("pig", "mlp", {"goal": 20, "depth": 2}),
    "quiet": (NERVOUS, "mlp", {"depth": 2}),
    "quiet tuples": (NERVOUS, "tuples", {"tuples": 8, "length": 3, "depth": 1}),
}
"""They look ahead."""
REPEATING: Table = {
    "moves that repeat": ("tracks", "mlp", {"hidden": (4,)}),
    "a search of repetitions": ("tracks", "tuples", {"tuples": 4, "length": 3, "depth": 2}),
    "a search of moves that make progress": ("checkers", "mlp", {"hidden": (4,), "depth": 3}),
}
"""Repetition ends their games, and bots are told of earlier positions."""
KINDS = {"head": "kinds", "encoding": "features"}
CHOOSING: Table = {
    "kinds": ("heap", "mlp", {"head": "kinds", "hidden": (4,)}),
    "kinds by features": ("heap", "mlp", KINDS),
    "kinds, shifted": ("heap", "mlp", {**KINDS, "script": "greedy:shift=3", "hidden": (4, 3)}),
    "kinds without a list": ("heap", "mlp", {"head": "kinds", "script": "quick", "hidden": (4,)}),
    "kinds that may be wrong": ("heap", "mlp", {"head": "kinds", "masked": False}),
    "kinds of a graph": ("heap", "graph", KINDS),
    "kinds of a graph by planes": ("heap", "graph", {"head": "kinds", "script": "greedy:shift=2"}),
    "pruned": ("heap", "mlp", {"head": "action"}),
    "pruned, by features": ("heap", "mlp", {**KINDS, "head": "action", "script": "greedy:shift=4"}),
    "pruned, of a graph": ("heap", "graph", {**KINDS, "head": "action"}),
    "features, shifted": ("heap", "mlp", {"encoding": "features", "script": "greedy:shift=1"}),
    "kinds by chance": ("chancy-heap", "mlp", {**KINDS, "script": "quick"}),
}
"""Players of files with more than rules: kinds of moves, pruning, scripted players."""
ALL = {**PLAYERS, **LOOKING, **REPEATING, **CHOOSING}


@pytest.fixture(scope="module", autouse=True)
def _games(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder, rows = tmp_path_factory.mktemp("games"), find_game("tic-tac-toe").game
    open_text(folder, TRACKS)
    open_text(folder, HANDS, "hands.py")
    load_heap(folder)
    load_heap(folder, "chancy_heap", *CHANCY)
    quiet = "\n\ndef quiet(state):\n    return state[0] != 0 or state[4] == 0\n"
    open_text(folder, rows.source + quiet, f"{NERVOUS}.py")  # type: ignore[attr-defined]


def ask_arena(player: EvolvedPlayer, positions: Sequence[Board]) -> list[int]:
    rng = new_stream(0)
    return [player.choose(position, rng) for position in positions]


def find_ends(player: EvolvedPlayer) -> list[Board]:
    """Return positions of random games, most of them near their ends."""
    positions: list[Board] = []
    for seed in range(max(40, LEAST_POSITIONS // 4)):
        states = play_randomly(player.game, seed)[:-1]
        positions += [random.Random(seed).choice(states), *states[-3:]]
    return positions


@pytest.fixture(params=ALL, scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    player = pick_player(ALL, request.param, seed=6 if request.param in CHOOSING else 3)
    if request.param in REPEATING:
        positions = find_ends(player)
        forgetful = ask_arena(player, [position._replace(past=()) for position in positions])
    else:
        count = 200 if request.param in PLAYERS else 40
        positions, forgetful = random_positions(player.game, count, 1), []
    chosen = ask_arena(player, positions)
    assert len(set(chosen)) > 1
    assert forgetful != chosen  # earlier positions matter
    if request.param in LOOKING:
        near = look_ahead(player, "depth=1" if player.decoder.depth > 1 else "depth=2")
        assert ask_arena(near, positions) != chosen  # how far it looks matters
    legal = [place for place, move in enumerate(chosen) if move >= 0]  # else bots choose others
    assert len(legal) == len(chosen) or not getattr(player.decoder, "masked", True)
    return player, [positions[place] for place in legal], [chosen[place] for place in legal]


@in_every_language
def test_bots_choose_the_same(case: Case, choose: Callable[..., list[int]], tmp_path: Path) -> None:
    player, positions, chosen = case
    assert choose(player, positions, tmp_path) == chosen
    if depth := getattr(player.decoder, "depth", 0):
        plain = look_ahead(player, "depth=0")  # which is asked for another depth than its own
        assert choose(plain, positions, tmp_path, depth) == chosen


def test_a_file_becomes_short_by_compression_then_by_rounded_weights(tmp_path: Path) -> None:
    player = pick_player(PLAYERS, "stacks")
    assert isinstance(player, TuplePlayer)
    whole, positions = str(export_player(player, "python")), random_positions(player.game, 40, 1)
    assert shorten(player, "python", len(whole)) == (whole, "")
    packed = pack(whole)
    assert shorten(player, "python", len(whole) - 1) == (packed, "")
    assert packed.partition('"""\n')[0] in whole  # what it is and how it is used
    names = load_text(packed)
    assert whole.endswith(names["SOURCE"])
    chosen = [names["choose"](list(each.state)) for each in positions]
    assert chosen == ask_arena(player, positions)
    file = tmp_path / "bot.py"
    file.write_text(packed, "utf-8")
    wrong = subprocess.run(
        [sys.executable, file], check=False, input="state 1\ngo\n", capture_output=True, text=True
    )
    assert wrong.stderr.startswith("ValueError: expected a state of")
    assert wrong.stderr.count("\n") == 1

    limit = len(packed) - 20000
    text, lost = shorten(player, "python", limit)
    assert len(text) <= limit
    step = float(lost.removeprefix("weights are rounded to multiples of "))
    rounded = player.round(step)
    assert text == pack(str(export_player(rounded, "python")))
    assert limit < len(pack(str(export_player(player.round(step / 2), "python"))))
    tables = rounded.arrays["tables"]
    assert (tables % step == 0.0).all()
    assert abs(tables - player.arrays["tables"]).max() <= step / 2
    choose = load_text(str(text))["choose"]
    assert [choose(list(each.state)) for each in positions] == ask_arena(rounded, positions)
    file = ea.export(player, "python", tmp_path / "short.py", limit=limit)
    assert file.read_text("utf-8") == text
    mlp = make_evolved("connect-four", "mlp")
    with pytest.raises(BadValueError, match="only weights of tuple networks can be rounded"):
        shorten(mlp, "python", 1000)


@pytest.mark.parametrize("target", ["python", "c"])
def test_a_file_becomes_shorter_still_by_fewer_weights(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuple_pruning, "GAMES", 20)
    player, told = pick_player(PLAYERS, "stacks"), list[float]()
    assert isinstance(player, TuplePlayer)
    limit = {"python": 28_000, "c": 150_000}[target]
    text, lost = shorten(player, target, limit, told.append)
    assert limit * 0.9 < len(text) <= limit
    assert (text, lost) == shorten(player, target, limit)
    assert re.fullmatch(r"[0-9,]+ of [0-9,]+ weights are kept, as multiples of .*", lost)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    with pytest.raises(BadValueError, match=r"limit is 1,000, and still [0-9,]+ with rounded"):
        shorten(player, target, 1000)


@pytest.mark.parametrize("name", ["stacks", "stages of numbers", "three seats, tuples"])
def test_fewer_weights_are_fitted_to_choose_the_same_moves(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuple_pruning, "GAMES", 100)
    player = pick_player(PLAYERS, name)
    assert isinstance(player, TuplePlayer)
    pruning = TuplePruning(player)
    most = pruning.size // 10
    small = pruning.shrink(lambda one: int(np.count_nonzero(one.arrays["tables"])), most)
    assert small is not None
    tables = small.arrays["tables"]
    assert 0.9 * most < np.count_nonzero(tables) <= most
    assert (tables % pruning.unit == 0.0).all()

    positions = random_positions(player.game, 200, 1)
    wanted = np.array(ask_arena(player, positions))
    same = (ask_arena(small, positions) == wanted).mean()
    largest = player.genome.tables.copy()
    largest[abs(largest) < np.sort(abs(largest[0]))[-most]] = 0.0
    before = (ask_arena(player.with_tables(largest[0]), positions) == wanted).mean()
    assert same > before + 0.1


@pytest.mark.parametrize("name", REPEATING)
def test_a_file_plays_a_game_to_its_end(name: str) -> None:
    player = pick_player(REPEATING, name)
    bot, game = load_bot(player), player.game
    for seed in range(5):
        choices, state, past = random.Random(seed), bot["start"](), []
        position = game.initial()
        while moves := bot["legal"](state, past):
            assert moves == game.legal_moves(position)
            assert bot["result"](state, past) is None
            move = choices.choice(moves)
            past, state = bot["remember"](past, state, move), bot["play"](state, move)
            position = game.play(position, move)
            assert [tuple(each) for each in past] == list(position.past)
        outcome = game.outcome(position)
        first, second = bot["result"](state, past)
        assert (1 + (second > first), 1 + (first > second)) == outcome.places


@with_node
@pytest.mark.parametrize("name", REPEATING)
def test_pages_remember_earlier_states(name: str, tmp_path: Path) -> None:
    player = pick_player(REPEATING, name)
    positions, game = find_ends(player), player.game
    given = list(map(tell, positions))
    body = "return bot.ask_moves(bot.play_on_page(position, bot.ask_moves(position)[0]));"
    after = [game.legal_moves(game.play(each, game.legal_moves(each)[0])) for each in positions]
    assert ask_page(player, given, tmp_path, body)[0] == after


@with_node
@pytest.mark.parametrize("name", CHOOSING)
def test_pages_give_each_move_a_value(name: str, tmp_path: Path) -> None:
    player = pick_player(CHOOSING, name, seed=6)
    positions, body = (
        random_positions(player.game, 40, 1),
        "return bot.ask_values(position).length;",
    )
    counts = ask_page(player, list(map(tell, positions)), tmp_path, body)[0]
    assert counts == [len(player.game.legal_moves(position)) for position in positions]


def test_chance_comes_from_the_stream_that_is_given() -> None:
    player = make_evolved("chancy-heap", "mlp", 3, head="kinds", script="quick")
    rng, own, bot = new_stream(5), [5], load_bot(player)
    positions = random_positions(player.game, 60, 2)
    chosen = [player.choose(position, rng) for position in positions]
    assert [bot["choose"](list(each.state), stream=own) for each in positions] == chosen
    assert own == rng.tolist()
    assert [bot["choose"](list(each.state), stream=own) for each in positions] != chosen


# How far bots look, how long, and who can't


@with_node
@pytest.mark.parametrize("depth", [0, 3])
def test_pages_say_how_far_they_look(depth: int, tmp_path: Path) -> None:
    player = make_evolved("tic-tac-toe", "mlp", depth=depth)
    start = tell(player.game.initial())
    assert ask_page(player, [start], tmp_path, "return bot.ask_depth();")[0] == [depth]
    assert find_depth(str(export_player(player, "python"))) == depth


def find_depth(text: str) -> int:
    found = re.search(r"- search: alpha-beta, (\d+) pl(y|ies)\n", text)
    return int(found[1]) if found else 0


def test_a_file_searches_as_long_as_it_may(tmp_path: Path) -> None:
    player = make_evolved("hex", "mlp", hidden=(4,), size=5)
    bot = load_bot(player)
    state = bot["play"](bot["start"](), 3)
    begun = time.monotonic()
    assert bot["choose"](state, seconds=0.2) in bot["legal"](state)
    assert time.monotonic() - begun < 60.0
    # Where the end is in sight, what it finds in time is what it finds with patience.
    small = make_evolved("tic-tac-toe", "mlp", seed=3)
    bot = load_bot(small)
    for position in random_positions(small.game, 30, 2):
        state = list(map(int, position.state))
        if (empty := state[:9].count(0)) <= 4:
            whole = bot["choose"](state, depth=empty)
            timed = bot["choose"](state, seconds=300.0)
            assert value(bot, state, timed) == value(bot, state, whole)


def test_a_depth_below_0_is_refused() -> None:
    bot = load_bot(make_evolved("tic-tac-toe", "mlp"))
    with pytest.raises(ValueError, match=r"^depth is -1: it must be 0 or more$"):
        bot["choose"](bot["start"](), depth=-1)


def value(bot: Namespace, state: list[int], move: int) -> int:
    """Return the value of a move under perfect play: -1, 0 or 1."""
    after = bot["play"](state, move)
    if (end := bot["result"](after)) is not None:
        return int(end[state[9]])
    return -max(value(bot, after, answer) for answer in bot["legal"](after))


@with_gcc
def test_a_program_searches_as_long_as_it_may(tmp_path: Path) -> None:
    player = make_evolved("hex", "mlp", hidden=(4,), size=5)
    program = build(str(export_player(player, "c")), tmp_path)
    positions = random_positions(player.game, 3)
    told = [write_state("state", position.state) for position in positions]
    moves = ask(program, [line for each in told for line in (each, "go movetime 100")])
    for position, move in zip(positions, moves, strict=True):
        assert move in player.game.legal_moves(position)


CANNOT: list[tuple[str, Settings]] = [
    ("tic-tac-toe", {"head": "policy"}),
    ("pig", {"seats": 3}),
]


@pytest.mark.parametrize(("game", "settings"), CANNOT)
def test_who_cannot_look_ahead_says_so(game: str, settings: Settings) -> None:
    player = make_evolved(game, "mlp", **settings)
    text = str(export_player(player, "python"))
    bot = load_bot(player)
    assert "looks three plies ahead" not in text
    with pytest.raises(ValueError, match=r"^this bot can't look ahead$"):
        bot["choose"](bot["start"](), depth=2)
    with pytest.raises(BadValueError, match="depth"):
        look_ahead(player, "depth=2")


@with_gcc
def test_a_program_that_cannot_look_ahead_says_so(tmp_path: Path) -> None:
    player = make_evolved("tic-tac-toe", "mlp", head="policy")
    program = build(str(export_player(player, "c")), tmp_path)
    told = "state 0 0 0 0 0 0 0 0 0 0\ngo depth 2\n"
    done = subprocess.run([str(program)], input=told, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "this bot can't look ahead\n")


def test_who_searches_a_tree_is_told_what_bots_do_instead() -> None:
    player = make_evolved("tic-tac-toe", "mlp", rollouts=10)
    for target in ("python", "c", "html"):
        with pytest.raises(BadValueError, match=r"by rollouts, which .* such as RUN,depth=2$"):
            export_player(player, target)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ea.Run:
    changes = {
        "method.individuals": 4,
        "method.tournament_size": 2,
        "network.hidden": [4],
        "run.generations": 1,
        "check.games": 2,
        "check.opponents": ["random"],
        "search.depth": 2,
    }
    folder = tmp_path_factory.mktemp("runs") / "run"
    return ea.start("tic-tac-toe-evolved", run=folder, changes=changes, executor="serial")


@pytest.mark.parametrize("place", ["{}", "file:{}/champion.safetensors"])
def test_the_command_exports_how_far_it_looks(run: ea.Run, place: str, tmp_path: Path) -> None:
    for settings, depth in (("", 2), (",depth=4", 4), (",depth=0", 0)):
        out = tmp_path / f"bot{depth}.py"
        named = f"{place.format(run.path)}{settings}"
        done = evolve("export", named, "--out", str(out), folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert find_depth(out.read_text(encoding="utf-8")) == depth


WRONG = {
    ",depth=13": "depth is 13: it must be from 1 to 12",
    ",dept=3": "unknown setting of exported bots 'dept'",
    ",depth=x": "run,depth=x: depth is 'x': it must be a whole number",
    ",time=100ms": "unknown setting of exported bots 'time'",
}


@pytest.mark.parametrize("settings", WRONG)
def test_wrong_settings_are_named(run: ea.Run, settings: str, tmp_path: Path) -> None:
    done = evolve("export", f"{run.path}{settings}", folder=tmp_path)
    assert done.returncode != 0
    assert WRONG[settings] in done.stderr


def test_wrong_settings_of_players_are_named_as_they_were_typed(run: ea.Run) -> None:
    place = f"run:{run.path}"
    with pytest.raises(ArenaError) as told:
        ea.load_player(f"{place},depth=99")
    assert f"{place},depth=99" in str(told.value)
    assert "minimax" not in str(told.value)
    with pytest.raises(ArenaError, match=r"unknown setting of .*'dept'.*depth"):
        ea.load_player(f"{place},dept=3")
