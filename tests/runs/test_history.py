"""The history: what goes in comes out, whole transactions only, and readers never disturb."""

from __future__ import annotations

import os
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from evolve_arena.arena.duel_result import DuelResult, ForfeitCount
from evolve_arena.arena.executors import Node
from evolve_arena.evolve.method import Report
from evolve_arena.runs.errors import DamagedHistoryError, NotARunError, StorageError
from evolve_arena.runs.store.check_points import CheckPoints
from evolve_arena.runs.store.history import PATIENCE, SCHEMA, Check, History
from tests.special import make_special

Patch = pytest.MonkeyPatch
MODULE = "evolve_arena.runs.store.history"


def report(generation: int, best: float = 0.5) -> Report:
    return Report(generation, games=100 + generation, statistics={"best": best, "worst": 0.1})


def champion_report(generation: int) -> Report:
    return Report(generation, games=15, statistics={"points": 4.5, "matches": 5.0})


def result(opponent: str, wins: int = 7) -> DuelResult:
    return DuelResult(("champion", opponent), wins, 2, 10 - wins, 9, {"win": 10, "draw": 2})


@pytest.fixture
def at_once(monkeypatch: Patch) -> None:
    """Write each generation at once."""
    monkeypatch.setattr(f"{MODULE}.PATIENCE", -1.0)


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    with History(path, write=True) as opened:
        yield opened


def fill(history: History, generations: int) -> None:
    for generation in range(generations):
        if generation % 2 == 0 and generation:
            history.add_check(
                champion_report(generation), b"%d" % generation, [result("b"), result("a", 3)]
            )
        history.add_generation(report(generation, best=generation / 10), seconds=0.25)


def test_what_goes_in_comes_out(history: History) -> None:
    fill(history, 5)
    table = history.generations()
    assert table == {
        "generation": [0, 1, 2, 3, 4],
        "games": [100, 101, 102, 103, 104],
        "seconds": [0.25] * 5,
        "best": [0.0, 0.1, 0.2, 0.3, 0.4],
        "worst": [0.1] * 5,
    }
    assert history.totals() == (5, 510, 1.25)
    assert history.champions() == [(2, 4.5, 5.0), (4, 4.5, 5.0)]
    assert history.champion(2) == b"2"
    assert history.champion(3) is None
    assert history.checks() == [
        Check(2, "a", 3, 2, 7, 9),
        Check(2, "b", 7, 2, 3, 9),
        Check(4, "a", 3, 2, 7, 9),
        Check(4, "b", 7, 2, 3, 9),
    ]


def test_an_empty_history_is_empty(history: History) -> None:
    assert history.totals() == (0, 0, 0.0)
    assert history.generations() == {"generation": [], "games": [], "seconds": []}
    assert history.checks() == history.champions() == history.nodes() == []


def test_a_check_knows_its_shares() -> None:
    check = Check(3, "random", wins=80, draws=5, losses=15, distinct_games=90)
    assert (check.games, check.won) == (100, 0.8)
    assert check.wilson_95 == pytest.approx((0.7112, 0.8666), abs=1e-4)


OWN = ForfeitCount(0, "illegal move", 2, "a cheats.")
OTHER = ForfeitCount(1, "time-out", 1, "b sleeps.", ("one", "two"))


def test_what_belongs_to_a_check_comes_out_and_goes_with_it(history: History) -> None:
    clean = DuelResult(("a", "b"), 3, 1, 2, 6, {})
    for generation in (1, 2, 3):
        history.add_check(champion_report(generation), b"", [replace(clean, forfeits=(OWN, OTHER))])
        row = f"({generation}, 'b', 90, 80, 10, 5, 15, 2)"
        history._database.execute(f"INSERT INTO check_points VALUES {row}")
    history.add_check(champion_report(2), b"", [clean])
    checks = history.checks()
    assert [check.forfeits for check in checks] == [(OWN, OTHER), (), (OWN, OTHER)]
    assert (checks[0].games, checks[0].finished, checks[0].counted) == (9, 6, 8)
    assert (checks[0].won, checks[1].won) == (3 / 8, 3 / 6)
    assert checks[0].scores == CheckPoints(90.0, 80.0, 10.0, 5.0, 15.0, 2)
    history.forget_after(1)
    assert len(history._read("SELECT * FROM check_forfeits")) == 2
    assert len(history._read("SELECT * FROM check_points")) == 1


