"""Tables of results: duels, tournaments, evaluations, positions."""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.arena.duel_result import DuelResult, forfeit_cells
from evolve_arena.cli.output import format_interval, print_line, print_table
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.runs.positions import EXACT, find_options, name_own
from evolve_arena.runs.store.check_points import format_margin


def print_duel(result: DuelResult) -> None:
    """Print a result of :func:`evolve_arena.arena.duel.duel`."""
    if result.sides:
        _print_points(result)
        return
    row = [
        *result.names,
        str(result.games),
        f"{result.wins} {result.draws} {result.losses}",
        format_interval(result.score, result.wilson_95),
        str(result.distinct_games),
    ]
    columns = ["player", "opponent", "games", "won drawn lost", "score, 95 % interval", "distinct"]
    if result.forfeits:
        row += forfeit_cells(result.to_dict()["forfeits"])
        columns += ["forfeited", "by opponent"]
    print_table("Duel", columns, [row], left=2)
    print("ended by " + ", ".join(f"{name}: {n}" for name, n in result.terminations.items()))


def _print_points(result: DuelResult) -> None:
    assert result.sides
    limits, names = list(result.sides[0].above), list(result.sides[0].columns)[1:]
    counts = [
        (result.wins, result.draws, result.losses),
        (result.losses, result.draws, result.wins),
    ]
    rows = [
        (
            name,
            " ".join(map(str, won)),
            format_points(side.points, side.points_interval),
            *(f"{100 * side.above[limit]:.1f}" for limit in limits),
            *(f"{side.columns[name]:.2f}" for name in names),
            str(side.forbidden),
        )
        for name, won, side in zip(result.names, counts, result.sides, strict=True)
    ]
    columns = ["player", "won drawn lost", "points, 95 % interval"]
    columns += [f"% > {limit}" for limit in limits]
    columns += [*(name.replace("_", " ") for name in names), "forbidden moves"]
    title = f"Duel: {result.games} games of {result.seats} players"
    print_table(title, columns, rows)
    margin = format_margin(result.margin, result.margin_interval)
    score = format_interval(result.score, result.wilson_95)
    print_line(f"{result.names[0]} scores {margin} points more per seat; score {score}")
    means = "".join(f"{value:.1f} {name} per game, " for name, value in result.columns.items())
    print_line(
        f"{means}{result.distinct_games} distinct games; ended by "
        + ", ".join(f"{name}: {n}" for name, n in result.terminations.items())
    )


def print_crosstable(content: JsonObject) -> None:
    """Print a crosstable, a result of `evolve_arena.runs.many.tournaments.crosstable`."""
    order = [player["name"] for player in content["players"]]
    forfeited = any(player["forfeited_games"] for player in content["players"])
    rows = []
    for player in content["players"]:
        against = content["crosstable"][player["name"]]
        rows.append(
            (
                str(player["rank"]),
                player["name"],
                _format_elo(player),
                format_interval(player["score"], tuple(player["wilson_95"])),
                f"{player['distinct_games']} of {player['finished_games']}",
                *([str(player["forfeited_games"])] if forfeited else []),
                *(f"{against[name]:.3f}" if name in against else "" for name in order),
            )
        )
    numbers = [str(number) for number in range(1, len(order) + 1)]
    columns = ["rank", "player", "Elo", "score, 95 % interval", "distinct games"]
    columns += ["forfeited"] * forfeited + numbers
    print_table("Tournament", columns, rows, left=2)


def _format_elo(player: JsonObject) -> str:
    if player["elo"] is None:
        return "-"
    return f"{player['elo']:+.0f} ± {player['elo_error_95']:.0f}"


def print_learning(content: JsonObject) -> None:
    """Print a tournament of `evolve_arena.runs.many.tournaments.learning`."""
    rows = [
        (str(rank), each["name"], *(f"{each[key]:.3f}" for key in ("before", "after")))
        for rank, each in enumerate(content["players"], start=1)
    ]
    title = "Mean scores before and after learning"
    print_table(title, ["rank", "player", "before", "after"], rows, left=2)
    pairs = [
        (
            *pair["players"],
            *(
                format_interval(pair[key], tuple(pair[f"{key}_wilson_95"]))
                for key in ("before", "after")
            ),
        )
        for pair in content["pairs"]
    ]
    title = (
        f"Score of the first player, {content['games_per_pair']} games, before and after"
        f" {content['lessons']:,} games of learning"
    )
    print_table(title, ["player", "against", "before", "after"], pairs, left=2)


def print_ranking(content: JsonObject) -> None:
    """Print a ranking, a result of `evolve_arena.runs.many.tournaments.ranking`."""
    rows = [
        (
            str(row["rank"]),
            row["name"],
            str(row["agents"]),
            *(f"{row[share]:.4f}" for share in ("mean", "best", "worst")),
        )
        for row in content["configurations"]
    ]
    against = content["against"] or "agents of other configurations"
    title = f"Share of games won against {against}, {content['games_per_pair']} games each"
    columns = ["rank", "configuration", "agents", "mean", "best", "worst"]
    print_table(title, columns, rows, left=2)


def print_ratings(content: JsonObject) -> None:
    """Print ratings, a result of `evolve_arena.runs.many.tournaments.ratings`."""
    names = content["columns"]
    rows = [
        (
            str(row["rank"]),
            row["name"],
            f"{row['mu']:.2f} ± {2 * row['sigma']:.2f}",
            format_interval(row["share"], tuple(row["wilson_95"])),
            format_points(row["points"], row["points_95"]),
            *(f"{row[name]:.2f}" for name in names),
            str(row["forbidden_moves"]),
        )
        for row in content["players"]
    ]
    columns = ["rank", "player", "rating ± 2σ", "share of wins, 95 % interval"]
    columns += ["points, 95 % interval", *(name.replace("_", " ") for name in names)]
    columns += ["forbidden moves"]
    title = f"Tournament: {content['games']} games of {content['seats']} players"
    print_table(title, columns, rows, left=2)


