"""Files of others: endless ones, none at all, and names that no file has."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from evolve_arena.core.files import read_file


def test_a_file_that_is_not_too_large_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for content in (b"", b"1234567890"):
        file.write_bytes(content)
        assert read_file(file, 10) == content


def test_a_larger_one_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345678901")
    with pytest.raises(OSError, match="larger than 10 bytes"):
        read_file(file, 10)
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(OSError, match="larger than 1,000 bytes") as refused:
        read_file(file, 1000)
    assert refused.value.errno == errno.EFBIG


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_one_without_an_end_is_read_no_further_than_allowed(tmp_path: Path) -> None:
    file = tmp_path / "fifo"
    os.mkfifo(file)
    written = 0

    def write_for_ever() -> None:
        nonlocal written
        with file.open("wb", buffering=0) as endless:
            try:
                while True:
                    written += endless.write(bytes(4096)) or 0
            except BrokenPipeError:
                return

    writer = threading.Thread(target=write_for_ever)
    writer.start()
    with pytest.raises(OSError, match="larger than 10,000 bytes"):
        read_file(file, 10_000)
    writer.join()
    assert written < 1_000_000


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "n" * 300, "loop", "nowhere", "folder"])
def test_names_of_no_file_are_the_systems_refusal(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError) as refused:  # noqa: PT011
        read_file(tmp_path / name, 10)
    assert refused.value.strerror
