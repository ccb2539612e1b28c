"""Runs, recipes and kept games for the page, ready for JSON; it runs in a worker."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from evolve_arena.arena.pairings import longest_opening
from evolve_arena.core.attribute_docs import read_helps
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, one_line
from evolve_arena.core.game import GameSpec, Option, options_of
from evolve_arena.core.registry import default_game, find_game, shipped_games
from evolve_arena.core.types import Json, JsonObject, Settings
from evolve_arena.evolve.settings.islands import IslandsConfig
from evolve_arena.players.player import distinct_names
from evolve_arena.players.specification import player_kinds
from evolve_arena.runs.plots.stack import REST, colour_species, stack_species
from evolve_arena.runs.recipes.code import list_texts
from evolve_arena.runs.recipes.recipe import (
    Recipe,
    describe_recipe,
    load_recipe,
    parse_changes,
    recipe_names,
    searches,
)
from evolve_arena.runs.recipes.sections import CheckConfig, RunConfig, SearchConfig, list_fields
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.kept_games import add_game, parse_games
from evolve_arena.runs.store.record import Record, blocks, read_file
from evolve_arena.runs.summary import summarise
from evolve_arena.web.rows import (
    check_files,
    describe_row,
    find_holder,
    find_time,
    is_file,
    list_champions,
    read_row,
    read_text,
    stamp_run,
    write_check,
    write_number,
)

DEEPEST = 3
"""Depth of folders, below the served one, in which runs are found."""
MAX_RUNS = 2000
MAX_SPECIES = 60
"""Number of species that are drawn separately; all others are drawn as one."""
MAX_MEETING = 12
OPENING_PLIES = 4
"""Number of random plies that open a game of two champions; without them all games are the same."""
PLAYED = "played.jsonl"
"""Name of the file in the folder with the games that people kept."""
GAME_FILES = {".jsonl", ".pdn"}
LARGEST_FILE = 1 << 24
MAX_GAMES = 2000
ORIGINS = frozenset({"start_from", "population", "start_sha256"})
"""Keys of ``[run]`` that name other runs, possibly outside the folder."""
FOREIGN = re.compile(r"\b(file|run|process)\s*:|\.py\b")
"""Names of things outside the recipe, in a changed value."""


class Desk:
    """Answers to questions about the runs in a folder.

    Args:
        folder: Directory of the runs.
    """

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    # --- Runs -----------------------------------------------------------------------------

    def find_runs(self) -> dict[str, JsonObject]:
        """Return the path, change stamp and state of each run; no run is opened."""
        return {
            name: {
                "path": str(path),
                "stamp": stamp_run(path),
                "updated": find_time(path),
                "running": bool(find_holder(path)),
            }
            for name, path in self._find_runs().items()
        }

    def read_row(self, path: str) -> JsonObject:
        """Return the list's row of the run at *path*, also of a damaged one."""
        return read_row(Path(path))

    def describe(self, run: str) -> JsonObject:
        """Return the facts of a run that change seldom, with the figures of ``evolve info``."""
        path = self._path(run)
        row = describe_row(run, path)
        found: JsonObject = {"row": row, "recipe": "", "summary": None, "trouble": ""}
        found |= {"plots": _list_pictures(path), "champions": list_champions(path)}
        try:
            check_files(path)
            found["recipe"] = read_text(path / "recipe.toml")
            opened = Run.open(path)
            summary = summarise(opened) if (path / "history.db").exists() else None
            found |= {"summary": _clean(summary), "network": _describe_network(opened)}
        except ArenaError as error:
            found["trouble"] = one_line(str(error), 400)
        return found

    def record(self, run: str) -> JsonObject:
        """Return the history of a run: columns of at most 250 numbers, checks, and species."""
        path = self._path(run)
        row = describe_row(run, path)
        trouble, record = "", Record(run, row["title"], {}, [])
        try:
            check_files(path)
            if (path / "history.db").exists():
                record = read_file(path / "history.db", run, row["title"])
        except ArenaError as error:  # damaged, or only just being made
            trouble = one_line(str(error), 400)
        return {"row": row, "trouble": trouble, **_write_record(record)}

    def find_plot(self, run: str, file: str) -> str:
        """Return the path of a picture of a run."""
        path = self._path(run)
        if file not in (names := _list_pictures(path)):
            raise UnknownNameError("picture", file, names)
        return str(path / "plots" / file)

    def stamp(self, run: str) -> list[Json]:
        """Return a stamp that changes when a run is written to, or its process ends."""
        path = self._path(run)
        return [stamp_run(path), find_holder(path)]

    def path_of(self, run: str) -> str:
        """Return the path of a run."""
        return str(self._path(run))

    def _find_runs(self) -> dict[str, Path]:
        """Return the runs below the folder, by relative path."""
        found: dict[str, Path] = {}
        waiting = [(self.folder, 0)]
        while waiting and len(found) < MAX_RUNS:
            folder, depth = waiting.pop(0)
            try:
                inner = [each for each in os.scandir(folder) if _is_folder(each)]
            except OSError:
                continue
            for entry in sorted(inner, key=lambda each: each.name):
                path = Path(entry.path)
                if is_file(path / "recipe.toml") and not (path / "history.db").is_symlink():
                    found[_clean(path.relative_to(self.folder).as_posix())] = path
                elif depth + 1 < DEEPEST:
                    waiting.append((path, depth + 1))
        return found

    def _path(self, run: str) -> Path:
        """Return the path of a run.

        Raises:
            UnknownNameError: There is no such run; names are looked up, never joined to paths.
        """
        runs = self._find_runs()
        if run not in runs:
            raise UnknownNameError("run", run, sorted(runs))
        return runs[run]

    # --- Recipes and players ----------------------------------------------------------------

    def list_recipes(self) -> list[JsonObject]:
        """Return the shipped recipes, with their titles."""
        usual = default_game()
        return [
            {"name": name, "title": describe_recipe(name).title, "usual": name == usual}
            for name in recipe_names()
        ]

    def read_form(self, recipe: str) -> JsonObject:
        """Return the keys of a shipped recipe, or of a run: values, types, ranges, meanings."""
        recipe = recipe or default_game()
        loaded = self._load(recipe, ())
        values = loaded.model_dump(mode="json")
        spec, kind = loaded.spec, loaded.kind
        helps = read_helps(spec.game.rules_type)
        fields = [
            _describe_option(f"game.{name}", option, values["game"].get(name), helps.get(name, ""))
            for name, option in options_of(spec.game.rules_type).items()
        ]
        sections: list[tuple[str, type[BaseModel]]] = [
            ("network", kind.network_section(spec, loaded.network)),
            ("method", kind.config_type),
            *((name, beside) for name in kind.sections if (beside := kind.find_section(name))),
        ]
        if kind.migrates:
            sections.append(("islands", IslandsConfig))
        if searches(loaded.make_decoder()):
            sections.append(("search", SearchConfig))
        sections += [("check", CheckConfig), ("run", RunConfig)]
        left_out: dict[str, Collection[str]] = {"islands": {"each"}, "run": ORIGINS}
        left_out["method"] = kind.sections
        for name, model in sections:
            fields += _describe_fields(name, model, values[name] or {}, left_out.get(name, ()))
        return {"recipe": recipe, "title": loaded.title, "game": spec.name, "fields": fields}

    def write_recipe(self, recipe: str, changes: list[str]) -> str:
        """Return the recipe with *changes*, as a TOML file, which the process of the run reads.

        So programs and games that it names need the user's permission, as in any file.
        """
        for key, value in parse_changes(changes).items():
            section, _, rest = key.partition(".")
            named = {rest} if rest else set(value) if isinstance(value, dict) else set()
            if (
                key in {"game", "game.name"}
                or (section == "run" and ORIGINS & named)
                or any(map(FOREIGN.search, list_texts(value)))
            ):
                raise BadValueError(
                    f"{key}: games, files, runs and programs can be named only at the terminal"
                    " (evolve start)"
                )
        return self._load(recipe, changes).to_toml()

    def check_free(self, run: str) -> str:
        """Return the path of a new run called *run*.

        Raises:
            BadValueError: The name is invalid, or is taken.
        """
        words = run.split("/")
        if not 1 <= len(words) <= DEEPEST or not all(map(_is_name, words)):
            raise BadValueError(f"{run!r:.60} is no valid name: use letters, digits, -, _, one /")
        path = self.folder.joinpath(*words)
        if os.path.lexists(path):
            raise BadValueError(f"{run} exists already: choose another name")
        return str(path)

    def list_players(self, game: str) -> JsonObject:
        """Return the players of a game: their kinds, and the default opponents."""
        spec = find_game(game)
        kinds = [
            {"form": kind.form, "summary": kind.summary}
            for name, kind in player_kinds(game).items()
            if not kind.runs_code and name not in {"human", "run", "file"}
        ]
        return {"kinds": kinds, "usual": _usual_players(spec)}

    def arrange_meeting(self, runs: list[str], others: list[str]) -> JsonObject:
        """Return the players of a round robin of the champions of *runs*, and its openings.

        ``champions`` maps each champion's name there to its run and generation.

        Args:
            runs: Two or more runs.
            others: External players: some of the game's default opponents.

        Raises:
            BadValueError: They play different games.
        """
        paths = [self._path(run) for run in dict.fromkeys(runs)]
        opened = [Run.open(path) for path in paths]
        specs = [run.recipe.spec for run in opened]
        if not 2 <= len(specs) <= MAX_MEETING:
            raise BadValueError(f"choose 2 to {MAX_MEETING} runs")
        spec = specs[0]
        if len(played := {each.name for each in specs}) > 1:
            raise BadValueError(f"they play different games: {', '.join(sorted(played))}")
        if unknown := set(others) - set(usual := _usual_players(spec)):
            raise UnknownNameError("player from outside", min(unknown), usual)
        openings = 0
        if spec.most_seats == 2 and not spec.has_chance:
            openings = min(OPENING_PLIES, longest_opening(opened[0].recipe.make_game()))
        generations = [run.champion.remarks.get("generation") for run in opened]
        at = [
            f"@{generation}" if generation in list_champions(path) else ""
            for path, generation in zip(paths, generations, strict=True)
        ]
        entered = [f"{path.name}{each}" for path, each in zip(paths, at, strict=True)]
        called = distinct_names([*entered, *dict.fromkeys(others)])
        return {
            "players": [
                *(f"run:{path}{each}" for path, each in zip(paths, at, strict=True)),
                *dict.fromkeys(others),
            ],
            "champions": {
                name: {"run": run, "generation": generation}
                for name, run, generation in zip(
                    called, dict.fromkeys(runs), generations, strict=False
                )
            },
            "openings": openings,
        }

    def list_games(self) -> list[JsonObject]:
        """Return the shipped games: their options, and numbers of players."""
        found = []
        for name in shipped_games():
            spec = find_game(name)
            known, usual = options_of(spec.game.rules_type), spec.make()
            options = [
                _describe_option(key, option, getattr(usual.rules, key))
                for key, option in known.items()
                if key != spec.seats_option
            ]
            seats = [usual.seats]
            if spec.seats_option:
                option = known[spec.seats_option]
                seats = list(option.values or range(option.lowest, option.highest + 1))
            title = str(getattr(spec.game, "title", name))
            row = {"name": name, "title": title, "usual": name == default_game()}
            found.append({**row, "options": options, "seats": seats})
        return found

    # --- Kept games ---------------------------------------------------------------------------

    def keep_game(self, line: str) -> str:
        """Append the *line* of a game to the folder's file of played games; return its name."""
        add_game(self.folder / PLAYED, line)
        return PLAYED

    def list_files(self) -> list[str]:
        """Return the files of games in the folder, or one below."""
        found = [*self.folder.glob("*"), *self.folder.glob("*/*")]
        names = [
            file.relative_to(self.folder).as_posix()
            for file in found
            if file.suffix in GAME_FILES and is_file(file) and not file.parent.is_symlink()
        ]
        return sorted(filter(_is_text, names))[:MAX_RUNS]

    def read_games(self, game: str, file: str = "", text: str = "") -> list[JsonObject]:
        """Return the games in a listed *file*, or in a *text*.

        Args:
            game: Name of a shipped game, whose notation a text is read in unless it is JSON lines.
            file: Path of a file as `list_files` gives it; *text* is ignored then.
            text: Games as JSON lines or in the game's usual notation.

        Raises:
            UnknownNameError: There is no such game, or no such file.
            BadValueError: The file is too large, or there are no moves.
            ArenaError: The text has no game, or an illegal move.
        """
        if file:
            if file not in (known := self.list_files()):
                raise UnknownNameError("file", file, known)
            path = self.folder / file
            if path.stat().st_size > LARGEST_FILE:
                raise BadValueError(f"{file} is larger than {LARGEST_FILE >> 20} MiB")
            text = path.read_bytes().decode("utf-8", "replace")
        if not text.strip():
            raise BadValueError("there are no moves")
        games = parse_games(text, find_game(game).make())
        return [asdict(each) for each in games[:MAX_GAMES]]

    def _load(self, recipe: str, changes: Sequence[str]) -> Recipe:
        """Load a shipped recipe, or that of a run; nothing else can be named."""
        if recipe in recipe_names():
            return load_recipe(recipe, changes)
        run = recipe.removeprefix("run:")
        if run == recipe:
            raise UnknownNameError("recipe", recipe, recipe_names())
        return load_recipe(str(self._path(run) / "recipe.toml"), changes)


