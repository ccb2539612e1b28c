"""Workers that hang, or die: they are ended, and others take their place."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import psutil
import pytest

from evolve_arena.web import workers
from evolve_arena.web.app import Server
from evolve_arena.web.workers import NoAnswerError, Worker, WorkerError

SLEEPY = "tests.web.sleepy"
"""Its `Desk`; each call has a second."""


def ask(*calls: str) -> list[Any]:
    """What a worker answers to *calls*, one after the other; an error as its sentence."""

    async def ask_in_turn() -> list[Any]:
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


def test_a_worker_that_hangs_is_ended_and_another_answers() -> None:
    first, error, second = ask("look", "step", "look")
    assert error == "this took longer than 1 s, and was given up"
    assert second["process"] != first["process"]
    assert not psutil.pid_exists(first["process"])


def test_a_worker_that_dies_is_told_and_another_answers() -> None:
    error, second = ask("leave", "look")
    assert error == "the process that was to answer has ended: try again"
    assert second["process"]


def test_what_has_to_be_compiled_has_longer() -> None:
    assert ask("compile") == ["compiled"]


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
