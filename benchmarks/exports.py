"""Exports of the champions of all recipes: size, speed, and agreement of their moves."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import evolve_arena as ea
from benchmarks.line import Line, SkippedError
from evolve_arena.arena.pairings import longest_opening
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import recipe_files
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import JsonObject
from evolve_arena.players.board.game import Board
from evolve_arena.players.dialects import Limits
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player, look_ahead
from evolve_arena.runs.export.page import write_bot
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.targets import TARGETS
from tests.evolved import random_positions
from tests.pages import NODE, run_script
from tests.test_tutorial import TUTORIAL, write_game

ALIKE: JsonObject = {
    "run.generations": 2,
    "run.checkpoint_every": 1,
    "check.every": 1,
    "check.games": 4,
    "check.opponents": ["random"],
}
SHORT: dict[str, JsonObject] = {
    "tournament": {"method.individuals": 10},
    "neat": {"neat.pop_size": 20},
    "evolutionary-programming": {"method.individuals": 4, "matches.opponents": 2},
    "td": {"method.games": 100},
    "q-learning": {"method.games": 100},
    "td-tuples": {"method.games": 2000},
    "td-linear": {"method.games": 20},
    "imitation-decisions": {"method.data.games": 20, "method.data.minimum_points": 50},
}
"""Changes of recipes that make runs short, by method."""
GAMES, POSITIONS = 200, 2000
COMPILER = shutil.which("gcc") or ""
TRIES = 100
"""Number of choices among which each of several equal moves is almost surely found."""
LONGEST = 30.0
"""Most seconds for the positions of a file; bots that search deep answer fewer of them."""
RECIPES: tuple[str, ...] = ()
"""Names of the recipes whose champions are exported; all recipes if empty."""
OWN: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("tutorial", "skeleton"), ("tournament", "neat", "td-tuples")
)
"""Methods that evolve players of user-defined games, by game."""
SMALL = {
    "RECIPES": ("connect-four",),
    "OWN": {"tutorial": ("tournament",), "skeleton": ("td-tuples",)},
    "GAMES": 4,
    "POSITIONS": 20,
}
WHOLE_GAMES = """
let state = 1;
const random = (n) => (state = (state * 48271) % 2147483647) % n;
const start = Date.now();
let moved = 0;
const ask = (seed) => {
  const late = Date.now() - start > (seed < GAMES ? 4 : 1) * LONGEST;
  if (late || (seed >= GAMES && moved >= POSITIONS)) return null;
  state = seed + 1;
  const line = [];
  let position = bot.begin_page();
  for (;;) {
    const moves = bot.ask_moves(position), seat = bot.ask_seat(position);
    if (!moves.length) return line;
    const own = line.length > 1 && seat === seed % 2;
    const chosen = own ? bot.ask_bot(position) : null;
    const place = own ? moves.findIndex((move) => py.eq(move, chosen)) : random(moves.length);
    line.push([place, own, bot.ask_names(position)[place]]);
    if (place < 0) return line;
    moved += own;
    position = bot.play_on_page(position, moves[place]);
  }
};
"""
"""Script of a game on a page for each seed: two random plies, then the bot against random moves."""
PATIENT = Limits(time_bank=60_000, per_move=60_000)


def measure() -> Iterator[Line]:
    """Yield a line for each recipe and target: size of the file, speed and moves."""
    if not COMPILER or not NODE:
        raise SkippedError("there is no C compiler here, or no Node.js")
    for name in RECIPES or recipe_files():
        with tempfile.TemporaryDirectory() as folder:
            yield from _measure_recipe(name, Path(folder))
    for name, methods in OWN.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{name}.py"
            own = [sys.executable, "-m", "evolve_arena.cli.main", "game", "new", name]
            subprocess.run(own, cwd=folder, check=True, capture_output=True)
            if name == "tutorial":
                file.write_text(write_game(TUTORIAL), "utf-8")
            for method in methods:
                yield from _measure_recipe(str(file), Path(folder) / method, method)


def _measure_recipe(name: str, folder: Path, method: str = "") -> Iterator[Line]:
    recipe = load_recipe(name, {"method.name": method} if method else {})
    changes = ALIKE | SHORT[recipe.method["name"]] | ({"method.name": method} if method else {})
    if recipe.network.get("depth"):  # Python searches a thousand times slower
        changes["network.depth"] = 1
    champion = ea.start(name, run=folder / "run", changes=changes, progress=False).champion
    title = f"{Path(name).stem}, {method}" if method else name
    yield from _measure_champion(title, champion, folder)
    decoder, own = champion.decoder, bool(method) or name == champion.game.name
    if own and hasattr(decoder, "rollouts") and decoder.head == "value":
        deep = look_ahead(champion, "depth=2")
        yield from _measure_champion(f"{title}, 2 plies", deep, folder, patient=False)


def _measure_champion(
    title: str, champion: EvolvedPlayer, folder: Path, patient: bool = True
) -> Iterator[Line]:
    """Yield a line for each target; Python plays whole games only if *patient*."""
    for target in [target for target in ("python", "c", "html") if target in TARGETS]:
        try:
            content = export_player(champion, target)
        except BadValueError as error:
            print(f"{title}, {target}: {error}")
            continue
        file = folder / f"champion.{target}"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        size = file.stat().st_size / 1000
        if target == "html":
            yield _play_on_page(f"{title} as {target}", size, champion, folder)
            continue
        command = f"{sys.executable} {file}" if target == "python" else _compile(file)
        games = GAMES if patient or target == "c" else 0
        yield _play(f"{title} as {target}", size, champion, command, games)


def _compile(file: Path) -> str:
    source, program = file.with_suffix(".source.c"), file.with_suffix(".program")
    file.rename(source)
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([COMPILER, *flags, str(source), "-o", str(program), "-lm"], check=True)
    return str(program)


def _play(what: str, size: float, champion: EvolvedPlayer, command: str, games: int) -> Line:
    """Play games against random moves, then compare the bot with the arena in single positions."""
    game = champion.game
    programs = [
        ProcessPlayer(game, command, dialect="plain", limits=PATIENT) for _ in range(game.seats)
    ]
    plies = min(2, longest_opening(game))
    broken = 0
    if games:
        result = ea.duel(programs[0], "random", games=games, opening_plies=plies, seed=5, game=game)
        broken = sum(forfeit.games for forfeit in result.forfeits)
    began, same, asked = time.perf_counter(), 0, 0
    for seat, program in enumerate(programs):  # hosts say once where a program sits
        program.begin(seat)
    for number, position in enumerate(random_positions(game, 2 * POSITIONS, 7)):
        if asked == POSITIONS or time.perf_counter() - began > LONGEST:
            break
        seat = game.to_move(position)
        seen = game.view(position, seat)
        move = programs[seat].choose(seen, new_stream(number))
        own = champion.choose(seen, new_stream(number))
        if own not in game.legal_moves(position):
            continue  # players that aren't masked may want that, and files then do the next best
        same += move == own or _is_as_good(champion, seen, move)
        asked += 1
    seconds = time.perf_counter() - began
    for program in programs:
        program.close()
    return Line(
        what,
        size,
        "kB",
        f"forfeited of {games} games: {broken}; {1e3 * seconds / asked:.1f} ms a move;"
        f" the arena's moves in {asked:,} positions",
        same / asked,
        "no forfeit, 1",
        broken == 0 and same == asked,
    )


def _play_on_page(what: str, size: float, champion: EvolvedPlayer, folder: Path) -> Line:
    """Play games on the page, then compare the bot with the arena in its positions."""
    game, limits = champion.game, f"GAMES = {GAMES}, POSITIONS = {POSITIONS}"
    script = f"const bot = {write_bot(champion)}, {limits}, LONGEST = {1000 * LONGEST};"
    found, seconds = run_script(script + WHOLE_GAMES, [[seed] for seed in range(20_000)], folder)
    lines = [line for line in found if line is not None]
    illegal = sum(place < 0 for line in lines for place, *_ in line)
    moved, asked, same = sum(own for line in lines for _, own, _ in line), 0, 0
    for line in lines if not illegal and longest_opening(game) else ():
        position = game.initial()
        for number, (place, own, name) in enumerate(line):
            legal = game.legal_moves(position)
            texts = {game.format_move(each): each for each in legal}
            move = texts.get(name, legal[place])
            if own and asked < POSITIONS:
                asked += 1
                seen = game.view(position, game.to_move(position))
                best = champion.choose(seen, new_stream(number))
                same += move == best or _is_as_good(champion, seen, move)
            position = game.play(position, move)
    alike = f"the arena's moves in {asked:,} positions" if asked else "chance rolls on the page"
    return Line(
        what,
        size,
        "kB",
        f"illegal moves in {len(lines)} games: {illegal};"
        f" {1e3 * seconds / max(1, moved):.1f} ms a move; {alike}",
        same / asked if asked else 1.0,
        "no illegal move, 1",
        illegal == 0 and same == asked,
    )


def _is_as_good(champion: EvolvedPlayer, position: Board, move: int) -> bool:
    """Return True if the champion may choose that move, too: it picks at random among equals."""
    return any(champion.choose(position, new_stream(seed)) == move for seed in range(TRIES))
