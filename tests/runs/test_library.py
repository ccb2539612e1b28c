"""What scripts and notebooks use: callbacks, histories, populations, looks, sweeps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve_arena as ea
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.extras import MissingPackageError, import_extra
from evolve_arena.runs.many.parallel_runs import RunsStoppedError

RecipeMaker = Callable[..., ea.Recipe]


@pytest.fixture(name="run", scope="module")
def _run(small_recipe: RecipeMaker, tmp_path_factory: pytest.TempPathFactory) -> ea.Run:
    folder = tmp_path_factory.mktemp("library")
    return ea.start(small_recipe("run.generations=4"), run=folder / "run", executor="serial")


def test_all_callbacks_are_called_and_one_can_stop(
    small_recipe: RecipeMaker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[ea.Progress] = []
    run = ea.start(
        small_recipe("run.generations=9"),
        run=tmp_path / "run",
        executor="serial",
        callbacks=[lambda now: now.generation < 3, told.append],
    )
    assert [progress.generation for progress in told] == [1, 2, 3]
    assert run.generation == 3
    last = told[-1]
    assert run.digest(last.state) == run.population_sha256
    assert last.path == tmp_path / "run"
    assert last.statistics["best"] == run.history()["best"][2]
    assert capsys.readouterr().err == ""
    options: Any = {"executor": "serial", "callbacks": told.append, "progress": True}
    assert ea.resume(run.path, **options).generation == 9
    assert "generation 9/9" in capsys.readouterr().err
    assert told[-1].champion is not None
    assert told[-1].champion.serialise() != b""
    with pytest.raises((AttributeError, TypeError)):
        told[0].generation = 5  # type: ignore[misc]


def test_a_history_is_arrays_and_frames(run: ea.Run) -> None:
    history = run.history()
    assert history["generation"].tolist() == [0, 1, 2, 3]
    frame = history.to_frame()
    assert frame.index.name == "generation"
    assert frame["best"].tolist() == history["best"].tolist()
    checks = history.checks_to_frame()
    assert checks["won"].tolist() == [check.wins for check in run.checks()]
    with pytest.raises(UnknownNameError, match="unknown figure 'bets': did you mean 'best'"):
        _ = history["bets"]
    with pytest.raises(
        MissingPackageError, match=r"needs no_such: pip install 'evolve-arena\[x\]'"
    ):
        import_extra("no_such.module", "x")


@pytest.mark.parametrize(
    ("recipe", "size", "name", "axes"),
    [
        ("connect-four", {"method.individuals": 8}, "genomes", ("individual", "gene")),
        ("connect-four-neat", {"neat.pop_size": 8}, "weight", ("connection gene",)),
        ("connect-four-td", {"method.games": 10}, "cells", ("individual", "tuple", "place")),
    ],
)
def test_a_population_says_what_its_axes_are(
    recipe: str, size: dict[str, Any], name: str, axes: tuple[str, ...], tmp_path: Path
) -> None:
    less = {"run.generations": 1, "check.games": 2, "check.opponents": ["random"], **size}
    run = ea.start(recipe, run=tmp_path / "run", changes=less, executor="serial")
    population = run.population()
    assert population.axes[name] == axes
    assert set(population.axes) == set(population.arrays)
    for key, array in population.arrays.items():
        assert array.ndim == len(population.axes[key])
    assert axes[0] in repr(population)
    assert axes[0] in population._repr_html_()
    player = population.player(len(population) - 1)
    assert player.move(player.game.initial()) in range(7)
    with pytest.raises(BadValueError, match="row is 999"):
        population.player(999)


def test_everything_has_a_look_in_a_notebook(
    run: ea.Run, small_recipe: RecipeMaker, tmp_path: Path
) -> None:
    duel = ea.duel(f"run:{run.path}", "random", games=20)
    table = ea.tournament(["random", "test-bot"], games=20)
    shown: list[tuple[Any, str]] = [
        (run, "tournament, generation 4 of 4"),
        (run.history(), "share_won"),
        (run.champion, "weights_1"),
        (duel, "against random"),
        (table, "Elo"),
    ]
    for value, text in shown:
        assert text in value._repr_html_()
    assert run.plot()._repr_png_().startswith(b"\x89PNG")
    assert run.plot("network")._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(UnknownNameError, match="unknown picture 'fitnes': did you mean 'fitness'"):
        run.plot("fitnes")
    recipe = small_recipe("run.generations=1", "title=<script>alert(1)</script>")
    run = ea.start(recipe, run=tmp_path / "<b>", executor="serial")
    assert "<script>" not in run._repr_html_()
    assert "<b>'" not in run._repr_html_()


def test_a_network_is_layers_that_compute_what_it_plays(run: ea.Run) -> None:
    player: Any = run.champion
    position = player.game.parse_position("3321")
    network = player.network()
    seen = player.see(position).values
    layers = len(network) // 2
    for layer in range(1, layers + 1):
        seen = seen @ network[f"weights_{layer}"] + network[f"biases_{layer}"]
        if layer < layers:
            seen = np.tanh(seen) if player.decoder.activation == "tanh" else np.maximum(seen, 0)
    inside = player.decoder.mlp.evaluate(
        player.decoder.expand(player.genome[None])[0], [player.see(position).values]
    )
    assert seen == pytest.approx(inside[0])
    player = ea.load_player("random")
    with pytest.raises(BadValueError, match="random gives no values"):
        player.values(player.game.initial())


def test_a_sweep_that_is_stopped_gives_the_same_table(
    small_recipe: RecipeMaker, tmp_path: Path
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(small_recipe("run.generations=3").to_toml())
    values = {"method.mutation_strength": [0.1, 1.0], "method.tournament_size": [2, 3]}
    sweep = partial(ea.sweep, str(file), values, seeds=2, games=50)
    whole = sweep(folder=tmp_path / "whole", workers=2)
    told: list[Any] = []
    with pytest.raises(RunsStoppedError):
        sweep(
            folder=tmp_path / "stopped",
            callback=lambda now: told.append(now) is None and len(told) < 5,
            workers=1,
        )
    assert sweep(folder=tmp_path / "stopped", workers=1).table() == whole.table()
    assert (tmp_path / "whole/runs.csv").read_text() == (tmp_path / "stopped/runs.csv").read_text()
    assert len(whole.rows) == len(whole.to_frame()) == 8
    assert {effect.runs for effect in whole.effects("method.tournament_size")} == {4}
    name = whole.rows[0].name
    assert whole[name].recipe.method["mutation_strength"] == 0.1
    result = ea.duel(whole[name].champion, whole.against, games=50, seed=1_000_003)
    assert whole.rows[0].score == result.score
    with pytest.raises(BadValueError, match=r"'run\.seed' was not varied"):
        whole.effects("run.seed")
    for values in ({}, {"run.seed": []}):
        with pytest.raises(BadValueError, match="needs at least one key with a value"):
            ea.sweep("connect-four", values, folder=tmp_path / "x")
