"""Odd bodies of requests: each gets a sentence that says what is wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.served import Client

BODIES: dict[str, dict[str, Any]] = {
    "runs": {"run": "a b", "recipe": "tic-tac-toe-evolved", "changes": ["run.generations=-4"]},
    "stop": {"run": "nobody"},
    "resume": {"run": "nobody", "generations": 9},
    "draw": {"run": "nobody", "what": "fitness"},
    "rate": {"runs": ["nobody", "first"], "others": ["random"], "games": 2},
    "replay": {"game": "tic-tac-toe", "file": "", "text": "1 5"},
    "play": {
        "game": "tic-tac-toe",
        "options": {},
        "players": ["human", "human"],
        "numbers": [4, 3],
        "names": ["one", "two"],
        "seed": "1",
    },
}
"""A body for each address, all of types that are expected; none starts a process that goes on."""
ACTS: tuple[dict[str, Any], ...] = (
    {"act": "look", "ply": 1},
    {"act": "play", "move": "3"},
    {"act": "undo", "times": 1},
    {"act": "hint", "player": "random"},
    {"act": "values", "player": "random", "ply": 0},
    {"act": "inside", "player": "random", "ply": 0},
    {"act": "step"},
    {"act": "text"},
)
NASTY: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**31, 2**63, -(2**63) - 1, 10**400, 1.5, -0.0, float("inf"),
    float("-inf"), float("nan"), "", " ", "x", "1", "-1", "1e999", "\0", "\ud800", "é\n\x1b[31m",
    "a" * 100_000, "9" * 5000, "../x", "name", "self", [], [[]], [None], [1.5], [float("inf")],
    ["x", 3], [2**63], [-1], list(range(2000)), {}, {"x": 1}, {"columns": None},
    {"columns": 1.5}, {"columns": float("inf")}, {"columns": 10**30}, {"self": 1}, {"name": 1},
    {"": {}},
)  # fmt: skip
DEEP = b"[" * 400 + b"]" * 400
RAW = (
    b"", b" ", b"{", b"[]", b"null", b'"text"', b"3", b"\xff\xfe", b"[" * 100_000, b"{}{}",
    b'{"run": "first", "run": "nobody"}', b'{"run": ' + DEEP + b"}", b'{"options": ' + DEEP + b"}",
    b'{"seed": 1e999}', b'{"seed": ' + b"9" * 6000 + b"}", b'{"act": ["look"]}', b'{"act": {}}',
    b'{"act": "_find_table"}', b'{"act": "look", "self": 1}', b'{"game": "x", "act": "look"}',
)  # fmt: skip


def test_no_body_ends_in_a_fault(server: Client) -> None:
    """Whatever is sent to whatever address: an answer, or one line about what is wrong."""
    game = server.post("play", game="tic-tac-toe", players=["human", "human"])["id"]
    faults = []
    for path, body in _make_bodies(game, random.Random(1)):
        status, content = server.ask(f"/api/{path}", body)
        told = content.get("error", "") if isinstance(content, dict) else ""
        fine = status == 200 or (status in {400, 404} and told and told.isprintable())
        if not fine or "not understood" in told:
            faults.append((path, body[:200], status, content))
    assert faults == []


def _make_bodies(game: str, generator: random.Random) -> Iterator[tuple[str, bytes]]:
    """Some hundred bodies: each value replaced, left out or joined by an unknown one."""
    wholes = [*BODIES.items(), *((f"play/{game}", act) for act in ACTS)]
    for path, whole in wholes:
        for key in whole:
            for value in generator.sample(NASTY, 7):
                yield path, json.dumps({**whole, key: value}).encode()
                if isinstance(whole[key], list):
                    yield path, json.dumps({**whole, key: [*whole[key], value]}).encode()
            fewer = {other: value for other, value in whole.items() if other != key}
            yield path, json.dumps(fewer).encode()
        yield path, json.dumps({**whole, "unknown": generator.choice(NASTY)}).encode()
        for raw in generator.sample(RAW, 5):
            yield path, raw


KEPT = {
    "game": "tic-tac-toe",
    "options": {},
    "players": ["one", "two"],
    "seed": "18446744073709551615",
    "numbers": [4, 0],
    "text": "",
    "places": [1, 1],
    "sentence": "",
}


def test_a_game_that_was_kept_is_read_as_strictly(server: Client) -> None:
    generator = random.Random(2)
    texts = [
        json.dumps({**KEPT, key: value}) for key in KEPT for value in generator.sample(NASTY, 12)
    ]
    for text in texts:
        status, content = server.ask("/api/replay", {"game": "tic-tac-toe", "text": text})
        assert status == 200 or (status == 400 and content["error"].isprintable()), text[:200]
    (kept,) = server.post("replay", game="tic-tac-toe", text=json.dumps(KEPT))
    keys = ("game", "options", "numbers", "seed")
    given = {key: kept[key] for key in keys}
    assert server.post("play", **given, players=["human"] * 2, names=kept["players"])["ply"] == 2


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("play", b'{"options": []}', "options is []: it must be"),
        ("play", b'{"options": {"size": 1e999}}', "options.size is inf: it must be a whole number"),
        ("play", b'{"numbers": [1, 1e999]}', "numbers.1 is inf: it must be a whole number"),
        ("play", b'{"seed": 1e999}', "seed is inf: it must be a whole number"),
        ("play", b'{"seed": Infinity}', "Infinity is no number"),
        ("play", b'{"names": ["a"], "names": []}', "'names' occurs twice"),
        ("play", b'{"players": ["human"], "game": "othello"}', "there are 1 players, and 2"),
        ("play", b'{"players": ["human", "human"], "game": "othello", "names": ["a"]}', "1 names"),
        ("play", b'{"game": "chess960"}', "unknown game"),
        ("play", b'{"game": "pig", "options": {"self": 1}}', "unknown option of pig 'self'"),
        ("resume", b'{"run": "first", "generations": 1e999}', "generations is inf: it must be"),
        ("resume", b'{"run": "first", "generations": -1}', "generations is -1: it must be at lea"),
        ("rate", b'{"runs": ["first", "study/second-1"], "games": 1e999}', "games is inf: it must"),
        ("rate", b'{"runs": "first"}', "runs is 'first': it must be a list"),
        ("stop", b"{}", "run is missing"),
        ("stop", b'{"run": "first", "rum": 1}', "rum is no key: did you mean 'run'?"),
        ("replay", b'{"game": "pig", "text": "{\\"seed\\": Infinity}"}', "no game that was kept"),
    ],
)
def test_a_body_that_is_wrong_is_told_what_was_expected(
    server: Client, path: str, body: bytes, sentence: str
) -> None:
    status, content = server.ask(f"/api/{path}", body)
    assert (status, sentence in content["error"]) == (400, True), content


def test_what_is_asked_of_a_game_is_told_likewise(server: Client) -> None:
    game = server.post("play", game="tic-tac-toe", players=["human", "human"])["id"]
    for body, sentence in (
        ({"act": "play", "move": 3}, "move is 3: it must be a text"),
        ({"act": "look", "ply": "1"}, "ply is '1': it must be a whole number"),
        ({"act": "values", "ply": 1}, "ply is 1: it must be from 0 to 0"),
        ({"act": "inside", "ply": -1}, "ply is -1: it must be from 0 to 0"),
        ({"act": "hint", "player": ["random"]}, "player is ['random']: it must be a text"),
        ({"act": "_find_table"}, "act is '_find_table': it must be one of look, play"),
        ({"act": "step", "ply": 1}, "ply is no key"),
    ):
        status, content = server.ask(f"/api/play/{game}", body)
        assert (status, sentence in content["error"]) == (400, True), content
