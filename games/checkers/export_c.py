"""Export of checkers players as one file of C: a program, or an engine for CheckerBoard."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evolve_arena.games.checkers.export_python import (
    INSIDES,
    PROTOCOL,
    TEMPLATES,
    check_player,
    first_layer,
    list_facts,
    write_promise,
)
from evolve_arena.games.checkers.graph import CheckersGraphPlayer
from evolve_arena.games.checkers.linear import LinearPlayer
from evolve_arena.games.checkers.network import CheckersNetworkPlayer
from evolve_arena.games.checkers.values import INPUT_SCALE, TABLE_SIZE
from evolve_arena.players.bred import BredPlayer
from evolve_arena.runs.export import NetworkSource, cut, read_template, wrap
from evolve_arena.runs.export.c import (
    LAYERS_C,
    arrange_c,
    assemble_c,
    describe_nodes_c,
    write_array_c,
    write_layers_c,
)

FEATURES, UNITS = TEMPLATES / "features.c", TEMPLATES / "units.c"


def describe_linear_c(player: LinearPlayer) -> NetworkSource:
    """The weights of *player* as C."""
    features = player.decoder.features
    worth = write_array_c("WORTH", "int32_t", player.packed.columns)
    return NetworkSource(
        templates=(TEMPLATES / "linear.c", FEATURES),
        constants=f"""\
// How many features it counts.
#define FEATURES {features}
// How many values of a feature are told apart; larger ones count as the last.
#define VALUES {TABLE_SIZE}
// What each value of each feature adds, feature by feature, in units of 2**-20.
{worth}""",
        description=(),
    )


def describe_network_c(player: CheckersNetworkPlayer) -> NetworkSource:
    """The network of *player* as C."""
    decoder = player.decoder
    genome = decoder.expand(np.asarray(player.genome, dtype=np.float32)[None, :])[0]
    return NetworkSource(
        templates=(TEMPLATES / "network.c", UNITS, LAYERS_C),
        constants=f"""\
// How many units the first layer has.
#define KEPT {decoder.mlp.sizes[1]}
// Biases, then what a piece on each square, 1 to 32, adds: own men, own kings, the other's men,
// the other's kings; in units of 1/65536.
{write_array_c("FIRST_LAYER", "int32_t", first_layer(player).ravel())}\
{write_layers_c(decoder.head, decoder.mlp, genome)}""",
        description=(),
    )


def describe_graph_c(player: CheckersGraphPlayer) -> NetworkSource:
    """The graph of *player* as C."""
    constants = f"""\
// How many features it counts, and what the graph's inputs are of their numbers.
#define FEATURES {player.decoder.inputs}
#define INPUT_SCALE {INPUT_SCALE!r}
"""
    inside = describe_nodes_c(player, TEMPLATES / "graph.c", constants)
    graph, evaluator = inside.templates
    return replace(inside, templates=(graph, FEATURES, UNITS, evaluator))


INSIDES_C: dict[str, Callable[[Any], NetworkSource]] = {
    LinearPlayer.kind: describe_linear_c,
    CheckersNetworkPlayer.kind: describe_network_c,
    CheckersGraphPlayer.kind: describe_graph_c,
}
"""What describes in C how it values positions, by the kind of player."""


def export_c(player: BredPlayer) -> str:
    """The source of a program in C that plays checkers as *player* does.

    Raises:
        BadValueError: The player makes random moves now and then, which the program would not.
    """
    return _write(player, PROGRAM, "a program")


def export_checkerboard(player: BredPlayer) -> str:
    """The source in C of a shared library: an engine for CheckerBoard that plays as *player* does.

    Raises:
        BadValueError: The player makes random moves now and then, which the engine would not.
    """
    return _write(player, ENGINE, "an engine for CheckerBoard")


PROGRAM, ENGINE = TEMPLATES / "stdin.c", TEMPLATES / "checkerboard.c"
USE = {
    PROGRAM: f"""\
    cc -O2 champion.c -o champion -lm

The program reads lines from standard input and answers those that begin with "go":

{PROTOCOL}

What it cannot read it names on standard error.""",
    ENGINE: """\
    gcc -O2 -shared -static champion_checkerboard.c -o champion.dll     for Windows, by MinGW
    gcc -O2 -shared -fPIC champion_checkerboard.c -o champion.so -lm    for other hosts

The DLL belongs in CheckerBoard's folder "engines". Both must be for 64 bits, or both for 32; then
-Wl,--kill-at is needed, too. The engine looks at least as far ahead as it was bred to, whatever the
time is unless that is to be kept exactly, and farther while there is time. It knows the commands
name, about, get gametype, get protocolversion, set gamehist, and set seed N, from which its random
numbers start; else they start from the clock.""",
}
"""How a program or an engine is made and used."""


def _write(player: BredPlayer, host: Path, what: str) -> str:
    check_player(player)
    inside = INSIDES_C[player.kind](player)
    described = INSIDES[player.kind](player)
    ends = (TEMPLATES / "rules.c", TEMPLATES / "search.c", host)
    rules, search, asked = (cut(read_template(file)) for file in ends)
    decoder, name, facts = player.decoder, _clean(player.name), list_facts(player, described)
    settings = f"""\
// How many plies it looks ahead if it is not told, whether it follows captures farther until none
// is left, and whether light moves first.
#define DEPTH {decoder.depth}
#define QUIET {int(decoder.quiet)}
#define TURNED {int(decoder.turned)}
"""
    if host == ENGINE:
        lines = "".join(f'\n    "\\n{_clean(fact)}"' for fact in facts)
        settings += f"""\
static const char NAME[] = "{name}";
static const char ABOUT[] = "{name}, bred by Evolve Arena"{lines};
"""
    sections = {"The player": settings, **rules, **arrange_c(inside), **search, **asked}
    sections = {title: f"{text.rstrip()}\n\n" for title, text in sections.items()}
    comment = f"""\
The checkers player {name}, bred by Evolve Arena: {what}.

How to use it, with a C99 compiler and its standard library alone:

{USE[host]}

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

{wrap(write_promise(player, described))}"""
    texts = [read_template(file) for file in (*ends, *inside.templates)]
    source = assemble_c(comment, texts, sections)
    # Compilers that keep to the standard do not show the clock unless they are asked for it.
    return source.replace("#include", "#define _POSIX_C_SOURCE 199309L\n#include", 1)


def _clean(text: str) -> str:
    """The *text* as a string and a comment of C can hold it."""
    return re.sub(r'[^ -~]|[?"\\]', "'", " ".join(text.split()))
