"""The report of ``evolve game validate`` as text."""

from __future__ import annotations

from evolve_arena.cli.output import print_line, print_table
from evolve_arena.core.types import JsonObject
from evolve_arena.runs.game_files import NETWORKS, ROUNDS


def print_report(content: JsonObject) -> None:
    """Print the report of `evolve_arena.runs.game_files.report` on a game file."""
    plain, speeds, parts = content["plain"], content["speeds"], content["parts"]
    print_line(f": {content['title']}", heading=content["game"])
    shape = f"{content['planes']} planes of {content['cells']} cells"
    print_line(
        f"{content['seats']} seats, moves 0 to {content['moves'] - 1},"
        f" {plain['moves']:.1f} legal moves on average; networks see {shape}"
    )
    for name, (lowest, highest) in content["options_tried"].items():
        print_line(
            f"option {name.lower()}: {lowest} to {highest}; both were tried briefly, and the rest"
            " of this report uses the default"
        )
    end = "points decide" if content["counts_points"] else "a draw"
    unfinished = (
        f"; {plain['unfinished']} unfinished after LONGEST moves: {end}"
        if plain["unfinished"]
        else ""
    )
    count, stopped = plain["games"], ""
    if count < content["games"]:
        count, stopped = (
            f"{count} of {content['games']}",
            f" (stopped after {content['seconds']:g} s)",
        )
    print_line(
        f"{count} random games by the plain rules{stopped} end after {plain['shortest']} to"
        f" {plain['longest']} moves{unfinished}"
    )
    print_line(f"compiled, {content['compiled_games']} random games are the same as plain")
    print_line(
        f"{content['bounds_checked_games']:,} random games, in which all moves were tried, stayed"
        " within the bounds of arrays"
    )
    _print_findings(content)
    for hint in content["hints"]:
        print_line(f"hint: {hint}")
    rows = [
        (name, f"{each['matches_per_second']:,.0f}", f"{each['plies_per_second']:,.0f}")
        for name, each in speeds.items()
    ]
    print_table("Speed on one core", ["players", "matches/s", "moves/s"], rows)
    whole = 1e9 / speeds[NETWORKS]["plies_per_second"]
    told = ", ".join(f"{name} {part / sum(parts.values()):.0%}" for name, part in parts.items())
    print_line(f"a network's move takes {whole:,.0f} ns, about: {told}")
    if content["limit"]:
        print_line(f"the bottleneck is {content['limit']}{content['advice']}")
    else:
        print_line(f"there is no clear bottleneck: {ROUNDS} measurements disagree")
    if content["savings"]:
        saved = ", ".join(f"{name} {part:.0%}" for name, part in content["savings"].items())
        print_line(f"accelerators that the file could add, and their largest savings: {saved}")
    print_line(f"to breed players: evolve start {content['file']}")


def _print_findings(content: JsonObject) -> None:
    """Print the results of tests of optional functions."""
    if content["accelerators"]:
        names, count = ", ".join(content["accelerators"]), content["accelerated_positions"]
        print_line(f"accelerators ({names}) agree with the rules in {count:,} positions")
    for name, ranges in content["counted"].items():
        told = ", ".join(f"{what} {least:g} to {most:g}" for what, (least, most) in ranges.items())
        print_line(f"{name} in random games: {told}")
    if names := ", ".join(content["scripted"]["players"]):
        positions = content["scripted"]["positions"]
        print_line(f"players ({names}) choose the same moves compiled in {positions:,} positions")
    if symmetry := content["symmetry"]:
        left = symmetry["declared"] - symmetry["views"]
        untried = f"; {left} of its views change the start, and were not tried" if left else ""
        if left and left == symmetry["exchanging"]:
            untried += ": they only exchange pieces of the start, which is fine"
        print_line(f"SYMMETRY holds in {symmetry['positions']:,} positions{untried}")
    if openspiel := content["openspiel"]:
        theirs, count = f"OpenSpiel's {openspiel['game']}", openspiel["positions"]
        if openspiel["obstacle"]:
            print_line(f"not compared with {theirs}: {openspiel['obstacle']}")
        else:
            print_line(f"agrees with {theirs} in {count:,} positions")
