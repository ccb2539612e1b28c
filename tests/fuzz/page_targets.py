"""Targets of the fuzzer: requests of the page, and games that were kept.

Requests go through the server's own application; its workers answer in this process, and calls
that would start a program do nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch
from urllib.parse import unquote

from hypothesis import strategies as st

from evolve_arena.arena.match import play_match
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import game_names, make_game
from evolve_arena.core.types import Json, JsonObject, Settings
from evolve_arena.players.player import make_random
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.store.kept_games import KeptGame, KeptGames, parse_games
from evolve_arena.web import app
from evolve_arena.web.app import Server
from evolve_arena.web.playing import Desk
from evolve_arena.web.trainers import Trainers
from evolve_arena.web.workers import Worker, WorkerError
from tests.fuzz.inputs import change_json, change_text, texts, values, words
from tests.fuzz.target import JSON_WORDS, Target, change_pieces, dump, read, try_each

SERVED = "served"
"""The folder with a run that the page shows."""
LONGEST_REFUSAL = 400


class _Here(Worker):
    """A worker whose functions run in this process, so that faults can be seen."""

    async def call(self, name: str, *more: object, **given: object) -> Json:
        """Answer as a process of its own would, from JSON to JSON."""
        name, given = json.loads(json.dumps([name, given]).encode())
        try:
            if not hasattr(self, "desk"):
                self.desk = import_module(self._module).Desk(**json.loads(json.dumps(self._given)))
            answer = getattr(self.desk, name)(**given)
        except ArenaError as error:
            raise WorkerError(str(error)) from None
        except Exception as error:
            raise _FailedError from error  # the server would take some for a request of nonsense
        return json.loads(json.dumps(answer, default=str).encode())

    def stop(self) -> None:
        """Do nothing: there is no process."""


class _FailedError(BaseException):
    """Raised for a failing worker. Not an Exception, so that no handler catches it."""


class _Idle(Trainers):
    """Starter of programs that does nothing."""

    async def _launch(self, run: str, words: list[str], *more: object) -> None:
        _check_words(words)

    async def _finish(self, words: list[str], *more: object) -> bytes:
        _check_words(words)
        return b"{}"


def _check_words(words: Sequence[str]) -> None:
    """Refuse words that no program can be given, as starting one does."""
    if any(b"\0" in os.fsencode(word) for word in words):
        raise ValueError("embedded null byte")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


@cache
def _server() -> Server:
    with patch.object(app, "Worker", _Here):
        server = Server(Path(SERVED), SERVED)
    server.trainers = _Idle()
    return server


async def _ask(server: Server, path: str, body: bytes | None) -> tuple[int, Json]:
    """Return the status and content of the answer to a request; without a *body* it is a GET."""
    place, _, query = path.partition("?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET" if body is None else "POST",
        "path": unquote(place),
        "raw_path": os.fsencode(place),
        "root_path": "",
        "query_string": os.fsencode(query),
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    }
    sent: list[JsonObject] = []

    async def receive() -> JsonObject:
        return {"type": "http.request", "body": body or b"", "more_body": False}

    async def send(message: JsonObject) -> None:
        sent.append(message)

    await server.make_app()(scope, receive, send)
    text = b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"], json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise AssertionError(f"{name} is no JSON")


GAMES = ("connect-four", "checkers", "tic-tac-toe", "ticket-to-ride")
PLAY: Settings = {
    "game": "connect-four",
    "options": {"rows": 6},
    "players": ["human", "random"],
    "numbers": [],
    "names": [],
    "seed": 7,
}
BODIES: dict[str, list[Settings]] = {
    "/api/play": [
        PLAY,
        {"players": ["run:r", "human"]},
        {"game": "checkers", "players": ["random", "minimax:depth=1"], "options": {}},
        {**PLAY, "numbers": [3, 3, 2], "names": ["a", "b"]},
    ],
    "/api/replay": [
        {"game": "connect-four", "text": "3321"},
        {"game": "checkers", "text": '[Event "x"] 1. 11-15 23-19 *'},
        {"game": "connect-four", "file": "games.jsonl"},
    ],
    "/api/runs": [{"run": "new", "recipe": "connect-four", "changes": ["run.seed=7"]}],
    "/api/resume": [{"run": "r", "generations": 3}],
    "/api/stop": [{"run": "r"}],
    "/api/draw": [{"run": "r", "what": "fitness"}],
    "/api/rate": [{"runs": ["r", "r"], "others": ["random"], "games": 10}],
}
ACTS = ("look", "step", "undo", "resign", "swap", "hint", "values", "inside", "text", "keep")
MOVES = [{"act": "play", "move": "3"}, *({"act": act} for act in ACTS)]
MOVES += [
    {"act": "look", "ply": 0},
    {"act": "undo", "times": 1},
    {"act": "hint", "player": "random"},
]
MOVES += [{"act": each, "player": "run:r", "ply": 0} for each in ("values", "inside")]
QUESTIONS = (
    *("/api/runs", "/api/describe?run=r", "/api/record?run=r", "/api/recipes", "/api/games"),
    *("/api/form?recipe=connect-four", "/api/form?recipe=run:r", "/api/players?game=checkers"),
    *("/api/files", "/plots?run=r&file=fitness.png"),
)
NEEDY = ("undo", "hint", "keep")
"""Acts that are refused at the beginning of a game."""
REFUSED = ("/api/stop", "/api/rate")
"""Requests that are refused even if valid: no run is in progress, and there is no second one."""
PATHS = {*BODIES, *(f"/api/play/{game}" for game in GAMES)}
NAMES = ("r", "run:r", "human", "random", "minimax:depth=1", "fitness", *GAMES, "file:r", "../r")


def _requests() -> list[bytes]:
    """Return requests: a path, and the body in the line after it."""
    bodies = [(path, body) for path, found in BODIES.items() for body in found]
    bodies += [("/api/play/connect-four", body) for body in MOVES if body["act"] not in NEEDY]
    told = [f"{path}\n{json.dumps(body)}" for path, body in bodies if path not in REFUSED]
    Path(SERVED, "games.jsonl").write_bytes(_kept()[0])
    return [text.encode() for text in (*told, *QUESTIONS[:-1])]


def _change_requests(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return requests with other values and letters in bodies, and other values in questions."""
    named = st.sampled_from(NAMES)

    @st.composite
    def draw_request(draw: st.DrawFn) -> bytes:
        if draw(st.integers(0, 9)) == 0:
            path, equals, value = draw(st.sampled_from(QUESTIONS)).partition("=")
            other = draw(st.one_of(st.just(value), named, texts))
            return f"{path}{equals}{other}".encode("utf-8", "surrogatepass")
        path = draw(st.sampled_from(sorted(PATHS)))
        body = draw(change_json(st.sampled_from(BODIES.get(path, MOVES))))
        if draw(st.booleans()) and isinstance(body, dict):
            key = draw(st.sampled_from([*PLAY, "move", "ply", "player", "act", "times", "games"]))
            body[key] = draw(st.one_of(values, named, st.lists(named, max_size=3)))
        text = draw(st.one_of(st.just(dump(body).encode()), _change_letters(dump(body))))
        return path.encode() + b"\n" + text

    return draw_request()


