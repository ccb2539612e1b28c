"""The games of ``checkers-td`` after training, kept in the study's folder as they are played.

What is played is cut into series, one for each seed of a tournament; a series consists of
meetings, which depend on nothing but the trained players and their own seeds. So the study can
be stopped at any time and goes on with the meetings that are not there yet.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from evolve_arena.arena.executors import Executor, make_executor
from evolve_arena.runs.many.parallel_runs import RunsProgress, RunsStoppedError
from evolve_arena.runs.store.files import explain_storage_errors, write_whole
from evolve_arena.studies.checkers_td.published import Score
from evolve_arena.studies.study import Material

AT_A_TIME = 30
"""Meetings between two looks at who watches, and two writings of the file."""
FOLDER = "games"


@dataclass(frozen=True)
class Meeting:
    """What came of a meeting."""

    rounds: tuple[Score, ...]
    """What the first player did, round by round."""
    lost: int = 0
    """How often weights grew beyond all bounds, so that a player went on with those before."""


@dataclass(frozen=True)
class Series:
    """Meetings of players who belong together."""

    name: str
    """Such as ``5.8-seed-1``; the name of its file."""
    weights: tuple[float, ...]
    """For each meeting, how long it takes about, compared with others."""
    identity: str
    """Tells whether results that lie there are of these players and these games."""
    play: Callable[[Sequence[int], Executor], list[Meeting]]
    """Plays the meetings of these numbers, all of them at once."""
    at_a_time: int = AT_A_TIME
    """How many of them these are at most."""


def play_series(material: Material, all_series: Sequence[Series]) -> list[list[Meeting]]:
    """The results of all meetings, series by series; what was played before is read.

    Raises:
        RunsStoppedError: Who watches wants no more; the same call goes on.
        StorageError: Results can't be read or written.
    """
    kept = [_read(material.folder, series) for series in all_series]
    done, start = 0.0, time.perf_counter()
    with ExitStack() as stack:
        executor: Executor | None = None
        for number, (series, meetings) in enumerate(zip(all_series, kept, strict=True), start=1):
            count = len(series.weights)
            while (begin := len(meetings)) < count:
                executor = executor or stack.enter_context(make_executor(None, material.workers))
                numbers = range(begin, min(begin + series.at_a_time, count))
                meetings.extend(series.play(numbers, executor))
                _write(material.folder, series, meetings)
                reached = len(meetings)
                done += sum(series.weights[begin:reached])
                rest = _weigh_rest(all_series, kept)
                seconds = time.perf_counter() - start
                now = RunsProgress(
                    run=series.name,
                    number=number,
                    runs=len(kept),
                    generation=reached,
                    generations=count,
                    seconds=seconds,
                    seconds_left=seconds * rest / max(done, 1e-9),
                    finished=sum(
                        len(have) == len(other.weights)
                        for other, have in zip(all_series, kept, strict=True)
                    ),
                    going={series.name: reached} if reached < count else {},
                )
                if material.progress is not None and not material.progress(now):
                    raise RunsStoppedError(
                        f"stopped in {material.folder}; the same command goes on"
                    )
    return kept


def _weigh_rest(all_series: Sequence[Series], kept: Sequence[Sequence[Meeting]]) -> float:
    """How long all meetings take that are not there yet."""
    pairs = zip(all_series, kept, strict=True)
    return sum(sum(series.weights[len(meetings) :]) for series, meetings in pairs)


def fingerprint(*parts: bytes | str | int) -> str:
    """A digest of what results depend on."""
    digest = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


def _read(folder: Path | None, series: Series) -> list[Meeting]:
    """What was played of *series*; nothing if it was with other players, or can't be read."""
    if folder is None:
        return []
    path = folder / FOLDER / f"{series.name}.json"
    with explain_storage_errors(path):
        if not path.is_file():
            return []
        content = path.read_bytes()
    try:
        kept = json.loads(content)
        if kept["identity"] != series.identity:
            return []
        return [
            Meeting(tuple(Score(*score) for score in rounds), lost)
            for rounds, lost in kept["meetings"]
        ]
    except (ValueError, TypeError, KeyError):  # not whole, or by someone else: it is played again
        return []


def _write(folder: Path | None, series: Series, meetings: Sequence[Meeting]) -> None:
    if folder is None:
        return
    path = folder / FOLDER / f"{series.name}.json"
    with explain_storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    rounds = [
        ([[score.wins, score.losses, score.draws] for score in meeting.rounds], meeting.lost)
        for meeting in meetings
    ]
    content = {"identity": series.identity, "meetings": rounds}
    write_whole(path, json.dumps(content).encode())
