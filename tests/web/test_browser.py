"""The page in a real browser: what people do there, from the first run to a replay."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from evolve_arena.core.types import JsonObject
from evolve_arena.runs.run import Run
from tests.browser import CHROMIUM, SWITCHES, list_faint, wait_until, with_browser
from tests.served import Client, end, serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route

pytestmark = with_browser
PLAYED = {
    "connect-four": ["test-bot"],
    "checkers": ["random"],
    "gomoku": ["random"],
    "ticket-to-ride": ["rule:text", "random"],
}
"""Opponents of a person in a whole game of each."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as starter:
        browser = starter.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def errors() -> list[str]:
    """Return the page's errors; a test takes out those that it expects."""
    return []


@pytest.fixture
def page(browser: Browser, server: Client, errors: list[str]) -> Iterator[Page]:
    """Yield a page that may have no errors and ask no other host; it has the server's token."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    cookie = {"name": server.cookie, "value": server.token, "url": server.address}
    context.add_cookies([cookie])
    page = context.new_page()
    page.set_default_timeout(120_000)  # in milliseconds; the machine may be busy
    asked: set[str] = set()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "response", lambda got: errors.append(f"{got.status} {got.url}") if got.status > 399 else 0
    )
    page.on("console", lambda told: errors.append(told.text) if told.type == "error" else 0)
    page.on("request", lambda request: asked.add(request.url.split("/")[2]))
    yield page
    context.close()
    assert errors == []
    assert len(asked) <= 1


@contextmanager
def serve_to(page: Page, folder: Path) -> Iterator[Client]:
    """Yield a server of its own folder, which a page may open; the page leaves before it ends."""
    client = serve(folder)
    try:
        cookie = {"name": client.cookie, "value": client.token, "url": client.address}
        page.context.add_cookies([cookie])
        yield client
        page.goto("about:blank")
    finally:
        end(client)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def replay(page: Page, server: Client, moves: str = "3344556") -> None:
    """Open a game by its text."""
    page.goto(f"{server.address}/#/replay")
    page.get_by_label("Moves").first.fill(moves)
    button(page, "Open").click()
    page.wait_for_selector(".game", timeout=120_000)


def visit_all(page: Page, server: Client) -> Iterator[str]:
    """Yield each kind of page, once it has loaded."""
    for where in ("runs", "run/first", "start/connect-four-neat", "play", "replay"):
        page.goto(f"{server.address}/#/{where}")
        wait_until(page, "!document.querySelector('main').textContent.includes('Loading …')")
        page.wait_for_timeout(300)
        yield where


def test_the_printed_address_opens_the_page_by_a_link_of_another_site_too(
    browser: Browser, server: Client
) -> None:
    """The token goes, the place on the page stays; without it there is an instruction."""
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{server.address}/#/replay")
        assert "open the address with its token" in page.inner_text("body")
        page.goto(f"data:text/html,<a href='{server.printed}%23/replay'>open</a>")
        page.get_by_role("link", name="open").click()
        page.get_by_label("Moves").first.wait_for()
        assert page.url == f"{server.address}/#/replay"
        page.reload()
        page.get_by_label("Moves").first.wait_for()
    finally:
        context.close()


def test_a_page_of_a_server_that_was_started_again_says_what_to_do(
    browser: Browser, tmp_path: Path
) -> None:
    context = browser.new_context()
    page = context.new_page()
    first = serve(tmp_path)
    try:
        page.goto(first.printed)
        page.get_by_text("No runs yet.").wait_for()
    finally:
        end(first)
    second = serve(tmp_path, "--port", first.host.partition(":")[2])
    try:
        assert second.address == first.address
        page.get_by_text("open the address with its token").wait_for(timeout=60_000)
    finally:
        end(second)
        context.close()


def test_a_run_is_started_watched_and_its_champion_met(page: Page, server: Client) -> None:
    page.goto(f"{server.address}/#/start/tic-tac-toe-evolved")
    page.get_by_text("[check]").click()
    form = {"run": "watched", "run.generations": "40000"}
    for key, value in {**form, "run.checkpoint_every": "20", "check.every": "2"}.items():
        page.locator(f'[name="{key}"]').fill(value)
    button(page, "Start").click()
    page.wait_for_url("**/#/run/watched", timeout=60_000)
    wait_until(page, "document.querySelectorAll('.chart path').length > 2", 90)
    before = page.locator(".chart path").first.get_attribute("d")
    wait_until(page, f"document.querySelector('.chart path').getAttribute('d') !== {before!r}", 60)
    # The button is held down while news arrive, as a person's finger may do.
    button(page, "Stop").hover()
    page.mouse.down()
    told = page.locator("progress").first.get_attribute("value")
    wait_until(page, f"document.querySelector('progress').getAttribute('value') !== '{told}'", 60)
    page.mouse.up()
    wait_until(page, "document.querySelector('.state').textContent === 'stopped'", 120)
    page.get_by_role("link", name="Play against the champion").click()
    button(page, "Begin").click()
    page.wait_for_selector(".game", timeout=120_000)
    assert "watched" in page.inner_text(".seats")
    page.get_by_label("Show the network's activations").check()
    page.wait_for_selector("text=Activations of watched")
    page.get_by_label("Show a program's value of each move").check()
    wait_until(page, "document.querySelectorAll('.marks .value').length >= 7", 60)
    assert "your move" in page.inner_text(".status")


@pytest.mark.parametrize("name", PLAYED)
def test_a_whole_game_is_played_taken_back_and_replayed(
    name: str, page: Page, server: Client
) -> None:
    begin(page, server, name, *PLAYED[name])
    page.locator("input[type=range]").fill("0")
    game = look(page)
    deadline = time.monotonic() + 300
    while game["result"] is None:
        if game["yours"]:
            claims = [move for move in game["moves"] if move["path"]] or game["moves"]
            choose(page, claims[len(claims) // 2])
        seen, game = game, look(page)
        while game["result"] is None and not (game["yours"] and game != seen):
            assert time.monotonic() < deadline, game
            page.wait_for_timeout(30)
            game = look(page)
    told = json.dumps(game["result"]["text"][:20])
    wait_until(page, f"document.querySelector('.status').textContent.startsWith({told})")
    wait_until(page, "document.querySelector('.board-legend [aria-current], .turn') === null")
    assert [button(page, name).is_visible() for name in ("Hint", "Resign")] == [False, False]
    button(page, "Keep this game").click()
    page.wait_for_selector("text=Kept at the end of played.jsonl")
    last = (server.folder / "played.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["game"] == name
    assert not button(page, "Keep this game").is_visible()
    if not game["open"]:
        return
    count = len(game["played"])
    button(page, "first").click()
    told = f"After move 0 of {count}."
    wait_until(page, f"document.querySelector('.status').textContent === '{told}'")
    page.get_by_label("Show the network's activations").check()
    page.wait_for_selector(
        "text=No player here has a network that takes this position as its input."
    )
    button(page, "Undo").click()
    wait_until(page, "document.querySelector('.status').textContent.endsWith('your move.')")
    assert len(look(page)["played"]) < count


def look(page: Page) -> JsonObject:
    """Return the game as the server sends it."""
    return page.evaluate(
        "async () => { const headers = {'Content-Type': 'application/json'};"
        " const path = `/api/play/${location.hash.split('/')[2]}`;"
        " return await (await fetch(path, {method: 'POST', headers, body: '{}'})).json(); }"
    )


def choose(page: Page, move: JsonObject) -> None:
    """Click the control that plays a *move*."""
    wait_until(page, "document.querySelector('.cell.open, .board-buttons button:enabled') !== null")
    wait_until(page, "document.querySelector('[aria-busy=true]') === null")
    path = move["paths"][0] if move.get("paths") else move["path"]
    for cell in path or ():
        page.locator(f'[data-cell="{cell}"]').dispatch_event("click")
    if not path:
        page.locator(".board-buttons").get_by_role("button", name=move["name"]).first.click()


def test_a_text_of_moves_is_replayed(page: Page, server: Client) -> None:
    replay(page, server)
    assert "win" in page.inner_text(".status")
    button(page, "first").click()
    wait_until(page, "document.querySelectorAll('.piece').length === 0")
    button(page, "forward").click()
    wait_until(page, "document.querySelectorAll('.piece').length === 1")
    page.locator("input[type=range]").fill("50")
    button(page, "Play").click()
    wait_until(page, "document.querySelectorAll('.piece').length === 7")
    button(page, "Play").wait_for()  # it has stopped by itself, at the end
    page.locator("input[type=range]").fill("1000")
    button(page, "Play").click()
    wait_until(page, "document.querySelectorAll('.piece').length === 0")
    button(page, "Stop").click()
    page.wait_for_timeout(1500)
    assert page.locator(".piece").count() <= 1
    button(page, "Play").wait_for()


def begin(page: Page, server: Client, game: str, *opponents: str) -> None:
    """Begin a game of a person against others."""
    page.goto(f"{server.address}/#/play")
    page.get_by_label("Game").select_option(game)
    seats = str(1 + len(opponents))
    page.wait_for_selector(f'form[data-game="{game}"] option[value="{seats}"]', state="attached")
    page.locator("form select").first.select_option(seats)
    for number, opponent in enumerate(opponents, 2):
        page.get_by_label(f"player {number}").fill(opponent)
    button(page, "Begin").click()
    page.wait_for_selector(".game", timeout=120_000)


def test_values_of_an_earlier_move_are_not_shown(page: Page, server: Client) -> None:
    """An answer that is late belongs to a position that is no longer there."""
    begin(page, server, "tic-tac-toe", "run:first")
    held: list[Route] = []

    def hold(route: Route) -> None:
        asked = route.request.post_data_json
        held.append(route) if asked == {"act": "values", "ply": 0} else route.continue_()

    page.route("**/api/play/*", hold)
    page.get_by_label("Show a program's value of each move").check()
    page.wait_for_timeout(200)
    page.locator("input[type=range]").fill("0")
    choose(page, look(page)["moves"][0])
    wait_until(page, "document.querySelectorAll('.piece').length === 2", 60)
    wait_until(page, "document.querySelectorAll('.marks .value').length >= 7", 60)
    shown = page.locator(".marks").inner_html()
    assert len(held) == 1
    held[0].continue_()
    page.wait_for_timeout(1000)
    assert page.locator(".marks").inner_html() == shown


def test_a_game_that_is_left_is_told_to_the_server(page: Page, server: Client) -> None:
    """Also when the page is closed, or loaded anew: then it resumes the game."""
    page.add_init_script(
        "const send = navigator.sendBeacon.bind(navigator);"
        "navigator.sendBeacon = (...given) => { localStorage.told = (localStorage.told || '')"
        " + given[0] + send(...given) + ' '; return true; };"
    )
    answers: list[tuple[str, int]] = []
    page.on("response", lambda got: answers.append((urlsplit(got.url).path, got.status)))
    replay(page, server)
    path = f"/api/play/{page.url.rpartition('/')[2]}"
    page.reload()
    page.wait_for_selector(".game")
    assert page.evaluate("localStorage.told") == f"{path}true "
    answers.clear()
    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_label("compare first").wait_for()
    assert page.evaluate("localStorage.told") == f"{path}true {path}true "
    while (path, 200) not in answers:
        page.wait_for_timeout(50)


def test_six_runs_are_compared_and_one_stream_tells_of_them(
    page: Page, server: Client, tmp_path: Path
) -> None:
    """A browser has six connections to a host: with a stream for each run none would be left."""
    names = [f"run-{number}" for number in range(6)]
    for name in names:
        shutil.copytree(server.folder / "first", tmp_path / name)
    streams: list[str] = []
    page.on("request", lambda asked: streams.append(asked.url) if "/events" in asked.url else 0)
    with serve_to(page, tmp_path) as client:
        page.goto(f"{client.address}/#/runs")
        for name in names:
            page.get_by_label(f"compare {name}").check()
        streams.clear()
        page.get_by_role("link", name="Compare 6").click()
        page.wait_for_selector(".chart path")
        assert page.inner_text("h1") == "6 runs compared"
        assert page.locator("tbody tr").count() == 6
        page.get_by_label("games of each pair").fill("2")
        page.get_by_label("mcts:rollouts=100", exact=True).uncheck()
        page.get_by_role("button", name="Play a round robin").click()
        page.get_by_role("heading", name="Ratings").wait_for()
        page.get_by_text("score, 95 % interval").wait_for(timeout=120_000)
        generation = Run.open(server.folder / "first").champion.remarks["generation"]
        for name in names:
            assert page.get_by_text(f"{name}, champion of generation {generation}").count() == 1
        assert page.locator("tbody tr").count() == 6 + 7  # and a player at random
        (tmp_path / "run-5" / "history.db").unlink()
        page.get_by_text("not started").wait_for(timeout=60_000)
        assert len(streams) == 1


def test_a_run_that_begins_at_a_terminal_is_seen_to_run(
    page: Page, server: Client, tmp_path: Path
) -> None:
    folder = tmp_path / "begun"
    folder.mkdir()
    shutil.copy(server.folder / "first" / "recipe.toml", folder)
    with serve_to(page, tmp_path) as client:
        page.goto(f"{client.address}/#/run/begun")
        page.get_by_text("not started").wait_for()
        (folder / "history.db").write_bytes(b"only just being made")
        wait_until(page, "document.querySelector('.error').textContent !== ''")
        (folder / "history.db").unlink()
        shutil.copytree(server.folder / "first", folder, dirs_exist_ok=True)
        page.get_by_text("complete", exact=True).wait_for()
        page.get_by_text("population SHA-256").wait_for()
        wait_until(page, "document.querySelector('.error').textContent === ''")


def test_what_was_read_while_it_was_written_is_read_again(page: Page, server: Client) -> None:
    told: list[str] = []

    def report(route: Route) -> None:
        answer = route.fetch()
        told.append("" if told else "the file is damaged")
        route.fulfill(response=answer, json={**answer.json(), "trouble": told[-1]})

    page.route("**/api/describe*", report)
    page.goto(f"{server.address}/#/run/first")
    page.get_by_text("population SHA-256").wait_for()
    wait_until(page, "document.querySelector('.error').textContent === ''")
    assert len(told) == 2


def test_a_wrong_value_in_a_folded_section_is_shown(
    page: Page, server: Client, errors: list[str]
) -> None:
    """Both errors that the browser knows and those that the server reports."""
    page.goto(f"{server.address}/#/start/connect-four-neat")
    wrong = (("matches.noise", "7", "1"), ("check.opponents", '["nobody"]', "nobody"))
    for key, value, sentence in wrong:
        field = page.locator(f'[name="{key}"]')
        field.wait_for(state="attached")
        field.evaluate("(input, value) => { input.value = value; }", value)
        assert not field.is_visible()
        with page.expect_response("**/api/runs") if value != "7" else nullcontext():
            button(page, "Start").click()
        field.wait_for(state="visible")
        wait_until(page, f"document.activeElement.name === '{key}'")
        assert sentence in field.evaluate("(input) => input.validationMessage")
        field.evaluate("(input) => { input.value = input.defaultValue; }")
    assert errors.pop().startswith("Failed to load resource: the server responded with a status")
    assert errors == [f"400 {server.address}/api/runs"]
    errors.clear()


def test_a_page_says_that_it_loads_and_asks_all_at_once(page: Page, server: Client) -> None:
    held: list[Route] = []
    asked: list[str] = []

    def hold(route: Route) -> None:
        asked.append(route.request.url)
        held.append(route) if len(asked) <= count else route.continue_()

    page.route("**/api/*", hold)
    for where, count in (("runs", 1), ("start", 3)):
        page.goto("about:blank")
        held.clear()
        asked.clear()
        page.goto(f"{server.address}/#/{where}")
        wait_until(page, "document.querySelector('main').textContent.includes('Loading …')")
        page.wait_for_timeout(300)
        assert len(asked) == count
        for route in held:
            route.continue_()
        wait_until(page, "!document.querySelector('main').textContent.includes('Loading …')")


def test_controls_have_names_and_grids_have_rows(page: Page, server: Client) -> None:
    """As a screen reader is told of them."""
    for where in visit_all(page, server):
        assert list_nameless(page) == [], where
    replay(page, server)
    page.get_by_role("grid", name="Board").wait_for(timeout=120_000)
    assert list_nameless(page) == []
    assert page.get_by_role("row").count() == 6
    assert page.get_by_role("row").first.get_by_role("gridcell").count() == 7


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_pages_are_no_wider_than_the_screen_and_texts_stand_out_from_their_ground(
    scheme: str, width: int, page: Page, server: Client
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    for where in visit_all(page, server):
        assert list_faint(page) == [], where
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where


def list_nameless(page: Page) -> list[str]:
    """Return the controls without a name in the tree of a screen reader."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    kinds = {"button", "checkbox", "combobox", "link", "searchbox", "slider", "spinbutton"}
    kinds |= {"textbox", "grid", "gridcell", "progressbar", "image"}
    named = [node for node in nodes if not node.get("ignored") and node["role"]["value"] in kinds]
    return [
        node["role"]["value"] for node in named if not node.get("name", {}).get("value", "").strip()
    ]