def _change_letters(text: str) -> st.SearchStrategy[bytes]:
    return change_text(st.just(text), words(*JSON_WORDS))


def _check_request(data: bytes) -> None:
    """Check that the page answers, or refuses in one line, and never with a status of 500."""
    head, newline, body = data.partition(b"\n")
    path = read(head)
    server = _server()
    server.games.clear()
    if newline and path not in PATHS:
        raise ArenaError("nothing is asked there")
    if not newline and path.partition("?")[0] not in {each.partition("?")[0] for each in QUESTIONS}:
        raise ArenaError("nothing is told there")  # pages, or events without an end
    game = path.removeprefix("/api/play/")
    if game != path:
        server.games[game] = _Here(
            "evolve_arena.web.playing", runs={"r": f"{SERVED}/r"}, **_at(game)
        )
    ask = _ask(server, path, body if newline else None)
    try:
        with patch.object(app, "Worker", _Here):
            status, content = _loop().run_until_complete(ask)
    except _FailedError as error:
        raise error.__cause__ or error from None
    if status == 200:
        return
    assert status in {400, 404, 409, 413}, (status, str(content)[:300])
    text = content["error"]
    assert text.isprintable(), text[:300]
    assert len(text) <= LONGEST_REFUSAL, text[:300]
    raise ArenaError(text)


def _at(game: str) -> JsonObject:
    """Return the settings of a game in which a person plays against chance."""
    players = ["human", "random"]
    return {"game": game, "options": {}, "players": players, "seed": 1}


def _kept() -> list[bytes]:
    """Return kept games: all of a game in a file, and games as people write them."""
    found = []
    for name in GAMES:
        game = make_game(name)
        randoms = [make_random(game)] * game.seats
        kept = KeptGames(Path(f"{name}.jsonl"))
        for seed in (1, 2):
            kept.keep(game, ["a"] * game.seats, seed, play_match(game, randoms, seed=seed))
        found.append("".join(f"{line}\n" for line in kept._lines).encode())
    told = (
        b'[White "a"]\n1. 11-16 22-18 {a (comment)} 9-13 25-22 5-9 (1... 2-7) 18-14 10x17 21x14x5'
    )
    return [*found, b"3321", b'[Event "x"] 1. 11-15 23-19 *', b"a1 b2", told]


def _check_kept(data: bytes) -> None:
    """Check that games that are read can be sent to the page and opened, or are refused."""

    def check(name: str) -> None:
        games = parse_games(read(data), make_game(name), "games.jsonl, line")
        json.dumps([asdict(each) for each in games], allow_nan=False)
        for each in games[:3]:
            _replay(each)

    try_each(GAMES, check)


def _replay(kept: KeptGame) -> None:
    """Open a game as the page does."""
    players, seed = ["random"] * len(kept.players), int(kept.seed)
    desk = Desk({}, kept.game, kept.options, players, kept.numbers, kept.players, seed)
    table = desk.look()
    assert len(table["played"]) == len(kept.numbers)
    if find_text_ui(make_game(kept.game, **kept.options)).is_open:
        parse_games(desk.text()["text"], make_game(kept.game, **kept.options))


KEPT = (*"0123456789{}[],();!*%", '"numbers"', "11-15", "$1", '[FEN "W:W31,32:B1,K2"]', "21x14x5")
KEPT += ('[Event "', "\n[White", '[Result "1-0"]', "1-0", "\n")
assert set(GAMES) <= set(game_names())
PAGE_TARGETS = (
    Target("page", _requests, _change_requests, _check_request, weight=5),
    Target("kept-games", _kept, change_pieces(*KEPT), _check_kept),
)
