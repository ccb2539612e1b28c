"""Export: turning a player into something that plays elsewhere."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.registry import load
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.players import bred
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.specification import read_settings, read_whole
from evolve_arena.runs.targets import TARGETS, check_target

if TYPE_CHECKING:
    from evolve_arena.runs.export.neat_python import ImportedPlayer

__all__ = ["TARGETS", "export_player", "look_ahead", "read_neat_file", "read_player_file"]

TEMPLATES = Path(__file__).with_name("templates")


def export_player(player: BredPlayer, target: str) -> str | bytes:
    """*player* as the content of a file for *target*, one of :data:`TARGETS`.

    Raises:
        UnknownNameError: There is no such target.
        BadValueError: The target is not for players of that kind.
    """
    content: str | bytes = load(check_target(target).writer)(player)
    return content


def look_ahead(player: BredPlayer, settings: str) -> BredPlayer:
    """The same *player*, looking as many plies ahead as *settings* say, ``depth=3`` for example.

    Raises:
        BadValueError: They say something else, or the player can't.
        UnknownNameError: There is no such setting.
    """
    if not settings:
        return player
    try:
        depth = read_settings("exported bots", settings, {"depth": read_whole})["depth"]
    except BadValueError as error:
        told = str(error).replace("player exported bots:", f"{player.name},")
        raise BadValueError(told) from None
    if not isinstance(player.game, BoardGame):
        raise BadValueError(f"{player.name}: bots in {player.game.name} look no farther ahead")
    decoder: Any = player.decoder
    found: BredPlayer = replace(decoder, depth=depth, rollouts=0).player(player.genome, player.name)
    found.remarks = player.remarks
    return found


MAIN = re.compile(r'^if __name__ == "__main__":\n    (\w+)\(\)\n', re.MULTILINE)
GUARDED = r"""if __name__ == "__main__":
    try:
        \1()
    except Exception as error:  # of what it was told it can make nothing
        sys.exit(" ".join(f"{type(error).__name__}: {error}".split())[:200])
"""
RULE = re.compile(r"^(?:#|//) --- (.+?) -+\n", re.MULTILINE)
WIDTH = 96
GAME = "How a game is played"
"""The section of Python files with which a program can play a game, of itself alone."""


def assemble(docstring: str, templates: Sequence[str], sections: Mapping[str, str]) -> str:
    """The source of a file with these *sections*, and what they import of the *templates*.

    As a program it ends with one line, without a traceback, if its host writes nonsense.
    """
    rules = "".join(f"{write_rule(title)}{text}" for title, text in sections.items())
    rules = MAIN.sub(GUARDED, rules)
    imports = _merge_imports(templates, rules)
    return f'#!/usr/bin/env python3\n"""{docstring}"""\n\n{imports}\n{rules}'


def read_template(place: Path | str) -> str:
    """The text of a file with sections to cut: a template by its name, or another by its path."""
    return (TEMPLATES / place).read_text(encoding="utf-8")


def cut(template: str) -> dict[str, str]:
    """The sections of a *template*, each without its ruled line, by their titles."""
    parts = RULE.split(template)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def wrap(text: str, indent: str = "") -> str:
    """The *text* in lines, of which those after the first are indented."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def write_name(name: str) -> str:
    """The *name* of a player as a docstring can hold it."""
    return ascii(" ".join(name.split()))[1:-1].replace('"', "'")


def write_rule(title: str, mark: str = "#") -> str:
    """The line with which a section of that *title* begins; the *mark* begins a comment."""
    return f"{mark} --- {title} ".ljust(92, "-") + "\n"


def _merge_imports(templates: Sequence[str], source: str) -> str:
    """The imports of all *templates* that the *source* needs, but for those of each other."""
    used = set(re.findall(r"\w+", source))
    modules: set[str] = set()
    names: dict[str, set[str]] = {}
    for node in (node for template in templates for node in ast.parse(template).body):
        if isinstance(node, ast.Import):
            modules.update(
                f"{alias.name} as {alias.asname}" if alias.asname else alias.name
                for alias in node.names
                if (alias.asname or alias.name) in used
            )
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(
            "evolve_arena."
        ):
            names.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
    future = f"from __future__ import {', '.join(names.pop('__future__'))}\n\n"
    names = {module: names[module] & used for module in names if names[module] & used}
    lines = [f"import {module}" for module in sorted(modules)]
    lines += [
        f"from {module} import {', '.join(sorted(names[module]))}" for module in sorted(names)
    ]
    return future + "\n".join(lines) + "\n"


LARGEST_JSON = 1 << 24
"""Bytes of neat-python's JSON: some 100,000 connections."""


def read_player_file(path: Path) -> BredPlayer:
    """The player in a file like ``champion.safetensors``.

    Raises:
        BadValueError: There is none.
    """
    with _naming(path, "player"):
        return bred.read_player_file(path, follow=True)


def read_neat_file(path: Path, **options: Any) -> ImportedPlayer:
    """The player in a file of neat-python's; *options* as `import_neat_python` takes them.

    Raises:
        BadValueError: There is none, or not with such options.
    """
    from evolve_arena.runs.export.neat_python import import_neat_python

    with _naming(path, "network that neat-python exported"):
        text = read_file(path, LARGEST_JSON).decode("utf-8")
        return import_neat_python(text, stem=path.stem, **options)


@contextmanager
def _naming(path: Path, kind: str) -> Iterator[None]:
    """Names *path* in errors, which is to hold a thing of that *kind*."""
    try:
        yield
    except OSError as error:
        raise BadValueError(f"{path}: {explain_unread(error, path)}") from None
    except UnicodeDecodeError:
        raise BadValueError(f"{path} is no {kind}: it is no text") from None
    except DamagedFileError as error:
        raise BadValueError(f"{path} is no {kind}: {error}") from None
    except ArenaError as error:
        raise BadValueError(f"{path}: {error}") from None
