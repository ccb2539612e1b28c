"""Access to the page's server, and time limits of connections."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from evolve_arena.web import serving
from tests.served import Client, end, serve

ADDRESSES = (
    "/", "/?token=", "/?token=wrong", "/api/runs", "/api/describe?run=first",
    "/api/events?run=first", "/plots?run=first&file=x.png", "/static/main.js", "/page/board.js",
)  # fmt: skip
COOKIES = ("", "{name}={wrong}", "evolve-arena={token}", "{name}1={token}", "{name}={token}a")
NONSENSE = ("http://[", "[", "http://", "://")
HALF = b"GET /api/runs HTTP/1.1\r\nHost: x\r\nX-"


@pytest.mark.parametrize("cookie", COOKIES)
def test_another_user_of_this_machine_reads_and_changes_nothing(
    server: Client, cookie: str
) -> None:
    """He can send whatever a page of ours sends, but for the token."""
    given = {
        "Cookie": cookie.format(
            name=server.cookie, token=server.token, wrong="a" * len(server.token)
        )
    }
    for path in ADDRESSES:
        status, content = server.ask(path, headers=given)
        text = content["error"] if isinstance(content, dict) else content.decode()
        assert (status, text.count("\n")) == (401, 0), path
        assert "open the address with its token, as evolve serve printed it" in text
    body = {"run": "of-another", "recipe": "tic-tac-toe-evolved"}
    assert server.ask("/api/runs", body, given)[0] == 401
    assert server.ask("/api/stop", {"run": "first"}, given)[0] == 401
    assert not (server.folder / "of-another").exists()


def test_the_address_that_is_printed_opens_the_page(server: Client) -> None:
    assert len(server.token) >= 32
    with closing(socket.create_connection(server.host.split(":"), timeout=60)) as connection:
        path = server.printed.removeprefix(server.address)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        head = connection.recv(65_536).decode()
    assert head.startswith("HTTP/1.1 303")
    headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if line)
    assert headers["location"] == "/"
    assert headers["referrer-policy"] == "no-referrer"
    (cookie,) = SimpleCookie(headers["set-cookie"]).values()
    assert cookie.key == f"evolve-arena-{server.host.partition(':')[2]}"
    assert (cookie["httponly"], cookie["samesite"]) == (True, "lax")
    given = {"Cookie": f"evolve-arena-1=of-another-server; {cookie.key}={cookie.value}"}
    assert server.ask("/", headers=given)[0] == 200


@pytest.mark.parametrize(
    ("header", "text", "status"),
    [
        *(("Host", text, 421) for text in ("evil.example", "evil.example:80", *NONSENSE)),
        *(("Origin", text, 403) for text in ("http://evil.example", "null", *NONSENSE)),
        ("Sec-Fetch-Site", "cross-site", 403),
        ("Sec-Fetch-Site", "same-site", 403),
        ("Sec-Fetch-Site", "same-origin", 200),
    ],
)
def test_pages_of_others_may_not_ask(server: Client, header: str, text: str, status: int) -> None:
    assert server.ask("/api/runs", headers={header: text})[0] == status


def test_a_form_of_another_page_changes_nothing(server: Client) -> None:
    body = json.dumps({"run": "first"}).encode()
    for headers in (
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Origin": "http://evil.example"},
    ):
        assert server.ask("/api/stop", body, headers)[0] == 403


def test_elsewhere_the_token_is_needed_and_no_name(runs: Path) -> None:
    client = serve(runs, "--host", "0.0.0.0")
    try:
        client.host = f"127.0.0.1:{client.host.rpartition(':')[2]}"
        named = {"Host": "another.name.of.this.machine"}
        assert client.ask("/api/runs", headers=named)[0] == 200
        assert client.ask("/api/runs", headers={**named, "Cookie": ""})[0] == 401
    finally:
        end(client)


def test_a_crowd_without_the_token_keeps_nobody_out_who_has_it(server: Client) -> None:
    """As many as are held, each with half a request; nor does it end a guest from elsewhere."""
    host, port = server.host.split(":")
    crowd: list[socket.socket] = []
    try:
        for number in range(serving.MAX_CONNECTIONS + 50):
            source = ("127.0.0.2" if number == 0 else "127.0.0.1", 0)
            crowd.append(socket.create_connection((host, int(port)), 60, source))
            crowd[-1].sendall(HALF if number % 3 else b"")  # some say nothing
            if number % 50 == 0:
                assert server.ask("/api/files")[0] == 200
        assert server.ask("/api/files")[0] == 200
        assert _is_open(crowd[0])
        assert not _is_open(crowd[1])
        assert _is_open(crowd[-1])
    finally:
        for connection in crowd:
            connection.close()


def _is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


async def _read_and_wait(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer some time after the whole body has come."""
    while (message := await receive()).get("more_body"):
        pass
    if message["type"] == "http.disconnect":
        return
    await asyncio.sleep(3 * serving.PATIENCE)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


@contextmanager
def _serve_here() -> Iterator[tuple[str, int]]:
    """Run a server in this process and yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            _read_and_wait, http=serving.PatientProtocol, ws="none", lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield listening.getsockname()
        finally:
            server.should_exit = True
            thread.join()


@pytest.mark.parametrize("earlier", [0, 1])
def test_a_body_that_does_not_come_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch, earlier: int
) -> None:
    """An answer may take longer than that; also if whole requests came before."""
    monkeypatch.setattr(serving, "PATIENCE", 0.2)
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
    with _serve_here() as place, closing(socket.create_connection(place, 60)) as connection:
        for _ in range(earlier):
            connection.sendall(head + b"whole")
            assert connection.recv(1000).startswith(b"HTTP/1.1 204")
        begun = time.monotonic()
        connection.sendall(head + b"hal")
        assert connection.recv(1000) == b""
        assert time.monotonic() - begun < 30
