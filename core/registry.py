"""The registry of games: those that ship, those of installed packages, and those in files.

A game is a package with a :class:`GameSpec` called ``GAME``, or a single file, such as
`evolve_arena.players.board.example`. Its name is that of its folder or file, with a hyphen for each
underscore. Other distributions add games by entry points of the group ``evolve_arena.games``. Games
are loaded on request. Only :func:`open_game` opens a path, and runs the file there. The games of
OpenSpiel are called ``openspiel:NAME``.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from evolve_arena.core.errors import BadValueError, UnknownNameError, one_line

if TYPE_CHECKING:  # without NumPy the command line answers at once
    from evolve_arena.core.game import AnyGame, GameSpec, PlayerKind, RulesTuple

PackedGame: TypeAlias = tuple[Any, ...]
"""A game as it is sent to another process: the path and source of its file, its pickle, or the
reason why it has none."""
PackedGames: TypeAlias = Mapping[str, PackedGame]
"""Games by name, as they are sent to another process."""
GROUP = "evolve_arena.games"
STUDIES = "evolve_arena.studies"
WEB = "evolve_arena.web"
FILE = ".py"
"""Suffix of the paths of games in one file."""
LOADER = "evolve_arena.players.board.loader:load_game"
SPIEL = "openspiel:"
"""Prefix of the names of OpenSpiel's games."""
SPIEL_LOADER = "evolve_arena.players.openspiel.loader:load_game"


def game_names() -> list[str]:
    """Return the names of all games that can be played, sorted."""
    return sorted({*_places(), *_registered})


def shipped_games() -> list[str]:
    """Return the names of games that need no file of the user's: shipped or installed ones."""
    return sorted(_places())


def default_game() -> str:
    """Return the name of the default game."""
    return str(import_module(GROUP).DEFAULT_GAME)


def find_game(name: str) -> GameSpec:
    """Return the game called *name*; ``openspiel:NAME`` is one of OpenSpiel.

    Raises:
        UnknownNameError: There is no such game.
        ArenaError: The game is one of OpenSpiel that can't be played here.
    """
    if name in _packed:
        _registered[name] = _unpack(name, _packed.pop(name))
    if name in _registered:
        return _registered[name]
    if name.startswith(SPIEL):
        spec: GameSpec = load(SPIEL_LOADER)(name)
        return _of_openspiel.setdefault(spec.name, spec)
    if name not in _places():
        raise UnknownNameError("game", name, [*game_names(), "MY_GAME.py"])
    return _load(_places()[name])


def open_game(name: str) -> GameSpec:
    """Return the game called *name*, or run the file at that path and return its game.

    Only for names that the user typed.

    Raises:
        UnknownNameError: There is no such game.
        ArenaError: The file is no game, or has the name of another game.
    """
    if not name.endswith(FILE):
        return find_game(name)
    return open_file(Path(name))


def open_file(path: Path, source: bytes | None = None) -> GameSpec:
    """Run the game file at *path*, register its game under its name, and return the game.

    Args:
        path: The file, which is run.
        source: Its content, if that was read already; then this is run.

    Raises:
        ArenaError: The file is no game, or has the name of another game.
    """
    spec: GameSpec = load(LOADER)(path, source=source)
    shipped = _places().get(spec.name, "")
    if shipped == os.path.realpath(path):
        return find_game(spec.name)
    if shipped:
        raise BadValueError(f"{path}: there is a game {spec.name} already, rename the file")
    known: Any = _registered.get(spec.name)
    if known is None or known.game.place != getattr(spec.game, "place", ""):
        _registered[spec.name] = spec
    return _registered[spec.name]


def is_open(source: bytes) -> bool:
    """Return True if a game in one file with this *source* was opened before."""
    return any(getattr(spec.game, "source", "").encode() == source for spec in _list_loaded())


def make_game(name: str, /, **options: int) -> AnyGame:
    """Return the game called *name*, with *options* such as the size of its board.

    A path that ends in ``.py`` is a game in one file, which is run.

    Raises:
        UnknownNameError: There is no such game.
        BadValueError: An option is out of range.
        ArenaError: The file is no game.
    """
    game: AnyGame = open_game(name).make(**options)
    return game


def register_game(game: GameSpec) -> None:
    """Add a *game* for this process and its workers.

    Workers that are not forked know it if it can be pickled; see :func:`pack_games`.
    """
    _registered[game.name] = game


def pack_games() -> PackedGames:
    """Return the games that were opened or registered in this process, for :func:`unpack_games`.

    A game in one file is sent as it was read, even if the file has changed since.
    """
    return {name: _pack(spec) for name, spec in _registered.items()} | _packed


def unpack_games(packed: PackedGames) -> None:
    """Register the games of another process, as :func:`pack_games` returned them there."""
    _packed.update(packed)


