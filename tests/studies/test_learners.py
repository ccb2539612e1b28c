"""Contract of the learners of all studies, each with its study's recipe.

Tests that interrupted runs are the same to the bit are in `tests.contracts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve_arena import resume, start
from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.arena.tasks import new_outputs
from evolve_arena.core.registry import load
from evolve_arena.evolve.learning.vector_learner import VectorLearner
from evolve_arena.runs.errors import CheckpointError, RecipeError
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe

RECIPES = {
    "td-lambda": ["network.hidden=[12]", "method.games=60", "method.policy.epsilon_games=120"],
    "q-learning": ["network.hidden=[12]", "method.games=40"],
    "checkers-06-rafalmore": [
        "network.depth=2",
        "method.games=10",
        "method.schedule.exploration=0.1",
    ],
}
EPSILON = {"td": [0.5, 0.3, 0.1, 0.1], "td-linear": [0.1] * 4, "q-learning": []}
"""The shares of random moves that the reports of a method's generations have."""

Make = Callable[..., Recipe]


@pytest.fixture(params=RECIPES)
def make(request: pytest.FixtureRequest) -> Make:
    """Return a maker of the parameter's recipe, small, with three learners."""
    few = ["method.individuals=3", *RECIPES[request.param]]
    return lambda *changes: load_recipe(request.param, [*few, *changes])


def make_method(make: Make, *changes: str) -> VectorLearner:
    method = make(*changes).make_method()
    assert isinstance(method, VectorLearner)
    return method


def test_learners_seeds_and_generations_differ(make: Make) -> None:
    method = make_method(make)
    arena = Arena(method.decoder, SerialExecutor())
    state = method.initial(1)
    alike = replace(state, population=np.repeat(state.population[:1], 3, axis=0))
    after, _ = method.step(alike, arena)
    other, _ = method.step(replace(alike, seed=2), arena)
    later, _ = method.step(replace(alike, generation=1), arena)
    learned = [genes for one in (after, other, later) for genes in one.population]
    for number, genes in enumerate(learned):
        for before in learned[:number]:
            assert np.abs(genes - before).max() > 1e-5


def test_what_generations_tell(make: Make) -> None:
    method = make_method(make)
    arena, state, reports = Arena(method.decoder, SerialExecutor()), method.initial(1), []
    for _ in range(4):
        state, report = method.step(state, arena)
        reports.append(report)
    games = 3 * method.config.games
    assert [(report.generation, report.games) for report in reports] == [
        (generation, games) for generation in range(4)
    ]
    assert (state.generation, arena.games_played) == (4, 4 * games)
    individuals, genes, played = method.describe(state).values()
    assert (individuals, genes, played) == (3, method.decoder.genes, 4 * method.config.games)
    assert (state.population.dtype, state.population.shape) == (np.float32, (3, genes))
    for told in (report.statistics for report in reports):
        assert list(told)[:4] == ["error", "first_wins", "draws", "plies"]
        assert 7 <= told["plies"] < 250
        assert 0.0 < told["error"] < 3.0
        assert 0.0 <= told["first_wins"] <= 1.0 - told["draws"]
    shares = [report.statistics["epsilon"] for report in reports if "epsilon" in report.statistics]
    assert shares == pytest.approx(EPSILON[method.name])


