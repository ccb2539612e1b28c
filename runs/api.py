"""The Python interface: start, resume and load runs; measure players in matches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path

from evolve_arena.arena.crosstable import Crosstable, play_tournament
from evolve_arena.arena.duel import duel as duel_players
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.executors import Executor, check_executor
from evolve_arena.arena.match import OnMatch
from evolve_arena.core import registry
from evolve_arena.core.errors import BadValueError, quote, spell
from evolve_arena.core.game import AnyGame, Game
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import SPIEL, default_game, make_game
from evolve_arena.core.types import Json, JsonObject, Settings
from evolve_arena.core.user_code import register
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.runs.beginnings import find_beginning, find_free_name, split_place
from evolve_arena.runs.consent import Allow, obtain, permit_files, remember
from evolve_arena.runs.evaluation import evaluate_player
from evolve_arena.runs.players import find_player, game_for
from evolve_arena.runs.recipes.recipe import Recipe, load_recipe, parse_changes
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.directory import HOME, RunDirectory
from evolve_arena.runs.store.files import check_free, write_whole
from evolve_arena.runs.targets import check_target
from evolve_arena.runs.training.loop import Callback, list_callbacks

PROGRESS = "evolve_arena.cli.display:show_progress"
"""Import path of the function that displays a run's progress, which is loaded when a run starts."""
Changes = Settings | Iterable[str]
"""Values that replace those of a recipe: by dotted key, or as texts like ``run.seed=3``."""
AnyPlayer = str | Player | type[Player]
"""A player: its specification, an instance, or a class that is instantiated for the game."""


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
    """Create a run directory and evolve until the recipe's last generation, or for some minutes.

    Args:
        recipe: Name of a shipped recipe, path of a TOML file, or a recipe. With *neat_config* or
            *minutes* also the name of a game; with *neat_config* it may be None.
        neat_config: Configuration file of neat-python, which then does the evolution; see
            :func:`evolve_arena.runs.recipes.neat_config.read_neat_config`.
        run: Run directory; ``evolved/NAME`` if None.
        changes: Values that replace the recipe's, as ``{"run.generations": 200}`` or as texts
            like ``run.generations=200``. A function or class is accepted where a recipe names code.
        generations: Last generation, replacing the recipe's.
        seed: Seed, replacing the recipe's.
        population: Other runs, as ``RUN`` or ``RUN@GENERATION``. Their champions and individuals
            form the first population; missing individuals are drawn as usual.
        workers: Number of processes that play matches; one per core if None.
        executor: Name of the executor that plays matches.
        address: Address of the cluster for the executor ``ray``; if None, one is started here.
        callbacks: Functions that are called with a :class:`Progress` after each generation; the
            run stops, after a checkpoint, if one returns False. With *neat_config* also reporters
            of neat-python.
        progress: True to display progress; None displays it in notebooks only.
        force: True to overwrite an existing run.
        allow_process: True to permit the programs that a recipe's file names as opponents. Those
            in *changes*, or in a recipe made in Python, are the caller's own and need no permit.
        minutes: Duration in minutes, instead of a number of generations. If *recipe* is a game,
            its methods race and the strongest goes on; see :mod:`evolve_arena.runs.many.race`.

    Raises:
        RecipeError: The recipe is missing or wrong.
        NotPermittedError: The recipe names a program or Python file without permission.
        RunExistsError: The directory exists, and *force* is False.
        BadValueError: An argument is out of range, or two arguments contradict each other.
        UnknownNameError: There is no such recipe, game or executor.
        ArenaError: :meth:`Run.advance` fails.
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
    return _advance(made, progress, callbacks, where)


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
    """Create the run directory, with its recipe, without evolving; see :func:`start`.

    Args:
        recipe: Name of a shipped recipe, path of a TOML file, or a recipe. With *neat_config* it
            may also be the name of a game, or None.
        neat_config: Configuration file of neat-python, which then does the evolution.
        run: Run directory; ``evolved/NAME`` if None.
        changes: Values that replace the recipe's, as in :func:`start`.
        seed: Seed, replacing the recipe's; the recipe's if None.
        population: Other runs, as ``RUN`` or ``RUN@GENERATION``, whose champions and individuals
            form the first population; if there are none, the recipe's.
        force: True to overwrite an existing run.
        allow_process: True to permit the programs and Python files that the recipe names, or a
            function that asks for permission, given the command.

    Raises:
        ArenaError: As for :func:`start`; then no directory has been created.
    """
    values = read_changes(changes) | ({} if seed is None else {"run.seed": seed})
    if places := [population] if isinstance(population, str | Path) else list(population):
        values |= {"run.population": [str(place) for place in places], "run.start_sha256": None}
    remarks: tuple[str, ...] = ()
    # A configuration of neat-python becomes a recipe's name and changes of it.
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
    # The recipe, permitted, and the first state if that comes from other runs.
    place = run or find_place(recipe if neat_config is None else neat_config)
    if isinstance(recipe, str):
        recipe = load_recipe(recipe, values, permit_files(allow_process))
    else:
        recipe = recipe.change(values)
    recipe, state = obtain(recipe, allow_process).begin(), None
    told = recipe.remarks + [f"{neat_config}: {remark}" for remark in remarks]
    if recipe.run.begins_elsewhere:
        recipe, state = find_beginning(recipe, allow_process)
    # All checks come before the directory is created.
    made = Run(RunDirectory(place), recipe)
    made.remarks = told
    made.method.check_ready()  # before opponents are compiled
    for opponent in recipe.make_opponents():
        with closing(opponent):
            opponent.check_ready()
    made.check_code()
    made.create(state, force=force)
    remember(made.recipe, made.path)
    return made


def find_place(source: Recipe | Path | str) -> Path:
    """Return the default directory for runs of a recipe, a game or a configuration file."""
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
    """Create a run from a checkpoint of another run, and evolve it until its last generation.

    With the same seed and settings it reaches the same populations as the other run.

    Args:
        source: Directory of the other run, which is not changed; also ``RUN@GENERATION``.
        generation: Generation of the checkpoint; the newest usable one if None.
        run: New directory; the first free one of ``NAME-2``, ``NAME-3`` and so on if None.
        changes: Values that replace the recipe's from there on, as in :func:`start`.
        seed: Seed, replacing the recipe's.
        generations: New last generation; the recipe's if None.
        workers: Number of processes that play matches; one per core if None.
        executor: Name of the executor that plays matches.
        address: Address of the cluster for the executor ``ray``; if None, one is started here.
        callbacks: Functions that are called after each generation, as in :func:`start`.
        progress: True to display progress; None displays it in notebooks only.
        allow_process: True to permit the programs that the recipe names as opponents.

    Raises:
        NotARunError: *source* is not a run.
        CheckpointError: It has no such checkpoint.
        RunExistsError: The new directory exists.
        NotPermittedError: The recipe names a program or Python file without permission.
        BadValueError: The checkpoint does not fit the changed recipe, or an argument is wrong.
        RecipeError: A key of *changes* is unknown, or a value is out of range.
        ArenaError: :meth:`Run.advance` fails.
    """
    check_executor(executor, workers, address)
    values = read_changes(changes)
    if generations is not None:
        values |= {"run.generations": generations}
    made = prepare_branch(
        source, generation, run=run, changes=values, seed=seed, allow=allow_process
    )
    where = {"workers": workers, "executor": executor, "address": address}
    return _advance(made, progress, callbacks, where)


def prepare_branch(
    source: Path | str,
    generation: int | None = None,
    *,
    run: Path | str | None = None,
    changes: Changes = (),
    seed: int | None = None,
    allow: Allow = False,
) -> Run:
    """Create the directory of a branch, whole or not at all, without evolving; see :func:`branch`.

    Args:
        source: Directory of the other run, which is not changed; also ``RUN@GENERATION``.
        generation: Generation of the checkpoint; the newest usable one if None. It must be None if
            *source* names one.
        run: New directory; the first free one of ``NAME-2``, ``NAME-3`` and so on if None.
        changes: Values that replace the recipe's from there on, as in :func:`start`.
        seed: Seed, replacing the recipe's; the recipe's if None.
        allow: True to permit the programs and Python files that the recipe names, or a function
            that asks for permission, given the command.

    Raises:
        ArenaError: As for :func:`branch`.
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
    """Continue a run exactly as if it had not been stopped.

    Args:
        run: Run directory.
        from_generation: Generation of the checkpoint to continue from; the newest usable one if
            None.
        force: True to delete checkpoints after *from_generation*; :func:`branch` keeps them.
        generations: New last generation; the recipe's if None.
        changes: Values that replace the recipe's, as in :func:`start`. If they change the
            populations, a branch continues with them, and this run stays as it is.
        workers: Number of processes that play matches; one per core if None.
        executor: Name of the executor that plays matches.
        address: Address of the cluster for the executor ``ray``; if None, one is started here.
        callbacks: Functions that are called after each generation, as in :func:`start`.
        progress: True to display progress; None displays it in notebooks only.
        allow_process: True to permit the programs that the recipe names as opponents. Programs
            that were permitted before in this run, or were its starter's own, need no permit.

    Raises:
        NotARunError: *run* is not a run.
        NotPermittedError: The recipe names a program or Python file without permission.
        CheckpointError: No checkpoint can be used.
        BadValueError: Checkpoints would be deleted without *force*, the run is beyond
            *generations*, or an argument is wrong.
        RecipeError: A key of *changes* is unknown, or a value is out of range.
        RunBusyError: Another process is writing to the run.
        ArenaError: :meth:`Run.advance` fails.
    """
    check_executor(executor, workers, address)
    values = read_changes(changes)
    if generations is not None:
        values |= {"run.generations": generations}
    made, begin = prepare_resumption(
        run, from_generation, changes=values, force=force, allow=allow_process
    )
    where = {"workers": workers, "executor": executor, "address": address}
    where |= {"from_generation": begin, "force": force}
    return _advance(made, progress, callbacks, where)


