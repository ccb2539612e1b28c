"""Workers that hang, or die: they are ended, and others take their place."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psutil
import pytest

from evolve_arena.core.types import Json, JsonObject, Settings
from evolve_arena.web import app, workers
from evolve_arena.web.app import Server
from evolve_arena.web.workers import NoAnswerError, Worker, WorkerError

SLEEPY = "tests.web.sleepy"
"""Its `Desk`; each call has a second."""


def ask(*calls: str) -> list[Json]:
    """Return a worker's answers to *calls*, one after the other; an error as its sentence."""

    async def ask_in_turn() -> list[Json]:
        worker, answers = Worker(SLEEPY, 1.0), []
        try:
            for name in calls:
                try:
                    answers.append(await worker.call(name))
                except NoAnswerError as error:
                    answers.append(str(error))
            return answers
        finally:
            worker.stop()

    return asyncio.run(ask_in_turn())


def test_a_worker_that_hangs_or_dies_is_ended_and_another_answers() -> None:
    first, error, second, gone, third = ask("look", "step", "look", "leave", "look")
    assert error == "this took longer than 1 s, and was given up"
    assert gone == "the worker process has ended: try again"
    assert len({each["process"] for each in (first, second, third)}) == 3
    assert not psutil.pid_exists(first["process"])
    assert ask("compile") == ["compiled"]  # what has to be compiled has longer


def test_seconds_in_which_others_had_the_processors_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ask("doze") == ["this took longer than 1 s, and was given up"]
    waited = iter([0.0, 0.0, 0.0])  # while it starts, and when it is asked
    monkeypatch.setattr(workers, "_seconds_kept_waiting", lambda number: next(waited, 60.0))
    assert ask("doze") == ["awake"]


def test_a_game_whose_player_hangs_has_ended(tmp_path: Path) -> None:
    async def play() -> None:
        server = Server(tmp_path, "here")
        server.games["one"] = Worker(SLEEPY, 1.0)
        assert (await server._act({"game": "one", "act": "look"}))["process"]
        with pytest.raises(WorkerError, match=r"this game has ended: .* longer than 1 s"):
            await server._act({"game": "one", "act": "step"})
        with pytest.raises(WorkerError, match="no longer kept"):
            await server._act({"game": "one", "act": "look"})

    asyncio.run(play())


def test_a_game_that_its_page_has_left_ends_unless_it_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        server = Server(tmp_path, "here")
        server.games["one"] = worker = Worker(SLEEPY, 60.0)
        process = (await server._act({"game": "one", "act": "look"}))["process"]
        monkeypatch.setattr(app, "LEFT", 60.0)
        await server._act({"game": "one", "act": "leave"})
        assert (await server._act({"game": "one", "act": "look"}))["process"] == process
        assert not server._leaving  # it was loaded anew
        monkeypatch.setattr(app, "LEFT", 0.01)
        await server._act({"game": "one", "act": "leave"})
        while server.games:
            await asyncio.sleep(0.01)
        assert not worker.is_alive
        assert not psutil.pid_exists(process)

    asyncio.run(play())


def test_what_takes_long_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request is answered soon; an error is told as well, and nothing is done twice."""
    monkeypatch.setattr(app, "ERRAND", 0.01)
    begun: list[str] = []

    async def work(given: Settings) -> JsonObject:
        begun.append(given["run"])
        await asyncio.sleep(0.1)
        if given["run"] == "damaged":
            raise WorkerError("it is damaged")
        return {"done": given["run"]}

    async def ask() -> None:
        act = Server(tmp_path, "here")._later(work)
        for run in ("whole", "damaged"):
            answers: list[Json] = []
            while not answers or answers[-1] == {"later": True}:
                try:
                    answers.append(await act({"run": run}))
                except WorkerError as error:
                    answers.append(str(error))
            assert len(answers) > 2
            assert answers[-1] == ({"done": "whole"} if run == "whole" else "it is damaged")
        assert begun == ["whole", "damaged"]
        for number in range(app.MAX_ERRANDS):
            assert await act({"run": str(number)}) == {"later": True}
        with pytest.raises(WorkerError, match="too many requests"):
            await act({"run": "one more"})

    asyncio.run(ask())
