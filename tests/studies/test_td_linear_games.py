"""Games in which linear players learn: replayed move by move in Python, and who learns when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve_arena.arena.executors import ProcessExecutor, SerialExecutor
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.game import Outcome
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.games.checkers.board import DRAW_PLIES, MOST_MOVES, note_position
from evolve_arena.games.checkers.features import count_features
from evolve_arena.games.checkers.game import Checkers, Position
from evolve_arena.games.checkers.linear import PIECES, LinearDecoder
from evolve_arena.games.checkers.values import DEPTH, make_checkers_workspace
from evolve_arena.players.packed import KIND, RANDOM
from evolve_arena.studies.checkers_td import linear_games
from evolve_arena.studies.checkers_td.linear_games import (
    DRAWS,
    ERROR,
    FIGURES,
    FIRST_WINS,
    PLIES,
    meet_part,
)
from evolve_arena.studies.checkers_td.linear_learning import (
    ACCUMULATING,
    AFTER,
    BEFORE,
    BURGE,
    END_OF_GAME,
    EVERY_MOVE,
    MOST_FEATURES,
    MOST_GENES,
    NONE,
    TD,
    LearningSettings,
    learn_from_game,
    learn_from_move,
    write_tables,
)
from evolve_arena.studies.checkers_td.linear_matches import (
    Participants,
    make_meetings,
    make_participants,
    read_weights,
)

PLAIN = LearningSettings(
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


def make_decoder(learning: LearningSettings, **options: Any) -> LinearDecoder:
    encoding = "binary" if learning.binary else "many-valued"
    return LinearDecoder(
        **{"depth": 2, "features": learning.features, "encoding": encoding, **options}
    )


def gather(*learning_rows: LearningSettings, scale: float = 0.1, **options: Any) -> Participants:
    """Players with random weights."""
    decoders = [make_decoder(learning, **options) for learning in learning_rows]
    generator = np.random.default_rng(4)
    genomes = [scale * generator.normal(0.0, 1.0, decoder.genes) for decoder in decoders]
    return make_participants(decoders, learning_rows, genomes)


def meet(
    participants: Participants, pairings: Any, games: int, seed: int = 1, **options: Any
) -> list[NDArray[Any]]:
    seeds = derive_seeds(seed, 0, "test", len(pairings))
    options = {"learn": True, **options}
    return SerialExecutor().do(make_meetings(participants, pairings, seeds, games=games, **options))


# Replayed


class Replay:
    """The same games, with the rules for people, and episodes as lists."""

    def __init__(
        self,
        participants: Participants,
        pairing: tuple[int, int],
        seed: Any,
        turned: int,
        draws: str = "standard",
    ):
        self.draws = draws
        rows = list(dict.fromkeys(pairing))
        self.players = [rows.index(row) for row in pairing]
        self.learning_rows = participants.learning[rows]
        self.weights = participants.weights[rows]
        self.game = Checkers(turned=turned)
        self.stream = np.array([seed], dtype=np.uint64)
        self.packed_players = [
            linear_games._lay_table(
                *(array[row : row + 1] for array in (participants.seats, participants.learning)),
                *(participants.weights[row : row + 1], np.uint64(0)),
            ).packed
            for row in rows
        ]
        self.traces = np.zeros((2, MOST_GENES))
        self.figures = np.zeros(FIGURES)
        self.scores = [0, 0, 0]

    def play(self, first: int, learn: bool) -> None:
        """One game, which the pairing's player number *first* begins."""
        self.seats = [self.players[first], self.players[1 - first]]
        self.episodes: list[list[list[int]]] = [[], []]
        self.traces[:] = 0.0
        position = self.game.initial()
        slot = 1
        while (outcome := self.end(position)) is None:
            slot = self.game.to_move(position)
            states = self.learning_rows[self.seats[slot], 7]
            if learn and states == BEFORE:
                self.see(position, slot)
            position = self.game.play_on(position, self.choose(position, slot))
            if learn and states == AFTER and self.end(position) is None:
                self.see(position, slot)
            self.figures[PLIES] += 1
        reward = 2.0 * outcome.scores[0] - 1.0
        for slot in range(2 if learn else 0):
            self.see(position, slot, last=True, reward=reward if slot == 0 else -reward)
        self.figures[[FIRST_WINS, DRAWS]] += [reward == 1.0, reward == 0.0]
        self.scores[int(1 - reward) if first == 0 else int(1 + reward)] += 1

    def end(self, position: Position) -> Outcome | None:
        """How the game ended by its rule of draws, or None while it goes on."""
        outcome = self.game.outcome(position)
        if outcome is None or outcome.places != (1, 1) or self.draws == "standard":
            return outcome
        if self.draws == "forty-moves":
            return outcome if len(position.past) == DRAW_PLIES else None
        dark, light = position.dark.bit_count(), position.light.bit_count()
        return Outcome((1 + (dark < light), 1 + (dark > light)), "by pieces")

    def choose(self, position: Position, slot: int) -> Any:
        """What the player thinks best with the weights of now, in a table without memory."""
        who = self.seats[slot]
        packed = self.packed_players[who]
        write_tables(self.learning_rows, self.weights, who, packed.columns, 0)
        workspace = make_checkers_workspace(packed)._replace(streams=self.stream)
        workspace.past[: len(position.past)] = position.past
        boards = self.boards(position, slot)
        quiet = len(position.past)
        note_position(workspace.past, quiet, *boards, position.side)
        if self.draws == "forty-moves":  # nothing is seen again
            workspace.past[: quiet + 1] = np.arange(1, quiet + 2)
        kernel = find_variant(find_game("checkers"), self.game.rules, packed)["kernel"]
        return self.game.move_of(
            int(kernel.decide(packed, slot, *boards, position.side, quiet, workspace))
        )

    def boards(self, position: Position, slot: int) -> Any:
        """The pieces of who sits on *slot*, of the other, and the kings."""
        pieces = np.uint64(position.dark), np.uint64(position.light)
        side = slot ^ self.game.turned
        return pieces[side], pieces[1 - side], np.uint64(position.kings)

    def see(self, position: Position, slot: int, last: bool = False, reward: float = 0.0) -> None:
        """Adds a position to an episode and learns from it."""
        who = self.seats[slot]
        size = int(self.learning_rows[who, 8])
        if self.learning_rows[who, 0] == 0.0:
            return
        features = np.zeros(size, dtype=np.int64)
        workspace = np.zeros(MOST_MOVES, dtype=np.uint64)
        side = slot ^ self.game.turned
        count_features(features, 0, size, *self.boards(position, slot), side, workspace, 0)
        episode = self.episodes[slot]
        episode.append(np.minimum(features, 31).tolist())
        states = np.ravel(episode)
        count = len(episode)
        knowledge = self.learning_rows, self.weights, who, states
        if self.learning_rows[who, 4] == EVERY_MOVE:
            if count > 1:
                self.figures[ERROR] += learn_from_move(
                    *(*knowledge, (count - 2) * size, (count - 1) * size, last, reward),
                    *(self.traces, slot),
                )
        elif last:
            self.figures[ERROR] += learn_from_game(
                *(*knowledge, 0, count, reward, self.traces, slot, np.zeros(count))
            )


