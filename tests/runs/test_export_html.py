"""Champions as pages: the JavaScript counts and chooses as Python does, and people can play."""

from __future__ import annotations

import ast
import itertools
import json
import os
import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from evolve_arena.cli.main import main
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Json, Settings
from evolve_arena.players.page_board import find_page_board
from evolve_arena.runs.export import export_player
from evolve_arena.runs.export.board import export_python
from evolve_arena.runs.export.javascript import (
    BUILTINS,
    LIBRARY,
    METHODS,
    OPERATORS,
    Source,
    TranslationError,
    translate,
    write_value,
)
from evolve_arena.runs.export.page import PAGE, run_source, write_source
from tests.browser import open_page, wait_until, with_browser
from tests.evolved import make_evolved, random_positions
from tests.exported import Namespace, tell
from tests.pages import ask_page, run_script, with_node

# Python in JavaScript


def translate_text(text: str, *names: str, **given: str) -> str:
    space: Namespace = {}
    exec(text, space)
    return translate(Source(text, "some.py", space, given), names)


def run_text(text: str, given: list[Json], folder: Path) -> list[Json]:
    """Return the results of the function ``f`` of a *text* in JavaScript."""
    return run_script(f"const ask = ({translate_text(text, 'f')}).f;", given, folder)[0]


BORDERS = [0, 1, 2, 3, 7, 31, 32, 33, 2**26, 2**31 - 1, 2**31, 2**32, 2**52, 2**53 - 1, 2**53]
BORDERS += [2**53 + 1, 2**63, 2**64 - 1, 2**64, 2**90 + 12345]
SHIFTS = ("<<", ">>", "**")
SIGNS = ("+", "-", "*", "//", "%", "&", "|", "^", "<", "==", ">=", *SHIFTS)
DIVISIONS = ("//", "%")


def as_json(value: Json) -> Json:
    if isinstance(value, tuple):
        return list(map(as_json, value))
    return value if isinstance(value, bool) or abs(value) < 2**53 else str(value)


def compare_text(text: str, pairs: list[tuple[int, int]], folder: Path) -> None:
    """Assert that the function ``f`` of a *text* gives the same in both languages."""
    space: Namespace = {}
    exec(text, space)
    with np.errstate(over="ignore"):
        wanted = [as_json(space["f"](*pair)) for pair in pairs]
    assert run_text(text, list(map(as_json, pairs)), folder) == wanted


@with_node
@pytest.mark.parametrize("sign", SIGNS)
def test_whole_numbers_are_those_of_python(sign: str, tmp_path: Path) -> None:
    numbers, chance = [*BORDERS, *(-number for number in BORDERS)], random.Random(1)
    others = [0, 1, 5, 31, 32, 33, 52, 53, 54, 63, 64, 100]
    if sign not in SHIFTS:
        numbers += [chance.randrange(-(2**size), 2**size) for size in range(1, 80)]
        others = numbers
    pairs = [(a, b) for a, b in itertools.product(numbers, others) if b or sign not in DIVISIONS]
    compare_text(f"def f(a, b):\n    return a {sign} b\n", pairs, tmp_path)


