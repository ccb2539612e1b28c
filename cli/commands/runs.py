"""The commands about runs: start, resume, branch, sweep, info, plot."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolve_arena.cli.commands.completion import (
    complete_branch,
    complete_change,
    complete_player,
    complete_recipe,
    complete_run,
    complete_run_or_file,
    complete_values,
)

if TYPE_CHECKING:
    from evolve_arena.core.types import Settings
    from evolve_arena.runs.consent import Allow
    from evolve_arena.runs.run import Run

RunPath = Annotated[
    Path,
    typer.Argument(metavar="RUN", help="Run directory or name.", autocompletion=complete_run),
]
RUNNING = "Execution"
PICTURES = "Other pictures"
Workers = Annotated[
    int | None,
    typer.Option(
        help="Number of worker processes (default: one per core).", rich_help_panel=RUNNING
    ),
]
ExecutorName = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="Executor of matches: serial, multiprocess, spawn or ray.",
        rich_help_panel=RUNNING,
    ),
]
RunsExecutor = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="ray: execute whole runs in a Ray cluster, each on one core; otherwise in processes"
        " of this machine.",
        rich_help_panel=RUNNING,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address of the Ray cluster for --executor ray: auto or HOST:PORT"
        " (default: Ray on this machine alone).",
        rich_help_panel=RUNNING,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Hide progress.", rich_help_panel=RUNNING)]
AllowProcess = Annotated[
    bool,
    typer.Option(
        "--allow-process",
        help="Allow the recipe's file to run programs: opponents, or its game.",
        rich_help_panel=RUNNING,
    ),
]
LastGeneration = Annotated[
    int | None, typer.Option(min=0, help="New last generation, counted from the start of the run.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        help="Override a setting of the recipe; repeatable.",
        autocompletion=complete_change,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def register(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    for command in (start, resume, branch, sweep, info, plot):
        app.command()(command)


def start(
    recipe: Annotated[
        str | None,
        typer.Argument(
            metavar="RECIPE",
            help="Name of a recipe, a TOML file, or a game in one file, MY_GAME.py; also a .config"
            " file of the program that the study q-learning repeats.",
            autocompletion=complete_recipe,
        ),
    ] = None,
    neat_config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.ini",
            help="Configuration file of neat-python, whose algorithm evolves then; RECIPE gives the"
            " other settings.",
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Run directory (default evolved/NAME)."),
    ] = None,
    generations: Annotated[
        int | None, typer.Option(min=0, help="Last generation, instead of the recipe's.")
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="M",
            help="Time limit in minutes, instead of a last generation. If RECIPE is a game, all"
            " methods for it race, and the strongest continues.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the run, instead of the recipe's.")
    ] = None,
    population: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN[@GENERATION]",
            help="Run whose champion and individuals join the first population; repeatable.",
            autocompletion=complete_branch,
        ),
    ] = None,
    workers: Workers = None,
    executor: ExecutorName = None,
    address: Address = None,
    changes: Changes = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing run.")] = False,
    quiet: Quiet = False,
    allow_process: AllowProcess = False,
) -> None:
    """Start a run of a recipe, and evolve its population.

    Ctrl-C stops it after a checkpoint; evolve resume continues.
    """
    from evolve_arena.arena.executors import check_executor
    from evolve_arena.cli.output import print_line
    from evolve_arena.runs.api import prepare

    check_executor(executor, workers, address)
    given: Settings = {
        "neat_config": neat_config,
        "run": run,
        "changes": _with_generations(changes or [], generations),
        "seed": seed,
        "force": force,
        "allow_process": _find_permission(allow_process),
        "population": population or (),
    }
    if minutes is not None:
        where = {"workers": workers, "executor": executor, "address": address}
        _start_timed(minutes, recipe, given, where, quiet=quiet)
        return
    made = prepare(recipe, **given)
    for remark in made.remarks:
        print_line(f"evolve: {remark}", error=True)
    _evolve(made, quiet=quiet, workers=workers, executor=executor, address=address)


def _with_generations(changes: list[str], generations: int | None) -> list[str]:
    """Return *changes*, with the last generation added if it was given as an option of its own."""
    from evolve_arena.core.errors import BadValueError

    if generations is None:
        return changes
    twice = [text for text in changes if text.partition("=")[0].strip() == "run.generations"]
    if twice:
        raise BadValueError(
            f"--generations {generations} and --set {twice[-1]} say the same: leave one out"
        )
    return [*changes, f"run.generations={generations}"]


def resume(
    run: RunPath,
    from_generation: Annotated[
        int | None,
        typer.Option("--from", metavar="GENERATION", help="Continue from an earlier checkpoint."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="With --from: delete the later checkpoints.")
    ] = False,
    generations: LastGeneration = None,
    changes: Changes = None,
    workers: Workers = None,
    executor: ExecutorName = None,
    address: Address = None,
    quiet: Quiet = False,
    allow_process: AllowProcess = False,
) -> None:
    """Continue a run exactly as if it had not been stopped.

    If --set changes what is evolved, a branch of the run continues in a directory of its own.
    """
    from evolve_arena.arena.executors import check_executor
    from evolve_arena.cli.output import print_line
    from evolve_arena.runs.api import prepare_resumption
    from evolve_arena.runs.store.directory import find_run

    check_executor(executor, workers, address)
    made, begin = prepare_resumption(
        run,
        from_generation,
        changes=_with_generations(changes or [], generations),
        force=force or (ask_to_delete if _is_at_terminal() else False),
        allow=_find_permission(allow_process),
    )
    if made.path != find_run(run):
        print_line(f"these settings change what is evolved: {made.path} continues with them")
    if begin is None and made.is_complete():
        made.advance(executor="serial")  # plays nothing; a lost champion comes back
        last = made.recipe.run.generations
        print_line(f"{made.path} is complete at generation {last}; --generations N extends it")
        return
    _evolve(
        made,
        quiet=quiet,
        workers=workers,
        executor=executor,
        address=address,
        from_generation=begin,
        force=True,
    )


def branch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RUN[@GENERATION]",
            help="Run directory or name (default: its newest checkpoint).",
            autocompletion=complete_branch,
        ),
    ],
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="New run directory (default: the first free RUN-2, RUN-3, ...)."
        ),
    ] = None,
    generations: LastGeneration = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the run, instead of the recipe's.")
    ] = None,
    changes: Changes = None,
    workers: Workers = None,
    executor: ExecutorName = None,
    address: Address = None,
    quiet: Quiet = False,
    allow_process: AllowProcess = False,
) -> None:
    """Start a new run from a checkpoint of another one.

    With the same seed and settings it reaches the same populations. The other run does not change.
    """
    from evolve_arena.arena.executors import check_executor
    from evolve_arena.cli.output import print_line
    from evolve_arena.runs.api import prepare_branch

    check_executor(executor, workers, address)
    allow = _find_permission(allow_process)
    values = _with_generations(changes or [], generations)
    made = prepare_branch(source, run=run, changes=values, seed=seed, allow=allow)
    print_line(f"{made.path} begins with {made.recipe.run.start_from}")
    _evolve(made, quiet=quiet, workers=workers, executor=executor, address=address)


def sweep(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE",
            help="Name of a recipe, a TOML file, or a game in one file, MY_GAME.py.",
            autocompletion=complete_recipe,
        ),
    ],
    changes: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="SECTION.KEY=VALUE,...",
            help="Values to try, or one value for all runs; repeatable. Lists: [8],[16,16].",
            autocompletion=complete_values,
        ),
    ],
    seeds: Annotated[int, typer.Option(min=1, help="Number of runs of each combination.")] = 3,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Directory of the runs (default sweeps/NAME)."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Opponent that champions are measured against (default: the first of the recipe's"
            " check.opponents).",
            autocompletion=complete_player,
        ),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games for each champion.")] = 1000,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Number of runs at a time (default: one per core).", rich_help_panel=RUNNING
        ),
    ] = None,
    executor: RunsExecutor = None,
    address: Address = None,
    quiet: Quiet = False,
    allow_process: AllowProcess = False,
    json: Json = False,
) -> None:
    """Run all combinations of values and seeds, and report each setting's effect.

    A sweep that was stopped, by Ctrl-C or by a kill, continues with the same command; finished
    runs are not repeated.
    """
    from evolve_arena.cli.output import print_json, print_line
    from evolve_arena.cli.run_tables import print_sweep
    from evolve_arena.core.errors import BadValueError
    from evolve_arena.runs.many import sweep as sweeps
    from evolve_arena.runs.many.parallel_runs import RunsStoppedError

    values, common = sweeps.read_sweep(changes)
    if not values:
        raise BadValueError(
            f"nothing is varied: give a key several values, --set {next(iter(common))}=ONE,OTHER"
        )
    try:
        found = sweeps.sweep(
            recipe,
            values,
            seeds=seeds,
            folder=folder,
            changes=common,
            against=against,
            games=games,
            workers=workers,
            executor=executor,
            address=address,
            progress=not (quiet or json),
            allow_process=_find_permission(allow_process),
        )
    except RunsStoppedError as stop:
        print_line(f"evolve: {stop}", error=True)
        raise typer.Exit(130) from None
    print_json(found.to_dict()) if json else print_sweep(found)


def info(
    run: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RUN]",
            help="Run directory or name (default: list all runs in ./evolved).",
            autocompletion=complete_run,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show the progress and strength of a run, or list the runs."""
    from evolve_arena.cli.output import print_json
    from evolve_arena.cli.run_tables import print_runs, print_summary
    from evolve_arena.runs.summary import list_runs, summarise

    if run is None:
        runs = list_runs()
        print_json({"runs": runs}) if json else print_runs(runs)
        return
    content = summarise(_open(run))
    print_json(content) if json else print_summary(content)


