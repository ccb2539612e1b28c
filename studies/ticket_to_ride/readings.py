"""What each reading of the rule player's description comes to, beside the published points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from evolve_arena.arena.mirror import MirrorResult
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.options import OPTIONS
from evolve_arena.games.ticket_to_ride.scripted import make_rule_player
from evolve_arena.players.player import Player
from evolve_arena.studies.study import Grid, Material, Row, Table
from evolve_arena.studies.ticket_to_ride.measures import MEASURES
from evolve_arena.studies.ticket_to_ride.published import COUNTS, column_name, read_cell
from evolve_arena.studies.ticket_to_ride.tables import play_counts

PUBLISHED_GAMES = 250
ONLY_FEATURES = ("players", "goal_count")
"""Options that change nothing but features of networks."""
LONG_5 = "code,long=5"
LOGGED = {2: (92.94, 20.01), 3: (86.74, 17.87), 4: (86.27, 17.97), 5: (83.02, 18.44)}
"""Mean and standard deviation of the games that Łabno logged as result_10: not printed, but the
tickets of table 3.1 are theirs."""
NEAR_MEAN, NEAR_DEVIATION = 2.0, 3.0
"""A reading that is no farther from the published numbers than this could be Łabno's."""


def measure_readings(material: Material) -> Table:
    """Mean and deviation of points for ``text`` and ``code``, and each of them changed."""
    rows, remarks, lines = [], {}, []
    for reading in material.watch(list_readings(), "readings"):
        games = play_counts(material, partial(_give, make_rule_player(reading, TicketToRide())))
        near = _is_near(reading, games)
        rows += [_row(reading, count, result) for count, result in games.items()]
        if near:
            remarks[reading, column_name(COUNTS[0])] = "near for all numbers of players"
        lines.append([reading, *map(_tell, games.values()), "yes" if near else ""])
    title = "Mean ± standard deviation, tickets done/failed, and whether the reading is near"
    return Table(
        name="readings",
        title="mean points of the rule player, by reading",
        rows=rows,
        remarks=remarks,
        notes=[
            "Published beside `code` are the means of table 3.1 (by the logs), beside"
            f" `{LONG_5}` those of the games logged as result_10, whose tickets are printed in"
            " table 3.1.",
            "Each other reading differs from `text` or `code` in one option; see"
            " `players/ticket_to_ride/options.py` for what they mean.",
            f"A reading is near if for every number of players the mean is within {NEAR_MEAN:g} and"
            f" the standard deviation within {NEAR_DEVIATION:g} of the published one.",
        ],
        grids=[Grid(title, ["reading", *map(column_name, COUNTS), "near"], lines)],
    )


def list_readings() -> list[str]:
    """``code`` and ``text``, and each of them with one option changed."""
    return [*_vary("code"), *_vary("text")]


def _vary(base: str) -> Iterator[str]:
    yield base
    for option in OPTIONS:
        if option.name not in ONLY_FEATURES:
            other = 1 - option.code if base == "code" else 1
            yield f"{base},{option.name}={option.values[other]}"


def _give(player: Player, count: int) -> Player:
    return player


def _row(reading: str, count: int, result: MirrorResult) -> Row:
    known = _published(reading, count)[0] if reading in ("code", LONG_5) else None
    mean = MEASURES["mean"].estimate(result, PUBLISHED_GAMES)
    column = column_name(count)
    return Row("readings", reading, column, known, mean.value, mean.low, mean.high, mean.games)


def _tell(result: MirrorResult) -> str:
    tickets = f"{result.mean_of('tickets_done'):.2f}/{result.mean_of('tickets_failed'):.2f}"
    return f"{result.mean:.2f} ± {result.deviation:.2f}, {tickets}"


def _is_near(reading: str, games: Mapping[int, MirrorResult]) -> bool:
    return all(
        abs(result.mean - mean) <= NEAR_MEAN and abs(result.deviation - deviation) <= NEAR_DEVIATION
        for count, result in games.items()
        for mean, deviation in [_published(reading, count)]
    )


def _published(reading: str, count: int) -> tuple[float, float]:
    if reading == LONG_5:
        return LOGGED[count]
    values = [
        read_cell("3.1", MEASURES[name].published, count).value
        for name in ("mean", "standard deviation")
    ]
    return values[0] or 0.0, values[1] or 0.0
