"""Connections to Ray: to one that is started on this machine, or to a cluster."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import psutil

from evolve_arena.arena.executors import cluster_guard
from evolve_arena.core.errors import ArenaError, BadValueError, one_line, quote
from evolve_arena.core.extras import import_extra

Ray: TypeAlias = Any
"""The module Ray, or one of its references, actors and classes: it has no types for mypy."""
TIMEOUT = 10.0
"""Most seconds to wait for an answer from an address."""
INLINE = 2**20
"""Most bytes of results that are returned directly, without this machine's object store."""
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM") if hasattr(signal, name)]


@contextmanager
def connect(address: str | None = None, workers: int | None = None) -> Iterator[Ray]:
    """Connect Ray to a cluster until the block ends; blocks may be nested.

    If this process is connected already, that connection is used and kept.

    Args:
        address: ``auto`` or ``host:port``; None starts Ray on this machine, until the block ends
            and for this machine alone.
        workers: Number of cores of a Ray that is started here; all cores if None.

    Raises:
        MissingPackageError: Ray is not installed.
        ArenaError: There is no cluster at *address*.
    """
    ray = import_ray()
    if ray.is_initialized():
        yield ray
        return
    with ExitStack() as stack:
        options: dict[str, object] = {"address": address}
        if address is not None:
            _check_address(address)
        if address is None:
            folder = stack.enter_context(_guarded_folder())
            if "RAY_AUTH_MODE" not in os.environ:  # as later versions of Ray do themselves
                os.environ["RAY_AUTH_MODE"] = "token"
                ray._raylet.Config.initialize("")
            options = {
                "address": "local",
                "num_cpus": workers,
                "include_dashboard": False,
                "_temp_dir": str(
                    folder / "r"
                ),  # which Ray opens to all; names of sockets are short
                "_system_config": {"max_direct_call_object_size": INLINE, "worker_niceness": 0},
            }
            constants = ray._private.ray_constants  # else everybody in the network can connect
            stack.enter_context(_changed(constants, "ENABLE_RAY_CLUSTER", value=False))
        main = threading.current_thread() is threading.main_thread()
        handlers = {number: signal.getsignal(number) for number in SIGNALS} if main else {}
        stack.callback(ray.shutdown)
        try:
            job = ray.job_config.JobConfig()
            job._py_driver_sys_path = _Paths()
            ray.init(**options, job_config=job, log_to_driver=False, logging_level="ERROR")
        except Exception as error:  # Ray raises what it likes
            why = one_line(str(error), 160)
            if address is None:
                raise ArenaError(f"Ray can't be started here: {why}") from None
            raise ArenaError(
                f"Ray does not let this process in at {address}: {why}; if the cluster asks for a"
                " token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN_PATH to a file with it"
            ) from None
        finally:
            for number, handler in handlers.items():  # Ray takes them over
                signal.signal(number, handler)
        if address is None:  # Ray lets all users of this machine read it
            with suppress(OSError, RuntimeError):
                Path.home().joinpath(".ray", "auth_token").chmod(0o600)
        ray._private.worker._worker_logs_enabled = False  # what is lost is told by us
        yield ray


def import_ray() -> Ray:
    """Import Ray, without connecting.

    Raises:
        MissingPackageError: Ray is not installed.
    """
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of GPUs
    return import_extra("ray", "ray")


def _check_address(address: str) -> None:
    """Make sure that the address answers, as Ray would try for minutes.

    Raises:
        ArenaError: There is no answer.
    """
    found = re.fullmatch(r"\[?([^/\]]+?)\]?:(\d{1,5})", address)
    if found is None and address != "auto":
        expected = "it must be auto or HOST:PORT"
        if address.startswith("ray://"):
            expected += "; this command must run on a machine of the cluster, or be a Ray job"
        raise BadValueError(f"address is {quote(address)}: {expected}")
    if found:
        try:
            socket.create_connection((found[1], int(found[2])), timeout=TIMEOUT).close()
        except (OSError, OverflowError) as error:
            why = one_line(str(error), 160)
            raise ArenaError(f"Ray does not answer at {address}: {why}") from None


class _Paths(list[str]):
    """Folders at the beginning of the import path of Ray's workers."""

    def extend(self, folders: Iterable[str]) -> None:
        """Add those of *folders* that are on this process's path: never the working directory."""
        super().extend(folder for folder in folders if folder in sys.path)


@contextmanager
def _guarded_folder() -> Iterator[Path]:
    """Make a folder for Ray's files that is removed with this process, even if it is killed."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="evolve-ray-"))
    words = [cluster_guard.__file__, folder, str(Path(psutil.__file__).parents[1])]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    guard = subprocess.Popen(
        [sys.executable, "-IS", *words], stdin=subprocess.PIPE, start_new_session=True, **quiet
    )
    try:
        yield Path(folder)
    finally:
        guard.communicate(cluster_guard.DONE)


@contextmanager
def _changed(thing: object, name: str, *, value: object) -> Iterator[None]:
    """Change an attribute until the block ends."""
    before = getattr(thing, name, None)
    setattr(thing, name, value)
    try:
        yield
    finally:
        setattr(thing, name, before)
