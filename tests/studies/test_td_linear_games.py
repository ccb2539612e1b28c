"""Games in which linear players learn: replayed in Python, and the times of learning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.game import Outcome
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import below, new_stream, next_word
from evolve_arena.core.types import Array
from evolve_arena.evolve.learning.tuple_learning import DRAWS, ERROR, FIGURES, FIRST_WINS, PLIES
from evolve_arena.players.board.game import Board
from evolve_arena.players.board.kernel import enter, enter_past
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.players.board.workspace import DEPTH
from evolve_arena.players.packed import KIND, RANDOM, PackedPlayers
from evolve_arena.studies.checkers_td import td_linear
from evolve_arena.studies.checkers_td.linear_games import (
    ACCUMULATING,
    AFTER,
    BEFORE,
    BURGE,
    DRAW_RULES,
    END_OF_GAME,
    EVERY_MOVE,
    MAX_GENES,
    NONE,
    RATE,
    TD,
    VALUES,
    Lesson,
    TDLinearSettings,
    learn_from_game,
    learn_from_move,
)
from evolve_arena.studies.checkers_td.td_linear import (
    Participants,
    make_meetings,
    make_participants,
    read_weights,
)

GAME = make_game("checkers")
PLAIN = TDLinearSettings(
    rate=0.001,
    discount=0.9,
    decay=0.5,
    trace=ACCUMULATING,
    update=END_OF_GAME,
    rule=TD,
    faithful=0,
    states=AFTER,
    features=14,
    binary=0,
    exploration=0.1,
)
LESSONS = {
    "after games": PLAIN,
    "as printed": PLAIN._replace(faithful=1, features=4, exploration=0.0),
    "after moves": PLAIN._replace(update=EVERY_MOVE, rate=1e-4),
    "before": PLAIN._replace(states=BEFORE),
    "before, after moves": PLAIN._replace(states=BEFORE, update=EVERY_MOVE, features=20, rate=1e-4),
    "Burge": PLAIN._replace(rule=BURGE, trace=NONE, features=4),
    "binary": PLAIN._replace(binary=1, features=4, rate=0.01),
    "nothing": PLAIN._replace(rate=0.0),
}


def make_decoder(learning: TDLinearSettings, **options: object) -> NetworkDecoder:
    bins = VALUES if learning.binary else 0
    settings = {"depth": 2, "features": int(learning.features), "bins": bins, **options}
    network = find_game("checkers").networks["mlp"]
    return network.decoder_type(encoding="features", hidden=(), **settings)


def gather(*learning_rows: TDLinearSettings, **options: object) -> Participants:
    """Return players with random weights; make_participants drops the bias."""
    decoders = [make_decoder(learning, **options) for learning in learning_rows]
    rng = np.random.default_rng(4)
    genomes = [0.1 * rng.normal(0.0, 1.0, decoder.genes) for decoder in decoders]
    return make_participants(decoders, learning_rows, genomes)


def meet(
    participants: Participants,
    pairings: Sequence[tuple[int, int]],
    games: int,
    seed: int = 1,
    **options: object,
) -> list[Array]:
    seeds = derive_seeds(seed, 0, "test", len(pairings))
    options = {"learn": True, **options}
    return SerialExecutor().run(
        make_meetings(participants, pairings, seeds, games=games, **options)
    )


# Replayed


def value_moves(packed: PackedPlayers, board: Board, moves: list[int]) -> dict[int, int]:
    """Return the values of all *moves* by a search without memory."""
    spec = find_game("checkers")
    compiled = find_variant(spec, GAME.rules, packed)
    workspace = spec.kernel.make_workspace(GAME.rules, packed)
    state, slot = enter(GAME.code, board, workspace.states), GAME.to_move(board)
    enter_past(GAME, board, workspace.states)
    workspace.plies[0], workspace.moves[: len(moves)] = board.plies, moves
    compiled["values"].take_slot(packed, 0, slot, workspace)
    compiled["alpha_beta"].value_moves(packed, slot, state, len(moves), True, workspace)
    return dict(zip(moves, workspace.ratings.tolist(), strict=False))


class Replay:
    """The same games, with the rules for people, and episodes as lists."""

    def __init__(
        self,
        participants: Participants,
        pairing: tuple[int, int],
        seed: int,
        draws: str = "standard",
    ):
        self.draws = draws
        rows = list(dict.fromkeys(pairing))
        self.players = [rows.index(row) for row in pairing]
        self.learning = [TDLinearSettings(*participants.learning[row]) for row in rows]
        self.weights = participants.weights[rows]
        self.depths = participants.seats[rows, DEPTH].tolist()
        self.rng = new_stream(int(seed))
        self.traces = np.zeros((2, MAX_GENES))
        self.figures = np.zeros(FIGURES)
        self.scores = [0, 0, 0]

    def play(self, first: int, learn: bool) -> None:
        """Play a game, which the pairing's player number *first* begins."""
        self.seats = [self.players[first], self.players[1 - first]]
        self.episodes: list[list[list[int]]] = [[], []]
        self.traces[:] = 0.0
        board = GAME.initial()
        while (outcome := self.end(board)) is None:
            slot = GAME.to_move(board)
            states = self.learning[self.seats[slot]].states
            begins = board.state[4] < 0  # and does not jump on
            if learn and states == BEFORE and begins:
                self.see(board, slot)
            board = GAME.play(board, self.choose(board, slot))
            if self.draws == "forty-moves":  # nothing is seen again
                board = board._replace(past=tuple((n, 0, 0, 0, -1) for n in range(len(board.past))))
            done = board.state[4] < 0
            if learn and states == AFTER and done and self.end(board) is None:
                self.see(board, slot)
            self.figures[PLIES] += 1
        reward = 2.0 * outcome.scores[0] - 1.0
        for slot in range(2 if learn else 0):
            self.see(board, slot, last=True, reward=reward if slot == 0 else -reward)
        self.figures[[FIRST_WINS, DRAWS]] += [reward == 1.0, reward == 0.0]
        self.scores[int(1 - reward) if first == 0 else int(1 + reward)] += 1

    def end(self, board: Board) -> Outcome | None:
        """Return the outcome by its rule of draws, or None while the game is not over."""
        outcome: Outcome | None = GAME.outcome(board)
        if outcome is None or outcome.places != (1, 1) or self.draws != "pieces":
            return outcome
        dark, light = board.state[0].bit_count(), board.state[1].bit_count()
        return Outcome((1 + (dark < light), 1 + (dark > light)), "by pieces")

    def choose(self, board: Board, slot: int) -> int:
        """Return one of the best moves with the current weights, in a search without memory."""
        who = self.seats[slot]
        learning = self.learning[who]
        moves = GAME.legal_moves(board)
        strays = learning.exploration > 0.0 and (
            int(next_word(self.rng)) >> 32 < round(learning.exploration * 2**32)
        )
        if len(moves) > 1 and not strays:
            decoder = make_decoder(learning, depth=self.depths[who])
            genome = np.append(self.weights[who, : decoder.genes - 1], 0.0)
            values = value_moves(decoder.pack(genome[None].astype(np.float32)), board, moves)
            moves = [move for move in moves if values[move] == max(values.values())]
        return int(moves[below(self.rng, len(moves)) if len(moves) > 1 else 0])

    def see(self, board: Board, slot: int, last: bool = False, reward: float = 0.0) -> None:
        """Add a position to an episode and learn from it."""
        who = self.seats[slot]
        learning = self.learning[who]
        size = int(learning.features)
        if learning.rate == 0.0:
            return
        counts = GAME.count("features", board, slot, many=size).astype(np.int64)
        episode = self.episodes[slot]
        episode.append(np.minimum(counts, 31).tolist())
        states = np.ravel(episode)
        count = len(episode)
        lesson = Lesson(learning.row(), self.weights[who], self.traces[slot])
        if learning.update == EVERY_MOVE:
            if count > 1:
                places = (count - 2) * size, (count - 1) * size
                self.figures[ERROR] += learn_from_move(lesson, states, *places, last, reward)
        elif last:
            given = lesson, states, 0, count, reward, np.zeros(count)
            self.figures[ERROR] += learn_from_game(*given)


