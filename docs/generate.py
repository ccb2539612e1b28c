"""Generate the parts of the documentation that follow from the code: ``python -m docs.generate``.

Such a part stands between two lines of a page, ``<!-- generated: NAME -->`` and ``<!-- end -->``,
and the function of that name in :data:`GENERATED` returns its text. The pages are stored with these
parts, so that they can be read beside the sources; with ``--check`` nothing is written, and the
exit code is 1 if a page is out of date.
"""

from __future__ import annotations

import ast
import importlib
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from evolve_arena.cli.recipe_texts import write_sentence
from evolve_arena.core import registry
from evolve_arena.core.attribute_docs import read_docs

if TYPE_CHECKING:
    from click import Command
    from typer.core import TyperArgument, TyperOption

    from evolve_arena.evolve.method import Method
    from evolve_arena.players.dialects import Dialect

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PART = re.compile(r"^<!-- generated: (\w+) -->\n(.*?)^<!-- end -->$", re.M | re.S)
EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.M | re.S)
TITLES = {"Args": "Parameters"}
WIDEST = 80
"""Columns of a line of code."""


def main() -> None:
    """Write all pages, or with ``--check`` name those that are out of date."""
    registry.installed_places = lambda group: {}  # type: ignore[assignment]  # same everywhere
    stale = []
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text("utf-8")
        whole = fill(text)
        if whole != text:
            stale.append(page.relative_to(ROOT).as_posix())
            if "--check" not in sys.argv:
                page.write_text(whole, "utf-8", newline="\n")
    if "--check" in sys.argv and stale:
        sys.exit(f"out of date: {', '.join(stale)}; renew them with python -m docs.generate")
    for page in stale:
        print(page)


def fill(text: str) -> str:
    """Return the *text* of a page with its generated parts renewed."""

    def write(found: re.Match[str]) -> str:
        if found[1] not in GENERATED:
            sys.exit(f"docs/generate.py has no {found[1]!r}: {', '.join(GENERATED)}")
        return f"<!-- generated: {found[1]} -->\n\n{GENERATED[found[1]]().strip()}\n\n<!-- end -->"

    return PART.sub(write, text)


# --- Tables -----------------------------------------------------------------------------------


