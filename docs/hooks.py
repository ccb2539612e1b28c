"""What of the documentation is not written by hand, for MkDocs.

A line ``<!-- generated: NAME -->`` of a page is replaced by what the function of that name in
:data:`GENERATED` gives. Pages that lie at the top of the repository become pages of the site, and
notebooks are executed.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import tempfile
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from pydantic import BaseModel
from pydantic.fields import FieldInfo

ROOT = Path(__file__).resolve().parent.parent
FROM_TOP = {
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
}
"""Pages of the site, by their path there, that lie at the top of the repository."""
MARK = re.compile(r"^<!-- generated: (\w+) -->$", re.M)
ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):(?=`)")
"""Roles of reStructuredText, which docstrings may have."""
KINDS = {int: "whole number", float: "number", str: "text", bool: "`true` or `false`"}
FEW_LETTERS = 30
"""A table whose last column has longer texts than this gives them room, also on a small screen."""
BOUNDS = {"ge": "from {}", "gt": "above {}", "le": "to {}", "lt": "below {}"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that lie elsewhere, and executes notebooks."""
    for uri, name in FROM_TOP.items():
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        files.append(File.generated(config, uri, content=text))
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        files.remove(file)
        for uri, content in execute_notebook(Path(str(file.abs_src_path)), file.src_uri):
            files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fills in what is generated; links to notebooks lead to the pages that are made of them."""

    def fill(found: re.Match[str]) -> str:
        if found[1] not in GENERATED:
            raise PluginError(f"docs/hooks.py generates no {found[1]!r}: {', '.join(GENERATED)}")
        return GENERATED[found[1]]()

    return MARK.sub(fill, markdown).replace(".ipynb)", ".md)")


def execute_notebook(path: Path, uri: str) -> Iterator[tuple[str, str | bytes]]:
    """The page that a notebook makes when it is run in an empty folder, and its pictures."""
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import MarkdownExporter

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    folder = tempfile.mkdtemp()
    try:
        NotebookClient(
            notebook,
            timeout=600,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--log-level=ERROR"],
        ).execute()
    finally:
        shutil.rmtree(folder)
    stem = path.stem
    text, resources = MarkdownExporter().from_notebook_node(
        notebook, {"unique_key": stem, "output_files_dir": f"{stem}_files"}
    )
    folder_uri = uri.rpartition("/")[0]
    yield uri.removesuffix(".ipynb") + ".md", text
    for name, content in resources["outputs"].items():
        yield f"{folder_uri}/{name}", content


# --- Tables -----------------------------------------------------------------------------------


def write_table(headers: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    lines = [list(headers), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    cleaned = ([" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines)
    table = "\n".join(f"| {' | '.join(line)} |" for line in cleaned) + "\n"
    kind = "sentences" if any(len(line[-1]) > FEW_LETTERS for line in lines) else "figures"
    return f'<div class="{kind}" markdown>\n\n{table}\n</div>\n'


def write_sentence(text: str) -> str:
    """A text of a docstring in Markdown."""
    text = ROLE.sub("", text).replace("``", "`")
    return re.sub(r"`evolve_arena(?:\.\w+)+\.(\w+)`", r"`\1`", text)


# --- Recipes ----------------------------------------------------------------------------------


def list_keys(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, Any, str]]:
    """The keys of a section and of those inside: dotted key, field, sentence."""
    from evolve_arena.core.sentences import read_helps

    helps = read_helps(model)
    for name, field in model.model_fields.items():
        inner = find_section(field.annotation)
        if inner is not None and not field.exclude:
            yield from list_keys(inner, f"{prefix}{name}.")
        elif inner is None:
            yield prefix + name, field, field.description or helps.get(name, "")


def find_section(annotation: Any) -> type[BaseModel] | None:
    """The section that a key holds, if it holds one; an operator is a value."""
    from evolve_arena.evolve.operators import Operator

    for each in (annotation, *get_args(annotation)):
        if isinstance(each, type) and issubclass(each, BaseModel) and each is not Operator:
            return each
    return None


def describe_type(annotation: Any, metadata: Iterable[Any] = ()) -> str:
    """A type and its range in words."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return describe_type(arguments[0], [*arguments[1:], *metadata])
    if origin is Literal:
        return " or ".join(f"`{json.dumps(value)}`" for value in arguments)
    if origin in {Union, types.UnionType}:
        inner = [each for each in arguments if each is not type(None)]
        left_out = ", or left out" if type(None) in arguments else ""
        return " or ".join(describe_type(each, metadata) for each in inner) + left_out
    if origin is tuple:
        return f"list: {describe_type(arguments[0])}"
    words = [KINDS.get(annotation, "text or table")]
    for limit in metadata:
        for name, text in BOUNDS.items():
            if (bound := getattr(limit, name, None)) is not None:
                whole = isinstance(bound, int) or bound == int(bound)
                shown = f"{int(bound):,}" if whole else f"{bound:g}"
                words.append(text.format(shown))
        if pattern := getattr(limit, "pattern", None):
            words.append(f"like `{pattern}`")
    return " ".join(words)


