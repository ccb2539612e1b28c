"""Folders and files that nobody else can change or replace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evolve_arena.core.files import is_private, make_private_folder

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
