"""Pictures show what the history holds, whatever state a run is in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.path import Path as Curve

from evolve_arena.arena.statistics import wilson_interval
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.types import Arrays
from evolve_arena.runs.api import prepare, resume, start
from evolve_arena.runs.errors import RecipeError, StorageError
from evolve_arena.runs.plots import plot_ancestors, plot_runs
from evolve_arena.runs.plots.ancestors import Ancestors, draw_ancestors, meet_ancestors
from evolve_arena.runs.plots.progress import distinct_names, draw_runs
from evolve_arena.runs.plots.stack import REST, colour_species, stack_species
from evolve_arena.runs.plots.style import OKABE_ITO
from evolve_arena.runs.positions import find_own_positions, read_positions, solve_positions
from evolve_arena.runs.recipes.recipe import Recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.check_points import CheckPoints
from evolve_arena.runs.store.history import Check, History
from evolve_arena.runs.store.record import Record, average, blocks
from evolve_arena.runs.training.loop import Progress
from evolve_arena.web.reading import MAX_SPECIES, _write_species

Make = Callable[..., Recipe]
MAGIC = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture(scope="module")
def run(small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run twelve generations with four checks against two opponents."""
    folder = tmp_path_factory.mktemp("plots")
    recipe = small_recipe("run.generations=12", "run.champion=best-check")
    return start(recipe, run=folder / "first", executor="serial")