PAIRS = [("Burge", "before"), ("nothing", "after moves"), ("binary", "as printed")]


@pytest.mark.parametrize(
    ("kinds", "turned"), [*(((kind,), 0) for kind in LESSONS), *((pair, 1) for pair in PAIRS)]
)
def test_games_and_lessons_are_those_of_a_replay(kinds: tuple[str, ...], turned: int) -> None:
    """Against oneself, where there is one kind, or against the other."""
    participants = gather(*(LESSONS[kind] for kind in kinds), turned=turned)
    participants.seats[-1, DEPTH] = 4  # searches with a table
    pairing = (0, len(kinds) - 1)
    options = {"turned": turned, "alternate": turned == 1}
    outputs = meet(participants, [pairing], 2, **options)
    seed = derive_seeds(1, 0, "test", 1)[0]
    replay = Replay(participants, pairing, seed, turned)
    for game in range(2):
        replay.play(game % 2 if turned and len(kinds) > 1 else 0, learn=True)
    assert outputs[1][0].tolist() == replay.scores
    np.testing.assert_allclose(outputs[2][0], replay.figures, rtol=1e-12)
    weights = read_weights(outputs)[0]
    np.testing.assert_allclose(weights, replay.weights[replay.players], rtol=1e-9)
    change = np.abs(weights - participants.weights[list(pairing)]).max(axis=1)
    assert ((change > 1e-3) == [kind != "nothing" for kind in (kinds * 2)[:2]]).all()


@pytest.mark.parametrize("draws", ["standard", "forty-moves", "pieces"])
def test_games_are_drawn_by_the_rule_that_is_asked_for(draws: str) -> None:
    participants = gather(LESSONS["as printed"], scale=0.01)
    outputs = meet(participants, [(0, 0)], 12, draws=draws)
    replay = Replay(participants, (0, 0), derive_seeds(1, 0, "test", 1)[0], 0, draws)
    for _ in range(12):
        replay.play(0, learn=True)
    assert outputs[1][0].tolist() == replay.scores
    np.testing.assert_allclose(outputs[2][0], replay.figures, rtol=1e-12)
    np.testing.assert_allclose(read_weights(outputs)[0, 0], replay.weights[0], rtol=1e-9)
    plain = meet(participants, [(0, 0)], 12)
    assert (draws == "standard") == (outputs[2][0].tolist() == plain[2][0].tolist())


