"""Safe reading of files that may come from others, and private folders."""

from __future__ import annotations

import difflib
import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PART = 1 << 20
LOCKED_BYTE = 1 << 30
"""Offset of the byte that is locked: behind the content, as no other program can read locked bytes
on Windows."""


KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""Names of the kinds of directory entries that are no regular files, by file type."""


class UnfitFileError(OSError):
    """Raised for a path that is no regular file, or too large a file; ``strerror`` says which."""


def describe_special(path: Path, *, follow: bool = False) -> str | None:
    """Return the kind of an entry that is no regular file, such as "a folder"; else None.

    Args:
        path: The entry; it need not exist.
        follow: Follow a symbolic link instead of reporting it.
    """
    try:
        mode = path.stat(follow_symlinks=follow).st_mode
    except FileNotFoundError:
        return None
    return None if stat.S_ISREG(mode) else KINDS.get(stat.S_IFMT(mode), "something else")


def check_regular(path: Path, most: int, *, follow: bool = False) -> None:
    """Make sure that *path* is a regular file of at most *most* bytes, without opening it.

    Args:
        path: The file.
        most: Largest size in bytes.
        follow: Accept a symbolic link to such a file.

    Raises:
        UnfitFileError: It is another kind of entry, or larger.
        OSError: There is no such file, or no file can have such a name; ``strerror`` says why.
    """
    try:
        _check_status(path.stat(follow_symlinks=follow), most)
    except ValueError as error:  # a NUL, or a letter that file names can't be written with
        raise OSError(errno.EINVAL, f"no file has such a name ({error})") from None


def _check_status(status: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise UnfitFileError(errno.EINVAL, f"it is {kind}, and no regular file")
    if status.st_size > most:
        raise UnfitFileError(errno.EFBIG, f"it is larger than {most:,} bytes")


def open_regular(path: Path, most: int, *, follow: bool = False) -> BinaryIO:
    """Open a file for reading that :func:`check_regular` accepts; never wait for a pipe or device.

    The check is repeated on the open file, in case another one took its place in between.

    Args:
        path: The file. A pipe, a device or a folder is refused without waiting for it.
        most: Largest size in bytes.
        follow: Accept a symbolic link to such a file.

    Raises:
        UnfitFileError: It is no regular file, or larger.
        OSError: There is no such file, or it can't be read; ``strerror`` says why.
    """
    check_regular(path, most, follow=follow)
    more = getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | more))  # noqa: SIM115
    try:
        _check_status(os.fstat(file.fileno()), most)
    except OSError:
        file.close()
        raise
    return file


def read_file(path: Path, most: int, *, follow: bool = True) -> bytes:
    """Return the content of a regular file of at most *most* bytes.

    Args:
        path: The file. A pipe, a device or a folder is refused without waiting for it.
        most: Largest size in bytes.
        follow: Accept a symbolic link to such a file.

    Raises:
        UnfitFileError: It is larger, or no regular file.
        OSError: It can't be read, or no file can have such a name; ``strerror`` says why.
    """
    parts = []
    left = most
    with open_regular(path, most, follow=follow) as file:
        while part := file.read(min(PART, left + 1)):  # it may grow, or say that it is empty
            parts.append(part)
            left -= len(part)
            if left < 0:
                raise UnfitFileError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return b"".join(parts)


def explain_unread(error: OSError, path: Path | str) -> str:
    """Return the reason for an *error* with *path*, and a similar path if that does not exist."""
    near = suggest_path(path) if error.errno == errno.ENOENT else ""
    return f"{error.strerror}{near}"


def suggest_path(path: Path | str) -> str:
    """Return a suggestion for a *path* that does not exist, "; did you mean PATH?", or nothing.

    Each part that does not exist is replaced by the most similar name in its folder.
    """
    found, changed = Path(), False
    for part in Path(path).parts:
        if os.path.lexists(found / part):
            found /= part
            continue
        try:
            names = sorted(os.listdir(found))[:MAX_NAMES]
        except OSError:
            return ""
        near = difflib.get_close_matches(part, names, n=1, cutoff=0.6)
        if not near:
            return ""
        found, changed = found / near[0], True
    return f"; did you mean {found}?" if changed else ""


MAX_NAMES = 2000
"""Most names of a folder that are compared with a mistyped one."""

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def make_private_folder(folder: Path) -> None:
    """Make *folder* with its missing parents; if it exists, it must be private already.

    Raises:
        PermissionError: Another user could have made it, or could change or replace it.
        OSError: It can't be made.
    """
    if not hasattr(os, "getuid"):  # Windows: a user's folders are private
        folder.mkdir(parents=True, exist_ok=True)
        return
    for missing in (*reversed(folder.parents), folder):
        if not os.path.lexists(missing):
            missing.mkdir(mode=0o700, exist_ok=True)
    if not is_private(folder):
        raise PermissionError(f"{folder} could be changed by another user")
    if stat.S_IMODE(folder.lstat().st_mode) != 0o700:
        folder.chmod(0o700)


def is_private(path: Path) -> bool:
    """Return True if *path* is the user's own, no link, and no other user can change or replace it.

    That holds if others can't write to any folder above it. Folders with the sticky bit, such as
    ``/tmp``, are allowed: only its owner can rename an entry there.
    """
    if not hasattr(os, "getuid"):
        return path.exists()
    own = path.lstat()
    if own.st_uid != os.getuid() or own.st_mode & OTHERS_WRITE or stat.S_ISLNK(own.st_mode):
        return False
    return all(_is_trusted(parent) for parent in path.absolute().parents)


def _is_trusted(folder: Path) -> bool:
    """Return True if only the user and root can rename entries of *folder*."""
    found = folder.lstat()
    owners = {os.getuid(), 0, os.stat("/").st_uid}  # the last: root, as user namespaces show it
    if found.st_uid not in owners or not stat.S_ISDIR(found.st_mode):
        return False
    if not found.st_mode & OTHERS_WRITE or found.st_mode & stat.S_ISVTX:
        return True
    return not found.st_mode & stat.S_IWOTH and _has_no_other_member(found.st_gid)


def _has_no_other_member(number: int) -> bool:
    """Return True if the group with this *number* is the user's own and has no other member."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(number)
    except KeyError:
        return False
    own = number == user.pw_gid and group.gr_name == user.pw_name
    return own and set(group.gr_mem) <= {user.pw_name}


def hold(descriptor: int, *, free: bool = False) -> None:
    """Lock an open file exclusively for this process, until it closes the file or ends.

    Args:
        descriptor: The open file.
        free: Release the lock instead; on closing, Windows may do so with a delay.

    Raises:
        BlockingIOError: Another process has locked it.
    """
    if fcntl:
        if not free:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt

    mode: int = msvcrt.LK_UNLCK if free else msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
    os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, mode, 1)  # type: ignore[attr-defined,unused-ignore]
    except PermissionError:
        raise BlockingIOError from None
