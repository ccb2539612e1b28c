"""Code that recipes name: it runs with the user's word alone, and a copy of it lies in the run.

In a recipe's file it is ``my_ops.py:blend``, in memory ``my_ops.py@DIGEST:blend``: pinned to what
the file held when it was run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import BadValueError, quote, spell
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.user_code import LARGEST, find_file, is_open, is_reference, open_code
from evolve_arena.players.specification import NotPermittedError

Permit = Callable[[Path, bytes, str], None]
"""Is told of a Python file, its content and what it is, ``game`` or ``code``, before it is run; it
raises an error to prevent it."""

CODE = "code"
"""The folder of a run in which copies of the user's code lie."""
WITH_CODE = ("method", "matches", "variation", "check")
"""The sections whose values may name such."""


def refuse_files(path: Path, source: bytes, what: str) -> None:
    """Lets no file be run as a game or as code, unless the user has opened it himself.

    Raises:
        NotPermittedError: He has not.
    """
    named = "the game is a Python file," if what == "game" else "the recipe names a Python file,"
    word = spell("--allow-process", "allow_process=True")
    more = f", or --game {path} with commands that have it" if what == "game" else ""
    raise NotPermittedError(
        f"{named} {path}, which would run here and needs your word: {word}{more}"
    )


def open_typed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by dotted key with the digest of each file of code that they name, which is run.

    Only for what the user himself has typed. A path counts from where he stands.
    """
    return {
        key: pin_code(value, Path(), lambda *file: None)
        if key.partition(".")[0] in WITH_CODE
        else value
        for key, value in values.items()
    }


def list_texts(value: Any) -> list[str]:
    """All texts in a *value* of a recipe, however deep they lie; keys, too."""
    if isinstance(value, Mapping):
        return [text for key, inner in value.items() for text in (str(key), *list_texts(inner))]
    if isinstance(value, list | tuple):
        return [text for inner in value for text in list_texts(inner)]
    return [value] if isinstance(value, str) else []


def pin_code(value: Any, folder: Path, permit: Permit) -> Any:
    """The *value* with the digest of each file of code that it names, which is run."""
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
    """The path and content of a file that a recipe names.

    A path counts from the *folder* of the recipe, else from where the user stands.

    Raises:
        BadValueError: It can't be read; *key* is where the recipe names it.
    """
    path = next((path for path in (folder / name, Path(name)) if path.is_file()), Path(name))
    try:
        return path, read_file(path, LARGEST)
    except OSError as error:
        raise BadValueError(f"{key}: {explain_unread(error, path)}") from None


def unpin_code(value: Any) -> Any:
    """The *value* as a file has it: with the places in which copies of the code lie."""
    if isinstance(value, dict):
        return {key: unpin_code(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [unpin_code(inner) for inner in value]
    file = find_file(value) if isinstance(value, str) else None
    return f"{CODE}/{file.path.name}:{value.rpartition(':')[2]}" if file else value


def copy_code(value: Any) -> dict[str, bytes]:
    """The files of code that a *value* names, by the path in the run where copies are to lie.

    Raises:
        BadValueError: Two files have the same name.
    """
    found: dict[str, bytes] = {}
    for text in list_texts(value):
        file = find_file(text)
        if file and found.setdefault(f"{CODE}/{file.path.name}", file.source) != file.source:
            raise BadValueError(f"two files of code are called {file.path.name}: rename one")
    return found