def plot(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="Run directories or names; a folder of runs, such as a sweep's, stands for all.",
            autocompletion=complete_run_or_file,
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Output: .png, .svg or .pdf (default: a file in the run's plots/)."
        ),
    ] = None,
    x: Annotated[
        str,
        typer.Option(
            "--x",
            metavar="AXIS",
            help="Horizontal axis: generation, or games or seconds of breeding.",
        ),
    ] = "generation",
    mean: Annotated[
        bool,
        typer.Option(
            "--mean",
            help="One line for all runs that differ in the seed alone: their mean, with the range.",
        ),
    ] = False,
    ancestors: Annotated[
        bool,
        typer.Option(
            "--ancestors",
            help="Plot each champion against the champions before it.",
            rich_help_panel=PICTURES,
        ),
    ] = False,
    games: Annotated[
        int,
        typer.Option(
            min=2,
            help="Number of games of each pair, with --ancestors.",
            rich_help_panel=PICTURES,
        ),
    ] = 100,
    network: Annotated[
        bool,
        typer.Option(
            "--network",
            help="Draw the network of the champion, or of a player file:PATH.",
            rich_help_panel=PICTURES,
        ),
    ] = False,
    position: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Position whose activations --network shows: in the game's notation, or as moves;"
            " self-play takes one from a game of the player against itself.",
            rich_help_panel=PICTURES,
        ),
    ] = None,
    generation: Annotated[
        int | None,
        typer.Option(
            metavar="G",
            help="With --network: draw the champion of the check at generation G.",
            rich_help_panel=PICTURES,
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0, help="Seed of the game, with --position self-play.", rich_help_panel=PICTURES
        ),
    ] = 0,
) -> None:
    """Plot the curves of runs, or a network."""
    from evolve_arena.cli.output import print_line
    from evolve_arena.core.errors import BadValueError
    from evolve_arena.runs.plots import plot_ancestors, plot_network, plot_runs

    if ancestors and network:
        raise BadValueError("--ancestors and --network are different pictures: choose one")
    if position is not None and not network:
        raise BadValueError("--position is for --network")
    if seed and position != "self-play":
        raise BadValueError("--seed is for --position self-play")
    if generation is not None and not network:
        raise BadValueError("--generation is for --network")
    if len(runs) > 1 and network:
        raise BadValueError("--network draws one run at a time")
    if (mean or x != "generation") and (ancestors or network):
        raise BadValueError("--x and --mean are for curves, not for --ancestors and --network")
    if network:
        print_line(plot_network(runs[0], to, generation, position, seed))
        return
    opened = [_open(path) for run in runs for path in _list_runs(Path(run))]
    if ancestors:
        if len(opened) > 1:
            raise BadValueError("--ancestors draws one run at a time")
        print_line(plot_ancestors(opened[0], to, games=games))
    else:
        print_line(plot_runs(opened, to, x=x, mean=mean))


