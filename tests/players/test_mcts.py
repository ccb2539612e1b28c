"""Monte Carlo tree search, and searches over values that were bred, in games of one file."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve_arena.arena.match import play_match, play_matches
from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.registry import find_game, register_game
from evolve_arena.core.stream import new_stream
from evolve_arena.players.board.alpha_beta import LIMIT
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.board.rules import remove_move
from evolve_arena.players.board.searching import TimedPlayer
from evolve_arena.players.board.workspace import (
    COUNT,
    FIRST,
    MOST_NODES,
    MOVE,
    NODE_FIELDS,
    NODES,
    VISITS,
)
from evolve_arena.players.player import Player
from evolve_arena.players.search import NODES as NODES_SEARCHED
from evolve_arena.players.search import WIN
from evolve_arena.players.specification import make_player
from evolve_arena.runs.players import game_for, name_player
from tests.bred import compile_together, make_bred, random_positions

TIC_TAC_TOE = '''"""Tic-tac-toe."""
import numpy as np

CELLS, WIDTH = 9, 3
MOVES = 9
MOVES_STAY = True
LONGEST = 9
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def start():
    return np.zeros(10, np.int8)  # nine cells, then how many moves were made


def to_move(state):
    return state[9] % 2


def legal(state, moves):
    count = 0
    for cell in range(9):
        if state[cell] == 0:
            moves[count] = cell
            count += 1
    return count


def play(state, move):
    state[move] = 1 + state[9] % 2
    state[9] += 1


def result(state):
    for a, b, c in LINES:
        if state[a] != 0 and state[a] == state[b] and state[b] == state[c]:
            return 3 - 2 * state[a]
    return 0 if state[9] == 9 else 2
'''
COINS = '''"""Three want 3 points: bet, which 3 of 4 times gets one, or see a coin and name it."""
import numpy as np

SEATS = 3
MOVES, LONGEST, PLANES = 2, 40, 1
OPEN, BETS, THROWS, SEEN = range(4)


def start():
    return 0, 0, 0, 0, OPEN, 0  # points, whose turn it is, what is going on, the coin


def to_move(state):
    return state[3]


def legal(state, moves):
    moves[0] = 0
    moves[1] = 1
    return 2


def play(state, move):
    one, two, three, seat, phase, coin = state
    if phase == SEEN:
        return _end(state, move == coin)
    return one, two, three, seat, BETS + move, 0


def chance(state):
    return 4 if state[4] == BETS else 2 if state[4] == THROWS else 0


def resolve(state, outcome):
    one, two, three, seat, phase, coin = state
    if phase == BETS:
        return _end(state, outcome > 0)
    return one, two, three, seat, SEEN, outcome


def _end(state, gets):
    one, two, three, seat, phase, coin = state
    one += gets and seat == 0
    two += gets and seat == 1
    three += gets and seat == 2
    return one, two, three, (seat + 1) % SEATS, OPEN, 0


def is_over(state):
    return max(state[0], state[1], state[2]) >= 3


def points(state, seat):
    return state[seat]


def see(state, seat, planes):
    planes[0] = np.uint64(1) << np.uint64(points(state, seat))
'''


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], BoardGame]:
    folder = tmp_path_factory.mktemp("games")

    def load_text(name: str, text: str) -> BoardGame:
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        spec = load_game(folder / f"{name}.py")
        if name == "ttt":  # compiled once, for all that are met here
            flags = {"HAS_VALUES", "HAS_SEARCHES", "HAS_MCTS", "HAS_DEEP_VALUES"}
            flags |= {"HAS_POLICIES", "HAS_OUTPUTS", "HAS_GRAPHS", "HAS_PRIORS", "HAS_DENSE_VALUES"}
            flags |= {"HAS_DENSE_SIGHT"}
            object.__setattr__(spec.kernel, "needs", lambda players: flags)
        register_game(spec)
        game: BoardGame = spec.make()
        return game

    return load_text


@pytest.fixture(scope="module")
def ttt(load: Callable[[str, str], BoardGame]) -> BoardGame:
    return load("ttt", TIC_TAC_TOE)


@pytest.fixture(scope="module")
def coins(load: Callable[[str, str], BoardGame]) -> BoardGame:
    return load("coins", COINS)


@pytest.fixture(scope="module")
def bred(ttt: BoardGame, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Networks that nobody trained, in files: by head their player, and how it is named."""
    found = {}
    for head in ("value", "policy"):
        decoder = find_game("ttt").networks["mlp"].decoder_type(head=head, hidden=(6,))
        genome = np.random.default_rng(3).normal(size=decoder.genes).astype(np.float32)
        file = tmp_path_factory.mktemp("bred") / f"{head}.safetensors"
        player = decoder.player(genome, head)
        file.write_bytes(player.serialise())
        found[head] = player, f"file:{file}"
    return found


