"""Odd bodies of requests: each gets a sentence that says what is wrong.

The target ``page`` of the fuzzer sends many more.
"""

from __future__ import annotations

import json

import pytest

from tests.served import Client


def test_a_game_that_was_kept_is_opened_again(server: Client) -> None:
    text = {"game": "tic-tac-toe", "options": {}, "players": ["one", "two"], "numbers": [4, 0]}
    text |= {"seed": "18446744073709551615", "text": "", "places": [1, 1], "sentence": ""}
    (kept,) = server.post("replay", game="tic-tac-toe", text=json.dumps(text))
    given = {key: kept[key] for key in ("game", "options", "numbers", "seed")}
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
