"""Trained players of ``checkers-td`` as they enter games, and what they have learned after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.work import Work
from evolve_arena.games.checkers.linear_lessons import EXPLORATION
from evolve_arena.games.checkers.linear_meetings import Entrants, make_entrants, make_meetings
from evolve_arena.games.checkers.td_linear import TdLinear, make_lesson
from evolve_arena.studies.checkers_td.plan import CHOSEN, trained
from evolve_arena.studies.checkers_td.published import Score
from evolve_arena.studies.study import Material


def gather(material: Material, seed: int, numbers: Sequence[int]) -> Entrants:
    """The players with these *numbers*, of one *seed*, as they are after their training."""
    runs = trained(material, seed, numbers)
    states = [run.state() for run in runs]
    methods = [cast(TdLinear, run.method) for run in runs]
    lessons = [
        make_lesson(method.config, method.design, state.generation)
        for method, state in zip(methods, states, strict=True)
    ]
    genomes = [state.population[0] for state in states]
    return make_entrants([method.design for method in methods], lessons, genomes)


def arrange(entrants: Entrants, pairings: Any, seeds: NDArray[np.uint64], **options: Any) -> Work:
    """Meetings, as by `make_meetings`, whose games are drawn as the tables' reading says."""
    return make_meetings(entrants, pairings, seeds, draws=CHOSEN.draws, **options)


def without_exploration(entrants: Entrants) -> Entrants:
    """The same players, who play no move at random: they do so in training only."""
    lessons = entrants.lessons.copy()
    lessons[:, EXPLORATION] = 0.0
    return replace(entrants, lessons=lessons)


def identify(entrants: Entrants) -> bytes:
    """The players' weights and how they learn and search, as bytes."""
    arrays = entrants.weights, entrants.lessons, entrants.seats
    return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)


def pick(entrants: Entrants, rows: NDArray[np.int32]) -> Entrants:
    """Some of *entrants*, by their rows; who is named twice becomes two players."""
    return Entrants(entrants.weights[rows], entrants.lessons[rows], entrants.seats[rows])


def keep_learned(
    entrants: Entrants, weights: NDArray[np.float64]
) -> tuple[Entrants, NDArray[np.bool_]]:
    """The same players with other *weights*, and which of them are no numbers any more.

    These players keep the weights that they had.
    """
    lost: NDArray[np.bool_] = np.logical_not(np.isfinite(weights).all(axis=1))
    kept = np.where(lost[:, np.newaxis], entrants.weights, weights)
    return replace(entrants, weights=kept), lost


def read_scores(rows: NDArray[np.int64]) -> list[Score]:
    """Scores from what meetings give: wins, draws, losses."""
    return [Score(wins, losses, draws) for wins, draws, losses in rows.tolist()]