@with_node
@pytest.mark.parametrize("sign", ["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "<", "=="])
def test_words_are_those_of_numpy(sign: str, tmp_path: Path) -> None:
    chance = random.Random(2)
    numbers = [0, 1, 2**31, 2**32, 2**53 + 1, 2**63, 2**64 - 1]
    numbers += [chance.getrandbits(64) for _ in range(40)]
    others = [0, 1, 7, 31, 32, 33, 63] if sign in SHIFTS else numbers
    pairs = [(a, b) for a, b in itertools.product(numbers, others) if b or sign not in DIVISIONS]
    text = "import numpy as np\ndef f(a, b):\n"
    text += f"    return int(np.uint64(a) {sign} np.uint64(b)), int(~np.uint64(a))\n"
    compare_text(text, pairs, tmp_path)


CONSTRUCTS = '''
from functools import lru_cache
from operator import itemgetter

TABLE = {(1, 2): "pair", "key": 3, 5: [1, 2, 3]}
NAMES = ["a", "b"]
for letter in "cd":
    if letter == "c":
        NAMES.append(letter)
    LAST = letter


class Pile:
    def __init__(self, items):
        self.items = list(items)

    def top(self, default=None):
        return self.items[-1] if self.items else default


class EmptyError(Exception):
    """Nothing is left."""


@lru_cache(maxsize=None)
def helper(rows):
    return itemgetter(*rows)


def take(pile):
    if not pile.items:
        raise EmptyError
    return pile.items.pop()


def f(a, b):
    first, *rest = [a, b, a + b]
    parts = [x * y for x in range(a) for y in rest if x != y]
    parts += sorted((-x for x in rest), reverse=True)
    new = {n: n**2 for n in range(b) if n % 2}
    default = f"{a:3}|{b:<4}|{a * b:05d}|{a / 4:.2f}|{'x':>3}|{b!r}"
    pile, taken = Pile(rest), []
    try:
        while True:
            taken.append(take(pile))
    except EmptyError:
        taken.append("empty")
    var = a and b or "neither"
    least, most = min(a, b), max([a, b], key=lambda n: -n, default=0)
    x = 0
    for place, (name, number) in enumerate(zip(NAMES, (a, b, a), strict=True)):
        if place == 1:
            continue
        x += number * (place + 1) + (number > 2)
        if x > 90:
            break
    rest[-1] += 4
    rest[0] <<= 2
    return [
        first, rest, parts, sum(new.values()), sorted(new.items()), default, taken, var, least,
        most, x, pile.top("none"), TABLE[1, 2], TABLE.get("none", TABLE["key"]), 5 in TABLE,
        helper((0, 2))(NAMES), NAMES[::-1], NAMES[-2:], divmod(a - 9, 4), 1 < a <= 3 < b + 9,
        not a, "-".join(reversed(NAMES)), (a, b) < (b, a), [a, b] == [b, a], a is None,
        round(a / 2),
        bin(a).count("1"), any(n > 3 for n in rest), all(rest),
        next((n for n in rest if n > 3), -1),
        LAST,
    ]
'''


@with_node
def test_constructs_do_what_they_do_in_python(tmp_path: Path) -> None:
    space: Namespace = {}
    exec(CONSTRUCTS, space)
    given = [[a, b] for a in range(6) for b in (0, 1, 3, 5, 20)]
    wanted = [json.loads(json.dumps(space["f"](a, b))) for a, b in given]
    assert run_text(CONSTRUCTS, given, tmp_path) == wanted


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("def f():\n    with open('x') as file:\n        return file", "the statement with"),
        ("def f():\n    return eval('1')", "the builtin eval"),
        ("def f():\n    return nothing", "the name nothing"),
        ("import numpy as np\ndef f():\n    return np.linalg", "numpy.linalg"),
        ("import numpy as np\ndef f():\n    return np.fft(3)", "numpy.fft"),
        ("def f(x):\n    return x.real", "the attribute real"),
        ("def f(x):\n    return x.casefold()", "the method casefold"),
        ("def f(x):\n    x[1:2] = 3", "an assignment to a slice"),
        ("def f(x):\n    return x @ x", "the operator MatMult"),
        ("def f(x):\n    yield x", "the expression"),
        ("def f(*x):\n    return x", "a function with *"),
        ("OPEN = open\ndef f():\n    return OPEN", "the builtin open"),
    ],
)
def test_what_is_not_known_is_named_with_its_line(text: str, construct: str) -> None:
    with pytest.raises(TranslationError) as caught:
        translate_text(text, "f")
    message = str(caught.value)
    assert re.match(r"some.py, line [1-3]: ", message)
    assert construct in message
    assert message.endswith("can't be written as JavaScript")


@with_node
def test_the_runtime_has_all_that_the_translator_uses(tmp_path: Path) -> None:
    names = [f"builtins.{name}" for name in BUILTINS] + [f"methods.{name}" for name in METHODS]
    names += [f"lib.{module}.{name}" for module in LIBRARY for name in LIBRARY[module].split()]
    names += sorted({*OPERATORS.values(), "fadd", "fsub", "fmul", "fpow", "iadd"})
    script = 'const ask = (name) => name.split(".").reduce((o, n) => o[n], py) !== undefined;'
    found, _ = run_script(script, [[name] for name in names], tmp_path)
    assert [name for name, known in zip(names, found, strict=True) if not known] == []


@with_node
def test_constants_keep_their_values(tmp_path: Path) -> None:
    values = [0.1, -0.0, 1e300, "</script>\u2028'\"\\", [1.5] * 20, (1, (2, "x"))]
    values += [list(range(-200, 200)), [2**40] * 10, [0.1, 0.2] * 9, [np.float32(0.1).item()] * 9]
    values += [np.arange(9, dtype=np.int64) * 70000, np.eye(2, dtype=np.int8)]
    values += [[0] * 1001 + [-7, 0, 70000] + [0] * 30, np.eye(1, 1234, 777), np.zeros(1600)]
    wanted = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
    texts = ", ".join(map(write_value, values))
    script = f"const values = [{texts}];\nconst plain = (x) => typeof x === 'object'"
    script += " ? Array.from(x, plain) : x;\nconst ask = (n) => plain(values[n]);"
    found, _ = run_script(script, [[number] for number in range(len(values))], tmp_path)
    assert found == json.loads(json.dumps(wanted))
    assert "<" not in texts


# Games in one file


