"""The matches of tables: who sits where, and what a match is worth to whom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import EMPTY, Results, Seatings, seat_players

OFFENCE_POINTS = -100.0
"""What a match counts, as points or as a margin, for who makes a forbidden move in it: less than
games bring that are played to their end."""


def plan_tables(
    players: NDArray[np.int32],
    size: int,
    slots: int,
    seeds: NDArray[np.uint64],
    generator: np.random.Generator,
    *,
    company: Sequence[int] = (),
    company_seats: int = 0,
    rotate: bool = True,
) -> tuple[Seatings, NDArray[np.uint64]]:
    """Matches in which all *players* play every deck.

    For each deck the players are dealt to tables at random. If the last table is not full, some
    who have a seat already sit there too, and play this deck twice.

    Args:
        players: Rows of a lineup.
        size: Seats of a table.
        slots: Seats of the largest table.
        seeds: One for each deck.
        generator: Deals players to tables.
        company: Rows of the lineup that take the seats of company in turn, beginning with the
            first one in the first deck, the second one in the second, and so on.
        company_seats: How many seats these take, between the others; at most ``size - 1``.
        rotate: Whether tables play each deck once for each seat, everybody moving on a seat.

    Returns:
        Seatings, and the seed of each match.
    """
    own = size - min(size - 1, company_seats if len(company) else 0)
    places = np.arange(own) * size // own
    rest = np.setdiff1d(np.arange(size), places)
    tables = -(-len(players) // own)
    parts, words = [], []
    for deck, seed in enumerate(seeds):
        order = np.resize(generator.permutation(players), tables * own)
        table = np.empty((tables, size), dtype=np.int32)
        table[:, places] = order.reshape(tables, own)
        for number, seat in enumerate(rest):
            table[:, seat] = company[(deck + number) % len(company)]
        shifts = range(size) if rotate else [deck % size]
        parts += [np.roll(table, shift, axis=1) for shift in shifts]
        words.append(np.full(tables * len(shifts), seed))
    return seat_players(np.concatenate(parts), slots), np.concatenate(words)


def value_seats(results: Results, seatings: Seatings, kind: str) -> NDArray[np.float64]:
    """What each match is worth at each seat, shape ``(matches, slots)``; 0 at empty seats.

    Args:
        results: Of matches.
        seatings: Who sat where.
        kind: ``points``, ``margin`` or ``rank``; see `TablesConfig.fitness`. To who makes a
            forbidden move a match is worth :data:`OFFENCE_POINTS`, or the rank 0; to the others
            as much as the points say that they had by then.
    """
    taken = seatings != EMPTY
    others = taken.sum(axis=1, keepdims=True) - 1
    points = np.where(taken, results.columns["points"], 0).astype(np.float64)
    worst = OFFENCE_POINTS
    if kind == "rank":
        values = _count_behind(results.places, taken) / others
        worst = 0.0
    elif kind == "margin":
        values = points - (points.sum(axis=1, keepdims=True) - points) / others
    else:
        values = points
    offended = np.arange(taken.shape[1]) == results.offenders[:, None]
    return np.where(taken, np.where(offended, worst, values), 0.0)


def mean_by_player(
    values: NDArray[np.float64], seatings: Seatings, players: int
) -> NDArray[np.float64]:
    """The mean of each player's *values*, shape ``(players,)``; NaN for who had no match."""
    taken = seatings != EMPTY
    rows = seatings[taken]
    total = np.bincount(rows, weights=values[taken], minlength=players)
    with np.errstate(invalid="ignore"):
        means: NDArray[np.float64] = total / np.bincount(rows, minlength=players)
    return means


def _count_behind(places: NDArray[np.int8], taken: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How many come behind each seat, equals counting a half."""
    behind = np.zeros(places.shape)
    slots = places.shape[1]
    for seat in range(slots):
        for other in range(slots):
            if seat != other:
                ahead = (places[:, other] > places[:, seat]) + 0.5 * (
                    places[:, other] == places[:, seat]
                )
                behind[:, seat] += ahead * taken[:, other]
    return behind
