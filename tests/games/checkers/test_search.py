"""The compiled search of checkers finds what a plain search without shortcuts finds."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from evolve_arena.core.compiled import find_variant
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.games.checkers import values as checkers_values
from evolve_arena.games.checkers.board import (
    MOST_MOVES,
    captured_pieces,
    list_moves,
    move_piece,
    repetition_key,
)
from evolve_arena.games.checkers.features import count_features
from evolve_arena.games.checkers.game import Checkers, Move, Position
from evolve_arena.games.checkers.position import bit_of
from evolve_arena.games.checkers.search import find_moves
from evolve_arena.games.checkers.values import (
    DEPTH,
    FEATURES,
    LINEAR,
    PLANE,
    QUIET,
    SEAT_FIELDS,
    TABLE_SIZE,
    UNIT,
    CheckersWorkspace,
    forget_positions,
    make_checkers_workspace,
)
from evolve_arena.genomes.encoding import Encoding
from evolve_arena.genomes.mlp import MLP
from evolve_arena.players.packed import (
    NETWORK,
    PackedPlayers,
    combine_players,
    simple_player,
    with_noise,
)
from evolve_arena.players.search import NODES, WIN

GAME = Checkers()
EXACT_MLP = MLP(32, (5, 3), 1, "relu")
TANH_MLP = MLP(32, (40, 10), 1, "tanh")
FACTORS = (1, 2, -1, -3)
"""What men and kings of the player, and of the other, count as inputs of a network here."""

Board = tuple[np.uint64, np.uint64, np.uint64]
"""The pieces of a side, those of the other, and the kings."""
Evaluate = Callable[[Board, int], int]
"""What a board is worth to the side whose pieces come first, and whose number follows."""


def linear(features: int, depth: int, *, quiet: int = 0, seed: int = 1) -> PackedPlayers:
    """A player with a table of random numbers for each feature, by no means fair to colours."""
    packed = simple_player(SEAT_FIELDS, LINEAR)
    packed.seats[0, [DEPTH, FEATURES, QUIET]] = depth, features, quiet
    tables = np.random.default_rng(seed).integers(-UNIT, UNIT, (features, TABLE_SIZE)) // 64
    worth = np.array([UNIT, 3 * UNIT // 2, -UNIT, -3 * UNIT // 2])
    tables[:4] += worth[:, None] * np.arange(TABLE_SIZE)
    return packed._replace(columns=tables.astype(np.int32).ravel())


def count_pieces(depth: int, *, quiet: int = 0) -> PackedPlayers:
    """Men count 1 and kings 1.5, so that very many moves are equally good."""
    packed = linear(4, depth, quiet=quiet)
    worth = np.array([UNIT, 3 * UNIT // 2, -UNIT, -3 * UNIT // 2])
    return packed._replace(columns=np.int32(worth[:, None] * np.arange(TABLE_SIZE)).ravel())


def network(mlp: MLP, genome: np.ndarray, depth: int, *, quiet: int = 0) -> PackedPlayers:
    """A value network of inputs by square, as the player sees the board."""
    index = np.full((4, PLANE), -1)
    factor = np.zeros((4, PLANE), dtype=np.int64)
    for square in range(1, 33):
        place = bit_of(square).bit_length() - 1
        index[:, place] = square - 1
        factor[:, place] = FACTORS
    columns, weights = mlp.pack(genome[None], Encoding(32, index.ravel(), factor.ravel(), 24))
    packed = simple_player(SEAT_FIELDS, NETWORK)
    packed.seats[0, [DEPTH, QUIET]] = depth, quiet
    return packed._replace(shapes=mlp.shape[None], columns=columns.ravel(), weights=weights.ravel())


def exact_genome(seed: int) -> np.ndarray:
    """Weights with which numbers of 32 bits compute without rounding, in any order."""
    draw = np.random.default_rng(seed)
    return (draw.integers(-8, 9, EXACT_MLP.genes) / 8).astype(np.float32)


def evaluate_features(packed: PackedPlayers) -> Evaluate:
    """By looking every feature up."""
    features = int(packed.seats[0, FEATURES])
    tables = packed.columns.reshape(features, TABLE_SIZE)
    counts = np.zeros(features, dtype=np.int64)
    moves = np.zeros(MOST_MOVES, dtype=np.uint64)

    def evaluate(board: Board, side: int) -> int:
        count_features(counts, 0, features, *board, side, moves, 0)
        return int(tables[np.arange(features), np.minimum(counts, 31)].sum())

    return evaluate


def evaluate_pieces(packed: PackedPlayers) -> Evaluate:
    """By counting pieces alone."""
    tables = packed.columns.reshape(4, TABLE_SIZE).tolist()

    def evaluate(board: Board, side: int) -> int:
        own, other, kings = map(int, board)
        kinds = own & ~kings, own & kings, other & ~kings, other & kings
        return sum(tables[kind][pieces.bit_count()] for kind, pieces in enumerate(kinds))

    return evaluate


def evaluate_network(mlp: MLP, genome: np.ndarray) -> Evaluate:
    """By the textbook's forward pass."""

    def evaluate(board: Board, side: int) -> int:
        output = mlp.evaluate(genome, see_squares(board, side)[None])[0, 0]
        return int(np.rint(output * UNIT))

    return evaluate


