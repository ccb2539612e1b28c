"""The method ``imitation-decisions``: whose decisions are learnt, and that they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import evolve_arena as ea
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.arena.match import play_match
from evolve_arena.cli.app import app
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Settings
from evolve_arena.evolve.learning.learner import DivergedError
from evolve_arena.evolve.method import Report
from evolve_arena.games.ticket_to_ride.features import FEATURE_SCALES
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    PASS,
    PHASE,
    ROUND,
    TO_MOVE,
    TRAINS,
    TURN,
    player_at,
)
from evolve_arena.players.board.game import Board
from evolve_arena.players.evolved import read_player
from evolve_arena.players.player import Player
from evolve_arena.players.specification import make_player
from evolve_arena.runs.api import resume, start
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.store.kept_games import KeptGames, parse_games
from evolve_arena.studies.ticket_to_ride.decision_sets import (
    DataSet,
    build_data_set,
    choose_games,
    list_decisions,
    read_source,
)
from evolve_arena.studies.ticket_to_ride.imitation import (
    DecisionImitation,
    ImitationConfig,
    ImitationState,
)
from tests.studied import nest

SETTINGS: Settings = {
    "data__players": [2, 3],
    "data__games": 12,
    "data__best": 4,
    "data__minimum_points": 60,
    "data__held_out": 0.2,
    "batch_size": 50,
}


def make_teacher(count: int = 4) -> Player:
    return make_player("rule:code", make_game("ticket-to-ride", seats=count))


def build(**changes: object) -> DataSet:
    asked = {k: SETTINGS[f"data__{k}"] for k in ("players", "games", "best", "minimum_points")}
    return build_data_set(make_teacher(), **{**asked, "rows": "winner", "seed": 3, **changes})


def watch(count: int, seed: int) -> tuple[list[tuple[tuple[int, ...], int]], int]:
    """Return states at the teacher's turns in a match, with the moves, and the winner."""
    teacher, turns, before = make_teacher(count), [], []

    def note(position: Board, move: int | None) -> None:
        if move is not None and before[-1].state[PHASE] == TURN:
            turns.append((before[-1].state, move))
        before.append(position)

    match = play_match(teacher.game, [teacher] * count, seed=seed, watch=note)
    return turns, int(np.argmin(match.places))


def make_method(**changes: object) -> DecisionImitation:
    network = find_game("ticket-to-ride").networks["mlp"].decoder_type
    kinds = {"head": "kinds", "script": "rule:code", "masked": False}
    decoder = network(encoding="features", features=26, hidden=(12,), **kinds)
    return DecisionImitation(ImitationConfig.model_validate(nest({**SETTINGS, **changes})), decoder)


def learn(method: DecisionImitation, seed: int, steps: int) -> tuple[ImitationState, list[Report]]:
    state, reports = method.initial(seed), []
    for _ in range(steps):
        state, report = method.step(state, Arena(method.decoder, SerialExecutor()))
        reports.append(report)
    return state, reports


def test_the_best_games_are_chosen_by_their_best_player() -> None:
    points = np.array([[90, 130], [125, 20], [119, 118], [130, 120], [10, 140]])
    assert choose_games(points, 10, 120).tolist() == [4, 0, 3, 1]
    assert choose_games(points, 2, 120).tolist() == [4, 0]
    assert choose_games(points, 10, 141).tolist() == []