def meet(game: BoardGame, names: list[str], matches: int) -> Any:
    """The places of players in *matches*: who begins takes turns, the others follow in order."""
    players = [make_player(name, game) for name in names]
    seatings = (np.arange(game.seats) + np.arange(matches)[:, None]).astype(np.int32) % len(names)
    results, _ = play_matches(game, players, seatings, np.arange(matches, dtype=np.uint64))
    return np.take_along_axis(results.places, np.argsort(seatings, axis=1), axis=1)


def walk(game: BoardGame, seed: int) -> list[Board]:
    """The positions of a random game."""
    board, found, stream = game.initial(seed), [], np.random.default_rng(seed)
    while moves := game.legal_moves(board):
        found.append(board)
        board = game.play(board, int(stream.choice(moves)))
    return found


def test_it_plays_tic_tac_toe_without_a_mistake(ttt: BoardGame) -> None:
    against_random = meet(ttt, ["mcts:rollouts=2000", "random"], 60)
    assert (against_random[:, 0] == 1).all()
    assert (against_random[:, 1] == 2).mean() > 0.8
    assert (meet(ttt, ["mcts:rollouts=2000", "minimax:depth=9"], 20) == 1).all()


@pytest.mark.parametrize(
    ("moves", "best"),
    [
        ("a1 b1 a2 b2", "a3"),  # wins at once
        ("a1 b2 b1", "c1"),  # forbids it
        ("a1 c3 c1", "b1"),
    ],
)
def test_it_wins_and_forbids_at_once(ttt: BoardGame, moves: str, best: str) -> None:
    board = ttt.parse_position(moves)
    for rollouts in (100, 10_000):
        move = make_player(f"mcts:rollouts={rollouts}", ttt).choose(board, new_stream(rollouts))
        assert ttt.format_move(move) == best
    assert ttt.format_move(make_player("mcts:rollouts=1", ttt).choose(board, new_stream(1))) in {
        best,
        *(ttt.format_move(move) for move in ttt.legal_moves(board) if len(moves.split()) == 3),
    }


def test_compiled_and_in_python_it_chooses_the_same(
    ttt: BoardGame, coins: BoardGame, bred: dict[str, Any]
) -> None:
    values = f"values={bred['value'][1]}"
    names = [
        "mcts:rollouts=50,noise=0.2",
        "mcts:rollouts=7,exploration=0.3",
        f"mcts:rollouts=20,{values}",
        f"minimax:depth=2,{values},noise=0.1",
        bred["value"][1],
        bred["policy"][1],
        f"{bred['policy'][1]},rollouts=20",
    ]
    compare(ttt, [make_player(name, ttt) for name in names])
    compare(coins, [make_player(name, coins) for name in (*names[:2], "random")])


