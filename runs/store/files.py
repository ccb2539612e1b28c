"""Files that are either whole or not there, and that take no other file's place."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from evolve_arena.core.files import describe_special, read_file
from evolve_arena.runs.errors import RunExistsError, StorageError

OURS = r"recipe\.toml|champion\.safetensors|champion\.py|champion\.json|gen-[0-9]+\.safetensors"
LEFTOVER = re.compile(rf"\.({OURS})\.[a-z0-9_]{{8}}")
TRIES, PAUSE = 40, 0.05
"""How often a file is renamed that can't be, and the seconds in between."""

RECORD = ".exported.json"
"""Beside the files: their SHA-256 by name. It stays when another run takes the place of this one,
as most of the files do."""
LARGEST_RECORD, LARGEST_FILE = 1 << 16, 1 << 30

Guard = Callable[[], None]
"""Raises an error if nothing may be written any more."""


def write_whole(
    path: Path, content: bytes, guard: Guard | None = None, *, private: bool = False
) -> None:
    """Writes *content* to *path* so that at any instant the old or the new file is there.

    See :func:`open_whole`.
    """
    with open_whole(path, guard, private=private) as file:
        file.write(content)


@contextmanager
def open_whole(
    path: Path, guard: Guard | None = None, *, private: bool = False
) -> Iterator[BinaryIO]:
    """A new file that takes the place of *path* once all is written to it.

    It is written beside it, flushed to the disk and renamed. A symbolic link at *path* is
    replaced itself: the file that it leads to stays as it is.

    Args:
        path: Nothing may be there, or a regular file, or a link to one or to nothing.
        guard: Is called when the folder is open: whatever happens to the folder's name
            afterwards, what is written goes into the folder that the guard saw.
        private: Whether nobody but the user may read it.

    Raises:
        StorageError: The disk is full or read-only, or at *path* is no regular file; what stood
            there is untouched.
    """
    with explain_storage_errors(path), _open_folder(path.parent) as folder:
        if guard:
            guard()
        _refuse_special(path)
        name = _inside(folder, path.with_name(f".{path.name}.{secrets.token_hex(4)}"))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(name, flags, 0o600 if private else 0o666, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            _replace(name, _inside(folder, path), folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            raise
        if folder is not None:
            os.fsync(folder)  # so that the rename lasts


def check_free(path: Path, *, force: bool) -> None:
    """Makes sure that a file that somebody named as an output may be written.

    Raises:
        RunExistsError: Something is there, and *force* is false.
        StorageError: What is there is no regular file, so that it can't be replaced.
    """
    with explain_storage_errors(path):
        _refuse_special(path)
    if path.is_symlink() and not force:
        raise RunExistsError(
            f"{path} is a symbolic link: choose another --out, or replace the link (not the file"
            " that it leads to) with --force"
        )
    if path.exists() and not force:
        raise RunExistsError(f"{path} exists: choose another --out, or replace it with --force")


def _refuse_special(path: Path) -> None:
    if kind := describe_special(path, follow=True):
        raise StorageError(f"{path} can't be written: it is {kind}, and no regular file")


def is_leftover(path: Path) -> bool:
    """Whether *path* is what :func:`open_whole` leaves if it is killed on the way."""
    return LEFTOVER.fullmatch(path.name) is not None


def set_aside(path: Path, why: str = "unusable") -> Path:
    """Renames what can't be used to a free name that nothing here reads, and gives that."""
    aside, number = path.with_name(f"{path.name}.{why}"), 1
    with explain_storage_errors(path):
        while os.path.lexists(aside):
            number += 1
            aside = path.with_name(f"{path.name}.{why}-{number}")
        return path.rename(aside)


@contextmanager
def explain_storage_errors(path: Path) -> Iterator[None]:
    """Turns the system's refusal to write at *path* into a :class:`StorageError`."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror or error}") from None


@contextmanager
def _open_folder(folder: Path) -> Iterator[int | None]:
    """A descriptor of *folder*; None where the system has none for folders."""
    if os.open not in os.supports_dir_fd:
        yield None
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _replace(name: str, path: str, folder: int | None) -> None:
    """Renames a file, which Windows refuses as long as somebody reads the one at *path*."""
    for left in reversed(range(TRIES)):
        try:
            os.replace(name, path, src_dir_fd=folder, dst_dir_fd=folder)
            return
        except PermissionError:
            if folder is not None or not left:
                raise
            time.sleep(PAUSE)


def _inside(folder: int | None, path: Path) -> str:
    """How *path* is called beside the descriptor of its folder."""
    return str(path) if folder is None else path.name


def write_export(file: Path, content: bytes, *, force: bool) -> None:
    """Writes *content* to a *file* of a run, and notes its digest in :data:`RECORD`.

    It replaces an older export unless somebody has edited that. A file of which no digest is known,
    such as one that an older version has exported, counts as edited unless it is what would be
    written anyway.

    Args:
        file: Where; a link is replaced itself.
        content: The exported player.
        force: Whether to replace what was edited.

    Raises:
        RunExistsError: The file was edited, and *force* is false.
        StorageError: It can't be written.
    """
    record = file.with_name(RECORD)
    known = _read_record(record)
    new = hashlib.sha256(content).hexdigest()
    if not force and _digest(file) not in (None, new, known.get(file.name)):
        raise RunExistsError(
            f"{file} was edited since it was exported, or another version has exported it:"
            " choose another --out, or replace it with --force"
        )
    write_whole(file, content)
    known[file.name] = new
    write_whole(record, json.dumps(known, indent=1).encode())


def _digest(file: Path) -> str | None:
    """The SHA-256 of what lies there; None if nothing does, or a link that is replaced itself."""
    if file.is_symlink() or not file.exists():
        return None
    return hashlib.sha256(read_file(file, LARGEST_FILE, follow=False)).hexdigest()


def _read_record(record: Path) -> dict[str, str]:
    try:
        content = json.loads(read_file(record, LARGEST_RECORD, follow=False))
        return {str(name): str(digest) for name, digest in content.items()}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