GAMES: dict[str, Settings] = {
    **{name: {} for name in ("breakthrough", "checkers", "chomp", "connect-four", "kalah")},
    **{name: {} for name in ("othello", "pig", "tic-tac-toe")},
    "gomoku": {"size": 9},
    "hex": {"size": 5},
    "pig of three": {"seats": 3},
}


@with_node
@pytest.mark.parametrize("name", GAMES)
def test_pages_know_the_rules_and_draw_as_the_view_does(name: str, tmp_path: Path) -> None:
    player = make_evolved(name.partition(" ")[0], "mlp", 1, **GAMES[name])
    game, view = player.game, find_page_board(player.game)
    positions = random_positions(game, 60, 2)
    ends = [game.play(p, m) for p in positions for m in game.legal_moves(p)[:1]]
    positions += [position for position in ends if game.outcome(position)]
    drawn_as = view.layout()["kind"]
    drawing = "[bot.ask_pieces(position), moves.length ? bot.ask_paths(position) : []]"
    body = f"""
    const moves = bot.ask_moves(position);
    return [bot.ask_seat(position), moves, bot.ask_names(position),
      moves.length ? null : bot.ask_places(position),
      {"bot.ask_text(position)" if drawn_as == "text" else drawing},
      {"[]" if name.startswith("pig") else "moves"}.map((m) => bot.play_on_page(position, m))];
    """
    found, _ = ask_page(player, list(map(tell, positions)), tmp_path, body)
    for position, (seat, moves, names, places, drawn, after) in zip(positions, found, strict=True):
        outcome = game.outcome(position)
        assert seat == game.to_move(position)
        assert moves == game.legal_moves(position)
        assert names == [game.format_move(move) for move in moves]
        assert places == (list(outcome.places) if outcome else None)
        if not name.startswith("pig"):  # whose chance decides anew
            assert after == [tell(game.play(position, move)) for move in moves]
        shown = view.draw(position, 0)
        if drawn_as == "text":
            assert drawn == shown["text"]
        else:
            ways = [m.get("paths", [m["path"]] if m["path"] else []) for m in view.moves(position)]
            assert drawn == [shown["pieces"], ways]


@with_node
def test_values_say_what_the_bot_prefers(tmp_path: Path) -> None:
    player = make_evolved("tic-tac-toe", "mlp", 2, take_wins=False)
    positions = random_positions(player.game, 100)
    given = list(map(tell, positions))
    body = "return [bot.ask_values(position), bot.ask_moves(position), bot.ask_bot(position)];"
    found, _ = ask_page(player, given, tmp_path, body)
    for values, moves, chosen in found:
        assert moves[values.index(max(values))] == chosen


# The page


def test_games_that_hide_something_have_no_page() -> None:
    with pytest.raises(BadValueError, match="hides something from its players"):
        export_player(make_evolved("ticket-to-ride", "mlp", hidden=(2,)), "html")


def test_the_file_is_whole_and_asks_for_nothing() -> None:
    page = export_player(make_evolved("breakthrough", "mlp"), "html")
    assert len(page) < 200_000
    assert page.count("<script") == page.count("</script>") == 1
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
    assert set(re.findall(r"https?://[^\s\"']+", page)) == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page
    assert "bred by Evolve Arena" in page
    assert "game: breakthrough" in page


def test_names_cannot_break_out_of_the_page() -> None:
    player = make_evolved("tic-tac-toe", "mlp")
    evil = "</script><script>alert(1)</script><!-- \"'&"
    object.__setattr__(player, "name", evil)
    page = export_player(player, "html")
    assert page.count("</script>") == 1
    assert "alert(1)" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize("name", ["a\0b", "a\udc80b"])
