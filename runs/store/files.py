"""Atomic writing of files, without replacing files that are not ours."""

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

from evolve_arena.core.errors import spell
from evolve_arena.core.files import describe_special, read_file
from evolve_arena.runs.errors import RunExistsError, StorageError

OURS = r"recipe\.toml|champion\.safetensors|champion\.py|champion\.json|gen-[0-9]+\.safetensors"
LEFTOVER = re.compile(rf"\.({OURS})\.[a-z0-9_]{{8}}")
TRIES, PAUSE = 40, 0.05
"""Number of attempts to rename a file, and the seconds between them."""

RECORD = ".exported.json"
"""File beside exports with their SHA-256 by name. Like most exports, it stays when another run
replaces this one."""
LARGEST_RECORD, LARGEST_FILE = 1 << 16, 1 << 30

Guard = Callable[[], None]
"""Function that raises an error if the caller may no longer write files."""


def write_whole(
    path: Path, content: bytes, guard: Guard | None = None, *, private: bool = False
) -> None:
    """Write *content* to *path* atomically; see :func:`open_whole`.

    Args:
        path: Path of the file; a regular file, or a link, is replaced.
        content: Content of the file.
        guard: Function that is called before the file is written, and raises an error to prevent
            it.
        private: True to make the file readable by the user alone.

    Raises:
        StorageError: The disk is full or read-only, or *path* is not a regular file.
    """
    with open_whole(path, guard, private=private) as file:
        file.write(content)


@contextmanager
def open_whole(
    path: Path, guard: Guard | None = None, *, private: bool = False
) -> Iterator[BinaryIO]:
    """Open a new file that replaces *path* once it is complete.

    It is written beside *path*, flushed to the disk and renamed. A symbolic link at *path* is
    replaced, and its target is not touched.

    Args:
        path: Path of a regular file, of a link to one or to nothing, or of nothing.
        guard: Function that is called when the folder is open: even if the folder is renamed
            afterwards, the file goes into the folder that the guard saw.
        private: True to make it readable by the user alone.

    Raises:
        StorageError: The disk is full or read-only, or *path* is not a regular file; it is
            untouched then.
    """
    with explain_storage_errors(path), _open_folder(path.parent) as folder:
        if guard:
            guard()
        _refuse_special(path)
        # Use a name that `is_leftover` recognises; exclusively, so that no link is followed.
        name = _inside(folder, path.with_name(f".{path.name}.{secrets.token_hex(4)}"))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(name, flags, 0o600 if private else 0o666, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())  # the content reaches the disk before the name
            _replace(name, _inside(folder, path), folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            raise
        if folder is not None:
            os.fsync(folder)  # so that the rename lasts


def check_free(path: Path, *, force: bool) -> None:
    """Make sure that the user's output file may be written.

    Raises:
        RunExistsError: *path* exists, and *force* is False.
        StorageError: *path* is not a regular file, so that it can't be replaced.
    """
    with explain_storage_errors(path):
        _refuse_special(path)
    if path.is_symlink() and not force:
        raise RunExistsError(
            f"{path} is a symbolic link: choose another {spell('--out', 'path')}, or replace the"
            f" link (not the file that it leads to) with {spell('--force', 'force=True')}"
        )
    if path.exists() and not force:
        out, force_it = spell("--out", "path"), spell("--force", "force=True")
        raise RunExistsError(f"{path} exists: choose another {out}, or replace it with {force_it}")


def _refuse_special(path: Path) -> None:
    if kind := describe_special(path, follow=True):
        raise StorageError(f"{path} can't be written: it is {kind}, and no regular file")


def is_leftover(path: Path) -> bool:
    """Test whether *path* may be left by :func:`open_whole` in a killed process."""
    return LEFTOVER.fullmatch(path.name) is not None


def set_aside(path: Path, why: str = "unusable") -> Path:
    """Rename an unusable file to a free name that is never read, and return that path.

    Raises:
        StorageError: It can't be renamed.
    """
    aside, number = path.with_name(f"{path.name}.{why}"), 1
    with explain_storage_errors(path):
        while os.path.lexists(aside):
            number += 1
            aside = path.with_name(f"{path.name}.{why}-{number}")
        return path.rename(aside)


@contextmanager
def explain_storage_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of writing at *path* into a :class:`StorageError`.

    Raises:
        StorageError: The block raised an OSError.
    """
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror or error}") from None


@contextmanager
def _open_folder(folder: Path) -> Iterator[int | None]:
    """Open a descriptor of *folder*; None where the system has none for folders."""
    if os.open not in os.supports_dir_fd:
        yield None
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _replace(name: str, path: str, folder: int | None) -> None:
    """Rename a file to *path*, which Windows refuses while another process reads *path*."""
    for left in reversed(range(TRIES)):
        try:
            os.replace(name, path, src_dir_fd=folder, dst_dir_fd=folder)
            return
        except PermissionError:
            if folder is not None or not left:
                raise
            time.sleep(PAUSE)


def _inside(folder: int | None, path: Path) -> str:
    """Return *path* relative to the descriptor of its folder, if there is one."""
    return str(path) if folder is None else path.name


def write_export(file: Path, content: bytes, *, force: bool) -> None:
    """Write *content* to a *file* of a run, and record its digest in :data:`RECORD`.

    It replaces an older export unless that was edited. A file without a recorded digest, such as an
    export of an older version, counts as edited unless it equals *content*.

    Args:
        file: Path of the file; a link is replaced itself.
        content: Exported player.
        force: True to replace an edited file.

    Raises:
        RunExistsError: The file was edited, and *force* is False.
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
    """Return the SHA-256 of a file; None for a missing file, or a link, which would be replaced."""
    if file.is_symlink() or not file.exists():
        return None
    return hashlib.sha256(read_file(file, LARGEST_FILE, follow=False)).hexdigest()


def _read_record(record: Path) -> dict[str, str]:
    try:
        content = json.loads(read_file(record, LARGEST_RECORD, follow=False))
        return {str(name): str(digest) for name, digest in content.items()}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
