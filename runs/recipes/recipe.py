"""Recipes: all settings of a run, as a TOML file."""

from __future__ import annotations

import copy
import json
import os
import secrets
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import tomli_w
from pydantic import BaseModel, Field, PrivateAttr, ValidationError, model_validator

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, quote, spell
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.game import AnyGame, Config, GameSpec, section_of_rules
from evolve_arena.core.registry import (
    FILE,
    SPIEL,
    default_game,
    find_game,
    game_names,
    is_open,
    load,
    open_file,
    open_game,
    recipe_files,
    recipe_readers,
    shipped_games,
)
from evolve_arena.core.types import Json, JsonObject, Settings
from evolve_arena.core.user_code import NAME, AbsentCode, find_code, note_absent
from evolve_arena.evolve.growth import Growth
from evolve_arena.evolve.islands import Islands
from evolve_arena.evolve.matches import check_openings
from evolve_arena.evolve.method import AnyMethod
from evolve_arena.evolve.settings.growth import GrowthConfig, StageConfig
from evolve_arena.evolve.settings.islands import IslandsConfig
from evolve_arena.genomes.limits import check_bytes
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.evolved import Decoder
from evolve_arena.players.player import Player, distinct_names
from evolve_arena.players.specification import (
    NotPermittedError,
    make_player,
    player_kinds,
    runs_code,
)
from evolve_arena.runs.errors import RecipeError
from evolve_arena.runs.positions import find_own_positions
from evolve_arena.runs.recipes.absent_method import AbsentMethod
from evolve_arena.runs.recipes.code import (
    WITH_CODE,
    Permit,
    copy_code,
    list_texts,
    open_typed,
    pin_code,
    read_beside,
    refuse_files,
    unpin_code,
)
from evolve_arena.runs.recipes.methods import find_method, methods_of
from evolve_arena.runs.recipes.old_keys import RENAMED, rename_keys
from evolve_arena.runs.recipes.sections import (
    CheckConfig,
    RunConfig,
    SearchConfig,
    explain_key,
    list_keys,
)
from evolve_arena.runs.validation import explain

Model = TypeVar("Model", bound=BaseModel)

LARGEST = 1 << 18
"""Maximum bytes of a recipe's file; shipped recipes have about two thousand."""
MAX_DOTS = 200
"""Maximum dots in a line; the TOML library takes minutes for keys of thousands of parts."""
DEEPEST = 8
"""Maximum depth to which sections and lists may be nested."""
UNKNOWN = "unknown setting"
"""Phrase in errors about unknown keys."""
GAMES = "game"
"""Folder of a run with its game's file, if the game is a file that does not ship."""
METHOD_DEFAULTS: dict[str, dict[str, JsonObject]] = {
    "tournament": {
        "method": {"individuals": 100, "tournament_size": 5, "initialisation": "fan-in"},
        "matches": {"noise": 0.1, "hall_of_fame": {"size": 50, "every": 5, "opponents": 5}},
        "variation": {"mutation_probability": 0.03, "step_size": 0.1},
    },
    "neat": {"matches": {"opponents": 10, "noise": 0.1}},
    "td-tuples": {"method": {"games": 5000}},
}
"""Sections of the default recipe for a game without shipped recipes, by method."""
NEAT_DEFAULTS = {
    "pop_size": 100,
    "activation_default": "relu",
    "activation_options": ["relu"],
    "compatibility_threshold": 0.6,
    "elitism": 2,
    "weight_init_stdev": 0.3,
    "weight_mutate_power": 0.2,
    "weight_mutate_rate": 0.05,
    "weight_replace_rate": 0.0,
}

KEEP_NEWEST, KEEP_EVERY = 5, 10
"""Checkpoints that a new run keeps by default; see `RunConfig`."""

BEFORE = {"check": {"share": 1.0}, "run": {"champion": "best-check"}}
"""Values of keys that are missing in recipes of older runs, by section."""
GONE: JsonObject = {
    "islands.lag": 0,
    "islands.emigrants": "best",
    "method.hall_of_fame.weight": 1.0,
    "method.fixed_opponents.weight": 1.0,
    "method.penalty": 0.0,
    "method.win_points": 1.0,
    "method.schedule_games": 1_000_000,
}
"""Removed keys of older runs, each with the value at which it had no effect."""
BESIDE = ("matches", "variation", "neat")
"""The sections that a method may have beside ``[method]``."""
EVOLVED = ("method", "matches", "variation", "islands", "growth")
"""The sections that may name code that takes part in evolution."""
OF_METHODS = ("network", "method", *BESIDE)
"""The sections whose keys depend on the method."""
OPPONENTS_KEYS = {"check", "check.opponents"}
"""Keys by which a user chooses the opponents, and so permits them."""