PAIRS = [("Burge", "before"), ("nothing", "after moves"), ("binary", "as printed")]


@pytest.mark.parametrize("kinds", [*((kind,) for kind in LESSONS), *PAIRS])
def test_games_and_lessons_are_those_of_a_replay(kinds: tuple[str, ...]) -> None:
    """In self-play with one kind, or against the other with alternate first moves."""
    participants = gather(*(LESSONS[kind] for kind in kinds))
    participants.seats[-1, DEPTH] = 4  # searches with a table
    pairing = (0, len(kinds) - 1)
    outputs = meet(participants, [pairing], 2, alternate=len(kinds) > 1)
    replay = Replay(participants, pairing, derive_seeds(1, 0, "test", 1)[0])
    for game in range(2):
        replay.play(game % len(kinds), learn=True)
    assert outputs[1][0].tolist() == replay.scores
    np.testing.assert_allclose(outputs[2][0], replay.figures, rtol=1e-12)
    weights = read_weights(outputs)[0]
    np.testing.assert_allclose(weights, replay.weights[replay.players], rtol=1e-9)
    change = np.abs(weights - participants.weights[list(pairing)]).max(axis=1)
    assert ((change > 1e-3) == [kind != "nothing" for kind in (kinds * 2)[:2]]).all()


@pytest.mark.parametrize("draws", DRAW_RULES)
def test_games_are_drawn_by_the_rule_that_is_asked_for(draws: str) -> None:
    participants = gather(LESSONS["after games"])
    outputs = meet(participants, [(0, 0)], 12, draws=draws)
    replay = Replay(participants, (0, 0), derive_seeds(1, 0, "test", 1)[0], draws)
    for _ in range(12):
        replay.play(0, learn=True)
    assert outputs[1][0].tolist() == replay.scores
    np.testing.assert_allclose(outputs[2][0], replay.figures, rtol=1e-12)
    np.testing.assert_allclose(read_weights(outputs)[0, 0], replay.weights[0], rtol=1e-9)
    plain = meet(participants, [(0, 0)], 12)
    assert (draws == "standard") == (outputs[2][0].tolist() == plain[2][0].tolist())


