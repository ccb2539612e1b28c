"""Files of others, endless ones or none at all, and folders that no other user can change."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from evolve_arena.core.files import check_regular, is_private, make_private_folder, read_file
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


# --- folders that nobody else can change -----------------------------------------------------


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")


def test_what_is_made_is_private_with_all_that_was_missing_above_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private_folder(tmp_path / "one/two")
    finally:
        os.umask(before)
    assert is_private(tmp_path / "one/two")
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o700
    make_private_folder(tmp_path / "one/two")


def test_a_folder_that_others_may_read_is_closed(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    make_private_folder(tmp_path / "open")
    assert (tmp_path / "open").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_one_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(PermissionError, match="open could be changed by another user"):
        make_private_folder(folder)
    assert folder.stat().st_mode & 0o777 == mode


def test_a_sticky_folder_above_is_no_danger(tmp_path: Path) -> None:
    above, folder = tmp_path / "shared", tmp_path / "shared/own"
    folder.mkdir(mode=0o700, parents=True)
    for mode, private in ((0o1777, True), (0o777, False), (0o755, True)):
        above.chmod(mode)
        assert is_private(folder) is private


@needs_root
def test_what_other_users_own_is_not_private_nor_what_lies_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "above/own"
    folder.mkdir(parents=True)
    assert is_private(folder)
    os.chown(tmp_path / "above", 12345, -1)
    assert not is_private(folder)
    os.chown(tmp_path / "above", 0, -1)
    os.chown(folder, 12345, -1)
    assert not is_private(folder)


@needs_root
def test_a_group_of_the_user_alone_may_write_above(tmp_path: Path) -> None:
    """As on systems that give each user a group of his own, and a umask of 002."""
    folder = tmp_path / "above/own"
    folder.mkdir(parents=True)
    (tmp_path / "above").chmod(0o775)
    for group, private in ((os.getgid(), True), (12345, False)):
        os.chown(tmp_path / "above", -1, group)
        assert is_private(folder) is private


def test_a_link_is_not_private(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("file")
    assert is_private(tmp_path / "file")
    assert not is_private(tmp_path / "link")
