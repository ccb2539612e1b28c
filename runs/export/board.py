"""Export of any compiled board game's players as one Python file: its rules, and the network."""

from __future__ import annotations

import ast
import base64
import re
import textwrap
import zlib
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evolve_arena.core.compiled import replace_constants
from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.tuple_entries import AGAIN, BY_SEAT
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import constants_of
from evolve_arena.players.board.stacks import list_tuples
from evolve_arena.players.board.workspace import DEPTH, ROLLOUTS, TAKES_WINS, plane_words
from evolve_arena.players.bred import BredPlayer, NeatPlayer, VectorPlayer
from evolve_arena.players.packed import INPUTS_AT, NOISE
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export import (
    GAME,
    LAYERS,
    NetworkSource,
    assemble,
    cut,
    read_template,
    wrap,
    write_base64,
    write_layers,
    write_name,
)
from evolve_arena.runs.export.graphs import describe_nodes
from evolve_arena.runs.export.hosts import HostSource
from evolve_arena.runs.export.numbers import describe_numbers

TEMPLATES = Path(__file__).with_name("templates")
WITH_NUMPY = TEMPLATES / "board_numpy.py"
HEAD_LINE = re.compile(r"^HEAD = .*\n", re.MULTILINE)
ASKED = set(re.findall(r'RULES\["(\w+)"\]', read_template(TEMPLATES / "board.py")))
"""What bots ask of the rules, if it is needed to play at all."""
PLAIN_NAMES = {"uint64", "int64", "int32", "int16", "int8", "sign"}
"""What rules may use of NumPy without that the bot needs it."""


def export_python(player: BredPlayer, more: Collection[str] = ()) -> str:
    """The source of one Python file that plays as *player* does, move for move.

    The file needs Python 3.8 or later, and NumPy if the rules use more of it than its types.

    Args:
        player: Who plays.
        more: Functions of the game's file that the file needs too, by name.

    Raises:
        BadValueError: The player makes random moves now and then, or searches a tree.
    """
    check_search(player)
    if isinstance(player, TuplePlayer):
        inside = _describe_tuples(player)
    elif player.decoder.is_dense:
        inside = _describe_dense(player)
    elif isinstance(player, NeatPlayer):
        inside = _describe_graph(player)
    else:
        assert isinstance(player, VectorPlayer)
        inside = _describe_mlp(player)
    game: Any = player.game
    counts = [name for name, count in count_numbers(player).items() if count]
    sites = [read_template(Path(game.sites.__file__))] if game.sites else []
    asked = ASKED.intersection(game.functions)
    asked |= {name for text in sites for name in re.findall(r'RULES\["(\w+)"\]', text)}
    rules = _write_rules(game, {*more, *counts, *asked})
    with_numpy = not PLAIN_NAMES.issuperset(re.findall(r"\bnp\.(\w+)", rules))
    files = (TEMPLATES / "board.py", *inside.templates, *([WITH_NUMPY] if with_numpy else []))
    parts = (*map(read_template, files), *sites)
    outer = cut(parts[0])
    head = f'HEAD = "{player.decoder.head}"\n'
    sections = {
        "Whole numbers": cut(parts[len(files) - 1] if with_numpy else parts[0])["Whole numbers"],
        "The game": rules,
        "The network": head + _write_facts(player) + HEAD_LINE.sub("", inside.constants),
        "How it plays": outer["How it plays"],
        "How it looks ahead": outer["How it looks ahead"],
        **inside.sections(),
        GAME: outer[GAME],
        "How hosts ask": outer["How hosts ask"],
        "How sites ask": cut([parts[0], *sites][-1])["How sites ask"],
        "As a program": outer["As a program"],
    }
    return assemble(
        _write_docstring(player, inside, " and NumPy" if with_numpy else " and no other package"),
        parts,
        sections,
    )


