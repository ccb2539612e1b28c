"""Targets of the fuzzer: files that others may have put into a run's folder or beside it.

None of what stands in them is ever run: a program of theirs would leave :data:`CANARY` behind.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, redirect_stderr, suppress
from functools import cache, partial
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch
from zlib import crc32

import pytest
import tomli_w
from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError, one_line
from evolve_arena.core.types import Settings
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.ini import read_ini, write_ini
from evolve_arena.players.evolved import FORMAT, read_player
from evolve_arena.players.specification import NotPermittedError
from evolve_arena.runs.consent import ask_at_terminal, obtain, permit_files, remember
from evolve_arena.runs.errors import RunBusyError
from evolve_arena.runs.export.onnx_model import export_onnx
from evolve_arena.runs.many.sweep import read_measured, read_sweep
from evolve_arena.runs.recipes.neat_config import read_neat_config
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.history import SCHEMA, History, copy_database
from evolve_arena.web.reading import Desk
from tests.evolved import make_evolved
from tests.fuzz.inputs import change_bytes, change_tensors, texts
from tests.fuzz.target import Target, change_pieces, change_trees, check_error, encode, put, read

CANARY = "canary"
HARM = f"open({CANARY!r}, 'w').close()"


def _check_unharmed() -> None:
    if os.path.lexists(CANARY):
        os.unlink(CANARY)
        raise AssertionError("code was run that nobody allowed")


# --- Histories ----------------------------------------------------------------------------------

PLACE = Path("runs/h")
"""A run's folder."""


def _histories() -> list[bytes]:
    return [copy_database(Path("r/history.db"))]