def compare(game: BoardGame, players: list[Player]) -> None:
    numbers = np.arange(2 * len(players))
    seatings = ((numbers[:, None] * (1, 2, 1) + (0, 1, 2)) % len(players))[:, : game.seats]
    seeds = numbers.astype(np.uint64) + np.uint64(2**63)
    results, _ = play_matches(game, players, seatings.astype(np.int32), seeds)
    for row, seating in enumerate(seatings):
        match = play_match(game, [players[seat] for seat in seating], seed=int(seeds[row]))
        assert match.game == results.games[row]
        assert match.places == tuple(results.places[row])


def test_a_move_is_taken_from_lists_of_any_length() -> None:
    for count in range(1, 40):
        for place in range(count):
            moves = np.arange(count + 10)
            take(moves, place, count - 1)
            assert moves[: count - 1].tolist() == [n for n in range(count) if n != place]


@compiled
def take(moves: Any, at: Any, last: Any) -> None:
    remove_move(moves, at, last)


def test_it_sees_what_chance_decided_before_it_moves_again(coins: BoardGame) -> None:
    """To see the coin is worth more than a bet only if what is named may depend on it."""
    player = make_player("mcts:rollouts=3000", coins)
    board = coins.initial(5)
    assert [player.choose(board, new_stream(seed)) for seed in range(5)] == [1] * 5
    seen = coins.play(board, 1)
    assert player.choose(seen, new_stream(1)) == seen.state[-1]


def test_each_of_three_seats_plays_for_itself(coins: BoardGame) -> None:
    places = meet(coins, ["mcts:rollouts=100", "random", "random"], 60)
    assert (places[:, 0] == 1).mean() > 0.6


def test_a_full_tree_is_still_visited(ttt: BoardGame, coins: BoardGame) -> None:
    for game in (ttt, coins):
        player = make_player("mcts:rollouts=300", game)
        player.packed.seats[0, NODES] = 12
        for board in walk(game, 1):
            assert player.choose(board, new_stream(1)) in game.legal_moves(board)
    packed = make_player("mcts:rollouts=1000000", ttt).packed
    assert packed.seats[0, NODES] == MOST_NODES


def test_a_policy_guides_the_search(ttt: BoardGame, bred: dict[str, Any]) -> None:
    """One rollout goes where the policy would; if it explores alone, visits are as priors say."""
    policy, name = bred["policy"]
    first = make_player(f"{name},rollouts=1", ttt)
    keen = make_player(f"{name},rollouts=60,exploration=1000", ttt)
    for moves in ("", "a1", "b2", "a1 b2"):
        board = ttt.parse_position(moves)
        rated: dict[int, float] = rate_moves(policy, board)
        assert first.choose(board, new_stream(1)) == max(rated, key=rated.__getitem__)
        keen.choose(board, new_stream(1))
        nodes = keen._workspace.tree.reshape(-1, NODE_FIELDS)
        children = nodes[nodes[0, FIRST] :][: nodes[0, COUNT]]
        highest = max(rated.values())
        total = sum(math.exp(value - highest) for value in rated.values())
        assert set(children[:, MOVE]) == rated.keys()
        for child in children:
            prior = math.exp(rated[child[MOVE]] - highest) / total
            assert child[VISITS] == pytest.approx(60 * prior, abs=3)


def test_a_graph_guides_the_search_like_a_network(ttt: BoardGame) -> None:
    player = make_bred("ttt", "graph", head="policy", rollouts=1000)
    plain = make_bred("ttt", "graph", head="policy")
    first = make_bred("ttt", "graph", head="policy", rollouts=1)
    for board in walk(ttt, 1):
        if not any(ttt.outcome(ttt.play(board, move)) for move in ttt.legal_moves(board)):
            assert first.choose(board, new_stream(1)) == plain.choose(board, new_stream(1))
    for moves, best in (("a1 b1 a2 b2", "a3"), ("a1 b2 b1", "c1"), ("a1 c3 c1", "b1")):
        board = ttt.parse_position(moves)
        assert ttt.format_move(player.choose(board, new_stream(1))) == best


