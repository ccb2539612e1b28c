"""Optional parts of a game's file about choices: notes, settings, kinds of moves, and tallies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.batch import make_batch
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.board.self_check import check_plain
from evolve_arena.players.packed import combine_players
from evolve_arena.players.specification import make_player
from tests.evolved import make_evolved
from tests.heap import load_heap


@pytest.fixture(scope="module")
def heap(tmp_path_factory: pytest.TempPathFactory) -> BoardGame:
    return load_heap(tmp_path_factory.mktemp("heap"))


def list_positions(game: BoardGame, count: int = 60) -> list[Board]:
    """Return unfinished positions of random games."""
    found: list[Board] = []
    draws = np.random.default_rng(1)
    while len(found) < count:
        state = game.initial(len(found))
        while moves := game.legal_moves(state):
            found.append(state)
            state = game.play(state, int(draws.choice(moves)))
    return found[:count]


def test_scripted_players_are_told_something(heap: BoardGame) -> None:
    plain, shifted = make_player("greedy", heap), make_player("greedy:shift=3", heap)
    noisy = make_player("greedy:noise=0.5,shift=2", heap)
    names = [plain.name, shifted.name, noisy.name]
    assert names == ["greedy", "greedy:shift=3", "greedy:shift=2,noise=0.5"]
    for state in list_positions(heap):
        for player, setting in ((plain, 0), (shifted, 3)):
            legal = heap.legal_moves(state)
            wanted = (state.state[0] * 7 + setting) % 6
            chosen = player.choose(state, new_stream(1))
            assert chosen == (wanted if wanted in legal else legal[-1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("greedy:shift=9", "expected shift=1 to shift=5"),
        ("greedy:noise=2", "noise is 2.0"),
        ("greedy:noise=0.1,shift=0", "expected shift"),
    ],
)
def test_what_a_file_refuses_is_refused(heap: BoardGame, text: str, said: str) -> None:
    with pytest.raises(BadValueError, match=said):
        make_player(text, heap)


@pytest.mark.parametrize("network", ["mlp", "graph"])
@pytest.mark.parametrize("encoding", ["features", "planes"])
@pytest.mark.parametrize("script", ["", "greedy:shift=4", "quick"])
def test_a_network_chooses_a_kind_and_a_script_the_move(
    heap: BoardGame, network: str, encoding: str, script: str
) -> None:
    player = make_evolved("heap", network, 5, head="kinds", encoding=encoding, script=script)
    assert player.decoder.output_names == ["pass", "few", "many"]
    setting = 4 if script.endswith("4") else 0
    seen = set()
    for state in list_positions(heap):
        legal = heap.legal_moves(state)
        kinds = [min(move, 1) + (move > 3) for move in legal]
        chosen = player.choose(state, new_stream(1))
        kind = kinds[legal.index(chosen)]
        seen.add(kind)
        if network == "mlp":
            outputs = player.decoder.mlp.evaluate(
                player.genome, player.decoder.encode(state)[None]
            )[0]
            assert kind == max(sorted(set(kinds)), key=outputs.__getitem__)
        some = [move for move, each in zip(legal, kinds, strict=True) if each == kind]
        wanted = (state.state[0] * 7 + setting) % 6
        if script == "quick":
            assert chosen == some[0]
        else:
            assert chosen == (wanted if wanted in some else some[-1])
    assert len(seen) > 1 or network == "graph"


def test_features_follow_the_script(heap: BoardGame) -> None:
    state = heap.initial()
    for script, setting in (("", 0), ("greedy", 0), ("greedy:shift=5", 5)):
        decoder = make_evolved("heap", "mlp", 1, encoding="features", script=script).decoder
        assert decoder.encode(state)[2] == np.float32((40 * 7 + setting) % 6 / 6)


def test_only_moves_that_are_worth_it_are_weighed(heap: BoardGame) -> None:
    player = make_evolved("heap", "mlp", 2, head="action", encoding="features")
    for state in list_positions(heap):
        legal, rated = heap.legal_moves(state), rate_moves(player, state)
        assert list(rated) == (legal if len(legal) == 1 else legal[1:])
        for move, value in rated.items():
            inputs = player.decoder.encode_move(state, move)
            told = player.decoder.mlp.evaluate(player.genome, inputs[None])[0, 0]
            assert value == pytest.approx(told, abs=1e-5)
        assert player.choose(state, new_stream(1)) == max(rated, key=rated.__getitem__)


def test_matches_tally_what_the_file_counts(heap: BoardGame) -> None:
    players = [make_player(name, heap) for name in ("greedy", "random", "greedy:shift=2")]
    packed = combine_players([player.packed for player in players])
    pairings = np.tile(np.arange(3, dtype=np.int32), (50, 1))
    results = SerialExecutor().play(
        make_batch(heap, packed, pairings, np.arange(50, dtype=np.uint64))
    )
    assert list(results.columns) == ["points", "turns_passed", "stones_left"]
    left = results.columns["stones_left"]
    assert (left.sum(axis=1) / 3 + results.columns["points"].sum(axis=1) == 40).all()
    assert results.columns["turns_passed"][:, 1].mean() > 0
    state = heap.initial()
    for _ in range(3):
        state = heap.play(state, 0)
    assert heap.tally(state)[1] == {
        "points": [0, 0, 0],
        "turns_passed": [1, 1, 1],
        "stones_left": [40, 40, 40],
    }


def test_a_match_does_not_depend_on_what_was_noted_before(heap: BoardGame) -> None:
    player = make_evolved("heap", "mlp", 3, head="kinds", encoding="features")
    packed = combine_players([player.packed, make_player("greedy", heap).packed])
    seats = np.random.default_rng(1).integers(2, size=(40, 3), dtype=np.int32)
    seeds = np.arange(40, dtype=np.uint64)
    every = SerialExecutor().play(make_batch(heap, packed, seats, seeds))
    for match in range(0, 40, 7):
        part = slice(match, match + 1)
        one = SerialExecutor().play(make_batch(heap, packed, seats[part], seeds[part]))
        assert one.game_hashes[0] == every.game_hashes[match]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("NOTES = 4\n", "", "takes notes: say how many numbers, such as NOTES = 16"),
        (
            "moves, count, notes, setting, kind):",
            "moves, count, note):",
            "write \\(state, moves, count\\), and behind them random, notes, setting or kind",
        ),
        ("def kinds(", "def sorts(", "KINDS needs function kinds"),
        ('KINDS = ("pass", "few", "many")\n', "", "kinds needs KINDS"),
        ('PLAYERS = ("greedy", "quick")\n', "", "KINDS needs a scripted player"),
        ('("turns passed", "stones left")', '("turns passed", "turns passed")', "different names"),
        ("return 1 + 2 *", "return 8 + 2 *", "kinds gives"),
        ("4 if kind == 2", "5 if kind == 2", "quick gives 5, which is no legal move"),
        ("return count - 1", "return 0", "prune keeps"),
        ("if notes[0] == 0:", "if notes[2] == 0:", "depends on notes"),
    ],
)
def test_a_file_that_does_it_wrong_is_told_so(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    with pytest.raises(ArenaError, match=said):
        check_plain(load_heap(tmp_path, "wrong_heap", (old, new)), 20, 20.0)


def test_heads_and_scripts_that_do_not_fit_are_refused(heap: BoardGame) -> None:
    with pytest.raises(BadValueError, match="only for games whose file names KINDS"):
        make_evolved("hex", "mlp", 1, head="kinds")
    with pytest.raises(UnknownNameError, match="greedy"):
        make_evolved("heap", "mlp", 1, head="kinds", script="greddy")
    with pytest.raises(BadValueError, match="expected shift"):
        make_evolved("heap", "mlp", 1, head="kinds", script="greedy:shift=8")
    with pytest.raises(BadValueError, match="no values for a search"):
        make_evolved("heap", "mlp", 1, head="kinds", depth=2)
    assert find_game("heap").columns["stones_left"] == ("int32", True)