def test_decisions_are_those_of_the_turns() -> None:
    """The same matches move by move: the same deciders and positions."""
    teacher, seeds = make_teacher(3), derive_seeds(1, 0, "test", 2)
    rows, seats = list_decisions(teacher.game, teacher, seeds, 1000)
    row = 0
    for match, seed in enumerate(seeds):
        for state, move in watch(3, int(seed))[0]:
            seat = state[TO_MOVE]
            assert (rows.games[row], seats[row]) == (match, seat)
            own = player_at(seat)
            seen = rows.features[row, [0, 1, 7, 14]].tolist()
            assert seen == [state[ROUND], state[own + CARDS], state[own + TRAINS], 3]
            assert rows.kinds[row] == (3 if move < 900 else 0 if move == PASS else 1 + (move > 909))
            row += 1
    assert row == len(rows)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep games of the rule player, at one side of the table, with one that plays at random."""
    file = tmp_path_factory.mktemp("kept") / "games.jsonl"
    games = KeptGames(file)
    game = make_game("ticket-to-ride")
    ea.duel("rule:code", "random", games=40, game=game, seed=5, on_match=games.keep)
    games.write()
    return file


def test_decisions_in_kept_games_are_those_that_were_made(kept: Path) -> None:
    teacher = make_teacher()
    found = read_source(f"games:{kept},player=rule:code", teacher, [4], "winner")
    row = 0
    for number, each in enumerate(parse_games(kept.read_text(), teacher.game)):
        position = teacher.game.initial(int(each.seed))
        for move in each.numbers:
            seat = position.state[TO_MOVE]
            if position.state[PHASE] == TURN and each.players[seat] == "rule:code":
                own = player_at(seat)
                assert found.games[row] == number
                seen = found.features[row, [0, 1, 7, 14]].tolist()
                state = position.state
                assert seen == [state[ROUND], state[own + CARDS], state[own + TRAINS], 4]
                kind = 3 if move < 900 else 0 if move == PASS else 1 + (move > 909)
                assert found.kinds[row] == kind
                row += 1
            position = teacher.game.play(position, move)
    assert row == len(found)
    everybody = read_source(f"games:{kept}", teacher, [4], "all")
    winners = read_source(f"games:{kept}", teacher, [4], "winner")
    assert len(everybody) > len(found) > len(winners) > 0
    with pytest.raises(BadValueError, match="has no decisions to learn"):
        read_source(f"games:{kept}", teacher, [3], "all")


def test_a_log_that_the_command_writes_teaches_the_rule(kept: Path, tmp_path: Path) -> None:
    log = tmp_path / "learn_all.csv"
    words = ["decisions", str(kept), "--out", str(log), "--player", "rule:code"]
    words += ["--script", "rule:code"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    teacher = make_teacher()
    rows = read_source(f"games:{kept},player=rule:code", teacher, [4], "all")
    logged = read_source(f"log:{log}", teacher, [4], "all")
    assert np.array_equal(rows.kinds, logged.kinds)
    np.testing.assert_allclose(logged.features, rows.features, rtol=1e-6)
    assert len(np.unique(logged.games)) >= len(np.unique(rows.games))
    changes = {"method.data.source": f"log:{log}", "run.generations": 60, "check.games": 10}
    changes |= {"network.script": "rule:code"}
    run = start(
        "ticket-to-ride-imitation", run=tmp_path / "run", changes=changes, executor="serial"
    )
    assert run.history()["accuracy_held_out"][-1] >= 0.9
    kept_state = run.state()
    log.unlink()  # what was read is in the run
    resume(run.path, generations=61, executor="serial")
    assert np.array_equal(run.state(61).kinds, kept_state.kinds)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1,2,3\n", "line 1 has 3 columns, not 28 features and a decision"),
        (",".join(["x"] * 29), "line 1 has something else than numbers"),
        (",".join(["1"] * 28 + ["4"]), "a decision is none of 0 to 3"),
        (",".join(["inf"] + ["1"] * 28), "or a number is infinite"),
        ("", "has no decisions to learn"),
    ],
)
def test_wrong_logs_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    (file := tmp_path / "log.csv").write_text(text)
    with pytest.raises(BadValueError, match=reason):
        read_source(f"log:{file}", make_teacher(), [4], "all")
    with pytest.raises(BadValueError, match="it must be games:PATH"):
        make_method(data__source="file.csv")


@pytest.mark.parametrize("rows", ["winner", "all"])
def test_the_rows_are_the_decisions_of_the_winners_of_the_best_games(rows: str) -> None:
    found = build(rows=rows, players=[3, 2], games=3, best=2)
    kinds, games = [], []
    for first, count in ((0, 3), (2, 2)):
        seeds = derive_seeds(3, 0, f"games of {count} to imitate", 3)
        teacher = make_teacher(count)
        points = [
            play_match(teacher.game, [teacher] * count, seed=int(seed)).columns["points"]
            for seed in seeds
        ]
        best = np.argsort([-max(some) for some in points], kind="stable")[:2]
        for number, game in enumerate(sorted(best)):
            decisions, seats = list_decisions(teacher.game, teacher, seeds[[game]], 1000)
            wanted = (seats == np.argmax(points[game])) | (rows == "all")
            kinds += decisions.kinds[wanted].tolist()
            games += [first + number] * int(wanted.sum())
    assert found.kinds.tolist() == kinds
    assert found.games.tolist() == games


def test_games_are_held_out_whole() -> None:
    rows = build()
    learnt, held_out = rows.hold_out(0.3, 1)
    assert len(learnt) + len(held_out) == len(rows)
    assert len(set(held_out.games)) == 3  # of eight
    assert not set(learnt.games) & set(held_out.games)
    assert len(rows.hold_out(0.0, 1)[1]) == 0


def test_a_limit_that_no_game_reaches_is_an_error() -> None:
    with pytest.raises(BadValueError, match="of 12 games of 2 players none has 900 points"):
        build(minimum_points=900)


def test_a_network_learns_to_decide_like_the_rule_player() -> None:
    method = make_method(data__games=40, data__best=20, batch_size=20, learning_rate=0.003)
    state, reports = learn(method, 1, 30)
    assert [report.games for report in reports[:3]] == [80, 0, 0]
    assert reports[-1].statistics["loss"] < 0.5 * reports[0].statistics["loss"]
    learnt, held_out = method.find_rows(1)
    assert reports[-1].statistics["accuracy_held_out"] > (held_out.kinds == 1).mean()
    assert state.steps == 30 * -(-len(learnt) // 20)


@pytest.mark.parametrize("scaling", ["raw", "unit"])
def test_what_is_learnt_is_what_plays(scaling: str) -> None:
    """The network that is handed over decides as the learner is said to, whatever it learnt on."""
    method = make_method(data__scaling=scaling)
    state, reports = learn(method, 1, 3)
    learnt, _ = method.find_rows(1)
    seen = (learnt.features[:, :26] * FEATURE_SCALES[:26]).astype(np.float64)
    outputs = method.decoder.mlp.evaluate(state.population[0], seen)
    agreed = (outputs.argmax(axis=1) == learnt.kinds).mean()
    assert agreed == pytest.approx(reports[-1].statistics["accuracy"])
    chances = method.find_chances(state.population[0], learnt)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_array_equal(chances.argmax(axis=1), outputs.argmax(axis=1))
    player = method.decoder.player(state.population[0], "pupil")
    begin = player.game.initial(1)
    while begin.state[PHASE] != TURN:
        begin = player.game.play(begin, player.game.legal_moves(begin)[0])
    assert player.see(begin).values[0] == 1 * FEATURE_SCALES[0]  # type: ignore[union-attr]


def test_scaling_changes_nothing_but_the_steps() -> None:
    """The first weights of both differ by powers of two, and back again nothing is lost."""
    raw, unit = (make_method(data__scaling=scaling) for scaling in ("raw", "unit"))
    drawn, kept = raw.initial(5).population[0], unit.initial(5).population[0]
    assert not np.array_equal(drawn, kept)
    np.testing.assert_array_equal(raw._make_playable(drawn, back=True), kept)
    np.testing.assert_array_equal(raw._make_playable(kept), drawn)


def test_a_generation_may_be_a_number_of_batches() -> None:
    state, _ = learn(make_method(batches=7), 1, 1)
    assert state.steps == 7
    assert state.memory.any(axis=1).all()


def test_the_same_seed_teaches_the_same_and_another_another() -> None:
    """One method may serve runs of several seeds; what one plays is not learnt by another."""

    def teach(seed: int, method: DecisionImitation) -> tuple[bytes, bytes, list[Report]]:
        state, reports = learn(method, seed, 1)
        return state.population.tobytes(), state.memory.tobytes(), reports

    shared = make_method()
    first = teach(1, make_method())
    assert teach(1, shared) == first
    assert teach(2, shared) == teach(2, make_method()) != first
    assert teach(1, shared) == first


def test_weights_beyond_all_bounds_are_an_error() -> None:
    with pytest.raises(DivergedError, match=r"lower method\.learning_rate"):
        learn(make_method(solver="sgd", learning_rate=10.0, penalty=100.0), 1, 20)


def test_states_of_other_networks_do_not_fit() -> None:
    method = make_method()
    state = method.initial(1)
    assert method.find_mismatch(state) is None
    other = replace(state, population=state.population[:, 1:])
    assert method.find_mismatch(other) == "its population has shape (1, 375), not (1, 376)"
    other = replace(state, memory=state.memory[:1])
    assert "memory" in str(method.find_mismatch(other))
    other = replace(state, memory=state.memory.astype(np.float64))
    assert "32-bit" in str(method.find_mismatch(other))


def test_the_recipe_of_the_study(tmp_path: Path) -> None:
    recipe = load_recipe("ticket-to-ride-imitation")
    small = {"network.hidden": [6], "method.data.games": 8, "method.data.minimum_points": 20}
    checks = {"run.generations": 1, "method.batches": None, "check.games": 4}
    run = start(recipe.change(small | checks), run=tmp_path / "run", executor="serial")
    player = read_player(run.directory.champion.read_bytes())
    assert (player.decoder.inputs, player.decoder.outputs, player.decoder.masked) == (26, 4, False)
    np.testing.assert_array_equal(player.genome, run.state().population[0])
