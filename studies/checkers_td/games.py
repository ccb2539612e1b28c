"""The games of ``checkers-td`` after training, stored in the study's folder as they are played.

The games are divided into series, one for each seed of a tournament; a series consists of meetings,
which depend on nothing but the trained players and their own seeds. So the study can be stopped at
any time and resumes with the missing meetings.
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
"""Number of meetings after which progress is reported and results are stored."""
FOLDER = "games"


@dataclass(frozen=True)
class Meeting:
    """The results of a meeting: one or more rounds of games between two players."""

    rounds: tuple[Score, ...]
    """Scores of the first player, round by round."""
    lost: int = 0
    """Number of times that weights diverged, so that a player continued with the previous ones."""


@dataclass(frozen=True)
class Series:
    """Meetings of a group of players."""

    name: str
    """Name of the series and its file, such as ``5.8-seed-1``."""
    weights: tuple[float, ...]
    """Approximate relative duration of each meeting."""
    identity: str
    """Digest by which stored results are recognised as those of these players and games."""
    play: Callable[[Sequence[int], Executor], list[Meeting]]
    """Function that plays the meetings with the given numbers."""
    at_a_time: int = AT_A_TIME
    """Most meetings to play in one call."""


def play_series(material: Material, all_series: Sequence[Series]) -> list[list[Meeting]]:
    """Play all meetings that are not stored yet, and return all results, series by series.

    Raises:
        RunsStoppedError: The progress function returned False; the same call resumes.
        StorageError: Results can't be read or written.
    """
    kept = [_read(material.folder, series) for series in all_series]
    done, start = 0.0, time.perf_counter()
    with ExitStack() as stack:
        executor: Executor | None = None
        # Play the missing meetings of each series, a few at a time, and store them.
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
                # Report, and stop if asked to.
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
    """Return the relative duration of all missing meetings."""
    pairs = zip(all_series, kept, strict=True)
    return sum(sum(series.weights[len(meetings) :]) for series, meetings in pairs)


def fingerprint(*parts: bytes | str | int) -> str:
    """Return the SHA-256 digest of *parts*, in hexadecimal; each is hashed with its length."""
    digest = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


def _read(folder: Path | None, series: Series) -> list[Meeting]:
    """Return the stored meetings of *series*; none if the file is unreadable or of others."""
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
    except (ValueError, TypeError, KeyError):  # incomplete, or not ours: play again
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
