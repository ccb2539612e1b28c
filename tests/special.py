"""Pipes, devices, sockets and folders in the place of files."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest


def make_special(path: Path, kind: str) -> None:
    """Make a pipe, a device, a socket or a folder at *path*, or skip if that can't be done."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("devices may not be made here")