def write_table(headers: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    lines = [list(headers), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    cleaned = ([" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cleaned) + "\n"


# --- Recipes ----------------------------------------------------------------------------------


def write_keys(model: type[BaseModel], prefix: str) -> str:
    """Return the table of a section's keys."""
    from evolve_arena.cli.recipe_texts import describe_section

    return write_table(
        ("key", "value", "meaning"),
        (
            (
                f"`{text.key}`",
                f"{text.values};<br>{_write_default(text.default)}",
                text.meaning,
            )
            for text in describe_section(model, prefix)
            if text.key != "method.name"
        ),
    )


def _write_default(default: str) -> str:
    if not default:
        return "must be given"
    return "default left out" if default == "left out" else f"default `{default}`"


def find_method_sections() -> dict[type[Method[Any]], tuple[str, list[str]]]:
    """Return the methods by class, each with its name and its games."""
    from evolve_arena.core.registry import shipped_games
    from evolve_arena.runs.recipes.methods import methods_of

    found: dict[type[Method[Any]], tuple[str, list[str]]] = {}
    for game in sorted(shipped_games()):
        for name, method in methods_of(game).items():
            if not method.__module__.startswith("evolve_arena."):  # of an installed package
                continue
            found.setdefault(method, (name, []))[1].append(game)
    return found


def list_networks() -> dict[tuple[str, str], tuple[type[BaseModel], list[str], list[str]]]:
    """Return the different sections ``[network]``, by kind and content: section, games, methods."""
    from evolve_arena.core.registry import find_game

    found: dict[tuple[str, str], tuple[type[BaseModel], list[str], list[str]]] = {}
    for method, (method_name, games) in find_method_sections().items():
        for game in games:
            for kind in method.networks(find_game(game)):
                section = method.network_section(find_game(game), {"kind": kind})
                place = found.setdefault((kind, write_keys(section, "")), (section, [], []))
                place[1].extend([game] if game not in place[1] else [])
                place[2].extend([method_name] if method_name not in place[2] else [])
    return found


def write_game_keys() -> str:
    """Return the table of ``[game]``: the options of each game."""
    from evolve_arena.cli.recipe_texts import describe_game
    from evolve_arena.core.registry import find_game, shipped_games

    rows = []
    for name in sorted(shipped_games()):
        for text in describe_game(find_game(name)):
            rows.append((f"`{name}`", f"`{text.key}`", *text[1:]))
    return write_table(("game", "key", "value", "default", "meaning"), rows)


def write_network_keys() -> str:
    """Return the tables of ``[network]``, one for each kind of network."""
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
    """Return the tables of ``[method]``, one for each method."""
    parts = []
    sections = find_method_sections()
    names = [name for name, _ in sections.values()]
    for method, (name, games) in sections.items():
        about = write_sentence(str(method.__doc__).strip().partition("\n")[0])
        if "Raises" in about:
            about = ""
        place = f" in {games[0]}" if names.count(name) > 1 and len(games) == 1 else ""
        parts.append(
            f'### `method.name = "{name}"`{place}\n\n{about} It plays {", ".join(games)}.\n\n'
            + "\n".join(
                write_keys(model, f"{section}.")
                for section, model in list_sections(method)
                if section != "neat"  # has a table of its own
            )
        )
    return "\n".join(parts)


def list_sections(method: type[Any]) -> list[tuple[str, type[BaseModel]]]:
    """List the sections of a method: ``[method]``, and those beside it."""
    beside = [(section, method.find_section(section)) for section in method.sections]
    return [("method", method.config_type), *beside]


def write_section(place: str) -> Callable[[], str]:
    """Return a function that writes the table of a section common to all recipes."""

    def write() -> str:
        from evolve_arena.evolve.settings.growth import StageConfig
        from evolve_arena.evolve.settings.islands import IslandsConfig
        from evolve_arena.genomes.neat.config import NeatConfig
        from evolve_arena.runs.recipes.sections import CheckConfig, RunConfig, SearchConfig

        models = {
            "neat": NeatConfig,
            "islands": IslandsConfig,
            "growth.stages": StageConfig,
            "search": SearchConfig,
            "check": CheckConfig,
            "run": RunConfig,
        }
        return write_keys(models[place], f"{place}.")

    return write


def write_recipes() -> str:
    """Return the table of the recipes that ship."""
    from evolve_arena.runs.recipes.recipe import describe_recipe, load_recipe, recipe_names

    rows = []
    for name in recipe_names():
        recipe = load_recipe(name)
        method, game = recipe.method.get("name", ""), recipe.game["name"]
        rows.append((f"`{name}`", str(game), f"`{method}`", describe_recipe(name).title))
    return write_table(("recipe", "game", "method", "title"), rows)


# --- Games, players, commands, Python ---------------------------------------------------------


def write_games() -> str:
    """Return the table of the games that ship."""
    from evolve_arena.core.registry import find_game, shipped_games

    rows = []
    for name in sorted(shipped_games()):
        spec = find_game(name)
        about = str(spec.game.__doc__ or "").strip().partition("\n")[0]
        networks = ", ".join(f"`{kind}`" for kind in spec.networks)
        seats = "2" if spec.most_seats == 2 else f"2 to {spec.most_seats}"
        rows.append((f"`{name}`", seats, networks, spec.make().describe(), write_sentence(about)))
    return write_table(("game", "seats", "networks", "default board", "description"), rows)


def write_abilities() -> str:
    """Return a table of features by game, with the reasons why some games lack them."""
    from evolve_arena.cli.abilities import list_abilities
    from evolve_arena.core.registry import shipped_games

    games = sorted(shipped_games())
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for game in games:
        for kind, name, reason in list_abilities(game):
            found.setdefault((kind, name), {}).setdefault(reason, []).append(game)
    rows = []
    for (kind, name), reasons in found.items():
        able = reasons.pop("", [])
        others = [game for each in reasons.values() for game in each]
        told = ", ".join(able) or "none"
        if len(able) + len(others) < len(games):
            rows.append((f"{kind} `{name}`", told, "only there"))
            continue
        if len(able) > len(others):
            told = f"all but {', '.join(sorted(others))}" if others else "all"
        why = "; ".join(f"{', '.join(able)}: {reason}" for reason, able in reasons.items())
        rows.append((f"{kind} `{name}`", told, write_sentence(why)))
    return write_table(("feature", "available in", "not available in, and why"), rows)


def write_players() -> str:
    """Return a table of the players' names, as in ``evolve list players``."""
    from evolve_arena.core.registry import shipped_games
    from evolve_arena.runs.players import list_players

    every = set(shipped_games())
    return write_table(
        ("name", "description", "games"),
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
    """Return each command with its arguments and options, from the command line itself."""
    import typer

    from evolve_arena.cli.app import app

    return "\n".join(_write_command(typer.main.get_command(app), "evolve"))


def _write_command(command: Command, path: str) -> Iterator[str]:
    inner = getattr(command, "commands", {})
    if not inner:
        names = [str(each.metavar) for each in command.params if each.param_type_name == "argument"]
        usage = " ".join([path, *names, "[OPTIONS]"])
        yield f"## `{path}`\n\n{write_help(command.help)}\n\n```text\n{usage}\n```\n"
        rows = [row for row in map(_describe_parameter, command.params) if row]
        if rows:
            yield write_table(("argument or option", "default", "description"), rows)
    for name, each in inner.items():
        if not each.hidden:
            yield from _write_command(each, f"{path} {name}")


def write_help(text: str | None) -> str:
    """Return a help text in Markdown, with all paragraphs that the terminal shows."""
    return write_sentence((text or "").partition("\f")[0].strip()).replace("<", "&lt;")


def _describe_parameter(parameter: TyperArgument | TyperOption) -> tuple[str, str, str] | None:
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
        shown = "required"
    span = [
        text.format(bound)
        for text, bound in (("from {}", parameter.min), ("to {}", parameter.max))
        if bound is not None
    ]
    about = write_help(getattr(parameter, "help", "")) + (f" ({' '.join(span)})" if span else "")
    about = about.replace("{games}", ", ".join(sorted(registry.shipped_games())))
    return ", ".join(f"`{name}`" for name in names), shown, about


def write_module(module: str) -> Callable[[], str]:
    """Return a writer of a public module's names, with signatures and docstrings of the sources."""

    def write() -> str:
        listed: dict[str, tuple[str, ...]] = importlib.import_module(module).PLACES
        places = {name: place for place, names in listed.items() for name in names}
        parts: list[str] = []
        for name in sorted(places, key=str.lower):
            file = ROOT.joinpath(*places[name].split(".")).with_suffix(".py")
            if not file.exists():
                file = file.with_suffix("") / "__init__.py"
            nodes = ast.parse(file.read_text("utf-8")).body
            node = next(node for node in nodes if getattr(node, "name", "") == name)
            is_class = isinstance(node, ast.ClassDef)
            parts += _write_class(node) if is_class else [_write_function(node)]
        return "\n\n".join(parts) + "\n"

    return write


def _write_class(node: ast.ClassDef) -> Iterator[str]:
    """Yield a class: its constructor, docstring, fields, and methods."""
    made = next((each for each in node.body if getattr(each, "name", "") == "__init__"), None)
    signature = _write_signature(made, node.name) if made else node.name
    yield f"### `{node.name}`\n\n```python\nclass {signature}\n```"
    yield from filter(None, [_write_docstring(node)])
    sentences = read_docs(node.body)
    fields = [
        f"- `{each.target.id}`: {write_sentence(sentences[each.target.id])}"
        for each in node.body
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and each.target.id in sentences
    ]
    yield from filter(None, ["\n".join(fields)])
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
            yield _write_function(each, f"{node.name}.")


def _write_function(node: ast.FunctionDef, owner: str = "") -> str:
    marks = {ast.unparse(each) for each in node.decorator_list}
    if marks & {"property", "cached_property"}:
        kind = f": {ast.unparse(node.returns)}" if node.returns else ""
        signature = f"{node.name}{kind}"
    else:
        signature = _write_signature(node, node.name)
    head = f"{'####' if owner else '###'} `{owner}{node.name}`"
    return f"{head}\n\n```python\n{signature}\n```\n\n{_write_docstring(node)}".rstrip()


def _write_signature(node: ast.FunctionDef, name: str) -> str:
    """Return the signature of a function, with one parameter a line if it is long."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and name != "__init__" else ""
    returns = "" if returns == " -> None" else returns
    arguments = node.args
    given = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(given) - len(arguments.defaults)) + arguments.defaults
    parts = [_write_parameter(*pair) for pair in zip(given, defaults, strict=True)]
    if parts and given[0].arg in ("self", "cls"):
        del parts[0]
    if arguments.vararg:
        parts.append(f"*{_write_parameter(arguments.vararg, None)}")
    elif arguments.kwonlyargs:
        parts.append("*")
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    parts += [_write_parameter(*pair) for pair in pairs]
    if arguments.kwarg:
        parts.append(f"**{_write_parameter(arguments.kwarg, None)}")
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) <= WIDEST:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){returns}"])


def _write_parameter(argument: ast.arg, default: ast.expr | None) -> str:
    kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    if default is None:
        return f"{argument.arg}{kind}"
    return f"{argument.arg}{kind}{' = ' if kind else '='}{ast.unparse(default)}"


def _write_docstring(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Return a docstring in Markdown: sections as lists, examples as code."""
    lines: list[str] = []
    section = ""
    for line in (ast.get_docstring(node) or "").splitlines():
        title = line.removesuffix(":")
        if line.endswith(":") and title in ("Args", "Returns", "Raises", "Attributes"):
            section = title
            lines += [f"**{TITLES.get(title, title)}**", ""]
        elif section and line and not line.startswith(" "):
            section = ""
            lines.append(line)
        elif section and line:
            inner = line.removeprefix("    ")
            named = re.match(r"(\*{0,2}\w+): ", inner) if section != "Returns" else None
            if named:
                inner = f"- `{named[1]}`: {inner[named.end() :]}"
            lines.append(inner if named or section == "Returns" else f"  {inner.strip()}")
        else:
            lines.append(line)
    text = write_sentence("\n".join(lines))
    return EXAMPLE.sub(lambda found: _write_example(found[0]), text)


def _write_example(text: str) -> str:
    """Return an example as code, with results as comments; tests run it at its source."""
    lines = [
        line[4:] if line.startswith((">>> ", "... ")) else f"# {line}"
        for line in text.rstrip().splitlines()
    ]
    return "\n".join(["```python", *lines, "```"])


def write_dialects() -> str:
    """Return the texts that programs get before their first move, by each kind of host."""
    from evolve_arena.core.registry import find_game, shipped_games

    texts: dict[tuple[type[Dialect], str], tuple[str, list[str]]] = {}
    for name in sorted(shipped_games()):
        game = find_game(name).make()
        for title, dialect in find_game(name).dialects.items():
            said = dialect.greet(game, 0, dialect.limits)
            said += dialect.show(game.initial()) + dialect.ask(
                dialect.limits.time_bank, dialect.limits
            )
            key = (type(dialect), title)
            text = (
                f"The program answers with {dialect.answer}. It has {dialect.limits.time_bank:,} ms"
                f" for its first move, and each move adds {dialect.limits.per_move:,} ms; unused"
                f" time is saved, up to the first number.\n\nIn `{name}` it reads first:\n\n"
                f"```text\n{said}```\n"
            )
            if dialect.farewell:
                text += f"\nAfter the game it reads `{dialect.farewell.strip()}`.\n"
            texts.setdefault(key, (text, []))[1].append(name)
    return "\n".join(
        f"### {title}: {', '.join(games)}\n\n{text}" for (_, title), (text, games) in texts.items()
    )


# --- Statistics -------------------------------------------------------------------------------


def write_intervals() -> str:
    """Return a table of the 95 % interval of a share, by number of games."""
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
    """Return a table of the games that each of two players needs for a difference to be seen."""
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
    """Return a table of the best of several checks of a constant player, on average."""
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
    "abilities": write_abilities,
    "best_of": write_best_of,
    "check_keys": write_section("check"),
    "islands_keys": write_section("islands"),
    "growth_keys": write_section("growth.stages"),
    "search_keys": write_section("search"),
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
    "python": write_module("evolve_arena"),
    "python_extend": write_module("evolve_arena.extend"),
    "recipes": write_recipes,
    "run_keys": write_section("run"),
}


if __name__ == "__main__":
    main()