def _change_histories(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    return change_bytes(st.sampled_from(samples), within=len(samples[0]))


def _check_history(data: bytes) -> None:
    _put_run()
    (PLACE / "history.db").write_bytes(data)
    _read_history()


def _put_run() -> None:
    """Make a run's folder with nothing but a recipe."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for file in PLACE.iterdir():
        file.unlink()
    (PLACE / "recipe.toml").write_bytes(Path("r/recipe.toml").read_bytes())


def _read_history() -> None:
    """Check that a history is read as numbers that JSON has, or reported as damaged."""
    path = PLACE / "history.db"
    json.dumps(Desk(str(PLACE.parent)).record(PLACE.name), allow_nan=False)
    refused: ArenaError | None = None
    try:
        with History(path, thorough=False) as history:
            history.kept_champions()
        with History(path) as history:
            json.dumps(history.generations())
            for number in history.kept_champions()[:3]:
                history.champion(number)
            history.champions(), history.nodes(), history.species()
    except ArenaError as error:
        refused = error
    if crc32(path.read_bytes()) % 8 == 0:  # it waits for the disk
        with History(path, write=True) as history:  # begun anew, if it is damaged
            history.totals()
            history.forget_after(1)
    if refused:
        check_error(refused)
        raise refused


def _schemas() -> list[bytes]:
    """Return the statements that make a history, each in a line."""
    with closing(sqlite3.connect("r/history.db")) as database:
        dumped = " ".join(SCHEMA.split()).split(";")
        rows = [line for line in database.iterdump() if line.startswith("INSERT")]
    made = [f"{each.strip()};" for each in dumped if each.strip()]
    some = [row for row in rows if len(row) < 300][:20]
    return ["\n".join([*made, *some]).encode(), "\n".join(made).encode()]


COLUMN = "GENERATED ALWAYS AS (zeroblob(900000000)) VIRTUAL"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
STATEMENTS = (
    f"CREATE VIEW generations AS {ENDLESS} SELECT i AS generation, i AS games, i seconds FROM n;",
    f"CREATE VIEW checks AS {ENDLESS} SELECT i, i, i, i, i, i FROM n;",
    f"ALTER TABLE champions ADD COLUMN more BLOB {COLUMN};",
    f"ALTER TABLE generations ADD COLUMN more BLOB {COLUMN};",
    f"CREATE TABLE checks (generation INTEGER, opponent TEXT {COLUMN});",
    "CREATE TRIGGER t AFTER DELETE ON generations BEGIN DELETE FROM checks; END;",
    "CREATE TRIGGER t INSTEAD OF INSERT ON generations BEGIN SELECT 1; END;",
    "CREATE INDEX i ON checks (opponent);",
    "CREATE INDEX k ON statistics (abs(value)) WHERE value > 0;",
    "CREATE TABLE more AS SELECT * FROM generations;",
    "CREATE VIRTUAL TABLE species USING fts5(a, b, c);",
    "DROP TABLE checks;",
    "ALTER TABLE checks RENAME COLUMN wins TO loses;",
    "ALTER TABLE checks RENAME TO nodes;",
    "INSERT INTO generations VALUES (9223372036854775807, 9223372036854775807, 9e999);",
    "INSERT INTO generations VALUES (8, 9223372036854775807, 'x');",
    "INSERT INTO generations VALUES (9, x'00', x'ff');",
    "INSERT INTO statistics VALUES (1, char(27) || '[31m', 9e999);",
    "INSERT INTO statistics VALUES (1, CAST(x'ff' AS TEXT), 'x');",
    "INSERT INTO statistics VALUES (1, replace(hex(zeroblob(50000)), '0', 'x'), NULL);",
    "INSERT INTO species VALUES (1, 2, 9223372036854775807);",
    "INSERT INTO checks VALUES (1, 'a', 9223372036854775807, 1, 1, 1);",
    "INSERT INTO checks VALUES (1, CAST(x'fffe' AS TEXT), 1, 1, 1, 1);",
    "INSERT INTO checks VALUES (2, 'b', 1, -1, 'c', x'00');",
    "INSERT INTO check_points VALUES (2, 'c', 9e999, -9e999, 1, 1, 1, 1);",
    "INSERT INTO check_forfeits VALUES (2, 'c', 7, 'x', -1, char(10), char(10, 27));",
    "INSERT INTO nodes VALUES (1, 1, 'a', 'b', 1, 1, 1, 1, 1, 9e999);",
    "INSERT INTO champions VALUES (1, 'x', 9e999, 'text');",
    "INSERT INTO champions VALUES (3, 1.0, 1.0, zeroblob(900000));",
    "UPDATE champions SET player = x'00';",
    "UPDATE generations SET seconds = NULL;",
    "PRAGMA encoding = 'UTF-16le';",
    "PRAGMA page_size = 512;",
    "PRAGMA journal_mode = WAL;",
    "PRAGMA user_version = -1;",
    "PRAGMA writable_schema = ON;",
    "UPDATE sqlite_master SET sql = 'CREATE TABLE checks (a)' WHERE name = 'checks';",
    "UPDATE sqlite_master SET rootpage = 2;",
    "UPDATE sqlite_master SET type = 'view', rootpage = 0 WHERE name = 'species';",
    "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 99, 'CREATE TABLE x (a)');",
    "DELETE FROM sqlite_master WHERE name = 'checks';",
    "VACUUM;",
)
STEPS = 200
"""Thousands of steps that statements may take to make a database."""


def _change_schemas(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return statements of a history, some left out, and others among them."""
    whole, bare = (read(sample).split("\n") for sample in samples)

    @st.composite
    def draw_statements(draw: st.DrawFn) -> bytes:
        statements = list(draw(st.sampled_from([whole, whole, bare])))
        for _ in range(draw(st.integers(1, 4))):
            place = draw(st.integers(0, len(statements)))
            action = draw(st.sampled_from(["add", "add", "add", "end", "cut", "letters"]))
            if action in ("add", "end"):
                at = place if action == "add" else len(statements)
                statements.insert(at, draw(st.sampled_from(STATEMENTS)))
            elif action == "cut":
                del statements[place : place + 1]
            else:
                text = draw(st.sampled_from(STATEMENTS))
                statements.insert(place, text.replace("1", draw(texts)))
        return "\n".join(statements).encode("utf-8", "surrogatepass")

    return draw_statements()


def _check_schema(data: bytes) -> None:
    """Make a database by the statements in *data*, as a sender could have, and read it."""
    _put_run()
    left = STEPS

    def end() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    path = PLACE / "history.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 20)
        database.set_progress_handler(end, 1000)
        database.set_authorizer(_allow_inside)
        database.execute("PRAGMA synchronous = OFF")
        for statement in data.decode("utf-8", "replace").split("\n"):
            with suppress(sqlite3.Error, ValueError):  # ValueError: a NUL
                database.execute(statement)
    if path.is_file():
        _read_history()


def _allow_inside(action: int, *names: object) -> int:
    """Deny a history any other file."""
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


# --- Sweeps and locks ---------------------------------------------------------------------------

ASKED = ["random", 10, 3, "0" * 64]
MEASURED = {"of": ASKED, "score": 0.5, "low": 0.25, "high": 0.75}


def _check_measured(data: bytes) -> None:
    found = read_measured(put("measured.json", data), ASKED)
    if found is None:
        raise ArenaError("it is measured anew")
    score, low, high = found
    assert low <= score <= high, found
    json.dumps(found, allow_nan=False)


def _check_sweep(data: bytes) -> None:
    tried, common = read_sweep(read(data).split("\x01"))
    assert not tried.keys() & common.keys()
    assert all(len(each) > 1 for each in tried.values())


SWEEP = (
    *("run.seed", "network.hidden", "=", ",", "[8]", "[16,16]", "0.1", '"', "'", "{", "}", "\x01"),
)


def _check_lock(data: bytes) -> None:
    """Check that the page names the holder of a run, and so does a refused writer."""
    _put_run()
    (PLACE / ".lock").write_bytes(data)
    json.dumps(Desk(str(PLACE.parent)).record(PLACE.name), allow_nan=False)
    with RunDirectory(PLACE).lock():
        assert (PLACE / ".lock").read_text() == str(os.getpid())
    with (PLACE / ".lock").open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.truncate(0)
        held.write(data)
        held.flush()
        try:
            with RunDirectory(PLACE).lock():
                raise AssertionError("it is held")
        except RunBusyError as error:
            check_error(error)
    if not data[:20].strip().isdigit():
        raise ArenaError("no number of a process")


# --- Consent ------------------------------------------------------------------------------------


@contextlib.contextmanager
def _at_home() -> Iterator[Path]:
    """Yield a home of the user's own, in the working folder."""
    home = Path("home").absolute()
    home.mkdir(mode=0o700, exist_ok=True)
    own = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    with patch.dict(os.environ, own):
        yield home


def _ask(act: Callable[[], object]) -> str:
    """Return the question that is asked at a terminal where the answer is no."""
    shown = io.StringIO()
    with patch.object(sys, "stdin", io.StringIO("n\n")), redirect_stderr(shown):
        try:
            act()
        except NotPermittedError as error:
            check_error(error)
    text = shown.getvalue()
    assert text.replace("\n", "").isprintable(), text[:300]
    return text


def _check_consent(data: bytes) -> None:
    """Check that a command in a recipe is asked about, and remembered for this run alone.

    The note's content may be anything: only its name counts.
    """
    command, _, note = read(data).partition("\x01")
    opponents = [f"process:{command}"]
    recipe = load_recipe(str(_write_recipe({"check": {"opponents": opponents}})))
    if not recipe.foreign_programs:
        raise ArenaError("no program")
    _put_run()
    with _at_home() as home:
        assert "[y/N]" in _ask(lambda: obtain(recipe, ask_at_terminal, PLACE))
        for opponent in recipe.trust().make_opponents():  # which starts none of them
            opponent.close()
        with pytest.raises(NotPermittedError):
            obtain(recipe, False, PLACE)
        remember(recipe.trust(), PLACE)
        (file,) = home.glob("**/allowed/*.json")
        file.write_bytes(note.encode("utf-8", "surrogateescape"))
        obtain(recipe, False, PLACE)
        _write_recipe({"check": {"opponents": [f"{opponents[0]} "]}})
        with pytest.raises(NotPermittedError):
            obtain(load_recipe("recipe.toml"), False, PLACE)
        file.unlink()
    _check_unharmed()


def _write_recipe(changes: dict[str, Settings]) -> Path:
    """Write a copy of the Connect Four recipe with other values."""
    content = load_recipe("connect-four").model_dump(mode="json", exclude_none=True)
    for section, values in changes.items():
        content[section] = {**content[section], **values}
    return put("recipe.toml", tomli_w.dumps(content).encode("utf-8", "surrogateescape"))


def _check_code(data: bytes) -> None:
    """Check that a file named as a game, or as code, is asked about and is not run."""
    name, _, source = data.partition(b"\n")
    called = read(name)
    if "/" in called or not called.endswith(".py") or called.startswith("."):
        raise ArenaError("no name for a file here")
    try:
        file = put(called, source)
    except (OSError, ValueError):
        raise ArenaError("no file has such a name") from None
    refused: list[ArenaError] = []
    try:
        for changes in ({"game": {"name": called}}, {"method": {"fitness": f"{called}:f"}}):
            recipe = str(_write_recipe(changes))
            with pytest.raises(ArenaError):
                load_recipe(recipe)
            try:
                assert "[y/N]" in _ask(
                    partial(load_recipe, recipe, (), permit_files(ask_at_terminal))
                )
            except ArenaError as error:
                refused.append(error)
            _check_unharmed()
    finally:
        file.unlink()
    if refused:
        raise refused[0]


CODE = (HARM, "import os\n", "def f():\n", "    ", "\n", "MOVES = 9\n", "(", "\\", '"""', "#", "\0")
CODE += (
    "# coding: utf-7\n",
    "# coding: rot13\n",
    "\x1b[2J",
    "\u202e",
    "f" * 300 + ".py",
    "game.py\n",
)


# --- neat-python --------------------------------------------------------------------------------
INI = ("[NEAT]", "[DefaultGenome]", "[DefaultSpeciesSet]", "[DefaultStagnation]", "[DEFAULT]")
INI += ("[DefaultReproduction]", "\n", " = ", ":", "%(a)s", "%", "#", "True", "sigmoid", "None")
INI += ("nan", "1e999", "activation_options", "species_fitness_func", "pop_size = 9\n")
INI += ("num_inputs = 85\n", "num_hidden = 99999999\n", "partial 0.5")
INI += ("__import__('os')", HARM, "ops.py:f")


def _check_ini(data: bytes) -> None:
    """Check that a file that is read is written and read again, and makes a method."""
    made = read_neat_config(put("neat.ini", data), "connect-four", {"run.generations": 2})
    for remark in made.remarks:
        assert one_line(remark).isprintable()
    recipe = load_recipe(made.name, made.changes)
    recipe.make_method()
    config = NeatConfig.model_validate(recipe.neat)
    assert NeatConfig.model_validate(read_ini(write_ini(config, 42, 7))[0]) == config
    _check_unharmed()


# --- ONNX ---------------------------------------------------------------------------------------


@cache
def _networks() -> list[bytes]:
    """Return small champions of the kinds that are written differently."""
    made = [
        make_evolved("connect-four", "mlp", hidden=(2,)),
        make_evolved("connect-four", "graph"),
        make_evolved("connect-four", "tuples", tuples=3, length=2),
    ]
    return [player.serialise() for player in made]


def _check_onnx(data: bytes) -> None:
    """Check that the model keeps all that the file says of a network, in the form of JSON."""
    import onnx

    player = read_player(data)
    model = onnx.load_from_string(export_onnx(player))
    told = {each.key: each.value for each in model.metadata_props}
    about = json.loads(told["evolve_arena"], parse_constant=_refuse_constant)
    assert told["game"] == about["game"] == player.game.name
    assert about["options"] == player.game.options


def _refuse_constant(name: str) -> NoReturn:
    raise AssertionError(f"{name} is no JSON")


FILE_TARGETS = (
    Target("history", _histories, _change_histories, _check_history, weight=1),
    Target("history-sql", _schemas, _change_schemas, _check_schema, weight=1),
    Target("measured", encode(json.dumps(MEASURED)), change_trees, _check_measured),
    Target(
        "sweep",
        encode("network.hidden=[8],[16,16]\x01run.generations=50", "method.name='a,b',c"),
        change_pieces(*SWEEP),
        _check_sweep,
    ),
    Target(
        "lock",
        encode("1", "4194305"),
        change_pieces(*"0123456789 -_+", "\0", "\n"),
        _check_lock,
        weight=1,  # each waits half a second for the holder
    ),
    Target(
        "consent",
        encode('"python bot.py"\x01{"run": "x"}', "dialect=plain,cat\x01"),
        change_pieces("\x01", "{", "}", '"', "'", "dialect=", ",", " ", "rm -rf", "\x1b[2J"),
        _check_consent,
        weight=1,
    ),
    Target(
        "code",
        encode(f"own.py\n{HARM}\nMOVES = 9\n", f"my ops.py\n{HARM}\ndef f(): pass\n"),
        change_pieces(*CODE),
        _check_code,
        weight=1,
    ),
    Target(
        "neat-ini",
        encode(write_ini(NeatConfig(), 42, 7)),
        change_pieces(*INI),
        _check_ini,
        weight=2,
    ),
    Target(
        "onnx", _networks, lambda samples: change_tensors("player", FORMAT, samples), _check_onnx, 1
    ),
)