def test_values_beyond_31_count_as_31() -> None:
    """As in the tables of the search; kings can have more captures than that."""
    fen = "B:W9,10,11,17,18,19,25,26,27:BK2,K3,K5,K7,K12,K13,K29"
    position = Checkers().parse_position(fen)
    boards = [np.uint64(bits) for bits in (position.dark, position.light, position.kings)]
    assert len(Checkers().legal_moves(position)) == 34
    table = linear_games._lay_table(*_rows(PLAIN), np.uint64(1))
    episode = linear_games.make_episode_workspace()
    episode.states[:] = 99
    episode.counts[1] = 3
    linear_games._see(
        *(table.learning_rows, table.weights, 0, 1, *boards, 0, False, 0.0),
        *(table.packed.columns, table.workspace, episode),
    )
    at = linear_games.MOST_STATES * MOST_FEATURES + 3 * 14
    assert episode.states[at : at + 5].tolist() == [0, 7, 9, 0, 31]
    assert (episode.states[:at] == 99).all()
    assert (episode.states[at + 14 :] == 99).all()
    assert episode.counts.tolist() == [0, 4]


def _rows(learning: LearningSettings) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    participants = gather(learning)
    return participants.seats, participants.learning, participants.weights


# Who learns


def test_nobody_learns_who_must_not() -> None:
    participants = gather(PLAIN, PLAIN._replace(features=4))
    pairings = [(0, 1), (1, 0), (1, 1)]
    before = participants.weights.copy()
    outputs = meet(participants, pairings, 6, learn=False)
    np.testing.assert_array_equal(read_weights(outputs), before[np.array(pairings)])
    assert outputs[2][:, ERROR].tolist() == [0.0] * 3
    assert outputs[1].sum(axis=1).tolist() == [6] * 3
    outputs = meet(participants.with_rate(1, 0.0), pairings, 6)
    changed = (read_weights(outputs) != before[np.array(pairings)]).any(axis=2)
    assert changed.tolist() == [[True, False], [False, True], [False, False]]
    np.testing.assert_array_equal(participants.weights, before)
    assert participants.learning[1, 0] == PLAIN.rate


def test_who_plays_himself_has_one_set_of_weights() -> None:
    outputs = meet(gather(PLAIN), [(0, 0)], 5)
    one, two = read_weights(outputs)[0]
    np.testing.assert_array_equal(one, two)
    assert (one[:14] != 0.0).all()
    assert (one[14:] == 0.0).all()


def test_who_begins() -> None:
    """Somebody who looks ahead always wins against one who plays at random."""
    participants = gather(PLAIN, PLAIN, depth=4).with_weights({0: np.array(PIECES)})
    participants.seats[1, KIND] = RANDOM
    for alternate in (False, True):
        outputs = meet(participants, [(0, 1), (1, 0)], 10, learn=False, alternate=alternate)
        assert outputs[1].tolist() == [[10, 0, 0], [0, 0, 10]]
        assert outputs[2][:, FIRST_WINS].tolist() == ([5.0, 5.0] if alternate else [10.0, 0.0])


def test_new_weights_take_the_place_of_all() -> None:
    participants = gather(PLAIN)
    row = participants.with_weights({0: np.array([2.0, 3.0])}).weights[0]
    assert row.tolist() == [2.0, 3.0, *[0.0] * (MOST_GENES - 2)]


def test_lost_weights_are_no_numbers() -> None:
    outputs = meet(gather(PLAIN._replace(rate=1.0, faithful=1)), [(0, 0)], 10)
    assert np.isnan(read_weights(outputs)).any()


# Work


def test_any_number_of_workers_does_the_same() -> None:
    participants = gather(*LESSONS.values())
    pairings = [(place, place) for place in range(4)] + [(4, 5), (6, 0), (1, 2), (2, 1)]
    seeds = derive_seeds(3, 1, "test", len(pairings))
    work = make_meetings(participants, pairings, seeds, games=4, learn=True, alternate=True)
    copies = [array.copy() for array in work.inputs]
    expected = SerialExecutor().do(work)
    with ProcessExecutor(2) as executor:
        for found, wanted in zip(executor.do(work), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
    for before, after in zip(copies, work.inputs, strict=True):
        np.testing.assert_array_equal(before, after)
    part = [np.full_like(array, 5) for array in expected]  # done again over what it left
    meet_part(work.options, work.inputs, part, slice(3, 6))
    for found, wanted in zip(part, expected, strict=True):
        np.testing.assert_array_equal(found[3:6], wanted[3:6])
        assert (found[:3] == 5).all()


@pytest.mark.parametrize(
    ("pairings", "seeds", "said"),
    [([(0, 2)], 1, "outside 0 to 1"), ([(-1, 0)], 1, "outside 0 to 1"), ([(0, 1)], 2, "2 seeds")],
)
def test_what_does_not_fit_is_refused(pairings: Any, seeds: int, said: str) -> None:
    participants = gather(PLAIN, PLAIN)
    with pytest.raises(ValueError, match=said):
        make_meetings(participants, pairings, np.zeros(seeds, dtype=np.uint64), games=1, learn=True)


def test_a_genome_must_be_its_decoders() -> None:
    with pytest.raises(ValueError, match="player 0 has 13 genes, not 14"):
        make_participants([make_decoder(PLAIN)], [PLAIN], [np.zeros(13)])
