"""Targets of the fuzzer: each parser, from bytes, with conditions on whatever it accepts.

A check raises :class:`evolve_arena.core.errors.ArenaError` for refused input; any other error
is a fault, and so is an assertion. No check starts a program or plays more than a move.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Sequence
from functools import cache

import numpy as np
from hypothesis import strategies as st

from evolve_arena.cli.main import main
from evolve_arena.cli.play.prompt import read_input
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import game_names, make_game, recipe_files
from evolve_arena.core.stream import new_stream
from evolve_arena.core.types import Json, Settings
from evolve_arena.evolve.method import Method, State
from evolve_arena.genomes.neat.interchange import read_json, write_json
from evolve_arena.genomes.tensors import read_tensors
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.evolved import FORMAT, EvolvedPlayer, read_player
from evolve_arena.players.player import make_random
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.export import read_neat_file
from evolve_arena.runs.export.neat_python import export_neat_python
from evolve_arena.runs.players import find_player, game_for
from evolve_arena.runs.positions import read_positions, solve_positions
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe, parse_changes, read_recipe
from evolve_arena.runs.store.checkpoint import read_state, write_state
from tests.fuzz.bot_targets import BOT_TARGETS
from tests.fuzz.file_targets import FILE_TARGETS
from tests.fuzz.inputs import change_tensors, lines, recipes, texts, values, words
from tests.fuzz.page_targets import PAGE_TARGETS
from tests.fuzz.target import Target, change_pieces, change_trees, encode, put, read, try_each

SMALL = {
    "tournament": ["method.individuals=4", "method.tournament_size=2"],
    "neat": ["neat.pop_size=4"],
    "evolutionary-programming": ["method.individuals=4"],
    "td-tuples": ["network.tuples=4", "network.length=3"],
}
"""Changes that make the populations of recipes small."""
EVOLVED = (
    *("connect-four", "connect-four-neat", "connect-four-td", "q-learning", "td-lambda"),
    *("checkers", "checkers-neat", "checkers-features", "checkers-06-rafalmore"),
    *("ticket-to-ride", "ticket-to-ride-neat", "ticket-to-ride-decisions"),
)
"""Recipes with all kinds of players and states."""


def _shipped() -> list[bytes]:
    return [file.read_bytes() for _, file in sorted(recipe_files().items())]


def _check_recipe(data: bytes) -> None:
    recipe = load_recipe(str(put("recipe.toml", data)))
    again = read_recipe(put("again.toml", recipe.to_toml().encode()))
    assert again == recipe
    assert again.to_toml() == recipe.to_toml()


def _changes(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return a strategy: a shipped recipe's name and changes, most of them of keys that it has."""
    said = {
        name: {
            f"{section}.{key}": _as_toml(value)
            for section, part in load_recipe(name).model_dump(mode="json").items()
            if isinstance(part, dict)
            for key, value in part.items()
        }
        for name in EVOLVED
    }
    written = st.one_of(values.map(_as_toml), texts)

    @st.composite
    def draw_changes(draw: st.DrawFn) -> bytes:
        name = draw(st.sampled_from(EVOLVED))
        parts = [name]
        for _ in range(draw(st.integers(1, 3))):
            key = draw(words(*said[name], "title", "game", "a.b.c.d.e.f.g.h.i.j"))
            same = draw(st.booleans()) and key in said[name]
            parts.append(f"{key}={said[name][key] if same else draw(written)}")
        return "\x01".join(parts).encode("utf-8", "surrogatepass")

    return draw_changes()