def write_value(value: Any) -> str:
    """A default as a recipe would have it."""
    if value is None:
        return "left out"
    if isinstance(value, BaseModel):
        content = value.model_dump(mode="json")
        value = content["name"] if list(content) == ["name"] else content
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def write_default(field: FieldInfo) -> str:
    """What a key is if it is left out, or that it must not be."""
    if field.is_required():
        return "must be given"
    return f"default {write_value(field.get_default(call_default_factory=True))}"


def write_keys(model: type[BaseModel], prefix: str) -> str:
    """The table of a section's keys."""
    return write_table(
        ("key", "value", "what it means"),
        (
            (
                f"`{key}`",
                f"{describe_type(field.annotation, field.metadata)};<br>{write_default(field)}",
                write_sentence(sentence),
            )
            for key, field, sentence in list_keys(model, prefix)
            if not key.endswith(".name") or "Which method" not in sentence
        ),
    )


def find_method_sections() -> dict[str, tuple[type[Any], list[str]]]:
    """The methods by name: the class, and which games it plays."""
    from evolve_arena.core.registry import shipped_games
    from evolve_arena.runs.methods import methods_of

    found: dict[str, tuple[type[Any], list[str]]] = {}
    for game in sorted(shipped_games()):
        for name, method in methods_of(game).items():
            found.setdefault(name, (method, []))[1].append(game)
    return found


def list_networks() -> dict[tuple[str, str], tuple[type[BaseModel], list[str], list[str]]]:
    """The sections ``[network]`` that differ, by kind and content: section, games, methods."""
    from evolve_arena.core.registry import find_game

    found: dict[tuple[str, str], tuple[type[BaseModel], list[str], list[str]]] = {}
    for method_name, (method, games) in find_method_sections().items():
        for game in games:
            for kind in method.networks(find_game(game)):
                section = method.network_section(find_game(game), {"kind": kind})
                place = found.setdefault((kind, write_keys(section, "")), (section, [], []))
                place[1].extend([game] if game not in place[1] else [])
                place[2].extend([method_name] if method_name not in place[2] else [])
    return found


def write_game_keys() -> str:
    """``[game]``: the options of each game."""
    from evolve_arena.core.game import Option
    from evolve_arena.core.registry import find_game, shipped_games
    from evolve_arena.core.sentences import read_helps

    rows = []
    for name in sorted(shipped_games()):
        rules = find_game(name).game.rules_type
        helps = read_helps(rules)
        for key, hint in get_type_hints(rules, include_extras=True).items():
            options = [each for each in get_args(hint)[1:] if isinstance(each, Option)]
            option = options[0] if options else Option()
            values = sorted(option.values or range(option.lowest, option.highest + 1))
            several = len(values) > 2 and values[-1] - values[0] == len(values) - 1
            span = f"{values[0]} to {values[-1]}" if several else " or ".join(map(str, values))
            default = str(rules._field_defaults[key])
            rows.append((f"`{name}`", f"`game.{key}`", span, default, write_sentence(helps[key])))
    return write_table(("game", "key", "value", "default", "what it means"), rows)


def write_network_keys() -> str:
    """``[network]``: each kind of network."""
    parts = []
    for (kind, _), (section, games, methods) in list_networks().items():
        who = f"For {', '.join(f'`{name}`' for name in games)}; "
        who += f"methods: {', '.join(f'`{name}`' for name in methods)}."
        title = f"### `{kind}` in {games[0]}"
        if len(games) > 1:
            title += f" and {len(games) - 1} other games" if len(games) > 2 else f" and {games[1]}"
        if methods[0] not in ("tournament", "neat", "td-tuples"):
            title += f", method {methods[0]}"
        parts.append(f"{title}\n\n{who}\n\n{write_keys(section, 'network.')}")
    return "\n".join(parts)


