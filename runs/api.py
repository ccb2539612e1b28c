"""The Python interface: start, resume and load runs, let players meet, and measure them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from typing import Any

from evolve_arena.arena.crosstable import Crosstable, play_tournament
from evolve_arena.arena.duel import duel as duel_players
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import Executor, check_executor
from evolve_arena.arena.match import Keep
from evolve_arena.core import registry
from evolve_arena.core.errors import BadValueError, quote, spell
from evolve_arena.core.game import AnyGame, Game
from evolve_arena.core.registry import SPIEL, make_game, usual_game
from evolve_arena.core.user_code import register
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.runs.beginnings import find_beginning, find_free_name, split_place
from evolve_arena.runs.consent import Allow, obtain, permit_files, remember
from evolve_arena.runs.evaluation import evaluate_player
from evolve_arena.runs.players import find_player, game_for
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe, parse_changes
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.directory import HOME, RunDirectory
from evolve_arena.runs.training.loop import Callback, list_callbacks

PROGRESS = "evolve_arena.cli.display:show_progress"
"""The view of a run that goes on; it is loaded only by those who start runs."""
Changes = Mapping[str, Any] | Iterable[str]
"""What replaces values of a recipe."""
AnyPlayer = str | Player | type[Player]
"""A player: named by specification, made, or as a class that is made for the game."""


def start(
    recipe: str | Recipe | None = None,
    *,
    neat_config: Path | str | None = None,
    run: Path | str | None = None,
    changes: Changes = (),
    generations: int | None = None,
    seed: int | None = None,
    population: str | Path | Iterable[str | Path] = (),
    workers: int | None = None,
    executor: str | None = None,
    address: str | None = None,
    callbacks: Callback | Iterable[Callback] = (),
    progress: bool | None = None,
    force: bool = False,
    allow_process: bool = False,
    minutes: float | None = None,
) -> Run:
    """Makes a run directory and evolves until the recipe's last generation, or for some minutes.

    Args:
        recipe: The name of a shipped recipe, the path of a TOML file, or a recipe. With
            *neat_config* or *minutes* a game will do, and with the former it may be left out.
        neat_config: A configuration file of neat-python, by which that library breeds; see
            :func:`evolve_arena.runs.recipes.neat_config.read_neat_config`.
        run: The directory; ``evolved/NAME`` if None.
        changes: What replaces values of the recipe, as ``{"run.generations": 200}``, or as texts
            like ``run.generations=200``. Where a recipe names code, a function or class will do.
        generations: Replaces the recipe's last generation.
        seed: Replaces the recipe's seed.
        population: Other runs, as ``RUN`` or ``RUN@GENERATION``, whose champions and individuals
            are in the first population; those that are missing are drawn as usual.
        workers: How many processes play; one per core if None.
        executor: Which executor plays.
        address: Where the cluster of the executor ``ray`` is, if it is not to be started here.
        callbacks: Functions that are told of each generation (a :class:`Progress`); the run stops
            after a checkpoint if one gives False. Where neat-python breeds also its reporters.
        progress: Whether to show how far the run is; only in notebooks if None.
        force: Whether a run in that directory may be deleted.
        allow_process: Whether programs may run that a recipe's file names as opponents. Those in
            *changes* or in a recipe made in Python are the caller's own.
        minutes: How long it takes, instead of a number of generations. In a game the methods that
            play it race, and the strongest goes on; see :mod:`evolve_arena.runs.many.race`.

    Raises:
        RecipeError: The recipe is wrong.
        NotPermittedError: It names a program, which may not run.
        RunExistsError: The directory exists.
        ArenaError: Anything else that :meth:`Run.advance` says.
    """
    check_executor(executor, workers, address)
    values = read_changes(changes)
    if generations is not None:
        if values.get("run.generations", generations) != generations:
            raise BadValueError(
                f"generations={generations} and run.generations in changes differ: leave one out"
            )
        values["run.generations"] = generations
    if minutes is not None:
        from evolve_arena.runs.many.race import TimedStart, check_minutes, start_timed

        timer = TimedStart(
            check_minutes(minutes),
            lambda going: _show_progress(going, progress),
            list_callbacks(callbacks),
            options={"workers": workers, "executor": executor, "address": address},
        )
        return start_timed(
            timer,
            recipe,
            neat_config=neat_config,
            run=run,
            changes=values,
            seed=seed,
            population=population,
            force=force,
            allow_process=allow_process,
        )
    made = prepare(
        recipe,
        neat_config=neat_config,
        run=run,
        changes=values,
        seed=seed,
        population=population,
        force=force,
        allow_process=allow_process,
    )
    where = {"workers": workers, "executor": executor, "address": address}
    return _advance(made, progress, callbacks, **where)


def prepare(
    recipe: str | Recipe | None,
    *,
    neat_config: Path | str | None = None,
    run: Path | str | None = None,
    changes: Changes = (),
    seed: int | None = None,
    population: str | Path | Iterable[str | Path] = (),
    force: bool = False,
    allow_process: Allow = False,
) -> Run:
    """Makes a run directory, with the recipe in it, and does not evolve yet."""
    values = read_changes(changes) | ({} if seed is None else {"run.seed": seed})
    if places := [population] if isinstance(population, str | Path) else list(population):
        values |= {"run.population": [str(place) for place in places], "run.start_sha256": None}
    remarks: tuple[str, ...] = ()
    if neat_config is not None:
        if isinstance(recipe, Recipe):
            raise BadValueError("neat_config is for a recipe's name, not for a Recipe")
        from evolve_arena.runs.recipes.neat_config import read_neat_config

        recipe, values, remarks = read_neat_config(
            neat_config, recipe, values, permit_files(allow_process)
        )
    if recipe is None:
        raise BadValueError(
            f"name a recipe ({spell('evolve list recipes', 'recipe_names()')} lists them)"
        )
    place = run or find_place(recipe if neat_config is None else neat_config)
    if isinstance(recipe, str):
        recipe = load_recipe(recipe, values, permit_files(allow_process))
    else:
        recipe = recipe.change(values)
    recipe, state = obtain(recipe, allow_process).begin(), None
    told = recipe.remarks + [f"{neat_config}: {remark}" for remark in remarks]
    if recipe.run.begins_elsewhere:
        recipe, state = find_beginning(recipe, allow_process)
    made = Run(RunDirectory(place), recipe)
    made.remarks = told
    for opponent in recipe.make_opponents():
        with closing(opponent):
            opponent.check_ready()
    made.check_code()
    made.method.check_ready()
    made.create(state, force=force)
    remember(made.recipe, made.path)
    return made


def find_place(source: Recipe | Path | str) -> Path:
    """Where the run of a recipe, of a game or of a configuration lies unless somebody says more."""
    if isinstance(source, Recipe):
        return Path(HOME, "run")
    if str(source).startswith(SPIEL):
        return Path(HOME, re.sub(r"\W+", "-", str(source)).strip("-"))
    return Path(HOME, Path(source).stem)


def branch(
    source: Path | str,
    generation: int | None = None,
    *,
    run: Path | str | None = None,
    changes: Changes = (),
    seed: int | None = None,
    generations: int | None = None,
    workers: int | None = None,
    executor: str | None = None,
    address: str | None = None,
    callbacks: Callback | Iterable[Callback] = (),
    progress: bool | None = None,
    allow_process: bool = False,
) -> Run:
    """Make a new run of a checkpoint of another one, and evolve until its last generation.

    With the same seed and settings it comes to the same populations as the other one.

    Args:
        source: The other run's directory; it stays as it is. ``RUN@GENERATION`` will do.
        generation: Which checkpoint; the newest usable one if None.
        run: The new directory; the first free one of ``NAME-2``, ``NAME-3`` and so on if None.
        changes: What replaces values of the recipe from there on, as :func:`start` takes it.
        seed: Replaces the recipe's seed.
        generations: The new last generation; the recipe's if None.
        workers: How many processes play.
        executor: Which executor plays.
        address: Where the cluster of the executor ``ray`` is, if it is not to be started here.
        callbacks: As :func:`start` takes them.
        progress: Whether to show how far the run is; only in notebooks if None.
        allow_process: Whether programs may run that the recipe names as opponents.

    Raises:
        NotARunError: There is no run.
        CheckpointError: It has no such checkpoint.
        RunExistsError: The new directory exists.
        BadValueError: The checkpoint does not fit the changed recipe.
        ArenaError: Anything else that :meth:`Run.advance` says.
    """
    check_executor(executor, workers, address)
    values = read_changes(changes)
    if generations is not None:
        values |= {"run.generations": generations}
    made = prepare_branch(
        source, generation, run=run, changes=values, seed=seed, allow=allow_process
    )
    where = {"workers": workers, "executor": executor, "address": address}
    return _advance(made, progress, callbacks, **where)


def prepare_branch(
    source: Path | str,
    generation: int | None = None,
    *,
    run: Path | str | None = None,
    changes: Changes = (),
    seed: int | None = None,
    allow: Allow = False,
) -> Run:
    """Make the directory of a branch, see :func:`branch`, and do not evolve yet.

    It is there as a whole, or not at all.
    """
    path, named = split_place(source)
    if generation is None:
        generation = named
    elif named is not None:
        raise BadValueError(f"{source} names a generation, and generation= another: leave one out")
    other = Run.open(path, allow)
    other.check_code()
    other.permit(allow)
    begin = f"{other.path}@{other.state(generation).generation}"
    own = {"run.start_from": begin, "run.population": None, "run.start_sha256": None}
    recipe = other.recipe.change({**read_changes(changes), **own})
    where = run or find_free_name(other.path)
    return prepare(recipe, run=where, seed=seed, allow_process=allow)


def resume(
    run: Path | str,
    *,
    from_generation: int | None = None,
    force: bool = False,
    generations: int | None = None,
    changes: Changes = (),
    workers: int | None = None,
    executor: str | None = None,
    address: str | None = None,
    callbacks: Callback | Iterable[Callback] = (),
    progress: bool | None = None,
    allow_process: bool = False,
) -> Run:
    """Goes on with a run exactly as if it had not been stopped.

    Args:
        run: Its directory.
        from_generation: Which checkpoint to go on from; the newest usable one if None.
        force: Whether checkpoints after *from_generation* may be deleted; :func:`branch` goes on
            from there and keeps them.
        generations: The new last generation; the recipe's if None.
        changes: What replaces values of the recipe, as :func:`start` takes it. Where that changes
            what is evolved, a branch with them goes on, and this run stays as it is.
        workers: How many processes play.
        executor: Which executor plays.
        address: Where the cluster of the executor ``ray`` is, if it is not to be started here.
        callbacks: Functions that are told of each generation (a :class:`Progress`); the run stops
            after a checkpoint if one gives False. Where neat-python breeds also its reporters.
        progress: Whether to show how far the run is; only in notebooks if None.
        allow_process: Whether programs may run that its recipe names as opponents. If they may,
            or were the caller's own when the run was started, this run may go on using them.

    Raises:
        NotARunError: There is no run.
        NotPermittedError: Its recipe names a program, which may not run.
        CheckpointError: No checkpoint can be used.
        ArenaError: Anything else that :meth:`Run.advance` says.
    """
    check_executor(executor, workers, address)
    values = read_changes(changes)
    if generations is not None:
        values |= {"run.generations": generations}
    made, begin = prepare_resumption(
        run, from_generation, changes=values, force=force, allow=allow_process
    )
    where = {"workers": workers, "executor": executor, "address": address}
    return _advance(made, progress, callbacks, from_generation=begin, force=force, **where)


def prepare_resumption(
    run: Path | str,
    from_generation: int | None = None,
    *,
    changes: Changes = (),
    force: Allow = False,
    allow: Allow = False,
) -> tuple[Run, int | None]:
    """The run that goes on when that in *run* is resumed with *changes*, and from where.

    That is a branch, if they change what is evolved: a run has one recipe.
    """
    made = Run.open(run, allow)
    made.check_code()
    made.permit(allow)
    values = read_changes(changes)
    if not made.recipe.change(values).steps_like(made.recipe):
        return prepare_branch(run, from_generation, changes=values, allow=allow), None
    made.check_going_back(from_generation, force=force)
    return made.with_changes(values, from_generation) if values else made, from_generation


def read_changes(changes: Changes) -> dict[str, Any]:
    """Values by dotted key; functions and classes among them are registered, and go by name.

    Raises:
        RecipeError: A text is none like ``run.generations=200``.
        BadValueError: A function has no name.
    """
    if not isinstance(changes, Mapping):
        return parse_changes(changes)
    return {key: _name_code(value) for key, value in changes.items()}


def _name_code(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _name_code(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_name_code(inner) for inner in value]
    return register(value).__name__ if callable(value) else value


def load(run: Path | str) -> Run:
    """An existing run, to be looked at; see :meth:`Run.open`."""
    return Run.open(run)


def duel(
    first: AnyPlayer,
    second: AnyPlayer,
    *,
    games: int = 1000,
    opening_plies: int = 0,
    seed: int = 0,
    game: str | AnyGame | None = None,
    executor: Executor | None = None,
    keep: Keep | None = None,
) -> DuelResult:
    """Lets two players meet, colours balanced; see `evolve_arena.arena.duel.duel`.

    Without a *game* it is that of the first player who was made for one, else the usual one. A
    *game* may be named, too.

    >>> result = duel("test-bot", "random", games=1000, seed=1)
    >>> result.games, result.score > 0.6
    (1000, True)
    """
    with ExitStack() as stack:
        game, players = _invite((first, second), game, stack)
        return duel_players(
            game,
            players[0],
            players[1],
            games=games,
            opening_plies=opening_plies,
            seed=seed,
            executor=executor,
            keep=keep,
        )


def tournament(
    players: Sequence[AnyPlayer],
    *,
    games: int = 200,
    opening_plies: int = 0,
    seed: int = 0,
    game: str | AnyGame | None = None,
    executor: Executor | None = None,
    keep: Keep | None = None,
) -> Crosstable:
    """Lets everybody meet everybody, *games* times; see `play_tournament`.

    >>> table = tournament(["test-bot", "random"], games=200, seed=1)
    >>> [table.names[place] for place in table.ranking]
    ['test-bot', 'random']
    """
    with ExitStack() as stack:
        game, entered = _invite(players, game, stack)
        return play_tournament(
            game,
            entered,
            games=games,
            opening_plies=opening_plies,
            seed=seed,
            executor=executor,
            keep=keep,
        )


def evaluate(
    player: AnyPlayer,
    *,
    games: int = 1000,
    opening_plies: int | None = None,
    opponents: Sequence[str] | None = None,
    seed: int = 0,
    game: str | AnyGame | None = None,
) -> dict[str, Any]:
    """Measures *player* against *opponents*, by default those of the game; as ``evaluate --json``.

    Each pair of games begins with *opening_plies* random plies, by default four if the game is
    long enough and has no chance.

    >>> told = evaluate("test-bot", opponents=["random"], games=100, seed=1)
    >>> told["opponents"]["random"]["games"]
    100
    """
    with ExitStack() as stack:
        game, entered = _invite((player,), game, stack)
        return evaluate_player(
            entered[0],
            game,
            games=games,
            opening_plies=opening_plies,
            opponents=opponents,
            seed=seed,
        )


def load_player(player: str, game: str | AnyGame | None = None) -> Player:
    """The player that a specification names, such as ``run:DIR`` or ``minimax:depth=4``.

    It answers what it plays in a position, and what it thinks of all moves; and what was bred has
    a network, as arrays.

    Raises:
        ArenaError: There is no such player.

    >>> player = load_player("minimax:depth=4")
    >>> player.move(player.game.parse_position("112233")) in {0, 4}
    True
    """
    return find_player(player, game_for([player]) if game is None else _find_game(game))


def _invite(
    given: Sequence[AnyPlayer], game: str | AnyGame | None, stack: ExitStack
) -> tuple[AnyGame, list[Player]]:
    """The players, and what they play; those made here are closed with the *stack*."""
    if game is None:
        named = [player for player in given if isinstance(player, str)]
        made = [player for player in given if isinstance(player, CompiledPlayer)]
        game = made[0].game if made else game_for(named)
    game = _find_game(game)
    players = []
    for each in given:
        player: Player
        if isinstance(each, str):
            player = find_player(each, game)
        elif isinstance(each, type) and issubclass(each, Player):
            player = each(game)
        elif isinstance(each, Player):
            player = each
        else:
            raise BadValueError(
                f"{quote(each)} is no player: give a specification such as 'random' or"
                " 'run:evolved/first', a Player, or a subclass of it"
            )
        if player.game is None:
            player.game = game
        if player is not each:
            stack.callback(player.close)
        player.check_ready()
        players.append(player)
    return game, players


def _find_game(game: str | AnyGame) -> AnyGame:
    """The *game*, which may be named.

    Raises:
        UnknownNameError: There is none of that name.
        BadValueError: It is no game.
    """
    if isinstance(game, str):
        named: AnyGame = make_game(game)
        return named
    if not isinstance(game, Game):
        raise BadValueError(f"{quote(game)} is no game: give a name such as {usual_game()!r}")
    return game


def _advance(
    run: Run, progress: bool | None, callbacks: Callback | Iterable[Callback], **options: Any
) -> Run:
    """The same *run*, which has gone on to its end, or until it was stopped."""
    with _show_progress(run, progress) as shown:
        run.advance(callbacks=[*list_callbacks(callbacks), *shown], **options)
    return run


def _show_progress(run: Run, wanted: bool | None) -> AbstractContextManager[list[Callback]]:
    shown: AbstractContextManager[list[Callback]] = registry.load(PROGRESS)(run, wanted)
    return shown