def searches(decoder: Any) -> bool:
    """Test if players of a *decoder* can search, which needs a game with its rules in a file."""
    return isinstance(decoder.game, BoardGame)


class Recipe(Config):
    """A recipe, fully resolved: every key has its value."""

    title: str = ""
    """Subject of the recipe, in one line."""
    game: JsonObject = Field(default_factory=lambda: {"name": default_game()})
    """The game's name, and its options."""
    network: JsonObject = Field(default_factory=dict)
    """The network of individuals; its keys depend on the method and the game, see
    `Method.network_section`."""
    method: JsonObject = Field(default_factory=lambda: {"name": "tournament"})
    """The method; its other keys depend on its key ``name``."""
    matches: JsonObject | None = None
    """Matches, for the methods whose individuals play against each other."""
    variation: JsonObject | None = None
    """Selection, crossover and mutation, for the methods that have them."""
    neat: JsonObject | None = None
    """neat-python's keys, for the method that has a section for them."""
    islands: IslandsConfig | None = None
    """Several populations that exchange individuals; a single population if left out."""
    growth: GrowthConfig | None = None
    """Stages with smaller networks, with which the run begins; none if left out."""
    search: SearchConfig | None = None
    """Search of the champion, if it differs from that of the individuals."""
    check: CheckConfig = CheckConfig()
    """Games of the champion against external players."""
    run: RunConfig = RunConfig()
    """Length of the run, and what it keeps."""
    _foreign: frozenset[str] = PrivateAttr(default=frozenset())
    _game_file: tuple[str, bytes] | None = PrivateAttr(default=None)
    """Name and content of the game's file, if the game does not ship."""
    _left_out: tuple[str, ...] = PrivateAttr(default=())
    """Keys that were dropped, since the chosen method does not have them."""
    _renamed: dict[str, str] = PrivateAttr(default_factory=dict)
    """Old keys in the file or the changes, each with the current key."""

    @model_validator(mode="before")
    @classmethod
    def _choose_opponents(cls, content: Any) -> Any:
        """Fill in the game's default opponents if the recipe has none for checks."""
        if not isinstance(content, Mapping):
            return content
        check, game = content.get("check", {}), content.get("game", {})
        name = game.get("name", default_game()) if isinstance(game, Mapping) else None
        if isinstance(check, Mapping) and "opponents" not in check and name in game_names():
            return {**content, "check": {**check, "opponents": find_game(name).opponents}}
        return content

    @property
    def spec(self) -> GameSpec:
        """The specification of the game."""
        return _find_game(self.game)

    @property
    def kind(self) -> type[AnyMethod]:
        """The class of the method."""
        return find_method(str(self.method.get("name", "tournament")), self.spec.name)

    @property
    def remarks(self) -> list[str]:
        """Lines for the user: keys that were renamed, and settings that were dropped."""
        told = []
        if self._renamed:
            pairs = ", ".join(f"{new} (was {old})" for old, new in self._renamed.items())
            told.append(f"keys have new names: {pairs}")
        if self._left_out:
            name, keys = self.method["name"], ", ".join(self._left_out)
            told.append(f"left out, since method {name} does not have them: {keys}")
        return told

    def make_config(self, island: int | None = None) -> Config:
        """Return the method's settings, or those of the *island* with this number, from 0."""
        kind = self.kind
        content = self.method | {name: getattr(self, name) or {} for name in kind.sections}
        each = self.islands.each if self.islands and island is not None else ()
        if island is None or island >= len(each):
            return kind.config_type.model_validate(content)
        own = dict(each[island])
        for name in own.keys() & {*kind.sections}:
            own[name] = {**content[name], **own[name]}
        return _validate(kind.config_type, {**content, **own}, f"islands.each.{island + 1}.")

    def make_decoder(self) -> Decoder:
        """Return the decoder, which makes players of the run's genomes."""
        section = self.kind.network_section(self.spec, self.network)
        network = section.model_validate(self.network)
        return self.kind.make_decoder(self.make_game(), network, self.make_config())

    def make_playing(self, decoder: Any) -> Any:
        """Return the decoder of the champion: *decoder*, with the search of ``[search]``.

        Raises:
            BadValueError: The game has no search, or none over this kind of network.
        """
        if self.search is None:
            return decoder
        if not searches(decoder):
            raise BadValueError(f"search: there is none over what is bred in {self.spec.name}")
        return replace(decoder, depth=self.search.depth, rollouts=self.search.rollouts)

    def make_game(self) -> Any:
        """Return the game, with its options."""
        return self.spec.make(**{key: self.game[key] for key in self.game if key != "name"})

    def make_method(self) -> AnyMethod:
        """Return the method, with its settings."""
        decoder, numbers = self.make_decoder(), range(self.islands.count if self.islands else 0)
        configs = [self.make_config(number) for number in numbers] or [self.make_config()]
        self.make_playing(decoder)
        needed = sum(self.kind.estimate_bytes(config, decoder) for config in configs)
        check_bytes(needed, "a generation of this recipe")
        methods = [self.kind(config, decoder) for config in configs]
        if self.growth and self.growth.stages:
            if self.islands:
                raise BadValueError("growth and islands exclude each other: leave one out")
            stages = [self._make_stage(*each) for each in enumerate(self.growth.stages, 1)]
            return Growth(self.growth, [*stages, *methods])
        return Islands(self.islands, methods) if self.islands else methods[0]

    def _make_stage(self, number: int, stage: StageConfig) -> AnyMethod:
        """Return the method of a *stage* of growth, which has this *number*, from 1."""
        prefix, name = f"growth.stages.{number}.", stage.method.get("name", self.method["name"])
        kind = find_method(str(name), self.spec.name)
        shared = name == self.method["name"]  # else the stage has all keys of its own method
        content = self.method | stage.method if shared else stage.method
        own = {"matches": stage.matches}
        beside = {
            section: ((getattr(self, section) or {}) if shared else {}) | own.get(section, {})
            for section in kind.sections
        }
        config = _validate(kind.config_type, content | beside, f"{prefix}method.")
        section = kind.network_section(self.spec, self.network | stage.network)
        network = _validate(section, self.network | stage.network, f"{prefix}network.")
        decoder = kind.make_decoder(self.make_game(), network, config)
        check_bytes(
            kind.estimate_bytes(config, decoder), f"a generation of stage {number} of growth"
        )
        return kind(config, decoder)

    @property
    def programs(self) -> list[str]:
        """The opponents that run code."""
        game = self.spec.name
        return [text for text in self.check.opponents if runs_code(text, game)]

    @property
    def foreign_programs(self) -> list[str]:
        """The opponents that run code and are not trusted, since a file named them."""
        return [text for text in self.check.opponents if text in self._foreign]

    def trust(self) -> Recipe:
        """Return the recipe with permission for its opponents to run code."""
        trusted = self.model_copy()
        trusted._foreign = frozenset()
        return trusted

    def find_absent(self) -> list[str]:
        """Return the names of code that was registered when the run started, and is missing."""
        content = self.model_dump(include=set(EVOLVED))
        found = [text for text in list_texts(content) if isinstance(find_code(text), AbsentCode)]
        kinds = player_kinds(self.spec.name)
        return found + [
            text
            for text in self.check.opponents
            if NAME.fullmatch(text) and text not in kinds and not find_code(text)
        ]

    def make_opponents(self) -> list[Player]:
        """Return the opponents of checks, which the caller has to close.

        Raises:
            NotPermittedError: An opponent runs code without permission; see :meth:`trust`.
            RecipeError: A specification names no player.
        """
        game = self.make_decoder().game
        self.find_positions(game)
        made: list[Player] = []
        try:
            for text in self.check.opponents:
                made.append(make_player(text, game, self.check_permitted))
        except ArenaError as error:
            for player in made:
                player.close()
            if isinstance(error, NotPermittedError):
                raise
            raise RecipeError(f"check.opponents: {error}") from None
        for player, name in zip(made, distinct_names([p.name for p in made]), strict=True):
            player.name = name
        return made

    def find_positions(self, game: AnyGame) -> dict[str, Path]:
        """Return the files of positions of checks, by name.

        Args:
            game: The run's game.

        Raises:
            RecipeError: The game does not ship such positions.
        """
        if not self.check.positions:
            return {}
        own = {} if self._game_file else find_own_positions(game)
        for name in self.check.positions:
            if name not in own:
                known = ", ".join(own) or "none ship with this game and these options"
                raise RecipeError(f"check.positions: unknown positions {quote(name)} ({known})")
        return {name: own[name] for name in self.check.positions}

    def begin(self) -> Recipe:
        """Return the recipe of a new run, with an id and the numbers of checkpoints to keep."""
        now = {
            "id": secrets.token_hex(16),
            "keep_newest": self.run.keep_newest or KEEP_NEWEST,
            "keep_every": self.run.keep_every or KEEP_EVERY,
        }
        return self.with_run(**now)

    def with_run(self, **values: Any) -> Recipe:
        """Return the recipe with other values in ``[run]``, without validation."""
        return self.model_copy(update={"run": self.run.model_copy(update=values)})

    def steps_like(self, other: Recipe) -> bool:
        """Test whether runs of both recipes have the same populations, as far as both runs go.

        Populations do not depend on checks, checkpoints and the last generation.
        """
        one, two = (
            (
                recipe.model_dump(exclude={"title", "search", "check", "run"}),
                recipe.run.model_dump(include={"seed", "id", "start_from", "population"}),
            )
            for recipe in (self, other)
        )
        return one == two

    def breeds_like(self, other: Recipe) -> bool:
        """Test whether both recipes are equal but for ids, digests and kept checkpoints."""
        keys = "id", "keep_newest", "keep_every", "start_sha256"
        one, two = (recipe.with_run(**dict.fromkeys(keys)) for recipe in (self, other))
        one._left_out, one._renamed = two._left_out, two._renamed
        return one == two

    def check_permitted(self, text: str) -> None:
        """Make sure that the opponent *text* may run its code.

        Raises:
            NotPermittedError: A file named it, and the user did not permit it.
        """
        if text in self._foreign:
            whole = f"; read all {len(text):,} characters in the recipe" if len(text) > 150 else ""
            raise NotPermittedError(
                "check.opponents runs a program, which needs your word: --allow-process, or"
                f" allow_process=True in Python: {text[:150]}{whole}"
            )

    def files(self) -> dict[str, bytes]:
        """Return the files beside the recipe's, by path: its game, and code that it names.

        Raises:
            BadValueError: Two files of code have the same name.
        """
        found = {}
        if self._game_file:
            name, content = self._game_file
            found[f"{GAMES}/{name}"] = content
        named = [self.method, self.matches, self.variation, list(self.check.opponents)]
        return found | copy_code(named)

    def to_toml(self) -> str:
        """Return the content of the recipe's TOML file, which refers to :meth:`files` beside it."""
        content = self.model_dump(mode="json", exclude_none=True)
        if self._game_file:
            content["game"]["name"] = f"{GAMES}/{self._game_file[0]}"
        for key in WITH_CODE:
            if key in content:
                content[key] = unpin_code(content[key])
        return tomli_w.dumps(content)

    def change(self, changes: Settings) -> Recipe:
        """Return the recipe with other values, by dotted key: ``{"run.seed": 7}``.

        Raises:
            RecipeError: A key is unknown, or a value is out of range.
        """
        content = self.model_dump(mode="json", exclude_none=True)
        values = open_typed(changes)
        changed = _resolve_changed(content, values, spell("--set", "changes"))
        changed._foreign &= self._foreign
        if _with(content, values)["game"].get("name") == self.game["name"]:
            changed._game_file = self._game_file
        return changed.trust() if OPPONENTS_KEYS & changes.keys() else changed


