"""Runs: the same bits from the same recipe, with any workers, stopped and resumed anywhere."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena import Run, resume, start
from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.tensors import read_tensors
from evolve_arena.players.bred import read_player
from evolve_arena.runs.errors import CheckpointError
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.history import History
from evolve_arena.runs.training.loop import Progress

LAST = 8
OWN = (
    "method.self_adaptive=true",
    "method.elites=2",
    "method.hall_of_fame.opponents=2",
    "method.hall_of_fame.every=2",
    "method.hall_of_fame.size=2",
    "method.openings.plies=3",
    "method.openings.count=2",
    "method.colours=both",
    "method.draw_points=0.5",
    "method.noise=0.1",
    "check.opening_plies=2",
)
DEAP = (
    "method.select=selTournament",
    "method.mate=cxTwoPoint",
    "method.mutate=mutGaussian",
    "method.elites=1",
    "method.hall_of_fame.opponents=1",
    "method.openings.plies=2",
    "network.head=value",
    "run.champion=last",
)
VARIANTS = {"own": OWN, "deap": DEAP}


OutcomeOf = Callable[[Path], Any]


def stop_at(generation: int) -> Callable[[Any], bool]:
    return lambda progress: progress.generation < generation


@pytest.fixture(scope="module", params=list(VARIANTS))
def recipe(request: pytest.FixtureRequest, small_recipe: Callable[..., Recipe]) -> Recipe:
    """A recipe with everything on, of our operators or of DEAP's."""
    return small_recipe(*VARIANTS[request.param], f"run.generations={LAST}")


@pytest.fixture(scope="module")
def expected(
    recipe: Recipe, tmp_path_factory: pytest.TempPathFactory, outcome_of: OutcomeOf
) -> Any:
    """What the recipe gives without being stopped, in one process."""
    path = tmp_path_factory.mktemp("serial") / "run"
    return outcome_of(start(recipe, run=path, executor="serial").path)


