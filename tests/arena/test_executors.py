"""Executors: the same results from each, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import psutil
import pytest

from evolve_arena.arena.arena import play_part
from evolve_arena.arena.batch import Batch, Results, make_batch
from evolve_arena.arena.executors import (
    EXECUTORS,
    Executor,
    ProcessExecutor,
    SerialExecutor,
    WorkerError,
    default_workers,
    make_executor,
    parts,
    processes,
)
from evolve_arena.arena.pairings import random_openings
from evolve_arena.arena.tasks import Task, find_kernel
from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Array, Settings
from evolve_arena.players.packed import combine_players
from evolve_arena.players.player import make_random
from evolve_arena.players.specification import make_player

NetworkDecoder = find_game("connect-four").networks["mlp"].decoder_type

GAME = make_game("connect-four")
DECODER = NetworkDecoder(hidden=(4,))
Team = Callable[[int], ProcessExecutor]


def make_matches(count: int, seed: int = 0, plies: int = 0, players: int = 6) -> Batch:
    """Make matches among networks, the test bot and a random player."""
    genomes = DECODER.initialise(players, "uniform", np.random.default_rng(seed))
    others = [make_random(GAME).packed, make_player("test-bot", GAME).packed]
    packed = combine_players([DECODER.pack(genomes), *others])
    pairings = np.random.default_rng(seed).integers(0, players + 2, (count, 2))
    openings = random_openings(GAME, plies, count, seed) if plies else None
    return make_batch(
        GAME, packed, pairings.astype(np.int32), derive_seeds(seed, 0, "test", count), openings
    )


def assert_same(one: Results, other: Results) -> None:
    assert np.array_equal(one.outcomes, other.outcomes)
    for array, same in zip(one.arrays, other.arrays, strict=True):
        assert np.array_equal(array, same)


@pytest.fixture(params=["fork"])
def team(
    request: pytest.FixtureRequest, find_workers: Callable[[], list[psutil.Process]]
) -> Iterator[Team]:
    """Make executors with a given number of workers; afterwards none of theirs may be left."""
    made: list[ProcessExecutor] = []
    others = find_workers()  # of a fixture that several tests share
    if request.param == "spawn":
        request.getfixturevalue("ready_workers")

    def make(workers: int) -> ProcessExecutor:
        made.append(ProcessExecutor(workers, request.param))
        return made[-1]

    yield make
    for executor in [*made, *made]:
        executor.close()
        assert executor.processes() == []
    assert [worker for worker in find_workers() if worker not in others] == []


both_ways = pytest.mark.parametrize("team", ["fork", "spawn"], indirect=True)
"""Workers that are copies of this process, and those that start from nothing."""


@both_ways
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_every_number_of_workers_gives_the_same_results(team: Team, workers: int) -> None:
    executor = team(workers)
    assert executor.workers == workers
    for count, plies in ((0, 0), (1, 0), (63, 3), (64, 0), (65, 0), (5000, 5), (200, 0)):
        batch = make_matches(count, seed=count, plies=plies)
        expected = SerialExecutor().play(batch)
        assert len(expected) == count
        assert_same(executor.play(batch), expected)
    assert len(executor.processes()) == workers - 1  # the caller is one of them
    assert executor.seconds > 0.0


@both_ways
def test_a_batch_larger_than_the_first_room_is_played(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "FIRST_SIZE", 64 * 1024)
    executor = team(2)
    for players in (2, 40, 300, 2):
        batch = make_matches(700, players=players)
        assert_same(executor.play(batch), SerialExecutor().play(batch))


@both_ways
def test_workers_killed_between_batches_are_replaced(team: Team) -> None:
    executor = team(3)
    batch = make_matches(1000)
    executor.play(make_matches(1000, seed=1))
    before = executor.processes()
    os.kill(before[0], signal.SIGKILL)
    assert_same(executor.play(batch), SerialExecutor().play(batch))
    executor.play(batch)  # the death may have come to notice only now
    assert len(executor.processes()) == 2
    assert set(before) & set(executor.processes()) == {before[1]}


def test_results_are_not_overwritten_by_the_next_batch(team: Team) -> None:
    executor = team(2)
    first = executor.play(make_matches(500, seed=1))
    copy = first.game_hashes.copy()
    executor.play(make_matches(500, seed=2))
    assert np.array_equal(first.game_hashes, copy)


@pytest.mark.parametrize("moment", [0, 1, 5])
def test_a_worker_that_is_killed_is_replaced(
    team: Team, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """The caller hears from some workers, and then one dies with work in hand."""
    executor = team(3)
    batch = make_matches(4000)
    executor.play(batch)
    before = executor.processes()
    heard = 0
    listen = executor._team.listen

    def kill_and_listen(*, wait: bool) -> list[object]:
        nonlocal heard
        if heard == moment:
            os.kill(before[0], signal.SIGKILL)
        heard += 1
        return listen(wait=wait)

    monkeypatch.setattr(executor._team, "listen", kill_and_listen)
    assert_same(executor.play(batch), SerialExecutor().play(batch))
    executor.play(batch)  # the death may have come to notice only now
    assert heard > moment
    after = executor.processes()
    assert len(after) == 2
    assert before[0] not in after
    assert before[1] in after


def die_over(doomed: int, way: Callable[[], None]) -> Callable[..., None]:
    """Return a stand-in for the kernel that kills workers with matches from *doomed* on."""
    caller = os.getpid()

    def play(
        options: Settings, inputs: Sequence[Array], outputs: Sequence[Array], part: slice
    ) -> None:
        if part.start >= doomed and os.getpid() != caller:
            way()
        play_part(options, inputs, outputs, part)

    return play


def square(
    options: Settings, inputs: Sequence[Array], outputs: Sequence[Array], part: slice
) -> None:
    """Compute squares of numbers, and note the process that computed each."""
    for place in range(part.start, part.stop):
        time.sleep(options["seconds"])
        outputs[0][place] = inputs[0][place] ** 2
        outputs[1][place] = os.getpid()


@pytest.mark.parametrize(
    ("way", "text"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), r"killed by SIGKILL"),
        (lambda: os._exit(7), r"exit code 7"),
    ],
)
@pytest.mark.parametrize("doomed", [0, 500])
def test_workers_that_die_over_the_same_matches_are_an_error(
    team: Team, monkeypatch: pytest.MonkeyPatch, way: Callable[[], None], text: str, doomed: int
) -> None:
    kernel = die_over(doomed, way)
    monkeypatch.setattr(parts, "find_kernel", lambda name: kernel)
    executor = team(2)
    with pytest.raises(WorkerError, match=rf"twice over the same part \({text}\)"):
        executor.play(make_matches(2000))
    assert executor.processes() == []
    # Later workers are born healthy, and the executor is as good as new.
    monkeypatch.setattr(parts, "find_kernel", find_kernel)
    batch = make_matches(2000, seed=4)
    assert_same(executor.play(batch), SerialExecutor().play(batch))


def test_who_dies_is_blamed_on_the_chunk_that_it_did(
    team: Team, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A worker dies over the first of its two chunks, the next one over the other: no error.

    The second chunk was only waiting when the first worker died.
    """
    caller = os.getpid()

    def play(
        options: Settings, inputs: Sequence[Array], outputs: Sequence[Array], part: slice
    ) -> None:
        mark = tmp_path / str(part.start)
        if os.getpid() != caller and not mark.exists() and len(os.listdir(tmp_path)) < 2:
            mark.touch()
            os._exit(7)
        play_part(options, inputs, outputs, part)

    monkeypatch.setattr(parts, "find_kernel", lambda name: play)
    executor = team(2)
    listen = executor._team.listen
    # The caller plays no chunk before the worker has done one, or died.
    monkeypatch.setattr(executor._team, "listen", lambda *, wait: listen(wait=True))
    batch = make_matches(4000)
    assert_same(executor.play(batch), SerialExecutor().play(batch))
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_large_parts_are_handed_out_one_by_one(team: Team, workers: int) -> None:
    """Three parts and three workers: each has one, the caller too."""
    work = Task(
        kernel=f"{__name__}:square",
        inputs=(np.arange(3.0),),
        outputs=(("float64", (3,)), ("int64", (3,))),
        options={"seconds": 0.2},
        coarse=True,
    )
    executor = team(workers)
    squares, who = executor.run(work)
    assert squares.tolist() == [0.0, 1.0, 4.0]
    assert len(set(who.tolist())) == workers
    assert os.getpid() in who
    assert SerialExecutor().run(work)[0].tolist() == squares.tolist()


