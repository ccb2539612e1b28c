"""Games that end because of earlier positions: REPETITION, NO_PROGRESS and progress of a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.arena.match import play_match
from evolve_arena.core.registry import find_game, make_game, open_file
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.players.board.game import Board, BoardGame, GameFileError
from evolve_arena.players.board.hints import find_hints
from evolve_arena.players.board.kernel import rate_moves, specialise_board
from evolve_arena.players.board.self_check import check_compiled, play_random
from evolve_arena.players.specification import make_player
from tests.contracts.test_games import compare_matches
from tests.evolved import compile_together, make_evolved
from tests.players.test_alpha_beta import value_plainly
from tests.tracks import NEVER, TRACKS, open_text, play_randomly

FLOOR = "evolve_arena.players.board"

KEY = """\
def key(state):
    return (find(state, 0) * 6 + find(state, 1)) * 2 + TURN


def result"""
NETWORKS: dict[str, tuple[str, Settings]] = {
    "values": ("mlp", {"hidden": (4,)}),
    "values of deep networks": ("mlp", {"hidden": (4, 4), "take_wins": False}),
    "a search over values": ("mlp", {"hidden": (4,), "depth": 2}),
    "policies": ("mlp", {"hidden": (4,), "head": "policy"}),
    "graphs": ("graph", {}),
    "tuples": ("tuples", {"tuples": 4, "length": 3}),
}
"""By what is tested: which network, and its settings."""
LEARNERS: dict[str, Settings] = {
    "td": {"network.hidden": [4], "run.seed": 6},
    "td-tuples": {"method.individuals": 1, "method.shards": 1},
}


@pytest.fixture(name="tracks", scope="module")
def make_tracks(tmp_path_factory: pytest.TempPathFactory) -> BoardGame:
    return open_text(tmp_path_factory.mktemp("tracks"), TRACKS)


@pytest.fixture(name="checkers", scope="module")
def make_checkers() -> BoardGame:
    return make_game("checkers")


# Rules


def test_the_third_occurrence_of_a_position_is_a_draw(tracks: BoardGame) -> None:
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


def count_plainly(game: BoardGame, state: Board, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(count_plainly(game, game.play(state, m), depth - 1) for m in game.legal_moves(state))


def test_sequences_of_moves_end_at_repetitions(tracks: BoardGame) -> None:
    state = tracks.initial()
    for depth in range(1, 13):
        assert tracks.perft(state, depth) == count_plainly(tracks, state, depth)
    begun = tracks.parse_position("1 1 0 0")
    assert tracks.perft(begun, 5) == count_plainly(tracks, begun, 5)


def compare_compiled(game: BoardGame, games: int = 40) -> int:
    """Compare random games, compiled and plain."""
    kernel = find_game(game.name).kernel
    *_, matches = specialise_board(game.place, game.rules, (f"{FLOOR}.matches",))
    return check_compiled(game, partial(play_random, kernel, matches, game), games, 60.0)


def test_compiled_random_games_are_those_of_the_plain_rules(
    tracks: BoardGame, checkers: BoardGame
) -> None:
    assert compare_compiled(tracks) == compare_compiled(checkers) == 40


def test_the_states_words_are_the_same_plain_and_compiled(
    tracks: BoardGame, checkers: BoardGame
) -> None:
    for game in (tracks, checkers):
        rules = specialise_board(game.place, game.rules, ())[1]
        for state in play_randomly(game, 3)[::9]:
            if game.code.IS_ARRAY:
                rows = np.zeros((1, 16), dtype=np.int8)
                rows[0, :13] = state.state
                word = rules.identify(rows, np.int64(0))
            else:
                word = rules.identify(np.zeros((1, 1)), game.code.cast_state(state.state))
            assert int(word) == game.find_word(state.state)


# Searches


def check_search(game: BoardGame, depth: int, seeds: range) -> int:
    """Compare all moves of some positions near the end; return the number of draw values.

    One player searches all of them, so its table has entries of other games, too.
    """
    player, draws = make_player(f"minimax:depth={depth}", game), 0
    for seed in seeds:
        states = play_randomly(game, seed)
        state = states[-1 - min(len(states) - 1, 1 + seed % 5)]
        mover = game.to_move(state)
        plain = {}
        for move in game.legal_moves(state):
            after = game.follow(state, "play", move)
            plain[move] = value_plainly(game, after, mover, depth - 1, len(after.past))
        assert rate_moves(player, state) == plain  # type: ignore[arg-type]
        draws += sum(value == 0 for value in plain.values())
    return draws


@pytest.mark.parametrize("depth", [1, 2, 5, 8])
def test_alpha_beta_takes_repetitions_for_draws(depth: int, tracks: BoardGame) -> None:
    assert check_search(tracks, depth, range(20)) > 0


@pytest.mark.parametrize("depth", [1, 3, 4])
def test_alpha_beta_over_moves_that_make_progress(depth: int, checkers: BoardGame) -> None:
    assert check_search(checkers, depth, range(12)) > 0


@pytest.mark.parametrize("name", ["tracks", "checkers"])
@pytest.mark.usefixtures("tracks", "checkers")
def test_compiled_matches_are_those_of_python(name: str) -> None:
    draws = 0
    players = [
        make_evolved(name, network, seed=seed, **settings)
        for seed, (network, settings) in enumerate(NETWORKS.values())
    ]
    compile_together(players)
    for player in players:
        results = compare_matches(player.game, [player, make_player("random", player.game)], 12)
        assert (results.plies < player.game.code.LONGEST).all()  # type: ignore[attr-defined]
        draws += int((results.places == 1).all(axis=1).sum())
    assert draws > 0


def test_tree_search_knows_of_repetitions(tracks: BoardGame) -> None:
    players = [make_player(f"mcts:rollouts={count}", tracks) for count in (3, 40)]
    compare_matches(tracks, players, 12)


def test_a_move_that_ends_a_game_by_repetition_is_worth_a_draw(tracks: BoardGame) -> None:
    player = make_evolved("tracks", "mlp", hidden=(4,), take_wins=False)
    again = tracks.parse_position("1 1 0 0 1 1 0")
    ended = tracks.play(again, 0)
    assert tracks.outcome(ended).reason == "the position occurred three times"
    rated, bare = rate_moves(player, again), rate_moves(player, again._replace(past=()))
    assert rated[0] == 0.0 != bare[0]
    assert rated[1] == bare[1]
    assert player.choose(again, new_stream(1)) == max(rated, key=lambda move: rated[move])


def test_openings_are_games_that_go_on(tracks: BoardGame) -> None:
    openings = np.zeros((200, 10), dtype=np.int64)
    seeds = np.arange(200, dtype=np.uint64)
    find_game("tracks").kernel.draw_openings(tracks.rules, seeds, openings)
    for row in openings.tolist():
        state = tracks.initial()
        for move in row:
            state = tracks.play(state, move)
        assert tracks.outcome(state) is None
    assert len({tuple(row) for row in openings.tolist()}) > 20


# Learners


@pytest.mark.parametrize(("method", "changes"), LEARNERS.items())
def test_learners_end_their_games_by_repetition(
    method: str, changes: Settings, tracks: BoardGame, tmp_path: Path
) -> None:
    """Without exploration, the first game is that of the first network against itself."""
    changes = {
        **{"method.name": method, "method.games": 1, "method.exploration": 0.0},
        **{"run.generations": 1, "check.games": 2, "check.opponents": ["random"]},
        **changes,
    }
    folder, options = tmp_path / "run", {"executor": "serial", "allow_process": True}
    run = ea.start(str(tracks.file), run=folder, changes=changes, **options)
    first = run.state(0).population
    player = run.method.decoder.player(first[0] if method == "td" else first.take([0]), "first")
    match = play_match(player.game, [player, player], seed=1)
    assert run.history()["plies"].tolist()[-1] == len(match.moves)
    assert match.places == (1, 1)


# Without progress


def test_moves_without_progress_are_a_draw(tmp_path: Path) -> None:
    text = TRACKS.replace("REPETITION = 3", "NO_PROGRESS = 6").replace("tracks", "lanes")
    game = open_text(tmp_path, text + NEVER, "lanes.py")
    states = [state for seed in range(20) for state in play_randomly(game, seed)]
    assert {state.plies for state in states if game.outcome(state)} >= {6}
    assert max(state.plies for state in states) == 6
    ended = next(state for state in states if len(state.past) == 6)
    assert game.outcome(ended).reason == "6 moves in a row made no progress"
    assert check_search(game, 3, range(12)) > 0


def test_games_by_points_are_decided_by_them(tmp_path: Path) -> None:
    """The seat that is farther along has more points when a game ends by repetition."""
    ends = """def is_over(state):
    return state[5] > 0 or state[11] > 0