@pytest.mark.parametrize("target", ["html", "onnx"])
def test_a_name_that_no_file_can_hold_is_written_out(
    name: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = make_evolved("tic-tac-toe", "mlp")
    object.__setattr__(player, "name", name)
    (tmp_path / "mine.safetensors").write_bytes(player.serialise())
    monkeypatch.chdir(tmp_path)
    words = ["evolve", "export", "file:mine.safetensors", "--to", target, "--out", "bot"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    content = (tmp_path / "bot").read_bytes()
    assert f"{ascii(name)[1:-1]} plays tic-tac-toe".encode() in content
    assert target == "onnx" or b"\0" not in content


def test_the_scripts_are_small() -> None:
    sizes = {file.name: file.stat().st_size for file in PAGE.iterdir()}
    assert sizes["board.js"] < 25_000
    assert sum(sizes.values()) < 100_000


def test_the_python_of_a_page_runs_as_it_stands() -> None:
    """The translated source is a module that Python runs as well."""
    player = make_evolved("othello", "mlp", size=6)
    text = write_source(player)
    ast.parse(text)
    space = run_source(text)
    position = space["begin_page"]()
    while moves := space["ask_moves"](position):
        assert len(space["ask_values"](position)) == len(moves)
        position = space["play_on_page"](position, space["ask_bot"](position))
    assert sorted(space["ask_places"](position)) in ([1, 1], [1, 2])


@with_browser
def test_a_page_is_played_in_a_browser_without_a_network(tmp_path: Path) -> None:
    """People play by mouse and by keys; the bot answers as the Python file does."""
    player = make_evolved("tic-tac-toe", "mlp", 3)
    bot = run_source(export_python(player))
    file = tmp_path / "page.html"
    file.write_text(export_player(player, "html"), encoding="utf-8")
    with open_page(file) as page:
        assert page.locator("#status").inner_text() == "Your turn: x."
        page.locator('[data-cell="4"]').click()
        wait_until(page, "game.line().length === 3")
        state = page.evaluate("game.line()[1].position[0]")
        chosen = page.evaluate("game.line()[2].played.is")
        assert chosen == bot["choose"](state)
        assert page.locator(".board-told").inner_text().startswith("o played")
        page.locator('[data-cell="4"]').focus()
        for _ in range(12):
            free = page.evaluate("game.ask(game.now()).map((m) => m.path[0])")
            focused = page.evaluate("Number(document.activeElement.dataset.cell)")
            if focused in free:
                break
            key = "ArrowRight" if focused % 3 < 2 else "ArrowDown"
            page.keyboard.press(key if focused != 8 else "ArrowUp")
        page.keyboard.press("Enter")
        wait_until(page, "game.line().length >= 4")
        label = page.locator(f'[data-cell="{focused}"]').get_attribute("aria-label")
        assert label.split(", ")[1] == "x"
        page.locator("#values").click()
        assert page.locator("#values").get_attribute("aria-pressed") == "true"
        page.locator("#undo").click()
        page.locator("#new").click()
        assert page.evaluate("game.line().length") == 1
        page.locator("#side").select_option("")
        wait_until(page, "bot.ask_moves(game.now()).length === 0")
        assert re.fullmatch(r"[xo] has won\.|A draw\.", page.locator("#status").inner_text())


COUNTED = {"encoding": "features", "hidden": ()}
AGAINST: dict[str, tuple[str, str, Settings]] = {
    "MLP": ("connect-four", "mlp", {}),
    "NEAT": ("connect-four", "graph", {}),
    "tuples": ("connect-four", "tuples", {"by_seat": True}),
    "search": ("checkers", "mlp", {**COUNTED, "features": 14, "depth": 4}),
    "game in one file": ("breakthrough", "mlp", {}),
}
MATCHES = int(os.environ.get("HTML_GAMES", "2"))
"""Of each; ``HTML_GAMES=200 pytest tests/runs/test_export_html.py -k against -s`` tells more."""
MATCH = """
globalThis.match = {
  begin() { match.position = bot.begin_page(); },
  names() { return bot.ask_names(match.position); },
  play(place) {
    const { position } = match;
    match.position = bot.play_on_page(position, bot.ask_moves(position)[place]);
  },
  choose() {
    const chosen = bot.ask_bot(match.position);
    return bot.ask_moves(match.position).findIndex((move) => py.eq(move, chosen));
  },
};
"""


@with_browser
@pytest.mark.parametrize("kind", AGAINST)
def test_in_a_browser_it_plays_against_its_python_player(kind: str, tmp_path: Path) -> None:
    """From a file and without a network; each moves first in every other game."""
    name, network, settings = AGAINST[kind]
    player = make_evolved(name, network, 1, **settings)
    game, file, moved = player.game, tmp_path / "page.html", 0
    file.write_text(export_player(player, "html"), encoding="utf-8")
    with open_page(file) as page:
        page.locator("#side").select_option("all")
        page.evaluate(MATCH)
        for number in range(MATCHES):
            position, draw = game.initial(), random.Random(number)
            page.evaluate("match.begin()")
            for ply in itertools.count():
                moves = game.legal_moves(position)
                if not moves:
                    break
                chosen = draw.choice(moves) if ply < 4 else player.choose(position, new_stream(ply))
                names = [text.rpartition(" ")[2] for text in page.evaluate("match.names()")]
                name = game.format_move(chosen)
                if ply >= 4 and ply % 2 == number % 2:
                    place = page.evaluate("match.choose()")
                    assert names[place] == name, f"game {number}, ply {ply}"
                    moved += 1
                page.evaluate(f"match.play({names.index(name)})")
                position = game.play(position, chosen)
            assert page.evaluate("match.names()") == []
    assert moved > 2 * MATCHES
    print(f"\n{kind}: {MATCHES} games, {moved:,} moves of the page, all as the Python player's")
