"""Whole runs on the nodes of a Ray cluster, with results fetched into the runs' directories.

An actor, which has one core of some node, advances one run after the other in a temporary folder
there. When it starts it receives the sources of all games and code that the caller has opened, and
then the name and the files of each run. At each checkpoint the new files come back. If a node dies,
its runs continue on another node from the last checkpoint that came back.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import socket
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from evolve_arena import core
from evolve_arena.arena.executors.cluster_worker import describe_versions
from evolve_arena.arena.executors.processes import IGNORED
from evolve_arena.core.errors import ArenaError, one_line, quote
from evolve_arena.core.files import check_regular, read_file
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import pack_games, unpack_games
from evolve_arena.core.user_code import open_code, opened_files
from evolve_arena.runs.errors import StorageError
from evolve_arena.runs.many.parallel_runs import ProgressTracker, RunsFailedError, advance_quietly
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.checkpoint import LARGEST, save_checkpoint
from evolve_arena.runs.store.directory import MEASURED, RunDirectory
from evolve_arena.runs.store.files import explain_storage_errors, is_leftover
from evolve_arena.runs.store.history import LOGS, History, copy_database
from evolve_arena.runs.training.loop import Progress

LOOK = 1.0
"""Seconds after which a node answers even if nothing has changed."""
DEATHS = 3
"""Number of times that a run may be lost with its node before it fails, unless it has a new
checkpoint in between."""
PLACE = re.compile(r"checkpoints/gen-\d+\.safetensors|(?!recipe\.toml)\w[\w.-]*")
"""Paths in a run directory that a node may send."""

Files = dict[str, bytes | None]
"""Changes of a run directory: contents by path; None for deleted files."""
Ray: TypeAlias = Any
"""The module ``ray``, one of its actors, or a reference to a result; Ray has no types for these."""


def breed_elsewhere(
    runs: Mapping[str, Run], workers: int | None, tracker: ProgressTracker, ray: Ray
) -> dict[str, str]:
    """Bring *runs* to their last generation, like `parallel_runs.breed_side_by_side`.

    Args:
        runs: Unfinished runs by name.
        workers: Number of runs at a time; one for each core of the cluster if None.
        tracker: Tracker that receives each generation, and may stop the runs.
        ray: Ray, connected.

    Returns:
        The reasons of runs that ended with a DivergedError, by name.

    Raises:
        ArenaError: A node has another version of a package or of Python.
        RunsFailedError: Runs failed otherwise; the others are finished.
    """
    team = _Team(runs, tracker, ray)
    try:
        while team.is_busy():
            team.send(workers)
            team.hear()
    finally:
        team.close()
    if team.failures:
        raise RunsFailedError(f"{'; '.join(team.failures)} (the other runs are kept)")
    return team.lost


@dataclass
class News:
    """Report of a node on the progress of its run."""

    generation: int
    files: Files = field(default_factory=dict)
    ended: bool = False
    error: str | None = None
    """Reason of its failure, if it failed."""
    lost: bool = False
    """True if the run's method diverged."""
    host: str = ""
    """Name of the node; only in the first report."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of packages on the node; only in the first report."""


class _Passage:
    """The caller's side of a run on a node; it holds the run's lock until :meth:`close`."""

    def __init__(self, name: str, run: Run, hire: Callable[[], Ray]) -> None:
        self.name = name
        self._run = run
        self.mirror = Mirror(run.directory)
        run.permit(allow_process=False)  # raises NotPermittedError, as in all runs
        with ExitStack() as stack:
            stack.enter_context(run.directory.lock())
            self._begin()
            self.actor = hire()
            self.begun = self.actor.begin.remote(run.path.name, self.mirror.take())
            self.close = stack.pop_all().close

    def ask(self, *, going: bool) -> Ray:
        """Ask for news, and return Ray's reference to the answer."""
        return self.actor.report.remote(going=going)

    def receive(self, news: News) -> bool:
        """Write files of the *news*, and return True if there is a new checkpoint.

        Raises:
            ArenaError: The node has other versions of packages, or sends a file of another path.
            StorageError: A file can't be written.
        """
        here = describe_versions() if news.versions else {}
        for what in {**here, **news.versions}:
            one, other = here.get(what, "missing"), news.versions.get(what, "missing")
            if one != other:
                raise ArenaError(f"node {news.host} has {what} {other}, and here it is {one}")
        for place in news.files:
            if not PLACE.fullmatch(place):
                raise ArenaError(f"a node sends {quote(place)}, which is not for a run's folder")
        before = self.mirror.newest()
        self.mirror.put(news.files, self._run.directory.write)
        return self.mirror.newest() > before

    def _begin(self) -> None:
        """Do what a resumption does: repair the history, or write the first checkpoint."""
        directory, run = self._run.directory, self._run
        if directory.history.exists():
            History(directory.history, write=True).close()  # merges the log of a killed process
        elif not directory.generations() and not directory.champion.exists():
            state = run.method.initial(run.recipe.run.seed)
            save_checkpoint(directory, state, run.method, run.recipe.run)


