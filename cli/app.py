"""The command line itself: its commands and groups, and the layout of their help."""

from __future__ import annotations

import functools
import inspect
import os
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from evolve_arena import core
from evolve_arena.cli.commands import (
    games,
    import_export,
    lists,
    matches,
    play,
    positions,
    runs,
)
from evolve_arena.cli.commands.renames import RENAMED
from evolve_arena.core.registry import FILE, default_game, find_commands, game_names

if TYPE_CHECKING:
    from typer._click import Command as AnyCommand
    from typer._click import Context, HelpFormatter, Parameter
    from typer._click.shell_completion import CompletionItem

Function = TypeVar("Function", bound=Callable[..., object])

FIRST = (
    *("start", "resume", "info", "plot", "serve", "play", "duel", "tournament", "evaluate"),
    *("export", "list", "game"),
)
"""The commands that the help describes, in this order; it lists the others by name only."""
SYNONYMS = {
    **dict.fromkeys(("watch", "page", "web", "ui"), "serve"),
    **dict.fromkeys(("train", "breed", "evolve", "run"), "start"),
    "continue": "resume",
    "help": "-h",
}
"""Words that people may try, and what is suggested for them."""
GENERAL = "Common options"
"""Title of the last group of options in each help."""
WIDTH = 80
"""Width of help texts in columns; less if the terminal has fewer."""

Verbose = Annotated[
    bool,
    typer.Option("--verbose", help="Log progress to stderr.", rich_help_panel=GENERAL),
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log", metavar="FILE", help="Also write the log to FILE.", rich_help_panel=GENERAL
    ),
]


class App(typer.Typer):
    """Commands whose help is plain text, and which all take ``--verbose`` and ``--log FILE``."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Function], Function]:
        """Return a decorator that adds a command, as :meth:`typer.Typer.command` does."""
        add = super().command(name, cls=Command, **options)

        def decorate(function: Function) -> Function:
            add(_with_logging(function))
            return function

        return decorate

    def group(self, name: str, about: str) -> App:
        """Add a group of commands, and return it."""
        group = App(cls=Group, rich_markup_mode=None)
        group.callback(invoke_without_command=True, help=about)(_print_help)
        self.add_typer(group, name=name)
        return group


class Command(TyperCommand):
    """A command that lists its options by groups, in plain text, since rich is slow to load."""

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the usage, the description, the arguments, and the options by group."""
        names = [str(one.metavar) for one in self.params if _group_of(one) == "Arguments"]
        formatter.write_usage(ctx.command_path, " ".join([*names, "[OPTIONS]"]))
        _write_text(formatter, self.help or "")
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        params = self.get_params(ctx)
        for param in sorted(params, key=lambda one: _group_of(one) == GENERAL):
            record = param.get_help_record(ctx)
            if record is not None:
                name, text = _plain(record[0], param), record[1]
                if "{games}" in text:
                    text = text.replace("{games}", ", ".join(game_names()))
                groups.setdefault(_group_of(param), []).append((name, text))
        _write_groups(formatter, groups)
        self.format_epilog(ctx, formatter)