def see_squares(board: Board, side: int) -> np.ndarray:
    """The inputs of a network that plays *side*, square by square."""
    inputs = np.zeros(32)
    own, other, kings = map(int, board)
    for square in range(1, 33):
        bit = bit_of(square)
        if (own | other) & bit:
            kind = (0 if own & bit else 2) + bool(kings & bit)
            inputs[square - 1 if side == 0 else 32 - square] = FACTORS[kind]
    return inputs


def sides(position: Position, side: int) -> Board:
    """What compiled code takes of a position."""
    pieces = [np.uint64(position.dark), np.uint64(position.light)]
    return pieces[side], pieces[1 - side], np.uint64(position.kings)


def random_positions(count: int, seed: int, longest: int = 70) -> list[Position]:
    """Positions of random games, of all lengths, that are not over."""
    draw = random.Random(seed)
    positions: list[Position] = []
    while len(positions) < count:
        position = GAME.initial()
        for _ in range(draw.randrange(longest)):
            following = GAME.play(position, draw.choice(GAME.legal_moves(position)))
            if GAME.outcome(following) is not None:
                break
            position = following
        positions.append(position)
    return positions


def endings(count: int, seed: int) -> list[Position]:
    """Positions one to four plies before the end of random games that somebody won."""
    draw = random.Random(seed)
    positions: list[Position] = []
    while len(positions) < count:
        game = [GAME.initial()]
        while moves := GAME.legal_moves(game[-1]):
            game.append(GAME.play(game[-1], draw.choice(moves)))
        outcome = GAME.outcome(game[-1])
        if outcome is not None and outcome.winner is not None:
            positions.append(game[-1 - draw.randint(1, 4)])
    return positions


class PlainSearch:
    """Negamax in words of the rules alone: no bounds, no table, no order, no running sums.

    Several judges are asked at once: values are arrays.
    """

    def __init__(self, position: Position, judges: Sequence[Evaluate], *, quiet: int) -> None:
        self.side = position.side
        self.board = sides(position, position.side)
        self.judges = judges
        self.quiet = quiet

    def value(self, board: Board, side: int, depth: int) -> np.ndarray:
        """What the board is worth to *side*, who is to move and whose pieces come first."""
        words = list_words(board, side)
        if not len(words):
            return np.full(len(self.judges), -(WIN + depth + 1))
        if depth == 0 and not (self.quiet and captured_pieces(words[0])):
            own, other, kings = board
            if side == self.side:
                return np.array([judge(board, side) for judge in self.judges])
            seen = (other, own, kings)
            return -np.array([judge(seen, self.side) for judge in self.judges])
        return np.max([self.value_move(board, side, depth, word) for word in words], axis=0)

    def value_move(self, board: Board, side: int, depth: int, word: np.uint64) -> np.ndarray:
        """What a move is worth to who makes it."""
        own, other, kings = map(np.uint64, move_piece(*board, word))
        return -self.value((other, own, kings), 1 - side, max(depth - 1, 0))

    def best_moves(self, depth: int) -> list[tuple[set[Move], int]]:
        """For each judge all moves of the highest value, and that value."""
        words = list_words(self.board, self.side)
        values = np.array([self.value_move(self.board, self.side, depth, w) for w in words])
        best = values.max(axis=0)
        return [
            ({GAME.move_of(int(w)) for w in words[values[:, judge] == best[judge]]}, best[judge])
            for judge in range(len(self.judges))
        ]


