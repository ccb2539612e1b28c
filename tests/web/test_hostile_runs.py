"""Runs that are made to stop the page: they are shown as damaged, and the page lives on.

On a machine that does nothing else, ``HOSTILE_COPIES=20 HOSTILE_SECONDS=1`` shows more.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from evolve_arena.core.types import JsonObject
from evolve_arena.web.listing import Listing
from evolve_arena.web.workers import READING, Worker, WorkerError
from tests.served import end, serve

COPIES = int(os.environ.get("HOSTILE_COPIES", "1"))
"""Hostile runs of each kind."""
LONGEST = float(os.environ.get("HOSTILE_SECONDS", "10"))
"""Seconds that an answer may take, which would take for ever if it waited for a hostile run."""
ENDLESS = b"a." * 60_000 + b"a = 1\n"
"""A key that Python's reader of TOML takes minutes for, in a square of its length."""


def make_pipe(run: Path, name: str) -> None:
    (run / name).unlink(missing_ok=True)
    os.mkfifo(run / name)


def make_link(run: Path, name: str) -> None:
    (run / name).symlink_to(run.parent)


def make_sparse(run: Path, name: str) -> None:
    (run / name).parent.mkdir(exist_ok=True)
    with (run / name).open("ab") as file:
        file.truncate(3 << 30)


def write(run: Path, content: bytes, name: str = "recipe.toml") -> None:
    (run / name).write_bytes(content)


def change(run: Path, *queries: str) -> None:
    with sqlite3.connect(run / "history.db", isolation_level=None) as database:
        for query in queries:
            database.execute(query)
    database.close()


VIEW = """CREATE VIEW generations AS WITH RECURSIVE endless(n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM endless)
    SELECT n AS generation, n AS games, 1.0 AS seconds FROM endless"""
BYTES = "ALTER TABLE checks ADD COLUMN more AS (zeroblob(900000000))"
STRANGE = b'[game]\nname=3\n[method]\nname=["x"]\n[run]\ngenerations="many"\n'
KINDS: dict[str, tuple[object, ...]] = {
    "pipe-lock": ("a pipe", make_pipe, ".lock"),
    "pipe-history": ("a pipe", make_pipe, "history.db"),
    "pipe-log": ("a pipe", make_pipe, "history.db-wal"),
    "pipe-champion": ("a pipe", make_pipe, "champion.safetensors"),
    "sparse-champion": ("larger than", make_sparse, "champion.safetensors"),
    "sparse-checkpoint": ("larger than", make_sparse, "checkpoints/gen-000009.safetensors"),
    "sparse-recipe": ("larger than", make_sparse, "recipe.toml"),
    "nested-recipe": ("nested too deep", write, b"a = " + b"[" * 100_000),
    "no-recipe": ("Invalid statement", write, b"\xff\x00 = ["),
    "strange-recipe": ("", write, STRANGE),
    "no-history": ("history.db", write, b"no", "history.db"),
    "link-checkpoints": ("a symbolic link", make_link, "checkpoints"),
    "link-plots": ("a symbolic link", make_link, "plots"),
    "link-code": ("a symbolic link", make_link, "code"),
    "link-game": ("a symbolic link", make_link, "game"),
    "file-plots": ("a file", write, b"", "plots"),
    "endless-view": ("has a view", change, "DROP TABLE generations", VIEW),
    "generated": ("a generated column", change, BYTES),
    "infinite": ("makes no sense", change, "INSERT INTO checks VALUES (9, 'x', 9e999, 0, 0, 1)"),
}
"""Required message about a run, and the way in which it is made hostile."""
SLOW = {"endless-recipe": ("longer than 5 s", write, ENDLESS)}
"""Those that their reader does not survive; one of each, as each takes its time."""