def test_values_beyond_31_count_as_31() -> None:
    """Kings can have more captures than that."""
    board = GAME.parse_position("B:W9,10,11,17,18,19,25,26,27:BK2,K3,K5,K7,K12,K13,K29")
    assert GAME.count("features", board, 0)[4] == 34
    participants, options = gather(PLAIN), {"draws": 0, "learn": True}
    players = participants.weights, participants.learning, participants.seats, participants.shapes
    table = td_linear._Table(players, np.uint64(1), options)
    episode = table.learning
    episode.states[:] = 99
    episode.counts[1] = 3
    given = enter(GAME.code, board, table.workspace.states), False, 0.0
    table.games._see(0, 1, *given, table.packed, table.workspace, episode)
    at = len(episode.states) // 2 + 3 * 14
    assert episode.states[at : at + 6].tolist() == [9, 0, 0, 7, 0, 31]
    assert (episode.states[:at] == 99).all()
    assert (episode.states[at + 14 :] == 99).all()
    assert episode.counts.tolist() == [0, 4]


# Who learns


def test_nobody_learns_who_must_not() -> None:
    participants = gather(PLAIN, PLAIN._replace(features=4))
    pairings = [(0, 1), (1, 0), (1, 1)]
    before = participants.weights.copy()
    outputs = meet(participants, pairings, 6, learn=False)
    np.testing.assert_array_equal(read_weights(outputs), before[np.array(pairings)])
    assert outputs[2][:, ERROR].tolist() == [0.0] * 3
    assert outputs[1].sum(axis=1).tolist() == [6] * 3
    participants.learning[1, RATE] = 0.0
    outputs = meet(participants, pairings, 6)
    changed = (read_weights(outputs) != before[np.array(pairings)]).any(axis=2)
    assert changed.tolist() == [[True, False], [False, True], [False, False]]
    np.testing.assert_array_equal(participants.weights, before)


def test_who_plays_himself_has_one_set_of_weights() -> None:
    outputs = meet(gather(PLAIN), [(0, 0)], 5)
    one, two = read_weights(outputs)[0]
    np.testing.assert_array_equal(one, two)
    assert (one[:14] != 0.0).all()
    assert (one[14:] == 0.0).all()


def test_who_begins() -> None:
    """A player that looks ahead always wins against one that plays at random."""
    pieces = np.array(GAME.plain["FEATURE_VALUES"])
    participants = gather(PLAIN, PLAIN, depth=4)
    participants.weights[0] = np.pad(pieces, (0, MAX_GENES - len(pieces)))
    participants.seats[1, KIND] = RANDOM
    for alternate in (False, True):
        outputs = meet(participants, [(0, 1), (1, 0)], 10, learn=False, alternate=alternate)
        assert outputs[1].tolist() == [[10, 0, 0], [0, 0, 10]]
        assert outputs[2][:, FIRST_WINS].tolist() == ([5.0, 5.0] if alternate else [10.0, 0.0])


def test_lost_weights_are_no_numbers() -> None:
    outputs = meet(gather(PLAIN._replace(rate=1.0, faithful=1)), [(0, 0)], 10)
    assert np.isnan(read_weights(outputs)).any()


# Work


@pytest.mark.parametrize(
    ("pairings", "seeds", "said"),
    [([(0, 2)], 1, "outside 0 to 1"), ([(-1, 0)], 1, "outside 0 to 1"), ([(0, 1)], 2, "2 seeds")],
)
def test_what_does_not_fit_is_refused(
    pairings: list[tuple[int, int]], seeds: int, said: str
) -> None:
    participants = gather(PLAIN, PLAIN)
    with pytest.raises(ValueError, match=said):
        make_meetings(participants, pairings, np.zeros(seeds, dtype=np.uint64), games=1, learn=True)


def test_a_genome_must_be_its_decoders() -> None:
    with pytest.raises(ValueError, match="player 0 has 14 genes, not 15"):
        make_participants([make_decoder(PLAIN)], [PLAIN], [np.zeros(14)])
