"""A run in a few lines: what it is, how far it got, how good its champion is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evolve_arena.arena.duel_result import describe_forfeits, describe_repeats
from evolve_arena.arena.statistics import json_interval, json_share
from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.registry import usual_game
from evolve_arena.genomes.tensors import DamagedFileError, NewerFormatError
from evolve_arena.runs.champions import rate_champions
from evolve_arena.runs.check_points import CheckPoints, format_margin
from evolve_arena.runs.directory import DATABASE, HOME
from evolve_arena.runs.errors import NotARunError
from evolve_arena.runs.history import Check, History
from evolve_arena.runs.output import (
    forfeit_cells,
    format_interval,
    format_seconds,
    list_caveats,
    print_caveats,
    print_line,
    print_table,
)
from evolve_arena.runs.recipe import read_content
from evolve_arena.runs.run import Run

MOST_RATINGS = 8
"""How many of a run's champions are told of."""
NODE_FIGURES = {
    "workers": "workers",
    "done": "parts done",
    "lost": "lost",
    "late": "late",
    "games": "games",
    "rate": "games/s",
}
"""What is told of each machine, and what it is called."""


OPENINGS_HINT = "; check.opening_plies = 4 begins each pair of games differently"


def summarise(run: Run) -> dict[str, Any]:
    """Everything that ``evolve info`` tells, ready for JSON."""
    state = run.state()
    try:
        with History(run.directory.history) as history:
            played, games, seconds = history.totals()
            checks, nodes = history.checks(), history.nodes()
            ratings = rate_champions(history.champion_matches())
    except NotARunError:
        played, games, seconds, checks, nodes, ratings = 0, 0, 0.0, [], [], {}
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
        "champion": _describe_champion(run, checks),
        "ratings": [
            {"generation": generation, "elo": rating.elo, "elo_error_95": rating.error}
            for generation, rating in ratings.items()
        ],
        "warnings": run.warnings + check_caveats(run, checks),
    }


def print_summary(content: dict[str, Any]) -> None:
    """Prints what :func:`summarise` gave."""
    print_line(f"  {one_line(content['title'])}", heading=content["run"])
    figures = [
        f"{_format(value)} {name.replace('_', ' ')}"
        for name, value in content["population"].items()
    ]
    print_line(f"method {content['method']}: {', '.join(figures)}; seed {content['seed']}")
    print_line(
        f"generation {content['generation']} of {content['generations']};"
        f" {content['games']:,} games in {format_seconds(content['seconds'])}"
    )
    print_line(f"population SHA-256 {content['population_sha256']}")
    if content["nodes"]:
        rows = [
            (node["name"], node["address"], *(f"{node[name]:,.0f}" for name in NODE_FIGURES))
            for node in content["nodes"]
        ]
        print_table("nodes since the last start", ["node", "address", *NODE_FIGURES.values()], rows)
    for name in ("last_check", "champion"):
        check = content[name]
        if check:
            _print_check(name.replace("_", " "), check)
    _print_ratings(content["ratings"], (content["champion"] or {}).get("generation"))
    for warning in content["warnings"]:
        print_line(f"warning: {warning}")


def list_runs() -> list[dict[str, Any]]:
    """The runs at home, what was written last first, ready for JSON; no code of theirs is run."""
    files = sorted(Path(HOME).glob("*/recipe.toml"), key=_find_time, reverse=True)
    return [_describe_row(file.parent) for file in files]


def print_runs(runs: Sequence[dict[str, Any]]) -> None:
    """Prints what :func:`list_runs` gave."""
    if not runs:
        print_line(f"there are no runs in {HOME}; start one: evolve start {usual_game()}")
        return
    rows = [
        (
            row["run"],
            row["game"],
            row["method"],
            f"{row['generation']} of {row['generations']}",
            f"{row['games']:,}",
            row["trouble"] or row["title"],
        )
        for row in runs
    ]
    columns = ["run", "game", "method", "generation", "games", "title"]
    print_table(f"Runs in {HOME}", columns, rows, left=3)


def _find_time(recipe: Path) -> float:
    files = (recipe, *(recipe.with_name(name) for name in DATABASE))
    return max(file.stat().st_mtime for file in files if file.is_file())