def test_an_interrupted_batch_leaves_nothing_behind(team: Team) -> None:
    executor = team(2)
    executor.play(make_matches(100))
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT))
    large = make_matches(200_000)

    def play_until_interrupted() -> None:
        timer.start()
        for _ in range(200):
            executor.play(large)

    # Whoever runs the tests in the background may have the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            play_until_interrupted()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    batch = make_matches(100_000, seed=5)
    assert_same(executor.play(batch), SerialExecutor().play(batch))


def test_workers_hold_no_file_of_their_caller(team: Team, tmp_path: Path) -> None:
    with (tmp_path / "held").open("w"):
        executor = team(2)
        executor.play(make_matches(5000))  # enough for each to have its part
        for pid in executor.processes():
            assert [file.path for file in psutil.Process(pid).open_files()] == []


class Fragile:
    """A signal handler that can only be destroyed in the process that made it, as Ray's."""

    def __init__(self) -> None:
        self.maker = os.getpid()

    def __call__(self, number: int, frame: object) -> None:
        """Fail, as nobody sends the signal."""
        raise AssertionError

    def __del__(self) -> None:
        if os.getpid() != self.maker:
            os.kill(os.getpid(), signal.SIGKILL)


def test_workers_keep_the_signal_handlers_of_their_caller(team: Team) -> None:
    before = signal.signal(signal.SIGTERM, Fragile())
    try:
        assert team(2).map(abs, [-1, 2]) == [1, 2]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_executors_are_made_by_name() -> None:
    def make(name: str | None, workers: int | None = None) -> Executor:
        with make_executor(name, workers) as executor:
            return executor

    assert isinstance(make("serial"), SerialExecutor)
    assert isinstance(make("multiprocess", 3), ProcessExecutor)
    assert make("multiprocess", 3).workers == 3
    assert make(None).workers == default_workers() == len(os.sched_getaffinity(0))
    assert set(EXECUTORS) == {"serial", "multiprocess", "spawn", "ray"}


@pytest.mark.parametrize("name", [None, *EXECUTORS])
@pytest.mark.parametrize("workers", [0, -1, 257])
def test_numbers_of_workers_out_of_range_are_refused(name: str | None, workers: int) -> None:
    with pytest.raises(BadValueError, match=rf"workers is {workers}: .* from 1 to 256"):
        make_executor(name, workers)


def test_unknown_executors_are_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'multiproces': did you mean 'multiprocess'\?"):
        make_executor("multiproces")
