"""Export of players to formats that play outside Evolve Arena, and reading players from files."""

from __future__ import annotations

import ast
import base64
import re
import textwrap
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.registry import load
from evolve_arena.evolve.learning.tuple_pruning import TuplePruning
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.players import evolved
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.specification import read_settings, read_whole
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.targets import TARGETS, check_target

if TYPE_CHECKING:
    from evolve_arena.runs.export.neat_python import ImportedPlayer

__all__ = [
    "TARGETS",
    "export_player",
    "look_ahead",
    "read_neat_file",
    "read_player_file",
    "shorten",
]

ROUNDED_TO = [2.0**-power for power in range(12, 0, -1)]
"""Numbers to whose multiples weights are rounded, one after the other, until a file is short."""
TEMPLATES = Path(__file__).with_name("templates")


def export_player(player: EvolvedPlayer, target: str) -> str | bytes:
    """Return *player* as the content of a file for *target*, one of :data:`TARGETS`.

    Raises:
        UnknownNameError: There is no such target.
        BadValueError: The target does not take players of that kind.
    """
    content: str | bytes = load(check_target(target).writer)(player)
    return content


def shorten(
    player: EvolvedPlayer,
    target: str,
    limit: int | None,
    report: Callable[[float], object] = float,
) -> tuple[str | bytes, str]:
    """Return *player* as a file of at most *limit* characters, and what was lost by that.

    What changes least comes first: the program is compressed, then weights of a tuple network are
    rounded, then most of them dropped and the others fitted, which takes minutes. A file with other
    weights may choose other moves than *player*.

    Args:
        player: Player to export.
        target: One of :data:`TARGETS`.
        limit: Maximum number of characters, or of bytes if the file is no text; None: no limit.
        report: Is told the share that is done while weights are fitted, from 0 to 1.

    Returns:
        Content of the file; and a sentence about its weights, empty if they are exact.

    Raises:
        UnknownNameError: There is no such target.
        BadValueError: The target does not take players of that kind, or the file would be longer.
    """
    content = export_player(player, target)
    if limit is None or len(content) <= limit:
        return content, ""

    def write(other: EvolvedPlayer) -> str | bytes:
        written = export_player(other, target)
        return pack(written) if isinstance(written, str) and is_python else written

    is_python = TARGETS[target].suffix.endswith(".py")
    shortest = write(player)
    if len(shortest) <= limit:
        return shortest, ""
    packed = f", {len(shortest):,} if compressed" if len(shortest) < len(content) else ""
    has = f"{player.name} as {target} has {len(content):,} characters{packed}"
    told = f"{has}; the limit is {limit:,}"
    if not isinstance(player, TuplePlayer):
        raise BadValueError(f"{told}: only weights of tuple networks can be rounded or dropped")
    weights = player.arrays["tables"]
    mean = abs(weights[weights != 0.0]).mean() if weights.any() else 0.0
    for step in (step for step in ROUNDED_TO if step <= mean / 2):
        shortest = write(player.round(step))
        if len(shortest) <= limit:
            return shortest, f"weights are rounded to multiples of {step:g}"
    pruning = TuplePruning(player, report=report)
    if small := pruning.shrink(lambda one: len(write(one)), limit):
        kept = f"{pruning.size:,} of {np.count_nonzero(weights):,} weights are kept"
        return write(small), f"{kept}, as multiples of {pruning.unit:g}, fitted to values of all"
    raise BadValueError(
        f"{told}, and still {len(shortest):,} with rounded weights: breed one with fewer or shorter"
        " tuples"
    )


