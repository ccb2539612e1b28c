"""Recipes from configuration files of neat-python.

The settings of a file are written into the recipe, so a run that was started no longer needs it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.registry import FILE, SPIEL, default_game, find_game, game_names
from evolve_arena.core.types import JsonObject, Settings
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.settings.neat import OF_OWN_ENGINE
from evolve_arena.genomes.neat.ini import WholeIni, read_whole_ini
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.export.neat_python import fit_decoder
from evolve_arena.runs.recipes.code import Permit, refuse_files
from evolve_arena.runs.recipes.recipe import (
    LARGEST,
    describe_recipe,
    load_recipe,
    read_renamed,
    recipe_names,
    usual_recipe,
)


class NeatRecipe(NamedTuple):
    """A recipe, and the changes that a configuration file makes to it."""

    name: str
    """Name of the recipe; or the game, if that is one file or one of OpenSpiel's."""
    changes: JsonObject
    """Values that replace the recipe's, by dotted key, including those that the user typed."""
    remarks: tuple[str, ...]
    """Lines about settings without effect, and about assumptions."""


def read_neat_config(
    path: Path | str,
    recipe: str | None = None,
    typed: Settings | None = None,
    permit: Permit = refuse_files,
) -> NeatRecipe:
    """Return the recipe that a configuration file of neat-python makes.

    Args:
        path: The file.
        recipe: Recipe for all that the file does not set. A recipe of the method ``neat`` is used
            whole; of another recipe, or a game, only the game, checks and length are used, with
            the default settings of ``neat``.
        typed: Values by dotted key that replace all others.
        permit: Function that raises an error if a Python file may not be run.

    Raises:
        RecipeError: The file can't be used, or no network of the game is of the same size.
        ArenaError: The recipe can't be used.
    """
    own = dict(typed or {})
    try:
        ini = read_whole_ini(read_file(Path(path), LARGEST).decode("utf-8"))
    except OSError as error:
        raise RecipeError(f"{path}: {explain_unread(error, path)}") from None
    except UnicodeDecodeError:
        raise RecipeError(f"{path} is no configuration of neat-python: it is no text") from None
    except ArenaError as error:
        raise RecipeError(f"{path}: {error}") from error
    name = _choose_recipe(recipe or default_game())
    changes: JsonObject = {"neat": ini.values}
    remarks = [*ini.remarks]
    if name.endswith(FILE) or name.startswith(SPIEL):
        changes["method.name"] = "neat"
    else:
        content = read_renamed(name)
        method = content.get("method", {})
        if method.get("name") != "neat":
            game = find_game(str(content.get("game", {}).get("name", default_game())))
            usual = usual_recipe(game, {"method.name": "neat"})
            sections = ("method", "matches", "variation")
            changes |= {key: usual.get(key, {}) for key in sections} | {"network": {}}
        elif own.get("method.engine") != "own":
            changes["matches"] = content.get("matches", {})
            for section in ("method", "variation"):
                rest = dict(content.get(section, {}))
                for key in [key for key in rest if f"{section}.{key}" in OF_OWN_ENGINE]:
                    instead = OF_OWN_ENGINE[f"{section}.{key}"]
                    remarks.append(f"{section}.{key} of the recipe was dropped: {instead} says it")
                    del rest[key]
                changes[section] = rest
    changes["method.engine"] = "neat-python"
    if ini.seed is not None and ini.seed >= 0:
        changes["run.seed"] = ini.seed
    elif ini.seed is not None:
        remarks.append(f"seed = {ini.seed} was dropped: the seed of a run is 0 or more")
    changes |= own
    network, assumed = _fit_network(path, ini, name, changes, own, permit)
    return NeatRecipe(name, changes | network, (*remarks, *assumed))


def _choose_recipe(name: str) -> str:
    """Return *name*, or the game's recipe for NEAT if *name* is that of a game."""
    if name in recipe_names() and name in game_names():
        for other in recipe_names():
            found = describe_recipe(other)
            if found.game == name and found.method == "neat" and not found.is_published:
                return other
    return name


def _fit_network(
    path: Path | str,
    ini: WholeIni,
    name: str,
    changes: Settings,
    typed: Settings,
    permit: Permit,
) -> tuple[JsonObject, list[str]]:
    """Return keys of ``[network]`` for the file's numbers of inputs and outputs, and remarks."""
    try:
        decoder: Any = load_recipe(name, changes, permit).make_decoder()
        keys = set(Neat.network_keys(find_game(decoder.game.name)))
        kept = {field for field in vars(decoder) if field not in keys}
        kept |= {key.removeprefix("network.") for key in typed if key.startswith("network.")}
        if (decoder.inputs, decoder.outputs) == (ini.inputs, ini.outputs):
            return {}, []
        found, assumed = fit_decoder(decoder, ini.inputs, ini.outputs, kept)
    except (BadValueError, RecipeError) as error:
        raise RecipeError(f"{path}: {error}") from None
    said = [text for text in assumed if text.partition(" ")[0] in found]
    return (
        {f"network.{key}": value for key, value in found.items()},
        [
            f"network.{text} was assumed: it gives {ini.inputs} inputs and {ini.outputs} outputs"
            for text in said
        ],
    )