def points(state, seat):
    return find(state, seat)
"""
    rules = TRACKS[TRACKS.index("def result") : TRACKS.index("def evaluate")]
    game = open_text(tmp_path, TRACKS.replace(rules, ends + "\n\n"), "points.py")
    state = game.parse_position("1 1 1 1 1 0 0 1 1 0 0")
    outcome = game.outcome(state)
    assert (outcome.places, outcome.points) == ((1, 2), (2, 1))
    assert outcome.reason == "the position occurred three times"
    assert compare_compiled(game) == 40


# What is wrong is told


WRONG = {
    "a first occurrence": (
        ("REPETITION = 3", "REPETITION = 1"),
        "REPETITION is 1: .*from 2 to 100",
    ),
    "a text": (("REPETITION = 3", "REPETITION = '3'"), "REPETITION is '3': it must be a whole"),
    "no progress": (("REPETITION = 3", "NO_PROGRESS = 9"), "NO_PROGRESS needs a function progress"),
    "too little": (
        ("REPETITION = 3", "NO_PROGRESS = 0\n" + NEVER),
        "NO_PROGRESS is 0: it must be from 1",
    ),
    "chance": (
        ("REPETITION = 3", "REPETITION = 3\ndef chance(s): return 0\ndef resolve(s, o): return 0"),
        "REPETITION is for games without chance in which nothing is hidden",
    ),
    "what is no progress": (
        ("def result", "def progress(state, move):\n    return move\n\n\ndef result"),
        r"progress rules out a position that occurs again: the one after \d+ moves of a"
        r" random game, with \d as move \d+",
    ),
    "no number": (
        ("def result", "def progress(state, move):\n    return None\n\n\ndef result"),
        "progress gives None: it must give a whole number",
    ),
    "a key that forgets a token": (
        ("def result", KEY.replace("find(state, 1)", "0").replace("TURN", "state[12]")),
        "key is .* in two positions that differ",
    ),
}
"""Text, its replacement, and the expected message."""


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_files_are_refused_by_their_lines(wrong: str, tmp_path: Path) -> None:
    (old, new), said = WRONG[wrong]
    file = tmp_path / "wrong.py"
    file.write_text(TRACKS.replace(old, new), "utf-8")
    with pytest.raises(GameFileError, match=rf"wrong\.py, line \d+: {said}"):
        open_file(file)


def test_a_key_says_what_is_the_same_position(tmp_path: Path) -> None:
    """A number that counts the moves is left out by a key, without which nothing recurs."""
    counted = TRACKS.replace("np.zeros(13", "np.zeros(14").replace(
        "    state[12] = 1 - seat\n",
        "    state[12] = 1 - seat\n    state[13] = (state[13] + 1) % 99\n",
    )
    without = open_text(tmp_path, counted, "counted.py")
    assert without.outcome(without.parse_position("1 1 0 0 1 1 0 0")) is None
    hints = find_hints(without, 5)
    assert any(hint.startswith("REPETITION is 3, but no position occurred") for hint in hints)
    keyed = counted.replace("def result", KEY.replace("TURN", "state[12]"))
    game = open_text(tmp_path, keyed, "keyed.py")
    ended = game.parse_position("1 1 0 0 1 1 0 0")
    assert game.outcome(ended).reason == "the position occurred three times"
    assert compare_compiled(game) == 40
    assert not any("REPETITION" in hint for hint in find_hints(game, 5))


def test_advice_on_what_a_file_could_say(tmp_path: Path) -> None:
    cases = {
        "endless": ("REPETITION = 3", "", "REPETITION = 3 would make the third occurrence a draw"),
        "unasked": ("REPETITION = 3", NEVER, "progress is never called"),
        "useless": ("REPETITION = 3", "NO_PROGRESS = 900" + NEVER, "NO_PROGRESS is not below"),
    }
    for name, (old, new, said) in cases.items():
        text = TRACKS.replace(old, new).replace("LONGEST = 300", "LONGEST = 12")
        game = open_text(tmp_path, text, f"{name}.py")
        assert any(said in hint for hint in find_hints(game, 20)), name


def test_programs_are_told_of_earlier_positions(tracks: BoardGame) -> None:
    state = tracks.parse_position("1 1")
    told = find_game("tracks").dialects["plain"].show(state)
    lines = [f"past {' '.join(map(str, each))}" for each in state.past]
    assert told == "".join(
        f"{line}\n" for line in [*lines, f"state {' '.join(map(str, state.state))}"]
    )
    assert len(lines) == 2
