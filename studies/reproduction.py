"""The reproduction of studies: published results, printed beside our measurements.

A new study is a folder with a :class:`~evolve_arena.studies.study.Study`, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evolve_arena.cli.output import print_line, print_table
from evolve_arena.core.errors import UnknownNameError
from evolve_arena.runs.many.parallel_runs import RunsProgress, breed
from evolve_arena.runs.run import Run
from evolve_arena.studies.checkers_td.study import CHECKERS_TD
from evolve_arena.studies.connect_four_methods.study import CONNECT_FOUR_METHODS
from evolve_arena.studies.four_in_a_row.study import FOUR_IN_A_ROW
from evolve_arena.studies.mlp_vs_neat.study import MLP_VS_NEAT
from evolve_arena.studies.othello_league.study import OTHELLO_LEAGUE
from evolve_arena.studies.q_learning.study import Q_LEARNING, Q_LEARNING_OWN
from evolve_arena.studies.report import lay_out, tell_scale, write_report
from evolve_arena.studies.study import Material, Settings, Study, StudyResult
from evolve_arena.studies.td_lambda.study import TD_LAMBDA
from evolve_arena.studies.ticket_to_ride.study import TICKET_TO_RIDE

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        FOUR_IN_A_ROW,
        MLP_VS_NEAT,
        TD_LAMBDA,
        Q_LEARNING,
        Q_LEARNING_OWN,
        CHECKERS_TD,
        TICKET_TO_RIDE,
        OTHELLO_LEAGUE,
        CONNECT_FOUR_METHODS,
    )
}


def find_study(name: str) -> Study:
    """Return the study called *name*.

    Raises:
        UnknownNameError: There is no such study.
    """
    if name not in STUDIES:
        raise UnknownNameError("study", name, STUDIES)
    return STUDIES[name]


def reproduce_study(
    name: str,
    *,
    out: Path | str,
    seeds: int | None = None,
    scale: float = 1.0,
    only: str | None = None,
    workers: int | None = None,
    progress: Callable[[RunsProgress], bool] | None = None,
    executor: str | None = None,
    address: str | None = None,
) -> StudyResult:
    """Repeat a published study.

    Its runs are stored in *out*. Finished ones are not repeated, an interrupted one resumes, and
    more *seeds* add runs to the existing ones. ``rows.csv``, ``report.md`` and other files of the
    tables, such as charts, are then written beside them.

    Args:
        name: One of :data:`STUDIES`.
        out: Folder of the runs and the report.
        seeds: Number of runs of each setting; the study's own number if None.
        scale: Factor of all lengths, such as games and generations.
        only: The name of one table, for which only the runs that it needs are run; all tables
            if None.
        workers: Number of processes that play; one per core if None. Each evolves a run of its own,
            as long as there are enough runs.
        progress: Called after each generation; stops the study by returning False.
        executor: ``ray`` executes the runs in a Ray cluster; additional games for tables are played
            on this machine.
        address: Address of that cluster; if None, it is started on this machine.

    Raises:
        UnknownNameError: There is no such study, or no such table in it.
        BadValueError: *seeds* or *scale* is not positive, or *out* holds runs of other settings.
        RunsStoppedError: *progress* returned False.
        RunsFailedError: Some parallel runs failed; the others are finished.
        ArenaError: Any error of a run; see `evolve_arena.runs.run.Run.advance`.
    """
    study = find_study(name)
    tables = study.choose_tables(only)
    settings = Settings(study.seeds if seeds is None else seeds, scale)
    folder = Path(out)
    runs: dict[str, Run] = {}
    for plan in (lambda material: study.plan(material.settings), *study.later):
        jobs = plan(Material(settings, runs, workers, folder, progress))
        needed = [job for job in jobs if any(table.needs(job) for table in tables)]
        runs |= breed(needed, folder, workers, progress, executor, address)
    material = Material(settings, runs, workers, folder, progress)
    result = StudyResult(study, settings, folder, [table.measure(material) for table in tables])
    write_report(result)
    return result


def print_study(result: StudyResult) -> None:
    """Print all tables, and the path of the report."""
    for table in result.tables:
        columns, rows = lay_out(table, result.settings)
        print_table(f"{table.name}: {table.title}", columns, rows, left=2)
        for note in table.notes:
            print_line(f"- {note}")
        print_line()
    if scaled := tell_scale(result.settings):
        print_line(scaled)
    print_line(result.out / "report.md")