def write_method_keys() -> str:
    """``[method]``: each method."""
    parts = []
    for name, (method, games) in find_method_sections().items():
        about = write_sentence(str(method.__doc__).strip().partition("\n")[0])
        if "Raises" in about:
            about = ""
        parts.append(
            f'### `method.name = "{name}"`\n\n{about} It plays {", ".join(games)}.\n\n'
            + write_keys(method.config_type, "method.")
        )
    return "\n".join(parts)


def write_section(place: str) -> Callable[[], str]:
    """The table of a section that is the same for all recipes."""

    def write() -> str:
        from evolve_arena.evolve.islands import IslandsConfig
        from evolve_arena.genomes.neat.config import NeatConfig
        from evolve_arena.runs.recipe import CheckConfig, RunConfig

        models = {
            "neat": NeatConfig,
            "islands": IslandsConfig,
            "check": CheckConfig,
            "run": RunConfig,
        }
        return write_keys(models[place], f"{place}.")

    return write


def write_recipes() -> str:
    """The recipes that ship."""
    from evolve_arena.runs.recipe import load_recipe, recipe_names, recipe_summary

    rows = []
    for name in recipe_names():
        recipe = load_recipe(name)
        method, game = recipe.method.get("name", ""), recipe.game["name"]
        rows.append((f"`{name}`", str(game), f"`{method}`", recipe_summary(name)))
    return write_table(("recipe", "game", "method", "what it breeds"), rows)


# --- Games, players, commands, Python ---------------------------------------------------------


def write_games() -> str:
    """The games that ship."""
    from evolve_arena.core.registry import find_game, shipped_games

    rows = []
    for name in sorted(shipped_games()):
        spec = find_game(name)
        about = str(spec.game.__doc__ or "").strip().partition("\n")[0]
        networks = ", ".join(f"`{kind}`" for kind in spec.networks)
        seats = "2" if spec.most_seats == 2 else f"2 to {spec.most_seats}"
        rows.append((f"`{name}`", seats, networks, spec.make().describe(), write_sentence(about)))
    return write_table(("game", "seats", "networks", "the usual board", "about"), rows)


def write_players() -> str:
    """Who can be named, as ``evolve players`` tells it."""
    from evolve_arena.core.registry import shipped_games
    from evolve_arena.runs.players import list_players

    every = set(shipped_games())
    return write_table(
        ("write", "who that is", "plays"),
        (
            (
                f"`{form}`",
                write_sentence(summary),
                "all" if every <= set(games) else ", ".join(games),
            )
            for form, (summary, games) in list_players().items()
        ),
    )


def write_commands() -> str:
    """Each command with what it takes, from the command line itself."""
    import typer

    from evolve_arena.runs.commands import app

    return "\n".join(_write_command(typer.main.get_command(app), "evolve"))


def _write_command(command: Any, path: str) -> Iterator[str]:
    inner = getattr(command, "commands", {})
    if not inner:
        usage = command.get_usage(_context(command, path)).partition("Usage: ")[2]
        yield f"## `{path}`\n\n{write_help(command.help)}\n\n```text\n{usage}\n```\n"
        rows = [row for row in map(_describe_parameter, command.params) if row]
        if rows:
            yield write_table(("argument or option", "default", "what it does"), rows)
    for name, each in inner.items():
        yield from _write_command(each, f"{path} {name}")


def _context(command: Any, path: str) -> Any:
    import typer

    return typer.Context(command, info_name=path)


def write_help(text: str | None) -> str:
    """A help text, of which the terminal shows all paragraphs."""
    return write_sentence((text or "").partition("\f")[0].strip()).replace("<", "&lt;")


def _describe_parameter(parameter: Any) -> tuple[str, str, str] | None:
    if parameter.name == "help" or getattr(parameter, "hidden", False):
        return None
    names = [*parameter.opts, *parameter.secondary_opts]
    metavar = parameter.metavar or ""
    kind = getattr(parameter.type_descriptor, "annotation", None)
    if not names[0].startswith("-"):
        names = [metavar or names[0].upper()]
    elif not getattr(parameter, "is_flag", False):
        plain = {int: "NUMBER", float: "NUMBER", Path: "PATH"}
        names[-1] += f" {metavar or plain.get(kind, 'TEXT')}"  # type: ignore[arg-type]
    default = parameter.default
    shown = "" if default in (None, False, [], ()) or callable(default) else f"`{default}`"
    if parameter.required:
        shown = "needed"
    span = [
        text.format(bound)
        for text, bound in (("from {}", parameter.min), ("to {}", parameter.max))
        if bound is not None
    ]
    about = write_help(getattr(parameter, "help", "")) + (f" ({' '.join(span)})" if span else "")
    return ", ".join(f"`{name}`" for name in names), shown, about


