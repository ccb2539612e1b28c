"""The commands about runs: recipes, start, resume, branch, sweep, info, plot."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    from evolve_arena.runs.consent import Allow
    from evolve_arena.runs.run import Run

RunPath = Annotated[
    Path,
    typer.Argument(metavar="RUN", help="A run's directory or name.", autocompletion=complete_run),
]
RUNNING = "How it runs"
PICTURES = "Other pictures"
Workers = Annotated[
    int | None,
    typer.Option(
        help="How many processes play; one per core unless given.", rich_help_panel=RUNNING
    ),
]
ExecutorName = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="serial, multiprocess, spawn or ray.",
        rich_help_panel=RUNNING,
    ),
]
RunsExecutor = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="ray: whole runs go on in a Ray cluster, each on one core; else in processes here.",
        rich_help_panel=RUNNING,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="With --executor ray: a cluster to join, auto or HOST:PORT;"
        " unless given, Ray runs on this machine alone.",
        rich_help_panel=RUNNING,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.", rich_help_panel=RUNNING)]
AllowProcess = Annotated[
    bool,
    typer.Option(
        "--allow-process",
        help="Run programs that the recipe's file has as opponents, or as its game.",
        rich_help_panel=RUNNING,
    ),
]
LastGeneration = Annotated[
    int | None, typer.Option(min=0, help="The new last generation (a total).")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        help="Replaces a value; repeatable.",
        autocompletion=complete_change,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def register(app: typer.Typer) -> None:
    """Adds the commands to *app*."""
    for command in (recipes, start, resume, branch, sweep, info, plot):
        app.command(rich_help_panel="Runs")(command)


def recipes(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="Only those of this game, with titles; with --keys a recipe.",
            autocompletion=complete_recipe,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All, also those of studies.")] = False,
    keys: Annotated[
        bool,
        typer.Option("--keys", help="Each key of one recipe: value, range, default, meaning."),
    ] = False,
    json: Json = False,
) -> None:
    """List the recipes that can be started, or the keys of one."""
    from evolve_arena.cli.output import print_json
    from evolve_arena.cli.recipe_texts import print_recipes, print_usual_recipes
    from evolve_arena.core.registry import find_game, usual_game
    from evolve_arena.runs.recipes.recipe import describe_recipe, load_recipe, recipe_names

    if keys:
        from evolve_arena.cli.recipe_texts import describe_recipe_keys, print_recipe_keys

        recipe = load_recipe(game or usual_game())
        if json:
            described = describe_recipe_keys(recipe)
            content = [{**text._asdict(), "value": value} for text, value in described]
            print_json({"recipe": game or usual_game(), "keys": content})
        else:
            print_recipe_keys(recipe)
        return
    found = [describe_recipe(name) for name in recipe_names()]
    if game is not None:
        game = find_game(game).name
        found = [recipe for recipe in found if recipe.game == game]
    if json:
        print_json({"recipes": {recipe.name: recipe.title for recipe in found}})
    elif every or game is not None:
        print_recipes(found)
    else:
        print_usual_recipes(found)


def start(
    recipe: Annotated[
        str | None,
        typer.Argument(
            metavar="RECIPE",
            help="A name, or a TOML file; or a game in one file, MY_GAME.py.",
            autocompletion=complete_recipe,
        ),
    ] = None,
    neat_config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.ini",
            help="A configuration of neat-python, which then breeds; RECIPE gives the rest.",
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the run lies; evolved/NAME unless given."),
    ] = None,
    generations: Annotated[
        int | None, typer.Option(min=0, help="Replaces the recipe's last generation.")
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="M",
            help="Evolve for so long instead. Of a game, the methods that play it race,"
            " and the strongest goes on.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Replaces the recipe's seed.")] = None,
    population: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN[@GENERATION]",
            help="A run whose champion and individuals are in the first population; repeatable.",
            autocompletion=complete_branch,
        ),
    ] = None,
    workers: Workers = None,
    executor: ExecutorName = None,
    address: Address = None,
    changes: Changes = None,
    force: Annotated[bool, typer.Option("--force", help="Delete a run that lies there.")] = False,
    quiet: Quiet = False,
    allow_process: AllowProcess = False,
) -> None:
    """Start a run, and evolve it to its end, or for a time.

    Ctrl-C stops it after a checkpoint; evolve resume goes on.
    """
    from evolve_arena.arena.executors import check_executor
    from evolve_arena.cli.output import print_line
    from evolve_arena.runs.api import prepare

    check_executor(executor, workers, address)
    given: dict[str, Any] = {
        "neat_config": neat_config,
        "run": run,
        "changes": _with_generations(changes or [], generations),
        "seed": seed,
        "force": force,
        "allow_process": _find_permission(allow_process),
        "population": population or (),
    }
    where = {"workers": workers, "executor": executor, "address": address}
    if minutes is not None:
        _start_timed(minutes, recipe, given, where, quiet=quiet)
        return
    made = prepare(recipe, **given)
    for remark in made.remarks:
        print_line(f"evolve: {remark}", error=True)
    _evolve(made, quiet=quiet, **where)


def _with_generations(changes: list[str], generations: int | None) -> list[str]:
    """The *changes*, and the last generation if it was given apart from them."""
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
        typer.Option("--from", metavar="GENERATION", help="Go on from an earlier checkpoint."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="With --from: delete the checkpoints after it.")
    ] = False,
    generations: LastGeneration = None,
    changes: Changes = None,
    workers: Workers = None,
    executor: ExecutorName = None,
    address: Address = None,
    quiet: Quiet = False,
    allow_process: AllowProcess = False,
) -> None:
    """Go on with a run exactly as if it had not been stopped.

    Where --set changes what is evolved, a branch with it goes on instead, in a directory of its
    own.
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
        print_line(f"these settings change what is evolved: {made.path} goes on with them")
    if begin is None and made.is_complete():
        made.advance(executor="serial")  # plays nothing; a lost champion comes back
        last = made.recipe.run.generations
        print_line(f"{made.path} is complete at generation {last}; --generations N goes further")
        return
    where = {"executor": executor, "address": address}
    _evolve(made, quiet=quiet, workers=workers, **where, from_generation=begin, force=True)


