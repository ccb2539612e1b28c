"""Files from which players come; whatever is wrong with one, the error names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.files import read_file
from evolve_arena.core.registry import find_game, load, usual_game
from evolve_arena.genomes.tensors import DamagedFileError
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.storage import LARGEST, read_player

LARGEST_JSON = 1 << 24
"""Bytes of neat-python's JSON: some 100,000 connections."""


def read_player_file(path: Path) -> BredPlayer:
    """The player in a file like ``champion.safetensors``.

    Raises:
        BadValueError: There is none.
    """
    with _naming(path, "player"):
        return read_player(read_file(path, LARGEST))


def read_neat_file(
    path: Path,
    *,
    name: str | None = None,
    head: str | None = None,
    encoding: str | None = None,
    viewpoint: str | None = None,
) -> Any:
    """The player in a file of neat-python's, as the usual game reads it.

    Raises:
        BadValueError: There is none, or not with such a head or encoding.
    """
    with _naming(path, "network that neat-python exported"):
        spec = find_game(usual_game())
        return load(spec.importers["neat-python"])(
            read_file(path, LARGEST_JSON).decode("utf-8"),
            name=name,
            head=head,
            encoding=encoding,
            viewpoint=viewpoint,
            stem=path.stem,
        )


@contextmanager
def _naming(path: Path, kind: str) -> Iterator[None]:
    """Names *path* in errors, which is to hold a thing of that *kind*."""
    try:
        yield
    except OSError as error:
        raise BadValueError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadValueError(f"{path} is no {kind}: it is no text") from None
    except DamagedFileError as error:
        raise BadValueError(f"{path} is no {kind}: {error}") from None
    except ArenaError as error:
        raise BadValueError(f"{path}: {error}") from None
