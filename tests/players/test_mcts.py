"""Monte Carlo tree search, and searches over values that were bred, in games of one file."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.arena.match import play_matches
from evolve_arena.core.compiled import compiled
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.registry import find_game, make_game, register_game
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Array
from evolve_arena.players.board import workspace
from evolve_arena.players.board.alpha_beta import LIMIT
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import rate_moves
from evolve_arena.players.board.loader import load_game
from evolve_arena.players.board.rules import remove_move
from evolve_arena.players.board.searching import TimedPlayer
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.search import NODES as NODES_SEARCHED
from evolve_arena.players.search import WIN
from evolve_arena.players.specification import make_player
from evolve_arena.runs.players import game_for, name_player
from tests.contracts.test_games import compare_matches
from tests.evolved import compile_together, make_evolved, random_positions

TIC_TAC_TOE = make_game("tic-tac-toe").source.replace('SYMMETRY = "all"', "MOVES_STAY = True")
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


FLAGS = {"HAS_VALUES", "HAS_SEARCHES", "HAS_MCTS", "HAS_DEEP_VALUES", "HAS_POLICIES", "HAS_OUTPUTS"}
FLAGS |= {"HAS_OWN_VALUES", "HAS_GRAPHS", "HAS_PRIORS", "HAS_DENSE_VALUES", "HAS_DENSE_SIGHT"}


def load_text(folder: Path, name: str, text: str, flags: set[str]) -> BoardGame:
    """Load a game; *flags*, if any, have it compiled once for all kinds of players they name."""
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    spec = load_game(folder / f"{name}.py")
    if flags:
        object.__setattr__(spec.kernel, "needs", lambda players: flags)
    register_game(spec)
    game: BoardGame = spec.make()
    return game


def store_evolved(folder: Path, game: str, head: str) -> tuple[EvolvedPlayer, str]:
    """Store an untrained network in a file; return its player and specification."""
    decoder = find_game(game).networks["mlp"].decoder_type(head=head, hidden=(6,))
    genome = np.random.default_rng(3).normal(size=decoder.genes).astype(np.float32)
    file, player = folder / f"{game}-{head}.safetensors", decoder.player(genome, head)
    file.write_bytes(player.serialise())
    return player, f"file:{file}"


@pytest.fixture(scope="module")
def ttt(tmp_path_factory: pytest.TempPathFactory) -> BoardGame:
    return load_text(tmp_path_factory.mktemp("games"), "ttt", TIC_TAC_TOE, FLAGS)


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> BoardGame:
    return load_text(tmp_path_factory.mktemp("games"), "coins", COINS, set())


@pytest.fixture(scope="module")
def evolved(
    ttt: BoardGame, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[EvolvedPlayer, str]]:
    folder = tmp_path_factory.mktemp("bred")
    return {head: store_evolved(folder, ttt.name, head) for head in ("value", "policy")}


def meet(game: BoardGame, names: list[str], matches: int) -> Array:
    """Return the players' places in *matches*: all begin in turn, the others follow in order."""
    players = [make_player(name, game) for name in names]
    pairings = (np.arange(game.seats) + np.arange(matches)[:, None]).astype(np.int32) % len(names)
    results, _ = play_matches(game, players, pairings, np.arange(matches, dtype=np.uint64))
    return np.take_along_axis(results.places, np.argsort(pairings, axis=1), axis=1)


def test_it_plays_tic_tac_toe_without_a_mistake(ttt: BoardGame) -> None:
    against_random = meet(ttt, ["mcts:rollouts=2000", "random"], 60)
    assert (against_random[:, 0] == 1).all()
    assert (against_random[:, 1] == 2).mean() > 0.8
    assert (meet(ttt, ["mcts:rollouts=2000", "minimax:depth=9"], 20) == 1).all()


