"""Reports on games written as one file, and the template that a new game starts from."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

import numpy as np

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch, seat_players
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, open_file, shipped_games
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Array, JsonObject
from evolve_arena.players.board.accelerator_check import ACCELERATORS, compare_accelerators
from evolve_arena.players.board.count_check import find_ranges
from evolve_arena.players.board.game import BoardGame, GameFileError
from evolve_arena.players.board.hints import find_hints
from evolve_arena.players.board.kernel import load_timing
from evolve_arena.players.board.loader import find_misspelt
from evolve_arena.players.board.scripted import name_kind
from evolve_arena.players.board.self_check import (
    PlainGames,
    check_compiled,
    check_plain,
    check_typed,
    compare_compiled_scripts,
    play_random,
)
from evolve_arena.players.board.spiel_check import compare_with_openspiel
from evolve_arena.players.board.symmetry_check import SymmetryCheck, check_symmetry
from evolve_arena.players.board.timing import CHANGES, LEGAL, NOTHING, PLAY, RESULT, SEE, WINS
from evolve_arena.players.board.trial import try_apart
from evolve_arena.players.board.workspace import make_workspace
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import make_random
from evolve_arena.players.specification import player_kinds
from evolve_arena.runs.store.files import write_whole

if TYPE_CHECKING:
    from evolve_arena.players.board.networks import NetworkDecoder

GAMES, SECONDS = 200, 2.0
"""Default number of random games per comparison, and seconds after which no further game begins."""
PATIENCE = 60.0
"""The same limit in seconds if the number of games is given."""
MOMENT, ROUNDS = 0.1, 5
"""Seconds for each measurement of speed, and number of measurements; their median counts."""
MAX_GAMES = 10_000
"""Maximum games in which the times of the rules' parts are measured."""
FEW = 5
"""Games in which the ranges of the features that the file counts are measured."""
PLAYERS = 10
HIDDEN = (32,)
NETWORKS = "value networks, 32 hidden units"
ADVICE = {
    "legal": ": keep in the state what it finds out each time, or use words of bits",
    "play": ": change few numbers, or use words of bits",
    "result": ": look only at what the last move can have ended; keep the last move's cell in the"
    " state",
    "points": ": keep in the state what is_over and points count each time",
    "cells": ": it is fastest where the state begins with the cells and there is no see at all",
}
"""Advice on making each part of the rules faster; ``points`` and ``cells`` are special cases of
``result`` and ``see``."""
SKELETON = "tic-tac-toe"
"""Game whose file is the template."""


