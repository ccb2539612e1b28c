"""What who makes a game in one file is told of it, and the file that he begins with."""

from __future__ import annotations

import re
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch, seat_players
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, open_file, shipped_games
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.hints import find_hints
from evolve_arena.players.board.kernel import load_timing
from evolve_arena.players.board.self_check import (
    PlainGames,
    check_compiled,
    check_plain,
    check_typed,
    play_random,
)
from evolve_arena.players.board.spiel_check import compare_with_openspiel
from evolve_arena.players.board.symmetry_check import SymmetryCheck, check_symmetry
from evolve_arena.players.board.timing import LEGAL, NOTHING, PLAY, RESULT, SEE
from evolve_arena.players.board.workspace import make_workspace
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import make_random
from evolve_arena.players.specification import player_kinds
from evolve_arena.runs.files import write_whole
from evolve_arena.runs.game_trial import try_apart
from evolve_arena.runs.one_file import find_misspelt
from evolve_arena.runs.output import print_line, print_table

MOMENT = 0.5
"""Seconds for which each speed is measured."""
PLAYERS = 10
HIDDEN = (32,)
NETWORKS = "value networks, 32 hidden units"
ADVICE = {
    "legal": ": keep in the state what it finds out each time, or use words of bits",
    "play": ": change few numbers, or use words of bits",
    "result": ": look only at what the last move can have ended; keep its place in the state",
    "see": ": it is fastest where the state begins with the cells and there is no see at all",
}
"""What makes each part faster."""
SKELETON = "tic-tac-toe"
"""The game that ships whose file others begin with."""


def write_skeleton(name: str, *, force: bool = False) -> Path:
    """Writes a game that works into a file, to be changed; gives the file.

    Raises:
        BadValueError: The name is none, is taken, or the file exists.
    """
    stem = re.sub(r"[\s-]+", "_", name.strip().removesuffix(".py")).lower()
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,60}", stem):
        raise BadValueError(f"{name!r:.40} is no name: use letters, digits, - and _")
    if stem.replace("_", "-") in shipped_games():
        raise BadValueError(
            f"there is a game {stem.replace('_', '-')} already: choose another name"
        )
    file = Path(f"{stem}.py")
    if file.exists() and not force:
        raise BadValueError(f"{file} exists: choose another name, or replace it with --force")
    game: Any = find_game(SKELETON).game
    title = f'"""{stem.replace("_", " ").capitalize()}: so far it is tic-tac-toe; change it."""'
    source = re.sub(r'\A""".*?"""', lambda _: title, game.source, flags=re.DOTALL)
    write_whole(file, source.encode())
    return file


def report(path: Path, games: int) -> dict[str, Any]:
    """What can be said of the game in a file, ready for JSON.

    Args:
        path: The file, which is run.
        games: How many random games are played plain and compiled.

    Raises:
        ArenaError: The file is no game, or breaks a rule; see `players.board.self_check` and
            `evolve_arena.runs.game_trial`.
    """
    tried = try_apart(path, games)
    spec = open_file(path)
    game: Any = spec.make()
    code = game.code
    plain = check_plain(game, games, seconds=4 * MOMENT)
    check_typed(game)
    symmetry = check_symmetry(game, games)
    openspiel = compare_with_openspiel(game)
    hints = [
        *_hint_at_longest(plain, code),
        *_hint_at_symmetry(symmetry),
        *find_misspelt(game.source),
        *find_hints(game, games),
    ]
    randoms = make_random(game).packed
    *_, matches = find_variant(spec, game.rules, randoms).values()
    check_compiled(game, partial(play_random, spec.kernel, matches, game), games)
    decoder = spec.networks["mlp"].decoder_type(hidden=HIDDEN)
    genomes = decoder.initialise(PLAYERS, "fan-in", np.random.default_rng(1))
    speeds = {
        "random players": _measure_matches(game, randoms),
        NETWORKS: _measure_matches(game, decoder.pack(genomes)),
    }
    return {
        "file": str(path),
        "game": spec.name,
        "title": game.title,
        "seats": game.seats,
        **{name.lower(): int(getattr(code, name)) for name in ("MOVES", "PLANES", "CELLS")},
        "options": {name: list(values) for name, values in game.plain.get("OPTIONS", {}).items()},
        "derived": bool(code.SEES_CELLS),
        "plain": asdict(plain),
        "symmetry": symmetry and symmetry._asdict(),
        "openspiel": openspiel and openspiel._asdict(),
        "hints": hints,
        "compiled_games": games,
        "bounds_checked_games": tried,
        "players": sorted(player_kinds(spec.name)),
        "networks": sorted(spec.networks),
        "speeds": speeds,
        "parts": _measure_parts(game, decoder.pack(genomes)),
    }


def _hint_at_longest(plain: PlainGames, code: Any) -> list[str]:
    if 2 * plain.unfinished <= plain.games:
        return []
    end = "points decide them then" if code.HAS_POINTS else "they are draws then"
    return [
        f"{plain.unfinished} of {plain.games} random games were not over after {code.LONGEST} moves"
        f" (LONGEST), and {end}: is LONGEST too small?"
    ]