def list_words(board: Board, side: int) -> np.ndarray:
    """All moves of a *side*."""
    words = np.zeros(MOST_MOVES, dtype=np.uint64)
    return words[: list_moves(words, 0, *board, side)]


def search(
    packed: PackedPlayers,
    position: Position,
    workspace: CheckersWorkspace,
    *,
    player: int = 0,
    depth: int | None = None,
) -> tuple[set[Move], int]:
    """The same from the compiled search."""
    if depth is not None:
        packed.seats[player, DEPTH] = depth
    own, other, kings = sides(position, position.side)
    quiet = note_past(position, workspace)
    count, worth = find_moves(packed, player, own, other, kings, position.side, quiet, workspace)
    return {GAME.move_of(int(word)) for word in workspace.moves[:count]}, int(worth)


def note_past(position: Position, workspace: CheckersWorkspace) -> int:
    """Tells compiled code how the position came about."""
    quiet = len(position.past)
    workspace.past[:quiet] = position.past
    workspace.past[quiet] = repetition_key(*sides(position, position.side), position.side)
    return quiet


@pytest.fixture(scope="module")
def exact_players() -> list[tuple[PackedPlayers, Evaluate]]:
    """Players of all kinds, and what they think of a position."""
    pieces, few, some, many = count_pieces(4), linear(4, 4), linear(14, 4), linear(20, 4)
    genome = exact_genome(3)
    return [
        (pieces, evaluate_pieces(pieces)),
        (few, evaluate_pieces(few)),
        (some, evaluate_features(some)),
        (many, evaluate_features(many)),
        (network(EXACT_MLP, genome, 4), evaluate_network(EXACT_MLP, genome)),
    ]


@pytest.mark.parametrize("quiet", [0, 1])
def test_value_and_best_moves_are_those_of_plain_negamax(
    exact_players: list[tuple[PackedPlayers, Evaluate]], quiet: int
) -> None:
    """One table serves all positions, depths and players, and must confuse none of them."""
    packed = combine_players([packed for packed, _ in exact_players])
    judges = [judge for _, judge in exact_players]
    packed.seats[:, QUIET] = quiet
    workspace = make_checkers_workspace(packed)
    assert len(workspace.memory) > checkers_values.MEMORY_TABLE_AT
    values = []
    for depth, count in ((1, 60), (2, 40), (3, 16), (4, 4)):
        positions = random_positions(count, 10 * quiet + depth) + endings(count, depth)
        for position in (replace(position, past=()) for position in positions):
            plain = PlainSearch(position, judges, quiet=quiet)
            for player, expected in enumerate(plain.best_moves(depth)):
                args = {"player": player, "depth": depth}
                assert search(packed, position, workspace, **args) == expected
                assert search(packed, position, workspace, **args) == expected
                values.append(expected[1])
    assert min(values) < -WIN
    assert max(values) > WIN
    assert len({value for value in values if abs(value) < WIN}) > 100


def test_a_usual_network_is_followed_to_the_last_digits() -> None:
    """Its numbers are rounded, so values agree only nearly."""
    genome = np.random.default_rng(4).uniform(-0.3, 0.3, TANH_MLP.genes).astype(np.float32)
    packed = network(TANH_MLP, genome, 2)
    workspace = make_checkers_workspace(packed)
    judge = evaluate_network(TANH_MLP, genome)
    for position in random_positions(20, 5):
        plain = PlainSearch(position, [judge], quiet=0)
        ((_, expected),) = plain.best_moves(2)
        moves, worth = search(packed, position, workspace)
        assert abs(worth - expected) < UNIT * 1e-4
        for word in list_words(plain.board, plain.side):
            if GAME.move_of(int(word)) in moves:
                (value,) = plain.value_move(plain.board, plain.side, 2, word)
                assert abs(value - expected) < UNIT * 1e-4


SEARCHERS = [linear(14, 6), linear(4, 6, seed=2), linear(14, 5, quiet=1, seed=3)]
SEARCHERS += [network(EXACT_MLP, exact_genome(seed), 5, quiet=seed % 2) for seed in (1, 2)]


