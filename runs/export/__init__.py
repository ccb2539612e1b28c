"""Export: turning a player into something that plays elsewhere. Each game says how."""

from __future__ import annotations

import ast
import base64
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.registry import find_game, load
from evolve_arena.genomes import network
from evolve_arena.genomes.mlp import MLP
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.players import bred
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.specification import read_settings, read_whole
from evolve_arena.runs.targets import TARGETS, check_target

if TYPE_CHECKING:
    from evolve_arena.runs.export.neat_python import ImportedPlayer

__all__ = [
    "TARGETS",
    "NotedText",
    "export_player",
    "find_exporter",
    "look_ahead",
    "read_neat_file",
    "read_player_file",
]


class NotedText(str):
    """The text of a file, and what who exports it should know of it."""

    notes: Sequence[str] = ()
    """Each is a line."""


def export_player(player: BredPlayer, target: str) -> str | bytes:
    """*player* as the content of a file for *target*, one of :data:`TARGETS`.

    Raises:
        UnknownNameError: There is no such target.
        BadValueError: The target is not for players of that kind.
    """
    place = find_exporter(player.game.name, target)
    if place:
        content: str | bytes = load(place)(player)
        return content
    exporters = find_game(player.game.name).exporters
    offered = next(iter(exporters), "")
    if offered:
        load(exporters[offered])(player)  # or it tells why there is no way at all
    hint = (
        f" to {target}: export it with --to {offered}"
        if offered
        else " yet: name its champion.safetensors as file:PATH wherever a player is asked for"
    )
    raise BadValueError(f"{player.name} plays {player.game.name}, which can't be exported{hint}")


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
    if not hasattr(player.decoder, "depth"):
        raise BadValueError(f"{player.name}: bots in {player.game.name} look no farther ahead")
    changes = {"rollouts": 0} if hasattr(player.decoder, "rollouts") else {}
    decoder = replace(player.decoder, depth=depth, **changes)
    found: BredPlayer = decoder.player(player.genome, player.name)
    found.remarks = player.remarks
    return found


def find_exporter(game: str, target: str) -> str:
    """Where it is found what writes players of *game* for *target*; empty if nothing does.

    Raises:
        UnknownNameError: There is no such target.
    """
    found = check_target(target)
    return find_game(game).exporters.get(target, found.writer)


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


def assemble(docstring: str, templates: tuple[str, ...], sections: Mapping[str, str]) -> str:
    """The source of a file with these *sections*, and what they import of the *templates*.

    As a program it ends with one line, without a traceback, if its host writes nonsense.
    """
    rules = "".join(f"{write_rule(title)}{text}" for title, text in sections.items())
    rules = MAIN.sub(GUARDED, rules)
    imports = _merge_imports(templates, rules)
    return f'#!/usr/bin/env python3\n"""{docstring}"""\n\n{imports}\n{rules}'


def read_template(path: Path) -> str:
    """The text of a file with sections to cut."""
    return path.read_text(encoding="utf-8")


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


def write_base64(data: bytes) -> str:
    """The *data* as lines of text."""
    return base64.encodebytes(data).decode("ascii")


def write_rule(title: str, mark: str = "#") -> str:
    """The line with which a section of that *title* begins; the *mark* begins a comment."""
    return f"{mark} --- {title} ".ljust(92, "-") + "\n"


def _merge_imports(templates: tuple[str, ...], source: str) -> str:
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


LAYERS = Path(__file__).with_name("templates") / "mlp.py"
"""What evaluates multilayer perceptrons."""


@dataclass(frozen=True)
class NetworkSource:
    """A network, ready to be written down."""

    templates: tuple[Path, ...]
    """The files that evaluate such networks."""
    constants: str
    """The lines that define it, in place of those in the template's section of the network."""
    description: tuple[str, ...]
    """What it is, in lines for the file's docstring."""
    remark: str = ""
    """What else a reader of that docstring should know: a sentence."""

    def sections(self) -> dict[str, str]:
        """What stands in the templates, by title, but for "The network" and the like."""
        found: dict[str, str] = {}
        for template in self.templates:
            for title, text in cut(read_template(template)).items():
                found.setdefault(title, text)
        return {title: text for title, text in found.items() if not title.startswith("The ")}


def later_layers(sizes: Sequence[int], genome: NDArray[np.float32]) -> NDArray[np.float32]:
    """Layer by layer the biases, then one row per unit of the layer before; flat.

    *sizes* are those of all layers, *genome* has all weights of the network.
    """
    at = (sizes[0] + 1) * sizes[1]
    parts = [np.zeros(0, dtype=np.float32)]
    for before, after in pairwise(sizes[1:]):
        weights = genome[at : at + before * after]
        at += (before + 1) * after
        parts += [genome[at - after : at], weights]
    return np.concatenate(parts)


def write_layers(head: str, mlp: MLP, genome: NDArray[np.float32]) -> str:
    """What a network does behind its first layer, as lines that define it.

    Args:
        head: What its output is for.
        mlp: Its structure.
        genome: All its weights.
    """
    later = later_layers(mlp.sizes, genome)
    return f'''\
HEAD = "{head}"
ACTIVATION = "{mlp.activation}"
# How many units each layer after the inputs has.
UNITS = {mlp.sizes[1:]!r}
# Biases, then a row of weights per unit of the layer before; and so on: base64 of float32.
LATER_LAYERS = """
{write_base64(later.astype("<f4").tobytes())}"""
# Constants of the activation function, rounded to 32 bits.
SCALE = {SCALE!r}
POLYNOMIAL = (
{POLYNOMIAL})
'''


SCALE = {"sigmoid": float(network.SIGMOID_SCALE), "tanh": float(network.TANH_SCALE)}
POLYNOMIAL = "".join(
    f"    {float(coefficient)!r},\n"
    for coefficient in (network.P5, network.P4, network.P3, network.P2, network.P1, network.P0)
)
