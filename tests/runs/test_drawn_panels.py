"""Every drawn panel shows its own figures: all of them differ, so that exchanged ones are seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from evolve_arena.arena.batch import new_results, seat_players
from evolve_arena.arena.intervals import Sample
from evolve_arena.arena.self_play import MirrorResult
from evolve_arena.core.registry import make_game
from evolve_arena.games.ticket_to_ride.layout import MAX_PLAYERS
from evolve_arena.runs.plots.progress import draw_runs
from evolve_arena.runs.store.check_points import CheckPoints
from evolve_arena.runs.store.history import Check
from evolve_arena.runs.store.record import Record
from evolve_arena.studies.checkers_td.published import PLAYERS, Score
from evolve_arena.studies.checkers_td.study import draw_tournament
from evolve_arena.studies.four_in_a_row.study import Point, read_published
from evolve_arena.studies.four_in_a_row.study import draw_curves as draw_published
from evolve_arena.studies.mlp_vs_neat.study import draw_progress as draw_arms
from evolve_arena.studies.q_learning.tables import draw_ranking
from evolve_arena.studies.td_lambda.plan import OPPONENTS
from evolve_arena.studies.td_lambda.tables import (
    CONCEPTS,
    Curve,
    draw_curves,
    draw_long_run,
    smooth,
)
from evolve_arena.studies.ticket_to_ride.chart import draw_points, draw_progress, draw_ranges
from evolve_arena.studies.ticket_to_ride.measures import COUNTS

Points = list[list[float]]


def lines(axes: Axes) -> list[Points]:
    """Return the points of each line."""
    return [np.asarray(line.get_xydata(), dtype=float).tolist() for line in axes.lines]


def labelled(axes: Axes) -> dict[str, Points]:
    found = zip(axes.lines, lines(axes), strict=True)
    return {str(line.get_label()): points for line, points in found}


def band(axes: Axes, number: int = 0) -> dict[float, tuple[float, float]]:
    """Return the edges of a band by x."""
    edges: dict[float, list[float]] = {}
    for x, y in axes.collections[number].get_paths()[0].vertices:
        edges.setdefault(float(x), []).append(float(y))
    return {x: (min(ys), max(ys)) for x, ys in edges.items()}


def panel(title: str, picture: Record | Figure) -> Axes:
    """Return the panel whose title begins so in the picture of a run."""
    figure = picture if isinstance(picture, Figure) else draw_runs([picture])
    return next(one for one in figure.axes if one.get_title(loc="left").startswith(title))


# --- runs ----------------------------------------------------------------------------------

SCORES = [
    CheckPoints(points=97.5, against=81.25, margin=16.5, low=10.5, high=22.5, forbidden=6),
    CheckPoints(points=88.0, against=92.5, margin=-4.75, low=-9.0, high=-0.5, forbidden=2),
    CheckPoints(points=101.0, against=70.0, margin=31.5, low=27.0, high=36.0, forbidden=0),
]
CHECKS = [
    Check(10 * place, "rule", 3 + place, place, 7 - place, 8, scores)
    for place, scores in enumerate(SCORES, start=1)
]


def test_points_are_margins_with_their_intervals() -> None:
    axes = panel("Points in checks", Record("run", "", {}, CHECKS))
    assert lines(axes)[1] == [[10.0, 16.5], [20.0, -4.75], [30.0, 31.5]]
    assert band(axes) == {10.0: (10.5, 22.5), 20.0: (-9.0, -0.5), 30.0: (27.0, 36.0)}
    assert lines(axes)[0] == [[0.0, 0.0], [1.0, 0.0]], "where both score the same"
    plain = draw_runs([Record("run", "", {}, [Check(1, "random", 3, 0, 1, 4)])])
    assert not any("Points" in one.get_title(loc="left") for one in plain.axes)


def test_points_of_a_single_check_have_an_error_bar() -> None:
    axes = panel("Points in checks", Record("run", "", {}, CHECKS[1:2]))
    (bar,) = (one for one in axes.containers if isinstance(one, ErrorbarContainer))
    assert bar.lines[2][0].get_segments()[0].tolist() == [[20.0, -9.0], [20.0, -0.5]]
    pair = replace(SCORES[0], low=-np.inf, high=np.inf)
    unknown = [replace(CHECKS[0], scores=pair)]
    axes = panel("Points in checks", Record("run", "", {}, unknown))
    (bar,) = (one for one in axes.containers if isinstance(one, ErrorbarContainer))
    assert bar.lines[2][0].get_segments()[0].tolist() == [[10.0, 16.5], [10.0, 16.5]]


def test_every_opponent_has_its_own_points() -> None:
    other = [replace(check, opponent="random", scores=SCORES[2]) for check in CHECKS[:2]]
    axes = panel("Points in checks", Record("run", "", {}, [*CHECKS, *other]))
    assert lines(axes)[1] == [[10.0, 31.5], [20.0, 31.5]]
    assert [y for _, y in lines(axes)[2]] == [16.5, -4.75, 31.5]
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["random", "rule"]


LEARNER = {
    "The learners' games": ["first_wins", "draws", "epsilon"],
    "Errors": ["error"],
    "Length of games": ["plies"],
}


def test_every_statistic_of_learners_has_its_line() -> None:
    names = [name for own in LEARNER.values() for name in own]
    columns = {name: np.array([0.01, 0.02, 0.03]) * at for at, name in enumerate(names, start=1)}
    picture = draw_runs([Record("run", "", {"generation": np.arange(3.0), **columns}, [])])
    for title, expected in LEARNER.items():
        drawn = [[y for _, y in points] for points in lines(panel(title, picture))]
        assert drawn == [columns[name].tolist() for name in expected], title
    legend = panel("The learners' games", picture).get_legend()
    assert legend is not None
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["games won by the first player", "draws", "moves at random (ε)"]


# --- studies -------------------------------------------------------------------------------


def make_curve(level: float) -> Curve:
    shares = {name: [level + 0.01 * place, level + 0.1, level + 0.02 * place]
              for place, name in enumerate(OPPONENTS)}  # fmt: skip
    points = {name: [Sample(1000 * s, 1000) for s in some] for name, some in shares.items()}
    return Curve([10_000, 20_000, 30_000], points)


def test_learning_curves_of_td_lambda() -> None:
    curves = {"one": make_curve(0.2), "two": make_curve(0.5)}
    ends = {"one": {"MM1": [0.31, 0.32]}, "two": {"MM3": [0.41]}}
    figure = draw_curves("title", curves, ends)
    for place, opponent in enumerate(OPPONENTS):
        axes = figure.axes[place]
        assert axes.get_title(loc="left") == f"Against {opponent}"
        for label, curve in curves.items():
            drawn = labelled(axes)[label]
            assert [x for x, _ in drawn] == [10.0, 20.0, 30.0]
            assert [y for _, y in drawn] == curve.smoothed(opponent)
        dots = [y for line in lines(axes)[1::2] for _, y in line]
        assert dots == {"MM1": [0.31, 0.32], "MM3": [0.41]}.get(opponent, [])


def test_the_long_run_of_td_lambda() -> None:
    concepts = {name: [0.1 + 0.1 * place, 0.2, 0.3] for place, name in enumerate(CONCEPTS)}
    curve = make_curve(0.4)
    first, second, third = (labelled(axes) for axes in draw_long_run("t", curve, concepts).axes)
    groups = {CONCEPTS[name]: smooth(shares) for name, shares in concepts.items()}
    expected: list[tuple[dict[str, Points], dict[str, list[float]]]] = [
        (first, {"random": curve.smoothed("random")}
         | {name: groups[name] for name in ("attack", "defence")}),
        (second, {name: groups[name] for name in ("rows", "diagonals", "columns")}),
        (third, {name: curve.smoothed(name) for name in ("MM1", "MM2", "MM3", "MM4")}),
    ]  # fmt: skip
    for drawn, wanted in expected:
        assert {name: [y for _, y in points] for name, points in drawn.items()} == wanted


def make_record(won: int) -> dict[str, list[tuple[float, Check]]]:
    return {
        name: [
            (1e6 * at, Check(at, name, won + 10 * at + by, 3, 97 - won - 10 * at - by, 9))
            for at in (1, 2)
        ]
        for name, by in (("test-bot", 0), ("random", 25))
    }


def test_weight_vectors_and_neat() -> None:
    curves = {"a": [make_record(30), make_record(40)], "b": [make_record(1)]}
    bot, random = draw_arms(curves).axes
    assert labelled(bot)["a"] == [[1.0, 0.45], [2.0, 0.55]]
    assert band(bot) == {1.0: (0.4, 0.5), 2.0: (0.5, 0.6)}
    assert labelled(bot)["b"] == [[1.0, 0.11], [2.0, 0.21]]
    assert np.allclose(labelled(random)["a"], [[1.0, 0.70], [2.0, 0.80]])
    # A level below one half against random is no reason to show nothing.
    assert random.get_ylim() == (0.0, 1.0)
    _, random = draw_arms({"a": [make_record(30)]}).axes
    assert random.get_ylim() == (0.5, 1.0)


@pytest.mark.parametrize(("most", "top"), [(70, 0.8), (95, 1.0)])
def test_published_and_measured_curves(most: int, top: float) -> None:
    published = {number: read_published()[number] for number in range(1, 7)}
    measured = {
        number: [[Point(10.0 * number, 100, 10), Point(float(most), 100, 20)],
                 [Point(10.0 * number + 4, 100, 10), Point(most - 2.0, 100, 20)]]
        for number in published
    }  # fmt: skip
    figure = draw_published("title", published, measured)
    for number, axes in enumerate(figure.axes[:6], start=1):
        assert axes.get_title(loc="left") == f"Run {number}"
        assert [y for _, y in labelled(axes)["published"]] == published[number].points
        assert [x for x, _ in labelled(axes)["published"][:2]] == [10.0, 20.0]
        mean = labelled(axes)["measured, mean of 2 seeds"]
        assert np.allclose(mean, [[10, 0.1 * number + 0.02], [20, most / 100 - 0.01]])
        assert band(axes)[20.0] == pytest.approx((most / 100 - 0.02, most / 100))
        assert axes.get_ylim() == (0.0, top)


def test_rankings_of_q_learning() -> None:
    groups = {name: [Sample(won, 100) for won in some]
              for name, some in (("a", (100, 60, 20)), ("b", (50, 0, 10)))}  # fmt: skip
    published = {"b": {"mean": 0.33, "best": 0.44, "worst": 0.22}}
    (axes,) = draw_ranking("title", groups, published).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a", "b"]
    drawn = lines(axes)
    for place, (ends, dots, mean) in enumerate(
        (([0.2, 1.0], [1.0, 0.6, 0.2], 0.6), ([0.0, 0.5], [0.5, 0.0, 0.1], 0.2))
    ):
        y = place + 0.17
        assert drawn[3 * place] == [[end, y] for end in ends]
        assert drawn[3 * place + 1] == [[dot, y] for dot in dots]
        assert drawn[3 * place + 2] == [[pytest.approx(mean), y]]
        assert not axes.lines[3 * place + 1].get_clip_on()  # a share of 1 is a whole dot
    assert drawn[6] == drawn[7] == [[0.22, 0.83], [0.44, 0.83]]
    assert drawn[8] == [[0.33, 0.83]]


def test_crosstables_of_checkers() -> None:
    players = (1, 2, 3)
    published = {(1, 2): Score(9, 1), (2, 1): Score(6, 4), (1, 3): Score(2, 8), (3, 2): Score(0, 9)}
    seeds = [
        {(1, 2): Score(1, 9), (2, 1): Score(8, 2), (3, 1): Score(7, 3), (2, 3): Score(2, 8)},
        {(1, 2): Score(3, 7), (2, 1): Score(4, 6), (3, 1): Score(9, 1), (2, 3): Score(4, 6)},
    ]
    left, middle, ranks, _ = draw_tournament("title", players, published, seeds).axes
    theirs, ours = (np.ma.filled(axes.images[0].get_array(), np.nan) for axes in (left, middle))
    none = np.nan
    expected = [[none, 0.9, 0.2], [0.6, none, none], [none, 0.0, none]]
    np.testing.assert_allclose(theirs, expected)
    np.testing.assert_allclose(ours, [[none, 0.2, none], [0.6, none, 0.3], [0.8, none, none]])
    assert {text.get_text() for text in left.texts} == {"9", "2", "6", "0"}
    assert {text.get_text() for text in middle.texts} == {"2", "6", "3", "8"}
    # Published points: 1 has 15 of 30, 2 16 of 29, 3 8 of 19; ours: 3 first, then 2, then 1.
    assert lines(ranks) == [[[0, 2], [1, 3]], [[0, 1], [1, 2]], [[0, 3], [1, 1]]]
    assert [text.get_text() for text in ranks.texts][:3] == [f"{PLAYERS[1]} 1", "1", "3"]


def make_mirror(points: list[list[int]]) -> MirrorResult:
    count, players = len(points), len(points[0])
    results = new_results(make_game("ticket-to-ride"), count)
    results.columns["points"][:, :players] = points
    results.offenders[:] = -1
    results.game_hashes[:] = np.arange(count)
    pairings = seat_players(np.zeros((count, players)), MAX_PLAYERS)
    return MirrorResult("nobody", pairings, results)


def test_points_of_ticket_to_ride() -> None:
    results = {2: make_mirror([[80, 84], [91, 120]]), 3: make_mirror([[70, 75, 110]] * 2)}
    left, middle, right = draw_points("title", results).axes
    shares = {label: {x: y for x, y in points if y} for label, points in labelled(left).items()}
    assert shares == {
        "2 players": {82.5: 50.0, 92.5: 25.0, 122.5: 25.0},
        "3 players": {72.5: pytest.approx(100 / 3), 77.5: pytest.approx(100 / 3),
                      112.5: pytest.approx(100 / 3)},
    }  # fmt: skip
    bars = {bar.get_x() + bar.get_width() / 2: bar.get_height() for bar in middle.patches}
    assert {x: y for x, y in bars.items() if y} == {
        72.5: 20.0, 77.5: 20.0, 82.5: 20.0, 92.5: 10.0, 112.5: 20.0, 122.5: 10.0,
    }  # fmt: skip
    assert labelled(right)["mean"] == [[2.0, 93.75], [3.0, 85.0]]
    assert labelled(right)["median"] == [[2.0, 87.5], [3.0, 75.0]]
    ends = [segment.tolist() for segment in right.collections[0].get_segments()]
    assert ends == [[[2.0, 80.0], [2.0, 120.0]], [[3.0, 70.0], [3.0, 110.0]]]


def test_ranges_of_ticket_to_ride() -> None:
    ours = {count: make_mirror([[60 + count] * count, [90 + count] * count]) for count in COUNTS}
    published = {"specific": {count: (10.0 + count, 50.0 + count, 150.0 + count)
                              for count in COUNTS}}  # fmt: skip
    (axes,) = draw_ranges("title", {"specific": [ours]}, published).axes
    ends = [one.get_segments()[0][:, 1].tolist() for one in axes.collections]
    means = [points[0][1] for points in lines(axes)]
    for place, count in enumerate(COUNTS):
        assert ends[2 * place] == [60.0 + count, 90.0 + count]
        assert ends[2 * place + 1] == [10.0 + count, 150.0 + count]
        assert means[2 * place : 2 * place + 2] == [75.0 + count, 50.0 + count]
    assert set(labelled(axes)) >= {"specific, measured", "specific, published"}


def test_progress_of_ticket_to_ride() -> None:
    names = ("mean", "maximum", "minimum", "loss")
    measured = {name: [1.0 + place, 2.0, 3.0] for place, name in enumerate(names)}
    published = {name: [7.0 + place, 8.0] for place, name in enumerate(names)}
    upper, lower = draw_progress("title", measured, published).axes
    for axes, own in ((upper, names[:3]), (lower, names[3:])):
        drawn = lines(axes)
        for place, name in enumerate(own):
            assert [y for _, y in drawn[2 * place]] == measured[name]
            assert axes.lines[2 * place].get_label() == name
            assert [y for _, y in drawn[2 * place + 1]] == published[name]