def load_recipe(
    name: str, changes: Iterable[str] | Settings = (), permit: Permit = refuse_files
) -> Recipe:
    """Return the recipe that ships under *name*, or the one in the file *name*.

    Args:
        name: Name of a shipped recipe, or path of a ``.toml`` file. For a game, which is a file
            that is run, or one of OpenSpiel's, a default recipe is made.
        changes: Values by dotted key, or texts like ``run.generations=200``, that replace others.
        permit: Function that raises an error if a Python file that a recipe names may not be run.

    Raises:
        UnknownNameError: No recipe of that name, and no such file.
        RecipeError: The file, a key or a value is wrong.
        NotPermittedError: *permit* refuses a file.
    """
    values = dict(changes) if isinstance(changes, Mapping) else parse_changes(changes)
    typed = values.get("game.name")
    if isinstance(typed, str) and typed.endswith(FILE):
        open_game(typed)
        values["game.name"] = os.path.abspath(typed)  # and no file beside the recipe
    values = open_typed(values)
    if name.endswith(FILE):
        content, source = usual_recipe(open_game(name), values), name
        content["game"] = {"name": Path(name).name}
    elif name.startswith(SPIEL):
        content, source = usual_recipe(find_game(name), values), name
        content["game"] = {"name": name}
    else:
        content, source = _read(name)
    try:
        recipe = _resolve_changed(content, values, source, Path(source).parent, permit)
    except RecipeError as error:
        if UNKNOWN in str(error):
            _refuse_unknown_keys(content, values)
        raise
    return recipe.trust() if OPPONENTS_KEYS & values.keys() else recipe