def branch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RUN[@GENERATION]",
            help="A run's directory; its newest checkpoint unless a generation is named.",
            autocompletion=complete_branch,
        ),
    ],
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The new run; the first free RUN-2, RUN-3, ... if omitted."
        ),
    ] = None,
    generations: LastGeneration = None,
    seed: Annotated[int | None, typer.Option(help="Replaces the recipe's seed.")] = None,
    changes: Changes = None,
    workers: Workers = None,
    executor: ExecutorName = None,
    address: Address = None,
    quiet: Quiet = False,
    allow_process: AllowProcess = False,
) -> None:
    """Make a run of the checkpoint of another one, and evolve it.

    With the same seed and settings it comes to the same populations. The other run stays as it is.
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
            help="A name, or a TOML file; or a game in one file, MY_GAME.py.",
            autocompletion=complete_recipe,
        ),
    ],
    changes: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="SECTION.KEY=VALUE,...",
            help="Values to be tried, or one for all runs; repeatable. Lists: [8],[16,16].",
            autocompletion=complete_values,
        ),
    ],
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each setting.")] = 3,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the runs lie; sweeps/NAME unless given."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Whom champions are measured against; the first of the recipe's check.opponents"
            " unless given.",
            autocompletion=complete_player,
        ),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="In how many games each.")] = 1000,
    workers: Annotated[
        int | None,
        typer.Option(
            help="How many runs at a time; one per core unless given.", rich_help_panel=RUNNING
        ),
    ] = None,
    executor: RunsExecutor = None,
    address: Address = None,
    quiet: Quiet = False,
    allow_process: AllowProcess = False,
    json: Json = False,
) -> None:
    """Try several values and seeds, and tell which mattered.

    All combinations of the values are run. A sweep that was stopped, by Ctrl-C or by a kill, goes
    on with the same command; what is finished is not run again.
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
            help="A run's directory or name; all runs in ./evolved unless given.",
            autocompletion=complete_run,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Tell what a run is, how far it got, and how good it is.

    Without RUN, list the runs.
    """
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
            metavar="RUN...", help="Run directories.", autocompletion=complete_run_or_file
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A .png, .svg or .pdf; in the run's plots/ if omitted."),
    ] = None,
    ancestors: Annotated[
        bool,
        typer.Option(
            "--ancestors",
            help="Each champion against the champions before it.",
            rich_help_panel=PICTURES,
        ),
    ] = False,
    games: Annotated[
        int,
        typer.Option(min=2, help="With --ancestors: games of each pair.", rich_help_panel=PICTURES),
    ] = 100,
    network: Annotated[
        bool,
        typer.Option(
            "--network",
            help="The network of the champion, or of a player file:PATH.",
            rich_help_panel=PICTURES,
        ),
    ] = False,
    position: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="With --network: how it reacts in a position, as the game writes one, or moves;"
            " self-play for one of a game against itself.",
            rich_help_panel=PICTURES,
        ),
    ] = None,
    generation: Annotated[
        int | None,
        typer.Option(
            metavar="G",
            help="With --network: the champion of the check at G.",
            rich_help_panel=PICTURES,
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0, help="With --position self-play: seeds the game.", rich_help_panel=PICTURES
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
    if len(runs) > 1 and (ancestors or network):
        raise BadValueError(f"--{'ancestors' if ancestors else 'network'} draws one run at a time")
    if network:
        print_line(plot_network(runs[0], to, generation, position, seed))
        return
    opened = [_open(Path(run)) for run in runs]
    print_line(plot_ancestors(opened[0], to, games=games) if ancestors else plot_runs(opened, to))


def _open(path: Path) -> Run:
    from evolve_arena.runs.run import Run

    return Run.open(path)


def _find_permission(allowed: bool) -> Allow:
    """Whether programs of a recipe's file may run, or who asks the user if he is there."""
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
    given: Mapping[str, Any],
    where: Mapping[str, Any],
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

    def tell(sentence: str) -> None:
        if not quiet:
            print_line(sentence, error=True)

    timer = TimedStart(check_minutes(minutes), show, options=where)
    made = start_timed(timer, recipe, tell=tell, **given)
    for warning in made.warnings:
        print_line(f"evolve: {warning}", error=True)
    if not quiet and not timer.stopped:
        print_results(made)
    for remark in made.remarks:
        print_line(remark)
    if timer.stopped:
        more = f" --generations {2 * made.generation}" if made.is_complete() else ""
        print_line(f"stopped; go on with: evolve resume {made.path}{more}")
        raise typer.Exit(130)


def _evolve(run: Run, *, quiet: bool, **options: Any) -> None:
    from evolve_arena.cli.display import Display
    from evolve_arena.cli.output import print_line
    from evolve_arena.cli.run_tables import print_results
    from evolve_arena.runs.run import compile_kernels

    compile_kernels([run])
    with Display(str(run.path), quiet=quiet) as display:
        run.advance(callbacks=display.watch, **options)
    for warning in run.warnings:
        print_line(f"evolve: {warning}", error=True)
    if display.interrupted:
        print_line(f"stopped; go on with: evolve resume {run.path}")
        raise typer.Exit(130)
    if not quiet:
        print_results(run)
