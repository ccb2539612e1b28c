"""Exported bots of games whose files say more than rules, or import compiled functions."""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.arena.match import play_match
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import open_file
from evolve_arena.core.stream import new_stream
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from tests.bred import make_bred, random_positions
from tests.c_bots import with_gcc
from tests.exported import Case, Table, choose_in_c, in_every_language, load_bot, pick_player, tell
from tests.heap import load_heap
from tests.pages import ask_page, with_node
from tests.tracks import STONES

CHANCY = (
    ("greedy(state, moves, count, notes, setting, kind)", "greedy(state, moves, count, random)"),
    ("    wanted, most = think(state, notes, setting), moves[0]\n", ""),
    (
        """    for place in range(count):
        move = moves[place]
        if kind < 0 or kind == min(move, 1) + (move > 3):
            if move == wanted:
                return move
            most = move
    return most
""",
        "    return moves[random % count]\n",
    ),
    ("quick(state, setting, kind):", "quick(state, random, kind):"),
    (
        "return 0 if kind == 0 else 4 if kind == 2 else 1",
        "return 4 - random % 3 if kind == 2 else random % 2",
    ),
)
LEDUC = STONES.with_name("leduc.py")
PLAYERS: Table = {
    "kinds": ("heap", "mlp", {"head": "kinds", "hidden": (4,)}),
    "kinds by features": ("heap", "mlp", {"head": "kinds", "encoding": "features"}),
    "kinds, shifted": (
        "heap",
        "mlp",
        {"head": "kinds", "encoding": "features", "script": "greedy:shift=3", "hidden": (4, 3)},
    ),
    "kinds without a list": ("heap", "mlp", {"head": "kinds", "script": "quick", "hidden": (4,)}),
    "kinds that may be wrong": ("heap", "mlp", {"head": "kinds", "masked": False}),
    "kinds of a graph": ("heap", "graph", {"head": "kinds", "encoding": "features"}),
    "kinds of a graph by planes": ("heap", "graph", {"head": "kinds", "script": "greedy:shift=2"}),
    "pruned": ("heap", "mlp", {"head": "action"}),
    "pruned, by features": (
        "heap",
        "mlp",
        {"head": "action", "encoding": "features", "script": "greedy:shift=4"},
    ),
    "pruned, of a graph": ("heap", "graph", {"head": "action", "encoding": "features"}),
    "features": ("heap", "mlp", {"encoding": "features", "script": "greedy:shift=1"}),
    "chance": ("chancy-heap", "mlp", {"head": "kinds", "encoding": "features", "script": "quick"}),
}


