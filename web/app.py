"""The server behind the page: its routes, access control, and server-sent events.

It does little itself: workers read runs and play games, child processes train. So no request,
however large or wrong, delays a run.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evolve_arena.core.errors import one_line
from evolve_arena.web.listing import Listing
from evolve_arena.web.trainers import Trainers
from evolve_arena.web.workers import (
    PLAYING,
    READING,
    BusyWorkerError,
    NoAnswerError,
    Worker,
    WorkerError,
)

if TYPE_CHECKING:
    from evolve_arena.core.types import Json, JsonObject

STATIC = Path(__file__).with_name("static")
PAGE = resources.files("evolve_arena.runs").joinpath("page")
"""Files that draw boards, shared with exported pages."""
LARGEST_REQUEST = 1 << 20
MAX_GAMES = 32
"""Number of games at once; the one that was idle for longest makes room."""
LONGEST_MOVE = 300.0
"""Seconds that a game may take to answer; deep searches take long."""
MAX_ERRANDS = 16
ERRAND = 0.5
"""Seconds that a request waits for a picture or a tournament; then its page asks again."""
COLLECTING = 60.0
"""Seconds for which the result of a background job is kept until its page asks for it."""
LEFT = 20.0
"""Seconds from the closing of a game's page to the end of the game: it may only be reloading."""
MAX_WATCHED = 64
"""Number of topics that pages watch at once: each run that is compared counts."""
KNOWN = "evolve-arena-known"
"""The key that is set in the state of a request that came with the token."""
BEAT = 15.0
"""Seconds after which a stream without news sends a sign of life."""
SHARE = 0.02
"""Share of one core's time that polling may take, for each topic."""
SELDOM = 10.0
"""Longest time between two polls, in seconds: on a busy machine a poll takes long."""
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self';"
    " img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
CLOSING = {"Connection": "close"}
Action: TypeAlias = "Callable[[JsonObject], Coroutine[object, object, Json]]"
"""A function that takes the values of a request, and returns the answer."""


@dataclass
class Guard:
    """Middleware that admits only requests with the token, from pages of this server.

    Other users of this machine can reach the server, and a foreign page can make a browser send
    requests to it, even under its own name (DNS rebinding). So each request must show the token,
    use a known host name, and come from this server's page if it changes something.

    Args:
        app: The application to guard.
        hosts: Host names and ports of the server, such as ``localhost:8000``; None for any.
        token: The token; a page that is opened with it gets it as a cookie.
        cookie: Name of the cookie. It contains the port: a browser sends the cookies of a host to
            all its ports.
    """

    app: ASGIApp
    hosts: set[str] | None
    token: str
    cookie: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        refusal = self._judge(request)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        scope.setdefault("state", {})[KNOWN] = True
        taken = 0

        async def read() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > LARGEST_REQUEST:
                raise _TooLargeError
            return message

        async def write(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message.get("headers", [])}
                message["headers"] = [
                    *message.get("headers", []),
                    *(
                        (name.lower().encode(), value.encode())
                        for name, value in HEADERS.items()
                        if name.lower().encode() not in given
                    ),
                ]
            await send(message)

        with suppress(ClientDisconnect):
            await self.app(scope, read, write)

    def _judge(self, request: Request) -> Response | None:
        """Return the refusal of a *request*; None if it is admitted."""
        headers, changes = request.headers, request.method not in {"GET", "HEAD"}
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        kind = headers.get("content-type", "").partition(";")[0].strip()
        foreign = headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}
        if self.hosts is not None and host not in self.hosts:
            return _refuse(f"this server is not called {host:.60}", 421)
        if (origin is not None and origin.lower().partition("://")[2] != host) or (
            foreign and (changes or request.scope["path"] != "/")  # a link may lead to the page
        ):
            return _refuse("only this server's own page may ask", 403)
        if changes and (origin is None or kind != "application/json"):
            return _refuse("requests that change something are JSON, from the page", 403)
        return self._ask_for_token(request)

    def _ask_for_token(self, request: Request) -> Response | None:
        """Refuse a request without the token; turn a token in the address into a cookie."""
        given = request.query_params.get("token", "")
        if given and _same(given, self.token):
            answer = RedirectResponse("/", 303, {**HEADERS, "Cache-Control": "no-store"})
            # Lax: with a strict one no link would open the page, as in a terminal in a browser
            answer.set_cookie(self.cookie, self.token, httponly=True, samesite="lax")
            return answer
        if _same(request.cookies.get(self.cookie, ""), self.token):
            return None
        text = "open the address with its token, as evolve serve printed it when it started"
        if request.scope["path"] == "/":  # a person reads this
            return PlainTextResponse(text, 401, {**HEADERS, **CLOSING})
        return _refuse(text, 401)