class Group(TyperGroup):
    """A list of commands that fits one screen, and advice where a name is mistyped."""

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the usage, the commands, the names of less frequent ones, and the options."""
        formatter.write_usage(ctx.command_path, "COMMAND [OPTIONS]")
        _write_text(formatter, self.help or "")
        visible = {name: one for name, one in self.commands.items() if not one.hidden}
        chosen = list(visible) if ctx.parent else [name for name in FIRST if name in visible]
        widest = max(map(len, chosen))
        space = formatter.width - widest - 6
        rows = [(name.ljust(widest), visible[name].get_short_help_str(space)) for name in chosen]
        _write_groups(formatter, {"Commands": rows})
        options = ", ".join(
            each for param in self.get_params(ctx) for each in _list_spellings(param)
        )
        others = ", ".join(name for name in visible if name not in chosen)
        formatter.write("\n")
        for title, names in (("More commands", others), ("Options", options)):
            if names:
                _write_row(formatter, title, names)
        formatter.write(f"\nHelp on a command: {ctx.command_path} COMMAND -h\n")

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, AnyCommand | None, list[str]]:
        """Find the command that the first of *args* names; suggest one if there is none."""
        word = args[0]
        if word not in self.commands and not word.startswith("-") and not ctx.resilient_parsing:
            near = " or ".join(f"'{name}'" for name in self._find_similar(ctx, word))
            advice = f" Did you mean {near}?" if near else ""
            ctx.fail(f"No such command {word!r}.{advice}")
        return super().resolve_command(ctx, args)

    def _find_similar(self, ctx: Context, word: str) -> list[str]:
        """List commands whose present or former names are like *word*, as they are typed here."""
        outer = ctx.find_root().command
        assert isinstance(outer, TyperGroup)
        if word.endswith(FILE):
            return (
                [f"validate {word}"]
                if "validate" in self.commands and self is not outer
                else [
                    f"start {word}",
                    f"game validate {word}",
                ]
            )
        known = dict(_list_names(outer))
        if self is not outer:
            known = {name: f"evolve {place}" for name, place in known.items()}
            known |= {name: name for name in self.commands}
        near = [word] if word in known else get_close_matches(word, known, n=2)
        return list(dict.fromkeys(known[name] for name in near))

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """List commands and options that begin with *incomplete*; else former names of commands."""
        found = super().shell_complete(ctx, incomplete)
        if incomplete and not found:
            for command in self.commands.values():
                command.hidden = False
            found = super().shell_complete(ctx, incomplete)
        return found


def _list_names(group: TyperGroup) -> Iterator[tuple[str, str]]:
    """Yield names that users may try for commands, each with the words to type instead."""
    yield from SYNONYMS.items()
    yield from RENAMED.items()
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from ((inner, f"{name} {inner}") for inner in command.commands)
    yield from ((name, name) for name, one in group.commands.items() if not one.hidden)


def _list_spellings(param: Parameter) -> Iterable[str]:
    return [] if getattr(param, "hidden", False) else sorted(param.opts, key=len)


def _group_of(param: Parameter) -> str:
    if param.param_type_name == "argument":
        return "Arguments"
    usual = GENERAL if param.name == "help" else "Options"
    return str(getattr(param, "rich_help_panel", None) or usual)


def _plain(name: str, param: Parameter) -> str:
    """Return an option's *name* as people read it: "--seed N" for "--seed <int range>"."""
    if _group_of(param) == "Arguments":
        return str(param.metavar)
    return re.sub(r"<(int|float)( range)?>", "N", name)


def _write_groups(formatter: HelpFormatter, groups: dict[str, list[tuple[str, str]]]) -> None:
    for title, records in groups.items():
        if records:
            with formatter.section(_bold(title)):
                formatter.write_dl(records, col_max=28)


def _write_row(formatter: HelpFormatter, title: str, text: str) -> None:
    """Write *text* behind its *title*, wrapped."""
    head = f"{title}: "
    lines = textwrap.wrap(
        text, formatter.width - len(head), break_long_words=False, break_on_hyphens=False
    )
    formatter.write(f"{_bold(title)}: {lines[0]}\n")
    for line in lines[1:]:
        formatter.write(f"{' ' * len(head)}{line}\n")


def _bold(title: str) -> str:
    return title if os.environ.get("NO_COLOR") else typer.style(title, bold=True)


def _write_text(formatter: HelpFormatter, text: str) -> None:
    """Write paragraphs, wrapped; lists stay lists."""
    for paragraph in text.split("\n\n"):
        formatter.write("\n")
        for item in paragraph.replace("\n- ", "\n\0- ").split("\n\0"):
            indent = "    " if item.startswith("- ") else "  "
            lines = textwrap.wrap(
                " ".join(item.split()),
                formatter.width,
                initial_indent="  ",
                subsequent_indent=indent,
                break_on_hyphens=False,
            )
            formatter.write("".join(f"{line}\n" for line in lines))


def _with_logging(function: Function) -> Function:
    """Return the command *function* with two more options, which take effect before it begins.

    With ``--quiet`` or ``--json`` compiling is not announced.
    """

    @functools.wraps(function)
    def call(*words: object, verbose: bool, log: Path | None, **options: object) -> object:
        if verbose or log is not None:
            from evolve_arena.runs.store.logs import set_up

            set_up(verbose=verbose, file=log)
        if options.get("quiet") or options.get("json"):
            core.on_compile = None
        return function(*words, **options)

    more = {"verbose": (Verbose, False), "log": (LogFile, None)}
    signature = inspect.signature(function, eval_str=True)
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=kind)
        for name, (kind, value) in more.items()
    ]
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), *parameters]
    )
    own = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    call.__annotations__ = own | {name: kind for name, (kind, _) in more.items()}
    return call  # type: ignore[return-value]


def _print_help(context: typer.Context) -> None:
    """Print the help of a group that was typed without a command, which is an error."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


app = App(
    name="evolve",
    cls=Group,
    help=f"Breed board-game players by neuroevolution. Try: evolve start {default_game()}",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
)
for module in (runs, matches, positions, play, import_export, lists, games, *find_commands()):
    module.register(app)


@app.callback(invoke_without_command=True)
def _begin(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"evolve-arena {installed('evolve-arena')}")
        raise typer.Exit
    _print_help(context)
