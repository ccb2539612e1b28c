"""Shell completion: of recipes, runs, players, games, keys of ``--set`` and their values.

It runs no code in files, and contacts no other machine. Answers that take long are kept in the
cache folder until a file of the package changes.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, MutableMapping
from contextlib import redirect_stdout, suppress
from glob import escape, glob
from pathlib import Path

import typer

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.files import make_private_folder, read_file
from evolve_arena.core.registry import FILE, default_game, game_names, recipe_files
from evolve_arena.runs.store.directory import HOME, RunDirectory, find_run

VARIABLE = "_EVOLVE_COMPLETE"
"""Environment variable that is set if the shell asks for completions."""
BREAKS = "=:"
"""Characters at which Bash splits words: ``run:evolved/mine``, ``run.seed=7``."""
MAX_RUNS = 200
REMEMBERED, MAX_BYTES = "completions.json", 1 << 20


def answer_shell(app: Callable[..., object], environment: MutableMapping[str, str]) -> None:
    """Print the completions of the command line that the *environment* contains."""
    before = ""
    if environment[VARIABLE] == "complete_bash":
        words = environment.get("COMP_WORDS", "").split("\n")
        words = join_words(words[: int(environment.get("COMP_CWORD", "0")) + 1])
        environment["COMP_WORDS"] = "\n".join(words)
        environment["COMP_CWORD"] = str(len(words) - 1)
        before = words[-1][: max(words[-1].rfind(mark) for mark in BREAKS) + 1]
    out = io.StringIO()
    try:
        with redirect_stdout(out):
            app(prog_name="evolve")
    finally:
        for line in out.getvalue().splitlines():
            print(line.removeprefix(before))


def join_words(words: list[str]) -> list[str]:
    """Return the *words* of a line as they were typed; Bash splits them at :data:`BREAKS`.

    >>> join_words(["evolve", "duel", "run", ":", "evolved/mine"])
    ['evolve', 'duel', 'run:evolved/mine']
    """
    joined: list[str] = []
    for word in words:
        if joined[1:] and (word in tuple(BREAKS) or joined[-1].endswith(tuple(BREAKS))):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def complete_recipe(incomplete: str) -> list[str]:
    """Complete recipes by name, recipes in files, and games in one file."""
    files = [*_find_paths(incomplete, "*.toml"), *_find_paths(incomplete, f"*{FILE}")]
    return [*_fitting(incomplete, recipe_files()), *files]


def complete_run(incomplete: str) -> list[str]:
    """Complete run directories, here and one folder below; if there are none, names of runs."""
    start = escape(incomplete)
    found = [*glob(f"{start}*/recipe.toml"), *glob(f"{start}*/*/recipe.toml")]
    found = found or glob(f"{start}*/recipe.toml", root_dir=HOME)
    return sorted({os.path.dirname(file) for file in found})[:MAX_RUNS]


def complete_branch(incomplete: str) -> list[str]:
    """Complete runs, and after ``RUN@`` the generations of their checkpoints."""
    path, at, _ = incomplete.rpartition("@")
    if not at:
        return complete_run(incomplete)
    found = [f"{path}@{generation}" for generation in RunDirectory(find_run(path)).generations()]
    return [place for place in found if place.startswith(incomplete)]


def complete_game(incomplete: str) -> list[str]:
    """Complete games by name, and games in one file."""
    return [*_fitting(incomplete, game_names()), *_find_paths(incomplete, f"*{FILE}")]


def complete_player(context: typer.Context, incomplete: str) -> list[str]:
    """Complete players of the game on the line, and after ``run:`` and ``file:`` paths."""
    kind, colon, rest = incomplete.partition(":")
    if colon and kind == "run":
        return [f"run:{path}" for path in complete_run(rest)]
    if colon and kind == "file":
        return [f"file:{path}" for path in _find_paths(rest, "*.safetensors")]
    forms = _recall(f"players {context.params.get('game') or default_game()}", _list_forms)
    heads = {re.split(r"(?<=:)", form)[0] for form in forms}
    whole = {form for form in forms if form == form.lower()}  # nothing as in run:PATH
    return _fitting(incomplete, whole | heads)


def complete_run_or_file(incomplete: str) -> list[str]:
    """Complete runs, and after ``file:`` players in files."""
    if incomplete.startswith("file:"):
        rest = incomplete.removeprefix("file:")
        return [f"file:{path}" for path in _find_paths(rest, "*.safetensors")]
    return complete_run(incomplete)


def complete_change(context: typer.Context, incomplete: str) -> list[str]:
    """Complete keys of the recipe on the line, and after ``=`` the values of a key with few."""
    typed = [context.params.get("recipe"), *context.args]  # typer stops at an open option
    recipe = next((name for name in typed if name in recipe_files()), default_game())
    keys = _recall(f"keys {recipe}", _list_keys)
    key, equals, _ = incomplete.partition("=")
    if equals:
        values = next((line.split("=")[1:] for line in keys if line.split("=")[0] == key), [])
        return _fitting(incomplete, [f"{key}={value}" for value in values])
    return [f"{name}=" for name in _fitting(incomplete, [line.split("=")[0] for line in keys])]


def complete_values(context: typer.Context, incomplete: str) -> list[str]:
    """Complete as :func:`complete_change`, and also the last of several values: ``key=one,o``."""
    before, comma, last = incomplete.rpartition(",")
    if not comma:
        return complete_change(context, incomplete)
    key = before.partition("=")[0]
    found = complete_change(context, f"{key}={last}")
    return [before + comma + text.partition("=")[2] for text in found]


def _list_keys(name: str) -> list[str]:
    """Return each key of a shipped recipe, followed by its values, separated by ``=``."""
    from evolve_arena.runs.recipes.recipe import read_content
    from evolve_arena.runs.recipes.sections import list_keys

    return ["=".join((key, *values)) for key, values in list_keys(read_content(name)).items()]


def _list_forms(game: str) -> list[str]:
    from evolve_arena.players.specification import player_kinds
    from evolve_arena.runs import players  # noqa: F401  (it adds run:PATH)

    return [kind.form for kind in player_kinds(game).values()]


def _fitting(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in sorted(names) if name.startswith(incomplete)]


def _find_paths(incomplete: str, pattern: str) -> list[str]:
    """Return files that match a *pattern* and begin with *incomplete*, and folders on the way."""
    start = escape(incomplete)
    files = [path for path in glob(f"{start}*") if Path(path).match(pattern)]
    folders = [f"{path}/" for path in glob(f"{start}*") if os.path.isdir(path)] if files else []
    return sorted([*files, *folders]) if incomplete or files else []


def _recall(what: str, find: Callable[[str], list[str]]) -> list[str]:
    """Return what *find* returns for *what* without its first word, from the cache if possible."""
    stamp, file = _stamp(), _remembered_file()
    remembered: dict[str, list[str]] = {}
    with suppress(OSError, ValueError, AttributeError, RecursionError):
        if file is not None:
            content = json.loads(read_file(file, MAX_BYTES))
            remembered = content["found"] if content.get("stamp") == stamp else {}
    if what in remembered:
        return [str(line) for line in remembered[what] if str(line).isprintable()]
    try:
        found = find(what.partition(" ")[2])
    except ArenaError:
        return []
    with suppress(OSError):
        if file is not None:
            new = file.with_suffix(f".{os.getpid()}")
            new.write_text(json.dumps({"stamp": stamp, "found": {**remembered, what: found}}))
            os.replace(new, file)
    return found


def _stamp() -> str:
    """Return a text that changes with any file of the package, and with the version of Python."""
    root = Path(__file__).resolve().parents[2]
    newest = count = 0
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "__", "tests"))]
        for name in files:
            if name.endswith((".py", ".toml")):
                newest = max(newest, os.stat(os.path.join(folder, name)).st_mtime_ns)
                count += 1
    return f"{root} {count} {newest} {sys.version}"


def _remembered_file() -> Path | None:
    """Return the file of cached answers; None if other users could write to it."""
    import platformdirs

    chosen = os.environ.get("EVOLVE_ARENA_CACHE") or platformdirs.user_cache_dir("evolve-arena")
    folder = Path(os.path.realpath(chosen)) / "completions"
    try:
        make_private_folder(folder)
    except OSError:
        return None
    return folder / REMEMBERED