def test_species_are_drawn_one_on_top_of_the_other(page: Page, server: Client) -> None:
    """Where one ends the next begins; the whole height is the population."""
    page.goto(server.address)
    drawn = page.evaluate(
        """async () => {
          const { Areas } = await import("/static/charts.js");
          const areas = new Areas("Sizes", "");
          const x = [0, 1, 2];
          areas.show([{ name: "1", colour: "#112233", x, sizes: [10, 6, 0] },
            { name: "2", colour: "#445566", x, sizes: [0, 4, 10] }]);
          const drawn = [...areas.svg.querySelectorAll(".area")];
          return {
            edges: drawn.map((area) => area.getAttribute("d").match(/[0-9.]+ [0-9.]+/g)),
            colours: drawn.map((area) => area.getAttribute("fill")),
            names: [...areas.svg.querySelectorAll(".inside")].map((text) => text.textContent),
            label: areas.svg.getAttribute("aria-label"),
          };
        }"""
    )
    (first, second), ground, top = drawn["edges"], 194.0, 8.0  # of 220 pixels
    height = {at: float(point.split()[1]) for at, point in enumerate(first)}
    middle = ground - 0.6 * (ground - top)
    assert list(height.values()) == pytest.approx([top, middle, ground, ground, ground, ground])
    assert second[-3:] == first[:3][::-1]  # it stands on the first one
    assert [float(point.split()[1]) for point in second[:3]] == [top] * 3
    assert (drawn["colours"], drawn["names"]) == (["#112233", "#445566"], ["1", "2"])
    assert drawn["label"] == "Sizes; newest: species 2: 10"


def test_nothing_of_a_run_becomes_markup(page: Page, server: Client) -> None:
    nasty = "<img src=x onerror=document.body.remove()><script>document.body.remove()</script>"
    folder = server.folder / "nasty"
    folder.mkdir()
    recipe = (server.folder / "first" / "recipe.toml").read_text().split("\n", 1)[1]
    (folder / "recipe.toml").write_text(f"title = {json.dumps(nasty)}\n{recipe}")
    for where in ("#/runs", "#/run/nasty"):
        page.goto(f"{server.address}/{where}")
        page.get_by_text("onerror").first.wait_for()
        assert page.locator("main img").count() == 0