def test_a_policy_that_knows_nothing_does_no_harm(
    ttt: BoardGame, bred: dict[str, Any], tmp_path: Path
) -> None:
    """It makes all moves as likely."""
    decoder = bred["policy"][0].decoder
    file = tmp_path / "even.safetensors"
    file.write_bytes(decoder.player(np.zeros(decoder.genes, np.float32), "even").serialise())
    assert (meet(ttt, [f"file:{file},rollouts=2000", "minimax:depth=9"], 10) == 1).all()


def test_searches_ask_bred_players_for_values(ttt: BoardGame, bred: dict[str, Any]) -> None:
    player, name = bred["value"]
    shallow = make_player(f"minimax:depth=1,values={name}", ttt)
    deep = make_player(f"minimax:depth=2,values={name}", ttt)
    for board in (board for seed in range(4) for board in walk(ttt, seed)[:8]):
        assert shallow.choose(board, new_stream(1)) == player.choose(board, new_stream(1))
        values = {move: find_worst(player, ttt, board, move) for move in ttt.legal_moves(board)}
        assert values[deep.choose(board, new_stream(1))] > max(values.values()) - 1e-3


def find_worst(player: Any, game: BoardGame, board: Board, move: int) -> float:
    """What is left of a *move* after the best answer, by the values of *player*."""
    seat, after = game.to_move(board), game.play(board, move)

    def value(end: Board) -> float:
        outcome = game.outcome(end)
        if outcome:
            return 1e6 * (outcome.scores[seat] - 0.5)
        inputs = game.observe(end, seat).reshape(1, -1).astype(np.float64)
        return float(player.decoder.mlp.evaluate(player.genome, inputs).ravel()[0])

    answers = game.legal_moves(after)
    return min(value(game.play(after, answer)) for answer in answers) if answers else value(after)


def test_who_gives_values_says_what_is_played(bred: dict[str, Any]) -> None:
    name = f"mcts:rollouts=20,values={bred['value'][1]}"
    assert game_for([name, "random"]).name == "ttt"
    player = make_player(name, find_game("ttt").make())
    assert player.name == name


def test_what_was_bred_searches_in_one_word(ttt: BoardGame, bred: dict[str, Any]) -> None:
    player, name = bred["value"]
    for settings, kind in (("depth=2", "minimax"), ("rollouts=20,noise=0.1", "mcts")):
        found = make_player(f"{name}, {settings}", ttt)
        same = make_player(f"{kind}:{settings},values={name}", ttt)
        assert found.name == f"{player.name},{settings}"
        for board in walk(ttt, 3):
            assert found.choose(board, new_stream(1)) == same.choose(board, new_stream(1))
    assert game_for([f"{name},depth=2", "random"]).name == "ttt"
    assert name_player(f"{name},depth=2") == f"{name},depth=2"


def test_a_search_by_time_looks_as_deep_as_it_can(ttt: BoardGame, bred: dict[str, Any]) -> None:
    for name in ("minimax:time=300ms", f"{bred['value'][1]},time=0.3"):
        player = make_player(name, ttt)
        assert isinstance(player, TimedPlayer)
        board = ttt.initial()
        player.choose(board, new_stream(1))
        begun = time.perf_counter()
        stream = new_stream(1)
        assert player.choose(board, stream) in range(9)
        assert player.depth == 9  # the whole game, in far less than the time
        assert time.perf_counter() - begun < 10
        won = ttt.play(ttt.play(ttt.play(ttt.play(board, 0), 3), 1), 4)
        assert player.choose(won, stream) == 2
        assert player.depth == 1
        drawn = board
        for move in (0, 4, 1, 2):
            drawn = ttt.play(drawn, move)
        player.search.ratings[:] = WIN  # those of other moves, in an earlier position
        assert player.choose(drawn, stream) == 6
        assert player.depth == 5
    board, player = ttt.initial(), make_player("minimax:time=1ms", ttt)
    player.search.room[LIMIT] = 0
    assert player.choose(board, new_stream(1)) in range(9)