class _Team:
    """All runs of a study: those that wait, and those that are on nodes."""

    def __init__(self, runs: Mapping[str, Run], tracker: ProgressTracker, ray: Ray) -> None:
        self.failures: list[str] = []
        self.lost: dict[str, str] = {}
        """Reasons of diverged runs, by name."""
        self._runs, self._tracker, self._ray = runs, tracker, ray
        self._waiting = deque(runs)
        self._idle: list[Ray] = []
        self._away: dict[Ray, _Passage] = {}
        """Runs on nodes, by Ray's reference to the awaited report."""
        self._deaths = Counter[str]()

    def is_busy(self) -> bool:
        """Test whether a run is to be sent or awaited."""
        return bool(self._away or (self._waiting and self._tracker.going))

    def send(self, workers: int | None) -> None:
        """Send as many runs as there are cores, and at most *workers*."""
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        most = max(1, min(cores, workers or cores))
        while self._waiting and self._tracker.going and len(self._away) < most:
            name = self._waiting.popleft()
            try:
                passage = _Passage(name, self._runs[name], self._hire)
            except ArenaError as error:
                self.failures.append(f"{name}: {error}")
            else:
                self._away[passage.begun] = passage
                self._tracker.begin(name)

    def hear(self) -> None:
        """Receive the reports that have arrived, and request the next ones from the same nodes."""
        answers = self._ray.wait(list(self._away), timeout=LOOK)[0] if self._away else ()
        for answer in answers:
            passage = self._away[answer]
            try:
                news = self._ray.get(answer)
            except self._ray.exceptions.RayError as error:
                del self._away[answer]
                self._lose(passage, error)
                continue
            if passage.receive(news):
                self._deaths[passage.name] = 0
            self._tracker.report(passage.name, news.generation)
            del self._away[answer]
            if news.ended:
                self._end(passage, news)
            else:
                self._away[passage.ask(going=self._tracker.going)] = passage

    def close(self) -> None:
        """Kill all actors and release all locks."""
        for passage in self._away.values():
            passage.close()
        for actor in [*self._idle, *(passage.actor for passage in self._away.values())]:
            self._ray.kill(actor)

    def _hire(self) -> Ray:
        if self._idle:
            return self._idle.pop()
        actor = self._ray.remote(Breeder).options(num_cpus=1, scheduling_strategy="SPREAD")
        code = [(str(path), source) for path, source in opened_files()]
        return actor.remote(dict(pack_games()), code)

    def _end(self, passage: _Passage, news: News) -> None:
        passage.close()
        self._idle.append(passage.actor)
        self._tracker.end(passage.name)
        if news.error and news.lost:
            self.lost[passage.name] = news.error
        elif news.error:
            self.failures.append(f"{passage.name}: {news.error}")

    def _lose(self, passage: _Passage, error: Exception) -> None:
        """Queue the run of a lost node again, from the last checkpoint that came back."""
        name = passage.name
        passage.close()
        self._ray.kill(passage.actor)
        self._tracker.end(name)
        self._tracker.restart(name, passage.mirror.newest())
        self._deaths[name] += 1
        why = one_line(str(error).strip().splitlines()[-1], 160)
        LOG.warning("%s was lost with its node (%s)", name, why)
        if self._deaths[name] < DEATHS:
            self._waiting.appendleft(name)
        else:
            self.failures.append(f"{name}: lost {DEATHS} times with its node ({why})")