def test_a_part_may_be_done_again(make: Make) -> None:
    """Neither the outputs of a worker that died nor other parts matter."""
    method = make_method(make)
    work = method.make_task(method.initial(1))
    before = [array.copy() for array in work.inputs]
    clean, littered = new_outputs(work), new_outputs(work)
    for output in littered:
        output.fill(9)
    kernel = load(work.kernel)
    kernel(work.options, work.inputs, clean, slice(0, 3))
    kernel(work.options, work.inputs, littered, slice(1, 2))
    for output, expected in zip(littered, clean, strict=True):
        assert np.array_equal(output[1], expected[1])
        assert (output[[0, 2]] == 9).all()
    for array, kept in zip(work.inputs, before, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_a_state_of_another_configuration_is_named(make: Make, tmp_path: Path) -> None:
    method = make_method(make)
    state, genes = method.initial(1), method.decoder.genes
    assert method.find_mismatch(state) is None
    said = make_method(make, "method.individuals=2").find_mismatch(state)
    assert said == f"its population has shape (3, {genes}), not (2, {genes})"
    doubles = replace(state, population=state.population.astype(np.float64))
    assert "of type float64, not float32" in (method.find_mismatch(doubles) or "")
    path = tmp_path / "run"
    start(make(), run=path, executor="serial", callbacks=lambda progress: False)
    text = (path / "recipe.toml").read_text()
    (path / "recipe.toml").write_text(text.replace("individuals = 3", "individuals = 4"))
    with pytest.raises(CheckpointError, match=rf"shape \(3, {genes}\), not \(4, {genes}\)"):
        resume(path, executor="serial")


@pytest.mark.parametrize(
    ("recipe", "change", "said"),
    [
        ("td-lambda", "network.hidden=[10, 10]", r"network.hidden is \[10, 10\]: .* one hidden"),
        ("td-lambda", "network.hidden=[]", "one hidden layer"),
        ("td-lambda", "network.hidden=[1025]", "1 to 1024 units"),
        ("td-lambda", "network.head=policy", "network.head is 'policy': it must be 'value'"),
        ("td-lambda", "network.activation=relu", "it must be 'tanh'"),
        ("td-lambda", "network.viewpoint=absolute", "network.viewpoint is an unknown setting"),
        ("td-lambda", "network.encoding=plane", "did you mean 'planes'"),
        ("td-lambda", "network.encoding=features", "teaches what sees the board"),
        ("td-lambda", "method.trace=1.1", "method.trace is 1.1: it must be at most 1"),
        (
            "td-lambda",
            "method.policy.epsilon_end=-0.1",
            "epsilon_end is -0.1: it must be at least 0",
        ),
        ("td-lambda", "method.policy.exploration=boltzmann", "'epsilon', 'greedy' or 'softmax'"),
        (
            "td-lambda",
            "method.policy.temperature=0",
            "method.policy.temperature is 0: it must be above 0",
        ),
        ("td-lambda", "method.initialisation=inverted", "inverse"),
        ("td-lambda", "method.opponents=['nobody']", "method.opponents: unknown player"),
        ("td-lambda", "method.opponents=['minimax:time=10ms']", "can't play compiled"),
        ("td-lambda", "method.lambda=0.5", "method.lambda is an unknown setting"),
        ("td-lambda", "variation.elites=1", "variation.elites is a key of the method 'tournament'"),
        ("q-learning", "network.head=value", "network.head"),
        ("q-learning", "network.encoding=features", "network.encoding"),
        ("q-learning", "network.hidden=[20, 20]", "network.hidden"),
        ("q-learning", "network.hidden=[]", "network.hidden"),
        ("q-learning", "network.activation=relu", "network.activation"),
        ("q-learning", "method.learning_rate=0", "method.learning_rate"),
        ("q-learning", "method.discount=1.1", "method.discount"),
        ("q-learning", "method.future=worst-known", "method.future"),
        ("q-learning", "method.policy.exploration=greedy", "method.policy.exploration"),
        ("q-learning", "method.policy.temperature=0", "method.policy.temperature"),
        ("q-learning", "method.policy.epsilon=-0.1", "method.policy.epsilon"),
        ("q-learning", "method.policy.epsilon_end=1.1", "method.policy.epsilon_end"),
        ("q-learning", "method.policy.epsilon_games=0", "method.policy.epsilon_games"),
        ("q-learning", "method.rewards.tie=1", r"method\.rewards\.tie"),
        ("q-learning", "method.rewards.win=nan", r"method\.rewards\.win"),
        ("q-learning", "method.games=0", "method.games"),
        ("q-learning", "variation.step_size=1", "variation.step_size is a key of the method"),
        ("q-learning", "method.initialisation=unifrom", "unifrom"),
        ("checkers-06-rafalmore", "network.features=5", "function features must then write so"),
        ("checkers-06-rafalmore", "network.encoding=one-hot", "features"),
        ("checkers-06-rafalmore", "network.depth=13", "from 1 to 12"),
        ("checkers-06-rafalmore", "network.depth=0", "and a network.depth"),
        ("checkers-06-rafalmore", "network.bins=16", "network.bins to 0 or 32"),
        ("checkers-06-rafalmore", "network.hidden=[4]", r"network.hidden to \[\]"),
        ("checkers-06-rafalmore", "method.updates.when=never", "'every-move' or 'end-of-game'"),
        ("checkers-06-rafalmore", "method.trace_decay=1.1", "it must be at most 1"),
        (
            "checkers-06-rafalmore",
            "method.schedule.learning_rate=0",
            "method.schedule.learning_rate is 0: it must be above 0",
        ),
        ("checkers-06-rafalmore", "method.initialisation=zeros", "zeros"),
        ("checkers-06-rafalmore", "method.lambda=0.5", "method.lambda is an unknown setting"),
        ("ticket-to-ride-imitation", "method.data.players=[2, 2]", "each number of players once"),
        ("ticket-to-ride-imitation", "method.data.players=[6]", "must be from 2 to 5"),
        ("ticket-to-ride-imitation", "network.activation='sin'", "sin"),
        ("ticket-to-ride-imitation", "network.features=27", "network.features"),
        ("ticket-to-ride-imitation", "network.script='rule:tixt'", "did you mean 'text'"),
    ],
)
def test_what_does_not_fit_is_refused(recipe: str, change: str, said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        load_recipe(recipe, [change])