@pytest.fixture(scope="module", autouse=True)
def _heaps(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("heap")
    load_heap(folder)
    load_heap(folder, "chancy_heap", *CHANCY)


@pytest.fixture(params=PLAYERS, scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    """A player, positions, and what it chooses there in the arena, from one stream.

    Where a player wants what is not legal, bots choose something else.
    """
    player = pick_player(PLAYERS, request.param)
    positions, stream = random_positions(player.game, 40, 1), new_stream(0)
    chosen = [player.choose(position, stream) for position in positions]
    legal = [place for place, move in enumerate(chosen) if move >= 0]
    assert len(legal) == 40 or not getattr(player.decoder, "masked", True)
    return player, [positions[place] for place in legal], [chosen[place] for place in legal]


@in_every_language
def test_bots_choose_the_same(case: Case, choose: Any, tmp_path: Path) -> None:
    player, positions, chosen = case
    assert choose(player, positions, tmp_path) == chosen


@with_node
def test_pages_give_each_move_a_value(case: Case, tmp_path: Path) -> None:
    player, positions, _ = case
    body = "return bot.ask_values(position).length;"
    counts = ask_page(player, list(map(tell, positions)), tmp_path, body)[0]
    assert counts == [len(player.game.legal_moves(position)) for position in positions]


# Files that import compiled functions and constants of other modules

WAYS = '''"""What the file of a heap imports."""

import numpy as np

from evolve_arena.core.compiled import compiled, inlined

STEPS = np.array([[3, 5], [2, 1]])


@compiled
def wish(left, depth):
    """A number that is found by recursion."""
    if depth == 0 or left < 0:
        return left & 7
    return wish(left - STEPS[depth & 1, left & 1], depth - 1) + depth


@inlined
def is_wanted(move, wanted):
    return move == wanted
'''
VERSION = hashlib.sha256(WAYS.encode()).hexdigest()
"""What is compiled of a game is kept by the text of its file, whatever that imports."""
IMPORTING = (
    ('"""Heap: ', f'"""Heap with {VERSION}: '),
    (
        "import numpy as np\n",
        "import numpy as np\n\nfrom heap_parts.ways import is_wanted\n"
        "from heap_parts.ways import wish as find_wish\n",
    ),
    (
        "(state[LEFT] * 7 + setting) % 6",
        "(find_wish(np.int64(state[LEFT]), np.int64(4)) + setting) % 6",
    ),
    ("            if move == wanted:", "            if is_wanted(move, wanted):"),
)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A package that has a game's file, the same with NumPy in it, and a module beside them."""
    package = tmp_path_factory.mktemp("packages") / "heap_parts"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "ways.py").write_text(WAYS, encoding="utf-8")
    sys.path.insert(0, str(package.parent))
    load_heap(package, "importing", *IMPORTING)
    load_heap(package, "numpy_importing", *IMPORTING, ("move / 5", "np.sin(move)"))
    yield
    sys.path.remove(str(package.parent))


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("name", ["importing", "numpy-importing"])
@pytest.mark.parametrize("settings", [{}, {"head": "kinds"}, {"head": "action"}], ids=str)
def test_a_file_takes_along_what_it_imports(settings: dict[str, Any], name: str) -> None:
    player = make_bred(name, "mlp", 3, encoding="features", **settings)
    # Nothing but the description of moves needs NumPy.
    needs_numpy = name == "numpy-importing" and settings == {"head": "action"}
    assert ("import numpy" in str(export_player(player, "python"))) == needs_numpy
    positions, choose = random_positions(player.game, 60, 2), load_bot(player)["choose"]
    chosen = [player.choose(position, new_stream(5)) for position in positions]
    assert [choose(list(position.state)) for position in positions] == chosen
    assert len({*chosen}) > 1


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("target", ["c", "html"])
def test_other_targets_say_that_python_takes_it_along(target: str) -> None:
    player = make_bred("importing", "mlp", 3, head="kinds")
    told = r"importing\.py, line \d+: .*: export it with --to python$"
    with pytest.raises(ArenaError, match=told):
        export_player(player, target)


def test_chance_comes_from_the_stream_that_is_given() -> None:
    player = make_bred("chancy-heap", "mlp", 3, head="kinds", script="quick")
    stream, own, bot = new_stream(5), [5], load_bot(player)
    positions = random_positions(player.game, 60, 2)
    chosen = [player.choose(position, stream) for position in positions]
    assert [bot["choose"](list(each.state), stream=own) for each in positions] == chosen
    assert own == stream.tolist()
    assert [bot["choose"](list(each.state), stream=own) for each in positions] != chosen


# Hidden information

SECRET = (
    ("LEFT, TURN, PASSED = 0, 1, 2", "LEFT, TURN, PASSED = 0, 1, 2\nSECRETS = 9"),
    ("np.zeros(9, np.int16)", "np.zeros(12, np.int16)"),
    ("+ seat] += move\n", "+ seat] += move\n    state[SECRETS + seat] += move * move\n"),
    (
        "def points(state, seat):",
        "def view(state, seat):\n"
        "    for other in range(SEATS):\n"
        "        if other != seat:\n"
        "            state[SECRETS + other] = 0\n\n\n"
        "def points(state, seat):",
    ),
    ("wanted, most = think(state, notes, setting),", "wanted, most = sum_secrets(state) % 6,"),
    (
        "def greedy(",
        "def sum_secrets(state):\n"
        "    total = 0\n"
        "    for seat in range(SEATS):\n"
        "        total += state[SECRETS + seat]\n"
        "    return total\n\n\n"
        "def greedy(",
    ),
)
"""Each has a number that others can't see; the scripted player would add up all of them."""


def test_scripts_are_asked_from_what_a_seat_knows(tmp_path: Path) -> None:
    game = load_heap(tmp_path, "secret_heap", *SECRET)
    player = make_bred("secret-heap", "mlp", 5, head="kinds")
    bot, stream = load_bot(player), new_stream(1)
    differing = 0
    for position in random_positions(game, 60, 1):
        known = game.view(position, game.to_move(position))
        move = player.choose(position, stream)
        state = list(position.state)
        assert bot["choose"](state) == bot["choose"](list(known.state)) == move
        assert bot["view"](state) == list(known.state)
        assert bot["view"](state, 2) == list(game.view(position, 2).state)
        differing += list(known.state) != state
    assert differing > 30


@pytest.mark.parametrize("settings", [{}, {"head": "policy"}, {"hidden": ()}], ids=str)
def test_poker_is_played_from_what_a_seat_knows(settings: dict[str, Any], tmp_path: Path) -> None:
    game = open_file(LEDUC).make()
    player = make_bred("leduc", "mlp", 5, **settings)
    bot = load_bot(player)
    for position in random_positions(game, 60, 1):
        known, state = game.view(position, game.to_move(position)), list(position.state)
        move = player.choose(known, new_stream(1))
        assert bot["choose"](state) == bot["choose"](bot["view"](state)) == move
    file = tmp_path / "bot.py"
    file.write_text(str(export_player(player, "python")), encoding="utf-8")
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(file))}"
    match = play_match(game, [player, ProcessPlayer(game, command)], seed=3)
    assert match.moves == play_match(game, [player, player], seed=3).moves


@with_gcc
@pytest.mark.parametrize("name", ["leduc", "secret-heap"])
def test_programs_in_c_go_by_what_a_seat_knows(name: str, tmp_path: Path) -> None:
    if name == "leduc":
        open_file(LEDUC)
    else:
        load_heap(tmp_path, "secret_heap", *SECRET)
    player = make_bred(name, "mlp", 5, **({} if name == "leduc" else {"head": "kinds"}))
    positions = random_positions(player.game, 60, 1)
    chosen = [player.choose(position, new_stream(1)) for position in positions]
    assert choose_in_c(player, positions, tmp_path) == chosen