def prepare_resumption(
    run: Path | str,
    from_generation: int | None = None,
    *,
    changes: Changes = (),
    force: Allow = False,
    allow: Allow = False,
) -> tuple[Run, int | None]:
    """Return the run that continues *run* with *changes*, and the generation it continues from.

    It is a branch if the changes affect the populations, since a run has a single recipe.

    Args:
        run: Run directory.
        from_generation: Generation of the checkpoint to continue from; the newest usable one if
            None.
        changes: Values that replace the recipe's, as in :func:`start`.
        force: True to permit that checkpoints after *from_generation* are deleted, or a function
            that asks for it, given a sentence about them. A branch deletes none.
        allow: True to permit the programs and Python files that the recipe names, or a function
            that asks for permission, given the command.

    Raises:
        ArenaError: As for :func:`resume`.
    """
    made = Run.open(run, allow)
    made.check_code()
    made.permit(allow)
    values = read_changes(changes)
    if not made.recipe.change(values).steps_like(made.recipe):
        return prepare_branch(run, from_generation, changes=values, allow=allow), None
    made.check_going_back(from_generation, force=force)
    return made.with_changes(values, from_generation) if values else made, from_generation


def read_changes(changes: Changes) -> JsonObject:
    """Return *changes* by dotted key; register functions and classes, and replace them by names.

    Raises:
        RecipeError: A text is not of the form ``run.generations=200``.
        BadValueError: A function has no name.
    """
    if not isinstance(changes, Mapping):
        return parse_changes(changes)
    return {key: _name_code(value) for key, value in changes.items()}