def check_search(player: BredPlayer) -> None:
    """Makes sure that bots can play as *player* does.

    Raises:
        BadValueError: It makes random moves now and then, or searches a tree.
    """
    if player.packed.seats[0, NOISE]:
        raise BadValueError(f"{player.name} makes random moves: export it without noise")
    if player.packed.seats[0, ROLLOUTS]:
        raise BadValueError(
            f"{player.name} searches a tree by rollouts, which exported bots do not:"
            " name a depth, such as RUN,depth=2"
        )


def _write_rules(game: BoardGame, names: Collection[str]) -> str:
    """The rules with these options: what their file says of *names*, and what that needs."""
    text = replace_constants(game.source, constants_of(game.rules))
    lines, tree = text.splitlines(keepends=True), ast.parse(text)
    needed = _find_needed(tree, names)
    options = tuple(f"{name.upper()} =" for name in game.rules._fields)
    for place, node in enumerate(tree.body):
        above = lines[tree.body[place - 1].lineno - 1] if place else ""
        if (
            isinstance(node, ast.Import | ast.ImportFrom)
            or node not in needed
            or (isinstance(node, ast.Expr) and (not above.strip() or above.startswith(options)))
        ):
            for number in range(node.lineno, (node.end_lineno or 0) + 1):
                lines[number - 1] = ""
    imports = [
        ast.unparse(node)
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom) and "math" in ast.unparse(node).split()
    ]
    within = {  # lines of texts in several lines stay where they are
        number
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for number in range(node.lineno + 1, (node.end_lineno or 0) + 1)
    }
    own = "".join(
        line if number in within or not line.strip() else f"    {line}"
        for number, line in enumerate(lines, 1)
    )
    own = re.sub(r"\n{3,}", "\n\n", "\n".join([*(f"    {line}" for line in imports), own]))
    return f'''

def define_rules():
    """Returns what the file of the game defines, by name."""
    {own.strip()}

    return locals()


'''


def write_host(player: BredPlayer, target: str) -> HostSource:
    """The bot, and what reads a host's moves for it, as the game's file says.

    Raises:
        BadValueError: Chance decides, which this can't follow.
    """
    game: Any = player.game
    if game.code.HAS_CHANCE:
        raise BadValueError(f"{game.name} is a game of chance: export it with --to python")
    facts = f"""\
START = {[int(number) for number in game.code.START]!r}
# Whether moves are told as pairs of row and column, and how many cells stand in a row.
PAIRS, WIDTH = {target == "botzone"}, {int(game.code.WIDTH)}
"""
    moves = cut(read_template(TEMPLATES / "board_hosts.py"))["Moves of the host"]
    sections = {"The game at the host": facts, "Moves of the host": moves}
    bot = export_python(player, (f"{target}_move", f"{target}_state"))
    return HostSource(str(game.plain[target.upper()]), bot, sections)


def _find_needed(tree: ast.Module, names: Collection[str]) -> list[ast.AST]:
    """The statements that define *names*, with those that they need and those without a name."""
    defined: dict[str, list[ast.AST]] = {}
    waiting: list[ast.AST] = []
    for node in tree.body:
        own = [node.name] if isinstance(node, ast.FunctionDef) else []
        if isinstance(node, ast.Assign):
            names_in = (each for each in ast.walk(node) if isinstance(each, ast.Name))
            own = [each.id for each in names_in if isinstance(each.ctx, ast.Store)]
        for name in own:
            defined.setdefault(name, []).append(node)
        waiting += [] if own else [node]
    waiting += [node for name in names for node in defined.get(name, ())]
    found: list[ast.AST] = []
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.append(one)
            used = {inner.id for inner in ast.walk(one) if isinstance(inner, ast.Name)}
            waiting += [other for name in used for other in defined.get(name, ())]
    return found