def write_skeleton(name: str, *, force: bool = False) -> Path:
    """Write a working game into a file, as a starting point, and return the file.

    Raises:
        BadValueError: The name is invalid or taken, or the file exists.
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
    game = cast("type[BoardGame]", find_game(SKELETON).game)
    title = f'"""{stem.replace("_", " ").capitalize()}: so far it is tic-tac-toe; change it."""'
    source = re.sub(r'\A""".*?"""', lambda _: title, game.source, flags=re.DOTALL)
    source = re.sub(r"^POSITIONS = .*\n", "", source, flags=re.MULTILINE)
    write_whole(file, source.encode())
    return file


def report(path: Path, games: int | None = None) -> JsonObject:
    """Report on the game in a file: checks, hints and speeds, ready for JSON.

    Args:
        path: The file, which is run.
        games: Random games to play both plain and compiled; a few, for a short time, if None.

    Raises:
        ArenaError: The file holds no game, or breaks a rule; see `players.board.self_check` and
            `evolve_arena.players.board.trial`.
    """
    # Run the file: in a process of its own first, then here
    seconds = SECONDS if games is None else PATIENCE
    games = games or GAMES
    tried = try_apart(path, games)
    spec = open_file(path)
    game: BoardGame = spec.make()
    code = game.code

    # Compare the rules with themselves, with their options' extremes, and with OpenSpiel
    plain = check_plain(game, games, seconds)
    check_typed(game)
    options = {name: list(values) for name, values in game.plain.get("OPTIONS", {}).items()}
    extremes = _try_options(game, options)
    symmetry = check_symmetry(game, games)
    counted, scales = find_ranges(game, min(games, FEW))
    openspiel = compare_with_openspiel(game)
    hints = [
        *_hint_at_longest(plain, code),
        *_hint_at_symmetry(symmetry),
        *find_misspelt(game.source),
        *find_hints(game, games),
        *scales,
    ]

    # Compare the compiled rules with the plain ones
    randoms = make_random(game).packed
    *_, matches = find_variant(spec, game.rules, randoms).values()
    compared = check_compiled(
        game, partial(play_random, spec.kernel, matches, game), games, seconds
    )

    # Measure speeds, several times, and find the slowest part
    decoder: NetworkDecoder = spec.networks["mlp"].decoder_type(hidden=HIDDEN)
    networks = decoder.pack(decoder.initialise(PLAYERS, "fan-in", np.random.default_rng(1)))
    speeds, parts = list[dict[str, float]](), list[dict[str, float]]()
    for turn in range(ROUNDS):
        speeds.append(_measure_matches(game, networks))
        parts.append(_measure_parts(game, networks, 1 + turn * MAX_GAMES))
        rest = 1e9 / speeds[-1]["plies_per_second"] - sum(parts[-1].values())
        parts[-1]["the network"] = max(0.0, rest)
    whole = 1e9 / _find_medians(speeds)["plies_per_second"]
    limits = {max(each, key=lambda part: each[part]) for each in parts}
    limit = limits.pop() if len(limits) == 1 else ""
    return {
        "file": str(path),
        "game": spec.name,
        "title": game.title,
        "seats": game.seats,
        **{name.lower(): int(getattr(code, name)) for name in ("MOVES", "PLANES", "CELLS")},
        "options": options,
        "options_tried": extremes,
        "derived": bool(code.SEES_CELLS),
        "counts_points": bool(code.HAS_POINTS),
        "plain": asdict(plain),
        "accelerators": [name for name in (*ACCELERATORS, "MOVES_STAY") if game.plain.get(name)],
        "accelerated_positions": compare_accelerators(game, games, seconds),
        "counted": counted,
        "scripted": {
            "players": list(map(name_kind, game.scripts)),
            "positions": compare_compiled_scripts(game, games, seconds),
        },
        "symmetry": symmetry and symmetry._asdict(),
        "openspiel": openspiel and openspiel._asdict(),
        "hints": hints,
        "games": games,
        "seconds": seconds,
        "compiled_games": compared,
        "bounds_checked_games": tried,
        "players": sorted(player_kinds(spec.name)),
        "networks": sorted(spec.networks),
        "speeds": {
            "random players": _find_medians(
                [_measure_matches(game, randoms) for _ in range(ROUNDS)]
            ),
            NETWORKS: _find_medians(speeds),
        },
        "parts": _find_medians(parts),
        "limit": limit,
        "savings": _find_savings(_find_medians(parts), whole, code),
        "advice": _advise(limit, code),
    }


def _try_options(game: BoardGame, options: dict[str, list[int]]) -> dict[str, list[int]]:
    """Play a few plain games with the smallest and the largest value of each option.

    Values that the file refuses beside the other options' own values are left out.

    Raises:
        GameFileError: The rules fail with one of them; the message names it.
    """
    extremes = {name: list[int]() for name in options}
    for name, values in options.items():
        for ordered in (sorted(values), sorted(values, reverse=True)):
            value, tried = next(_try_values(game, name, ordered))
            extremes[name].append(value)
            try:
                check_plain(tried, seconds=MOMENT)
            except GameFileError as error:
                raise GameFileError(f"{error} (with {name} = {value})") from None
    return extremes


def _try_values(
    game: BoardGame, name: str, values: Iterable[int]
) -> Iterator[tuple[int, BoardGame]]:
    """Yield those *values* of an option that the file accepts, and the game with each of them."""
    for value in values:
        with suppress(BadValueError):
            yield value, type(game)(**{name.lower(): value})


def _advise(limit: str, code: ModuleType) -> str:
    """Return advice on the part of the rules that takes the most time."""
    if limit == "result" and code.HAS_POINTS:
        limit = "points"
    if limit == "see" and code.IS_ARRAY and code.PLANES == code.SEATS * code.PIECES:
        limit = "cells"
    return "" if limit == "cells" and code.SEES_CELLS else ADVICE.get(limit, "")


def _find_savings(parts: dict[str, float], whole: float, code: ModuleType) -> dict[str, float]:
    """Return the largest share of the time of a move that each missing accelerator could save."""
    whole = max(whole, sum(parts.values()))  # each is measured by itself, and may seem slower
    saved = {"wins": parts.get("result", 0.0), "changes": parts.get("see", 0.0)}
    missing = [name for name in saved if not getattr(code, f"HAS_{name.upper()}")]
    found = {name: saved[name] / whole for name in missing}
    if missing:
        played = parts.get("play", 0.0) / whole
        if len(missing) == 2:
            found["both"] = played + sum(found.values())
        else:  # with the other one no move is played to try it
            found[missing[0]] += played
    return {name: round(share, 3) for name, share in found.items()}


def _hint_at_longest(plain: PlainGames, code: ModuleType) -> list[str]:
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
    """Measure matches and plies per second on one core."""
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


def _seat(game: AnyGame, players: int, matches: int) -> tuple[Array, Array]:
    """Return the players of *matches* matches, by match and seat, and the matches' seeds."""
    pairings = np.arange(matches * game.seats, dtype=np.int32).reshape(matches, game.seats)
    pairings = seat_players(pairings % players, find_game(game.name).most_seats)
    return pairings, derive_seeds(matches, 0, "check", matches)


