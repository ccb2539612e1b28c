"""Pictures of tuple networks: what cells are worth, and the entries that stand out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

from evolve_arena.core.registry import find_game
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.players.board.stacks import show_entries
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.plots.cards import NEGATIVE, POSITIVE
from evolve_arena.runs.plots.tuples import draw_tuples, read_tuples, value_cells

TupleDecoder: Any = find_game("connect-four").networks["tuples"].decoder_type

SMALL = TupleDecoder(columns=3, rows=3, connect=3, tuples=1, length=2, by_seat=True)


def make_player(decoder: Any, cells: list[list[int]], seed: int = 1) -> TuplePlayer:
    shapes = np.array(cells, dtype=np.int16)
    numbers = np.random.default_rng(seed).normal(size=decoder.table(shapes).numbers)
    return decoder.player(TuplePopulation(shapes[None], numbers[None].astype(np.float32)), "it")


def test_entries_stand_beside_what_they_mean() -> None:
    player = make_player(SMALL, [[6, 7], [5, 2]])
    first, second = read_tuples(player)
    assert first.states.shape == (9, 2)
    assert set(map(tuple, first.states.tolist())) == {(a, b) for a in (1, 2, 3) for b in (1, 2, 3)}
    assert first.numbers.shape == (2, 9)
    tables = player.arrays["tables"].astype(np.float64)
    assert np.array_equal(np.concatenate([first.numbers[1], second.numbers[1]]), tables[-17:])
    assert len(second.states) == 8  # one column: no disc below, and so on


def test_cells_are_worth_what_they_add_to_a_tuples_mean() -> None:
    player = make_player(SMALL, [[6, 4]])
    (one,) = read_tuples(player)
    one.numbers[0, 3] = 0.0  # not in use
    values = value_cells([one], SMALL)
    assert values.shape == (2, 3, 9)
    values = values.reshape(2, 3, 3, 3)  # the rows from the top
    numbers, states = one.numbers[0], show_entries(np.array([6, 4]), (3, 3))
    used = numbers != 0
    for place, row, columns in ((0, 2, (0, 2)), (1, 1, (1,))):
        for state in (1, 2, 3):
            chosen = numbers[used & (states[:, place] == state)].mean() - numbers[used].mean()
            for column in columns:  # cell 4 lies in the middle, and so it is its own mirror
                expected = chosen * (2 if len(columns) == 1 else 1)
                assert values[0, state - 1, row, column] == pytest.approx(expected)
    assert np.isnan(values[:, :, 0]).all(), "no tuple reads the top row"


def discs(axes: Axes) -> list[str]:
    return [
        to_hex(artist.get_facecolor()[0])  # type: ignore[index]
        for artist in axes.collections
        if isinstance(artist, PathCollection) and artist.get_sizes()[0] > 20
    ]


def test_the_strongest_entries_are_drawn_as_boards() -> None:
    player = make_player(SMALL, [[6, 7], [3, 0]])
    # Discs of both players: who began likes theirs, the other one likes their own.
    player.genome.tables[:] = 0.01
    states = show_entries(np.array([6, 7]), (3, 3))
    entries = SMALL.table(player.genome.cells[0]).numbers // 2
    good = int(np.flatnonzero((states == 1).all(axis=1))[0])
    bad = int(np.flatnonzero((states == 2).all(axis=1))[0])
    player.genome.tables[0, good] = 1.25
    player.genome.tables[0, entries + bad] = -2.5
    figure = draw_tuples(player, "some run")
    axes = figure.axes[0]
    said = [text.get_text() for text in axes.texts]
    assert {"+1.25", "−2.50", "1st", "2nd", "2nd: after a move of seat 2"} <= set(said)
    assert said.index("+1.25") < said.index("−2.50")
    found = discs(axes)
    assert found[:2] == [POSITIVE.lower(), NEGATIVE.lower()], "the key"
    assert found[2:6] == [POSITIVE.lower()] * 2 + [NEGATIVE.lower()] * 2
    faces = [to_hex(each.get_facecolor()[0]) for each in axes.collections]  # type: ignore[index]
    assert faces.count("#ffffff") == 4 + 2 * 2 * 2
    assert figure.get_suptitle().strip() == "some run"
    written = [getattr(artist, "get_text", str)() for artist in figure.artists]
    assert any("2 tuples of 2 cells" in text and "100% are in use" in text for text in written)


def test_one_that_learned_nothing_is_drawn() -> None:
    cells = SMALL.draw(np.random.default_rng(1))
    tables = np.zeros((1, SMALL.table(cells).numbers), dtype=np.float32)
    draw_tuples(SMALL.player(TuplePopulation(cells[None], tables), "new")).draw_without_rendering()
