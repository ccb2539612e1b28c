"""User code that recipes name: it runs only with permission, and is copied into the run.

A recipe's file names it as ``my_ops.py:blend``. In memory the name is ``my_ops.py@DIGEST:blend``,
pinned to the content that the file had when it was run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from evolve_arena.core.errors import BadValueError, quote, spell
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.types import Json, JsonObject, Settings
from evolve_arena.core.user_code import LARGEST, find_file, is_open, is_reference, open_code
from evolve_arena.players.specification import NotPermittedError

Permit = Callable[[Path, bytes, str], None]
"""Function that is called with a Python file, its content and its kind, ``game`` or ``code``,
before the file is run; it raises an error to prevent that."""

CODE = "code"
"""Folder of a run with copies of the user's code."""
WITH_CODE = ("method", "matches", "variation", "check")
"""Sections whose values may name code."""


def refuse_files(path: Path, source: bytes, what: str) -> None:
    """Refuse to run a Python file as a game or as code.

    Args:
        path: Path of the Python file.
        source: Its content, which no message shows.
        what: Its purpose: ``game`` or ``code``.

    Raises:
        NotPermittedError: Always.
    """
    named = "the game is a Python file," if what == "game" else "the recipe names a Python file,"
    word = spell("--allow-process", "allow_process=True")
    more = f", or --game {path} with commands that have it" if what == "game" else ""
    raise NotPermittedError(
        f"{named} {path}, which would run here and needs your word: {word}{more}"
    )


def open_typed(values: Settings) -> JsonObject:
    """Run the files of code that *values* name, and return the values with the files' digests.

    No permission is needed, since the user typed the values. Paths are relative to the current
    folder.
    """
    return {
        key: pin_code(value, Path(), lambda *file: None)
        if key.partition(".")[0] in WITH_CODE
        else value
        for key, value in values.items()
    }


def list_texts(value: Json) -> list[str]:
    """Return all strings in a *value* of a recipe, at any depth, including keys."""
    if isinstance(value, Mapping):
        return [text for key, inner in value.items() for text in (str(key), *list_texts(inner))]
    if isinstance(value, list | tuple):
        return [text for inner in value for text in list_texts(inner)]
    return [value] if isinstance(value, str) else []


def pin_code(value: Json, folder: Path, permit: Permit) -> Json:
    """Run the files of code that *value* names, and return it with the files' digests.

    Args:
        value: Value from a recipe; in tables and lists, texts at any depth may name code.
        folder: Folder that relative paths start from; files that are not there are looked for in
            the current folder.
        permit: Function that is called before a file that is not open yet is run, and raises an
            error to prevent it.

    Raises:
        BadValueError: A file can't be read.
        UserCodeError: A file fails when it is run.
        NotPermittedError: *permit* refuses a file.
    """
    if isinstance(value, Mapping):
        return {key: pin_code(inner, folder, permit) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [pin_code(inner, folder, permit) for inner in value]
    if not isinstance(value, str) or ":" not in value or not is_reference(value):
        return value
    if find_file(value):
        return value
    name, _, function = value.strip().rpartition(":")
    path, source = read_beside(folder, name, quote(value))
    if not is_open(source):
        permit(path, source, "code")
    return f"{path.name}@{open_code(path, source)}:{function}"


def read_beside(folder: Path, name: str, key: str) -> tuple[Path, bytes]:
    """Return the path and content of a file that a recipe names.

    Args:
        folder: Folder of the recipe.
        name: Path of the file, relative to *folder*, else to the current folder.
        key: Description of the value that has the path, with which error messages begin.

    Raises:
        BadValueError: The file can't be read.
    """
    path = next((path for path in (folder / name, Path(name)) if path.is_file()), Path(name))
    try:
        return path, read_file(path, LARGEST)
    except OSError as error:
        raise BadValueError(f"{key}: {explain_unread(error, path)}") from None


def unpin_code(value: Json) -> Json:
    """Return the *value* as a run's recipe file has it: with the paths of the copies of code."""
    if isinstance(value, dict):
        return {key: unpin_code(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [unpin_code(inner) for inner in value]
    file = find_file(value) if isinstance(value, str) else None
    return f"{CODE}/{file.path.name}:{value.rpartition(':')[2]}" if file else value


def copy_code(value: Json) -> dict[str, bytes]:
    """Return the contents of the files of code that *value* names, by their paths in the run.

    Raises:
        BadValueError: Two files have the same name.
    """
    found: dict[str, bytes] = {}
    for text in list_texts(value):
        file = find_file(text)
        if file and found.setdefault(f"{CODE}/{file.path.name}", file.source) != file.source:
            raise BadValueError(f"two files of code are called {file.path.name}: rename one")
    return found
