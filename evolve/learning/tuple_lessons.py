"""A kernel for executors: the games from which tuple networks learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.types import Array, Floats, Settings
from evolve_arena.evolve.learning.lessons import RETURNS, Lesson, find_game_of, make_lesson
from evolve_arena.evolve.learning.tuple_learning import (
    TDSettings,
    TupleWorkspace,
    make_tuple_workspace,
)
from evolve_arena.genomes.tuple_entries import READINGS
from evolve_arena.players.board.workspace import count_changes, make_states, seen_words

LESSONS = "evolve_arena.evolve.learning.board_learning"
"""Module that plays and learns, a copy of which is compiled for each game's rules."""


def teach_part(
    options: Settings,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    part: slice,
) -> None:
    """Run a part of the task of `TdTuples.make_task`: the games of some shards of learners.

    Args:
        options: Options of the task: the game and its rules, the fields of each learner's
            `TDSettings`, and the number of shards of a learner.
        inputs: Tables of the learners, shape ``(learners, numbers)``, the structures of their
            tables, one after the other, where each of these begins, shape ``(learners + 1,)``, the
            seed of each shard, and fixed opponents, if any, as `pack_opponents` gives them.
        outputs: Tables of each shard after its games, shape ``(shards, numbers)``, and
            `tuple_learning.FIGURES` of these, shape ``(shards, 4)``.
        part: Shards that play, those of a learner side by side; if there are none, the kernel is
            only compiled.

    Raises:
        GameFileError: The rules gave an invalid value, such as a move out of range.
    """
    tables, structures, places, seeds, *against = inputs
    game = find_game_of(options)
    lesson = make_lesson(game, against, RETURNS, LESSONS)
    settings = [TDSettings(*row) for row in options["learning"]]
    if part.start == part.stop:  # only to compile
        scratch = tables[0].copy(), seeds[:1].copy(), outputs[1][0].copy()
        _teach(lesson, settings[0]._replace(games=0), structures[places[0] : places[1]], *scratch)
    for place in range(part.start, part.stop):
        one = place // options["shards"]
        structure = structures[places[one] : places[one + 1]]
        learned, figures = outputs[0][place], outputs[1][place]
        learned[:] = tables[one]
        figures[:] = 0.0
        rng = seeds[place : place + 1].copy()
        _teach(lesson, settings[one], structure, learned, rng, figures)


def _teach(
    lesson: Lesson,
    learning: TDSettings,
    structure: NDArray[np.int32],
    tables: Floats,
    rng: NDArray[np.uint64],
    figures: NDArray[np.float64],
) -> None:
    """Play games and learn from them, changing *tables* in place; see `board_learning.teach`."""
    structure = np.array(structure)
    workspace = make_workspace(lesson, structure)
    given = learning, structure, tables, rng, workspace, figures
    lesson.lessons.teach(*given, lesson.opponents)
    lesson.refuse_faults(workspace.states, workspace.planes)


def make_workspace(lesson: Lesson, structure: NDArray[np.int32]) -> TupleWorkspace:
    """Return work space for games of a tuple network of this *structure*."""
    code = lesson.code
    made = make_tuple_workspace(
        *(int(code.LONGEST), int(structure[READINGS])),
        moves=2 * code.MOVES,
        planes=seen_words(code),
        changes=count_changes(code),
        states=make_states(code, 2),
        seats=int(code.SEATS),
    )
    workspace: TupleWorkspace = lesson.share(made)
    return workspace