def _refuse_unknown_keys(content: Settings, values: Settings) -> None:
    """Raise an error that suggests the right key for one in no section or in a wrong one."""
    sections = {name: part for name, part in content.items() if isinstance(part, dict)}
    # Keys of the file are the method's, unless another method was typed: then they fall away.
    named = () if "method.name" in values else OF_METHODS
    written = [f"{name}.{key}" for name in named for key in sections.get(name, {})]
    for key in (*values, *written):
        if key in RENAMED:  # was read, or the method has none such
            continue
        chosen = {name: values[name] for name in ("game.name", "method.name") if name in values}
        try:
            rest = _with({name: part for name, part in content.items() if name != key}, chosen)
            text = explain_key(key, list_keys(rest), key in values)
        except ArenaError:  # of which the first error tells
            return
        if text:
            raise RecipeError(text)


def usual_recipe(game: GameSpec, values: Settings) -> JsonObject:
    """Return the content of a *game*'s default recipe, for the method that *values* choose."""
    method = str(values.get("method.name", "tournament"))
    kernel, rules = game.kernel, game.game.rules_type()
    content: JsonObject = {"title": str(getattr(game.game, "title", game.name))}
    content["method"] = {"name": method}
    for section, values_there in copy.deepcopy(METHOD_DEFAULTS.get(method, {})).items():
        content[section] = {**content.get(section, {}), **values_there}
    plies = min(4, kernel.longest_opening(rules))
    if game.has_chance or game.most_seats > 2:  # then they play all deals
        for key in ("hall_of_fame", "opponents"):
            content.get("matches", {}).pop(key, None)
    if method in {"tournament", "neat"} and game.most_seats == 2 and plies:
        content["matches"]["openings"] = {"plies": plies, "count": 2}
    if method == "td-tuples" and plies:
        starts = {"random_starts": 0.8, "final_random_starts": 0.8, "start_plies": 2 * plies}
        content["method"]["schedule"] = starts
    if method == "neat":
        content["neat"] = dict(NEAT_DEFAULTS)
    if method == "td-tuples" and getattr(game.game(), "repeats_turns", bool)():
        content["network"] = {"turns": True}
    content["check"] = {"every": 10, "games": 400}
    if plies:
        content["check"]["opening_plies"] = plies // 2
    content["run"] = {"generations": 30, "checkpoint_every": 10}
    return content