@pytest.mark.parametrize("table", ["check_points", "check_forfeits", "nodes", "check_ends"])
def test_histories_without_the_newer_tables_are_read_and_go_on(table: str, path: Path) -> None:
    with History(path, write=True) as history:
        fill(history, 5)
        whole = history.checks()
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"DROP TABLE {table}")
    with History(path) as reader:
        assert reader.checks() == whole
        assert reader.nodes() == reader.check_ends() == []
    with History(path, write=True) as writer:
        writer.forget_after(2)
        assert writer.checks() == whole[:2]


def test_what_was_not_known_in_a_generation_is_none(history: History) -> None:
    history.add_generation(Report(0, 10, {"best": 0.5}), 0.1)
    history.add_generation(Report(1, 10, {"best": float("nan"), "new": 1.0}), 0.1)
    table = history.generations()
    assert table["best"] == [0.5, None]
    assert table["new"] == [None, 1.0]


@pytest.mark.usefixtures("at_once")
def test_a_generation_is_noted_whole_or_not_at_all(history: History) -> None:
    fill(history, 3)
    broken = Report(3, 10, {"best": 0.5, "worst": object()})  # type: ignore[dict-item]
    before = history.generations()
    with pytest.raises(StorageError, match=r"history\.db can't be used"):
        history.add_generation(broken, 0.1)
    assert history.generations() == before
    with pytest.raises(StorageError):
        history.add_check(champion_report(6), object(), [result("a")])  # type: ignore[arg-type]
    assert history.champion(6) is None
    assert {check.generation for check in history.checks()} == {2}
    history.add_generation(report(3), 0.1)


def test_a_check_may_be_repeated(history: History) -> None:
    history.add_check(champion_report(2), b"old", [result("a", 1)])
    history.add_check(champion_report(2), b"new", [result("a", 9)])
    assert history.champion(2) == b"new"
    assert [check.wins for check in history.checks()] == [9]


def test_a_full_disk_is_named_and_nothing_half_done_remains(history: History) -> None:
    fill(history, 3)
    (pages,) = history._database.execute("PRAGMA page_count").fetchone()
    history._database.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageError, match=r"history\.db can't be used: .*full"):
        history.add_check(champion_report(3), b"x" * 100_000, [result("a")])
    assert history.champion(3) is None
    assert history.totals()[0] == 3
    history._database.execute("PRAGMA max_page_count = 100000")
    history.add_check(champion_report(3), b"x" * 100_000, [result("a")])
    assert history.champion(3) == b"x" * 100_000


@pytest.mark.usefixtures("at_once")
def test_others_read_while_the_run_goes_on(history: History) -> None:
    fill(history, 3)
    with History(history.path) as reader, closing(sqlite3.connect(history.path)) as plain:
        assert reader.totals()[0] == 3
        history.add_generation(report(3), 0.1)
        assert reader.generations()["generation"] == [0, 1, 2, 3]
        assert plain.execute("SELECT max(generation) FROM generations").fetchone() == (3,)


def test_a_reader_changes_nothing(history: History) -> None:
    fill(history, 2)
    with History(history.path) as reader, pytest.raises(StorageError, match="readonly"):
        reader.forget_after(0)
    assert history.totals()[0] == 2


def test_a_generation_waits_but_not_for_long(history: History, monkeypatch: Patch) -> None:
    now = 1000.0
    monkeypatch.setattr(f"{MODULE}.time.monotonic", lambda: now)
    with History(history.path) as reader:
        for generation in range(10):
            history.add_generation(report(generation), 0.1)
            now += PATIENCE / 4
            unwritten = generation + 1 - reader.totals()[0]
            assert unwritten <= 5
        assert history.totals()[0] == 10
        assert reader.totals()[0] == 10
        for generation, bring in enumerate((history.flush, history.close), start=10):
            history.add_generation(report(generation), 0.1)
            assert reader.totals()[0] == generation
            bring()
            assert reader.totals()[0] == generation + 1


@pytest.mark.usefixtures("at_once")
def test_what_was_written_survives_without_being_closed(path: Path) -> None:
    pid = os.fork()
    if not pid:
        fill(History(path, write=True), 6)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    with History(path) as reader:
        assert reader.totals()[0] == 6