def _usual_players(spec: GameSpec) -> list[str]:
    """Return the opponents of checks and evaluations of a game, and a random player."""
    return list(dict.fromkeys([*spec.opponents, *spec.ladder, "random"]))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")


def _is_text(name: str) -> bool:
    """Test whether a page can show the *name* of a file: its bytes may be no UTF-8."""
    return bool(_clean(name) == name)


def _list_pictures(run: Path) -> list[str]:
    folder = run / "plots"
    if folder.is_symlink():
        return []
    files = (file for file in folder.glob("*") if file.suffix in {".png", ".svg"})
    return sorted(file.name for file in files if is_file(file) and _is_text(file.name))


def _is_name(word: str) -> bool:
    return word.replace("-", "a").replace("_", "a").isalnum() and word.isascii() and len(word) < 80


def _write_record(record: Record) -> JsonObject:
    columns = {
        name: [write_number(value) for value in blocks(column).tolist()]
        for name, column in record.statistics.items()
    }
    return {
        "generations": record.generations,
        "statistics": columns,
        "learns": record.learns,
        "adapts": record.adapts,
        "checks": [write_check(check) for check in record.checks],
        "ratings": [
            {"generation": generation, "elo": each.elo, "low": low, "high": high}
            for generation, each in record.ratings.items()
            for low, high in [each.interval]
        ],
        "species": _write_species(record),
    }


