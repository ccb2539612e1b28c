"""Files that are either whole or not there."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from runs.errors import StorageError

__all__ = ["explain_storage_errors", "is_leftover", "set_aside", "write_whole"]


OURS = r"recipe\.toml|champion\.safetensors|champion\.py|champion\.json|gen-\d+\.safetensors"
LEFTOVER = re.compile(rf"\.({OURS})\.[a-z0-9_]{{8}}")


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Writes *content* to *path* so that at any instant the old or the new file is there.

    The new one is written beside it, flushed to the disk and renamed. If it is *private*, nobody
    but the user may read it.

    Raises:
        StorageError: The disk is full or read-only; what stood at *path* is untouched.
    """
    with explain_storage_errors(path):
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o600 if private else 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name)
            raise
        _sync_folder(path.parent)


def is_leftover(path: Path) -> bool:
    """Whether *path* is what :func:`write_whole` leaves if it is killed on the way."""
    return LEFTOVER.fullmatch(path.name) is not None


def set_aside(path: Path) -> Path:
    """Renames a file that can't be used to a name that nothing here reads, and gives that."""
    with explain_storage_errors(path):
        return path.replace(path.with_name(f"{path.name}.unusable"))


@contextmanager
def explain_storage_errors(path: Path) -> Iterator[None]:
    """Turns the system's refusal to write at *path* into a :class:`StorageError`."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror or error}") from None


def _sync_folder(folder: Path) -> None:
    """Makes a rename in *folder* last, where the system lets folders be flushed."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
