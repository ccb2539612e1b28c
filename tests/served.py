"""A server like a user's, in a process of its own, and how tests ask it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from evolve_arena.core.types import Json

SMALL = (
    *("method.individuals=6", "method.tournament_size=2", "run.generations=4"),
    *("run.checkpoint_every=2", "check.every=2", "check.games=10", "check.opponents=['random']"),
)


class Client:
    """Client of a server that asks as its page does, opened by the printed address."""

    def __init__(self, printed: str, folder: Path, process: subprocess.Popen[str]) -> None:
        self.printed, self.folder, self.process = printed, folder, process
        self.host = urlsplit(printed).netloc
        self.address = f"http://{self.host}"
        self.token = printed.partition("?token=")[2]
        self.cookie = f"evolve-arena-{urlsplit(printed).port}"

    def ask(
        self, path: str, body: Json = None, headers: dict[str, str] | None = None, **query: str
    ) -> tuple[int, Json]:
        """Return the status and content of an answer; *body* makes it a POST."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        method, sent = ("GET", None) if body is None else ("POST", body)
        if sent is not None and not isinstance(sent, bytes):
            sent = json.dumps(sent).encode()
        given = {"Cookie": f"{self.cookie}={self.token}"}
        if body is not None:
            given |= {"Content-Type": "application/json", "Origin": self.address}
        given.update(headers or {})
        connection.request(method, f"{path}?{urlencode(query)}" if query else path, sent, given)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        kind = response.headers.get("content-type", "")
        return response.status, json.loads(content) if "json" in kind else content

    def get(self, path: str, **query: str) -> Json:
        """Return the content of a successful answer."""
        status, content = self.ask(f"/api/{path}", **query)
        assert status == 200, content
        return content

    def settle(self, path: str, **body: object) -> tuple[int, Json]:
        """Return the answer to a change once it is done: a busy server says "later"."""
        answer = 200, {"later": True}
        while answer == (200, {"later": True}):
            answer = self.ask(f"/api/{path}", body)
        return answer

    def post(self, path: str, **body: object) -> Json:
        """Return the content of the successful answer to a change."""
        status, content = self.settle(path, **body)
        assert status == 200, content
        return content


def serve(folder: Path, *more: str, cwd: Path | None = None) -> Client:
    """Start a server of the runs in *folder* from *cwd*; the caller must end its process."""
    words = [Path(sys.executable).with_name("evolve"), "serve", str(folder), "--port", "0", *more]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ, cwd=cwd
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert " is shown at " in line, line + process.stdout.read()
    return Client(line.split(" is shown at ")[1].split()[0], folder, process)


def end(client: Client) -> None:
    client.process.terminate()
    client.process.wait(60)
    assert client.process.stdout is not None
    client.process.stdout.close()