@pytest.mark.parametrize("bits", [1, 6, 14])
def test_a_table_changes_no_result(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a tiny one, which all players, of both colours, overwrite all the time."""
    packed = combine_players(SEARCHERS)
    monkeypatch.setattr(checkers_values, "TABLE_BITS", bits)
    shared = make_checkers_workspace(packed)
    monkeypatch.setattr(checkers_values, "LEAST_WITH_TABLE", 99)
    without = make_checkers_workspace(packed)
    assert len(shared.memory) == len(without.memory) + (3 << bits)
    for position in random_positions(25, bits):
        for player in range(len(SEARCHERS)):
            expected = search(packed, position, without, player=player)
            assert search(packed, position, shared, player=player) == expected


def test_a_player_of_either_colour_has_values_of_its_own() -> None:
    """With depths that differ by one both meet the same positions with as many plies left."""
    packed = linear(4, 5, seed=8)
    shared = make_checkers_workspace(packed)
    position = GAME.initial()
    stream = new_stream(2)
    for _ in range(40):
        if not GAME.legal_moves(position):
            break
        depth = 5 - position.side
        expected = search(packed, position, make_checkers_workspace(packed), depth=depth)
        assert search(packed, position, shared, depth=depth) == expected
        best = sorted(expected[0])
        position = GAME.play(position, best[int(stream[0]) % len(best)])


def test_a_deeper_search_misleads_no_shallower_one_that_follows() -> None:
    """It left bounds, from narrow windows, of the very positions that are now to be valued."""
    packed = linear(14, 6, seed=5)
    for position in random_positions(12, 2, longest=30):
        shared = make_checkers_workspace(packed)
        for depth in (6, 4, 5, 3):
            expected = search(packed, position, make_checkers_workspace(packed), depth=depth)
            assert search(packed, position, shared, depth=depth) == expected


def test_a_table_saves_work(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = linear(14, 8)
    with_table = make_checkers_workspace(packed)
    monkeypatch.setattr(checkers_values, "LEAST_WITH_TABLE", 99)
    without = make_checkers_workspace(packed)
    for workspace in (with_table, without):
        search(packed, GAME.initial(), workspace)
    assert 0 < with_table.memory[NODES] < 0.8 * without.memory[NODES]


def test_a_table_is_forgotten_when_a_player_has_learned() -> None:
    packed = linear(4, 6)
    shared = make_checkers_workspace(packed)
    positions = random_positions(10, 4)
    before = [search(packed, position, shared) for position in positions]
    packed.columns[:] = linear(4, 6, seed=2).columns
    expected = [search(packed, p, make_checkers_workspace(packed)) for p in positions]
    assert [search(packed, position, shared) for position in positions] != expected
    packed.columns[:] = linear(4, 6).columns
    forget_positions(shared)
    assert [search(packed, position, shared) for position in positions] == before
    packed.columns[:] = linear(4, 6, seed=2).columns
    forget_positions(shared)
    assert [search(packed, position, shared) for position in positions] == expected


def test_captures_are_followed_only_if_asked() -> None:
    """Dark must take a man, and light takes one back."""
    position = GAME.parse_position("B:W18,25,29:B15,1")
    only = {GAME.parse_move("15x22")}
    for depth, quiet, worth in ((1, 0, 0), (1, 1, -UNIT), (2, 0, -UNIT)):
        packed = count_pieces(depth, quiet=quiet)
        assert search(packed, position, make_checkers_workspace(packed)) == (only, worth)


WORKSPACE = make_checkers_workspace(linear(14, 6))


def shuffle_kings(text: str, moves: str) -> Position:
    """The position after moves to and fro, the first of which leads back to where it began."""
    position = GAME.parse_position(text)
    for move in moves.split():
        position = GAME.play(position, GAME.parse_move(move))
    return position


def test_a_move_that_repeats_for_the_third_time_is_worth_nothing() -> None:
    """Who is behind plays it, who is ahead does not; 1-5 leads where light began, twice before."""
    to_and_fro = " ".join(["32-27 5-1 27-32", "1-5", "32-27 5-1 27-32"])
    behind = shuffle_kings("W:WK28,K32:BK5", to_and_fro)
    ahead = shuffle_kings("W:WK32:BK5,K12", to_and_fro)
    for depth in (1, 2, 3, 6):
        packed = count_pieces(depth)
        assert search(packed, behind, WORKSPACE) == ({GAME.parse_move("1-5")}, 0)
        moves, worth = search(packed, ahead, WORKSPACE)
        assert worth == 3 * UNIT // 2
        assert GAME.parse_move("1-5") not in moves
        assert GAME.parse_move("1-6") in moves
        once = behind.past[:-4]
        assert search(packed, replace(behind, past=once), WORKSPACE)[1] < 0


def test_the_last_quiet_ply_is_worth_nothing() -> None:
    king_moves = {GAME.parse_move("1-5"), GAME.parse_move("1-6")}
    man_moves = {GAME.parse_move("9-13"), GAME.parse_move("9-14")}
    behind = GAME.parse_position("B:WK28,K31,K32:BK1,9")
    ahead = GAME.parse_position("B:WK32:BK1,9")
    soon, not_yet = tuple(range(79)), tuple(range(78))
    packed = count_pieces(1)
    assert search(packed, replace(behind, past=soon), WORKSPACE) == (king_moves, 0)
    everything = king_moves | man_moves
    assert search(packed, replace(behind, past=not_yet), WORKSPACE) == (everything, -2 * UNIT)
    assert search(packed, replace(ahead, past=soon), WORKSPACE) == (man_moves, UNIT)


def test_a_win_with_the_last_quiet_ply_is_a_win() -> None:
    """After 4-8 the man on 12 is stuck."""
    position = replace(GAME.parse_position("B:W12:BK3,K4"), past=tuple(range(79)))
    for depth in (1, 3):
        found = search(count_pieces(depth), position, WORKSPACE)
        assert found == ({GAME.parse_move("4-8")}, WIN + depth)


def test_sooner_wins_and_later_losses_are_worth_more() -> None:
    position = GAME.parse_position("B:W12:BK3,K4")
    assert search(count_pieces(1), position, WORKSPACE)[1] == WIN + 1
    assert search(count_pieces(6), position, WORKSPACE)[1] == WIN + 6
    lost = GAME.parse_position("W:W12:BK3,K7")  # 12-8, 3x12
    assert search(count_pieces(2), lost, WORKSPACE)[1] == -(WIN + 1)
    assert search(count_pieces(5), lost, WORKSPACE)[1] == -(WIN + 4)


def choose(
    packed: PackedPlayers, position: Position, stream: np.ndarray, workspace: CheckersWorkspace
) -> Move:
    """What the packed players' first player decides."""
    workspace = workspace._replace(streams=stream)
    quiet = note_past(position, workspace)
    slot = GAME.to_move(position)
    boards = sides(position, position.side)
    kernel = find_variant(find_game("checkers"), GAME.rules, packed)["kernel"]
    return GAME.move_of(int(kernel.decide(packed, slot, *boards, position.side, quiet, workspace)))


def test_equal_moves_are_equally_likely() -> None:
    """All seven first moves are worth nothing, two plies deep."""
    packed = count_pieces(2)
    stream = new_stream(3)
    legal = GAME.legal_moves(GAME.initial())
    assert search(packed, GAME.initial(), WORKSPACE) == (set(legal), 0)
    chosen = [choose(packed, GAME.initial(), stream, WORKSPACE) for _ in range(3500)]
    counts = np.array([chosen.count(move) for move in legal])
    assert counts.sum() == 3500
    assert np.all(abs(counts - 500) < 4 * np.sqrt(500 * 6 / 7))


def test_a_single_best_move_draws_nothing() -> None:
    stream = new_stream(9)
    position = replace(GAME.parse_position("B:W12:BK3,K4"))
    assert str(choose(count_pieces(1), position, stream, WORKSPACE)) == "4-8"
    assert stream[0] == 9


def test_a_single_legal_move_is_played_at_once() -> None:
    stream = new_stream(9)
    position = GAME.parse_position("B:W18,32:B15,1,2")
    for packed in (linear(14, 6), simple_player(SEAT_FIELDS)):
        before = WORKSPACE.memory[NODES]
        assert str(choose(packed, position, stream, WORKSPACE)) == "15x22"
        assert WORKSPACE.memory[NODES] == before
        assert stream[0] == 9


@pytest.mark.parametrize("noise", [0.0, 0.25, 1.0])
def test_noise_is_the_share_of_random_moves(noise: float) -> None:
    position = GAME.parse_position("B:W12:BK3,K4")
    packed = with_noise(count_pieces(1), noise)
    stream = new_stream(5)
    chosen = [str(choose(packed, position, stream, WORKSPACE)) for _ in range(8000)]
    others = [str(move) for move in GAME.legal_moves(position) if str(move) != "4-8"]
    assert len(others) == 2
    expected = 8000 * noise / 3
    for move in others:
        assert abs(chosen.count(move) - expected) <= 4 * np.sqrt(expected)