def test_compiled_and_in_python_it_chooses_the_same(
    ttt: BoardGame, coins: BoardGame, evolved: dict[str, tuple[EvolvedPlayer, str]]
) -> None:
    values = f"values={evolved['value'][1]}"
    names = [
        "mcts:rollouts=50,noise=0.2",
        "mcts:rollouts=7,exploration=0.3",
        f"mcts:rollouts=20,{values}",
        f"minimax:depth=2,{values},noise=0.1",
        evolved["value"][1],
        evolved["policy"][1],
        f"{evolved['policy'][1]},rollouts=20",
    ]
    compare_matches(ttt, [make_player(name, ttt) for name in names], 14)
    compare_matches(coins, [make_player(name, coins) for name in (*names[:2], "random")])


def test_a_move_is_taken_from_lists_of_any_length() -> None:
    for count in range(1, 40):
        for place in range(count):
            moves = np.arange(count + 10)
            take(moves, place, count - 1)
            assert moves[: count - 1].tolist() == [n for n in range(count) if n != place]


@compiled
def take(moves: Array, at: int, last: int) -> None:
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
        player.packed.seats[0, workspace.NODES] = 12
        for board in random_positions(game, 9, 1):
            assert player.choose(board, new_stream(1)) in game.legal_moves(board)
    packed = make_player("mcts:rollouts=1000000", ttt).packed
    assert packed.seats[0, workspace.NODES] == workspace.MAX_NODES


def test_a_policy_guides_the_search(
    ttt: BoardGame, evolved: dict[str, tuple[EvolvedPlayer, str]]
) -> None:
    """One rollout follows the policy; with exploration alone, visits are as the priors."""
    policy, name = evolved["policy"]
    first = make_player(f"{name},rollouts=1", ttt)
    keen = make_player(f"{name},rollouts=60,exploration=1000", ttt)
    for moves in ("", "a1", "b2", "a1 b2"):
        board = ttt.parse_position(moves)
        rated: dict[int, float] = rate_moves(policy, board)
        assert first.choose(board, new_stream(1)) == max(rated, key=rated.__getitem__)
        keen.choose(board, new_stream(1))
        nodes = keen._workspace.tree.reshape(-1, workspace.NODE_FIELDS)
        children = nodes[nodes[0, workspace.FIRST] :][: nodes[0, workspace.COUNT]]
        highest = max(rated.values())
        total = sum(math.exp(value - highest) for value in rated.values())
        assert set(children[:, workspace.MOVE]) == rated.keys()
        for child in children:
            prior = math.exp(rated[child[workspace.MOVE]] - highest) / total
            assert child[workspace.VISITS] == pytest.approx(60 * prior, abs=3)


def test_a_graph_guides_the_search_like_a_network(ttt: BoardGame) -> None:
    player = make_evolved("ttt", "graph", head="policy", rollouts=1000)
    plain = make_evolved("ttt", "graph", head="policy")
    first = make_evolved("ttt", "graph", head="policy", rollouts=1)
    for board in random_positions(ttt, 9, 1):
        if not any(ttt.outcome(ttt.play(board, move)) for move in ttt.legal_moves(board)):
            assert first.choose(board, new_stream(1)) == plain.choose(board, new_stream(1))
    for moves, best in (("a1 b1 a2 b2", "a3"), ("a1 b2 b1", "c1"), ("a1 c3 c1", "b1")):
        board = ttt.parse_position(moves)
        assert ttt.format_move(player.choose(board, new_stream(1))) == best


def test_searches_ask_bred_players_for_values(
    ttt: BoardGame, evolved: dict[str, tuple[EvolvedPlayer, str]]
) -> None:
    player, name = evolved["value"]
    shallow = make_player(f"minimax:depth=1,values={name}", ttt)
    for board in random_positions(ttt, 30):
        assert shallow.choose(board, new_stream(1)) == player.choose(board, new_stream(1))


