"""The games of ``checkers-td`` after training, kept in the study's folder as they are played.

What is played is cut into series, one for each seed of a tournament; a series consists of
meetings, which depend on nothing but the trained players and their own seeds. So the study can
be stopped at any time and goes on with the meetings that are not there yet.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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

    @property
    def count(self) -> int:
        """How many meetings there are."""
        return len(self.weights)

    def weight(self, first: int, last: int | None = None) -> float:
        """That of the meetings from number *first* to before *last*, or to the end."""
        return sum(self.weights[first:last])


def play_series(material: Material, all_series: Sequence[Series]) -> list[list[Meeting]]:
    """The results of all meetings, series by series; what was played before is read.

    Raises:
        RunsStoppedError: Who watches wants no more; the same call goes on.
        StorageError: Results can't be read or written.
    """
    folder, progress = material.folder, material.progress
    kept = [_read(folder, series) for series in all_series]
    clock = _Clock(all_series, [len(meetings) for meetings in kept])
    with _hire(material.workers) as executor:
        for number, series in enumerate(all_series):
            while (begin := len(kept[number])) < series.count:
                numbers = range(begin, min(begin + series.at_a_time, series.count))
                kept[number] += series.play(numbers, executor())
                _write(folder, series, kept[number])
                now = clock.tell(number, len(kept[number]))
                if progress is not None and not progress(now):
                    raise RunsStoppedError(f"stopped in {folder}; the same command goes on")
    return kept


def fingerprint(*parts: bytes | str | int) -> str:
    """A digest of what results depend on."""
    digest = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


class _Clock:
    """How far all series are, and how long the rest takes if it goes on as so far."""

    def __init__(self, all_series: Sequence[Series], reached: Sequence[int]) -> None:
        self._sittings = all_series
        self._reached = list(reached)
        self._start = time.perf_counter()
        self._done = 0.0

    def tell(self, number: int, reached: int) -> RunsProgress:
        """Notes that a series has *reached* so many meetings."""
        series = self._sittings[number]
        self._done += series.weight(self._reached[number], reached)
        self._reached[number] = reached
        pairs = list(zip(self._sittings, self._reached, strict=True))
        left = sum(other.weight(have) for other, have in pairs)
        seconds = time.perf_counter() - self._start
        return RunsProgress(
            run=series.name,
            number=number + 1,
            runs=len(self._sittings),
            generation=reached,
            generations=series.count,
            seconds=seconds,
            seconds_left=seconds * left / max(self._done, 1e-9),
            finished=sum(have == other.count for other, have in pairs),
            going={series.name: reached} if reached < series.count else {},
        )


@contextmanager
def _hire(workers: int | None) -> Iterator[Callable[[], Executor]]:
    """Gives an executor when it is first asked for, and closes it in the end."""
    hired: list[Executor] = []

    def executor() -> Executor:
        if not hired:
            hired.append(make_executor(None, workers))
        return hired[0]

    try:
        yield executor
    finally:
        for one in hired:
            one.close()


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