def make_usual(game: GameSpec, values: Settings) -> Recipe:
    """Return the default recipe of a *game*, changed by *values* by dotted key.

    Raises:
        RecipeError: A value is wrong, or the method does not play the game.
    """
    content = {**usual_recipe(game, values), "game": {"name": game.name}}
    return _resolve_changed(content, values, game.name)


def parse_changes(changes: Iterable[str]) -> JsonObject:
    """Return values by dotted key, from texts like ``run.generations=200``.

    Raises:
        RecipeError: A text is not of that form.
    """
    values = {}
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals:
            raise RecipeError(
                f"{spell('--set', 'changes:')} {quote(change)}: write section.key=value"
            )
        values[key.strip()] = _parse_value(text.strip())
    return values


def read_recipe(path: Path, permit: Permit | None = None) -> Recipe:
    """Return the recipe of a run from its file; that of an older run keeps its meaning.

    The recipe was complete when the run began. So unknown code that it names was registered in
    Python; a stand-in takes its place, with which the run can be read.

    Args:
        path: The recipe's file in the run.
        permit: Function that raises an error if the game's file may not be run; none may if None.

    Raises:
        RecipeError: The file can't be read, or is wrong.
        NotPermittedError: The game is a Python file that may not be run.
    """
    content = _parse(path)
    for section, keys in BEFORE.items():
        if isinstance(content.get(section, {}), dict):
            content[section] = keys | content.get(section, {})
    for key, value in GONE.items():
        *sections, last = key.split(".")
        holder: Json = content
        for section in sections:
            holder = holder.get(section) if isinstance(holder, dict) else None
        if isinstance(holder, dict) and holder.get(last) == value:
            del holder[last]
    named = {
        text for key in EVOLVED for text in list_texts(content.get(key)) if NAME.fullmatch(text)
    }
    while True:
        try:
            recipe = _resolve(content, str(path), path.parent, permit or refuse_files)
            recipe._renamed = {}  # the file is the run's own
            return recipe
        except RecipeError as error:
            name = _find_unknown(error)
            if name not in named:
                raise _blame_version(error, path) from None
            named.remove(name)
            note_absent(name)


def _blame_version(error: RecipeError, path: Path) -> RecipeError:
    """Return an error that blames another version, or an edit, for a run's invalid recipe.

    If the game is missing, *error* is returned as it is.
    """
    told = str(error).removeprefix(f"{path}: ").partition(" (known: ")[0]
    if told.startswith(("unknown game ", "game.name ")):
        return error
    return RecipeError(
        f"{path}: another version of Evolve Arena made this run, or somebody edited it: {told}"
    )


def _find_unknown(error: BaseException | None) -> str | None:
    """Return the unknown name that caused an *error*; None if there is none."""
    while error is not None and not isinstance(error, UnknownNameError):
        error = error.__context__
    return None if error is None else error.name


def run_id(path: Path) -> str | None:
    """Return the id of the run whose recipe is the file *path*, if it has one."""
    run = _parse(path).get("run", {})
    return run.get("id") if isinstance(run, dict) else None


def recipe_names() -> list[str]:
    """Return the names of the recipes that ship with the package."""
    return sorted(recipe_files())