class Breeder:
    """Actor that advances runs on a node, one after the other.

    Args:
        games: Result of :func:`evolve_arena.core.registry.pack_games` in the caller's process.
        code: Result of :func:`evolve_arena.core.user_code.opened_files` in the caller's process.
    """

    def __init__(
        self, games: Mapping[str, tuple[Any, ...]], code: Sequence[tuple[str, bytes]]
    ) -> None:
        for number in IGNORED:
            signal.signal(number, signal.SIG_IGN)
        core.on_compile = None
        unpack_games(games)
        for path, source in code:
            open_code(Path(path), source)
        self._changed = threading.Condition()
        self._news = News(0)
        self._going = True

    def begin(self, name: str, files: Files) -> News:
        """Start or resume a run, and return the node's name and versions.

        Args:
            name: Name of the run's directory.
            files: All of its files.
        """
        self._path = Path(tempfile.mkdtemp(prefix="evolve-run-"), name)
        os.environ["XDG_STATE_HOME"] = str(self._path.parent)  # permissions are not remembered
        self._mirror = Mirror(RunDirectory(self._path))
        self._mirror.put(files)
        self._news, self._going = News(self._mirror.newest()), True
        threading.Thread(target=self._breed, daemon=True).start()
        host, versions = socket.gethostname(), describe_versions()
        return News(self._news.generation, host=host, versions=versions)

    def report(self, *, going: bool) -> News:
        """Return the news since the last call.

        Args:
            going: False to stop the run with a checkpoint.
        """
        with self._changed:
            self._going = self._going and going
            self._changed.wait_for(lambda: self._news.files or self._news.ended, LOOK)
            news, self._news = self._news, News(self._news.generation)
        return news

    def _breed(self) -> None:
        newest = self._mirror.newest()

        def watch(now: Progress) -> bool:
            nonlocal newest
            before, newest = newest, self._mirror.newest()
            self._note(now.generation, self._mirror.take() if newest != before else {})
            return self._going

        error, lost = advance_quietly(self._open, 1, watch)
        if error is not None:
            error = error.replace(str(self._path), self._path.name)
        files = self._mirror.take()
        shutil.rmtree(self._path.parent, ignore_errors=True)
        self._note(None, files, ended=True, error=error, lost=lost)

    def _open(self) -> Run:
        run = Run.open(self._path, allow_process=True)
        run.permit(allow_process=True)
        return run

    def _note(self, generation: int | None, files: Files, **more: Any) -> None:
        with self._changed:
            if generation is None:
                generation = self._news.generation
            self._news = News(generation, {**self._news.files, **files}, **more)
            self._changed.notify()


class Mirror:
    """A run directory of which another machine has a copy."""

    def __init__(self, directory: RunDirectory) -> None:
        self._directory = directory
        self._there: dict[str, bytes] = {}
        """Digests of the other machine's files, by path."""

    def newest(self) -> int:
        """Return the generation of the newest checkpoint, or 0."""
        return max(self._directory.generations(), default=0)

    def take(self) -> Files:
        """Return the files that differ on the other machine; the run must not be written meanwhile.

        Raises:
            StorageError: A file can't be read, or is larger than any of a run.
        """
        found: Files = {}
        here = set()
        for file in self._directory.path.rglob("*"):
            place = file.relative_to(self._directory.path).as_posix()
            if not self._belongs(file):
                continue
            here.add(place)
            if place in self._there and file.parent == self._directory.checkpoints:
                continue  # checkpoints do not change
            is_database = file == self._directory.history
            try:
                check_regular(file, LARGEST)
                content = copy_database(file) if is_database else read_file(file, LARGEST)
            except OSError as error:
                raise StorageError(f"{file} can't be read: {error.strerror}") from None
            digest = hashlib.sha256(content).digest()
            if digest != self._there.get(place):
                found[place], self._there[place] = content, digest
        for place in self._there.keys() - here:
            found[place] = None
            del self._there[place]
        return found

    def put(self, files: Files, write: Callable[[Path, bytes], object] = Path.write_bytes) -> None:
        """Write the other machine's *files*, in an order in which an interruption does no harm.

        The history is never behind a checkpoint, and deletions come last.

        Raises:
            StorageError: A file can't be written.
        """
        for place in sorted(
            files, key=lambda place: (files[place] is None, place.startswith("checkpoints/"), place)
        ):
            file, content = self._directory.path / place, files[place]
            with explain_storage_errors(file):
                if content is None:
                    file.unlink(missing_ok=True)
                    self._there.pop(place, None)
                    continue
                file.parent.mkdir(parents=True, exist_ok=True)
                if file == self._directory.history:
                    for end in LOGS:  # these belong to the database that is replaced
                        file.with_name(file.name + end).unlink(missing_ok=True)
                write(file, content)
            self._there[place] = hashlib.sha256(content).digest()

    def _belongs(self, file: Path) -> bool:
        """Test whether a file is part of the run, not a lock, a plot or a log of the database."""
        other = file.name.endswith(LOGS) or file.name in {".lock", MEASURED} or is_leftover(file)
        return file.is_file() and not (
            other or file.is_symlink() or self._directory.plots in file.parents
        )