def pack(source: str) -> str:
    """Return a program that has the Python *source* of an exported bot compressed, and runs it.

    Switches that the docstring tells the user to set stay readable: lines ``NAME = False`` for
    "set NAME below".
    """
    docstring, _, rest = source.partition('"""\n\n')
    switches = ""
    for name in re.findall(r"set (\w+)\s+below", docstring):
        if line := re.search(rf"^{name} = False\n", rest, re.MULTILINE):
            switches += line[0] + "\n"
            rest = rest[: line.start()] + rest[line.end() :]
    packed = base64.b85encode(zlib.compress(rest.encode(), 9)).decode("ascii")
    return f'''{docstring}"""

import base64
import zlib

{switches}# The bot, compressed so that the file is short: print(SOURCE) shows it.
SOURCE = zlib.decompress(base64.b85decode("".join("""
{textwrap.fill(packed, WIDTH)}
""".split()))).decode()
exec(SOURCE)
'''


def look_ahead(player: EvolvedPlayer, settings: str) -> EvolvedPlayer:
    """Return a copy of *player* with the search depth of *settings*, such as ``depth=3``.

    Raises:
        BadValueError: The settings are malformed, or the player can't search.
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
    decoder = replace(player.decoder, depth=depth, rollouts=0)
    found: EvolvedPlayer = decoder.player(player.genome, player.name)
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
"""Title of the section of exported Python files with which a program can play whole games."""


def assemble(docstring: str, templates: Sequence[str], sections: Mapping[str, str]) -> str:
    """Assemble a Python file from *sections*, with those imports of *templates* that they need.

    If the file is run as a program and its input is malformed, it exits with one line of error,
    without a traceback.

    Args:
        docstring: Docstring of the file, without its quotation marks.
        templates: Python sources with the imports that the sections may need; at least one imports
            from ``__future__``.
        sections: Sources of the file's sections by title, in their order in the file.
    """
    rules = "".join(f"{write_rule(title)}{text}" for title, text in sections.items())
    rules = MAIN.sub(GUARDED, rules)
    imports = _merge_imports(templates, rules)
    return f'#!/usr/bin/env python3\n"""{docstring}"""\n\n{imports}\n{rules}'


def read_template(place: Path | str) -> str:
    """Return the text of a template, by its name, or of another file with sections, by its path."""
    return (TEMPLATES / place).read_text(encoding="utf-8")


def cut(template: str) -> dict[str, str]:
    """Return the sections of a *template* by title, without the ruled lines that separate them."""
    parts = RULE.split(template)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def wrap(text: str, indent: str = "") -> str:
    """Wrap *text* into lines; all lines but the first begin with *indent*."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def write_name(name: str) -> str:
    """Return the *name* of a player in a form that is safe in a docstring."""
    written = ascii(" ".join(name.split()))[1:-1].replace('"', "'")
    # From Python 3.13 on no docstring can have half of a surrogate pair, however it is written.
    return re.sub(r"(\\\\)|\\(?=ud[89a-f])", lambda found: found[1] or r"\\", written)


def write_rule(title: str, mark: str = "#") -> str:
    """Return the ruled line that begins the section *title*; *mark* begins a comment."""
    return f"{mark} --- {title} ".ljust(92, "-") + "\n"


def _merge_imports(templates: Sequence[str], source: str) -> str:
    """Return the import lines of *templates* that *source* needs, without those of Evolve Arena."""
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
"""Maximum bytes of neat-python's JSON: some 100,000 connections."""


def read_player_file(path: Path) -> EvolvedPlayer:
    """Return the player in a file like ``champion.safetensors``.

    Raises:
        BadValueError: The file is missing or holds no player.
    """
    with _naming(path, "player"):
        return evolved.read_player_file(path, follow=True)


def read_neat_file(path: Path, **options: Any) -> ImportedPlayer:
    """Return the player in a JSON file of neat-python; *options* are those of `import_neat_python`.

    Raises:
        BadValueError: The file is missing or holds no network that fits the options.
    """
    from evolve_arena.runs.export.neat_python import import_neat_python

    with _naming(path, "network that neat-python exported"):
        text = read_file(path, LARGEST_JSON).decode("utf-8")
        return import_neat_python(text, stem=path.stem, **options)


@contextmanager
def _naming(path: Path, kind: str) -> Iterator[None]:
    """Turn errors of reading a file into a BadValueError with its *path* and expected *kind*."""
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