def copy_run(source: Path, target: Path) -> None:
    """Copy the files that the list reads of a run."""
    target.mkdir()
    for name in ("recipe.toml", "history.db", "champion.safetensors", ".lock"):
        shutil.copyfile(source / name, target / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_hostile_runs_are_told_with_why_and_the_list_waits_for_none(
    runs: Path, tmp_path: Path
) -> None:
    expected = {}
    for kind, (why, make, *how) in (*KINDS.items(), *SLOW.items()):
        for number in range(COPIES if kind in KINDS else 1):
            name = f"{kind}-{number}"
            copy_run(runs / "first", tmp_path / name)
            make(tmp_path / name, *how)
            expected[name] = why
    strange = tmp_path / os.fsdecode(b"no-utf8-\xff")
    for path in (tmp_path / "good", strange):
        # Without what other tests of this process drew for the same run.
        shutil.copytree(runs / "first", path, ignore=shutil.ignore_patterns("*.png"))
    (strange / "plots" / os.fsdecode(b"\xff.png")).touch()
    (tmp_path / os.fsdecode(b"\xff.pdn")).touch()
    change(strange, "UPDATE generations SET seconds = 9e999")
    client = serve(tmp_path)
    try:
        client.get("runs")  # which waits until all is loaded
        times: dict[bool, list[float]] = {True: [], False: []}
        last = time.monotonic() + 120
        while len(times[True]) < 5:
            assert time.monotonic() < last
            begun = time.monotonic()
            rows = {row["run"]: row for row in client.get("runs")["runs"]}
            is_read = all(row["state"] != "reading" for row in rows.values())
            times[is_read].append(time.monotonic() - begun)
        fastest = [min(each) for each in times.values() if each]
        assert max(fastest) < LONGEST
        assert rows.pop("good")["state"] == "complete"
        assert rows.pop(r"no-utf8-\udcff")["state"] == "complete"
        assert rows.keys() == expected.keys()
        for name, row in rows.items():
            assert row["state"] == "damaged", name
            assert row["trouble"].isprintable(), name
            assert re.search(expected[name], row["trouble"]), name
        for kind in ("pipe-log", "link-plots", "nested-recipe", "no-history"):
            assert client.get("describe", run=f"{kind}-0")["trouble"], kind
            assert client.get("record", run=f"{kind}-0")["row"]["trouble"], kind
        assert client.get("players", game="tic-tac-toe")["runs"]
        assert client.get("files") == []
        for name in ("good", r"no-utf8-\udcff"):
            found = client.get("describe", run=name)
            assert (found["trouble"], found["plots"]) == ("", [])
    finally:
        end(client)


def test_what_hangs_its_reader_is_read_again_when_it_changes(runs: Path, tmp_path: Path) -> None:
    for name in ("endless", "good"):
        shutil.copytree(runs / "first", tmp_path / name)
    recipe = tmp_path / "endless" / "recipe.toml"
    content = recipe.read_bytes()
    recipe.write_bytes(ENDLESS)

    async def read(listing: Listing) -> JsonObject:
        while True:
            rows = {row["run"]: row for row in await listing.rows()}
            if all(row["state"] != "reading" for row in rows.values()):
                return rows

    async def look() -> None:
        finder, opener = (Worker(READING, 3.0, folder=str(tmp_path)) for _ in range(2))
        listing = Listing(finder, opener, 3.0)
        try:
            rows = await read(listing)
            assert rows["good"]["state"] == "complete"
            assert rows["endless"]["state"] == "damaged"
            assert rows["endless"]["trouble"] == "this took longer than 3 s, and was given up"
            with pytest.raises(WorkerError, match="endless can't be read: this took longer"):
                await listing.ask("describe", "endless")
            await opener.call("stamp", run="good")  # it is started again
            process = opener._process
            with pytest.raises(WorkerError, match="endless can't be read: this took longer"):
                await listing.ask("describe", "endless")
            assert (await read(listing))["endless"] == rows["endless"]
            assert opener._process is process  # nobody opened the run again
            recipe.write_bytes(content)
            while (await read(listing))["endless"]["state"] != "complete":
                pass
            opener._patience = 60.0  # the first that is opened well loads machine code
            assert (await listing.ask("describe", "endless"))["row"]["state"] == "complete"
        finally:
            listing.close()
            finder.stop()
            opener.stop()

    asyncio.run(look())