class _TooLargeError(Exception):
    pass


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _refuse(text: str, status: int) -> Response:
    """Return an error as JSON; connections without permission are closed."""
    closing = CLOSING if status in {401, 403, 421} else {}
    return JSONResponse({"error": one_line(text, 400)}, status, headers={**HEADERS, **closing})


@dataclass
class _Topic:
    """A run, or all runs, that pages watch: its newest text, and an event for each page."""

    text: str = ""
    bells: set[asyncio.Event] = field(default_factory=set)
    task: asyncio.Task[None] | None = None


class Server:
    """The page's server.

    Args:
        folder: Directory of the runs.
        shown: Its name on the page.
    """

    def __init__(self, folder: Path, shown: str) -> None:
        self.folder, self.shown = folder, shown
        self.finder = Worker(READING, folder=str(folder))
        """A worker that opens no run, so no file in the folder can block it."""
        self.opener = Worker(READING, folder=str(folder))
        self.listing = Listing(self.finder, self.opener)
        self.trainers = Trainers()
        self.games: dict[str, Worker] = {}
        self._leaving: dict[str, asyncio.TimerHandle] = {}
        self._errands: dict[str, asyncio.Task[Json]] = {}
        self._topics: dict[str, _Topic] = {}

    def make_app(self) -> Starlette:
        """Return the application, for a :class:`Guard`."""
        find, read = partial(self._call, self.finder), partial(self._call, self.opener)
        routes = [
            Route("/", self._index),
            Route("/api/runs", self._answer(self._list_runs, "Nothing")),
            Route("/api/runs", self._answer(self._start, "Start"), methods=["POST"]),
            Route("/api/describe", self._answer(self._describe, "OneRun")),
            Route("/api/record", self._answer(self._record, "OneRun")),
            Route("/api/stop", self._answer(self._stop, "OneRun"), methods=["POST"]),
            Route("/api/resume", self._answer(self._resume, "Resume"), methods=["POST"]),
            Route("/api/draw", self._answer(self._later(self._draw), "Draw"), methods=["POST"]),
            Route("/api/rate", self._answer(self._later(self._rate), "Rate"), methods=["POST"]),
            Route("/api/recipes", self._answer(find("list_recipes"), "Nothing")),
            Route("/api/form", self._answer(read("read_form"), "OneRecipe")),
            Route("/api/games", self._answer(find("list_games"), "Nothing")),
            Route("/api/players", self._answer(self._list_players, "OneGame")),
            Route("/api/files", self._answer(find("list_files"), "Nothing")),
            Route("/api/replay", self._answer(read("read_games"), "Replay"), methods=["POST"]),
            Route("/api/play", self._answer(self._open_game, "Play"), methods=["POST"]),
            Route("/api/play/{game}", self._answer(self._act, "Act"), methods=["POST"]),
            Route("/api/events", self._stream),
            Route("/plots", self._plot),
            Mount("/static", StaticFiles(directory=STATIC)),
            Mount("/page", StaticFiles(directory=str(PAGE))),
        ]
        return Starlette(routes=routes, lifespan=self._live)

    @asynccontextmanager
    async def _live(self, app: Starlette) -> AsyncIterator[None]:
        warm = asyncio.create_task(self._warm_up())
        try:
            yield
        finally:
            warm.cancel()
            for topic in self._topics.values():
                if topic.task:
                    topic.task.cancel()
            for errand in self._errands.values():
                errand.cancel()
            await self.trainers.close()
            self.listing.close()
            for worker in (self.finder, self.opener, *self.games.values()):
                worker.stop()

    async def _warm_up(self) -> None:
        """Load all modules, so that the first page opens at once."""
        with suppress(WorkerError):
            await self.listing.rows()

    # --- Requests ------------------------------------------------------------------------------

    def _answer(self, act: Action, kind: str) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that validates a request's values, and answers with JSON.

        Args:
            act: Takes the values by name, and returns the answer.
            kind: Name of the class in `evolve_arena.web.requests` that validates the values.
        """

        async def answer(request: Request) -> Response:
            from evolve_arena.web import requests  # slow to load: the first page need not wait

            try:
                given: Json = dict(request.query_params)
                if request.method == "POST":
                    given = requests.read_body(await request.body())
                values = requests.read_values(given, getattr(requests, kind))
                found = await act({**values, **request.path_params})
            except WorkerError as error:
                return _refuse(str(error), error.status)
            except _TooLargeError:
                return _refuse("this is too large", 413)
            return JSONResponse(found, headers={"Cache-Control": "no-store"})

        return answer

    def _later(self, act: Action) -> Action:
        """Return an action that starts *act*; if that takes long, the answer is to ask again later.

        A browser has only six connections to a host, and none of them is to be busy for long.
        """

        async def ask(given: JsonObject) -> Json:
            key = json.dumps([act.__name__, given])
            if key not in self._errands:
                if len(self._errands) >= MAX_ERRANDS:
                    raise BusyWorkerError
                self._errands[key] = errand = asyncio.create_task(act(given))
                errand.add_done_callback(partial(self._keep_errand, key))
            errand = self._errands[key]
            await asyncio.wait([errand], timeout=ERRAND)
            if not errand.done():
                return {"later": True}
            self._errands.pop(key, None)
            return errand.result()

        return ask

    def _keep_errand(self, key: str, errand: asyncio.Task[Json]) -> None:
        """Keep the result of an *errand*, a background job, until its page asks, or for a while."""
        if not errand.cancelled():
            errand.exception()  # marks it as seen: the page may have left
            asyncio.get_running_loop().call_later(COLLECTING, self._errands.pop, key, None)

    @staticmethod
    def _call(worker: Worker, name: str) -> Action:
        """Return an action that passes a request's values to the method *name* of a *worker*."""

        async def call(given: JsonObject) -> Json:
            return await worker.call(name, **given)

        return call

    async def _index(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})

    async def _list_runs(self, given: JsonObject) -> Json:
        rows = await self.listing.rows()
        running = self.trainers.running
        for row in rows:
            row["own"] = row["run"] in running
            if row["own"]:
                row["state"] = "running"
            row["ending"] = self._find_ending(row)
        return {"folder": self.shown, "runs": rows}

    async def _list_players(self, given: JsonObject) -> Json:
        """Return the players of a game: their kinds, and runs with a champion."""
        game = given["game"]
        found = await self.finder.call("list_players", game=game)
        rows = await self.listing.rows()
        runs = [{"run": row["run"]} for row in rows if row["champion"] and row["game"] == game]
        return {**found, "runs": runs}

    async def _describe(self, given: JsonObject) -> Json:
        return self._complete(await self.listing.ask("describe", given["run"]))

    async def _record(self, given: JsonObject) -> Json:
        return self._complete(await self.listing.ask("record", given["run"]))

    def _complete(self, found: JsonObject) -> JsonObject:
        """Add this server's own knowledge of a run: its state here, and an error that ended it."""
        row = found["row"]
        own = row["run"] in self.trainers.running
        if own:
            row["state"] = "running"
        return {**found, "own": own, "ending": self._find_ending(row)}

    def _find_ending(self, row: JsonObject) -> str:
        """Return the error that ended a run here; empty if it runs again, such as at a terminal."""
        if row["state"] == "running":
            self.trainers.endings.pop(row["run"], None)
        return self.trainers.endings.get(row["run"], "")

    async def _start(self, given: JsonObject) -> Json:
        run = given["run"]
        path = await self.finder.call("check_free", run=run)
        content = await self.opener.call(
            "write_recipe", recipe=given["recipe"], changes=given["changes"]
        )
        await self.trainers.start(run, path, content)
        return {"run": run}

    async def _stop(self, given: JsonObject) -> Json:
        self.trainers.stop(given["run"])
        return {}

    async def _resume(self, given: JsonObject) -> Json:
        path = await self.finder.call("path_of", run=given["run"])
        await self.trainers.resume(given["run"], path, given["generations"])
        return {}

    async def _draw(self, given: JsonObject) -> Json:
        path = await self.finder.call("path_of", run=given["run"])
        await self.trainers.draw(path, given["what"])
        return await self._describe(given)

    async def _rate(self, given: JsonObject) -> Json:
        """Play a round robin between the champions of some runs and external players."""
        meeting = await self.opener.call(
            "arrange_meeting", runs=given["runs"], others=given["others"]
        )
        found = await self.trainers.rate(meeting["players"], given["games"], meeting["openings"])
        return {**found, "champions": meeting["champions"]}

    async def _plot(self, request: Request) -> Response:
        try:
            given = {key: str(request.query_params[key]) for key in ("run", "file")}
            return FileResponse(await self.finder.call("find_plot", **given))
        except KeyError:
            return _refuse("name a run and a file", 400)
        except WorkerError as error:
            return _refuse(str(error), 404)

    # --- Games ---------------------------------------------------------------------------------

    async def _open_game(self, given: JsonObject) -> Json:
        found = await self.finder.call("find_runs")
        runs = {name: entry["path"] for name, entry in found.items()}
        worker = Worker(PLAYING, LONGEST_MOVE, runs=runs, **given)
        try:
            found = await worker.call("look")
        except WorkerError:
            worker.stop()
            raise
        while len(self.games) >= MAX_GAMES:
            self.games.pop(next(iter(self.games))).stop()
        name = secrets.token_urlsafe(12)
        self.games[name] = worker
        return {"id": name, **found}

    async def _act(self, given: JsonObject) -> Json:
        name, act = given.pop("game"), given.pop("act")
        if name not in self.games:
            raise WorkerError("this game is no longer kept: begin a new one", 404)
        self.games[name] = worker = self.games.pop(name)  # the newest is last
        if leaving := self._leaving.pop(name, None):
            leaving.cancel()
        if act == "leave":
            loop = asyncio.get_running_loop()
            self._leaving[name] = loop.call_later(LEFT, self._end_game, name)
            return {}
        try:
            found = await worker.call(act, **given)
            if act == "keep":
                return {"file": await self.finder.call("keep_game", line=found["line"])}
            return {"id": name, **found}
        except NoAnswerError as error:  # and the game was in that process
            self.games.pop(name, None)
            raise WorkerError(f"this game has ended: {error}", error.status) from None

    def _end_game(self, name: str) -> None:
        """End a game whose page has not come back."""
        self._leaving.pop(name, None)
        if worker := self.games.pop(name, None):
            worker.stop()

    # --- Events -----------------------------------------------------------------------------------

    async def _stream(self, request: Request) -> Response:
        """Server-sent events about some runs, or about all."""
        names = list(dict.fromkeys(request.query_params.getlist("run"))) or [""]
        watched = sum(len(topic.bells) for topic in self._topics.values())
        if watched + len(names) > MAX_WATCHED:
            return _refuse("too many pages watch: close one", 503)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._tell(names), media_type="text/event-stream", headers=headers)

    async def _tell(self, names: list[str]) -> AsyncIterator[bytes]:
        """Yield the newest text of each topic when it changes; slow readers miss some versions."""
        bell = asyncio.Event()
        topics = {name: self._topics.setdefault(name, _Topic()) for name in names}
        for name, topic in topics.items():
            topic.bells.add(bell)
            topic.task = topic.task or asyncio.create_task(self._watch(name, topic))
        told = dict.fromkeys(names, "")
        try:
            while True:
                bell.clear()
                for name, topic in topics.items():
                    if topic.text != told[name]:
                        told[name] = topic.text
                        yield f"data: {told[name]}\n\n".encode()
                try:
                    await asyncio.wait_for(bell.wait(), BEAT)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            for name, topic in topics.items():
                topic.bells.remove(bell)
                if not topic.bells and topic.task:
                    topic.task.cancel()
                    self._topics.pop(name)

    async def _watch(self, name: str, topic: _Topic) -> None:
        """Poll a *topic*, at intervals that limit the time spent to :data:`SHARE`."""
        look = self._record if name else self._list_runs
        loop = asyncio.get_running_loop()
        before: Json = None
        while True:
            begun = loop.time()
            try:
                stamp = await self.finder.call("stamp", run=name) if name else None
                if stamp is None or stamp != before or self._changed(name, topic):
                    text = json.dumps({"run": name, **await look({"run": name})})
                    before = stamp
                else:
                    text = topic.text
            except WorkerError as error:
                text = json.dumps({"run": name, "error": str(error)})
            if text != topic.text:
                topic.text = text
                for bell in topic.bells:
                    bell.set()
            await asyncio.sleep(min(max(1.0, (loop.time() - begun) / SHARE), SELDOM))

    def _changed(self, name: str, topic: _Topic) -> bool:
        """Test whether the run called *name* has started or ended here since the last poll."""
        own = name in self.trainers.running
        return f'"own": {json.dumps(own)}' not in topic.text
