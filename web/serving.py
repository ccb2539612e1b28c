"""The server's socket: its address, its limits, and the time limits of connections."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import secrets
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from evolve_arena.core.errors import BadValueError
from evolve_arena.web.app import KNOWN, Guard, Server

MAX_CONNECTIONS = 256
"""Most connections at once; more would leave no descriptors for files."""
AT_ONCE = 32
"""Number of connections that are accepted before requests of others are read. It is far smaller
than :data:`MAX_CONNECTIONS`, so that a request can show its token before that limit is reached."""
MAX_WAITING = 512
"""Number of connections that the system holds until they are accepted."""
PORT, NEAR = 8765, 20
"""Default port, and the number of ports to try from there on."""
PATIENCE = 10.0
"""Seconds that a connection has for a request, and again for its body."""
THREADS = 64


class PatientProtocol(H11Protocol):
    """HTTP with a limit of connections, each of which must send a request in time.

    Above the limit, connections without the token make room: first the oldest one of the address
    with the most. All users of this machine share an address, so the token decides.
    """

    _owes: tuple[str, object] | None = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept a connection; end another one above the limit."""
        super().connection_made(cast(asyncio.Transport, transport))
        self._arrived = self.loop.time()
        self._keep_time()
        known = cast("set[PatientProtocol]", self.connections)
        held = [each for each in known if not each.transport.is_closing()]
        if len(held) > MAX_CONNECTIONS:
            strangers = [each for each in held if not each._is_known]
            count = Counter(each._address for each in strangers)
            key = lambda each: (-count[each._address], each._arrived)  # noqa: E731
            min(strangers, key=key, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer of a closed connection."""
        super().connection_lost(exc)
        if self._timer:
            self._timer.cancel()

    def handle_events(self) -> None:
        """Read the parts of a request that have arrived."""
        super().handle_events()
        self._keep_time()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._keep_time()

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def _is_known(self) -> bool:
        """Return True if the connection's last request came with the token."""
        return self.scope is not None and KNOWN in self.scope["state"]

    def _keep_time(self) -> None:
        """Start a timer that ends the connection unless a request, or its body, arrives in time."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            owes: tuple[str, object] | None = ("request", cycle)
        else:
            owes = ("body", cycle) if cycle.more_body else None
        if owes != self._owes:
            self._owes = owes
            if self._timer:
                self._timer.cancel()
            self._timer = owes and self.loop.call_later(PATIENCE, self.transport.abort)


def run_server(folder: Path, host: str, port: int | None = None) -> None:
    """Serve the runs in *folder* until Ctrl-C.

    Args:
        folder: Directory of the runs.
        host: Address to listen on.
        port: Port; if None :data:`PORT`, or the next free one.

    Raises:
        BadValueError: The folder is a file, or the address cannot be listened on.
    """
    if folder.exists() and not folder.is_dir():
        raise BadValueError(f"{folder} is no folder")
    listening = _listen(host, port) if port is not None else _listen_near(host, PORT)
    port = listening.getsockname()[1]
    bound = ipaddress.ip_address(listening.getsockname()[0])
    token = secrets.token_urlsafe(24)
    names = {host.lower(), str(bound), "localhost", "127.0.0.1", "[::1]"}
    hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())
    server = Server(folder.resolve(), str(folder)).make_app()
    app = Guard(server, hosts if bound.is_loopback else None, token, f"evolve-arena-{port}")
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        log_level="error",
        lifespan="on",
        backlog=AT_ONCE,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    called = socket.gethostname() if bound.is_unspecified else host
    shown = f"[{called}]" if ":" in called else called
    print(f"{folder} is shown at http://{shown}:{port}/?token={token} (Ctrl-C ends it)", flush=True)
    asyncio.run(_serve(_Server(config), listening))


class _Server(uvicorn.Server):
    """A server that accepts few connections at once, while many may wait."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, with room for more waiting connections than are accepted at once."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(MAX_WAITING)


async def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    await server.serve(sockets=[listening])


def _listen_near(host: str, port: int) -> socket.socket:
    """Listen on *port*, or on the next free one."""
    for near in range(port, port + NEAR):
        try:
            return _bind(host, near)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                break
    return _listen(host, port)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return _bind(host, port)
    except OSError as error:
        free = ""
        if error.errno == errno.EADDRINUSE:
            near = _find_free(host, port)
            free = f"; --port {near} is free" if near else "; try --port 0"
        raise BadValueError(
            f"can't listen at {host}, port {port}: {error.strerror or error}{free}"
        ) from None


def _find_free(host: str, port: int) -> int | None:
    """Return the first free port after *port*; None if none is near."""
    for near in range(port + 1, min(port + NEAR, 1 << 16)):
        try:
            _bind(host, near).close()
        except OSError:
            continue
        return near
    return None


def _bind(host: str, port: int) -> socket.socket:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(found[0], socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(found[4])
        listening.listen(MAX_WAITING)
    except BaseException:
        listening.close()
        raise
    return listening