def _write_facts(player: BredPlayer) -> str:
    """What the rest of the bot must know of the game."""
    code: Any = player.game.code  # type: ignore[attr-defined]
    decoder: Any = player.decoder
    kinds = ["np.uint64" if isinstance(number, np.uint64) else "int" for number in code.START]
    sizes = ("MOVES", "PLANES", "CELLS", "SEATS", "PIECES")
    search, past = describe_search(player), describe_past(player)
    counts = ", ".join(map(str, count_numbers(player).values()))
    return f"""\
TAKES_WINS = {bool(player.packed.seats[0, TAKES_WINS])}
# What the network sees beside its planes: 1 if it is its turn, 2 the number of its seat.
TURNS = {find_turns(decoder)}
# How many numbers the network is given that the rules count of a state, and of a move.
FEATURES, MOVE_FEATURES = {counts}
# If above 0, so many values of each of the former are told apart, the last one from less alone.
BINS = {int(getattr(decoder, "bins", 0))}
# How many moves, planes, cells, seats and kinds of pieces of a player the game has.
{", ".join(sizes)} = {", ".join(str(getattr(code, name)) for name in sizes)}
# How a state is kept: how many numbers, and the type of each, or of all of them in an array.
SIZE = {len(code.START)}
KINDS = {"()" if code.IS_ARRAY else f"({', '.join(kinds)},)"}
ARRAY = "{code.START.dtype if code.IS_ARRAY else ""}"
SEES_CELLS = {code.SEES_CELLS}
HAS_POINTS = {code.HAS_POINTS}
HAS_CHANCE = {bool(code.HAS_CHANCE)}
# At how many occurrences of a position, and after how many moves in a row without progress, a game
# is over; 0 if never. And whether the rules tell positions apart, and progress.
{", ".join(past)} = {", ".join(map(str, past.values()))}
# The state before the first move and before chance; and after how many moves the arena ends a game.
FIRST_STATE = {[int(number) for number in code.START]!r}
LONGEST = {int(code.LONGEST)}
# Whether it can look ahead, how many plies it does unless it is told, and whether the rules say
# after which moves it looks farther. What the network says times UNIT is what it goes by.
{", ".join(search)} = {", ".join(map(str, search.values()))}
"""


def find_turns(decoder: Any) -> int:
    """AGAIN or BY_SEAT if a network also sees whether it is its turn, or its seat; else 0."""
    if getattr(decoder, "by_seat", False):
        return BY_SEAT
    return AGAIN * getattr(decoder, "turns", False)


def describe_past(player: BredPlayer) -> dict[str, Any]:
    """The facts by which a bot knows that earlier positions end a game, by name."""
    game: Any = player.game
    return {
        "REPETITION": int(game.code.REPETITION),
        "NO_PROGRESS": int(game.code.NO_PROGRESS),
        "HAS_KEY": "key" in game.plain and bool(game.code.REPETITION),
        "HAS_PROGRESS": "progress" in game.plain and bool(game.code.HAS_PAST),
    }


def describe_search(player: BredPlayer) -> dict[str, Any]:
    """The facts that a bot needs to look ahead, by name."""
    game: Any = player.game
    return {
        "CAN_SEARCH": player.decoder.head == "value" and not game.why_no_search,
        "DEPTH": int(player.packed.seats[0, DEPTH]),
        "HAS_QUIET": bool(game.code.HAS_QUIET),
        "UNIT": 1 if isinstance(player, TuplePlayer) else RESOLUTION,
    }


def count_numbers(player: BredPlayer) -> dict[str, int]:
    """The number of numbers that the file's functions write for a bot, by their names."""
    decoder, code = player.decoder, player.game.code  # type: ignore[attr-defined]
    return {
        "features": int(getattr(decoder, "counted", 0)),
        "describe_move": int(code.MOVE_FEATURE_COUNT) * (decoder.head == "action"),
    }


def list_bits(code: Any) -> list[int]:
    """The numbers of all bits that are seen, plane by plane."""
    plane_bits = 64 * plane_words(code)
    return [plane_bits * plane + cell for plane in range(code.PLANES) for cell in range(code.CELLS)]