def write_python() -> str:
    """The names of the package, each by its docstring."""
    import evolve_arena

    return "\n\n".join(
        f"::: evolve_arena.{name}" for name in sorted(evolve_arena.__all__, key=str.lower)
    )


def write_dialects() -> str:
    """What programs are told before their first move, by each kind of host."""
    from evolve_arena.core.registry import find_game, shipped_games

    texts: dict[tuple[Any, ...], tuple[str, list[str]]] = {}
    for name in sorted(shipped_games()):
        game = find_game(name).make()
        for title, dialect in find_game(name).dialects.items():
            told = dialect.greet(game, 0, dialect.limits)
            told += dialect.show(game.initial()) + dialect.ask(
                dialect.limits.time_bank, dialect.limits
            )
            key = (type(dialect), title)
            text = (
                f"The program answers with {dialect.answer}. It has {dialect.limits.time_bank:,} ms"
                f" for its first move, and each move adds {dialect.limits.per_move:,} ms; unused"
                f" time is saved, up to the first number.\n\nIn `{name}` it is told first:\n\n"
                f"```text\n{told}```\n"
            )
            if dialect.farewell:
                text += f"\nAfter the game it is told `{dialect.farewell.strip()}`.\n"
            texts.setdefault(key, (text, []))[1].append(name)
    return "\n".join(
        f"### {title}: {', '.join(games)}\n\n{text}" for (_, title), (text, games) in texts.items()
    )


# --- Statistics -------------------------------------------------------------------------------


def write_intervals() -> str:
    """The 95 % interval of a share, by how many games it is of."""
    from evolve_arena.arena.statistics import elo_difference, wilson_interval

    shares = (0.5, 0.7, 0.9, 0.99)
    rows = []
    for games in (20, 50, 100, 400, 1000, 4000, 10_000):
        cells = []
        for share in shares:
            low, high = wilson_interval(share * games, games)
            cells.append(f"{low:.3f} to {high:.3f}")
        low, high = (elo_difference(end) for end in wilson_interval(games / 2, games))
        rows.append((f"{games:,}", *cells, f"{low:+.0f} to {high:+.0f}"))
    return write_table(("games", *(f"share {share}" for share in shares), "Elo, share 0.5"), rows)


def write_differences() -> str:
    """How many games each of two players needs until a difference of their shares can be seen."""
    from scipy.stats import norm

    rows, level, power = [], norm.ppf(0.975), norm.ppf(0.8)
    for difference in (0.2, 0.1, 0.05, 0.02, 0.01):
        cells = []
        for share in (0.5, 0.7, 0.9):
            other = min(share + difference, 1.0)
            spread = share * (1 - share) + other * (1 - other)
            games = math.ceil((level + power) ** 2 * spread / difference**2)
            cells.append(f"{games:,}" if share + difference <= 1 else "")
        rows.append((f"{difference}", *cells))
    return write_table(("difference", "from 0.5", "from 0.7", "from 0.9"), rows)


def write_best_of() -> str:
    """The best of some checks of a player that does not change, on average."""
    import numpy as np
    from scipy.stats import binom

    rows = []
    for checks in (1, 10, 50, 200):
        cells = []
        for games in (100, 400, 1000):
            below = binom.cdf(np.arange(games), games, 0.9) ** checks
            cells.append(f"{(games - below.sum()) / games:.3f}")
        rows.append((str(checks), *cells))
    return write_table(("checks", "100 games each", "400 games each", "1000 games each"), rows)


GENERATED: dict[str, Callable[[], str]] = {
    "best_of": write_best_of,
    "check_keys": write_section("check"),
    "islands_keys": write_section("islands"),
    "commands": write_commands,
    "dialects": write_dialects,
    "differences": write_differences,
    "game_keys": write_game_keys,
    "games": write_games,
    "intervals": write_intervals,
    "method_keys": write_method_keys,
    "neat_keys": write_section("neat"),
    "network_keys": write_network_keys,
    "players": write_players,
    "python": write_python,
    "recipes": write_recipes,
    "run_keys": write_section("run"),
}