def test_what_was_bred_searches_in_one_word(
    ttt: BoardGame, evolved: dict[str, tuple[EvolvedPlayer, str]]
) -> None:
    _, name = evolved["value"]
    for settings, kind in (("depth=2", "minimax"), ("rollouts=20,noise=0.1", "mcts")):
        found = make_player(f"{name}, {settings}", ttt)
        same = make_player(f"{kind}:{settings},values={name}", ttt)
        assert found.name == f"ttt-value,{settings}"
        for board in random_positions(ttt, 9, 3):
            assert found.choose(board, new_stream(1)) == same.choose(board, new_stream(1))
    assert game_for([f"{name},depth=2", "random"]).name == "ttt"
    assert game_for([f"mcts:rollouts=20,values={name}", "random"]).name == "ttt"
    assert name_player(f"mcts:values={name}") == f"mcts:values={name}"
    assert name_player(f"{name},depth=2") == f"{name},depth=2"


def test_a_search_by_time_looks_as_deep_as_it_can(
    ttt: BoardGame, evolved: dict[str, tuple[EvolvedPlayer, str]]
) -> None:
    for name in ("minimax:time=300ms", f"{evolved['value'][1]},time=0.3"):
        player = make_player(name, ttt)
        assert isinstance(player, TimedPlayer)
        board = ttt.initial()
        player.choose(board, new_stream(1))
        begun = time.perf_counter()
        rng = new_stream(1)
        assert player.choose(board, rng) in range(9)
        assert player.depth == 9  # the whole game, in far less than the time
        assert time.perf_counter() - begun < 10
        won = ttt.play(ttt.play(ttt.play(ttt.play(board, 0), 3), 1), 4)
        assert player.choose(won, rng) == 2
        assert player.depth == 1
        drawn = board
        for move in (0, 4, 1, 2):
            drawn = ttt.play(drawn, move)
        player.search.ratings[:] = WIN  # those of other moves, in an earlier position
        assert player.choose(drawn, rng) == 6
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
    for board in random_positions(ttt, 9, 5):
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
        ("mcts:rollouts=0", "rollouts is 0: it must be from 1 to 1,000,000"),
        ("mcts:rollouts=1.5", "rollouts is '1.5': it must be a whole number"),
        ("mcts:exploration=-1", "exploration is -1.0: it must be from 0 to 1000"),
        ("mcts:exploration=nan", "exploration is nan: it must be from 0 to 1000"),
        ("mcts:noise=2", "noise is 2.0: it must be from 0 to 1"),
        ("mcts:time=5", "unknown setting of mcts 'time'"),
        ("mcts:values=random", "values is 'random': it must be run:PATH or file:PATH"),
        ("mcts:values=file:nothing", "player file:nothing: No such file or directory"),
        ("minimax:time=0", "time is 0 s: it must be above 0, up to an hour"),
        ("minimax:time=5min", "time is '5min': it must be a time such as 100ms or 2s"),
        ("minimax:time=1s,depth=3", "give a depth or a time"),
    ],
)
def test_wrong_settings_are_refused(ttt: BoardGame, settings: str, sentence: str) -> None:
    with pytest.raises(ArenaError, match=sentence) as caught:
        make_player(settings, ttt)
    assert "\n" not in str(caught.value)


def test_values_need_a_value_head_and_two_seats(
    ttt: BoardGame, coins: BoardGame, evolved: dict[str, tuple[EvolvedPlayer, str]], tmp_path: Path
) -> None:
    with pytest.raises(BadValueError, match="it has a policy, but no values"):
        make_player(f"minimax:values={evolved['policy'][1]}", ttt)
    _, name = store_evolved(tmp_path, "coins", "value")
    with pytest.raises(BadValueError, match="such searches are for games of two"):
        make_player(f"mcts:values={name}", coins)


@pytest.mark.parametrize("network", ["mlp", "tuples"])
def test_in_games_of_chance_a_rollout_for_each_move_chooses_as_no_search(network: str) -> None:
    """Two moves are looked at once each: as they stand, before the die is rolled."""
    plain, searching = (make_evolved("pig", network, 2, **more) for more in ({}, {"rollouts": 2}))
    compile_together([plain, searching])
    positions = [
        each for each in random_positions(plain.game, 300) if len(plain.game.legal_moves(each)) > 1
    ]
    chosen = [plain.move(each) for each in positions]
    assert [searching.move(each) for each in positions] == chosen
    assert min(chosen.count(move) for move in (0, 1)) > 10