def test_a_run_does_what_its_recipe_says(recipe: Recipe, expected: Any) -> None:
    assert expected.generation == LAST
    assert expected.table["generation"] == list(range(LAST))
    begin = {0} if recipe.run.champion == "strongest" else set()
    assert {check.generation for check in expected.checks} == {3, 6, 8} | begin
    assert all(check.games == 20 for check in expected.checks)
    assert len(expected.checks) == 2 * (3 + len(begin))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_gives_the_same(
    recipe: Recipe, expected: Any, workers: int, tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    path = tmp_path / "run"
    run = start(recipe, run=path, executor="multiprocess", workers=workers)
    assert run.generation == LAST
    assert outcome_of(path) == expected


@pytest.mark.parametrize("generation", range(1, LAST))
def test_stopped_at_any_generation_and_resumed_it_is_the_same(
    recipe: Recipe, expected: Any, generation: int, tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    path = tmp_path / "run"
    stopped = start(recipe, run=path, executor="serial", callbacks=stop_at(generation))
    assert stopped.generation == generation
    assert generation in stopped.directory.generations()
    assert not stopped.is_complete()
    resumed = resume(path, executor="serial")
    assert resumed.warnings == []
    assert resumed.is_complete()
    assert outcome_of(path) == expected


@settings(max_examples=10)
@given(data=st.data())
def test_any_stops_with_any_executors_give_the_same(
    recipe: Recipe, expected: Any, data: st.DataObject, outcome_of: OutcomeOf
) -> None:
    executors = st.sampled_from([("serial", 1), ("multiprocess", 1), ("multiprocess", 3)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        start(recipe, run=path, executor="serial", callbacks=stop_at(1))
        for generation in sorted(data.draw(st.sets(st.integers(1, LAST), max_size=4))):
            executor, workers = data.draw(executors)
            resume(path, executor=executor, workers=workers, callbacks=stop_at(generation))
        resume(path, executor="serial")
        assert outcome_of(path) == expected


def test_going_on_from_an_earlier_checkpoint_gives_the_same(
    recipe: Recipe, expected: Any, tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    path = tmp_path / "run"
    start(recipe, run=path, executor="serial")
    assert RunDirectory(path).generations() == [0, 3, 6, 8]
    for generation in (6, 0, 3):
        seen: list[int] = []
        resume(
            path,
            from_generation=generation,
            force=True,
            executor="serial",
            callbacks=lambda progress, seen=seen: seen.append(progress.generation) is None,  # type: ignore[misc]
        )
        assert sorted(set(seen)) == list(range(generation + 1, LAST + 1))
        assert outcome_of(path) == expected
        assert RunDirectory(path).generations()[-1] == LAST


def test_what_came_after_an_earlier_checkpoint_is_forgotten(
    recipe: Recipe, expected: Any, tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    path = tmp_path / "run"
    start(recipe, run=path, executor="serial")
    resume(path, from_generation=3, force=True, executor="serial", callbacks=stop_at(4))
    assert RunDirectory(path).generations() == [0, 3, 4]
    early = outcome_of(path)
    assert early.table["generation"] == [0, 1, 2, 3]
    begin = {0} if recipe.run.champion == "strongest" else set()
    assert {check.generation for check in early.checks} == {3} | begin
    assert early.checks == [check for check in expected.checks if check.generation <= 3]
    with History(path / "history.db") as history:
        newest = history.check_ends()[-1]
    assert newest.generation == 3
    assert read_player(early.champion).remarks["generation"] == newest.champion


def test_a_run_resumed_when_it_is_complete_stays_as_it_is(
    recipe: Recipe, expected: Any, tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    path = tmp_path / "run"
    start(recipe, run=path, executor="serial")
    resume(path, executor="serial")
    assert outcome_of(path) == expected


HASHING = """
import sys
from evolve_arena import Run
run = Run.open(sys.argv[1])
run.advance(executor="multiprocess", workers=2)
print(run.population_sha256)
"""


def test_another_process_with_other_hashes_gives_the_same(
    recipe: Recipe, expected: Any, tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    path = tmp_path / "run"
    start(recipe, run=path, executor="serial", callbacks=stop_at(2))
    done = subprocess.run(
        [sys.executable, "-c", HASHING, str(path)],
        env={**os.environ, "PYTHONHASHSEED": "4242"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == expected.sha256
    assert outcome_of(path) == expected


def test_another_seed_gives_another_population(
    recipe: Recipe, expected: Any, tmp_path: Path
) -> None:
    run = start(recipe, run=tmp_path / "run", seed=2, executor="serial")
    assert run.state().seed == 2
    assert run.population_sha256 != expected.sha256


def test_a_longer_run_begins_as_a_shorter_one(
    small_recipe: Callable[..., Recipe], tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    long = start(
        small_recipe("run.generations=9"), run=tmp_path / "long" / "run", executor="serial"
    )
    short = start(
        small_recipe("run.generations=6"), run=tmp_path / "short" / "run", executor="serial"
    )
    assert short.population_sha256 == long.digest(long.state(6))
    longer = resume(tmp_path / "short" / "run", generations=9, executor="serial")
    assert longer.recipe.run.generations == 9
    assert Run.open(tmp_path / "short" / "run").recipe == longer.recipe
    assert outcome_of(tmp_path / "short" / "run") == outcome_of(tmp_path / "long" / "run")


def test_a_total_below_what_is_played_is_refused(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    start(small_recipe("run.generations=6"), run=tmp_path / "run", executor="serial")
    with pytest.raises(BadValueError, match="3"):
        resume(tmp_path / "run", generations=3, executor="serial")
    assert Run.open(tmp_path / "run").recipe.run.generations == 6


def test_a_run_of_no_generations_is_its_first_population(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    run = start(small_recipe("run.generations=0"), run=tmp_path / "run", executor="serial")
    assert run.generation == 0
    assert run.is_complete()
    assert {check.generation for check in run.checks()} == {0}
    initial = run.method.initial(1).population
    assert run.state().population.tobytes() == initial.tobytes()
    assert run.champion.genome.tobytes() in {row.tobytes() for row in initial}


def test_the_watcher_hears_of_every_generation(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    heard: list[tuple[int, int, int, int | None, int]] = []

    def watch(progress: Any) -> bool:
        heard.append(
            (
                progress.generation,
                progress.generations,
                progress.games,
                progress.checked,
                len(progress.results),
            )
        )
        assert progress.seconds >= progress.playing >= 0.0
        assert 0.0 <= progress.statistics["median"] <= progress.statistics["best"] <= 1.0
        return True

    start(
        small_recipe("run.generations=7"), run=tmp_path / "run", executor="serial", callbacks=watch
    )
    # 24 tournaments of three, three matches each; those of checks are none of breeding.
    checked = [0, 0, 3, 3, 3, 6, 7]
    assert heard == [(played, 7, 24 * 3 * played, checked[played - 1], 2) for played in range(1, 8)]


def test_what_the_watcher_heard_stays_as_it_was(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    heard: list[Progress] = []
    start(
        small_recipe("run.generations=7"),
        run=tmp_path / "run",
        executor="serial",
        callbacks=lambda progress: heard.append(progress) is None,
    )
    assert [progress.generation for progress in heard] == [1, 2, 3, 4, 5, 6, 7]
    medians = [progress.statistics["median"] for progress in heard]
    with History(tmp_path / "run" / "history.db") as history:
        assert history.generations()["median"] == medians
    assert [progress.results for progress in heard][2] is heard[3].results
    with pytest.raises(FrozenInstanceError):
        heard[0].generation = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        heard[0].statistics["median"] = 0.0  # type: ignore[index]


def test_a_check_that_was_lost_is_told_once_again(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    path = tmp_path / "run"
    start(small_recipe(), run=path, executor="serial", callbacks=stop_at(6))
    for file in path.glob("history.db*"):
        file.unlink()
    heard: list[tuple[int, int | None]] = []
    resume(
        path,
        executor="serial",
        callbacks=lambda progress: heard.append((progress.generation, progress.checked)) is None,
    )
    assert heard == [(6, 6), (7, 6), (8, 8)]


# Which checkpoints are kept


def test_old_checkpoints_make_room(
    small_recipe: Callable[..., Recipe], tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    long = ("run.generations=60", "run.checkpoint_every=2", "check.every=20")
    run = start(small_recipe(*long), run=tmp_path / "kept" / "run", executor="serial")
    assert run.directory.generations() == [0, 20, 40, 52, 54, 56, 58, 60]
    every = small_recipe(*long, "run.keep_every=1")
    whole = start(every, run=tmp_path / "whole" / "run", executor="serial")
    assert whole.directory.generations() == list(range(0, 61, 2))
    resume(run.path, from_generation=20, force=True, executor="serial", callbacks=stop_at(37))
    assert run.directory.generations() == [0, 20, 30, 32, 34, 36, 37]
    resume(run.path, executor="serial")
    assert outcome_of(run.path) == outcome_of(whole.path)
    fewer = small_recipe(*long, "run.keep_every=100", "run.keep_newest=1")
    few = start(fewer, run=tmp_path / "few" / "run", executor="serial")
    assert few.directory.generations() == [0, 60]


def old_run(recipe: Recipe, path: Path) -> Run:
    """A run as earlier versions made them: it has no id, and says nothing of what is kept."""
    RunDirectory(path).create(recipe.to_toml().encode())
    assert "id" not in tomllib.loads((path / "recipe.toml").read_text())["run"]
    return Run.open(path)


def test_a_run_of_an_earlier_version_goes_on_and_keeps_everything(
    small_recipe: Callable[..., Recipe], tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    recipe = small_recipe("run.generations=20", "run.checkpoint_every=1")
    run = old_run(recipe, tmp_path / "old" / "run")
    run.advance(executor="serial", callbacks=stop_at(12))
    description = read_tensors(
        "checkpoint", 1, run.directory.checkpoint(12).read_bytes()
    ).description
    assert set(description) == {"method", "design", "state"}
    resume(run.path, executor="serial")
    assert run.directory.generations() == list(range(21))
    assert Run.open(run.path).warnings == []
    new = start(recipe, run=tmp_path / "new" / "run", executor="serial")
    assert outcome_of(new.path) == outcome_of(run.path)


def test_every_run_has_an_id_of_its_own(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    recipe = small_recipe("run.generations=1")
    first = start(recipe, run=tmp_path / "first", executor="serial")
    again = start(str(first.path / "recipe.toml"), run=tmp_path / "again", executor="serial")
    ids = {first.recipe.run.id, again.recipe.run.id}
    assert len(ids) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", str(id_)) for id_ in ids)
    assert first.recipe.breeds_like(recipe)
    assert first.recipe.breeds_like(again.recipe)
    assert not first.recipe.breeds_like(small_recipe("run.generations=2"))
    longer = resume(first.path, generations=2, executor="serial")
    assert longer.recipe.run.id == first.recipe.run.id
    assert first.population_sha256 == longer.population_sha256


def test_the_champion_is_the_one_with_the_best_check(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    recipe = small_recipe(
        "run.champion=best-check", "run.generations=30", "check.every=2", "check.games=60"
    )
    run = start(recipe, run=tmp_path / "run", executor="serial")
    wins = {check.generation: check.wins for check in run.checks() if check.opponent == "test-bot"}
    assert sorted(wins) == list(range(2, 31, 2))
    assert len(set(wins.values())) > 5
    best = max(generation for generation in wins if wins[generation] == max(wins.values()))
    assert best != 30
    assert run.champion.remarks["generation"] == best
    assert run.champion.genome.tobytes() == run.champion_at(best).genome.tobytes()


@pytest.mark.parametrize("best", [3, 6])
def test_draws_are_not_won(small_recipe: Callable[..., Recipe], tmp_path: Path, best: int) -> None:
    """Of two champions the one with 10 wins is better than that with 9 wins and 50 draws.

    What they do against the second opponent does not count.
    """
    path = tmp_path / "run"
    recipe = small_recipe("run.generations=6", "run.champion=best-check")
    start(recipe, run=path, executor="serial")
    database = sqlite3.connect(path / "history.db")
    put = (
        "UPDATE checks SET wins = ?, draws = ?, losses = ?"
        " WHERE (generation = ?) = ? AND (opponent = 'test-bot') = ?"
    )
    for counts, of_best, of_first in (
        ((10, 0, 50), True, True),
        ((9, 50, 1), False, True),
        ((1, 0, 59), True, False),
        ((60, 0, 0), False, False),
    ):
        database.execute(put, (*counts, best, of_best, of_first))
    database.commit()
    database.close()
    resume(path, generations=6, executor="serial")
    assert Run.open(path).champion.remarks["generation"] == best


def test_of_equal_champions_the_newest_is_kept(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    recipe = small_recipe(
        "run.champion=best-check", "run.generations=21", "check.games=2", "check.every=2"
    )
    run = start(recipe, run=tmp_path / "run", executor="serial")
    wins = [(check.wins, check.generation) for check in run.checks() if check.opponent != "random"]
    best = [generation for won, generation in wins if won == 2]
    assert len(best) > 1
    assert best[-1] != 21
    assert run.champion.remarks["generation"] == best[-1]


def test_the_champion_may_be_the_last_one(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    recipe = small_recipe("run.champion=last", "run.generations=7")
    run = start(recipe, run=tmp_path / "run", executor="serial")
    assert run.champion.remarks["generation"] == 7
    assert run.champion.remarks["recipe"] == "small"


def test_without_opponents_the_last_champion_is_kept(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    recipe = small_recipe("check.opponents=[]", "run.champion=best-check")
    run = start(recipe, run=tmp_path / "run", executor="serial")
    assert run.checks() == []
    assert run.champion.remarks["generation"] == LAST


def test_earlier_champions_can_be_had(small_recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    run = start(small_recipe(), run=tmp_path / "mine", executor="serial")
    player = run.champion_at(6)
    assert player.name == "mine@6"
    state = run.state(6)
    assert player.genome.tobytes() in {row.tobytes() for row in state.population}
    with pytest.raises(BadValueError, match=r"no champion of generation 5 \(nearest: 6\)"):
        run.champion_at(5)


def test_every_opponent_has_its_line_though_their_names_be_equal(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    first = start(small_recipe(), run=tmp_path / "first", executor="serial")
    files = []
    for generation in (3, 6):
        folder = tmp_path / str(generation)
        folder.mkdir()
        files.append(folder / "champion.safetensors")
        files[-1].write_bytes(first.champion_at(generation).serialise())
    opponents = json.dumps([f"file:{file}" for file in files])
    recipe = small_recipe(f"check.opponents={opponents}", "run.generations=3")
    run = start(recipe, run=tmp_path / "second", executor="serial")
    assert len(run.checks()) == 2 * 2
    assert len({check.opponent for check in run.checks()}) == 2


def test_checkpoints_that_are_not_there_are_named(
    small_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    run = start(small_recipe(), run=tmp_path / "run", executor="serial")
    assert run.state(6).generation == 6
    with pytest.raises(
        CheckpointError, match=r"no checkpoint of generation 5 \(nearest: 6; it has: 0, 3, 6"
    ):
        run.state(5)
    with pytest.raises(CheckpointError, match="no checkpoint of generation 99"):
        resume(run.path, from_generation=99, force=True, executor="serial")
    assert run.directory.generations() == [0, 3, 6, 8]
