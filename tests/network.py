"""Two hosts on this machine, with a slow network between them that loses packets.

Each is a network namespace with a device whose packets this process carries to the other, as
``tc netem`` would, which not every kernel has.
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import os
import random
import select
import signal
import struct
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

TUN, TUNSETIFF, IFF_TUN_NO_PI = "/dev/net/tun", 0x400454CA, 0x1001
CLONE_NEWNET = 0x40000000


@dataclass(frozen=True)
class Host:
    """One of two simulated hosts."""

    name: str
    ip: str
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, command: Sequence[object], **options: object) -> subprocess.Popen[bytes]:
        """Start a *command* in the namespace."""
        command = ["ip", "netns", "exec", self.name, *map(str, command)]
        self.started.append(subprocess.Popen(command, **options))
        return self.started[-1]

    def kill_all(self) -> None:
        """End every process in the namespace."""
        told = subprocess.run(["ip", "netns", "pids", self.name], capture_output=True, check=False)
        for pid in map(int, told.stdout.split()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while self.started:
            with self.started.pop():  # waits for its end
                pass


@contextmanager
def two_hosts(delay: float, loss: float) -> Iterator[tuple[Host, Host]]:
    """Yield two hosts whose packets take *delay* seconds each way; a share of *loss* is lost.

    Raises:
        OSError: This machine does not permit it.
        subprocess.CalledProcessError: The same.
    """
    tag = os.getpid() % 100_000
    hosts = Host(f"ea{tag}a", "10.199.7.1"), Host(f"ea{tag}b", "10.199.7.2")
    with ExitStack() as stack:
        ends = []
        for host, other in (hosts, hosts[::-1]):
            _run("ip", "netns", "add", host.name)
            stack.callback(_run, "ip", "netns", "del", host.name)
            stack.callback(host.kill_all)
            ends.append(_open_device(host))
            stack.callback(os.close, ends[-1])
            inside = ["ip", "-n", host.name]
            _run(*inside, "addr", "add", host.ip, "peer", other.ip, "dev", "wire")
            for device in ("wire", "lo"):
                _run(*inside, "link", "set", device, "up")
        ended = threading.Event()
        carrier = threading.Thread(target=_carry, args=(ends, delay, loss, ended))
        carrier.start()
        stack.callback(carrier.join)
        stack.callback(ended.set)
        yield hosts


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def _open_device(host: Host) -> int:
    """Create a device in the host's namespace and return the file of its packets."""

    def enter() -> int:
        with open(f"/run/netns/{host.name}", "rb") as space:
            if ctypes.CDLL(None, use_errno=True).setns(space.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
        device = os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"wire", IFF_TUN_NO_PI))
        return device

    with ThreadPoolExecutor(1) as thread:  # as this one stays where it is
        return thread.submit(enter).result()


def _carry(ends: list[int], delay: float, loss: float, ended: threading.Event) -> None:
    chance = random.Random(1)
    due: list[tuple[float, int, int, bytes]] = []
    count = 0
    while not ended.is_set():
        pause = min(0.2, max(0.0, due[0][0] - time.monotonic())) if due else 0.2
        for end in select.select(ends, [], [], pause)[0]:
            with suppress(BlockingIOError):
                while packet := os.read(end, 1 << 16):
                    if chance.random() >= loss:
                        other = ends[1 - ends.index(end)]
                        heapq.heappush(due, (time.monotonic() + delay, count, other, packet))
                        count += 1
        while due and due[0][0] <= time.monotonic():
            *_, other, packet = heapq.heappop(due)
            with suppress(OSError):
                os.write(other, packet)
