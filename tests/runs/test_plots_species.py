"""Pictures of runs whose networks grow: species and sizes are those of the history."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgb

from evolve_arena.runs.api import start
from evolve_arena.runs.plots.progress import draw_runs, plot_runs
from evolve_arena.runs.plots.stack import REST, colour_species, stack_species
from evolve_arena.runs.plots.style import OKABE_ITO
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.history import History
from evolve_arena.runs.store.record import Record
from evolve_arena.web.reading import MOST_SPECIES, _write_species
from tests.runs.test_plots import band, legend, points

Make = Callable[..., Recipe]

SMALL = (
    "neat.pop_size=12",
    "neat.compatibility_threshold=0.35",
    "method.opponents=2",
    "run.generations=8",
    "check.every=4",
    "check.games=20",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Eight generations of several species."""
    folder = tmp_path_factory.mktemp("species")
    return start(load_recipe("connect-four-neat", SMALL), run=folder / "grown", executor="serial")


@pytest.fixture(scope="module")
def other(small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run whose networks do not grow."""
    return start(small_recipe(), run=tmp_path_factory.mktemp("species") / "mlp", executor="serial")


def record_of(species: dict[int, dict[int, int]], generations: int = 6) -> Record:
    names = ("best", "median", "lower_quartile", "upper_quartile", "diversity", "species")
    names += ("connections", "connections_of_best", "hidden_nodes", "hidden_nodes_of_best")
    statistics = {"generation": np.arange(float(generations))}
    return Record("run", "", statistics | dict.fromkeys(names, np.ones(generations)), [], species)


def panel(record: Record, title: str) -> Axes:
    (found,) = [axes for axes in draw_runs([record]).axes if axes.get_title(loc="left") == title]
    return found


def areas(axes: Axes) -> PolyCollection:
    (found,) = [part for part in axes.collections if isinstance(part, PolyCollection)]
    return found


def test_panels_of_a_run_whose_networks_grow_are_the_history(run: Run, other: Run) -> None:
    assert len(draw_runs([other.history()]).axes) == 4
    figure = draw_runs([run.history()])
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    sizes = ["Number of species", "Connections that are enabled", "Hidden nodes"]
    assert titles[3:] == ["Diversity", *sizes, "Sizes of species"]
    number, connections, hidden = figure.axes[4:7]
    with History(run.directory.history) as history:
        table = history.generations()
    assert points(number, 0) == (table["generation"], table["species"])
    assert points(connections, 0) == (table["generation"], table["connections"])
    assert points(connections, 1) == (table["generation"], table["connections_of_best"])
    assert points(hidden, 0) == (table["generation"], table["hidden_nodes"])
    assert points(hidden, 1) == (table["generation"], table["hidden_nodes_of_best"])
    assert legend(connections) == ["mean of the population", "best individual"]


def test_species_are_the_history(run: Run) -> None:
    with History(run.directory.history) as history:
        species = history.species()
    assert len(species) > 3
    axes = draw_runs([run.history()]).axes[7]
    drawn = dict(zip(species, areas(axes).get_paths(), strict=True))
    for number, sizes in species.items():
        found = {x: high - low for x, (low, high) in band([drawn[number]]).items()}
        assert {x: size for x, size in found.items() if size} == pytest.approx(sizes)
    assert axes.get_ylim() == (0.0, 12.0)
    assert axes.get_ylabel() == "individuals"


def test_the_oldest_species_is_at_the_bottom_and_none_overlap() -> None:
    axes = panel(record_of({1: {0: 4, 1: 3}, 2: {0: 6, 1: 2}, 7: {1: 5}}, 2), "Sizes of species")
    edges = [{(float(x), float(y)) for x, y in path.vertices} for path in areas(axes).get_paths()]
    assert edges == [
        {(0, 0), (0, 4), (1, 0), (1, 3)},
        {(0, 4), (0, 10), (1, 3), (1, 5)},
        {(0, 10), (1, 5), (1, 10)},
    ]


def test_colours_depend_on_the_number_alone() -> None:
    first = areas(panel(record_of({3: {0: 1}, 9: {0: 1}}), "Sizes of species"))
    second = areas(panel(record_of({2: {0: 1}, 9: {0: 1}}), "Sizes of species"))
    assert to_rgb(first.get_facecolor()[1]) == to_rgb(second.get_facecolor()[1])
    assert to_rgb(first.get_facecolor()[1]) == pytest.approx(colour_species(9))


def test_neighbours_have_colours_of_their_own() -> None:
    """Numbers that are less than twelve apart, among the first thousand."""
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


def test_numbers_stand_in_areas_that_have_room() -> None:
    record = record_of({1: dict.fromkeys(range(6), 90), 12: dict.fromkeys(range(6), 9), 13: {5: 1}})
    axes = panel(record, "Sizes of species")
    assert [text.get_text() for text in axes.texts] == ["1", "12"]
    assert [text.get_position()[1] for text in axes.texts] == [45, 94.5]


def test_long_runs_are_means_of_stretches() -> None:
    record = record_of({5: {0: 8, 1: 4, 999: 2}, 6: {3: 8}}, 1000)
    stack = stack_species(record)
    assert stack.generations[:2].tolist() == [1.5, 5.5]
    assert stack.species == [5, 6]
    assert stack.sizes.shape == (3, 250)
    assert stack.sizes[:, 0].tolist() == [3.0, 2.0, 0.0]
    assert stack.sizes[0, -1] == 0.5


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


def test_species_of_a_generation_that_is_not_written_yet_are_left_out() -> None:
    stack = stack_species(record_of({1: {0: 5, 1: 5}, 2: {2: 5}}, 2))
    assert stack.species == [1]
    assert stack.sizes.tolist() == [[5.0, 5.0], [0.0, 0.0]]


def test_diversity_says_what_it_measures(run: Run, other: Run) -> None:
    def diversity(*runs: Run) -> tuple[str, str]:
        axes = draw_runs([run.history() for run in runs]).axes[3]
        return axes.get_title(loc="right"), axes.get_ylabel()

    assert diversity(run) == ("mean distance between genomes", "NEAT's distance")
    assert diversity(other) == ("mean standard deviation of a gene", "in units of genes")
    remark = "spread of genes, but NEAT's distance where networks grow"
    assert diversity(run, other) == (remark, "two units")


def test_runs_of_both_kinds_are_overlaid(run: Run, other: Run) -> None:
    figure = draw_runs([other.history(), run.history()])
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[4:] == ["Number of species", "Connections that are enabled", "Hidden nodes"]
    for axes in figure.axes[4:]:
        assert {to_hex(line.get_color()) for line in axes.lines} == {OKABE_ITO[1].lower()}
    assert plot_runs([other, run]).read_bytes().startswith(b"\x89PNG")


def test_a_single_generation_can_be_seen() -> None:
    figure = draw_runs([record_of({1: {0: 7}, 2: {0: 5}}, 1)])
    assert all(axes.lines[0].get_marker() == "." for axes in figure.axes[3:6])
    assert len(areas(figure.axes[6]).get_paths()) == 2


def test_the_page_draws_the_same_stack() -> None:
    """The largest apart, in the picture's colours; the others as one, grey."""
    sizes = {number: {0: 10 + number, 1: 2} for number in range(1, MOST_SPECIES + 3)}
    told = _write_species(record_of(sizes, 2))
    assert [each["number"] for each in told] == [*range(3, MOST_SPECIES + 3), None]
    assert to_rgb(told[0]["colour"]) == pytest.approx(colour_species(3), abs=1 / 255)
    assert told[0]["sizes"] == [13.0, 2.0]
    assert told[-1]["sizes"] == [11.0 + 12.0, 4.0]
    assert to_rgb(told[-1]["colour"]) == pytest.approx(REST, abs=1 / 255)
    assert _write_species(record_of({}, 2)) == []