def _describe_mlp(player: VectorPlayer) -> NetworkSource:
    decoder: Any = player.decoder
    code, units = decoder.game.code, decoder.mlp.sizes[1]
    packed = player.packed.columns.reshape(1 + decoder.board.features, -1)[:, :units]
    bits = list_bits(code)
    rows = packed[[0, *(1 + bit for bit in bits)]]
    (genome,) = decoder.expand(np.asarray(player.genome, dtype=np.float32)[None])
    return NetworkSource(
        templates=(TEMPLATES / "board_mlp.py", LAYERS),
        constants=f'''\
# Biases, then what each bit that is seen adds: base64 of int32, in units of 1/65536.
FIRST_LAYER = """
{write_base64(rows.astype("<i4").tobytes())}"""
{write_layers(decoder.head, decoder.mlp, genome)}''',
        description=(
            f"network: {'-'.join(map(str, decoder.mlp.sizes))} units, {decoder.activation}",
        ),
    )


def _describe_graph(player: NeatPlayer) -> NetworkSource:
    return describe_nodes(player, TEMPLATES / "board_graph.py", _write_bits(player))


def _write_bits(player: BredPlayer) -> str:
    """The constant that leads from planes to inputs."""
    code, board = player.game.code, player.decoder.board  # type: ignore[attr-defined]
    bits = [
        [(max(0, int(board.index[bit])), float(board.factor[bit])) for bit in plane]
        for plane in np.reshape(list_bits(code), (code.PLANES, code.CELLS))
    ]
    return (
        "# For each bit of each word that is seen an input, and what it adds to it.\n"
        f"BITS = {textwrap.fill(repr(bits), 96, subsequent_indent='    ')}\n"
    )


def _describe_dense(player: BredPlayer) -> NetworkSource:
    """A perceptron or a graph that is given numbers which the file counts, perhaps behind bits."""
    decoder: Any = player.decoder
    inside = describe_numbers(player, [1.0] * decoder.inputs)
    seen = 0 if decoder.encoding == "features" else decoder.board.inputs
    constants = (
        f"# How many inputs the planes of bits have.\nSEEN = {seen}\n"
        f"{_write_bits(player) if seen else 'BITS = []' + chr(10)}"
    )
    return replace(
        inside,
        templates=(TEMPLATES / "board_numbers.py", *inside.templates),
        constants=constants + inside.constants,
    )


def _describe_tuples(player: TuplePlayer) -> NetworkSource:
    decoder: Any = player.decoder
    game, views, read = decoder.game, decoder.views.tolist(), decoder.reading
    templates: tuple[str, ...] = ("board_tuples.py",)
    cells = player.genome.cells[0].tolist()
    numbers = player.packed.columns[int(player.packed.seats[0, INPUTS_AT]) :]
    packed = base64.b85encode(zlib.compress(numbers.astype("<i4").tobytes(), 9)).decode("ascii")
    if game.stacks:
        templates = ("board_stacks.py", *templates)
        constants = f"""\
# The bit of each cell, row by row from the top.
GRID = {_fill(game.grid.ravel().tolist())}
# For each tuple its first entry, and the cells that matter: what an own and another's piece adds.
TUPLES = {
            _fill(
                [
                    (first, [(cell, 0, *adds) for cell, *adds in terms])
                    for first, terms in list_tuples(np.array(cells), game.grid.shape)[0]
                ]
            )
        }
"""
    else:
        constants = f"""\
# How many cells tuples read, how many contents each can have, how many bits of each plane
# count, and what these do: how far a plane and a bit are from the next one, and from that what
# they add.
READ, CONTENTS, BITS = {read.cells}, {read.kinds}, {read.bits}
PLANE_STEP, BIT_STEP, KIND_STEP = {read.plane_step}, {read.bit_step}, {read.kind_step}
TUPLES = {_fill(cells)}
"""
    return NetworkSource(
        templates=tuple(TEMPLATES / name for name in templates),
        constants=f'''\
{constants}\
# Where each cell lies in each view of the board.
VIEWS = {_fill(views)}
# How many numbers each entry has, of which one counts by what is seen beside the planes.
TABLES = {len(decoder.sides)}
# What each entry of each tuple is worth, in units of 1/65536: base85, of zlib, of int32.
NUMBERS = """
{textwrap.fill(packed, 96)}
"""
''',
        description=(
            f"network: {len(cells)} tuples of {len(cells[0])} cells, in {len(views)} views",
            f"numbers: {len(numbers):,}, of which {np.count_nonzero(numbers):,} are not 0",
        ),
    )


