"""Runs that begin with others: branches from checkpoints, and first populations of players.

A branch is whole or not there, and never at the expense of the other run.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.cli.commands import runs
from evolve_arena.cli.commands.completion import complete_branch
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.types import Array
from evolve_arena.genomes.neat.numbering import SPANS, highest_own
from evolve_arena.runs.api import prepare, prepare_branch
from evolve_arena.runs.errors import CheckpointError, NotARunError, RunExistsError, StorageError
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.store.checkpoint import digest_population
from tests import forked
from tests.runs.test_directory import act_until
from tests.small_recipes import SMALL_RECIPES

Patch = pytest.MonkeyPatch
Maker = Callable[..., Recipe]
LAST = 8
CHANGED = {"variation.mutation_probability": 0.9}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(name="first")
def _first(small_recipe: Maker) -> ea.Run:
    """Return a run ``evolved/first`` with checkpoints at 0, 3, 6 and 8."""
    return ea.start(small_recipe(), run="evolved/first", executor="serial")


def evolve(*words: str, code: int = 0) -> str:
    done = forked.evolve(*words, folder=Path())
    assert done.returncode == code, done.stderr + done.stdout
    assert done.stderr.count("\n") <= 1
    return done.stdout + done.stderr


def test_branches_come_to_the_same_with_one_seed_and_to_others_with_two(first: ea.Run) -> None:
    one = ea.branch("evolved/first@3", executor="serial")
    two = ea.branch(first.path, 3, run="two", executor="serial")
    other = ea.branch("evolved/first", 3, run="other", seed=7, executor="serial")
    assert one.path == Path("evolved/first-2")
    assert one.population_sha256 == two.population_sha256 == first.population_sha256
    assert other.population_sha256 != first.population_sha256
    assert other.state(3).seed == other.recipe.run.seed == 7
    assert one.directory.generations() == [3, 6, LAST]
    assert first.directory.generations() == [0, 3, 6, LAST]
    assert [one.recipe.run.start_from, two.recipe.run.start_from] == ["evolved/first@3"] * 2
    begun = digest_population(first.state(3).population)
    assert one.recipe.run.start_sha256 == begun == one.digest(one.state(3))
    assert len({run.recipe.run.id for run in (first, one, two, other)}) == 4
    # It needs the other run no more, and is stopped and resumed like any run.
    for file in Path("evolved/first/checkpoints").iterdir():
        file.unlink()
    assert ea.resume(one.path, generations=9, executor="serial").generation == 9


@pytest.mark.parametrize("method", ["tournament", "neat by neat-python", "td in one file"])
def test_a_branch_of_any_method_goes_the_way_of_its_run(method: str) -> None:
    """They go on from a state, as runs of all methods do that were stopped."""
    name, changes = SMALL_RECIPES[method]
    recipe = load_recipe(name, [*changes, "run.generations=4", "run.checkpoint_every=2"])
    whole = ea.start(recipe, run="whole", executor="serial")
    assert ea.branch("whole@2", executor="serial").population_sha256 == whole.population_sha256


def test_islands_get_seeds_of_their_own(small_recipe: Maker) -> None:
    islands = small_recipe("islands.count=2", "islands.interval=2", "islands.migrants=1")
    whole = ea.start(islands, run="whole", executor="serial")
    same = ea.branch("whole@3", executor="serial")
    assert same.population_sha256 == whole.population_sha256
    other = ea.branch("whole@3", seed=2, executor="serial")
    assert other.population_sha256 != whole.population_sha256
    fresh = other.method.initial(2)
    assert [each.seed for each in other.state().islands] == [each.seed for each in fresh.islands]


def test_settings_change_from_there_on(first: ea.Run) -> None:
    run = ea.branch("evolved/first@6", changes=CHANGED, executor="serial")
    assert run.recipe.variation is not None
    assert run.recipe.variation["mutation_probability"] == 0.9
    assert run.population_sha256 != first.population_sha256
    wrong = r"^evolved/first@6 can't continue with these settings: .* shape \(\d+, \d+\), not \(6, "
    with pytest.raises(BadValueError, match=wrong):
        ea.branch("evolved/first@6", changes={"method.individuals": 6, "method.tournament_size": 3})
    with pytest.raises(BadValueError, match="its population has shape"):
        ea.branch("evolved/first@6", changes={"network.hidden": [3]})
    assert sorted(path.name for path in Path("evolved").iterdir()) == ["first", "first-2"]


def test_what_can_be_no_branch_is_one_line(first: ea.Run) -> None:
    for place, error, told in (
        ("evolved/first@5", CheckpointError, r"no checkpoint of generation 5 \(nearest: 6; it has"),
        ("evolved/first@x", BadValueError, r"'evolved/first@x': a generation number must follow"),
        ("evolved/first", BadValueError, r"first@8 is at the last generation, 8: .* generations="),
        ("evolved/second@3", NotARunError, r"evolved/second does not exist"),
    ):
        with pytest.raises(error, match=told):
            ea.branch(place)
    with pytest.raises(RunExistsError, match="first exists"):
        ea.branch("evolved/first@3", run="evolved/first")
    assert [path.name for path in Path("evolved").iterdir()] == ["first"]
    assert "nearest: 6" in evolve("branch", "evolved/first@5", code=2)


def test_the_command_branches_and_says_from_where(first: ea.Run) -> None:
    words = ["--seed", "3", "--generations", "9", "--set", "check.games=10", "--quiet"]
    said = evolve("branch", "evolved/first@6", "--run", "new", *words)
    assert "new begins with evolved/first@6" in said
    run = ea.load("new")
    assert (run.generation, run.recipe.run.seed, run.recipe.check.games) == (9, 3, 10)
    places = ["evolved/first@0", "evolved/first@3", "evolved/first@6", "evolved/first@8"]
    assert complete_branch("evolved/first@") == places
    assert complete_branch("evolved/f") == ["evolved/first"]


def test_a_branch_may_be_killed_anywhere(first: ea.Run) -> None:
    for steps in itertools.count():
        path = Path(f"{steps}/run")
        done = act_until(steps, partial(prepare_branch, first.path, 3, run=path))
        if path.exists():  # then all of it does
            assert ea.load(path).generation == 3
            assert ea.load(path).recipe.run.start_from == "evolved/first@3"
        else:
            assert not done
            assert prepare_branch(first.path, 3, run=path).generation == 3
        if done:
            break
    assert steps > 10
    assert first.directory.generations() == [0, 3, 6, LAST]


def test_a_full_disk_leaves_nothing_of_a_branch(first: ea.Run, monkeypatch: Patch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        with pytest.raises(StorageError, match="No space left"):
            ea.branch("evolved/first@3", run="evolved/new")
    assert [path.name for path in Path("evolved").iterdir()] == ["first"]


def test_the_recipe_of_a_branch_begins_it_again_or_not_at_all(first: ea.Run) -> None:
    run = ea.branch("evolved/first@3", changes=CHANGED, executor="serial")
    recipe = "evolved/first-2/recipe.toml"
    again = ea.start(recipe, run="again", executor="serial")
    assert again.population_sha256 == run.population_sha256
    ea.start(first.recipe.change({"run.seed": 5}), run=first.path, force=True, executor="serial")
    with pytest.raises(BadValueError, match=r"first@3 is not what this recipe began with"):
        ea.start(recipe, run="more")
    assert not Path("more").exists()


# --- resume -------------------------------------------------------------------------------------


def test_going_back_deletes_nothing_without_a_word(first: ea.Run) -> None:
    line = (
        r"^evolved/first has checkpoints after generation 3, up to 8: branch\(\.\.\., 3\) continues"
        r" without deleting them, force=True deletes them$"
    )
    with pytest.raises(BadValueError, match=line):
        ea.resume(first.path, from_generation=3, generations=20)
    said = evolve("resume", "evolved/first", "--from", "3", code=2)
    assert "evolve branch evolved/first@3" in said
    assert "--force" in said
    assert first.directory.generations() == [0, 3, 6, LAST]
    assert ea.load(first.path).recipe.run.generations == LAST
    evolve("resume", "evolved/first", "--from", "8", "--quiet")  # nothing comes after it
    evolve("resume", "evolved/first", "--from", "3", "--force", "--quiet")
    assert ea.load(first.path).population_sha256 == first.population_sha256


@pytest.mark.parametrize("answer", ["", "n\n", "y\n"])
def test_at_a_terminal_it_asks(
    first: ea.Run, answer: str, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    refused = pytest.raises(BadValueError, match="after generation 6")
    with nullcontext() if answer == "y\n" else refused:
        first.check_going_back(6, force=runs.ask_to_delete)
    assert "after generation 6, up to 8. Delete them? [y/N]" in capsys.readouterr().err


def test_settings_that_change_no_population_change_the_run_itself(first: ea.Run) -> None:
    changes = {"check.games": 10, "run.checkpoint_every": 2, "title": "longer"}
    run = ea.resume(first.path, changes=changes, generations=10, executor="serial")
    assert run.path == first.path
    assert (run.recipe.check.games, run.recipe.title, run.generation) == (10, "longer", 10)
    straight = ea.start(run.recipe, run="straight", executor="serial")
    assert run.population_sha256 == straight.population_sha256


def test_settings_that_change_the_future_go_on_in_a_branch(first: ea.Run) -> None:
    words = ["--set", "variation.mutation_probability=0.9", "--generations", "10", "--quiet"]
    said = evolve("resume", "evolved/first", *words)
    assert "these settings change what is evolved: evolved/first-2 continues with them" in said
    run = ea.load("evolved/first-2")
    assert (run.generation, run.recipe.run.start_from) == (10, "evolved/first@8")
    assert ea.load(first.path).recipe == first.recipe
    early = ea.resume(first.path, changes={"run.seed": 4}, from_generation=3, executor="serial")
    assert (early.path, early.generation) == (Path("evolved/first-3"), LAST)
    assert early.directory.generations()[0] == 3
    assert first.directory.generations() == [0, 3, 6, LAST]
    with pytest.raises(ArenaError, match="elitez"):
        ea.resume(first.path, changes={"method.elitez": 4})


# --- first populations with players of other runs ------------------------------------------------

SHORT = ("run.generations=3", "run.checkpoint_every=1", "check.every=1")


def small(method: str, *changes: str) -> Recipe:
    name, usual = SMALL_RECIPES[method]
    return load_recipe(name, [*usual, *SHORT, *changes])


def first_of(run: ea.Run) -> Array:
    return run.state(0).population


def test_a_network_that_learned_is_the_first_of_a_population() -> None:
    """An MLP taught by TD seeds evolution; the others are those that the seed gives."""
    taught = ea.start(small("td"), run="taught", executor="serial")
    network = [f"network.{key}={value}" for key, value in taught.recipe.network.items()]
    network = [text for text in network if "take_wins" not in text and "hidden" not in text]
    recipe = small("tournament", *network, "network.symmetric=false")
    run = ea.start(recipe, run="evolved/seeded", population="taught", executor="serial")
    population, usual = first_of(run), run.method.initial(run.recipe.run.seed).population
    assert np.array_equal(population[0], taught.champion.arrays["genome"])
    learned = taught.population().arrays["genomes"]
    own = learned[(learned != population[0]).any(axis=1)]
    assert np.array_equal(population[1 : 1 + len(own)], own)
    assert np.array_equal(population[1 + len(own) :], usual[1 + len(own) :])
    assert run.generation == 3
    assert run.recipe.run.population == ("taught",)
    # The recipe begins the same run again, and none where the other one has changed.
    again = ea.start("evolved/seeded/recipe.toml", run="again", executor="serial")
    assert again.population_sha256 == run.population_sha256
    ea.start(small("td", "run.seed=9"), run="taught", force=True, executor="serial")
    with pytest.raises(BadValueError, match=r"^taught is not what this recipe began with"):
        ea.start("evolved/seeded/recipe.toml", run="more")
    assert not Path("more").exists()


def test_several_runs_have_their_share(small_recipe: Maker) -> None:
    for seed in (1, 2):
        ea.start(small_recipe(f"run.seed={seed}"), run=f"run-{seed}", executor="serial")
    one, two = ea.load("run-1"), ea.load("run-2")
    places = ["run-1@3", "run-2"]
    mixed = prepare(small_recipe("run.seed=3"), run="mixed", population=places)
    population = first_of(mixed)
    assert np.array_equal(population[0], one.champion_at(3).arrays["genome"])
    assert np.array_equal(population[1], two.champion.arrays["genome"])
    early, late = one.population(3).arrays["genomes"], two.population().arrays["genomes"]
    for row, genome in enumerate(population):
        source = (early, late)[row % 2]
        assert (source == genome).all(axis=1).any() or row < 2
    assert mixed.recipe.run.population == ("run-1@3", "run-2")


@pytest.mark.parametrize("method", ["neat", "td-tuples", "evolutionary-programming", "q-learning"])
def test_genomes_seed_their_own_method(method: str) -> None:
    source = ea.start(small(method, "run.generations=2"), run="source", executor="serial")
    run = ea.start(small(method, "run.seed=5"), run="run", population="source", executor="serial")
    first = run.population(0).player(0)
    for name, array in source.champion.arrays.items():
        if name not in ("keys", "innovation"):  # numbers as genomes of this run
            assert np.array_equal(first.arrays[name], array), name
    assert run.method.find_mismatch(run.state()) is None
    assert run.population_sha256 != source.population_sha256


def test_graphs_count_on_above_the_numbers_that_came_with_them() -> None:
    grown = small("neat", "neat.node_add_prob=0.9", "neat.conn_add_prob=0.9")
    source = ea.start(grown, run="source", executor="serial")
    state = prepare(small("neat", "run.seed=5"), run="run", population=["source"]).state()
    assert source.state().counters.node > 0
    assert state.counters.node == highest_own(state.population.node_key, 0, SPANS.node) > 0
    ends = zip(state.population.source.tolist(), state.population.target.tolist(), strict=True)
    numbers = dict(zip(ends, state.population.innovation.tolist(), strict=True))
    assert len(set(numbers.values())) == len(numbers)  # a number for each connection, and back
    assert state.counters.innovation >= max(numbers.values())


def test_islands_are_dealt_the_players(small_recipe: Maker) -> None:
    source = ea.start(small_recipe(), run="source", executor="serial")
    islands = small_recipe("islands.count=2", "islands.migrants=1", "run.seed=2")
    one, two = prepare(islands, run="run", population=["source"]).state().islands
    assert np.array_equal(one.population[0], source.champion.arrays["genome"])
    everybody = np.concatenate([one.population, two.population])
    members = source.population().arrays["genomes"]
    assert all((everybody == member).all(axis=1).any() for member in members)


def test_players_that_do_not_fit_are_told_from_others(small_recipe: Maker) -> None:
    ea.start(small_recipe("run.generations=1"), run="vectors", executor="serial")
    words = ["start", "connect-four", "--population", "vectors", "--run", "new"]
    said = evolve(*words, code=2)
    assert "players of vectors don't fit into the population: their " in said
    wrong = [
        (small("neat"), "vectors", "made by .*NetworkDecoder, not by .*GraphDecoder"),
        (load_recipe("tic-tac-toe-evolved"), "vectors", "they play connect-four, not tic-tac-toe"),
        (small_recipe("network.hidden=[3]"), "vectors", r"hidden is \[3\]: that is smaller than"),
    ]
    for recipe, place, text in wrong:
        with pytest.raises(BadValueError, match=text):
            prepare(recipe, run="new", population=place)
    with pytest.raises(CheckpointError, match=r"no checkpoint of generation 7 \(nearest: 1;"):
        prepare(small_recipe(), run="new", population="vectors@7")
    ea.start(small("neat"), run="graphs", executor="serial")
    with pytest.raises(BadValueError, match="neat-python takes no players of other runs"):
        prepare(small("neat by neat-python"), run="new", population="graphs")
    assert not Path("new").exists()
