"""Python functions applied by executors: the same results and errors from each of them."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolve_arena.arena.executors import EXECUTORS, Executor, WorkerError, make_executor

if TYPE_CHECKING:
    import psutil


class PickyError(Exception):
    """Exception of two arguments."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} and {other}")


LOCAL = [name for name in EXECUTORS if name != "ray"]  # which has its own tests: it starts slowly


@pytest.fixture(params=LOCAL)
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with make_executor(request.param, 2) as made:
        yield made


@pytest.fixture(params=[name for name in LOCAL if name != "serial"])
def apart(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Yield executors that apply functions in other processes."""
    with make_executor(request.param, 2) as made:
        yield made


def test_results_come_in_the_order_of_items(executor: Executor) -> None:
    weights = np.random.default_rng(1).normal(size=(200, 50))
    before = executor.seconds

    def judge(row: int) -> tuple[int, float]:
        time.sleep(random.Random(row).random() / 200)
        return row, float(np.tanh(weights[row]).sum())

    expected = [judge(row) for row in range(200)]
    assert executor.map(judge, range(200)) == expected
    assert executor.map(judge, iter([7, 3])) == [expected[7], expected[3]]
    assert executor.map(judge, [5]) == [expected[5]]
    assert executor.map(judge, []) == []
    assert executor.seconds > before


def test_work_is_shared_by_other_processes(apart: Executor) -> None:
    def report(item: int) -> int:
        time.sleep(0.05)  # long enough for the second one to start
        return os.getpid()

    who = apart.map(report, range(60))
    assert len(set(who)) == 2
    assert os.getpid() not in who
    alone: list[int] = apart.map(report, [1])
    assert alone == [os.getpid()]  # for one item no process is started


def test_one_slow_item_does_not_hold_up_the_others(apart: Executor) -> None:
    def report(item: int) -> int:
        time.sleep(2 if item == 0 else 0.001)
        return os.getpid()

    apart.map(time.sleep, [0.01] * 60)  # all have started
    who = apart.map(report, range(60))
    assert who.count(who[0]) < 20


def test_the_first_item_that_fails_is_told(executor: Executor) -> None:
    def fail(item: int) -> int:
        if item in (3, 40, 150):
            time.sleep(0.2 if item == 3 else 0)
            raise KeyError(f"item {item}")
        return item

    with pytest.raises(KeyError, match="item 3") as caught:
        executor.map(fail, range(200))
    whole = "".join(traceback.format_exception(caught.value))
    assert 'raise KeyError(f"item {item}")' in whole
    assert executor.map(abs, range(-3, 3)) == [3, 2, 1, 0, 1, 2]  # it is as good as new


def test_errors_and_results_that_can_not_be_sent_are_told(apart: Executor) -> None:
    def fail(item: int) -> int:
        raise PickyError("salt", "pepper")

    with pytest.raises(WorkerError, match=r"PickyError: salt and pepper of .*fail can't be sent"):
        apart.map(fail, range(10))
    with pytest.raises(WorkerError, match=r"the result of .*lambda.* can't be sent"):
        apart.map(lambda item: iter(lambda: 1, 0), range(10))


@pytest.mark.parametrize(
    ("way", "text"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "killed by SIGKILL"),
        (lambda: os._exit(7), "exit code 7"),
    ],
)
def test_a_worker_that_dies_is_an_error(
    apart: Executor,
    way: Callable[[], None],
    text: str,
    find_workers: Callable[[], list[psutil.Process]],
) -> None:
    own = os.getpid()

    def die(item: int) -> None:
        if item == 50 and os.getpid() != own:
            way()

    with pytest.raises(WorkerError, match=rf"a worker died \({text}\)"):
        apart.map(die, range(100))
    assert find_workers() == []
    assert apart.map(abs, [-1, 1]) == [1, 1]


def test_signals_are_for_the_caller(apart: Executor) -> None:
    def send(item: int) -> int:
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(os.getpid(), number)
        return item

    assert apart.map(send, range(10)) == list(range(10))