def _list_runs(path: Path) -> list[Path]:
    """Return the runs inside a folder of runs, and else *path* itself."""
    inside = [] if (path / "recipe.toml").exists() else sorted(path.glob("*/recipe.toml"))
    return [file.parent for file in inside] or [path]


def _open(path: Path) -> Run:
    from evolve_arena.runs.run import Run

    return Run.open(path)


def _find_permission(allowed: bool) -> Allow:
    """Return the permission to run a recipe's programs; at a terminal, a function that asks."""
    from evolve_arena.runs.consent import ask_at_terminal

    return ask_at_terminal if _is_at_terminal() and not allowed else allowed


def _is_at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_to_delete(question: str) -> bool:
    """Show what would be deleted and ask for a yes; anything else means no."""
    print(f"{question} Delete them? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _start_timed(
    minutes: float,
    recipe: str | None,
    given: Settings,
    where: Settings,
    *,
    quiet: bool,
) -> None:
    from evolve_arena.cli.display import Display
    from evolve_arena.cli.output import print_line
    from evolve_arena.cli.run_tables import print_results
    from evolve_arena.runs.many.race import TimedStart, check_minutes, start_timed
    from evolve_arena.runs.training.loop import Callback

    @contextmanager
    def show(run: Run) -> Iterator[list[Callback]]:
        with Display(str(run.path), quiet=quiet) as display:
            yield [display.watch]

    def report(sentence: str) -> None:
        if not quiet:
            print_line(sentence, error=True)

    timer = TimedStart(check_minutes(minutes), show, options=where)
    made = start_timed(timer, recipe, report=report, **given)
    for warning in made.warnings:
        print_line(f"evolve: {warning}", error=True)
    if not quiet and not timer.stopped:
        print_results(made)
    for remark in made.remarks:
        print_line(remark)
    if timer.stopped:
        more = f" --generations {2 * made.generation}" if made.is_complete() else ""
        print_line(f"stopped; to continue: evolve resume {made.path}{more}")
        raise typer.Exit(130)


def _evolve(
    run: Run,
    *,
    quiet: bool,
    workers: int | None,
    executor: str | None,
    address: str | None,
    from_generation: int | None = None,
    force: bool = False,
) -> None:
    from evolve_arena.cli.display import Display
    from evolve_arena.cli.output import print_line
    from evolve_arena.cli.run_tables import print_results
    from evolve_arena.runs.run import compile_kernels

    compile_kernels([run])
    with Display(str(run.path), quiet=quiet) as display:
        run.advance(
            workers=workers,
            executor=executor,
            address=address,
            callbacks=display.watch,
            from_generation=from_generation,
            force=force,
        )
    for warning in run.warnings:
        print_line(f"evolve: {warning}", error=True)
    if display.interrupted:
        print_line(f"stopped; to continue: evolve resume {run.path}")
        raise typer.Exit(130)
    if not quiet:
        print_results(run)