def _name_code(value: object) -> Json:
    if isinstance(value, Mapping):
        return {key: _name_code(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_name_code(inner) for inner in value]
    return register(value).__name__ if callable(value) else value


def load(run: Path | str) -> Run:
    """Load an existing run from its directory or by its name, without continuing it.

    Raises:
        NotARunError: *run* is not a run.
        RecipeError: Its recipe can't be read.
        NotPermittedError: Its game is a Python file that has no permission here.
    """
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
    on_match: OnMatch | None = None,
) -> DuelResult:
    """Play *games* matches of two players, each moving first in half of them.

    Args:
        first: Player from whose side the result is reported.
        second: Its opponent.
        games: Number of games; an odd number is rounded up, so that colours are balanced.
        opening_plies: Random plies at the beginning; each beginning is played twice, with
            colours swapped.
        seed: Seed of openings and players.
        game: Game, or its name; if None, that of the first player made for one, else the default.
        executor: Executor of games of two compiled players; serial if None.
        on_match: Function that is called with each match and its moves.

    Raises:
        UnknownNameError: There is no such player or game.
        BadValueError: A number is out of range, or a player does not fit the game.
        ArenaError: A player's file or program can't be used.

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
            on_match=on_match,
        )


def tournament(
    players: Sequence[AnyPlayer],
    *,
    games: int = 200,
    opening_plies: int = 0,
    seed: int = 0,
    game: str | AnyGame | None = None,
    executor: Executor | None = None,
    on_match: OnMatch | None = None,
) -> Crosstable:
    """Play a round robin: every pair of *players* plays *games* matches.

    Args:
        players: At least two players; equal names are numbered.
        games: Number of games per pair; an odd number is rounded up.
        opening_plies: Random plies at the beginning; each beginning is played twice, with
            colours swapped.
        seed: Seed of openings and players.
        game: Game, or its name; if None, that of the first player made for one, else the default.
        executor: Executor of games of compiled players; serial if None.
        on_match: Function that is called with each match and its moves.

    Raises:
        UnknownNameError: There is no such player or game.
        BadValueError: There are fewer than two players, a number is out of range, or a player does
            not fit the game.
        ArenaError: A player's file or program can't be used.

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
            on_match=on_match,
        )