def test_a_history_that_does_not_exist_is_no_run(tmp_path: Path, path: Path) -> None:
    with pytest.raises(NotARunError, match=r"history\.db does not exist: the run has not begun"):
        History(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_named(tmp_path: Path, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(DamagedHistoryError, match=r"history\.db can't be used"):
        History(path)
    assert path.read_bytes() == content
    with History(path, write=True) as history:
        assert history.totals() == (0, 0, 0.0)
    assert (tmp_path / "history.db.unusable").read_bytes() == content


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"gone/history\.db can't be used"):
        History(tmp_path / "gone" / "history.db", write=True)


def test_large_champions_are_dropped_but_for_some(history: History) -> None:
    for generation, size in ((1, 100), (2, 5000), (3, 5000), (4, 5000), (5, 6000)):
        history.add_check(champion_report(generation), b"x" * size, [result("a", generation)])
    history.drop_champions({3, 5}, larger_than=4999)
    assert history.kept_champions() == [1, 3, 5]
    assert [history.champion(generation) for generation in (2, 4, 6)] == [None] * 3
    sizes = [len(history.champion(generation) or b"") for generation in (1, 3, 5)]
    assert sizes == [100, 5000, 6000]
    # What they did is still known.
    assert [row[0] for row in history.champions()] == [1, 2, 3, 4, 5]
    assert [check.wins for check in history.checks()] == [1, 2, 3, 4, 5]
    history.add_check(champion_report(2), b"again", [result("a", 2)])
    assert history.champion(2) == b"again"


def test_room_of_dropped_champions_is_used_again(history: History) -> None:
    for generation in range(20):
        history.add_check(champion_report(generation), b"x" * 100_000, [])
        history.drop_champions({generation}, larger_than=1000)
    history.flush()
    assert history.path.stat().st_size < 400_000


# Damage, locks and readers: nothing of these stops a run


def live_copy(folder: Path) -> dict[str, bytes]:
    """Return the files of a history during writing: the database, its log, and the log's index."""
    with History(folder / "history.db", write=True) as writer:
        fill(writer, 60)
        writer.flush()
        for generation in range(60, 90):
            writer.add_generation(report(generation), 0.25)
        writer.add_check(champion_report(89), b"x" * 3000, [result("a")])
        return {file.name: file.read_bytes() for file in folder.glob("history.db*")}


def damage(content: bytes, chance: random.Random) -> bytes:
    """Return *content* with bytes flipped, a page of noise or of zeros, or cut off."""
    damaged = bytearray(content)
    place = chance.randrange(len(damaged))
    match chance.choice(["flip", "noise", "zeros", "cut"]):
        case "flip":
            for _ in range(chance.choice([1, 10, 200])):
                damaged[chance.randrange(len(damaged))] ^= chance.randrange(1, 256)
        case "noise":
            page = place // 4096 * 4096
            damaged[page : page + 4096] = chance.randbytes(4096)
        case "zeros":
            end = place + chance.choice([10, 20_000])
            damaged[place:end] = bytes(len(damaged[place:end]))
        case "cut":
            del damaged[place:]
    return bytes(damaged)


def use(path: Path) -> History:
    """Do everything that a run does with its history."""
    with History(path, write=True) as history:
        history.champions()
        history.checks()
        history.forget_after(30)
        for generation in history.kept_champions():
            history.champion(generation)
        for generation in range(30, 40):
            history.add_generation(report(generation), 0.25)
            if generation % 3 == 0:
                history.add_check(champion_report(generation), bytes(3000), [result("a")])
                history.drop_champions({generation}, 1000)
                history.flush()
    return history


def look(folder: Path) -> str:
    """Read everything that is shown of a history; return the fault if that fails."""
    try:
        with History(folder / "history.db") as reader:
            reader.generations()
            assert all(0.0 <= check.won <= 1.0 for check in reader.checks())
    except StorageError as error:
        return str(error)
    return ""


@pytest.mark.usefixtures("at_once")
def test_no_damage_stops_a_run(tmp_path: Path) -> None:
    (tmp_path / "live").mkdir()
    whole = live_copy(tmp_path / "live")
    chance = random.Random(7)
    put_aside = 0
    for number in range(30):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in whole.items():
            (folder / name).write_bytes(content)
        name = chance.choice(["history.db", "history.db", "history.db-wal", "history.db-shm"])
        if chance.random() < 0.5:  # as the log is gone, all is in the database itself
            name = "history.db"
            (folder / "history.db-wal").unlink()
            (folder / "history.db-shm").unlink()
        (folder / name).write_bytes(damage(whole[name], chance))
        assert re.fullmatch(rf"|{folder}/history\.db can't be used: .{{,210}}", look(folder))
        warnings = use(folder / "history.db").warnings
        with History(folder / "history.db") as reader:
            assert reader.generations()["generation"][-10:] == list(range(30, 40))
        if warnings:
            put_aside += 1
            assert len(warnings) == 1
            assert "it was renamed to history.db.unusable, and a new one begins" in warnings[0]
            assert (folder / "history.db.unusable").is_file()
    assert 3 < put_aside < 27


@pytest.mark.usefixtures("at_once")
def test_damage_while_a_run_goes_on_stops_nothing(tmp_path: Path, path: Path) -> None:
    with History(path, write=True) as history:
        fill(history, 200)
        history.flush()
        for pragma in ("wal_checkpoint(TRUNCATE)", "cache_size = 0", "shrink_memory"):
            history._database.execute(f"PRAGMA {pragma}")
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (path.stat().st_size - 4096))
        history.add_generation(report(200), 0.25)
        history.add_check(champion_report(201), b"201", [result("a")])
        assert history.champion(201) == b"201"
        assert len(history.warnings) == 1
        assert history.generations()["generation"][-1] == 200
    assert (tmp_path / "history.db.unusable").is_file()


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE generations (number INTEGER)",
        SCHEMA + "INSERT INTO generations VALUES (1, 'many', 0.5)",
        SCHEMA + "INSERT INTO checks VALUES (1, x'ff', 1, 0, 0, 1)",
        SCHEMA + "INSERT INTO checks VALUES (1, 'random', -1, 2, 0, 0)",
        SCHEMA + "INSERT INTO champions VALUES (1, 0.5, 1.0, 'text')",
        SCHEMA + "INSERT INTO checks VALUES (1, CAST(x'ff' AS TEXT), 1, 0, 0, 1)",
    ],
)
def test_a_database_with_other_content_is_damaged(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.executescript(script)
    with (
        pytest.raises(DamagedHistoryError, match=r"history\.db can't be used") as caught,
        History(path) as history,
    ):
        history.checks()
    assert "\n" not in str(caught.value)
    assert len(use(path).warnings) == 1


COUNTING = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)"
    " SELECT i AS generation, 1 AS games, 0.5 AS seconds FROM n"
)
BLOB = "AS (zeroblob(900000000))"
COLUMNS = "generation INTEGER PRIMARY KEY, games INTEGER NOT NULL, seconds REAL NOT NULL"


