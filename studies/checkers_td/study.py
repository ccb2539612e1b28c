"""The study ``checkers-td``: Piotrowski (2004), sixteen learners of checkers and their games.

``seeds`` is how often everything is done anew here: training of all players, and both
tournaments with them. The publication did it once.
"""

from __future__ import annotations

from functools import partial

from evolve_arena.studies.checkers_td.claims import measure_claims
from evolve_arena.studies.checkers_td.plan import plan, recipe_name
from evolve_arena.studies.checkers_td.readings import measure_readings
from evolve_arena.studies.checkers_td.tables import measure_tournament
from evolve_arena.studies.checkers_td.tournaments import (
    LEARNING,
    WITHOUT_LEARNING,
    Tournament,
    measure_rounds,
)
from evolve_arena.studies.study import Study, TableKind, needs


def _kind(tournament: Tournament) -> TableKind:
    measure = partial(measure_tournament, tournament)
    return TableKind(
        tournament.name, tournament.title, measure, needs(*map(recipe_name, tournament.players))
    )


CHECKERS_TD = Study(
    name="checkers-td",
    summary="Reinforcement learning of checkers: sixteen players, two tournaments.",
    source="Rafał Piotrowski, Warcaby i uczenie się ze wzmocnieniem (Wrocław, 2004)",
    plan=plan,
    seeds=3,
    tables=(
        TableKind("readings", "readings of what the text leaves open", measure_readings, needs()),
        TableKind("5.2", "end of game against every move", measure_rounds, needs()),
        _kind(WITHOUT_LEARNING),
        _kind(LEARNING),
        TableKind("conclusions", "the conclusions, one by one", measure_claims),
    ),
)