def _write_species(record: Record) -> list[JsonObject]:
    """Return the species from the bottom of the picture to its top: number, colour, sizes."""
    stack = stack_species(record, MAX_SPECIES)
    numbers: list[int | None] = [*stack.species, None]
    return [
        {
            "number": number,
            "colour": "#" + bytes(round(255 * part) for part in colour).hex(),
            "sizes": [round(size, 2) for size in sizes],
        }
        for number, colour, sizes in zip(
            numbers, [*map(colour_species, stack.species), REST], stack.sizes.tolist(), strict=True
        )
        if any(sizes)
    ]


def _describe_network(run: Run) -> JsonObject:
    """Describe the networks of a run, in words and numbers."""
    decoder = run.method.decoder
    found: JsonObject = {}
    for name in ("head", "encoding", "hidden", "activation", "inputs", "outputs", "genes"):
        value = getattr(decoder, name, None)
        if isinstance(value, int | str | tuple | float):
            found[name] = value
    return found


def _clean(value: Json) -> Json:
    """Return *value* without numbers that JSON lacks, and without bytes that no text has."""
    if isinstance(value, Mapping):
        return {str(key): _clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return write_number(value) if isinstance(value, float) else value


# --- Forms ------------------------------------------------------------------------------------


def _describe_option(key: str, option: Option, value: Json, told: str = "") -> JsonObject:
    found = {"key": key, "value": value, "type": "integer", "help": told}
    if option.values:
        return {**found, "type": "choice", "choices": list(option.values)}
    return {**found, "lowest": option.lowest, "highest": option.highest}


def _describe_fields(
    section: str, model: type[BaseModel], values: Settings, left_out: Collection[str]
) -> Iterator[JsonObject]:
    """Yield an entry for each key of a *section* and of nested sections, except *left_out*."""
    for key, field, told in list_fields(model, f"{section}."):
        _, name, *_ = places = key.split(".")
        value: Json = values
        for place in places[1:]:
            value = (value or {}).get(place)
        if name not in left_out and places[-1] != "id":
            yield {"key": key, "value": value, "help": told} | _describe_type(field, value)


def _describe_type(field: FieldInfo, value: Json) -> JsonObject:
    annotation = field.annotation
    options = [each for each in get_args(annotation) if each is not type(None)]
    if (
        get_origin(annotation) is not Literal
        and len(options) == 1
        and type(None) in get_args(annotation)
    ):
        annotation = options[0]
    if get_origin(annotation) is Literal:
        return {"type": "choice", "choices": list(get_args(annotation))}
    kinds = {bool: "switch", int: "integer", float: "number", str: "text"}
    kind = kinds.get(annotation) if isinstance(annotation, type) else None
    found: JsonObject = {"type": kind or ("list" if _is_list(value) else "text")}
    for limit in field.metadata:
        for name, key in (("ge", "lowest"), ("gt", "above"), ("le", "highest"), ("lt", "below")):
            if getattr(limit, name, None) is not None:
                found[key] = getattr(limit, name)
    return found


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)
