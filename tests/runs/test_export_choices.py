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
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.runs.export import export_player
from tests.bred import make_bred, random_positions
from tests.c_bots import with_gcc
from tests.exported import Table, choose_in_c, in_every_language, load_bot, pick_player, tell
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
def case(request: pytest.FixtureRequest) -> tuple[BredPlayer, list[Any], list[int]]:
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
def test_bots_choose_the_same(
    case: tuple[BredPlayer, list[Any], list[int]], choose: Any, tmp_path: Path
) -> None:
    player, positions, chosen = case
    assert choose(player, positions, tmp_path) == chosen


@with_node
def test_pages_give_each_move_a_value(
    case: tuple[BredPlayer, list[Any], list[int]], tmp_path: Path
) -> None:
    player, positions, _ = case
    body = "return bot.ask_values(position).length;"
    counts = ask_page(player, list(map(tell, positions)), tmp_path, body)[0]
    assert counts == [len(player.game.legal_moves(position)) for position in positions]


# Files that import compiled functions and constants of other modules

WAYS = '''"""What the game of rings imports: compiled functions, constants, and notes in parts."""

import math
from typing import Any, NamedTuple

import numpy as np

from evolve_arena.core.bits import count_bits, lowest_bit
from evolve_arena.core.compiled import compiled, inlined
from evolve_arena.core.stream import mix
from evolve_arena.genomes.simd import add, halve_sum, load, minimum, peek, poke, spread, store

CELLS = 12
NEIGHBOURS = np.array([[(cell - 1) % CELLS, (cell + 5) % CELLS] for cell in range(CELLS)])
MASKS = np.array([2**64 - 1, 0x9E3779B97F4A7C15], dtype=np.uint64)
COSTS = np.linspace(0.5, 3.0, 32, dtype=np.float32)
ONE, NONE = np.uint64(1), np.uint64(0)
NOTES = 1 + 2 + 16 + 4


class Scales(NamedTuple):
    far: int
    share: float


SCALES = Scales(3, 0.25)


class Room(NamedTuple):
    known: Any
    words: Any
    ways: Any
    counts: Any


@inlined
def divide(notes):
    return Room(notes[:1], notes[1:3].view(np.uint64), notes[3:19].view(np.float32), notes[19:])


@compiled
def walk(taken: Any, cell: Any, depth: Any) -> Any:
    """The cells that a walk over those that are taken reaches, by recursion."""
    if depth == 0 or not (taken >> np.uint64(cell)) & ONE:
        return 0
    reached = 1
    for place in range(2):
        reached = max(reached, 1 + walk(taken, NEIGHBOURS[cell, place], depth - 1))
    return reached


@compiled
def survey(state, notes):
    """Find out once what matters of a state."""
    room = divide(notes)
    if room.known[0]:
        return
    room.known[0] = 1
    taken = np.uint64(state[0])
    room.words[0] = taken
    room.words[1] = ~taken * MASKS[1] ^ mix(taken + MASKS[0])
    for block in range(0, 32, 16):
        near = add(load(COSTS, block), spread(np.float32(state[3])))
        store(room.ways, block, minimum(near, spread(np.float32(SCALES.far))))
    left, count = taken, 0
    for place in range(4):
        room.counts[place] = 0
    while left:
        poke(room.counts, count & 3, lowest_bit(left))
        left &= left - ONE
        count += 1


@inlined
def value_cell(state, cell, notes):
    survey(state, notes)
    room = divide(notes)
    word = room.words[1] >> np.uint64(cell)
    way = halve_sum(load(room.ways, 16 * (cell & 1)))
    more = count_bits(word) + peek(room.counts, cell & 3)
    more += walk(room.words[0], np.int64(cell), np.int64(4))
    return math.sqrt(more) * SCALES.share + way / 50.0


@inlined
def is_free(state, cell):
    return not (np.uint64(state[0]) >> np.uint64(cell)) & ONE
'''
RINGS = '''"""Rings: two players take one of twelve cells of a ring in turn; the last one wins."""

import math

import numpy as np

from evolve_arena.core.bits import count_bits
from evolve_arena.core.stream import hash_word
from ring_game.ways import CELLS, NOTES, NONE, is_free
from ring_game.ways import value_cell as value

MOVES = CELLS
LONGEST = 12
PLANES = 1
PLAYERS = ("highest",)
KINDS = ("even", "odd")
FEATURES = 3
MOVE_FEATURES = ("value", "place")


def start():
    return np.zeros(4, np.int64)


def to_move(state):
    return state[1]


def legal(state, moves):
    count = 0
    for cell in range(CELLS):
        if is_free(state, cell):
            moves[count] = cell
            count += 1
    return count


def play(state, move):
    state[0] |= 1 << move
    state[1] = 1 - state[1]
    state[2] = np.int64(np.uint64(hash_word(np.uint64(state[0]), 3)))
    state[3] = (state[3] + move) % 3


def result(state):
    return 2 * state[1] - 1 if count_bits(np.uint64(state[0])) == CELLS else 2


def see(state, seat, planes):
    planes[0] = np.uint64(state[0])


def features(state, seat, out, notes):
    survey_all(state, notes, out)


def survey_all(state, notes, out):
    for place in range(3):
        out[place] = value(state, (state[2] + place) % CELLS, notes) / 4


def describe_move(state, move, seat, out, notes):
    out[0] = value(state, move, notes)
    out[1] = math.sin(move)


def prune(state, seat, moves, count, notes):
    kept = 0
    for place in range(count):
        if value(state, moves[place], notes) > 1.0:
            moves[kept] = moves[place]
            kept += 1
    return max(kept, 1)


def kinds(state):
    free = ~np.uint64(state[0])
    return (free & np.uint64(0x555) != NONE) + 2 * (free & np.uint64(0xAAA) != NONE)


def highest(state, moves, count, notes, random, kind):
    best = random % count
    while kind >= 0 and moves[best] % 2 != kind:
        best = (best + 1) % count
    for place in range(count):
        if kind < 0 or moves[place] % 2 == kind:
            if value(state, moves[place], notes) > value(state, moves[best], notes) + 0.2:
                best = place
    return moves[best]
'''
LOOKS: dict[str, dict[str, Any]] = {
    "kinds": {"head": "kinds", "encoding": "features"},
    "kinds by planes": {"head": "kinds"},
    "moves": {"head": "action", "encoding": "features"},
    "values": {"encoding": "features", "depth": 2},
}


