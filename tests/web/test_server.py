"""Answers, actions and refusals of the page's server."""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import evolve_arena as ea
from evolve_arena.core.types import Json
from evolve_arena.runs.store.kept_games import KeptGames
from tests.served import SMALL, Client, end, serve

FORM = "connect-four-neat"


def wait_for(condition: Callable[[], Json], seconds: float = 60.0) -> Json:
    """Return the result of *condition* as soon as it is true."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("it did not happen")


def test_all_runs_are_listed_and_described_those_of_studies_too(server: Client) -> None:
    rows = {row["run"]: row for row in server.get("runs")["runs"]}
    assert {"first", "study/second-1"} <= set(rows)
    row = rows["first"]
    assert (row["state"], row["generation"], row["generations"]) == ("complete", 4, 4)
    assert (row["game"], row["method"], row["seed"]) == ("tic-tac-toe", "tournament", 1)
    check = row["check"]
    assert check["generation"] == 4
    assert check["games"] == check["wins"] + check["draws"] + check["losses"] == 10
    assert 0 <= check["low"] <= check["won"] <= check["high"] <= 1
    found = server.get("describe", run="study/second-1")
    run = ea.Run.open(server.folder / "study" / "second-1")
    assert found["summary"]["population_sha256"] == run.population_sha256
    assert found["champions"] == [0, 2, 4]
    assert found["recipe"] == run.directory.recipe.read_text()
    assert found["trouble"] == ""
    found = server.get("record", run="first")
    assert found["statistics"]["generation"] == [0, 1, 2, 3]
    assert len(found["statistics"]["best"]) == 4
    assert [check["generation"] for check in found["checks"]] == [0, 2, 4]


def test_what_is_new_of_several_runs_is_told_by_one_stream(server: Client) -> None:
    runs = ("first", "study/second-1")
    query = "&".join(f"run={run}" for run in runs)
    with socket.create_connection(server.host.split(":"), timeout=60) as connection:
        request = f"GET /api/events?{query} HTTP/1.1\r\nHost: {server.host}\r\n"
        connection.sendall(f"{request}Cookie: {server.cookie}={server.token}\r\n\r\n".encode())
        answer = b""
        while not all(f'data: {{"run": "{run}"'.encode() in answer for run in runs):
            answer += connection.recv(65_536)
    assert b"text/event-stream" in answer
    path = "/api/events?" + "&".join(f"run={number}" for number in range(65))
    assert server.ask(path) == (503, {"error": "too many pages watch: close one"})


def test_a_form_has_every_key_of_the_recipe_with_its_range_and_meaning(server: Client) -> None:
    fields = {field["key"]: field for field in server.get("form", recipe=FORM)["fields"]}
    size = {"value": 300, "type": "integer", "lowest": 2, "highest": 100_000}
    assert size.items() <= fields["neat.pop_size"].items()
    assert fields["matches.noise"]["highest"] == 1.0
    assert fields["check.games"]["help"] == "Games against each opponent, colours balanced."
    assert all(field["help"] for field in fields.values())
    assert fields["game.columns"]["help"] == "Columns of the board, which has 64 cells at most."
    assert fields["run.champion"]["choices"] == ["strongest", "best-check", "last"]
    assert fields["game.columns"]["value"] == 7
    sections = {"game", "network", "method", "matches", "variation", "neat"}
    sections |= {"islands", "check", "run", "search"}
    assert {key.partition(".")[0] for key in fields} == sections
    in_one_file = {field["key"]: field for field in server.get("form", recipe="hex")["fields"]}
    assert in_one_file["search.depth"]["highest"] == 12


def test_games_that_a_person_keeps_teach_an_imitation(server: Client, tmp_path: Path) -> None:
    """The person plays Pig by a rule, as a hint tells it, against one who plays at random."""
    file = server.folder / "played.jsonl"
    file.unlink(missing_ok=True)
    for seed in range(12):
        options = {"game": "pig", "options": {"goal": 30}, "seed": seed}
        shown = server.post("play", players=["human", "random"], **options)
        game = f"play/{shown['id']}"
        assert server.ask(f"/api/{game}", {"act": "keep"})[0] == 400
        while shown["result"] is None:
            if shown["yours"]:
                hint = server.post(game, act="hint", player="hold")
                shown = server.post(game, act="play", move=hint["move"])
            else:
                shown = server.post(game, act="step")
        assert server.post(game, act="keep") == {"file": "played.jsonl"}
    assert "played.jsonl" in server.get("files")
    assert len(server.post("replay", game="pig", file="played.jsonl")) == 12
    changes = {"method.name": "imitation", "method.teacher": f"games:{file},player=you"}
    changes |= {"game.goal": 30, "method.held_out": 4, "run.generations": 5, "check.games": 10}
    run = ea.start("pig", run=tmp_path / "run", changes=changes, executor="serial")
    state = run.state()
    learnt = (state.chosen >= 0).sum(axis=1)
    assert (learnt > 0).all()
    assert (learnt < (state.played >= 0).sum(axis=1)).all(), "only the person's moves"
    assert run.history()["agreement"][-1] >= 0.9


def test_games_in_which_players_changed_sides_are_not_kept(server: Client) -> None:
    shown = server.post("play", game="tic-tac-toe", players=["human", "random"], options={})
    game = f"play/{shown['id']}"
    server.post(game, act="play", move=shown["moves"][0]["move"])
    shown = server.post(game, act="swap")
    while shown["result"] is None:
        shown = server.post(game, act="resign" if shown["yours"] else "step")
    status, content = server.ask(f"/api/{game}", {"act": "keep"})
    assert (status, content["error"]) == (
        400,
        "a game in which players changed sides can't be kept",
    )


def test_games_are_kept_in_a_regular_file_alone(server: Client, tmp_path: Path) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_text("")
    (server.folder / "played.jsonl").unlink(missing_ok=True)
    (server.folder / "played.jsonl").symlink_to(secret)
    shown = server.post("play", game="tic-tac-toe", players=["human", "random"], options={})
    game = f"play/{shown['id']}"
    while shown["result"] is None:
        shown = server.post(game, act="resign" if shown["yours"] else "step")
    assert server.ask(f"/api/{game}", {"act": "keep"})[0] == 400
    assert secret.read_text() == ""
    (server.folder / "played.jsonl").unlink()


def test_kept_games_are_listed_and_shown_move_by_move(server: Client) -> None:
    kept = KeptGames(server.folder / "study" / "games.jsonl")
    game = ea.make_game("connect-four")
    ea.duel("test-bot", "random", games=4, game=game, seed=2, on_match=kept.keep)
    kept.write()
    assert server.get("files") == ["study/games.jsonl"]
    games = server.post("replay", game="tic-tac-toe", file="study/games.jsonl")
    names = ["test-bot", "random"]
    assert [each["players"] for each in games[:2]] == [names, names[::-1]]
    given = {key: games[0][key] for key in ("game", "options", "numbers", "seed")}
    shown = server.post("play", **given, names=names, players=["human", "human"])
    assert [seat["name"] for seat in shown["seats"]] == names
    assert len(shown["played"]) == shown["ply"] == len(games[0]["numbers"])
    assert not shown["yours"]
    first = server.post(f"play/{shown['id']}", act="look", ply=1)
    assert len(first["drawing"]["pieces"]) == 1
    for body in ({"ply": -1}, {"ply": 999}, {"ply": "x"}, {"act": "play", "move": "3"}):
        assert server.ask(f"/api/play/{shown['id']}", {"act": "look", **body})[0] == 400
    assert server.ask("/api/replay", {"game": "checkers", "file": "../games.jsonl"})[0] == 400
    text = {"game": "tic-tac-toe", "options": {}, "players": ["one", "two"], "numbers": [4, 0]}
    text |= {"seed": "18446744073709551615", "text": "", "places": [1, 1], "sentence": ""}
    (kept,) = server.post("replay", game="tic-tac-toe", text=json.dumps(text))
    given = {key: kept[key] for key in ("game", "options", "numbers", "seed")}
    assert server.post("play", **given, players=["human"] * 2, names=kept["players"])["ply"] == 2


def test_a_run_is_started_stopped_and_resumed(server: Client) -> None:
    changes = [text for text in SMALL if "generations" not in text] + ["run.generations=100000"]
    server.post("runs", run="from-page", recipe="tic-tac-toe-evolved", changes=changes)
    state = lambda: server.get("record", run="from-page")  # noqa: E731
    wait_for(lambda: state()["generations"] > 3)
    assert state()["row"]["state"] == "running"
    status, content = server.ask("/api/resume", {"run": "from-page"})
    assert (status, content["error"]) == (409, "from-page is running already")
    server.post("stop", run="from-page")
    stopped = wait_for(lambda: state() if state()["row"]["state"] == "stopped" else None)
    run = ea.Run.open(server.folder / "from-page")
    reached = run.generation
    assert reached == stopped["generations"]
    server.post("resume", run="from-page", generations=reached + 2)
    wait_for(lambda: state()["row"]["state"] == "complete")
    assert ea.Run.open(server.folder / "from-page").generation == reached + 2


def test_pictures_are_drawn_when_asked_for(server: Client) -> None:
    found = server.post("draw", run="first", what="ancestors")
    assert found["plots"] == ["ancestors.png"]
    status, picture = server.ask("/plots", run="first", file="ancestors.png")
    assert (status, picture[:4]) == (200, b"\x89PNG")
    plots = server.post("draw", run="first", what="network")["plots"]
    assert plots == ["ancestors.png", "network.png"]
    status, content = server.settle("draw", run="first", what="x")
    assert (status, "no such picture" in content["error"]) == (400, True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("run.generations=-1", "generations"),
        ("method.nonsense=1", "nonsense"),
        ("check.opponents=['process:touch /tmp/x']", "at the terminal"),
        ("check.opponents=['run:/etc']", "at the terminal"),
        ("check.opponents=['file:/etc/passwd']", "at the terminal"),
        ('check.opponents=["\\u0066ile:/etc/passwd"]', "at the terminal"),
        ('method.stagnation={opponents=["run\\u003a/etc"]}', "at the terminal"),
        ("game.name=/tmp/game.py", "at the terminal"),
        ('game={name="chomp"}', "at the terminal"),
        ("run.start_from=/tmp/run@4", "at the terminal"),
        ("run.population=['/tmp/run']", "at the terminal"),
        ('run={population=["/tmp/run"]}', "at the terminal"),
    ],
)
def test_what_a_page_may_not_start_is_refused(server: Client, change: str, sentence: str) -> None:
    body = {"run": "refused", "recipe": "tic-tac-toe-evolved", "changes": [change]}
    status, content = server.ask("/api/runs", body)
    assert (status, content["error"].count("\n")) == (400, 0)
    assert sentence in content["error"]
    assert not (server.folder / "refused").exists()


def test_a_run_from_elsewhere_runs_no_program_from_here(server: Client) -> None:
    recipe = (server.folder / "first" / "recipe.toml").read_text()
    trace = server.folder.parent / "trace"
    foreign = server.folder / "foreign"
    foreign.mkdir()
    recipe = recipe.replace('"random"', f'"process:touch {trace}"')
    (foreign / "recipe.toml").write_text(recipe, encoding="utf-8")
    status, content = server.ask("/api/runs", {"run": "like-it", "recipe": "run:foreign"})
    assert status == 400
    assert "needs your word" in content["error"]
    server.post("resume", run="foreign")
    assert "needs your word" in wait_for(lambda: _find_ending(server, "foreign"))
    assert not trace.exists()
    # Somebody starts it at a terminal.
    assert server.get("record", run="foreign")["row"]["state"] == "new"
    (foreign / ".lock").write_text(str(os.getpid()))
    wait_for(lambda: not _find_ending(server, "foreign"))
    for path in ("record", "describe"):
        found = server.get(path, run="foreign")
        assert (found["row"]["state"], found["ending"], found["trouble"]) == ("running", "", "")
    (foreign / ".lock").write_text("")


def _find_ending(server: Client, run: str) -> str:
    return str(next(row["ending"] for row in server.get("runs")["runs"] if row["run"] == run))


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "/tmp/x", "a/b/c/d", "a b", "x.toml", ".git", "first"]
)
def test_a_run_gets_no_name_that_leads_elsewhere_or_is_taken(server: Client, name: str) -> None:
    status, content = server.ask("/api/runs", {"run": name, "recipe": "tic-tac-toe-evolved"})
    assert status == 400
    assert "name" in content["error"]


@pytest.mark.parametrize(
    "name", ["..", "../first", "/etc", "first/../first", "first/checkpoints", ""]
)
def test_only_runs_that_are_listed_are_read(server: Client, name: str) -> None:
    for path in ("describe", "record"):
        status, content = server.ask(f"/api/{path}", run=name)
        assert (status, content["error"][:11]) == (400, "unknown run")
    assert server.ask("/plots", run=name, file="recipe.toml")[0] == 404


def test_links_lead_nowhere(runs: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.toml"
    secret.write_text("title = 'a secret'\n")
    folder = tmp_path / "served"
    shutil.copytree(runs / "first", folder / "own")
    (folder / "own" / "plots" / "linked.png").symlink_to(secret)
    (folder / "games.jsonl").symlink_to(secret)
    (folder / "elsewhere").symlink_to(runs / "first")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "games.jsonl").write_text("{}")
    (folder / "other").symlink_to(tmp_path / "other")
    history = runs / "first" / "history.db"
    for name, file, target in (
        ("linked", "recipe.toml", secret),
        ("history", "history.db", history),
    ):
        shutil.copytree(runs / "first", folder / name)
        (folder / name / file).unlink()
        (folder / name / file).symlink_to(target)
    client = serve(folder)
    try:
        assert [row["run"] for row in client.get("runs")["runs"]] == ["own"]
        assert client.get("files") == []
        assert "linked.png" not in client.get("describe", run="own")["plots"]
        assert client.ask("/plots", run="own", file="linked.png")[0] == 404
    finally:
        end(client)


def test_no_path_leaves_the_folder_of_the_page(server: Client) -> None:
    for path in (
        "static/../app.py",
        "static/%2e%2e/app.py",
        "page/../recipe.py",
        "static//etc/passwd",
    ):
        assert server.ask(f"/{path}")[0] in {400, 404}, path


FORBIDDEN = ("process:touch x", "file:/etc/passwd", "file : x", "my_bot.py:Bot", "run:/etc", "run:")
FORBIDDEN += ("run: /etc", "run:../first", "mcts:values=run: /etc", "mcts:values=run:../first")


@pytest.mark.parametrize("player", FORBIDDEN)
def test_a_player_leads_to_no_file_and_no_program(server: Client, player: str) -> None:
    asked = {"game": "tic-tac-toe", "players": ["human", player]}
    for body in (asked, {**asked, "game": None}):
        status, content = server.ask("/api/play", body)
        assert status == 400
        assert any(text in content["error"] for text in ("terminal", "no run", "name a game"))
    game = server.post("play", game="tic-tac-toe", players=["human", "random"])
    assert server.ask(f"/api/play/{game['id']}", {"act": "hint", "player": player})[0] == 400


def test_what_is_hidden_is_not_told_when_asked_for(server: Client) -> None:
    found = server.post("play", game="ticket-to-ride", players=["human", "random"], seed=1)
    assert "seed" not in found
    for act in ("undo", "swap", "values", "inside", "text"):
        status, content = server.ask(f"/api/play/{found['id']}", {"act": act})
        assert (status, "hidden" in content["error"]) == (400, True)


def test_champions_meet_each_other_and_players_from_outside(server: Client) -> None:
    found = server.post("rate", runs=["first", "study/second-1"], games=20, others=["random"])
    names = [player["name"] for player in found["players"]]
    champions = {}
    for run in ("first", "study/second-1"):
        generation = ea.Run.open(server.folder / run).champion.remarks["generation"]
        champions[f"{Path(run).name}@{generation}"] = {"run": run, "generation": generation}
    assert sorted(names) == sorted([*champions, "random"])
    assert found["champions"] == champions
    ranks = [player["rank"] for player in found["players"]]
    assert ranks == sorted(ranks)
    for player in found["players"]:
        low, high = player["wilson_95"]
        assert low <= player["score"] <= high
        assert set(found["crosstable"][player["name"]]) == set(names) - {player["name"]}
    runs = ["first", "study/second-1"]
    for given, text in (
        ({"runs": ["first"]}, "choose 2"),
        ({"runs": ["first", "first"]}, "choose 2"),
        ({"runs": ["first", "../first"]}, "unknown run"),
        ({"runs": runs, "games": 10**9}, "games"),
        ({"runs": runs, "others": ["process:x"]}, "unknown player from outside"),
    ):
        status, content = server.settle("rate", **given)
        assert status == 400
        assert text in content["error"]


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
        ("stop", b'{"run": "first", "rum": 1}', "rum is an unknown setting: did you mean 'run'?"),
        ("replay", b'{"game": "pig", "text": "{\\"seed\\": Infinity}"}', "not a kept game"),
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
        ({"act": "step", "ply": 1}, "ply is an unknown setting"),
    ):
        status, content = server.ask(f"/api/play/{game}", body)
        assert (status, sentence in content["error"]) == (400, True), content


def test_what_is_too_large_or_no_json_is_refused(server: Client) -> None:
    assert server.ask("/api/play", b"x" * 2_000_000)[0] == 413
    for body in (b"{", b"[]", b'"text"', b"\xff", b"[" * 100_000, b'{"players": 3}'):
        assert server.ask("/api/play", body)[0] == 400
    assert server.get("runs")["runs"]