def format_points(points: float, interval: Sequence[float] | None) -> str:
    """Return mean points and their 95 % interval, if there is one.

    >>> format_points(97.54, (96.0, 99.08)), format_points(97.54, None)
    ('97.5 [96.0, 99.1]', '97.5')
    """
    if interval is None or abs(interval[0]) == float("inf"):
        return f"{points:.1f}"
    return f"{points:.1f} [{interval[0]:.1f}, {interval[1]:.1f}]"


def print_evaluation(content: JsonObject, game: AnyGame) -> None:
    """Print an evaluation, a result of `evolve_arena.runs.evaluation.evaluate_player`."""
    if content["opponents"]:
        _print_own_tables(content) if "tables" in content else _print_wins(content)
        if plies := content["opening_plies"]:
            print_line(f"each pair of games begins with {plies} random plies (--openings 0: none)")
    print_positions(content["positions"], game)


def _print_wins(content: JsonObject) -> None:
    forfeited = any(result["forfeits"] for result in content["opponents"].values())
    rows = [
        (
            name,
            str(result["games"]),
            format_interval(result["won"], tuple(result["won_wilson_95"])),
            str(result["draws"]),
            str(result["losses"]),
            str(result["distinct_games"]),
            *(forfeit_cells(result["forfeits"]) if forfeited else ()),
        )
        for name, result in content["opponents"].items()
    ]
    columns = ["against", "games", "won, 95 % interval", "draws", "losses", "distinct games"]
    columns += ["forfeited", "by opponent"] if forfeited else []
    print_table(content["player"], columns, rows)


def _print_own_tables(content: JsonObject) -> None:
    limits = list(next(iter(content["tables"].values()))["above"])
    rows = [
        (
            count,
            str(result["games"]),
            format_points(_known(result["mean"]), result["mean_95"]),
            *(_number(result[name]) for name in ("deviation", "median", "minimum", "maximum")),
            *(_percent(result["above"][limit]["share"]) for limit in limits),
            *(_number(result[name], 2) for name in result["columns"]),
            str(result["aborted_games"]),
        )
        for count, result in content["tables"].items()
    ]
    columns = ["players", "games", "mean points, 95 %", "SD", "median", "min", "max"]
    columns += [f"% > {limit}" for limit in limits]
    columns += [
        name.replace("_", " ") for name in next(iter(content["tables"].values()))["columns"]
    ]
    print_table(f"{content['player']} at all seats", [*columns, "aborted"], rows, left=0)
    rows = [
        (
            name,
            f"{result['wins']} {result['draws']} {result['losses']}",
            format_interval(result["score"], tuple(result["wilson_95"])),
            *(format_points(side["points"], side["points_95"]) for side in result["sides"]),
            format_margin(result["margin"], result["margin_95"]),
            str(result["sides"][0]["forbidden_moves"]),
        )
        for name, result in content["opponents"].items()
    ]
    columns = ["against", "won drawn lost", "score, 95 % interval", "points", "its points"]
    columns += ["margin, 95 %", "forbidden moves"]
    seats = next((result["seats"] for result in content["opponents"].values()), 0)
    if rows:
        print_table(f"{content['player']} on alternate seats of {seats}", columns, rows)


def _known(value: float | None) -> float:
    return float("nan") if value is None else value


def _number(value: float | None, decimals: int = 1) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def print_positions(content: Settings, game: AnyGame) -> None:
    """Print results of `evolve_arena.runs.positions.solve_positions`, by the names of files."""
    for path in find_game(game.name).positions:
        if not path.is_file():
            print_line(f"{name_own(path)}: skipped, {path} is missing")
        elif (options := find_options(game, path)) != game.options:
            described = find_game(game.name).make(**options).describe()
            print_line(f"{name_own(path)}: skipped, they are for {described}")
    for name, result in content.items():
        _print_solved(name, result)


def _print_solved(name: str, result: Settings) -> None:
    title = f"{name}: {result['count']} positions"
    if "solved" not in result:
        _print_scored(title, result)
        return
    solved = result["solved"]
    groups = [
        (group, str(told["count"]), format_interval(told["share"], tuple(told["wilson_95"])))
        for group, told in solved["by_group"].items()
    ]
    if groups:
        print_table(title, ["", "positions", "solved, 95 % interval"], groups)
    shares = [*solved["by_theme"].items(), *solved["by_line"].items()]
    if shares or not groups:
        rows = [("solved", format_interval(solved["overall"], tuple(solved["wilson_95"])))]
        rows += [(f"  {group}", f"{share:.3f}") for group, share in shares]
        print_table(title, ["", "share"], rows)


def _print_scored(title: str, result: Settings) -> None:
    """Print shares of positions with scores, of all and by plies."""
    heads = {"value_preserving": "value kept", "distance_optimal": "best moves"}
    shares = [key for key in heads if key in result]
    bands = {f"{told['first']}–{told['last']}": told for told in result["by_ply"]}
    rows = [
        (
            name,
            str(told["count"]),
            *(format_interval(told[key], tuple(told[f"{key}_wilson_95"])) for key in shares),
        )
        for name, told in {"all": result, **(bands if len(bands) > 1 else {})}.items()
    ]
    columns = ["plies", "positions", *(f"{heads[key]}, 95 % interval" for key in shares)]
    if result["proof"] != EXACT:
        title += f", not exact: {result['proof']}"
    print_table(title, columns, rows)