def _describe_row(path: Path) -> dict[str, Any]:
    """What a list of runs tells of one."""
    row: dict[str, Any] = {"run": str(path), "game": "", "method": "", "title": ""}
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
    """What must be said of the checks of a *run*.

    Told are of each opponent the newest check in which somebody forfeited, and the newest one and
    the champion's if most of their games were the same.
    """
    told_of = {("", check.opponent): check for check in checks if check.forfeits}
    champion = _describe_champion(run, list(checks)) or {}
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


def print_results(run: Run) -> None:
    """Prints how good the champion is, and what can be done next."""
    checks = run.checks()
    champion = _describe_champion(run, checks)
    if champion:
        _print_check("champion", champion)
    print_caveats(check_caveats(run, checks))
    path = run.path
    print_line(f"run       {path}")
    print_line(f"play      evolve play run:{path}")
    print_line(f"plot      evolve plot {path}")
    if "python" in run.recipe.spec.exporters:
        print_line(f"export    evolve export {path} --to python")
    if "board" in run.recipe.spec.plots:
        print_line(f"board     evolve plot --board {path}")
    print_line(f"measure   evolve evaluate run:{path}")


def _print_ratings(ratings: Sequence[dict[str, Any]], champion: int | None) -> None:
    """Prints how strong some of the run's champions are, the newest among them."""
    if len(ratings) < 2:
        return
    count = min(len(ratings), MOST_RATINGS)
    places = {round(step * (len(ratings) - 1) / (count - 1)) for step in range(count)}
    chosen = [row for place, row in enumerate(ratings) if place in places]
    chosen += [row for row in ratings if row["generation"] == champion and row not in chosen]
    rows = [
        (
            str(row["generation"]) + " (champion)" * (row["generation"] == champion),
            f"{row['elo']:+.0f}" if row["elo_error_95"] else "0",
            f"± {row['elo_error_95']:.0f}" if row["elo_error_95"] else "",
        )
        for row in sorted(chosen, key=lambda row: row["generation"])
    ]
    first = ratings[0]["generation"]  # of a branch, where it begins
    title = f"strength of the run's own champions: Elo above generation {first}"
    print_table(title, ["generation", "Elo", "95 %"], rows)


def _format(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def _print_check(name: str, check: dict[str, Any]) -> None:
    forfeited = any(result["forfeits"] for result in check["opponents"].values())
    rows: list[tuple[str, ...]] = [
        (
            opponent,
            str(result["games"]),
            format_interval(result["won"], tuple(result["wilson_95"])),
            str(result["draws"]),
            str(result["distinct_games"]),
            *(forfeit_cells(result["forfeits"]) if forfeited else ()),
        )
        for opponent, result in check["opponents"].items()
    ]
    title = f"{name} (generation {check['generation']})"
    columns = ["against", "games", "won, 95 % interval", "draws", "distinct games"]
    columns += ["forfeited", "by opponent"] if forfeited else []
    if any("points" in result for result in check["opponents"].values()):
        columns += ["points", "its points", "margin, 95 % interval", "forbidden moves"]
        for place, result in enumerate(check["opponents"].values()):
            rows[place] += _format_points(result)
    print_table(title, columns, rows)


def _format_points(result: dict[str, Any]) -> tuple[str, ...]:
    if "points" not in result:
        return "", "", "", ""
    margin = format_margin(result["margin"], result["margin_95"])
    points, against = result["points"], result["points_of_opponent"]
    return f"{points:.1f}", f"{against:.1f}", margin, str(result["forbidden_moves"])


def _describe_champion(run: Run, checks: list[Check]) -> dict[str, Any] | None:
    if not run.directory.champion.is_file():
        return None
    try:
        generation = run.champion.remarks.get("generation")
    except (DamagedFileError, NewerFormatError) as error:
        if str(error) not in run.warnings:
            run.warnings.append(str(error))
        return None
    return _describe_check(checks, generation)


def _describe_check(checks: list[Check], generation: int | None) -> dict[str, Any] | None:
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


def _describe_points(scores: CheckPoints | None) -> dict[str, Any]:
    if scores is None:
        return {}
    return {
        "points": scores.points,
        "points_of_opponent": scores.against,
        "margin": scores.margin,
        "margin_95": json_interval((scores.low, scores.high)),
        "forbidden_moves": scores.forbidden,
    }
