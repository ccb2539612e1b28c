"""What else tells how well a player knows Connect Four: concept states, and files of positions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evolve_arena.games.connect_four.concepts import CONCEPTS, concept_groups, fits_concepts
from evolve_arena.games.connect_four.game import ConnectFour
from evolve_arena.games.connect_four.positions import solve_positions
from evolve_arena.players.player import Player
from evolve_arena.runs.output import format_interval, print_line, print_table


def examine(
    player: Player, game: ConnectFour, positions: Sequence[Path], seed: int
) -> dict[str, Any]:
    """How often *player* solves concept states, on the usual board, and files of *positions*."""
    concepts = concept_groups(player, game, seed=seed) if fits_concepts(game) else {}
    return {
        "concepts": {name: group.to_dict() for name, group in concepts.items()},
        "positions": {str(path): solve_positions(player, game, path) for path in positions},
    }


def print_examination(content: dict[str, Any]) -> None:
    """Prints what :func:`examine` gave."""
    _print_concepts(content["concepts"])
    for path, result in content["positions"].items():
        _print_positions(path, result)


def _print_concepts(content: dict[str, Any]) -> None:
    if not content:
        print_line("concept states: left out, they are for a board of 7 by 6, 4 in a row")
        return
    rows = [
        (
            f"{name} ({CONCEPTS[name][1]})",
            str(group["states"]),
            format_interval(group["share"], tuple(group["wilson_95"])),
        )
        for name, group in content.items()
    ]
    print_table("Concept states: wins at once", ["", "states", "solved, 95 % interval"], rows)


def _print_positions(path: str, result: dict[str, Any]) -> None:
    if "solved" not in result:
        rows = [
            (
                name.replace("_", " "),
                format_interval(result[name], tuple(result[f"{name}_wilson_95"])),
            )
            for name in ("value_preserving", "distance_optimal")
        ]
    else:
        solved = result["solved"]
        rows = [("solved", format_interval(solved["overall"], tuple(solved["wilson_95"])))]
        for group in ("by_theme", "by_line"):
            rows += [(f"  {name}", f"{share:.3f}") for name, share in solved[group].items()]
    print_table(f"{path}: {result['count']} positions", ["", "share"], rows)
