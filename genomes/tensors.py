"""Files of named arrays and a description in the safetensors format, with a digest.

Weights of champions and checkpoints of runs are such files. Nothing in them can run code. The
header has the kind of the file, the version of its format and a SHA-256 of everything else;
:func:`read_tensors` accepts nothing that does not match.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.files import UnfitFileError, open_regular
from evolve_arena.core.types import Array, Arrays, JsonObject, Settings

PREFIX = "evolve-arena "
METADATA = "__metadata__"
"""Key of the metadata in a safetensors header."""
LONGEST_HEADER = 1 << 24
"""Most bytes of a header; runs write some thousands."""


class DamagedFileError(ArenaError):
    """Raised for a file that is cut, altered, or of another kind than expected."""


class NewerFormatError(ArenaError):
    """Raised for a file of a later version of this project."""


@dataclass(frozen=True)
class Tensors:
    """The contents of a tensors file."""

    arrays: Arrays
    """The arrays by name."""
    description: JsonObject
    """Everything that is not an array, JSON-able."""


def write_tensors(
    kind: str, version: int, arrays: Mapping[str, Array], description: Settings
) -> bytes:
    """Pack *arrays* and a JSON-able *description* into bytes, labelled as *kind* and *version*.

    Args:
        kind: Kind of the file, such as ``player`` or ``checkpoint``.
        version: Version of its format, from 0 to 999,999,999.
        arrays: Arrays by name, of types that safetensors knows.
        description: Everything that is no array.
    """
    text = json.dumps(description, sort_keys=True)
    ordered = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
    metadata = {
        "format": PREFIX + kind,
        "version": str(version),
        "description": text,
        "sha256": _digest(ordered, text),
    }
    return _sort_header(save(ordered, metadata))


def read_tensors(kind: str, version: int, blob: bytes) -> Tensors:
    """Return the contents of a *blob* of this *kind*, of any version up to *version*.

    Args:
        kind: Kind of the file, such as ``player`` or ``checkpoint``.
        version: Latest version of its format that is known.
        blob: Content of the file.

    Raises:
        DamagedFileError: The blob is not whole, or is of another kind.
        NewerFormatError: Its version is above *version*.
    """
    metadata = _check_version(kind, version, _read_header(blob))
    try:
        arrays = load(blob)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise DamagedFileError(f"its arrays are unreadable ({error})") from None
    text = metadata.get("description", "")
    if _digest({name: arrays[name] for name in sorted(arrays)}, text) != metadata.get("sha256"):
        raise DamagedFileError("its digest does not match its content")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise DamagedFileError("its description is unreadable")
    if "design" in values:  # the name of that part before version 0.1
        values["decoder"] = values.pop("design")
    return Tensors(arrays, values)


def read_blob(kind: str, version: int, path: Path, most: int, *, follow: bool = False) -> bytes:
    """Read the file *path* for :func:`read_tensors`; its header is checked first.

    Args:
        kind: The kind of file that is expected.
        version: The latest version of its format that is known.
        path: The file.
        most: Largest size in bytes.
        follow: Accept a symbolic link to such a file.

    Raises:
        OSError: It can't be read; ``strerror`` says why.
        DamagedFileError: It is larger than *most*, no regular file, of another kind, or not of the
            size that its header implies.
        NewerFormatError: Its version is above *version*.
    """
    try:
        file = open_regular(path, most, follow=follow)
    except UnfitFileError as error:
        raise DamagedFileError(str(error.strerror)) from None
    with file:
        # The header is checked before anything is allocated for the arrays.
        begin, header = _read_begin(file)
        _check_version(kind, version, header)
        size = len(begin) + _find_end(header)
        if size != os.fstat(file.fileno()).st_size:
            raise DamagedFileError("its size is not the one that its header says")
        file.seek(0)
        return file.read(size)


def is_newer_format(kind: str, version: int, path: Path) -> bool:
    """Return True if the file *path* is of this *kind*, in a format above *version*.

    Args:
        kind: Kind of the file, such as ``player`` or ``checkpoint``.
        version: Latest version of its format that is known.
        path: The file; False if it can't be read.
    """
    try:
        with open_regular(path, sys.maxsize) as file:
            _check_version(kind, version, _read_begin(file)[1])
    except NewerFormatError:
        return True
    except (OSError, DamagedFileError):
        pass
    return False


def _sort_header(blob: bytes) -> bytes:
    """Sort the keys of a blob's header, as the library writes its metadata in random order."""
    end = 8 + int.from_bytes(blob[:8], "little")
    header = json.dumps(json.loads(blob[8:end]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + blob[end:]


def _read_begin(file: BinaryIO) -> tuple[bytes, JsonObject]:
    """Return the beginning of a *file*, and the header in it."""
    length = file.read(8)
    begin = length + file.read(min(int.from_bytes(length, "little"), LONGEST_HEADER))
    return begin, _read_header(begin)


def _read_header(blob: bytes) -> JsonObject:
    """Return the header of a *blob*: eight bytes of length, then JSON (safetensors' format)."""
    length = int.from_bytes(blob[:8], "little")
    if len(blob) < 8 or length > len(blob) - 8:
        raise DamagedFileError("it is cut short")
    try:
        header = json.loads(blob[8 : 8 + min(length, LONGEST_HEADER)])
    except (ValueError, RecursionError):
        raise DamagedFileError("its header is unreadable") from None
    return header if isinstance(header, dict) else {}


def _find_end(header: JsonObject) -> int:
    """Return the number of bytes that follow a *header*, by its own offsets."""
    try:
        ends = [value["data_offsets"][1] for name, value in header.items() if name != METADATA]
        return max(map(int, ends), default=0)
    except (LookupError, TypeError, ValueError, OverflowError):
        raise DamagedFileError("its header is unreadable") from None


def _check_version(kind: str, version: int, header: JsonObject) -> dict[str, str]:
    """Return the metadata in a *header*; its *kind* must be this one, its *version* not later."""
    metadata = header.get(METADATA)
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise DamagedFileError("its header has no description")
    found = metadata.get("format", "")
    if found != PREFIX + kind:
        shown = found if len(found) <= 40 else f"{found[:40]}..."
        raise DamagedFileError(f"not a {kind} file" + (f" but {shown!r}" if found else ""))
    written = metadata.get("version", "")
    if not re.fullmatch("[0-9]{1,9}", written):
        raise DamagedFileError("its format's version is unreadable")
    if int(written) > version:
        raise NewerFormatError(
            f"written in format {int(written)}; this version of evolve reads up to {version}"
        )
    return metadata


def _digest(arrays: Mapping[str, Array], text: str) -> str:
    digest = hashlib.sha256(text.encode())
    for name, array in arrays.items():
        digest.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