def _measure_parts(game: BoardGame, packed: PackedPlayers, first: int) -> dict[str, float]:
    """Measure the nanoseconds that each part takes per ply of a value network, on one core.

    All parts are measured in the same games, whose seeds begin at *first*.
    """
    module, workspace = load_timing(game), make_workspace(game.code, packed)
    code, accelerated = game.code, [WINS] * game.code.HAS_WINS + [CHANGES] * game.code.HAS_CHANGES
    module.add_part(NOTHING, np.uint64(0), workspace)
    seconds, listings, seeds = {}, 0.0, range(first, first + MAX_GAMES)
    for part in (LEGAL, NOTHING, PLAY, RESULT, SEE, *accelerated):
        plies, listed, begun = 0, 0, time.process_time()
        for seed in seeds:
            counts = module.add_part(part, np.uint64(seed), workspace)
            plies, listed = plies + counts[0], listed + counts[1]
            taken = time.process_time() - begun
            if part == LEGAL and taken > MOMENT:  # the others take less
                seeds, listings = range(first, seed + 1), listed / plies
                break
        seconds[part] = taken / plies
    # Each measurement includes the parts before it, so differences are what one part takes
    differences = {
        "legal": (seconds[LEGAL] - seconds[RESULT]) / listings if listings else 0.0,
        "play": seconds[PLAY] - seconds[NOTHING],
        "result": seconds[RESULT] - seconds[PLAY],
        "see": seconds[SEE] - seconds[RESULT],
    }
    if code.HAS_WINS and code.HAS_CHANGES:  # then moves are neither played, judged nor encoded
        differences = {"legal": differences["legal"]}
    for name, part in (("wins", WINS), ("changes", CHANGES)):
        if part in seconds:
            differences[name] = seconds[part] - seconds[NOTHING]
    game.refuse_faults(workspace.states, workspace.planes)
    return {name: 1e9 * max(0.0, difference) for name, difference in differences.items()}


def _find_medians(rows: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.median([row[name] for row in rows])) for name in rows[0]}
