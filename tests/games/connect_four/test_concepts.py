"""The concept states: what they are, who solves them, and how often chance is asked."""

from __future__ import annotations

import csv
from collections import Counter
from importlib import resources

import numpy as np
import pytest

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import Stream, below
from evolve_arena.games.connect_four.column_player import MinimaxPlayer
from evolve_arena.games.connect_four.concepts import _read_states, concept_groups, fits_concepts
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.network import NetworkDecoder
from evolve_arena.players.player import Forfeit, ForfeitError, Player, make_random
from evolve_arena.runs.evaluation import evaluate_player, print_evaluation

GAME = ConnectFour()
STATES = _read_states()
DATA = resources.files("evolve_arena.games.connect_four") / "data/concept_states.csv"
ROWS = list(csv.DictReader(DATA.read_text("utf-8").splitlines()))
BOARD = "board_top_to_bottom_x_to_move"


class Knowing(Player):
    """Knows some answers, and counts how often it is asked."""

    name = "knowing"

    def __init__(self, known: frozenset[str]) -> None:
        self.known = known
        self.asked: Counter[Position] = Counter()
        self.sides: list[int] = []

    def begin(self, side: int) -> None:
        """Notes the side."""
        self.sides.append(side)

    def choose(self, position: Position, stream: Stream) -> int:
        """The answer, or another column."""
        self.asked[position] += 1
        (state,) = (state for state in STATES if state.position == position)
        legal = GAME.legal_moves(position)
        return state.answer if state.groups & self.known else (set(legal) - {state.answer}).pop()


class Drawing(Knowing):
    """Knows the answer, but gives it in a quarter of all cases only."""

    def choose(self, position: Position, stream: Stream) -> int:
        """The answer, or none."""
        answer = super().choose(position, stream)
        return answer if below(stream, 4) == 0 else -1


def test_every_state_has_one_disc_that_wins_or_keeps_from_winning() -> None:
    assert len(STATES) == len({state.position for state in STATES}) == 60
    for state in STATES:
        position = state.position
        assert GAME.to_move(position) == 0
        if "A" in state.groups:
            winning = winning_columns(position)
        else:
            winning = winning_columns(Position(position.rules, position.second, position.first))
        assert winning == [state.answer]


def test_a_defence_is_an_attack_with_the_colours_exchanged() -> None:
    attacks, defences = ROWS[:30], ROWS[30:]
    assert [row["id"] for row in ROWS] == [f"TS{number}" for number in range(1, 61)]
    assert {row["category"] for row in attacks} == {"attack"}
    assert {row["category"] for row in defences} == {"defence"}
    exchange = str.maketrans("xo", "ox")
    for attack, defence in zip(attacks, defences, strict=True):
        assert attack[BOARD].translate(exchange) == defence[BOARD]
        assert attack[BOARD].count("x") == attack[BOARD].count("o")
        assert int(attack["discs_on_board"]) == 42 - attack[BOARD].count(".")
        for key in ("win_type", "correct_column_0based", "landing_row_from_bottom_0based"):
            assert attack[key] == defence[key]