def _pack(spec: GameSpec) -> PackedGame:
    """Return the arguments of :func:`_unpack`: a path and a source, a pickle, or an explanation."""
    game: Any = spec.game
    if hasattr(game, "source"):
        return game.file, game.source
    import dill

    try:
        packed = dill.dumps(spec)
        if len(dill.loads(packed).game.__mro__) != len(game.__mro__):  # it confuses generic bases
            raise BadValueError(f"{game.__name__} stands in no module")
        return (packed,)
    except Exception as error:  # dill raises what it likes
        return "", f"{type(error).__name__}: {error}"


def _unpack(name: str, packed: PackedGame) -> GameSpec:
    """Return a game that :func:`_pack` prepared."""
    spec: GameSpec
    if packed[0] and len(packed) == 2:
        spec = load(LOADER)(packed[0], name, packed[1])
        return spec
    why = packed[-1]
    if len(packed) == 1:
        import dill

        try:
            spec = dill.loads(packed[0])
            return spec
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
    raise BadValueError(
        f"game {name}, given by register_game, can't be sent to worker processes that start from"
        f" nothing ({one_line(why, 80)}): bring it as a file or an entry point ({GROUP}), or use"
        " the executor 'serial'"
    )


def game_of(rules: RulesTuple) -> AnyGame:
    """Return the game of these *rules*; it must have been loaded before."""
    spec = next(spec for spec in _list_loaded() if isinstance(rules, spec.game.rules_type))
    game: AnyGame = spec.make(**rules._asdict())
    return game


def study_players(game: str) -> dict[str, PlayerKind]:
    """Return the players of a *game* that published studies add, by name."""
    found: dict[str, PlayerKind] = {}
    for place in _packages(STUDIES):
        found |= getattr(import_module(place), "PLAYERS", {}).get(game, {})
    return found


def study_learners(game: str) -> dict[str, str]:
    """Return the methods that published studies add to a *game*, as ``package.module:name``."""
    found: dict[str, str] = {}
    for place in _packages(STUDIES):
        found |= getattr(import_module(place), "LEARNERS", {}).get(game, {})
    return found


def study_ladder(game: str) -> tuple[str, ...]:
    """Return the opponents that studies add to `GameSpec.ladder` in ``evolve evaluate``."""
    ladders = [getattr(import_module(place), "LADDERS", {}) for place in _packages(STUDIES)]
    return tuple(name for ladder in ladders for name in ladder.get(game, ()))


def load(place: str) -> Any:
    """Return the value at ``package.module:name``, or the game in the file at a path."""
    if place.endswith(FILE):
        return load(LOADER)(place)
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def find_commands() -> list[ModuleType]:
    """Return the modules called ``commands`` of the page and the studies, for the command line."""
    return [import_module(f"{place}.commands") for place in (WEB, STUDIES)]


def recipe_readers() -> dict[str, str]:
    """Return the converters of recipes that are no TOML files, by the suffix of these files.

    Each is given as ``package.module:function``.
    """
    studies = map(import_module, _packages(STUDIES))
    return {end: at for study in studies for end, at in getattr(study, "RECIPES", {}).items()}


def recipe_files(*, studies: bool = True) -> dict[str, Path]:
    """Return the files of the recipes that ship, by name.

    Args:
        studies: Include those of published studies.
    """
    found: dict[str, Path] = {}
    others = {place.partition(":")[0] for place in _places().values() if not place.endswith(FILE)}
    published = _packages(STUDIES) if studies else []
    for package in sorted({GROUP, *_packages(GROUP), *published, *others}):
        place = find_spec(package)  # which loads nothing of the game
        for folder in (place and place.submodule_search_locations) or ():
            files = Path(folder, "recipes").glob("*.toml")
            found |= {file.name.removesuffix(".toml"): file for file in files}
    return found


_loaded: set[str] = set()
_registered: dict[str, GameSpec] = {}
_packed: dict[str, PackedGame] = {}
_of_openspiel: dict[str, GameSpec] = {}
"""Games of OpenSpiel that were loaded; lists of games leave these out, as there are so many."""


def _list_loaded() -> tuple[GameSpec, ...]:
    return (*_registered.values(), *_of_openspiel.values(), *map(_load, _loaded))


@cache
def _packages(group: str) -> list[str]:
    """Return the packages of games, or of studies."""
    folder = import_module(group).__path__
    return [f"{group}.{each.name}" for each in pkgutil.iter_modules(folder) if each.ispkg]


@cache
def installed_places(group: str) -> dict[str, str]:
    """Return the values of all entry points of a *group*, by name."""
    from importlib import metadata  # takes as long as a third of a help

    return {point.name: point.value for point in metadata.entry_points(group=group)}


@cache
def _places() -> dict[str, str]:
    """Return the location of each game, by name: ``package.module:value``, or a path."""
    folder = import_module(GROUP).__path__
    own = {
        module.name.replace("_", "-"): f"{GROUP}.{module.name}:GAME"
        if module.ispkg
        else os.path.realpath(f"{folder[0]}/{module.name}{FILE}")
        for module in pkgutil.iter_modules(folder)
    }
    return installed_places(GROUP) | own


@cache
def _load(place: str) -> GameSpec:
    spec: GameSpec = load(place)
    _loaded.add(place)
    return spec
