"""Exported files in a run, which are replaced by new exports unless somebody has edited them.

The run keeps a digest of each, in :data:`RECORD`. A file of which it knows none, such as one that
an older version has exported, counts as edited unless it is what would be written anyway.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from evolve_arena.core.files import read_file
from evolve_arena.runs.errors import RunExistsError
from evolve_arena.runs.store.files import write_whole

RECORD = ".exported.json"
"""Beside the files: their SHA-256 by name. It stays when another run takes the place of this one,
as most of the files do."""
LARGEST_RECORD, LARGEST_FILE = 1 << 16, 1 << 30


def write_export(file: Path, content: bytes, *, force: bool) -> None:
    """Writes *content* to a *file* of a run, and notes its digest.

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
