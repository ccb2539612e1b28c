"""Summaries of runs: the settings, the progress, and the strength of the champion."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from evolve_arena.arena.duel_result import (
    describe_forfeits,
    describe_repeats,
    list_caveats,
)
from evolve_arena.arena.statistics import json_interval, json_share
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.types import JsonObject
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError
from evolve_arena.runs.errors import NotARunError
from evolve_arena.runs.recipes.recipe import read_content
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.check_points import CheckPoints
from evolve_arena.runs.store.directory import DATABASE, HOME
from evolve_arena.runs.store.history import Check, History
from evolve_arena.runs.store.record import rate_champions

OPENINGS_HINT = "; check.opening_plies = 4 begins each pair of games differently"


def summarise(run: Run) -> JsonObject:
    """Return all that ``evolve info`` reports, ready for JSON.

    Raises:
        CheckpointError: The run has no usable checkpoint.
        StorageError: The history can't be read.
    """
    state = run.state()
    try:
        with History(run.directory.history) as history:
            played, games, seconds = history.totals()
            checks, nodes = history.checks(), history.nodes()
            positions = history.positions()
            ratings = rate_champions(history.champion_matches())
    except NotARunError:
        played, games, seconds, checks, nodes, ratings = 0, 0, 0.0, [], [], {}
        positions = []
    return {
        "run": str(run.path),
        "title": run.recipe.title,
        "method": run.method.name,
        "seed": state.seed,
        "generation": state.generation,
        "generations": run.recipe.run.generations,
        "population": run.method.describe(state),
        "population_sha256": run.digest(state),
        "generations_played": played,
        "games": games,
        "seconds": seconds,
        "nodes": [asdict(node) for node in nodes],
        "checkpoints": run.directory.generations(),
        "last_check": _describe_check(checks, max((c.generation for c in checks), default=None)),
        "champion": describe_champion(run, checks),
        "positions": [
            {**asdict(each), "share": each.share, "wilson_95": list(each.wilson_95)}
            for each in positions
            if each.generation == positions[-1].generation
        ],
        "ratings": [
            {"generation": generation, "elo": rating.elo, "elo_error_95": rating.error}
            for generation, rating in ratings.items()
        ],
        "warnings": run.warnings + check_caveats(run, checks),
    }


def list_runs() -> list[JsonObject]:
    """List the runs in the default folder, newest first, ready for JSON, without running code."""
    files = sorted(Path(HOME).glob("*/recipe.toml"), key=_find_time, reverse=True)
    return [_describe_row(file.parent) for file in files]


def _find_time(recipe: Path) -> float:
    files = (recipe, *(recipe.with_name(name) for name in DATABASE))
    return max(file.stat().st_mtime for file in files if file.is_file())


def _describe_row(path: Path) -> JsonObject:
    """Return the row of a run in a list of runs."""
    row: JsonObject = {"run": str(path), "game": "", "method": "", "title": ""}
    row |= {"generation": 0, "generations": 0, "games": 0, "trouble": None}
    try:
        content = read_content(str(path / "recipe.toml"))
        row["title"] = str(content.get("title", ""))
        row["game"] = str(content["game"]["name"])
        row["method"] = str(content["method"]["name"])
        row["generations"] = int(content["run"]["generations"])
        with suppress(NotARunError), History(path / "history.db", thorough=False) as history:
            row["generation"], row["games"] = map(int, history.totals()[:2])
    except (ArenaError, KeyError, TypeError, ValueError) as error:
        row["trouble"] = f"damaged: {error}"
    return row


def check_caveats(run: Run, checks: Sequence[Check]) -> list[str]:
    """Return the warnings about the checks of a *run*.

    They concern, per opponent, the newest check with forfeits, and the newest check and that of
    the champion if most of their games were the same.
    """
    told_of = {("", check.opponent): check for check in checks if check.forfeits}
    champion = describe_champion(run, list(checks)) or {}
    last = max((check.generation for check in checks), default=None)
    for check in checks:
        repeats = describe_repeats(check.distinct_games, check.finished)
        if repeats and check.generation in (last, champion.get("generation")):
            told_of[repeats, check.opponent] = check
    hint = "" if run.recipe.check.opening_plies or run.recipe.spec.has_chance else OPENINGS_HINT
    lines = []
    for check in dict.fromkeys(told_of.values()):
        names = "the champion", check.opponent
        told = {
            "games": check.games,
            "forfeits": describe_forfeits(names, check.forfeits),
            "finished_games": check.finished,
            "distinct_games": check.distinct_games,
        }
        where = f"check at generation {check.generation}: "
        lines += list_caveats(told, where=where, hint=False)
        if describe_repeats(check.distinct_games, check.finished):
            lines[-1] += hint
    return lines


def describe_champion(run: Run, checks: list[Check]) -> JsonObject | None:
    """Return the check of *run*'s champion, ready for JSON; None if there is none."""
    if not run.directory.champion.is_file():
        return None
    try:
        generation = run.champion.remarks.get("generation")
    except (DamagedFileError, NewerFormatError) as error:
        if str(error) not in run.warnings:
            run.warnings.append(str(error))
        return None
    return _describe_check(checks, generation)


def _describe_check(checks: list[Check], generation: int | None) -> JsonObject | None:
    chosen = [check for check in checks if check.generation == generation]
    if not chosen:
        return None
    return {
        "generation": generation,
        "opponents": {
            check.opponent: {
                "games": check.games,
                "wins": check.wins,
                "draws": check.draws,
                "losses": check.losses,
                "counted_games": check.counted,
                "won": json_share(check.won),
                "wilson_95": list(check.wilson_95),
                "distinct_games": check.distinct_games,
                "forfeits": describe_forfeits(("champion", check.opponent), check.forfeits),
                **_describe_points(check.scores),
            }
            for check in chosen
        },
    }


def _describe_points(scores: CheckPoints | None) -> JsonObject:
    if scores is None:
        return {}
    return {
        "points": scores.points,
        "points_of_opponent": scores.against,
        "margin": scores.margin,
        "margin_95": json_interval((scores.low, scores.high)),
        "forbidden_moves": scores.forbidden,
    }
