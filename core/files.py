"""Reading files that somebody else may have written, and that need not be what they seem."""

from __future__ import annotations

import errno
import os
from pathlib import Path

PART = 1 << 20


def read_file(path: Path, most: int) -> bytes:
    """The content of a file of at most *most* bytes; a larger one, endless perhaps, is not kept.

    Raises:
        OSError: It is larger, or can't be read, or no file can have such a name; ``strerror``
            says why.
    """
    try:
        file = path.open("rb")
    except ValueError as error:  # a NUL, or a letter that file names can't be written with
        raise OSError(errno.EINVAL, f"no file has such a name ({error})") from None
    parts = []
    left = most
    with file:
        if os.fstat(file.fileno()).st_size <= most:
            while part := file.read(min(PART, left + 1)):
                parts.append(part)
                left -= len(part)
                if left < 0:
                    break
            else:
                return b"".join(parts)
    raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
