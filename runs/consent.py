"""Permission for the programs and Python files of recipes from other people.

A recipe is data, but a ``process:`` player in it is a command that would run with all rights of the
user, and so would a game in one file or a function of a file. So the user is asked. The answer is
remembered for one run in one place, in a private folder of the user that recipes and runs can't
write to. A Python file is identified by its content, which is read once, and is the content that is
run and copied; a program by its command and the folder in which it starts, since the system decides
what the command runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import platformdirs

from evolve_arena.core.files import is_private, make_private_folder
from evolve_arena.players.specification import NotPermittedError
from evolve_arena.runs.errors import StorageError
from evolve_arena.runs.recipes.code import Permit, refuse_files
from evolve_arena.runs.recipes.recipe import Recipe, run_id
from evolve_arena.runs.store.files import write_whole

Allow = bool | Callable[[str], bool]
"""Permission to run code that a file names, or a function that asks for it, given the command."""


def obtain(recipe: Recipe, allow: Allow, run: Path | None = None) -> Recipe:
    """Obtain permission for all programs that *recipe* names, and return it marked as trusted.

    Args:
        recipe: Any recipe.
        allow: Permission, or a function that asks for it.
        run: Directory of the recipe's run; commands that were permitted there need no permission.

    Raises:
        NotPermittedError: The user refuses, or can't be asked.
    """
    for command in recipe.foreign_programs:
        if allow is True or (run and _is_remembered(recipe.run.id, run, command, program=True)):
            continue
        if not callable(allow):
            recipe.check_permitted(command)
        elif not allow(command):
            raise NotPermittedError(f"nothing was started, as you did not allow {command}")
    return recipe.trust()


def remember(recipe: Recipe, run: Path) -> None:
    """Remember the permission of a trusted *recipe*'s programs in *run*, which exists."""
    files = [_name_file(Path(path), content) for path, content in recipe.files().items()]
    for command in [*recipe.programs, *files]:
        with suppress(OSError, RuntimeError, StorageError):  # then the user is asked again
            program = command not in files
            file, content = _note(recipe.run.id, run, command, program=program)
            make_private_folder(file.parent)
            write_whole(file, content, private=True)


def permit_files(allow: Allow, run: Path | None = None) -> Permit:
    """Return a function that raises NotPermittedError for Python files without permission.

    Args:
        allow: Permission, or a function that asks for it.
        run: Directory of the recipe's run; a file that was permitted there, and is the same now,
            needs no permission.

    """

    def permit(path: Path, source: bytes, what: str) -> None:
        command = _name_file(Path(what, path.name), source)
        if allow is True or (run and _is_remembered(run_id(run / "recipe.toml"), run, command)):
            return
        if not callable(allow):
            refuse_files(path, source, what)
        elif not allow(command):
            raise NotPermittedError(f"nothing was started, as you did not allow {path}")

    return permit


def _name_file(path: Path, content: bytes) -> str:
    """Return the description of a file in notes: its folder in the run, its name and its hash."""
    return f"the {path.parent.name} {path.name} (SHA-256 {hashlib.sha256(content).hexdigest()})"


def ask_at_terminal(command: str) -> bool:
    """Display *command* and ask for a yes; anything else means no."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in command)
    print(
        "The recipe names a program or Python code. It would run here, with all"
        " your rights:"
        f"\n\n    {shown}\n\nLet it run? [y/N] ",
        end="",
        file=sys.stderr,
        flush=True,
    )
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        print(file=sys.stderr)
    return answer.strip().lower() in ("y", "yes")


def _is_remembered(identity: str | None, run: Path, command: str, *, program: bool = False) -> bool:
    with suppress(OSError, RuntimeError):
        return is_private(_note(identity, run, command, program=program)[0])
    return False


def _note(id_of_run: str | None, run: Path, command: str, *, program: bool) -> tuple[Path, bytes]:
    """Return the path and content of the note that permits *command* in *run*.

    The note of a *program* includes the folder in which it starts: ``sh bot.sh`` is another program
    elsewhere. The run's id and the inode of its folder are included as well, so that a run that was
    moved, or replaced by another, needs a permission of its own.
    """
    home = platformdirs.user_state_dir("evolve-arena")
    if home.startswith("~"):  # older versions of platformdirs find no home and do not say so
        raise RuntimeError("the user has no home folder")
    identity = [id_of_run, run.stat().st_ino]
    note = {"run": os.path.realpath(run), "identity": identity, "command": command}
    if program:
        note["folder"] = os.getcwd()
    content = json.dumps(note, indent=2).encode()
    folder = Path(os.path.realpath(home)) / "allowed"
    return folder / f"{hashlib.sha256(content).hexdigest()}.json", content
