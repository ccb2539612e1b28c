"""Networks that learn a teacher's moves, or the results of its games, in games in one file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Array
from evolve_arena.evolve.imitation_games import ImitationState, list_positions
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.specification import make_player
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.store.kept_games import KeptGames
from tests.evolve import mirrors

SMALL = {
    "method.name": "imitation",
    "method.teacher": "minimax:depth=2",
    "method.teacher_games": 20,
    "method.batches": 5,
    "run.generations": 2,
    "check.games": 2,
    "check.opponents": ["random"],
}


teach = partial(mirrors.breed, SMALL)


@pytest.mark.parametrize("game", ["tic-tac-toe", "othello", "pig"])
@pytest.mark.parametrize("head", ["policy", "value"])
def test_positions_are_those_of_the_games(game: str, head: str, tmp_path: Path) -> None:
    """Positions that Python sees when it plays the same games."""
    changes = {"network__head": head, "method__teacher": "random", "method__exploration": 0.3}
    if game == "pig":
        changes |= {"game__seats": 3, "method__teacher_games": 3}
    run = teach(game, tmp_path / "run", run__generations=1, **changes)
    state: ImitationState = run.state(1)
    decoder = run.method.decoder
    board, rows, row = decoder.game, list_positions(decoder, state, 0), 0
    words = len(rows.seen) // len(rows.games)
    width = len(rows.allowed) // len(rows.games)
    for number, moves in enumerate(state.played):
        position, mine = board.initial(int(state.seeds[number])), []
        for move, choice in zip(moves, state.chosen[number], strict=True):
            if move < 0:
                break
            legal, seat = board.legal_moves(position), board.to_move(position)
            assert (choice >= 0) == (len(legal) > 1)
            before, position = position, board.play(position, int(move))
            if choice < 0 or (head == "value" and board.outcome(position)):
                continue
            if head == "policy" or not board.code.HAS_CHANCE:  # else it was seen before the dice
                seen = board.observe(before if head == "policy" else position, seat)
                bits = rows.seen[row * words : (row + 1) * words]
                assert find_inputs(board, bits, seat) == set(np.flatnonzero(seen.ravel()))
            allowed = rows.allowed[row * width : (row + 1) * width]
            assert [
                m
                for m in range(board.code.MOVES)
                if allowed[m // 64] >> np.uint64(m % 64) & np.uint64(1)
            ] == legal
            assert (rows.moves[row], rows.seats[row], rows.games[row]) == (choice, seat, number)
            mine.append((row, seat))
            row += 1
        outcome = board.outcome(position)
        assert outcome
        for place, seat in mine:
            best = outcome.places[seat] == 1
            share = 1 / outcome.places.count(1) if best else 0
            assert rows.targets[place] == pytest.approx(2 * share - 1)
    assert row == len(rows.games)


def find_inputs(board: BoardGame, words: Array, seat: int) -> set[int]:
    """Return the inputs behind the bits in words of planes, or of eight cells each."""
    code, found = board.code, set()
    if not code.SEES_CELLS:
        size = 64 * (len(words) // code.PLANES)
        for bit in range(64 * len(words)):
            if words[bit // 64] >> np.uint64(bit % 64) & np.uint64(1):
                found.add(bit // size * code.CELLS + bit % size)
        return found
    for cell, content in enumerate(words.view(np.uint8)[: code.CELLS].tolist()):
        if content:
            kind = (content - 1 - seat * code.PIECES) % (code.SEATS * code.PIECES)
            found.add(kind * code.CELLS + cell)
    return found


def test_moves_are_the_teachers_but_for_random_ones(tmp_path: Path) -> None:
    run = teach(
        "tic-tac-toe", tmp_path / "run", method__exploration=0.25, method__teacher_games=200
    )
    state = run.state(2)
    game = run.method.decoder.game
    teacher = make_player("minimax:depth=2", game)
    asked = (state.chosen >= 0) & (state.played >= 0)
    strayed = (state.chosen != state.played)[asked].mean()
    assert 0.1 < strayed < 0.25  # some random moves are the teacher's
    wins = 0
    for moves, choices in zip(state.played[:50], state.chosen[:50], strict=True):
        position = game.initial()
        for move, choice in zip(moves, choices, strict=True):
            if move < 0:
                break
            winning = [m for m in game.legal_moves(position) if _wins(game, position, m)]
            if winning and choice >= 0:
                wins += 1
                assert choice in winning
                assert teacher.choose(position, new_stream(1)) in winning
            position = game.play(position, int(move))
    assert wins > 10


def _wins(game: BoardGame, position: Board, move: int) -> bool:
    outcome = game.outcome(game.play(position, move))
    return outcome is not None and outcome.winner == game.to_move(position)


def test_a_policy_learns_to_move_as_its_teacher(tmp_path: Path) -> None:
    """A teacher without chance: the champion of another run."""
    first = teach(
        "tic-tac-toe", tmp_path / "first", method__batches=100, method__teacher="minimax:depth=4"
    )
    options = {"method__teacher_games": 300, "method__batches": 300}
    options |= {"method__exploration": 0.3, "network__hidden": [64], "run__generations": 6}
    teacher = f"run:{first.path}"
    run = teach("tic-tac-toe", tmp_path / "run", method__teacher=teacher, **options)
    agreement = run.history()["agreement"]
    assert agreement[0] > 0.6
    assert agreement[-1] > 0.9
    assert run.history()["loss"][-1] < run.history()["loss"][0] / 2
    assert run.history()["teacher_games"].tolist() == [300, 600, 900, 1200, 1500, 1800]


def test_who_learns_from_minimax_beats_chance(tmp_path: Path) -> None:
    options = {"method__teacher_games": 400, "method__batches": 300}
    options |= {"network__head": "value", "network__take_wins": False, "run__generations": 5}
    teacher = "minimax:depth=6"
    run = teach("tic-tac-toe", tmp_path / "run", method__teacher=teacher, **options)
    result = ea.duel(f"run:{run.path}", "random", games=400, seed=1)
    assert result.wilson_95[0] > 0.7


def test_kept_games_teach(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    kept, player = KeptGames(file), "minimax:depth=6"
    options = {"games": 60, "game": "tic-tac-toe", "seed": 2, "opening_plies": 2}
    ea.duel(player, player, on_match=kept.keep, **options)
    kept.write()
    run = teach("tic-tac-toe", tmp_path / "run", method__teacher=f"games:{file}")
    state = run.state(2)
    assert len(state.played) == 60
    assert np.array_equal(state.played, state.chosen)
    assert run.history()["games"].tolist() == [0, 0]
    file.unlink()  # what was read is in the run
    ea.resume(run.path, generations=3, executor="serial")
    assert ea.load(run.path).generation == 3


def test_of_kept_games_one_player_teaches(tmp_path: Path) -> None:
    """A rule is learned, and not its opponent, who moves at random."""
    file = tmp_path / "games.jsonl"
    kept, player = KeptGames(file), "minimax:depth=6"
    options = {"games": 300, "game": "tic-tac-toe", "seed": 2}
    ea.duel(player, "random", on_match=kept.keep, **options)
    kept.write()
    teacher = f"games:{file},player={player}"
    run = teach("tic-tac-toe", tmp_path / "run", method__teacher=teacher)
    state = run.state(2)
    own, all_moves = state.chosen >= 0, state.played >= 0
    assert (state.chosen[own] == state.played[own]).all()
    assert 0.4 < own.sum() / all_moves.sum() < 0.6
    with pytest.raises(ArenaError, match="unknown player of these games 'nobody'"):
        teach("tic-tac-toe", tmp_path / "other", method__teacher=f"games:{file},player=nobody")


@pytest.mark.parametrize(
    ("teacher", "sentence"),
    [
        ("games:none.jsonl", "method.teacher: none.jsonl: No such file"),
        ('process:"true"', "method.teacher: .*would run a program, which is not allowed here"),
        ("minimax:time=10ms", "method.teacher: .*can't play compiled matches"),
        ("nobody", "method.teacher: unknown player 'nobody'"),
        ("games:wrong.txt", "wrong.txt: moves 'a1 a1': move 2: a1 can't be played"),
        ("games:empty.txt", "has no games"),
    ],
)
def test_teachers_who_can_not_are_refused(
    teacher: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.txt").write_text("a1 a1", encoding="utf-8")
    Path("empty.txt").touch()
    with pytest.raises(ArenaError, match=sentence):
        teach("tic-tac-toe", tmp_path / "run", method__teacher=teacher)


def test_illegal_moves_in_a_checkpoint_end_a_game(tmp_path: Path) -> None:
    """No move that the rules forbid is ever played, wherever it comes from."""
    run = teach("tic-tac-toe", tmp_path / "run", method__teacher="random")
    state = run.state(2)
    state.played[:, 1] = state.played[:, 0]
    rows = list_positions(run.method.decoder, state, 0)
    assert len(rows.games) == len(state.played)
    assert run.method.find_mismatch(state) is None
    state.played[0, 0] = 9
    assert "moves that are none" in str(run.method.find_mismatch(state))


def test_three_seats_learn_one_by_one() -> None:
    changes = SMALL | {"game.seats": 3, "method.individuals": 2}
    with pytest.raises(ArenaError, match=r"method\.individuals is 2: where more than two play"):
        load_recipe("pig", changes).make_method()