@pytest.fixture(scope="module")
def adaptive(small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> Run:
    recipe = small_recipe("variation.self_adaptive=true", "run.seed=2", "run.champion=best-check")
    return start(recipe, run=tmp_path_factory.mktemp("plots") / "adaptive", executor="serial")


@pytest.fixture(scope="module")
def plain(small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return start(small_recipe(), run=tmp_path_factory.mktemp("plots") / "mlp", executor="serial")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run eight generations of several species."""
    changes = ["neat.pop_size=12", "neat.compatibility_threshold=0.35", "matches.opponents=2"]
    changes += ["run.generations=8", "check.every=4", "check.games=20"]
    path = tmp_path_factory.mktemp("plots") / "grown"
    return start("connect-four-neat", run=path, changes=changes, executor="serial")


def points(axes: Axes, number: int) -> tuple[list[float], list[float]]:
    x, y = axes.lines[number].get_data()
    return np.asarray(x).tolist(), np.asarray(y).tolist()


def band(paths: Sequence[Curve]) -> dict[float, tuple[float, float]]:
    """Return the edges of an area by x."""
    edges: dict[float, list[float]] = {}
    for x, y in paths[0].vertices:
        edges.setdefault(float(x), []).append(float(y))
    return {x: (min(ys), max(ys)) for x, ys in edges.items()}


def legend(axes: Axes) -> list[str]:
    found = axes.get_legend()
    assert found is not None
    return [text.get_text() for text in found.get_texts()]


def texts(axes: Axes) -> str:
    return " ".join(text.get_text() for text in axes.texts)


def test_axes_say_what_they_show(run: Run, adaptive: Run) -> None:
    figure = draw_runs([run.history()])
    assert figure.get_suptitle().strip() == "first"
    assert "small" in [getattr(artist, "get_text", str)() for artist in figure.artists]
    fitness, checks, diversity = figure.axes
    assert fitness.get_ylabel() == "share of points\ninside the population"
    assert fitness.get_title(loc="right") == "relative: it says nothing about strength outside"
    assert legend(fitness) == ["best individual", "median", "middle half"]
    assert checks.get_ylabel() == "share of games won"
    assert "95 % Wilson" in checks.get_title(loc="right")
    assert legend(checks) == ["random, 20 games per point", "test-bot, 20 games per point"]
    assert diversity.get_xlabel() == "generation"
    assert checks.get_ylim() == (0.0, 1.0)
    strength = draw_runs([adaptive.history()]).axes[3]
    assert strength.get_title(loc="left") == "Step size of mutation"


def test_games_that_repeat_are_told() -> None:
    checks = [Check(10, "minimax", 500, 0, 500, 2), Check(20, "minimax", 400, 0, 400, 700)]
    axes = draw_runs([Record("run", "", {}, checks)]).axes[1]
    told = "minimax, 800 to 1,000 per point (only 2 different ones at generation 10)"
    assert legend(axes) == [told]


def test_several_runs_have_a_colour_each(run: Run, adaptive: Run, tmp_path: Path) -> None:
    figure = draw_runs([run.history(), adaptive.history()])
    (named,) = figure.legends
    assert [text.get_text() for text in named.get_texts()] == ["first", "adaptive"]
    assert named.get_title().get_text() == "2 runs: small"
    for axes in figure.axes[:2]:
        hues = {to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata()) > 2}
        assert hues == {OKABE_ITO[0].lower(), OKABE_ITO[1].lower()}
    styles = [str(line.get_linestyle()) for line in figure.axes[1].lines]
    assert styles[1:] == ["-", "-", "--", "--"], "the line of one half, then two per opponent"
    other = prepare(run.recipe, run=tmp_path / "other" / "first")
    above = run.path.parent.name
    assert distinct_names([run, other]) == [f"{above}/first", "other/first"]
    assert distinct_names([run, run]) == ["first", "first"]


@pytest.fixture(scope="module")
def seeds(small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Run three seeds, the last of which stops early, and another recipe."""
    folder = tmp_path_factory.mktemp("seeds")

    def begin(name: str, *changes: str, stop: int = 99) -> Run:
        whole = small_recipe("run.champion=best-check", *changes)
        played = {"executor": "serial", "callbacks": lambda progress: progress.generation < stop}
        return start(whole, run=folder / name, **played)

    found = [begin(f"small-{seed}", f"run.seed={seed}") for seed in (1, 2)]
    return [*found, begin("small-3", "run.seed=3", stop=7), begin("wide", "network.hidden=[9]")]


def test_runs_that_differ_in_their_seed_alone_have_a_mean_with_its_range(
    seeds: list[Run], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    drawn: list[Record] = []

    def draw(records: Sequence[Record]) -> Figure:
        drawn[:] = records
        return draw_runs(records)

    monkeypatch.setattr("evolve_arena.runs.plots.progress.draw_runs", draw)
    assert plot_runs(seeds, tmp_path / "mean.png", mean=True).is_file()
    mean, wide = drawn
    assert (mean.name, wide.name) == ("small, 3 runs", "wide")
    whole = [run.history() for run in seeds[:3]]
    assert mean.generations == whole[2].generations < whole[0].generations, "of the shortest run"
    for name in ("best", "diversity"):
        columns = np.array([record[name][: mean.generations] for record in whole])
        np.testing.assert_allclose(mean[name], columns.mean(axis=0))
        np.testing.assert_array_equal(mean.ranges[name], [columns.min(axis=0), columns.max(axis=0)])
    singles = [record.checks[0] for record in whole]
    pooled = mean.checks[0]
    assert pooled.wins == sum(check.wins for check in singles)
    assert pooled.band == (min(c.won for c in singles), max(c.won for c in singles))
    fitness, checks, _ = draw_runs([mean]).axes
    assert legend(fitness)[-1] == "range of the best over runs"
    assert checks.get_title(loc="right") == "bands: ranges over runs"
    assert legend(checks)[0] == "random, 60 games per point"
    edges = band(checks.collections[0].get_paths())
    assert edges[3.0] == pooled.band
    plot_runs(seeds[2:], tmp_path / "each.png", mean=True)
    assert [record.name for record in drawn] == ["small-3", "wide"], "each is a mean of its own"


def test_curves_over_games_begin_before_the_first_and_end_after_the_last(run: Run) -> None:
    record = run.history()
    games = record["games"]
    over = record.over("games")
    assert over["generation"].tolist() == [0, *np.cumsum(games)[:-1]]
    assert [check.generation for check in over.checks][-1] == games.sum()
    figure = draw_runs([over])
    assert figure.axes[-1].get_xlabel() == "games so far, without checks"
    assert points(figure.axes[1], 1)[0][-1] == games.sum()
    assert record.over("seconds")["generation"][-1] == pytest.approx(record["seconds"][:-1].sum())
    with pytest.raises(BadValueError, match="one of generation, games, seconds"):
        record.over("game")


def test_points_of_means_have_the_range_of_margins() -> None:
    margins = [
        CheckPoints(90.0, 80.0, 10.0, 5.0, 15.0, 2),
        CheckPoints(70.0, 80.0, -10.0, -15.0, -5.0, 1),
    ]
    records = [
        Record("run", "", {"generation": np.arange(1.0)}, [Check(0, "rule", 5, 0, 5, 9, each)])
        for each in margins
    ]
    (check,) = average(records, "both").checks
    assert check.scores == CheckPoints(80.0, 80.0, 0.0, -10.0, 10.0, 3)


def test_more_than_three_runs_have_no_bands(run: Run) -> None:
    records = [replace(run.history(), name=str(number)) for number in range(9)]
    figure = draw_runs(records)
    assert not figure.axes[0].collections
    assert legend(figure.axes[0]) == ["best individual", "median"]
    colours = {to_hex(handle.get_color()) for handle in figure.legends[0].get_lines()}
    assert len(colours) == 9


def test_a_run_that_has_not_begun_or_has_no_check_says_so(
    run: Run, tmp_path: Path, small_recipe: Make
) -> None:
    prepared = prepare(run.recipe, run=tmp_path / "prepared")
    figure = draw_runs([prepared.history()])
    for axes in figure.axes:
        assert texts(axes) == "no generation has been played yet"
    assert plot_runs([prepared]).read_bytes().startswith(MAGIC[".png"])
    stop = {"executor": "serial", "callbacks": lambda progress: progress.generation < 2}
    begun = start(small_recipe("run.champion=best-check"), run=tmp_path / "begun", **stop)
    fitness, checks, _ = draw_runs([begun.history()]).axes
    assert points(fitness, 0)[0] == [0, 1]
    assert texts(checks) == "no check yet"


SHARES = [Check(1, "random", 7, 0, 0, 7), Check(1, "test-bot", 0, 0, 9, 9)]
"""One check each of a share of exactly 1 and 0; their intervals were rounded past these."""


def constant(generations: int, value: float) -> Arrays:
    names = ("best", "median", "lower_quartile", "upper_quartile", "diversity")
    column = np.full(generations, value)
    return {"generation": np.arange(float(generations)), **dict.fromkeys(names, column)}


@pytest.mark.parametrize("value", [0.0, 1.0, np.nan])
def test_shares_of_0_and_1_have_error_bars(value: float) -> None:
    fitness, axes, _ = draw_runs([Record("run", "", constant(1, value), SHARES)]).axes
    found = [each for each in axes.containers if isinstance(each, ErrorbarContainer)]
    bars = [each.lines[2][0].get_segments()[0][:, 1].tolist() for each in found]
    assert bars == [list(wilson_interval(7, 7)), list(wilson_interval(0, 9))]
    assert fitness.get_ylim() == (0.0, 1.0)
    assert fitness.lines[0].get_marker() == "."


@pytest.mark.parametrize("generations", [1, 5])
def test_points_at_the_edge_are_drawn_whole(generations: int) -> None:
    """Half of a marker at 1.0 was cut off, and half of the line of a fitness of 1.0."""
    checks = [replace(check, generation=now) for check in SHARES for now in range(generations)]
    learner = {"first_wins": np.ones(generations), "error": np.zeros(generations)}
    learner |= {"plies": np.zeros(generations), "generation": np.arange(float(generations))}
    records = [Record("run", "", constant(generations, 1.0), checks), Record("l", "", learner, [])]
    panels = {axes.get_title(loc="left"): axes for axes in draw_runs(records).axes}
    for title, value in (("Fitness", 1.0), ("Checks", 1.0), ("Checks", 0.0), ("The learn", 1.0)):
        (axes,) = (panels[name] for name in panels if name.startswith(title))
        lines = [line for line in axes.lines if len(line.get_xdata()) == generations]
        (drawn, *_) = (line for line in lines if set(line.get_ydata()) == {value})
        assert not drawn.get_clip_on(), title


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_a_statistic_without_height_is_drawn(value: float) -> None:
    """Diversity is 0 once all individuals are the same; the axis then needs another end."""
    axes = draw_runs([Record("run", "", constant(4, value), [])]).axes[2]
    assert axes.get_ylim() == (0.0, 1.0)
    assert len(points(axes, 0)[1]) == 4


def test_a_run_is_drawn_while_it_is_written(
    small_recipe: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else what is seen depends on the clock.
    monkeypatch.setattr("evolve_arena.runs.store.history.PATIENCE", -1.0)
    seen: list[int] = []

    def watch(progress: Progress) -> bool:
        written = Run.open(tmp_path / "live")
        record = written.history()
        seen.append(record.generations)
        assert record.generations == progress.generation
        if progress.generation == 5:
            plot_runs([written])
        return True

    start(small_recipe(), run=tmp_path / "live", executor="serial", callbacks=watch)
    assert sorted(set(seen)) == list(range(1, 9))
    assert (tmp_path / "live" / "plots" / "fitness.png").stat().st_size > 10_000


def test_long_runs_are_drawn_as_means() -> None:
    best = np.random.default_rng(1).random(1000)
    figure = draw_runs([Record("long", "", constant(1000, best), [])])
    x, y = points(figure.axes[0], 0)
    assert len(x) == 250
    assert x[:2] == [1.5, 5.5]
    assert y == pytest.approx(best.reshape(250, 4).mean(axis=1))
    label = figure.axes[2].get_xlabel()
    assert label == "generation (all but the checks: means over 4 generations)"
    column = np.array([3.0, 1.0, 2.0])
    assert blocks(column).tolist() == [3.0, 1.0, 2.0]
    assert blocks(np.zeros(0)).tolist() == []
    assert blocks(np.arange(251.0))[-1] == 250.0


@pytest.mark.parametrize("suffix", sorted(MAGIC))
def test_the_same_picture_has_the_same_bytes(run: Run, tmp_path: Path, suffix: str) -> None:
    first = plot_runs([run], tmp_path / f"first{suffix}").read_bytes()
    assert first.startswith(MAGIC[suffix])
    with ThreadPoolExecutor(4) as pool:
        paths = [tmp_path / f"{number}{suffix}" for number in range(4)]
        for path in pool.map(lambda path: plot_runs([run], path), paths):
            assert path.read_bytes() == first


def test_default_places_and_what_can_not_be_plotted(
    run: Run, adaptive: Run, tmp_path: Path
) -> None:
    assert plot_runs([run]) == run.path / "plots" / "fitness.png"
    assert plot_runs([run, adaptive]) == run.path / "plots" / "comparison.png"
    assert plot_ancestors(run, games=2) == run.path / "plots" / "ancestors.png"
    with pytest.raises(BadValueError, match="no runs"):
        plot_runs([])
    with pytest.raises(BadValueError, match="games is 0"):
        plot_ancestors(run, tmp_path / "a.png", games=0)
    with pytest.raises(StorageError, match="No such file"):
        plot_runs([run], tmp_path / "missing" / "a.png")


@pytest.mark.parametrize("name", ["picture.gif", "picture"])
def test_unknown_formats_are_told_the_known_ones(run: Run, tmp_path: Path, name: str) -> None:
    for plot in (lambda to: plot_runs([run], to), lambda to: plot_ancestors(run, to)):
        with pytest.raises(BadValueError, match=r"\.png, \.svg, \.pdf"):
            plot(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_every_two_champions_meet_but_25_at_most(
    run: Run, small_recipe: Make, tmp_path: Path
) -> None:
    table = meet_ancestors(run, games=30)
    assert table.generations == [3, 6, 9, 12]
    apart = ~np.eye(4, dtype=bool)
    assert (table.games == np.where(apart, 30, 0)).all()
    assert (table.points + table.points.T == table.games).all()
    assert table.opening_plies == 4
    recipe = small_recipe(
        "run.generations=30", "check.every=1", "check.games=2", "run.champion=last"
    )
    many = start(recipe, run=tmp_path / "many", executor="serial")
    table = meet_ancestors(many, games=2)
    assert len(table.generations) == 25
    assert (table.generations[0], table.generations[-1]) == (1, 30)
    assert set(np.diff(table.generations)) == {1, 2}


def test_ancestors_are_drawn_as_they_played(run: Run) -> None:
    points_ = np.array([[0.0, 4.0, 1.0], [6.0, 0.0, 3.0], [9.0, 7.0, 0.0]])
    games = np.where(np.eye(3, dtype=bool), 0.0, 10.0)
    table = Ancestors("run", "title", [10, 20, 30], points_, games, 4)
    matrix, line, bar = draw_ancestors(table).axes
    (image,) = matrix.images
    shares = [[-1, 0.4, 0.1], [0.6, -1, 0.3], [0.9, 0.7, -1]]
    assert np.ma.filled(image.get_array(), -1).tolist() == shares
    assert image.get_clim() == (0.0, 1.0)
    assert points(line, 0) == ([1, 2], [0.6, 0.8])
    assert not line.lines[0].get_clip_on()
    assert band(line.collections[0].get_paths()) == {
        1: wilson_interval(6, 10),
        2: wilson_interval(16, 20),
    }
    assert [tick.get_text() for tick in line.get_xticklabels()] == ["10", "20", "30"]
    assert bar.get_ylabel() == "the row's share of the points"


def test_too_few_champions_are_told(run: Run, small_recipe: Make, tmp_path: Path) -> None:
    prepared = prepare(run.recipe, run=tmp_path / "prepared")
    one = start(small_recipe("run.generations=0"), run=tmp_path / "one", executor="serial")
    for short, told in ((prepared, "there are none so far"), (one, "there is one so far")):
        figure = draw_ancestors(meet_ancestors(short))
        assert told in texts(figure.axes[0])
        assert plot_ancestors(short).stat().st_size > 1000


def test_matplotlib_waits_until_it_is_needed() -> None:
    code = (
        "import sys, evolve_arena.studies.reproduction; from evolve_arena.runs import plots;"
        "from evolve_arena.runs.plots import __all__;"
        "assert 'matplotlib' not in sys.modules; plots.plot_runs;"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def record_of(species: dict[int, dict[int, int]], generations: int = 6) -> Record:
    names = ("species", "connections", "connections_of_best")
    names += ("hidden_nodes", "hidden_nodes_of_best")
    statistics = constant(generations, 1.0) | dict.fromkeys(names, np.ones(generations))
    return Record("run", "", statistics, [], species)


def panel(record: Record, title: str) -> Axes:
    (found,) = [axes for axes in draw_runs([record]).axes if axes.get_title(loc="left") == title]
    return found


def areas(axes: Axes) -> PolyCollection:
    (found,) = [part for part in axes.collections if isinstance(part, PolyCollection)]
    return found


def test_a_run_whose_networks_grow_has_panels_of_its_own(grown: Run, plain: Run) -> None:
    assert len(draw_runs([plain.history()]).axes) == 4
    figure = draw_runs([grown.history()])
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    sizes = ["Number of species", "Connections that are enabled", "Hidden nodes"]
    assert titles[3:] == ["Diversity", *sizes, "Sizes of species"]
    connections = figure.axes[5]
    assert legend(connections) == ["mean of the population", "best individual"]


def test_species_are_the_history(grown: Run) -> None:
    with History(grown.directory.history) as history:
        species = history.species()
    assert len(species) > 3
    axes = draw_runs([grown.history()]).axes[7]
    drawn = dict(zip(species, areas(axes).get_paths(), strict=True))
    for number, sizes in species.items():
        found = {x: high - low for x, (low, high) in band([drawn[number]]).items()}
        assert {x: size for x, size in found.items() if size} == pytest.approx(sizes)
    assert axes.get_ylim() == (0.0, 12.0)
    assert axes.get_ylabel() == "individuals"
    axes = panel(record_of({1: {0: 4, 1: 3}, 2: {0: 6, 1: 2}, 7: {1: 5}}, 2), "Sizes of species")
    edges = [{(float(x), float(y)) for x, y in path.vertices} for path in areas(axes).get_paths()]
    assert edges == [
        {(0, 0), (0, 4), (1, 0), (1, 3)},
        {(0, 4), (0, 10), (1, 3), (1, 5)},
        {(0, 10), (1, 5), (1, 10)},
    ]


def test_colours_depend_on_the_number_alone_and_differ_between_neighbours() -> None:
    first = areas(panel(record_of({3: {0: 1}, 9: {0: 1}}), "Sizes of species"))
    second = areas(panel(record_of({2: {0: 1}, 9: {0: 1}}), "Sizes of species"))
    assert to_rgb(first.get_facecolor()[1]) == to_rgb(second.get_facecolor()[1])
    assert to_rgb(first.get_facecolor()[1]) == pytest.approx(colour_species(9))
    colours = np.array([colour_species(number) for number in range(1, 1001)])
    assert colours.min() >= 0.0
    assert colours.max() <= 1.0
    for distance in range(1, 12):
        apart = np.abs(colours[distance:] - colours[:-distance]).max(axis=1)
        assert apart.min() > 0.1, distance


def test_births_and_extinctions_are_marked() -> None:
    record = record_of({1: dict.fromkeys(range(6), 4), 2: {2: 4, 3: 8}})
    axes = panel(record, "Sizes of species")
    births, ends = [part for part in axes.collections if isinstance(part, PathCollection)]
    assert births.get_offsets().tolist() == [[2, 6]]
    assert ends.get_offsets().tolist() == [[3, 8]]
    remark = axes.get_title(loc="right")
    assert remark == "2 so far, 1 of them living; dots: births, crosses: extinctions"
    record = record_of({1: dict.fromkeys(range(6), 90), 12: dict.fromkeys(range(6), 9), 13: {5: 1}})
    axes = panel(record, "Sizes of species")
    assert [text.get_text() for text in axes.texts] == ["1", "12"]
    assert [text.get_position()[1] for text in axes.texts] == [45, 94.5]


def test_species_of_long_runs_are_means_of_stretches() -> None:
    record = record_of({5: {0: 8, 1: 4, 999: 2}, 6: {3: 8}}, 1000)
    stack = stack_species(record)
    assert stack.generations[:2].tolist() == [1.5, 5.5]
    assert stack.species == [5, 6]
    assert stack.sizes.shape == (3, 250)
    assert stack.sizes[:, 0].tolist() == [3.0, 2.0, 0.0]
    assert stack.sizes[0, -1] == 0.5
    stack = stack_species(record_of({1: {0: 5, 1: 5}, 2: {2: 5}}, 2))
    assert stack.species == [1]
    assert stack.sizes.tolist() == [[5.0, 5.0], [0.0, 0.0]]


def test_the_smallest_of_very_many_species_are_grey() -> None:
    species = {number: {0: number} for number in range(1, 6)}
    stack = stack_species(record_of(species, 1), most=3)
    assert stack.species == [3, 4, 5]
    assert stack.sizes.tolist() == [[3.0], [4.0], [5.0], [3.0]]
    many = {number: {number % 6: 1 + number % 3} for number in range(1, 702)}
    axes = panel(record_of(many), "Sizes of species")
    assert to_rgb(areas(axes).get_facecolor()[-1]) == REST
    assert len(areas(axes).get_paths()) == 501
    assert axes.get_title(loc="right") == (
        "701 so far, 117 of them living; grey: all but the largest 500"
    )
    assert axes.get_ylim()[1] == max(
        sum(sizes.get(generation, 0) for sizes in many.values()) for generation in range(6)
    )


def test_diversity_says_what_it_measures(grown: Run, plain: Run) -> None:
    def diversity(*runs: Run) -> tuple[str, str]:
        axes = draw_runs([each.history() for each in runs]).axes[3]
        return axes.get_title(loc="right"), axes.get_ylabel()

    assert diversity(grown) == ("mean distance between genomes", "NEAT's distance")
    assert diversity(plain) == ("mean standard deviation of a gene", "in units of genes")
    remark = "spread of genes, but NEAT's distance where networks grow"
    assert diversity(grown, plain) == (remark, "two units")


def test_runs_of_both_kinds_are_overlaid(grown: Run, plain: Run) -> None:
    figure = draw_runs([plain.history(), grown.history()])
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[4:] == ["Number of species", "Connections that are enabled", "Hidden nodes"]
    for axes in figure.axes[4:]:
        assert {to_hex(line.get_color()) for line in axes.lines} == {OKABE_ITO[1].lower()}
    assert plot_runs([plain, grown]).read_bytes().startswith(b"\x89PNG")


def test_a_single_generation_of_species_can_be_seen() -> None:
    figure = draw_runs([record_of({1: {0: 7}, 2: {0: 5}}, 1)])
    assert all(axes.lines[0].get_marker() == "." for axes in figure.axes[3:6])
    assert len(areas(figure.axes[6]).get_paths()) == 2


def test_the_page_draws_the_same_stack() -> None:
    """The largest apart, in the picture's colours; the others as one, grey."""
    sizes = {number: {0: 10 + number, 1: 2} for number in range(1, MAX_SPECIES + 3)}
    told = _write_species(record_of(sizes, 2))
    assert [each["number"] for each in told] == [*range(3, MAX_SPECIES + 3), None]
    assert to_rgb(told[0]["colour"]) == pytest.approx(colour_species(3), abs=1 / 255)
    assert told[0]["sizes"] == [13.0, 2.0]
    assert told[-1]["sizes"] == [11.0 + 12.0, 4.0]
    assert to_rgb(told[-1]["colour"]) == pytest.approx(REST, abs=1 / 255)
    assert _write_species(record_of({}, 2)) == []


def test_positions_that_champions_solve_are_recorded_and_drawn(
    small_recipe: Make, tmp_path: Path
) -> None:
    recipe = small_recipe('check.positions=["concept states"]', "run.generations=6")
    tested = start(recipe, run=tmp_path / "tested", executor="serial")
    found = tested.history().positions
    assert [each.generation for each in found if each.positions == "concept states"] == [0, 3, 6]
    told = {each.positions: each for each in found if each.generation == 6}
    assert {name.partition(": ")[2][:1]: each.count for name, each in told.items()} == {
        **{"": 60, "A": 30, "F": 30, "R": 20, "D": 20, "K": 20}
    }
    file = find_own_positions(tested.method.decoder.game)["concept states"]
    problems = read_positions(tested.method.decoder.game, file)
    solved = solve_positions(tested.champion_at(6), tested.method.decoder.game, problems)
    assert told["concept states"].share == pytest.approx(solved["solved"]["overall"])
    panel = draw_runs([tested.history()]).axes[3 if tested.history().ratings else 2]
    assert panel.get_title(loc="left").startswith("Positions with known answers")
    assert points(panel, 0) == ([0, 3, 6], [each.share for each in found[::6]])
    assert "concept states, 60" in legend(panel)
    several = draw_runs([replace(tested.history(), name=name) for name in ("one", "two")])
    assert legend(several.axes[3 if tested.history().ratings else 2]) == ["concept states, 60"]
    went_back = resume(tested.path, from_generation=3, force=True, generations=4, executor="serial")
    assert {each.generation for each in went_back.history().positions} == {0, 3, 4}


def test_positions_of_checks_are_those_that_the_game_ships(small_recipe: Make) -> None:
    with pytest.raises(RecipeError, match="unknown positions 'chess'"):
        small_recipe('check.positions=["chess"]').make_opponents()
    with pytest.raises(RecipeError, match="none ship with this game and these options"):
        small_recipe('check.positions=["concept states"]', "game.rows=5").make_opponents()


def test_islands_and_species_are_drawn_over_games_and_seconds(
    small_recipe: Make, grown: Run, tmp_path: Path
) -> None:
    recipe = small_recipe("islands.count=2", "islands.interval=2")
    islands = start(recipe, run=tmp_path / "islands", executor="serial").history()
    titles = [axes.get_title(loc="left") for axes in draw_runs([islands]).axes]
    over = [axes.get_title(loc="left") for axes in draw_runs([islands.over("games")]).axes]
    assert set(titles) - set(over) == {"Migrations"}
    record = grown.history()
    whole = stack_species(record)
    for axis in ("games", "seconds"):
        assert np.array_equal(stack_species(record.over(axis)).sizes, whole.sizes)