@pytest.fixture(scope="module")
def rings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a package that has a game's file and a module beside it."""
    folder = tmp_path_factory.mktemp("packages")
    package = folder / "ring_game"
    package.mkdir()
    # What is compiled of a game is kept by the text of its file, whatever that imports.
    rings = f"{RINGS}\n# with {hashlib.sha256(WAYS.encode()).hexdigest()}\n"
    with_numpy = rings.replace("math.sin(move)", "np.sin(move)")
    texts = {"__init__": "", "ways": WAYS, "rules": rings, "numpy_rules": with_numpy}
    for name, text in texts.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    for name in ("rules", "numpy_rules"):
        open_file(package / f"{name}.py")
    yield package
    sys.path.remove(str(folder))


@pytest.mark.parametrize("name", ["rules", "numpy-rules"])
@pytest.mark.parametrize("look", LOOKS)
def test_a_file_takes_along_what_it_imports(rings: Path, look: str, name: str) -> None:
    player = make_bred(name, "mlp", 3, **LOOKS[look])
    stream, own, bot = new_stream(5), [5], load_bot(player)
    # Nothing else describes moves.
    needs_numpy = name == "numpy-rules" and look == "moves"
    assert ("import numpy" in str(export_player(player, "python"))) == needs_numpy
    positions = random_positions(player.game, 60, 2)
    chosen = [player.choose(position, stream) for position in positions]
    assert [bot["choose"](list(each.state), stream=own) for each in positions] == chosen
    assert own == [int(stream[0])]
    assert len({*chosen}) > 5


@pytest.mark.parametrize("target", ["c", "html"])
def test_other_targets_say_that_python_takes_it_along(rings: Path, target: str) -> None:
    player = make_bred("rules", "mlp", 3, head="kinds")
    with pytest.raises(ArenaError, match=r"rules\.py, line \d+: .*: export it with --to python$"):
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