def _hint_at_symmetry(symmetry: SymmetryCheck | None) -> list[str]:
    if not symmetry or not symmetry.fixed:
        return []
    return [
        f"see shows something on {symmetry.fixed} at the start that does not turn with the board,"
        f" so {symmetry.declared - symmetry.views} of its {symmetry.declared} views were not tried:"
        " show it on cells that every view maps to each other, such as all empty ones, or leave"
        " out SYMMETRY"
    ]


def _measure_matches(game: AnyGame, packed: PackedPlayers) -> dict[str, float]:
    """How many matches and plies a second are played on one core."""
    rows = len(packed.seats)
    count, matches, plies, seconds = 5, 0, 0, 0.0
    run_kernel(make_batch(game, packed, *_seat(game, rows, 0)))
    while seconds < MOMENT:
        count = min(4 * count, 20_000)
        batch = make_batch(game, packed, *_seat(game, rows, count))
        begun = time.process_time()
        results = run_kernel(batch)
        seconds += time.process_time() - begun
        matches, plies = matches + count, plies + int(results.plies.sum())
    return {"matches_per_second": matches / seconds, "plies_per_second": plies / seconds}


def _seat(game: AnyGame, players: int, matches: int) -> tuple[Any, Any]:
    """Who sits where in so many matches, and their seeds."""
    seatings = np.arange(matches * game.seats, dtype=np.int32).reshape(matches, game.seats)
    slots = seat_players(seatings % players, find_game(game.name).most_seats)
    return slots, derive_seeds(matches, 0, "check", matches)


def _measure_parts(game: BoardGame, packed: PackedPlayers) -> dict[str, float]:
    """How many nanoseconds each part takes at a ply of a value network, on one core."""
    module, workspace = load_timing(game), make_workspace(game.code, packed)
    seconds, listings = {}, 0.0
    for part in (NOTHING, PLAY, RESULT, SEE, LEGAL):
        taken, plies, listed = 0.0, 0, 0
        module.add_part(part, np.uint64(0), workspace)
        seed, begun = 1, time.process_time()
        while taken < MOMENT:
            counts = module.add_part(part, np.uint64(seed), workspace)
            plies, listed = plies + counts[0], listed + counts[1]
            seed, taken = seed + 1, time.process_time() - begun
        seconds[part], listings = taken / plies, listed / plies
    differences = {
        "legal": (seconds[LEGAL] - seconds[RESULT]) / listings if listings else 0.0,
        "play": seconds[PLAY] - seconds[NOTHING],
        "result": seconds[RESULT] - seconds[PLAY],
        "see": seconds[SEE] - seconds[RESULT],
    }
    game.refuse_faults(workspace.states, workspace.planes)
    return {name: 1e9 * max(0.0, difference) for name, difference in differences.items()}


def print_report(content: dict[str, Any]) -> None:
    """Prints what :func:`report` gave, for people."""
    plain, speeds, parts = content["plain"], content["speeds"], content["parts"]
    print_line(f": {content['title']}", heading=content["game"])
    shape = f"{content['planes']} planes of {content['cells']} cells"
    print_line(
        f"{content['seats']} seats, moves 0 to {content['moves'] - 1},"
        f" {plain['moves']:.1f} to choose from in the mean; networks see {shape}"
    )
    for name, values in content["options"].items():
        print_line(f"option {name.lower()}: {values[0]} to {values[-1]}")
    unfinished = (
        f"; {plain['unfinished']} were not over after the last move (LONGEST), a draw"
        if plain["unfinished"]
        else ""
    )
    print_line(
        f"{plain['games']} random games by the plain rules end after {plain['shortest']} to"
        f" {plain['longest']} moves{unfinished}"
    )
    print_line("compiled, random games are the same as plain")
    print_line(
        f"{content['bounds_checked_games']:,} random games, in which all moves were tried, kept"
        " within their arrays"
    )
    if symmetry := content["symmetry"]:
        left = symmetry["declared"] - symmetry["views"]
        untried = f"; of its views {left} change the start, and were not tried" if left else ""
        if left and left == symmetry["exchanging"]:
            untried += ": they only exchange pieces of the start, which is fine"
        print_line(f"SYMMETRY holds in {symmetry['positions']:,} positions{untried}")
    if openspiel := content["openspiel"]:
        theirs, count = f"OpenSpiel's {openspiel['game']}", openspiel["positions"]
        if openspiel["obstacle"]:
            print_line(f"not compared with {theirs}: {openspiel['obstacle']}")
        else:
            print_line(f"agrees with {theirs} in {count:,} positions")
    for hint in content["hints"]:
        print_line(f"hint: {hint}")
    rows = [
        (name, f"{each['matches_per_second']:,.0f}", f"{each['plies_per_second']:,.0f}")
        for name, each in speeds.items()
    ]
    print_table("Speed on one core", ["who plays", "matches/s", "moves/s"], rows)
    whole = 1e9 / speeds[NETWORKS]["plies_per_second"]
    network = max(0.0, whole - sum(parts.values()))
    shares = {**parts, "the network": network}
    told = ", ".join(f"{name} {share / sum(shares.values()):.0%}" for name, share in shares.items())
    print_line(f"of a network's move, {whole:,.0f} ns, about: {told}")
    most = max(shares, key=lambda name: shares[name])
    advice = "" if most == "see" and content["derived"] else ADVICE.get(most, "")
    print_line(f"so what limits its speed is {most}{advice}")
    print_line(f"breed players: evolve start {content['file']}")