def evaluate(
    player: AnyPlayer,
    *,
    games: int = 1000,
    opening_plies: int | None = None,
    opponents: Sequence[str] | None = None,
    seed: int = 0,
    game: str | AnyGame | None = None,
) -> JsonObject:
    """Measure *player* against *opponents*; return what ``evolve evaluate --json`` prints.

    Args:
        player: Player to be measured.
        games: Number of games against each opponent.
        opening_plies: Random plies at the beginning of each pair of games; if None, four where
            the game is long enough and has no chance, else 0.
        opponents: Specifications of the opponents; the game's benchmark opponents if None.
        seed: Seed of openings and players.
        game: Game, or its name; if None, that of the player, else the default.

    Raises:
        UnknownNameError: There is no such player or game.
        BadValueError: A number is out of range, or a player does not fit the game.
        ArenaError: A player's file or program can't be used.

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
    """Load the player of a specification, such as ``run:DIR`` or ``minimax:depth=4``.

    The player returns its move in a position and its values of all legal moves; an evolved player
    also gives access to its network, as arrays.

    Raises:
        UnknownNameError: There is no such player or game.
        BadValueError: An argument in the specification is wrong, or the player does not fit *game*.
        ArenaError: The player's run or file can't be used.

    >>> player = load_player("minimax:depth=4")
    >>> player.move(player.game.parse_position("112233")) in {0, 4}
    True
    """
    return find_player(player, game_for([player]) if game is None else _find_game(game))


def export(
    player: str | EvolvedPlayer,
    target: str,
    path: Path | str,
    *,
    limit: int | None = None,
    force: bool = False,
) -> Path:
    """Export an evolved player to a file that plays outside Evolve Arena; return the file's path.

    Args:
        player: ``run:DIR``, ``file:PATH``, or an object such as `Run.champion`.
        target: Format: ``python``, ``html``, ``c``, ``onnx`` and so on; ``evolve export -h`` lists
            them.
        path: Path of the file to write.
        limit: Maximum number of characters: the file is compressed, and weights of a tuple network
            are rounded, or most of them dropped and the others fitted, which takes minutes and is
            logged. None is no limit.
        force: True to overwrite an existing file.

    Raises:
        UnknownNameError: There is no such target or player.
        BadValueError: The target does not take such a player, or the file would be too long.
        RunExistsError: The file exists, and *force* is False.

    >>> import tempfile
    >>> from evolve_arena import start
    >>> folder = tempfile.mkdtemp()
    >>> run = start("tic-tac-toe-evolved", run=f"{folder}/run", generations=1)
    >>> export(run.champion, "python", f"{folder}/bot.py").name
    'bot.py'
    """
    from evolve_arena.runs.export import shorten

    check_target(target)
    found = load_player(player) if isinstance(player, str) else player
    if not isinstance(found, EvolvedPlayer):
        raise BadValueError(f"{quote(player)} was not evolved: there is nothing to export")
    file = Path(path)
    check_free(file, force=force)
    content, lost = shorten(found, target, limit)
    if lost:
        LOG.info("%s: %s", file, lost)
    write_whole(file, content.encode() if isinstance(content, str) else content)
    return file


def _invite(
    given: Sequence[AnyPlayer], game: str | AnyGame | None, stack: ExitStack
) -> tuple[AnyGame, list[Player]]:
    """Return the game and the players; players that are made here are closed with the *stack*."""
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
                f"{quote(each)} is not a player: give a specification such as 'random' or"
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
    """Return the *game*, which may be given by name.

    Raises:
        UnknownNameError: There is no game of that name.
        BadValueError: It is not a game.
    """
    if isinstance(game, str):
        named: AnyGame = make_game(game)
        return named
    if not isinstance(game, Game):
        raise BadValueError(f"{quote(game)} is not a game: give a name such as {default_game()!r}")
    return game


def _advance(
    run: Run, progress: bool | None, callbacks: Callback | Iterable[Callback], options: Settings
) -> Run:
    """Evolve *run* to its end, or until it is stopped, and return it."""
    with _show_progress(run, progress) as shown:
        run.advance(callbacks=[*list_callbacks(callbacks), *shown], **options)
    return run


def _show_progress(run: Run, wanted: bool | None) -> AbstractContextManager[list[Callback]]:
    shown: AbstractContextManager[list[Callback]] = registry.load(PROGRESS)(run, wanted)
    return shown
