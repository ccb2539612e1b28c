"""Games that end because of earlier positions: REPETITION, NO_PROGRESS and progress of a file."""

from __future__ import annotations

import math
import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchmarks
from evolve_arena.core.registry import find_game, open_file
from evolve_arena.players.board.game import GOES_ON, Board, BoardGame
from evolve_arena.players.board.kernel import rate_moves, specialise_board
from evolve_arena.players.board.self_check import check_compiled, play_random
from evolve_arena.players.specification import make_player

CHECKERS = Path(benchmarks.__path__[0]) / "games" / "checkers_bits.py"
PERFT = [7, 49, 302, 1469, 7361, 36768, 179740]

TRACKS = '''\
"""Two tokens walk on tracks of six cells; who comes to the end of its track first wins."""

import numpy as np

MOVES = 2
LONGEST = 300
CELLS = 12
REPETITION = 3


def start():
    state = np.zeros(13, dtype=np.int8)
    state[0] = 1
    state[6] = 2
    return state


def to_move(state):
    return state[12]


def find(state, seat):
    for cell in range(6):
        if state[6 * seat + cell]:
            return cell
    return 0


def legal(state, moves):
    at, count = find(state, state[12]), 0
    if at > 0:
        moves[count] = 0
        count += 1
    if at < 5:
        moves[count] = 1
        count += 1
    return count


def play(state, move):
    seat = state[12]
    at = 6 * seat + find(state, seat)
    state[at] = 0
    state[at + 2 * move - 1] = 1 + seat
    state[12] = 1 - seat


def result(state):
    return 1 if state[5] else -1 if state[11] else 2


def evaluate(state, seat):
    return 3 * find(state, seat) - find(state, 1 - seat) ** 2
'''
PROGRESS = "\n\ndef progress(state, move):\n    return False\n"
TUPLES = TRACKS.replace(
    """    state = np.zeros(13, dtype=np.int8)
    state[0] = 1
    state[6] = 2
    return state
""",
    "    return 0, 0, 0\n",
)
TOO_LONG = "NO_PROGRESS = 12\n"


def open_text(folder: Path, text: str, name: str = "tracks.py") -> Any:
    file = folder / name
    file.write_text(text, "utf-8")
    return open_file(file).make()


@pytest.fixture(name="tracks", scope="module")
def make_tracks(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return open_text(tmp_path_factory.mktemp("tracks"), TRACKS)


@pytest.fixture(name="checkers", scope="module")
def make_checkers() -> Any:
    return open_file(CHECKERS).make()


def play_randomly(game: Any, seed: int) -> list[Board]:
    """The positions of a random game."""
    choices, states = random.Random(seed), [game.initial()]
    while moves := game.legal_moves(states[-1]):
        states.append(game.play(states[-1], choices.choice(moves)))
    return states


# Rules


def test_the_third_occurrence_of_a_position_is_a_draw(tracks: Any) -> None:
    there_and_back = [1, 1, 0, 0]
    state = tracks.initial()
    for ply, move in enumerate(2 * there_and_back):
        assert tracks.outcome(state) is None, ply
        state = tracks.play(state, move)
    assert state.state == tracks.initial().state
    outcome = tracks.outcome(state)
    assert (outcome.places, outcome.reason) == ((1, 1), "the position occurred three times")
    assert tracks.legal_moves(state) == []
    assert len(state.past) == 8


def count_plainly(game: Any, state: Board, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(count_plainly(game, game.play(state, m), depth - 1) for m in game.legal_moves(state))


def test_sequences_of_moves_end_at_repetitions(tracks: Any) -> None:
    state = tracks.initial()
    for depth in range(1, 13):
        assert tracks.perft(state, depth) == count_plainly(tracks, state, depth)
    begun = tracks.parse_position("1 1 0 0")
    assert tracks.perft(begun, 5) == count_plainly(tracks, begun, 5)


@pytest.mark.parametrize("name", ["tracks", "checkers"])
def test_compiled_random_games_are_those_of_the_plain_rules(
    name: str, request: pytest.FixtureRequest
) -> None:
    game = request.getfixturevalue(name)
    kernel = find_game(game.name).kernel
    *_, matches = specialise_board(game.place, game.rules, (f"{FLOOR}.matches",))
    assert check_compiled(game, partial(play_random, kernel, matches, game), 60, 60.0) == 60


FLOOR = "evolve_arena.players.board"


def test_the_states_words_are_the_same_plain_and_compiled(tracks: Any, checkers: Any) -> None:
    for game in (tracks, checkers):
        rules = specialise_board(game.place, game.rules, ())[1]
        for state in play_randomly(game, 3)[::9]:
            if game.code.IS_ARRAY:
                rows = np.zeros((1, 16), dtype=np.int8)
                rows[0, :13] = state.state
                word = rules.find_key(rows, np.int64(0))
            else:
                word = rules.find_key(np.zeros((1, 1)), game.code.cast_state(state.state))
            assert int(word) == game.find_word(state.state)


# Searches


def value_plainly(game: BoardGame, state: Board, side: int, depth: int) -> float:
    """The value of a state to the *side* that moved there, in words of the rules alone."""
    verdict = game.judge(state)
    if verdict != GOES_ON:
        return math.inf * verdict * (1 - 2 * side) if verdict else 0
    if state.state in state.past or 0 < game.code.NO_PROGRESS <= len(state.past):
        return 0
    if depth == 0:
        return float(game.ask("evaluate", game.thaw(state), side))
    mover, moves = game.to_move(state), np.zeros(game.code.MOVES, dtype=np.int64)
    count = game.ask("legal", game.thaw(state), moves)
    after = [game.follow(state, "play", int(move)) for move in moves[:count]]
    best = max(value_plainly(game, then, mover, depth - 1) for then in after)
    return best if mover == side else -best


def check_search(game: Any, depth: int, seeds: range) -> int:
    """Compares all moves of some positions near the end; gives how many values are those of draws.

    One player looks at all of them, so what its table holds comes from other games, too.
    """
    player, draws = make_player(f"minimax:depth={depth}", game), 0
    for seed in seeds:
        states = play_randomly(game, seed)
        state = states[-1 - min(len(states) - 1, 1 + seed % 5)]
        mover = game.to_move(state)
        plain = {
            move: value_plainly(game, game.follow(state, "play", move), mover, depth - 1)
            for move in game.legal_moves(state)
        }
        assert rate_moves(player, state) == plain  # type: ignore[arg-type]
        draws += sum(value == 0 for value in plain.values())
    return draws


@pytest.mark.parametrize("depth", [1, 2, 5, 8])
def test_alpha_beta_takes_repetitions_for_draws(depth: int, tracks: Any) -> None:
    assert check_search(tracks, depth, range(20)) > 0


@pytest.mark.parametrize("depth", [1, 3, 4])
def test_alpha_beta_over_moves_that_make_progress(depth: int, checkers: Any) -> None:
    assert check_search(checkers, depth, range(12)) > 0
