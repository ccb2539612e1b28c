"""Tables of runs: the summary of one, the list of runs, the results of a sweep."""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.arena.duel_result import forfeit_cells
from evolve_arena.cli.output import format_interval, print_caveats, print_line, print_table
from evolve_arena.core.errors import one_line
from evolve_arena.core.logs import format_seconds
from evolve_arena.core.registry import SPIEL, default_game
from evolve_arena.core.types import JsonObject
from evolve_arena.runs.many.sweep import Sweep
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.check_points import format_margin
from evolve_arena.runs.store.directory import HOME
from evolve_arena.runs.summary import check_caveats, describe_champion

MAX_RATINGS = 8
"""Number of champions in the table of ratings."""
NODE_FIGURES = {
    "workers": "workers",
    "done": "parts done",
    "lost": "lost",
    "late": "late",
    "games": "games",
    "rate": "games/s",
}
"""Figures of each machine, and their headers."""


def _name_figure(name: str, value: object) -> str:
    """Return the name of a figure of a population, such as "individuals"; for 1 the singular.

    >>> _name_figure("individuals", 1), _name_figure("species", 1), _name_figure("genes", 2)
    ('individual', 'species', 'genes')
    """
    singular = value == 1 and name != "species"
    return (name.removesuffix("s") if singular else name).replace("_", " ")


def print_summary(content: JsonObject) -> None:
    """Print the summary of a run that `evolve_arena.runs.summary.summarise` returned."""
    print_line(f"  {one_line(content['title'])}", heading=content["run"])
    figures = [
        f"{_format(value)} {_name_figure(name, value)}"
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
    if content["positions"]:
        rows = [
            (
                each["positions"],
                f"{each['count']}",
                format_interval(each["share"], tuple(each["wilson_95"])),
            )
            for each in content["positions"]
        ]
        title = f"positions (generation {content['positions'][0]['generation']})"
        print_table(title, ["of the set", "count", "solved, 95 % interval"], rows)
    _print_ratings(content["ratings"], (content["champion"] or {}).get("generation"))
    for warning in content["warnings"]:
        print_line(f"warning: {warning}")


def print_runs(runs: Sequence[JsonObject]) -> None:
    """Print the list of runs that `evolve_arena.runs.summary.list_runs` returned."""
    if not runs:
        print_line(f"there are no runs in {HOME}; start one: evolve start {default_game()}")
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


def print_results(run: Run) -> None:
    """Print the strength of the champion, and commands to continue with."""
    checks = run.checks()
    champion = describe_champion(run, checks)
    if champion:
        _print_check("champion", champion)
    print_caveats(check_caveats(run, checks))
    path = run.path
    print_line(f"run       {path}")
    print_line(f"play      evolve play run:{path}")
    print_line(f"plot      evolve plot {path}")
    target = "openspiel" if run.recipe.spec.name.startswith(SPIEL) else "python"
    print_line(f"export    evolve export {path} --to {target}")
    print_line(f"measure   evolve evaluate run:{path}")


def _print_ratings(ratings: Sequence[JsonObject], champion: int | None) -> None:
    """Print the ratings of some of the run's champions, the newest among them."""
    if len(ratings) < 2:
        return
    count = min(len(ratings), MAX_RATINGS)
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


def _print_check(name: str, check: JsonObject) -> None:
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


def _format_points(result: JsonObject) -> tuple[str, ...]:
    if "points" not in result:
        return "", "", "", ""
    margin = format_margin(result["margin"], result["margin_95"])
    points, against = result["points"], result["points_of_opponent"]
    return f"{points:.1f}", f"{against:.1f}", margin, str(result["forbidden_moves"])


def print_sweep(found: Sweep) -> None:
    """Print the scores and effects of a sweep's settings, and the paths of its files."""
    title = f"Mean score of the champions against {found.against}, by setting"
    print_table(title, *found.table(), left=len(found.keys))
    print_line()
    title = "Effects: the best value of each setting against its worst"
    print_table(title, *found.influence_table(), left=3)
    print_line()
    unsure = [each.key for each in found.influences if not each.low > 0]
    if unsure:
        print_line(f"no clear effect (the interval contains 0): {', '.join(unsure)}")
    print_line(f"runs     {found.folder / 'runs.csv'}")
    print_line(f"picture  {found.folder / 'sweep.png'}")
