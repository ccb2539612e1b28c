"""An executor of workers in a Ray cluster: on this machine, or on as many as there are.

What is sent to a node is names of kernels, arrays and numbers; the node has this package itself.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.executors.executor import Executor
from evolve_arena.arena.work import Work, find_kernel, new_outputs
from evolve_arena.core.compiled import add_variants, list_variants, working_clock
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.extras import import_extra
from evolve_arena.core.registry import find_game, pack_games, unpack_games

ROOM = 512 * 1024 * 1024
"""Bytes of the object store of a Ray that is started here."""
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM") if hasattr(signal, name)]


@contextmanager
def connect(address: str | None = None, workers: int | None = None) -> Iterator[Any]:
    """Ray itself, connected to a cluster until the block ends; one may stand within another.

    If this process is connected already, that connection is used, and stays.

    Args:
        address: ``auto``, ``host:port`` or ``ray://host:port``; None starts a Ray on this machine,
            which ends with the block and which only this machine can reach.
        workers: How many cores the Ray that is started here offers; as many as there are if None.

    Raises:
        MissingPackageError: Ray is not installed.
        ArenaError: There is no cluster at *address*.
    """
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of GPUs
    ray = import_extra("ray", "ray")
    if ray.is_initialized():
        yield ray
        return
    with ExitStack() as stack:
        options: dict[str, Any] = {"address": address}
        if address is None:
            folder = tempfile.mkdtemp(prefix="evolve-ray-")  # which Ray would leave behind
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            options = {
                "address": "local",
                "num_cpus": workers,
                "include_dashboard": False,
                "object_store_memory": ROOM,
                "_node_ip_address": "127.0.0.1",
                "_temp_dir": folder,
            }
        main = threading.current_thread() is threading.main_thread()
        handlers = {number: signal.getsignal(number) for number in SIGNALS} if main else {}
        stack.callback(ray.shutdown)
        try:
            ray.init(**options, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            raise ArenaError(f"no Ray cluster answers at {address}: {error}") from None
        finally:
            for number, handler in handlers.items():  # Ray takes them over
                signal.signal(number, handler)
        yield ray


class RayExecutor(Executor):
    """Works in *workers* processes that Ray starts.

    Args:
        workers: How many processes.
        address: As :func:`connect` takes it.
    """

    def __init__(self, workers: int, address: str | None = None) -> None:
        self.workers = workers
        self._stack = ExitStack()
        self._ray = self._stack.enter_context(connect(address, workers))
        actor = self._ray.remote(Worker).options(num_cpus=1)
        self._actors = [actor.remote(pack_games()) for _ in range(workers)]
        for handle in self._actors:
            self._stack.callback(self._ray.kill, handle)

    def do(self, work: Work) -> list[NDArray[Any]]:
        """Does all parts of *work*."""
        start = working_clock()
        order = {
            "kernel": work.kernel,
            "options": dict(work.options),
            "inputs": [np.ascontiguousarray(array) for array in work.inputs],
            "outputs": work.outputs,
            "variants": list_variants(work.options.get("game")),
        }
        sent = self._ray.put(order)
        edges = np.linspace(0, len(work), len(self._actors) + 1).astype(int).tolist()
        parts = [slice(*pair) for pair in pairwise(edges)]
        given = [
            actor.do.remote(sent, part) for actor, part in zip(self._actors, parts, strict=True)
        ]
        outputs = new_outputs(work)
        for part, arrays in zip(parts, self._ray.get(given), strict=True):
            for output, array in zip(outputs, arrays, strict=True):
                output[part] = array
        self.seconds += working_clock() - start
        return outputs

    def close(self) -> None:
        """Ends the workers, and the Ray that was started for them."""
        self._stack.close()


class Worker:
    """What does parts of work, in a process of its own, on any machine."""

    def __init__(self, games: dict[str, tuple[Any, ...]]) -> None:
        unpack_games(games)

    def do(self, order: dict[str, Any], part: slice) -> list[NDArray[Any]]:
        """That *part* of each output."""
        if order["variants"]:
            add_variants(find_game(order["options"]["game"]), order["variants"])
        outputs = [np.zeros(shape, dtype=kind) for kind, shape in order["outputs"]]
        inputs = [array.copy() for array in order["inputs"]]
        find_kernel(order["kernel"])(order["options"], inputs, outputs, part)
        return [output[part] for output in outputs]