def test_the_disc_that_wins_completes_lines_of_one_kind_and_the_opponent_has_none() -> None:
    for row, state in zip(ROWS[:30], STATES[:30], strict=True):
        cells = {(at % 7, 5 - at // 7): disc for at, disc in enumerate(row[BOARD])}
        cell = state.answer, int(row["landing_row_from_bottom_0based"])
        assert cells[cell] == "."
        assert cell[1] == 0 or cells[cell[0], cell[1] - 1] != "."
        own = {place for place, disc in cells.items() if disc == "x"} | {cell}
        assert lines_through(cell, own) == {row["win_type"]}
        assert winning_columns(state.position.swap_colours()) == []


def lines_through(cell: tuple[int, int], own: set[tuple[int, int]]) -> set[str]:
    """The kinds of lines of four of *own* cells that *cell* is part of."""
    directions = {(1, 0): "row", (0, 1): "column", (1, 1): "diagonal", (1, -1): "diagonal"}
    column, row = cell
    return {
        kind
        for (right, up), kind in directions.items()
        for start in range(-3, 1)
        if all((column + k * right, row + k * up) in own for k in range(start, start + 4))
    }


def test_a_defence_holds_for_four_plies_and_every_other_disc_loses_at_once() -> None:
    for state in STATES[30:]:
        for column in GAME.legal_moves(state.position):
            after = GAME.play(state.position, column)
            assert wins_within(after, 1) == (column != state.answer)
        assert not wins_within(GAME.play(state.position, state.answer), 3)


def wins_within(position: Position, plies: int) -> bool:
    """Whether who is to move wins, whatever the other does."""
    for column in GAME.legal_moves(position):
        after = GAME.play(position, column)
        outcome = GAME.outcome(after)
        if outcome is not None:
            if outcome.winner is not None:
                return True
        elif plies > 2 and all(
            GAME.outcome(reply) is None and wins_within(reply, plies - 2)
            for reply in (GAME.play(after, move) for move in GAME.legal_moves(after))
        ):
            return True
    return False


def winning_columns(position: Position) -> list[int]:
    outcomes = {
        move: GAME.outcome(GAME.play(position, move)) for move in GAME.legal_moves(position)
    }
    return [move for move, outcome in outcomes.items() if outcome and outcome.winner == 0]


def test_the_groups_are_those_of_the_paper() -> None:
    sizes = Counter("".join(sorted(state.groups)) for state in STATES)
    assert sizes == dict.fromkeys(["AR", "AD", "AK", "FR", "DF", "FK"], 10)


@pytest.mark.parametrize(
    ("known", "shares"),
    [
        ("AF", {"A": 1.0, "F": 1.0, "R": 1.0, "D": 1.0, "K": 1.0}),
        ("A", {"A": 1.0, "F": 0.0, "R": 0.5, "D": 0.5, "K": 0.5}),
        ("K", {"A": 1 / 3, "F": 1 / 3, "R": 0.0, "D": 0.0, "K": 1.0}),
        ("", {"A": 0.0, "F": 0.0, "R": 0.0, "D": 0.0, "K": 0.0}),
    ],
)
def test_shares_are_of_the_states_of_each_group(known: str, shares: dict[str, float]) -> None:
    player = Knowing(frozenset(known))
    groups = concept_groups(player)
    assert {name: group.share for name, group in groups.items()} == pytest.approx(shares)
    assert {name: group.states for name, group in groups.items()} == {
        **dict.fromkeys("AF", 30),
        **dict.fromkeys("RDK", 20),
    }
    assert set(player.asked.values()) == {1}
    assert player.sides == [0] * 60


def test_whoever_draws_is_asked_again_and_again() -> None:
    player = Drawing(frozenset("AF"))
    groups = concept_groups(player, GAME, times=200, seed=4)
    assert set(player.asked.values()) == {200}
    # A quarter of 6000 and 4000 answers: three standard errors.
    for group in groups.values():
        assert group.share == pytest.approx(0.25, abs=3 * np.sqrt(0.1875 / 4000))
    again = concept_groups(Drawing(frozenset("AF")), GAME, times=200, seed=4)
    other = concept_groups(Drawing(frozenset("AF")), GAME, times=200, seed=5)
    assert groups == again != other


def test_the_interval_is_that_of_one_answer_to_each_state() -> None:
    groups = concept_groups(Drawing(frozenset("AF")), times=2)
    low, high = groups["A"].interval
    assert low == pytest.approx(0.12, abs=0.06)
    assert high - low > 0.25
    assert groups["A"].to_dict()["wilson_95"] == [low, high]


def test_a_search_of_one_ply_attacks_and_of_two_defends() -> None:
    shallow = concept_groups(MinimaxPlayer(GAME, 1))
    deeper = concept_groups(MinimaxPlayer(GAME, 2))
    assert shallow["A"].share == deeper["A"].share == deeper["K"].share == 1.0
    assert shallow["F"].share == pytest.approx(0.18, abs=0.05)
    assert deeper["F"].share == 1.0


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_whoever_looks_two_plies_ahead_solves_all_states(depth: int) -> None:
    groups = concept_groups(MinimaxPlayer(GAME, depth), times=20)
    assert {name: group.share for name, group in groups.items()} == dict.fromkeys("AFRDK", 1.0)


def test_chance_alone_solves_one_state_in_six() -> None:
    expected = np.mean([1 / len(GAME.legal_moves(state.position)) for state in STATES])
    groups = concept_groups(make_random(GAME), times=300)
    assert (groups["A"].share + groups["F"].share) / 2 == pytest.approx(expected, abs=0.01)


def test_a_value_network_that_takes_wins_attacks() -> None:
    for take_wins in (True, False):
        decoder = NetworkDecoder(head="value", take_wins=take_wins)
        player = decoder.player(np.zeros(decoder.genes, dtype=np.float32), "zero")
        groups = concept_groups(player)
        assert (groups["A"].share == 1.0) == take_wins
        assert groups["F"].share < 0.3


def test_a_bot_that_fails_has_not_solved_the_state() -> None:
    class Failing(Knowing):
        def choose(self, position: Position, stream: Stream) -> int:
            if len(self.sides) % 2:
                raise ForfeitError(Forfeit.CRASH, "It crashed.")
            return super().choose(position, stream)

    groups = concept_groups(Failing(frozenset("AF")))
    assert groups["A"].share == groups["F"].share == 0.5


def test_other_boards_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    for board in ((8, 6, 4), (7, 6, 5), (7, 7, 4)):
        game = ConnectFour(*board)
        assert not fits_concepts(game)
        with pytest.raises(BadValueError, match="7 by 6, 4 in a row"):
            concept_groups(make_random(game), game)
    small = ConnectFour(5, 4, 3)
    content = evaluate_player(make_random(small), small, games=2, opponents=["random"])
    assert content["concepts"] == {}
    print_evaluation(content, small)
    assert "concept states: left out" in capsys.readouterr().out


def test_the_evaluation_tells_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    content = evaluate_player(MinimaxPlayer(GAME, 2), GAME, games=2, opponents=["random"])
    assert list(content["concepts"]) == ["A", "F", "R", "D", "K"]
    assert content["concepts"]["A"]["share"] == 1.0
    assert content["concepts"]["A"]["states"] == 30
    print_evaluation(content, GAME)
    printed = capsys.readouterr().out
    assert "A (attack)" in printed
    assert "K (column)" in printed