class RecipeSummary(NamedTuple):
    """Summary of a shipped recipe, from its file alone."""

    name: str
    title: str
    game: str
    method: str
    is_published: bool
    """True if it belongs to a published study."""

    @property
    def is_usual(self) -> bool:
        """True if it is its game's default recipe, which is named after the game."""
        return self.name == self.game


def describe_recipe(name: str) -> RecipeSummary:
    """Return the summary of a shipped recipe, without loading its game."""
    content = _read(name)[0]
    game = str(content.get("game", {}).get("name", default_game()))
    method = str(content.get("method", {}).get("name", "tournament"))
    published = name not in recipe_files(studies=False)
    return RecipeSummary(name, str(content.get("title", "")), game, method, published)


def read_content(name: str) -> JsonObject:
    """Return the content of the shipped recipe or the file *name*, without validation.

    Raises:
        ArenaError: There is no such recipe, or it can't be read.
    """
    return _read(name)[0]


def read_renamed(name: str) -> JsonObject:
    """Return the content as :func:`read_content` does, with current keys in place of old ones."""
    content = read_content(name)
    with suppress(ArenaError):  # its game or its method is not known here
        content = dict(_rename(content)[0])
    return content


def _read(name: str) -> tuple[JsonObject, str]:
    if name in (files := recipe_files()):
        return tomllib.loads(files[name].read_text("utf-8")), f"recipe {name}"
    path = Path(name)
    if path.suffix in {".toml", *recipe_readers()} or os.path.isfile(name):
        return _parse(path), str(path)
    raise UnknownNameError("recipe", name, recipe_names())


def _parse(path: Path) -> JsonObject:
    """Return the content of a TOML file, or of settings in JSON that a study can read."""
    reader = recipe_readers().get(path.suffix)
    try:
        text = read_file(path, LARGEST).decode("utf-8")
        return dict(load(reader)(json.loads(text))) if reader else _load_toml(text)
    except OSError as error:
        raise RecipeError(f"{path}: {explain_unread(error, path)}") from None
    except BadValueError as error:
        raise RecipeError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:  # no TOML or JSON, or not UTF-8
        raise RecipeError(f"{path} is no {'JSON' if reader else 'TOML'} file: {error}") from None


def _parse_value(text: str) -> Any:
    """Parse *text* as a TOML value; text that is not valid TOML is a string."""
    try:
        return _load_toml(f"value = {text}")["value"]
    except (ValueError, RecursionError):  # so are numbers of too many digits, and lists too deep
        return text


