"""Finds games by name: those in the package ``evolve_arena.games``, and those others installed.

A game is a package with a :class:`GameSpec` called ``GAME``, or a file as
`evolve_arena.players.board.example` is one. It is called as its folder or file, with a hyphen for
each underscore. Other distributions add games by entry points of the group ``evolve_arena.games``.
Nothing of a game is loaded before it is asked for. A path is only opened, and what lies there run,
by :func:`open_game`. The games of OpenSpiel are called ``openspiel:NAME``.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve_arena.core.errors import BadValueError, UnknownNameError, one_line

if TYPE_CHECKING:  # without NumPy the command line answers at once
    from evolve_arena.core.game import AnyGame, GameSpec, PlayerKind

GROUP = "evolve_arena.games"
STUDIES = "evolve_arena.studies"
WEB = "evolve_arena.web"
FILE = ".py"
"""How the paths of games in one file end."""
LOADER = "evolve_arena.players.board.loader:load_game"
SPIEL = "openspiel:"
"""How the names of games of OpenSpiel begin."""
SPIEL_LOADER = "evolve_arena.players.openspiel.loader:load_game"


def game_names() -> list[str]:
    """The games that can be played, by name, sorted."""
    return sorted({*_places(), *_registered})


def shipped_games() -> list[str]:
    """The games that need no file of the user's: those that ship, and those others installed."""
    return sorted(_places())


def usual_game() -> str:
    """The game that is meant if nobody names one."""
    return str(import_module(GROUP).USUAL)


def find_game(name: str) -> GameSpec:
    """The game called *name*; ``openspiel:NAME`` is one of OpenSpiel.

    Raises:
        UnknownNameError: There is no such game.
        ArenaError: It is one of OpenSpiel, and can't be played here.
    """
    if name in _packed:
        _registered[name] = _unpack(name, *_packed.pop(name))
    if name in _registered:
        return _registered[name]
    if name.startswith(SPIEL):
        spec: GameSpec = load(SPIEL_LOADER)(name)
        return _of_openspiel.setdefault(spec.name, spec)
    if name not in _places():
        raise UnknownNameError("game", name, [*game_names(), "MY_GAME.py"])
    return _load(_places()[name])


def open_game(name: str) -> GameSpec:
    """The game called *name*, or the one in the file at that path, which is run.

    Only for what the user himself has typed.

    Raises:
        UnknownNameError: There is no such game.
        ArenaError: The file is no game, or is called like another game.
    """
    if not name.endswith(FILE):
        return find_game(name)
    return open_file(Path(name))


def open_file(path: Path, source: bytes | None = None) -> GameSpec:
    """The game in the file at *path*, as it is now; later games of that name are this one.

    Args:
        path: The file, which is run.
        source: Its content, if that was read already: this is what is run then.

    Raises:
        ArenaError: The file is no game, or is called like another game.
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
    """Whether a game in one file of this *source* was opened before."""
    return any(getattr(spec.game, "source", "").encode() == source for spec in _list_loaded())


def make_game(name: str, /, **options: int) -> Any:
    """The game called *name*, with *options* such as the size of its board or how many play.

    A path that ends in ``.py`` is run: it is a game in one file.

    Raises:
        UnknownNameError: There is no such game.
        BadValueError: An option is out of range.
        ArenaError: The file is no game.
    """
    return open_game(name).make(**options)


def register_game(game: GameSpec) -> None:
    """Adds a *game* for this process and its workers.

    Those that start from nothing know it if it can be pickled; see :func:`pack_games`.
    """
    _registered[game.name] = game


def pack_games() -> dict[str, tuple[Any, ...]]:
    """The games that were opened or registered in this process, for :func:`unpack_games`.

    Those in one file are sent as they were read, whatever is in the file by now.
    """
    return {name: _pack(spec) for name, spec in _registered.items()} | _packed


def unpack_games(packed: Mapping[str, tuple[Any, ...]]) -> None:
    """Lets this process know games of another one, which :func:`pack_games` gave there."""
    _packed.update(packed)


def _pack(spec: GameSpec) -> tuple[Any, ...]:
    """What :func:`_unpack` needs: a path and a source, something pickled, or why it can't be."""
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


def _unpack(name: str, *packed: Any) -> GameSpec:
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


def game_of(rules: Any) -> AnyGame:
    """The game that has these *rules*, which must be one that was found before."""
    spec = next(spec for spec in _list_loaded() if isinstance(rules, spec.game.rules_type))
    game: AnyGame = spec.make(**rules._asdict())
    return game


def study_players(game: str) -> dict[str, PlayerKind]:
    """The players of a *game* that published studies add, by name."""
    found: dict[str, PlayerKind] = {}
    for place in _packages(STUDIES):
        found |= getattr(import_module(place), "PLAYERS", {}).get(game, {})
    return found


def study_learners(game: str) -> dict[str, str]:
    """The methods that published studies add to a *game*: each at ``package.module:name``."""
    found: dict[str, str] = {}
    for place in _packages(STUDIES):
        found |= getattr(import_module(place), "LEARNERS", {}).get(game, {})
    return found


def study_ladder(game: str) -> tuple[str, ...]:
    """Whom ``evolve evaluate`` lets a player of *game* meet after those of `GameSpec.ladder`."""
    ladders = [getattr(import_module(place), "LADDERS", {}) for place in _packages(STUDIES)]
    return tuple(name for ladder in ladders for name in ladder.get(game, ()))


def load(place: str) -> Any:
    """What stands at ``package.module:name``; or the game in the file at a path."""
    if place.endswith(FILE):
        return load(LOADER)(place)
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def find_commands() -> list[Any]:
    """The modules called ``commands`` of the page and studies; the command line has them."""
    return [import_module(f"{place}.commands") for place in (WEB, STUDIES)]


def recipe_readers() -> dict[str, str]:
    """What else than TOML files are recipes, by how their names end: what converts their content.

    Each is found at ``package.module:function``.
    """
    studies = map(import_module, _packages(STUDIES))
    return {end: at for study in studies for end, at in getattr(study, "RECIPES", {}).items()}


def recipe_files(*, studies: bool = True) -> dict[str, Path]:
    """The files of the recipes that ship, by name.

    Args:
        studies: Whether those of published studies too.
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
_packed: dict[str, tuple[Any, ...]] = {}
_of_openspiel: dict[str, GameSpec] = {}
"""Those that were asked for; they are not listed among the games, as there are so many."""


def _list_loaded() -> tuple[GameSpec, ...]:
    return (*_registered.values(), *_of_openspiel.values(), *map(_load, _loaded))


@cache
def _packages(group: str) -> list[str]:
    """The folders of games, or of studies."""
    folder = import_module(group).__path__
    return [f"{group}.{each.name}" for each in pkgutil.iter_modules(folder) if each.ispkg]


@cache
def installed_places(group: str) -> dict[str, str]:
    """What installed packages add by entry points of a *group*: where each name is found."""
    from importlib import metadata  # takes as long as a third of a help

    return {point.name: point.value for point in metadata.entry_points(group=group)}


@cache
def _places() -> dict[str, str]:
    """Where each game is found: ``package.module:value``, or a path."""
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
