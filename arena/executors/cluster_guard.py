"""A process that removes the remains of a Ray cluster after its caller ended, for any reason.

    python -IS cluster_guard.py FOLDER PACKAGES

Standard input ends with the caller, which writes to it after ending its Ray itself. When the caller
dies, Ray ends most of its processes, but not its agents, which can only be identified by the files
that they have open in FOLDER. PACKAGES is the folder of psutil.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time

DONE = b"done"
"""The message of a caller that has ended its Ray itself."""
PATIENCE = 20.0
"""Seconds after which processes that can't be killed are ignored."""


def main(folder: str, packages: str) -> None:
    """Wait until the caller has ended or is done, and remove the rest."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    killed = sys.stdin.buffer.read() != DONE
    deadline = time.monotonic() + PATIENCE
    while killed and _kill_all(folder, packages) and time.monotonic() < deadline:
        time.sleep(0.02)
    shutil.rmtree(folder, ignore_errors=True)


def _kill_all(folder: str, packages: str) -> bool:
    """Kill all processes with a file open in *folder*; return False if there are none."""
    if packages not in sys.path:
        sys.path.append(packages)
    import psutil

    found = False
    for process in psutil.process_iter():
        try:
            if any(file.path.startswith(folder + os.sep) for file in process.open_files()):
                process.kill()
                found = True
        except (psutil.Error, OSError):
            continue  # it is gone, or another user's
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
