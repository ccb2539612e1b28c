"""Helpers for tests of studies: remarks of tables, games with any points, settings in tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evolve_arena.arena.batch import new_results, seat_players
from evolve_arena.arena.self_play import MirrorResult
from evolve_arena.core.registry import make_game
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.games.ticket_to_ride.layout import MAX_PLAYERS
from evolve_arena.studies.study import Table


def remarks_of(table: Table) -> dict[tuple[str, str], str]:
    """Return the remarks by row and column."""
    return {(row.row, row.column): row.remark for row in table.rows}


def mirror(points: Sequence[Sequence[int]], offenders: Sequence[int] | None = None) -> MirrorResult:
    """Return games with these points, of as many players as a row has."""
    games, players = len(points), len(points[0])
    results = new_results(make_game("ticket-to-ride"), games)
    results.offenders[:] = offenders or [-1] * games
    results.game_hashes[:] = np.arange(games)
    results.columns["points"][:, :players] = points
    results.columns["tickets_done"][:] = results.columns["points"] > 100
    results.columns["rounds"][:, :players] = np.arange(40, 40 + games)[:, None]
    pairings = seat_players(np.zeros((games, players)), MAX_PLAYERS)
    return MirrorResult("nobody", pairings, results)


def nest(keys: Settings) -> JsonObject:
    """Return settings in which ``a__b`` is the key ``b`` of a table ``a``."""
    nested: JsonObject = {}
    for key, value in keys.items():
        *tables, last = key.split("__")
        inner = nested
        for table in tables:
            inner = inner.setdefault(table, {})
        inner[last] = value
    return nested