def _as_toml(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except ValueError:  # so many digits
        return hex(value) if isinstance(value, int) else "0"


def _check_changes(data: bytes) -> None:
    name, *changes = read(data).split("\x01")
    recipe = load_recipe(name, changes)
    assert load_recipe(name).change(parse_changes(changes)) == recipe
    assert read_recipe(put("again.toml", recipe.to_toml().encode())) == recipe


SETTINGS: Settings = {
    "board": {"rows": 6, "cols": 7},
    "needed_to_win": 4,
    "games_to_play": 5000,
    "saving_rate": 1000,
    "learning_rate": 0.05,
    "discount_factor": 1,
    "estimated_optimal_future_value": "best_known",
    "boltzmann_temperature": 1,
    "rewards": {"win": 2, "loss": -2, "tie": 0, "each_move": -0.01},
    "neural_storage": {"hidden_neurons": 50},
}


def _check_settings(data: bytes) -> None:
    recipe = load_recipe(str(put("thesis.config", data)))
    assert read_recipe(put("again.toml", recipe.to_toml().encode())) == recipe


def _players(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    kinds = words(
        *("random", "test-bot", "minimax", "rule", "file", "process", "human", "run", "piotrowski"),
        *("minimax:depth=4,noise=0.2", "rule:text,early=always", "process:dialect=plain,cat"),
        *("run:r", "run:r@2", "run:r@1", "file:r/champion.safetensors", "file:.", "file:loop"),
    )
    parts = words(":", ",", "=", "depth", "noise", "quiet", "0.2", "1", "code", "long=6", "@", "'")
    return lines(st.one_of(kinds, kinds, parts, texts), 6, between="")


def _check_player(data: bytes) -> None:
    specification = read(data)
    game_for([specification])
    try_each(game_names(), lambda name: find_player(specification, make_game(name)).close())


def _check_position(data: bytes) -> None:
    """Play the moves of the position in a text, and draw it."""

    def check(name: str) -> None:
        game = _make_once(name)
        position = game.parse_position(read(data))
        for move in game.legal_moves(position):
            game.play(position, move)
        find_text_ui(game).draw(position)
        if name == "connect-four":
            own, other, discs = position.state
            assert own & other == 0
            assert (own | other).bit_count() == discs
        if name == "checkers":
            dark, light, kings, *_ = position.state
            assert dark & light == kings & ~(dark | light) == 0

    try_each(game_names(), check)


def _check_entries(data: bytes) -> None:
    def check(name: str) -> None:
        game = _make_once(name)
        read_input(find_text_ui(game), read(data), game.initial())

    try_each(game_names(), check)


@cache
def _make_once(name: str) -> BoardGame:
    """Make a game once, for thousands of inputs."""
    return make_game(name)


def _check_scores(data: bytes) -> None:
    game = _make_once("connect-four")
    file = read_positions(game, put("positions.csv", data))
    solved = solve_positions(make_random(game), game, file, times=2)
    assert solved["count"] > 0
    json.dumps(solved, allow_nan=False)


def _check_network(data: bytes) -> None:
    file = put("network.json", data)
    made = read_json(data.decode("utf-8", "replace"))
    metadata = {key: value for key, value in made.metadata.items() if key != "evolve_arena"}
    text = write_json(made.population, 0, made.inputs, made.outputs, made.feed_forward, metadata)
    again = read_json(text)
    assert {**again.metadata, **metadata} == again.metadata
    assert all(
        np.array_equal(one, other)
        for one, other in zip(
            vars(again.population).values(), vars(made.population).values(), strict=True
        )
    )
    player = read_neat_file(file).player
    _play_a_move(player)
    assert read_player(player.serialise()).arrays.keys() == player.arrays.keys()
    export_neat_python(player)


def _check_champion(data: bytes) -> None:
    player = read_player(data)
    assert isinstance(player.remarks, dict), player.remarks
    again = read_player(player.serialise(**player.remarks))
    assert {name: array.tobytes() for name, array in again.arrays.items()} == {
        name: array.tobytes() for name, array in player.arrays.items()
    }
    assert [part.tobytes() for part in again.packed] == [part.tobytes() for part in player.packed]
    _play_a_move(player)


def _play_a_move(player: EvolvedPlayer) -> None:
    game = player.game
    position = game.initial()
    assert player.choose(position, new_stream(1)) in game.legal_moves(position)


@cache
def _make_recipe(name: str) -> Recipe:
    return load_recipe(name, SMALL.get(str(load_recipe(name).method["name"]), []))


@cache
def _methods() -> list[Method[State]]:
    return [_make_recipe(name).make_method() for name in EVOLVED]


def _champions() -> list[bytes]:
    blobs = []
    for method in _methods():
        population = method.initial(1).population
        one = population.take([0]) if hasattr(population, "node_key") else population[0]
        blobs.append(method.decoder.player(one, "bred").serialise(generation=3))
    return blobs


def _checkpoints() -> list[bytes]:
    return [write_state(method.initial(1), method) for method in _methods()]


def _check_checkpoint(data: bytes) -> None:
    """Load a checkpoint with each method whose name it may bear: methods may share formats."""
    said = read_tensors("checkpoint", 1, data).description
    name = said.get("method") if isinstance(said, dict) else None

    def check(method: Method[State]) -> None:
        state = read_state(data, method)
        if mismatch := method.find_mismatch(state):
            raise ArenaError(mismatch)
        json.dumps(method.describe(state))
        blob = write_state(state, method)
        assert write_state(read_state(blob, method), method) == blob

    try_each([each for each in _methods() if each.name == name] or _methods()[:1], check)


def _commands(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    name = words(
        "r", "nowhere", ".", "file:r/champion.safetensors", "recipe.toml", "loop", "r/history.db"
    )
    number = words("0", "1", "2", "-1", "1e3", "9" * 19, "1.5", "nan", "0x1")
    text = words(
        "python", "neat-python", "checkers", "connect-four", "ticket-to-ride", "3321", "11-15"
    )
    options = st.one_of(
        *(st.tuples(st.just(key), name) for key in ("--hint", "--opponents", "--against")),
        *(
            st.tuples(st.just(key), number)
            for key in ("--games", "--seed", "--generation", "--openings", "--players", "--from")
        ),
        *(
            st.tuples(st.just(key), text)
            for key in ("--game", "--to", "--position", "--head", "--encoding", "--json", "--quiet")
        ),
        st.tuples(texts),
    )
    command = st.one_of(
        st.tuples(st.just("perft"), st.just("1")),
        st.tuples(st.just("info"), name),
        st.tuples(st.just("export"), name, st.just("--out"), st.just("r")),
        st.tuples(st.just("import-neat"), name, st.just("--out"), st.just("r")),
        st.tuples(st.just("duel"), name, name, st.just("--games"), st.just("0")),
        st.tuples(st.just("recipes")),
        st.tuples(st.just("players")),
        st.tuples(texts),
    )
    drawn = st.tuples(command, st.lists(options, max_size=3))
    listed = drawn.map(lambda it: [*it[0], *(word for option in it[1] for word in option)])
    return listed.map(lambda it: "\x01".join(it).encode("utf-8", "surrogatepass"))


def _check_command(data: bytes) -> None:
    """Run the command line as it is called, in this process."""
    arguments = read(data).split("\x01")
    running = ("start", "resume", "branch", "play", "plot", "log", "reproduce", "tournament")
    if arguments[0] in running:
        raise ArenaError("not run here")
    told, said = io.StringIO(), io.StringIO()
    sys.argv = ["evolve", *arguments]
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            code = end.code
    assert code in (0, 2), code
    if code == 0 or arguments == [""]:
        return
    first, *more = said.getvalue().splitlines() or [""]
    assert not more, said.getvalue()
    raise ArenaError(first) if len(first) <= 300 and first.isprintable() else AssertionError(first)


def _networks() -> list[bytes]:
    method = load_recipe(
        "connect-four-neat", ["neat.pop_size=4", "neat.num_hidden=2"]
    ).make_method()
    player = method.decoder.player(method.initial(1).population.take([0]), "x")
    tree = json.loads(export_neat_python(player))
    metadata = {key: part for key, part in tree["metadata"].items() if key == "genome_id"}
    return [json.dumps(base).encode() for base in (tree, {**tree, "metadata": metadata})]


FEN = ("B", "W", ":", ",", "-", "K", "1", "12", "21-32", "B:W21,K30:B1-4", "W:WK3,21-24:B1,2")
TICKETS = (
    *("seed 7:", ";", "keep 1 2", "keep 1 3", "3", "draw deck", "draw tickets", "claim", "pass"),
)
TICKETS += ("Dallas-Houston", "line 2", "seed", "-1", "green", "locomotive", "all", "Montreal")
CSV = ("theme,line,moves,answer\n", "board,answer\n", "333,-2,-1,0,2,0,-1,-2\n", ",", '"', "\r\n")
CSV += ("attack,column,030303,0\n", "a,b,3,x\n", "\n", "0", "1", "33", "." * 42, "moves,s0,s1\n")
ENTRIES = ("undo", "undo 3", "3", "11-15", "hint", "swap", "column 3", "values", "quit", "keep 1 2")


TARGETS = {
    target.name: target
    for target in (
        Target("recipe", _shipped, recipes, _check_recipe),
        Target("set", encode("connect-four\x01run.seed=7\x01title=x"), _changes, _check_changes),
        Target("thesis", encode(json.dumps(SETTINGS)), change_trees, _check_settings),
        Target("player", encode("random", "run:r", "rule:code,long=5"), _players, _check_player),
        Target("command", encode("perft\x011", "info\x01r"), _commands, _check_command, weight=1),
        Target(
            "position",
            encode("", "3321", "." * 35 + "..xo...", "B:W21,K30:B1-4", "11-15 22-18 15x22 25x18"),
            change_pieces(*"0123456xo._-/", "\n", *FEN, "23-19", "1.", *TICKETS),
            _check_position,
            weight=20,
        ),
        Target(
            "entry",
            encode("3", "11-15", "undo 2"),
            change_pieces(*ENTRIES, *TICKETS),
            _check_entries,
        ),
        Target(
            "scores",
            encode(
                "moves,s0,s1,s2,s3,s4,s5,s6\n333,-2,-1,0,2,0,-1,-2\n",
                "theme,line,moves,answer\nattack,column,030303,0\n",
            ),
            change_pieces(*CSV),
            _check_scores,
        ),
        Target("neat-json", _networks, change_trees, _check_network),
        Target(
            "champion",
            _champions,
            lambda samples: change_tensors("player", FORMAT, samples),
            _check_champion,
        ),
        Target(
            "checkpoint",
            _checkpoints,
            lambda samples: change_tensors("checkpoint", 1, samples),
            _check_checkpoint,
        ),
        *PAGE_TARGETS,
        *FILE_TARGETS,
        *BOT_TARGETS,
    )
}
"""By name."""
