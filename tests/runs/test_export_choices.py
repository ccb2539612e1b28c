"""Exported bots of games whose files import compiled functions, or hide something."""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolve_arena.arena.match import play_match
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import open_file
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Settings
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from tests.c_bots import with_gcc
from tests.evolved import make_evolved, random_positions
from tests.exported import choose_in_c, load_bot
from tests.heap import load_heap
from tests.tracks import STONES

LEDUC = STONES.with_name("leduc.py")

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
"""Key of the compiled game: the text of its file, whatever that imports."""
IMPORTING = (
    ('"""Heap: ', f'"""Heap with {VERSION}: '),
    (
        "import numpy as np\n",
        "import math\n\nimport numpy as np\n\nfrom heap_parts.ways import is_wanted\n"
        "from heap_parts.ways import wish as find_wish\n",
    ),
    (
        "(state[LEFT] * 7 + setting) % 6",
        "(find_wish(np.int64(state[LEFT]), np.int64(4)) + setting) % 6",
    ),
    ("out[0] = state[LEFT] / 40", "out[0] = math.sin(state[LEFT])"),
    ("            if move == wanted:", "            if is_wanted(move, wanted):"),
)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Make a package with a game's file, the same with NumPy in it, and a module beside them."""
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
def test_a_file_takes_along_what_it_imports(settings: Settings, name: str) -> None:
    player = make_evolved(name, "mlp", 3, encoding="features", **settings)
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
    player = make_evolved("importing", "mlp", 3, head="kinds")
    told = r"importing\.py, line \d+: .*: export it with --to python$"
    with pytest.raises(ArenaError, match=told):
        export_player(player, target)


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
    player = make_evolved("secret-heap", "mlp", 5, head="kinds")
    bot, rng = load_bot(player), new_stream(1)
    differing = 0
    for position in random_positions(game, 60, 1):
        known = game.view(position, game.to_move(position))
        move = player.choose(position, rng)
        state = list(position.state)
        assert bot["choose"](state) == bot["choose"](list(known.state)) == move
        assert bot["view"](state) == list(known.state)
        assert bot["view"](state, 2) == list(game.view(position, 2).state)
        differing += list(known.state) != state
    assert differing > 30


@pytest.mark.parametrize("settings", [{}, {"head": "policy"}, {"hidden": ()}], ids=str)
def test_poker_is_played_from_what_a_seat_knows(settings: Settings, tmp_path: Path) -> None:
    game = open_file(LEDUC).make()
    player = make_evolved("leduc", "mlp", 5, **settings)
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
    player = make_evolved(name, "mlp", 5, **({} if name == "leduc" else {"head": "kinds"}))
    positions = random_positions(player.game, 60, 1)
    chosen = [player.choose(position, new_stream(1)) for position in positions]
    assert choose_in_c(player, positions, tmp_path) == chosen
