"""How the server listens: where, to whom, and to how many at once."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import secrets
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from evolve_arena.core.errors import BadValueError
from evolve_arena.web.app import Guard, Server

MOST_CONNECTIONS = 256
"""Who comes when so many are there is turned away, so that files can still be opened."""
PATIENCE = 10.0
"""Seconds that a connection has for its request."""
THREADS = 64


class PatientProtocol(H11Protocol):
    """HTTP for so many connections at once, each of which must ask something soon."""

    def connection_made(self, transport: Any) -> None:
        """Turns those away who are too many, and sets the others a limit."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self.loop.call_later(PATIENCE, self._end_idle)

    def _end_idle(self) -> None:
        """Ends the connection if no request is being answered."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()
        else:
            self.loop.call_later(PATIENCE, self._end_idle)


def run_server(folder: Path, host: str, port: int) -> None:
    """Serves the runs in *folder* until Ctrl-C.

    Raises:
        BadValueError: The folder is a file, or nobody can listen there.
    """
    if folder.exists() and not folder.is_dir():
        raise BadValueError(f"{folder} is no folder")
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    bound = ipaddress.ip_address(listening.getsockname()[0])
    token = None if bound.is_loopback else secrets.token_urlsafe(24)
    names = {host.lower(), str(bound), "localhost", "127.0.0.1", "[::1]"}
    hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())
    app = Guard(Server(folder.resolve(), str(folder)).make_app(), hosts, token)
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        log_level="error",
        lifespan="on",
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    called = socket.gethostname() if bound.is_unspecified else host
    shown = f"[{called}]" if ":" in called else called
    address = f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
    print(f"{folder} is shown at {address} (Ctrl-C ends it)", flush=True)
    asyncio.run(_serve(uvicorn.Server(config), listening))


async def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    await server.serve(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(found[0], socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(found[4])
        listening.listen(128)
    except OSError as error:
        free = "; try --port 0" if error.errno == errno.EADDRINUSE else ""
        raise BadValueError(
            f"can't listen at {host}, port {port}: {error.strerror or error}{free}"
        ) from None
    return listening
