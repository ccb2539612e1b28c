"""Files of others: endless ones, none at all, and names that no file has."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from evolve_arena.core.files import check_regular, read_file
from tests.special import make_special


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


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder"])
@pytest.mark.parametrize("linked", [False, True])
def test_what_is_no_regular_file_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, linked: bool
) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    file = Path("special")
    if kind == "device":
        file = Path(os.devnull)
    else:
        make_special(file, kind)
    if linked:
        Path("link").symlink_to(file)
        file = Path("link")
    with pytest.raises(OSError, match=f"it is a {kind}, and no regular file"):
        read_file(file, 10_000)
    with pytest.raises(OSError, match=f"it is a {'symbolic link' if linked else kind}"):
        check_regular(file, 10_000)


def test_a_pipe_that_takes_the_files_place_before_it_is_opened_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, open_really = tmp_path / "file", os.open
    file.write_bytes(b"content")

    def replace(name: str, flags: int, *more: int) -> int:
        file.unlink()
        os.mkfifo(file)
        return open_really(name, flags, *more)

    monkeypatch.setattr(os, "open", replace)
    with pytest.raises(OSError, match="it is a pipe"):
        read_file(file, 10)


def test_a_link_is_followed_only_where_it_may_be(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"content")
    link.symlink_to(file)
    assert read_file(link, 10) == b"content"
    check_regular(link, 10, follow=True)
    with pytest.raises(OSError, match="it is a symbolic link"):
        read_file(link, 10, follow=False)
    with pytest.raises(OSError, match="larger than 6 bytes"):
        check_regular(file, 6)
    check_regular(file, 7)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "n" * 300, "loop", "nowhere", "folder"])
def test_names_of_no_file_are_the_systems_refusal(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError) as refused:  # noqa: PT011
        read_file(tmp_path / name, 10)
    assert refused.value.strerror
