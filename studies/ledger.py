"""How far a study is: every run's generations, what is left, and how long that takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from evolve_arena.studies.study import Job, StudyProgress


class Ledger:
    """Keeps count of the runs of a study, and tells whoever watches.

    Args:
        jobs: All runs.
        reached: The generation that each is at.
        progress: Is told of each generation; None for nobody.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        reached: Mapping[str, int],
        progress: Callable[[StudyProgress], bool] | None,
    ) -> None:
        self._jobs = {job.name: job for job in jobs}
        self._numbers = {job.name: number for number, job in enumerate(jobs, start=1)}
        self._reached = dict(reached)
        self._progress = progress
        self._at_work: list[str] = []
        self.going = True
        """Whether the study is to go on: False once the watcher has said no."""
        self._start = time.perf_counter()
        self._done = 0.0

    def unfinished(self) -> list[str]:
        """The runs that are not at their last generation, in the order of the jobs."""
        return [name for name in self._jobs if self._reached[name] < self._end(name)]

    def begin(self, name: str) -> None:
        """Notes that a run goes on from now."""
        self._at_work.append(name)

    def end(self, name: str) -> None:
        """Notes that a run goes on no more."""
        self._at_work.remove(name)

    def restart(self, name: str) -> None:
        """Notes that a run begins anew."""
        self._reached[name] = 0

    def tell(self, name: str, generation: int) -> bool:
        """Notes that a run is at *generation*; whether the study is to go on.

        A generation that was told already is not told again.
        """
        if generation == self._reached[name]:
            return self.going
        self._done += (generation - self._reached[name]) * self._jobs[name].weight
        self._reached[name] = generation
        if self._progress is not None and not self._progress(self._describe(name)):
            self.going = False
        return self.going

    def _describe(self, name: str) -> StudyProgress:
        unfinished = self.unfinished()
        left = sum(
            (self._end(other) - self._reached[other]) * self._jobs[other].weight
            for other in unfinished
        )
        seconds = time.perf_counter() - self._start
        return StudyProgress(
            run=name,
            number=self._numbers[name],
            runs=len(self._jobs),
            generation=self._reached[name],
            generations=self._end(name),
            seconds=seconds,
            seconds_left=seconds * left / max(self._done, 1e-9),
            finished=len(self._jobs) - len(unfinished),
            going={other: self._reached[other] for other in self._at_work if other in unfinished},
        )

    def _end(self, name: str) -> int:
        return self._jobs[name].recipe.run.generations