def _load_toml(text: str) -> JsonObject:
    """Parse *text* as TOML.

    Raises:
        ValueError: It is not valid TOML, or has a line with more than :data:`MAX_DOTS` dots.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MAX_DOTS:
            raise ValueError(f"more than {MAX_DOTS} dots in line {number}")
    return tomllib.loads(text)


def _put(content: JsonObject, key: str, value: Json) -> None:
    *sections, last = key.split(".")
    for section in sections:
        inner = content.setdefault(section, {})
        if not isinstance(inner, dict):
            raise RecipeError(f"{quote(key)}: {quote(section)} is a value, not a section")
        content = inner
    content[last] = value


def _with(content: JsonObject, values: Settings) -> JsonObject:
    """Return a copy of the *content* with these *values*, by dotted key."""
    changed = copy.deepcopy(content)
    for key, value in values.items():
        _put(changed, key, value)
    return changed


def _resolve(
    content: Settings,
    source: str,
    folder: Path = Path(),
    permit: Permit = refuse_files,
    typed: Collection[str] = (),
) -> Recipe:
    """Validate *content* as a recipe; if *typed* keys choose a method, drop keys of others."""
    try:
        _check_values(content, "", DEEPEST)
        content, file = _open_game_file(content, folder, permit)
        content = {
            key: pin_code(value, folder, permit) if key in WITH_CODE else value
            for key, value in content.items()
        }
        content, renamed = _rename(content, typed)
        recipe = _validate(Recipe, content, "")
        spec = recipe.spec
        rules: Any = spec.game.rules_type
        game = _validate(section_of_rules(spec.name, rules), recipe.game, "game.")
        kind = recipe.kind
        recipe = _drop_keys_of_others(recipe, kind, typed)
        section = kind.network_section(spec, recipe.network)
        network = _validate(section, recipe.network, "network.")
        update = {
            "game": game.model_dump(mode="json"),
            "network": network.model_dump(mode="json", exclude_none=True),
            **_resolve_method(recipe, kind),
        }
        recipe = recipe.model_copy(update=update)
        recipe.make_method()
        check_openings(recipe.make_game(), recipe.check.opening_plies, "check.opening_plies")
        recipe._renamed = renamed
        recipe._foreign = frozenset(recipe.programs)
        recipe._game_file = file
    except NotPermittedError:
        raise
    except ArenaError as error:
        raise RecipeError(f"{source}: {error}") from None
    return recipe


def _rename(content: Settings, typed: Collection[str] = ()) -> tuple[Settings, dict[str, str]]:
    """Return the *content* of a recipe with current keys, and the old keys that it had."""
    game, method = content.get("game", {}), content.get("method", {})
    if not isinstance(game, Mapping) or not isinstance(method, Mapping):
        return content, {}
    kind = find_method(str(method.get("name", "tournament")), _find_game(game).name)
    return rename_keys(content, kind.config_type, kind.sections, typed)


def _open_game_file(
    content: Settings, folder: Path, permit: Permit
) -> tuple[Settings, tuple[str, bytes] | None]:
    """Open the game's file, if any; return *content* with the game's name, and the file."""
    game = content.get("game", {})
    name = game.get("name") if isinstance(game, Mapping) else None
    if isinstance(name, str) and name.startswith(SPIEL):
        return {**content, "game": {**game, "name": find_game(name).name}}, None
    if not isinstance(name, str) or not name.endswith(FILE):
        return content, None
    path, source = read_beside(folder, name, f"game.name is {quote(name)}")
    if not is_open(source):
        permit(path, source, "game")
    spec = open_file(path, source)
    file = None if spec.name in shipped_games() else (path.name, source)
    return {**content, "game": {**game, "name": spec.name}}, file


def _check_values(content: Mapping[Any, Any], prefix: str, deepest: int) -> None:
    """Refuse values that are nested too deep, too large numbers, or no valid Unicode."""
    for key, value in content.items():
        place = f"{prefix}{key}"
        if isinstance(value, (Mapping, list, tuple)):
            if not deepest:
                raise BadValueError(f"{quote(place)} lies too deep: no key has so many parts")
            parts = value if isinstance(value, Mapping) else dict(enumerate(value))
            _check_values(parts, f"{place}.", deepest - 1)
        elif isinstance(value, int) and not -(2**63) <= value < 2**64:
            raise BadValueError(f"{place} is {quote(value)}: whole numbers have 64 bits at most")
        elif isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise BadValueError(f"{place} is {quote(value)}: it has bytes that are no letters")


def _find_game(content: Settings) -> GameSpec:
    """Return the game that the section ``[game]`` names; the default game if it names none."""
    return find_game(str(content.get("name", default_game())))


def _resolve_changed(
    content: JsonObject,
    values: Settings,
    source: str,
    folder: Path = Path(),
    permit: Permit = refuse_files,
) -> Recipe:
    """Return the recipe of this *content* with other *values*.

    If the values choose another method, settings that it does not have are dropped; if the rest is
    not a valid recipe, all settings of the old method are, but for its network if that helps. The
    title then names the new method. A
    value of the whole section ``[method]`` also removes ``[matches]`` and ``[variation]``.
    """
    if "method" in values:  # a whole method has its own matches and variation
        content = {
            key: part for key, part in content.items() if key not in {"matches", "variation"}
        }
    versions, game = [content], content.get("game", {})
    earlier: dict[str, str] = {}
    old = {key: content.get(key, {}) for key in OF_METHODS}
    is_whole = all(isinstance(part, dict) for part in (*old.values(), game))
    name = values.get("method.name")
    if name is not None and is_whole and name != old["method"].get("name", "tournament"):
        with suppress(ArenaError):  # a file that was not run yet
            renamed, earlier = _rename(content)
            content = dict(renamed)
            old = {key: content.get(key, {}) for key in OF_METHODS}
            usual = usual_recipe(_find_game(game), values)
            new = {key: usual[key] for key in OF_METHODS if key in usual}
            subject, colon, _ = str(content.get("title", "")).partition(":")
            content = {**content, "title": f"{subject if colon else usual['title']}: {name}"}
            rest = {key: value for key, value in content.items() if key not in OF_METHODS}
            merged = {key: {**part, **old[key]} for key, part in new.items()}
            content.pop("growth", None)  # its stages are smaller networks of the old method
            rest.pop("growth", None)
            network = {**new.get("network", {}), **old["network"]}
            versions = [
                {**content, **merged},
                {**rest, **new, "network": network},
                {**rest, **new},
            ]
    for version in versions:
        changed = _with(version, values)
        try:
            recipe = _resolve(changed, source, folder, permit, values)
        except RecipeError:
            if version is versions[-1]:
                raise
            continue
        recipe._renamed = earlier | recipe._renamed
        if version is not versions[0]:
            keys = [
                f"{section}.{key}"
                for section in OF_METHODS
                for key in content.get(section, {})
                if content[section] != version.get(section)
            ]
            gone = [key for key in keys if key not in {*values, "method.name"}]
            recipe._left_out = tuple(dict.fromkeys([*recipe._left_out, *gone]))
        return recipe
    raise AssertionError


def _drop_keys_of_others(recipe: Recipe, kind: type[AnyMethod], typed: Collection[str]) -> Recipe:
    """Return the recipe without keys of methods other than *kind*, if a *typed* key chose *kind*.

    Raises:
        RecipeError: Such a key was typed, or the method was not chosen by a typed key.
    """
    found = _find_keys_of_others(recipe, kind)
    kept = {".".join(key.split(".")[:2]) for key in typed}
    refused = {key: other for key, other in found.items() if key in kept}
    if "method.name" not in typed:
        refused = found
    if refused:
        (key, other), *more = refused.items()
        instead = kind.instead.get(RENAMED.get(key, key))
        raise RecipeError(
            f"{key} is a key of the method {other!r}, not of {kind.name!r}: "
            + (f"write {instead}" if instead else "leave it out")
            + (f" (and {len(more)} more)" if more else "")
        )
    left = {
        section: {k: v for k, v in content.items() if f"{section}.{k}" not in found}
        for section, content in _list_sections(recipe)
    }
    changed = recipe.model_copy(update=left)
    changed._left_out = tuple(found)
    if "method.name" in typed:
        for name in BESIDE:
            content = getattr(recipe, name)
            if content is not None and name not in kind.sections:
                left_out = (*changed._left_out, *(f"{name}.{key}" for key in content))
                changed = changed.model_copy(update={name: None})
                changed._left_out = tuple(dict.fromkeys(left_out))
    return changed


def _find_keys_of_others(recipe: Recipe, kind: type[AnyMethod]) -> dict[str, str]:
    """Return the keys that belong to other methods alone, each with one that has it."""
    found: dict[str, str] = {}
    if issubclass(kind, AbsentMethod):
        return found
    for section, content in _list_sections(recipe):
        own = _keys_of(kind, section, recipe.spec)
        for key in (key for key in content if key not in own):
            there, _, last = RENAMED.get(f"{section}.{key}", f"{section}.{key}").partition(".")
            others = [
                name
                for name, other in methods_of(recipe.spec.name).items()
                if key in _keys_of(other, section, recipe.spec)
                or last.partition(".")[0] in _keys_of(other, there, recipe.spec)
                or (section == "method" and key in other.config_type.old_keys)
            ]
            if others:
                found[f"{section}.{key}"] = others[0]
    return found


def _list_sections(recipe: Recipe) -> list[tuple[str, JsonObject]]:
    """Return the sections of *recipe* whose keys depend on the method, without ``[neat]``."""
    sections = [(name, getattr(recipe, name)) for name in OF_METHODS if name != "neat"]
    return [(name, content) for name, content in sections if content is not None]


def _keys_of(kind: type[AnyMethod], section: str, game: GameSpec) -> Collection[str]:
    """Return the keys of a method in one of its sections."""
    if section == "network":
        return kind.network_keys(game)
    model: type[BaseModel] | None = kind.config_type
    if section != "method":
        model = kind.find_section(section)
    fields = model.model_fields if model else {}
    return [name for name, field in fields.items() if not field.exclude]


def _resolve_method(recipe: Recipe, kind: type[AnyMethod]) -> JsonObject:
    """Return the validated section ``[method]``, and the other sections of its method."""
    for name in BESIDE:
        if getattr(recipe, name) is None or issubclass(kind, AbsentMethod):
            continue
        if name not in kind.sections:
            having = [
                repr(other)
                for other, each in methods_of(recipe.spec.name).items()
                if name in each.sections
            ]
            raise RecipeError(
                f"{name}: the method {kind.name!r} has no such section"
                f" (method.name = {' or '.join(having)} has)"
            )
    for name in kind.sections:
        if name in recipe.method:
            raise RecipeError(f"method.{name}: write [{name}], not a part of [method]")
    beside = {name: getattr(recipe, name) or {} for name in kind.sections}
    try:
        method = _validate(kind.config_type, {**recipe.method, **beside}, "method.")
    except RecipeError as error:
        raise RecipeError(_name_section(str(error), kind.sections)) from None
    parts = {"method": method, **{name: getattr(method, name) for name in kind.sections}}
    return {key: part.model_dump(mode="json", exclude_none=True) for key, part in parts.items()}


def _name_section(text: str, sections: Sequence[str]) -> str:
    """Return an error's *text* with keys of other sections without the prefix ``method``.

    >>> _name_section("method.matches.noise is 2", ["matches"])
    'matches.noise is 2'
    >>> _name_section("method.neat: elitism is 151", ["neat"])
    'neat.elitism is 151'
    """
    for name in sections:
        if text.startswith(f"method.{name}."):
            return text.removeprefix("method.")
        text = text.replace(f"method.{name}: ", f"{name}.", 1)
    return text


def _validate(model: type[Model], content: Settings, prefix: str) -> Model:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise RecipeError(explain(error, model, prefix)) from None