def test_a_search_that_is_cut_short_leaves_the_move_of_the_one_before(ttt: BoardGame) -> None:
    search = make_player("minimax:depth=9", ttt)
    search._workspace.room[LIMIT] = 50
    search._workspace.memory[NODES_SEARCHED] = 0
    search.choose(ttt.initial(), new_stream(1))
    assert 50 < search._workspace.memory[NODES_SEARCHED] < 200
    search._workspace.room[LIMIT] = 0
    full, new = [make_player("minimax:depth=9", ttt) for _ in range(2)]
    full._workspace.memory[:] = search._workspace.memory  # a table without wrong values
    for board in walk(ttt, 5):
        assert full.choose(board, new_stream(1)) == new.choose(board, new_stream(1))


def test_files_without_evaluate_meet_it(ttt: BoardGame) -> None:
    spec = find_game("ttt")
    assert spec.opponents == ("mcts:rollouts=100", "random")
    assert spec.opponents[0] == "mcts:rollouts=100"
    assert spec.ladder == ("random", *(f"mcts:rollouts={count}" for count in (10, 100, 1000)))
    assert "mcts:rollouts=1000" in find_game("othello").ladder


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("rollouts=0", "rollouts is 0: it must be from 1 to 1,000,000"),
        ("rollouts=1.5", "rollouts is '1.5': it must be a whole number"),
        ("exploration=-1", "exploration is -1.0: it must be from 0 to 1000"),
        ("exploration=nan", "exploration is nan: it must be from 0 to 1000"),
        ("noise=2", "noise is 2.0: it must be from 0 to 1"),
        ("time=5", "unknown setting of mcts 'time'"),
        ("values=random", "values is 'random': it must be run:PATH or file:PATH"),
        ("values=file:nothing", "player file:nothing: No such file or directory"),
    ],
)
def test_wrong_settings_are_refused(ttt: BoardGame, settings: str, sentence: str) -> None:
    with pytest.raises(ArenaError, match=sentence) as caught:
        make_player(f"mcts:{settings}", ttt)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("time=0", "time is 0 s: it must be above 0, up to an hour"),
        ("time=5min", "time is '5min': it must be a time such as 100ms or 2s"),
        ("time=1s,depth=3", "give a depth or a time"),
    ],
)
def test_wrong_times_are_refused(ttt: BoardGame, settings: str, sentence: str) -> None:
    with pytest.raises(ArenaError, match=sentence):
        make_player(f"minimax:{settings}", ttt)


def test_values_need_a_value_head_and_two_seats(
    ttt: BoardGame, coins: BoardGame, bred: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(BadValueError, match="it has a policy, but no values"):
        make_player(f"minimax:values={bred['policy'][1]}", ttt)
    decoder = find_game("coins").networks["mlp"].decoder_type(hidden=(6,))
    file = tmp_path / "coins.safetensors"
    file.write_bytes(decoder.player(np.zeros(decoder.genes, np.float32), "zero").serialise())
    with pytest.raises(BadValueError, match="such searches are for games of two"):
        make_player(f"mcts:values=file:{file}", coins)


@pytest.mark.parametrize("network", ["mlp", "tuples"])
def test_in_games_of_chance_a_rollout_for_each_move_chooses_as_no_search(network: str) -> None:
    """Two moves are looked at once each: as they stand, before the die is rolled."""
    plain, searching = (make_bred("pig", network, 2, **more) for more in ({}, {"rollouts": 2}))
    compile_together([plain, searching])
    positions = [
        each for each in random_positions(plain.game, 300) if len(plain.game.legal_moves(each)) > 1
    ]
    chosen = [plain.move(each) for each in positions]
    assert [searching.move(each) for each in positions] == chosen
    assert min(chosen.count(move) for move in (0, 1)) > 10
