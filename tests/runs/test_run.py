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
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena import Run, resume, start
from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.tensors import read_tensors
from evolve_arena.players.evolved import NeatPlayer, read_player
from evolve_arena.runs.errors import CheckpointError
from evolve_arena.runs.players import find_player
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.history import History
from evolve_arena.runs.training.loop import Progress
from tests.forked import evolve

if TYPE_CHECKING:
    from tests.conftest import Outcome

LAST = 8
OWN = (
    *(
        "variation.self_adaptive=true",
        "variation.elites=2",
        "matches.colours=both",
        "matches.noise=0.1",
    ),
    *("matches.hall_of_fame={opponents=2, every=2, size=2}", "matches.openings={plies=3, count=2}"),
    *("matches.draw_points=0.5", "check.opening_plies=2"),
)
DEAP = (
    *(
        "variation.selection=selTournament",
        "variation.crossover=cxTwoPoint",
        "variation.mutation=mutGaussian",
    ),
    *("variation.elites=1", "matches.hall_of_fame.opponents=1", "matches.openings.plies=2"),
    *("network.head=value", "run.champion=last"),
)
GRAPHS = (
    *("check.every=3", "check.games=20", "check.share=1.0"),
    "check.opponents=['random','test-bot']",
    *("run.checkpoint_every=3", "matches.opponents=4", "method.stagnation.games=8"),
    "matches.hall_of_fame={opponents=2, every=2, size=3}",
    *("neat.pop_size=12", "neat.node_add_prob=0.4", "neat.compatibility_threshold=0.35"),
    "neat.max_stagnation=4",
)
OUTSIDE = (
    *("network.head=policy", "matches.pairing=species", "variation.selection=tournament"),
    *("method.stagnation.criterion=outside", "method.stagnation.opponents=['random', 'test-bot']"),
)
RANK = (
    *("matches.pairing=round-robin", "method.stagnation.criterion=rank"),
    *("matches.openings={plies=3, count=2}", "neat.activation_options=['tanh', 'relu', 'sin']"),
    *("neat.activation_default=random", "neat.activation_mutate_rate=0.2"),
)
DOOMED = (
    *("variation.selection=tournament", "matches.games=2", "matches.noise=1.0"),
    *("neat.max_stagnation=1", "neat.species_elitism=0", "neat.compatibility_threshold=3"),
    "neat.initial_connection=partial_direct 0.3",
)
VARIANTS = {
    "own": OWN,
    "deap": DEAP,
    "graphs, record": ("matches.noise=0.1", "matches.draw_points=0.25", "matches.colours=one"),
    "graphs, outside": OUTSIDE,
    "graphs, rank": RANK,
    "graphs, doomed": DOOMED,
}
OutcomeOf: TypeAlias = "Callable[[Path], Outcome]"
Breed = Callable[..., Run]


def stop_at(generation: int) -> Callable[[Progress], bool]:
    return lambda progress: progress.generation < generation


@pytest.fixture
def breed(small_recipe: Callable[..., Recipe], tmp_path: Path) -> Breed:
    """Return a starter of runs of the small recipe with changes, or of another recipe."""

    def run(
        *changes: str, recipe: Recipe | None = None, name: str = "run", **options: object
    ) -> Run:
        recipe = recipe or small_recipe(*changes)
        return start(recipe, run=tmp_path / name, executor="serial", **options)

    return run


@pytest.fixture(scope="module", params=list(VARIANTS))
def recipe(request: pytest.FixtureRequest, small_recipe: Callable[..., Recipe]) -> Recipe:
    """Return a recipe with everything on, of our operators, DEAP's or growing networks."""
    changes = (*VARIANTS[request.param], f"run.generations={LAST}")
    if request.param.startswith("graphs"):
        return load_recipe("connect-four-neat", (*GRAPHS, *changes))
    return small_recipe(*changes)


@pytest.fixture(scope="module")
def expected(
    recipe: Recipe, tmp_path_factory: pytest.TempPathFactory, outcome_of: OutcomeOf
) -> Outcome:
    """Return the recipe's outcome without being stopped, in one process."""
    path = tmp_path_factory.mktemp("serial") / "run"
    return outcome_of(start(recipe, run=path, executor="serial").path)