def _fill(value: Any) -> str:
    """A constant in lines."""
    return textwrap.fill(repr(value), 96, subsequent_indent="    ")


def _write_docstring(player: BredPlayer, inside: NetworkSource, needs: str) -> str:
    facts = [
        f"game: {player.game.name}, {player.game.describe()}",
        *inside.description,
        f"head: {player.decoder.head}",
        *describe_depth(player),
    ]
    own_program = (
        "- Your own program: import it, and play a game with it alone; choose(state) is its move."
        + write_search_help(player, "choose(state, depth=3)", "choose(state, seconds=0.5)")
    )
    as_player = (
        '- As a player of Evolve Arena: process:"python3 FILE". It reads lines "state NUMBERS" and'
        ' "go", and answers "move NUMBER".'
        + write_search_help(player, '"go depth 3"', '"go movetime 500"')
    )
    promise = (
        "In every position it chooses the very move that the player chooses inside Evolve Arena."
        f" {inside.remark}"
    )
    game: Any = player.game
    counts = game.code.HAS_PAST
    if counts:
        as_player += (
            ' Lines "past NUMBERS", before that of the state, are the states since the last move'
            " that made progress, oldest first: earlier positions can end this game."
        )
    uses = [wrap(f"- {use}", "  ") for use in game.sites.USES] if game.sites else []
    title = f"The {player.game.name} player {write_name(player.name)}, bred by Evolve Arena"
    code: Any = player.game.code  # type: ignore[attr-defined]
    return f"""{title}: one file that plays.

How to use it:

{wrap(own_program, "  ")}

{_write_example(bool(counts))}
  A state is a list of {len(code.START)} whole numbers, and a move is a number below {code.MOVES}.
  The section "The game" has all rules; its file says:

{_quote_file(player)}

{chr(10).join([wrap(as_player, "  "), *uses])}

It needs Python 3.8 or later{needs}, and keeps nothing from one move to the next.

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

{wrap(promise.rstrip())}
"""


def _write_example(has_past: bool) -> str:
    """A game of a bot alone, as indented lines."""
    if has_past:
        return """\
    from FILE import LONGEST, choose, legal, play, remember, result, start

    state, past = start(), []
    for _ in range(LONGEST):
        if result(state, past) is None:
            move = choose(state, past=past)
            assert move in legal(state, past)
            state, past = play(state, move), remember(past, state, move)
    print(result(state, past))
"""
    return """\
    from FILE import LONGEST, choose, legal, play, result, start

    state = start()
    for _ in range(LONGEST):
        if result(state) is None:
            assert choose(state) in legal(state)
            state = play(state, choose(state))
    print(result(state))
"""


def describe_depth(player: BredPlayer) -> list[str]:
    """The depth of the bot's search as a fact, if it has one."""
    depth = describe_search(player)["DEPTH"]
    return [f"search: alpha-beta, {depth} {'ply' if depth == 1 else 'plies'}"] if depth else []


def write_search_help(player: BredPlayer, deep: str, timed: str) -> str:
    """A sentence that tells how to make a bot look ahead, if it can; it begins with a blank."""
    if not describe_search(player)["CAN_SEARCH"]:
        return ""
    return f" {deep} looks three plies ahead, {timed} as far as it can in half a second."


def _quote_file(player: BredPlayer) -> str:
    """What the game's file says of itself, indented."""
    game: Any = player.game
    text = ast.get_docstring(ast.parse(game.source)) or "nothing"
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return textwrap.indent(text, " " * 4)