@pytest.mark.parametrize("thorough", [True, False])
@pytest.mark.parametrize(
    ("script", "message"),
    [
        (f"CREATE VIEW generations AS {COUNTING}", "it has a view"),
        (f"CREATE VIEW Generations AS {COUNTING}", "it has a view"),
        (
            SCHEMA + "CREATE TRIGGER more AFTER INSERT ON checks BEGIN DELETE FROM checks; END",
            "it has a trigger",
        ),
        *(
            (
                f"CREATE TABLE {name} ({COLUMNS}, a {BLOB}, b {BLOB} {kind}, c {BLOB});"
                f" INSERT INTO {name} (generation, games, seconds) VALUES (0, 1, 0.5)",
                "its table generations has a generated column",
            )
            for name, kind in (("generations", ""), ("GENERATIONS", "VIRTUAL"))
        ),
        (f"CREATE TABLE generations ({COLUMNS}, more BLOB)", "its table generations is another"),
    ],
)
def test_reading_computes_nothing(path: Path, script: str, message: str, thorough: bool) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.executescript(script)
    with pytest.raises(DamagedHistoryError, match=rf"history\.db can't be used: {message}"):
        History(path, thorough=thorough)
    assert message in use(path).warnings[0]


def test_texts_take_no_more_memory_than_is_sensible(history: History, monkeypatch: Patch) -> None:
    for number in range(100):
        history.add_check(champion_report(number), b"x" * 10, [result("a" * 5000)])
    history.flush()
    with History(history.path) as reader:
        assert len(reader.checks()) == 100
        monkeypatch.setattr(f"{MODULE}.MAX_TEXT", 400_000)
        with pytest.raises(DamagedHistoryError, match="its texts are too long"):
            reader.checks()
    history.add_check(champion_report(101), b"x", [result("a" * 2_000_000)])
    with (
        pytest.raises(DamagedHistoryError, match="string or blob too big"),
        History(history.path, thorough=False) as reader,
    ):
        reader.checks()


