"""The command line itself: which commands there are, how their help is laid out."""

from __future__ import annotations

import functools
import inspect
import os
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from evolve_arena import core
from evolve_arena.cli.commands import evolving, exchanging, joining, making, playing
from evolve_arena.core.registry import find_commands, game_names, usual_game

Function = TypeVar("Function", bound=Callable[..., Any])

GENERAL = "Every command"
"""The last group of options in each help."""
WIDTH = 80
"""Columns of a help; fewer if the terminal has fewer."""

Verbose = Annotated[
    bool,
    typer.Option("--verbose", help="Tell on standard error what goes on.", rich_help_panel=GENERAL),
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log", metavar="FILE", help="Write it to FILE as well.", rich_help_panel=GENERAL
    ),
]


class App(typer.Typer):
    """Commands whose help is plain text, and which all take ``--verbose`` and ``--log FILE``."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Function], Function]:
        """As :meth:`typer.Typer.command`; *rich_help_panel* is its group in the list."""
        add = super().command(name, cls=Command, **options)

        def decorate(function: Function) -> Function:
            add(_with_logging(function))
            return function

        return decorate


class Command(TyperCommand):
    """A command that lists its options by groups, in plain text: rich takes as long as all else."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Usage, what it does, arguments, options by group."""
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
    """The list of commands, by groups."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Usage, commands by group, options."""
        self.format_usage(ctx, formatter)
        _write_text(formatter, self.help or "")
        groups: dict[str, list[tuple[str, str]]] = {}
        widest = max(map(len, self.commands))
        for name, command in self.commands.items():
            short = command.get_short_help_str(formatter.width - widest - 6)
            group = getattr(command, "rich_help_panel", None) or "More"
            groups.setdefault(str(group), []).append((name.ljust(widest), short))
        records = [param.get_help_record(ctx) for param in self.get_params(ctx)]
        groups["Options"] = [record for record in records if record is not None]
        _write_groups(formatter, groups)
        self.format_epilog(ctx, formatter)


def _group_of(param: Any) -> str:
    if param.param_type_name == "argument":
        return "Arguments"
    usual = GENERAL if param.name == "help" else "Options"
    return str(getattr(param, "rich_help_panel", None) or usual)


def _plain(name: str, param: Any) -> str:
    """An option's *name* as people read it: "--seed N" for "--seed <int range>"."""
    if _group_of(param) == "Arguments":
        return str(param.metavar)
    return re.sub(r"<(int|float)( range)?>", "N", name)


def _write_groups(formatter: Any, groups: dict[str, list[tuple[str, str]]]) -> None:
    for title, records in groups.items():
        if records:
            bold = title if os.environ.get("NO_COLOR") else typer.style(title, bold=True)
            with formatter.section(bold):
                formatter.write_dl(records, col_max=28)


def _write_text(formatter: Any, text: str) -> None:
    """Paragraphs, wrapped; lists stay lists."""
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
    """The command *function* with two more options, heeded before it begins.

    With ``--quiet`` or ``--json`` nobody is told what is compiled.
    """

    @functools.wraps(function)
    def call(*words: Any, verbose: bool, log: Path | None, **options: Any) -> Any:
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


app = App(
    name="evolve",
    cls=Group,
    help="Breed board-game players by neuroevolution.",
    epilog=f"Begin with: evolve start {usual_game()}. Help on a command: evolve COMMAND -h",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
for group in (evolving, playing, joining, exchanging, making, *find_commands()):
    group.register(app)


@app.callback(invoke_without_command=True)
def _describe(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"evolve-arena {installed('evolve-arena')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)