@settings(max_examples=6)
@given(data=st.data())
def test_any_stops_with_any_executors_give_the_same(
    recipe: Recipe, expected: Outcome, data: st.DataObject, outcome_of: OutcomeOf
) -> None:
    executors = st.sampled_from([("serial", 1), ("multiprocess", 1), ("multiprocess", 4)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        start(recipe, run=path, executor="serial", callbacks=stop_at(1))
        for generation in sorted(data.draw(st.sets(st.integers(2, LAST), max_size=4))):
            executor, workers = data.draw(executors)
            stop = stop_at(generation)
            stopped = resume(path, executor=executor, workers=workers, callbacks=stop)
            assert (stopped.generation, stopped.is_complete()) == (generation, generation == LAST)
            assert generation in stopped.directory.generations()
        assert resume(path, executor="serial").warnings == []
        assert outcome_of(path) == expected


def test_going_on_from_an_earlier_checkpoint_gives_the_same_and_what_came_after_is_forgotten(
    recipe: Recipe, expected: Outcome, breed: Breed, outcome_of: OutcomeOf
) -> None:
    path = breed(recipe=recipe).path
    assert RunDirectory(path).generations() == [0, 3, 6, 8]
    for generation in (6, 0, 3):
        seen: set[int] = set()
        resume(
            path,
            from_generation=generation,
            force=True,
            executor="serial",
            callbacks=lambda progress, seen=seen: seen.add(progress.generation) is None,  # type: ignore[misc]
        )
        assert seen == set(range(generation + 1, LAST + 1))
        assert outcome_of(path) == expected
        assert RunDirectory(path).generations()[-1] == LAST
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


HASHING = """
import sys
from evolve_arena import Run
run = Run.open(sys.argv[1])
run.advance(executor="multiprocess", workers=2)
print(run.population_sha256)
"""


@pytest.mark.parametrize("recipe", ["own", "graphs, rank"], indirect=True)
def test_another_process_with_other_hashes_gives_the_same(
    recipe: Recipe, expected: Outcome, breed: Breed, outcome_of: OutcomeOf
) -> None:
    path = breed(recipe=recipe, callbacks=stop_at(2)).path
    words, env = [sys.executable, "-c", HASHING, str(path)], {**os.environ, "PYTHONHASHSEED": "42"}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected.sha256
    assert outcome_of(path) == expected


def test_another_seed_gives_another_population(
    recipe: Recipe, expected: Outcome, breed: Breed
) -> None:
    run = breed(recipe=recipe, seed=2)
    assert run.state().seed == 2
    assert run.population_sha256 != expected.sha256


def test_species_are_told_in_spite_of_stops(breed: Breed) -> None:
    def read(run: Run) -> dict[int, dict[int, int]]:
        with History(run.directory.history) as history:
            return history.species()

    recipe = load_recipe("connect-four-neat", (*GRAPHS, f"run.generations={LAST}"))
    species = read(whole := breed(recipe=recipe, name="whole"))
    for generation, told in enumerate(whole.history()["species"]):
        sizes = [sizes.get(generation, 0) for sizes in species.values()]
        assert (sum(sizes), sum(size > 0 for size in sizes)) == (12, told)
    assert len(species) > 1
    assert isinstance(whole.champion, NeatPlayer)
    stopped = breed(recipe=recipe, callbacks=stop_at(4))
    assert read(resume(stopped.path, executor="serial")) == species


def test_a_longer_run_begins_as_a_shorter_one(breed: Breed, outcome_of: OutcomeOf) -> None:
    long = breed("run.generations=9", name="long/run")
    short = breed("run.generations=6", name="short/run")
    assert short.population_sha256 == long.digest(long.state(6))
    with pytest.raises(BadValueError, match="3"):
        resume(short.path, generations=3, executor="serial")
    assert Run.open(short.path).recipe.run.generations == 6
    longer = resume(short.path, generations=9, executor="serial")
    assert longer.recipe.run.generations == 9
    assert Run.open(short.path).recipe == longer.recipe
    assert outcome_of(short.path) == outcome_of(long.path)


def test_a_run_of_no_generations_is_its_first_population(breed: Breed) -> None:
    run = breed("run.generations=0")
    assert run.generation == 0
    assert run.is_complete()
    assert {check.generation for check in run.checks()} == {0}
    initial = run.method.initial(1).population
    assert run.state().population.tobytes() == initial.tobytes()
    assert run.champion.genome.tobytes() in {row.tobytes() for row in initial}


def test_the_watcher_hears_of_every_generation_and_it_stays_as_it_was(breed: Breed) -> None:
    heard: list[Progress] = []
    run = breed("run.generations=7", callbacks=lambda progress: heard.append(progress) is None)
    # 24 tournaments of three, three matches each; those of checks are none of breeding.
    checked = [0, 0, 3, 3, 3, 6, 7]
    assert [
        (now.generation, now.generations, now.games, now.checked, len(now.results)) for now in heard
    ] == [(played, 7, 24 * 3 * played, checked[played - 1], 2) for played in range(1, 8)]
    for now in heard:
        assert now.seconds >= now.playing >= 0.0
        assert 0.0 <= now.statistics["median"] <= now.statistics["best"] <= 1.0
    with History(run.path / "history.db") as history:
        medians = history.generations()["median"]
    assert medians == [now.statistics["median"] for now in heard]
    assert heard[2].results is heard[3].results
    with pytest.raises(FrozenInstanceError):
        heard[0].generation = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        heard[0].statistics["median"] = 0.0  # type: ignore[index]


def test_a_check_that_was_lost_is_told_once_again(breed: Breed) -> None:
    path = breed(callbacks=stop_at(6)).path
    for file in path.glob("history.db*"):
        file.unlink()
    heard: list[tuple[int, int | None]] = []
    resume(
        path,
        executor="serial",
        callbacks=lambda progress: heard.append((progress.generation, progress.checked)) is None,
    )
    assert heard == [(6, 6), (7, 6), (8, 8)]


def test_old_checkpoints_make_room(breed: Breed, outcome_of: OutcomeOf) -> None:
    long = ("run.generations=60", "run.checkpoint_every=2", "check.every=20")
    run = breed(*long, name="kept/run")
    assert run.directory.generations() == [0, 20, 40, 52, 54, 56, 58, 60]
    whole = breed(*long, "run.keep_every=1", name="whole/run")
    assert whole.directory.generations() == list(range(0, 61, 2))
    resume(run.path, from_generation=20, force=True, executor="serial", callbacks=stop_at(37))
    assert run.directory.generations() == [0, 20, 30, 32, 34, 36, 37]
    resume(run.path, executor="serial")
    assert outcome_of(run.path) == outcome_of(whole.path)
    few = breed(*long, "run.keep_every=100", "run.keep_newest=1", name="few/run")
    assert few.directory.generations() == [0, 60]


def test_a_run_of_an_earlier_version_goes_on_and_keeps_everything(
    small_recipe: Callable[..., Recipe], breed: Breed, tmp_path: Path, outcome_of: OutcomeOf
) -> None:
    """It has no id, and no settings about what is kept."""
    settings = ("run.generations=20", "run.checkpoint_every=1")
    path = tmp_path / "old" / "run"
    RunDirectory(path).create(small_recipe(*settings).to_toml().encode())
    assert "id" not in tomllib.loads((path / "recipe.toml").read_text())["run"]
    run = Run.open(path)
    run.advance(executor="serial", callbacks=stop_at(12))
    blob = run.directory.checkpoint(12).read_bytes()
    assert set(read_tensors("checkpoint", 1, blob).description) == {"method", "decoder", "state"}
    resume(run.path, executor="serial")
    assert run.directory.generations() == list(range(21))
    assert Run.open(run.path).warnings == []
    assert outcome_of(breed(*settings, name="new/run").path) == outcome_of(run.path)


def test_every_run_has_an_id_of_its_own(
    small_recipe: Callable[..., Recipe], breed: Breed, tmp_path: Path
) -> None:
    recipe = small_recipe("run.generations=1")
    first = breed(recipe=recipe, name="first")
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


def test_the_champion_is_the_one_with_the_best_check_or_the_last(breed: Breed) -> None:
    best_check = ("run.champion=best-check", "check.every=2")
    run = breed(*best_check, "run.generations=30", "check.games=60")
    wins = {check.generation: check.wins for check in run.checks() if check.opponent == "test-bot"}
    assert sorted(wins) == list(range(2, 31, 2))
    assert len(set(wins.values())) > 5
    best = max(generation for generation in wins if wins[generation] == max(wins.values()))
    assert best != 30
    assert run.champion.remarks["generation"] == best
    assert run.champion.genome.tobytes() == run.champion_at(best).genome.tobytes()
    # Of equal ones it is the newest.
    run = breed(*best_check, "run.generations=21", "check.games=2", name="equal")
    equal = [check for check in run.checks() if check.opponent != "random" and check.wins == 2]
    assert len(equal) > 1
    assert run.champion.remarks["generation"] == equal[-1].generation != 21
    run = breed("run.champion=last", "run.generations=7", name="last")
    assert run.champion.remarks["generation"] == 7
    assert run.champion.remarks["recipe"] == "small"
    run = breed("check.opponents=[]", "run.champion=best-check", name="alone")
    assert run.checks() == []
    assert run.champion.remarks["generation"] == LAST


@pytest.mark.parametrize("best", [3, 6])
def test_draws_are_not_won(breed: Breed, best: int) -> None:
    """Of two champions the one with 10 wins is better than that with 9 wins and 50 draws.

    What they do against the second opponent does not count.
    """
    path = breed("run.generations=6", "run.champion=best-check").path
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


def test_earlier_champions_and_checkpoints_can_be_had(breed: Breed) -> None:
    run = breed(name="mine")
    player, state = run.champion_at(6), run.state(6)
    assert (player.name, state.generation) == ("mine@6", 6)
    assert player.genome.tobytes() in {row.tobytes() for row in state.population}
    with pytest.raises(BadValueError, match=r"no champion of generation 5 \(nearest: 6\)"):
        run.champion_at(5)
    with pytest.raises(
        CheckpointError, match=r"no checkpoint of generation 5 \(nearest: 6; it has: 0, 3, 6"
    ):
        run.state(5)
    with pytest.raises(CheckpointError, match="no checkpoint of generation 99"):
        resume(run.path, from_generation=99, force=True, executor="serial")
    assert run.directory.generations() == [0, 3, 6, 8]


def test_every_opponent_has_its_line_though_their_names_be_equal(
    breed: Breed, tmp_path: Path
) -> None:
    first, files = breed(name="first"), []
    for generation in (3, 6):
        folder = tmp_path / str(generation)
        folder.mkdir()
        files.append(f"file:{folder}/champion.safetensors")
        (folder / "champion.safetensors").write_bytes(first.champion_at(generation).serialise())
    run = breed(f"check.opponents={json.dumps(files)}", "run.generations=3", name="second")
    assert len(run.checks()) == 2 * 2
    assert len({check.opponent for check in run.checks()}) == 2


def test_of_large_champions_only_those_that_may_be_needed_are_kept(
    tmp_path: Path, outcome_of: OutcomeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as tuple networks; here there are two learners, so that there is a choice."""
    monkeypatch.setattr("evolve_arena.runs.training.champions.LARGE", 1000)
    changes = [
        *("network.tuples=8", "network.length=4", "run.generations=12", "run.checkpoint_every=6"),
        *("method.individuals=2", "method.games=60", "method.shards=2"),
        *("method.final.opponent=random", "method.final.games=20", "run.champion=best-check"),
        *("check.games=20", "check.every=1", "check.opponents=['random']"),
    ]
    run = start("connect-four-td", run=tmp_path / "run", changes=changes, executor="serial")

    def find_best(end: int) -> int:
        wins = [(check.wins, check.generation) for check in run.checks()]
        return max(pair for pair in wins if pair[1] <= end)[1]

    first = min(check.generation for check in run.checks())
    kept = {find_best(end) for end in (0, 6, 12) if end >= first} | {12}
    forgotten = sorted({*range(1, 13)} - kept)
    assert len(forgotten) >= 8
    for generation in kept:
        assert run.champion_at(generation).remarks["generation"] == generation
    with pytest.raises(BadValueError, match=r"run no longer has the champion of generation \d+:"):
        run.champion_at(forgotten[0])
    with pytest.raises(BadValueError, match=r"keeps only the newest and the best at each") as told:
        find_player(f"run:{run.path}@{forgotten[-1]}")
    assert ", ".join(map(str, sorted(kept))) in str(told.value)
    # It may go back to a checkpoint, and has the champion of that time again.
    outcome = outcome_of(run.path)
    resume(run.path, from_generation=6, force=True, executor="serial", callbacks=stop_at(7))
    assert (best := find_best(6)) <= 7
    assert Run.open(run.path).champion.remarks["generation"] in {best, 7}
    resume(run.path, executor="serial")
    again = outcome_of(run.path)
    assert (again.sha256, again.champion) == (outcome.sha256, outcome.champion)


def test_where_nothing_takes_over_a_run_ends_with_one_line(tmp_path: Path) -> None:
    end = ("neat.reset_on_extinction=false", "run.checkpoint_every=1", f"run.generations={LAST}")
    recipe = load_recipe("connect-four-neat", (*GRAPHS, *DOOMED, *end))
    (tmp_path / "doomed.toml").write_text(recipe.to_toml())
    path = tmp_path / "run"
    words = ("doomed.toml", "--run", "run", "--executor", "serial")
    ended = evolve("start", *words, folder=tmp_path)
    lines = ended.stderr.splitlines()
    run = Run.open(path)
    assert ended.returncode == len(lines) == 2
    assert lines[0].startswith("generation 0/")
    sentence = f"evolve: all species have stagnated by generation {run.generation}, "
    assert lines[1].startswith(sentence)
    assert 0 < run.generation < LAST
    assert run.warnings == []
    digest = run.population_sha256
    assert max(run.directory.generations()) == run.generation
    # It ends there again, and nothing is lost.
    again = evolve("resume", "run", "--executor", "serial", folder=tmp_path)
    assert again.returncode == 2
    assert again.stderr.splitlines()[-1] == lines[-1]
    assert Run.open(path).population_sha256 == digest
    # With what the line asks for, the run goes on from there.
    text = (path / "recipe.toml").read_text()
    assert "reset_on_extinction = false" in text
    text = text.replace("reset_on_extinction = false", "reset_on_extinction = true")
    (path / "recipe.toml").write_text(text)
    assert resume(path, executor="serial").generation == LAST