def test_a_large_champion_is_read(history: History, monkeypatch: Patch) -> None:
    monkeypatch.setattr(f"{MODULE}.MAX_TEXT", 1000)
    for number in (1, 2):
        history.add_check(champion_report(number), bytes(3_000_000), [result("a")])
    history.drop_champions([2], 1_000_000)
    history.flush()
    with History(history.path) as reader:
        assert reader.champion(2) == bytes(3_000_000)
        assert reader.kept_champions() == [2]
        assert [generation for generation, *_ in reader.champions()] == [1, 2]
        assert len(reader.checks()) == 2


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("thorough", [True, False])
def test_readers_open_no_link_or_pipe(tmp_path: Path, path: Path, end: str, thorough: bool) -> None:
    use(path)
    file, other = tmp_path / f"history.db{end}", tmp_path / "other"
    other.write_bytes(path.read_bytes())
    file.unlink(missing_ok=True)
    file.symlink_to(other)
    with pytest.raises(DamagedHistoryError, match="it is a symbolic link"):
        History(path, thorough=thorough)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(StorageError if end else NotARunError):
        History(path, thorough=thorough)


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "symbolic link"])
def test_what_is_no_file_is_put_aside(tmp_path: Path, path: Path, end: str, kind: str) -> None:
    file, other = tmp_path / f"history.db{end}", tmp_path / "other"
    other.write_bytes(b"precious")
    if kind == "symbolic link":
        file.symlink_to(other)
    else:
        make_special(file, kind)
    assert len(use(path).warnings) == 1
    assert other.read_bytes() == b"precious"
    with History(path) as reader:
        assert reader.totals()[0] == 10


@pytest.mark.usefixtures("at_once")
def test_rows_wait_for_who_has_locked_the_database(history: History) -> None:
    fill(history, 3)
    other = sqlite3.connect(history.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    history.add_generation(report(3), 0.1)
    history.add_check(champion_report(4), b"4", [result("a")])
    history.flush()
    history.add_generation(report(4), 0.1)
    with History(history.path) as reader:
        assert reader.totals()[0] == 3
    other.execute("COMMIT")
    history.add_generation(report(5), 0.1)
    assert history.generations()["generation"] == [0, 1, 2, 3, 4, 5]
    assert history.champion(4) == b"4"
    assert history.warnings == []
    other.close()


def test_a_database_that_stays_locked_costs_rows(history: History, monkeypatch: Patch) -> None:
    monkeypatch.setattr(f"{MODULE}.LONG_PATIENCE", 0.1)
    fill(history, 3)
    history.flush()
    other = sqlite3.connect(history.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    history.add_generation(report(3), 0.1)
    history.close()
    told = "is locked by another process: the newest generations and checks are not in it"
    assert history.warnings == [f"{history.path} {told}"]
    other.close()
    with History(history.path) as reader:
        assert reader.totals()[0] == 3


def test_nobody_waits_for_a_reader_and_all_is_on_the_disk(history: History) -> None:
    fill(history, 3)
    history.flush()
    reader = sqlite3.connect(history.path, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM generations").fetchone() == (3,)
    said: list[str] = []
    history._database.set_trace_callback(said.append)
    history.add_generation(report(3), 0.1)
    history._write_waiting()
    del said[:]
    history.flush()
    # A commit that writes a page, flushed; then the log goes on as far as the reader lets it.
    assert said.pop(2).startswith("UPDATE generations")
    passive = ["PRAGMA synchronous = NORMAL", "PRAGMA wal_checkpoint(PASSIVE)"]
    assert said == ["PRAGMA synchronous = FULL", "BEGIN IMMEDIATE", "COMMIT", *passive]
    assert reader.execute("SELECT count(*) FROM generations").fetchone() == (3,)
    reader.close()


def test_nothing_is_written_once_the_guard_says_no(path: Path) -> None:
    def refuse() -> None:
        raise StorageError("not here")

    guarded = closing(History(path, write=True, guard=refuse))
    with guarded as history, pytest.raises(StorageError, match="not here"):
        history.forget_after(0)


def test_nodes_are_those_of_the_last_start(history: History) -> None:
    first = Node("one", "10.0.0.1", 2, 7, 1, 0, 400, 12.5)
    history.add_nodes(0, [first, Node("two", "10.0.0.2")])
    assert history.nodes() == [first, Node("two", "10.0.0.2")]
    history.add_nodes(0, [replace(first, done=8)])
    assert history.nodes()[0].done == 8
    history.add_nodes(5, [first])
    assert history.nodes() == [first]
    history.forget_after(5)
    assert [node.done for node in history.nodes()] == [8, 0]
