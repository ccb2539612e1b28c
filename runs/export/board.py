"""Export of any compiled board game's players as one Python file: its rules, and the network."""

from __future__ import annotations

import ast
import base64
import re
import sys
import textwrap
import zlib
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from evolve_arena.core import stream
from evolve_arena.core.compiled import replace_constants
from evolve_arena.core.errors import BadValueError
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.tuple_entries import AGAIN, BY_SEAT
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import constants_of
from evolve_arena.players.board.stacks import list_tuples
from evolve_arena.players.board.workspace import (
    DEPTH,
    ROLLOUTS,
    SCRIPT,
    SETTING,
    TAKES_WINS,
    UNMASKED,
    plane_words,
)
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
from evolve_arena.runs.export.bundle import bundle
from evolve_arena.runs.export.graphs import describe_nodes
from evolve_arena.runs.export.hosts import HostSource
from evolve_arena.runs.export.numbers import describe_numbers
from evolve_arena.runs.export.templates import board, board_numpy

TEMPLATES = Path(__file__).with_name("templates")
WITH_NUMPY = TEMPLATES / "board_numpy.py"
HEAD_LINE = re.compile(r"^HEAD = .*\n", re.MULTILINE)
ASKED = set(re.findall(r'RULES\["(\w+)"\]', read_template(TEMPLATES / "board.py")))
"""What bots ask of the rules, if it is needed to play at all."""
PLAIN_NAMES = {name for name in vars(board.np) if not name.startswith("__")}
"""What rules may use of NumPy without that the bot needs it."""
VIEW = re.compile(r"(\b\w+(?:\[[^\[\]\n]*\])?)\.view\((np\.(?:u?int64|float(?:32|64)))\)")
"""How the rules see memory as numbers of another kind."""
TOLD = {
    "features": ("state", "seat", "out"),
    "describe_move": ("state", "move", "seat", "out"),
    "prune": ("state", "seat", "moves", "count"),
}
"""Functions that may be told more than this, by name."""


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
    sites = [read_template(Path(game.sites.__file__))] if game.sites else []
    asked = ASKED.intersection(game.functions)
    asked |= {name for text in sites for name in re.findall(r'RULES\["(\w+)"\]', text)}
    files = (TEMPLATES / "board.py", *inside.templates)
    beside = [*map(read_template, files), *sites]
    rules = Rules(game, {*more, *list_told(player), *asked}, beside)
    if rules.with_numpy:
        files = (*files, Path(board_numpy.__file__))
    parts = (*map(read_template, files), *sites)
    outer = cut(parts[0])
    head = f'HEAD = "{player.decoder.head}"\n'
    sections = {
        "Whole numbers": cut(parts[len(files) - 1 if rules.with_numpy else 0])["Whole numbers"],
        **({"What the rules import": f"{rules.imported}\n\n"} if rules.imported else {}),
        "The game": rules.text,
        "The network": head + _write_facts(player) + HEAD_LINE.sub("", inside.constants),
        "How it plays": outer["How it plays"],
        "How it looks ahead": outer["How it looks ahead"],
        **inside.sections(),
        GAME: outer[GAME],
        "How hosts ask": outer["How hosts ask"],
        "How sites ask": cut([parts[0], *sites][-1])["How sites ask"],
        "As a program": outer["As a program"],
    }
    needs = " and NumPy" if rules.with_numpy else " and no other package"
    return assemble(_write_docstring(player, inside, needs), parts, sections)


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


class Rules:
    """The rules of a game as its file has them: some functions, and all that they need.

    Args:
        game: The game, with its options.
        names: What of the file is needed.
        beside: The sources of what else the bot has.

    Raises:
        BadValueError: The file imports what can't be exported.
    """

    def __init__(self, game: BoardGame, names: Collection[str], beside: list[str]) -> None:
        self.game = game
        self.source = replace_constants(game.source, constants_of(game.rules))
        self.tree = ast.parse(self.source)
        self.needed = _find_needed(self.tree, names)
        self.own = self._cut_source()
        plain = VIEW.sub(r"view_as(\1, \2)", self.own)
        named = self._find_imports()
        if game.scripts and any(game.scripts.get(name) for name in names):
            named["next_word"] = stream.next_word
        own = [node for node in self.needed if not isinstance(node, ast.Import | ast.ImportFrom)]
        beside = [*beside, *map(ast.unparse, own)]
        place = re.sub(r"\W", "_", game.name)
        self.imported, self.called = bundle(named, place, board, beside)
        texts = f"{self.imported}{plain}{self.kept}"
        used = set(re.findall(r"\bnp\.(\w+)", texts)) - PLAIN_NAMES
        self.with_numpy = bool(used) or "numpy" in self.kept or self._changes_parts()
        if not self.with_numpy:
            self.own = plain
        else:
            self.imported, self.called = bundle(named, place, board_numpy, beside)
        kept = [*self.kept.splitlines(keepends=True), *self._rename()]
        body = "".join([*(f"    {line}" for line in kept), self.own])
        body = re.sub(r"\n{3,}", "\n\n", body)
        self.text = f'''

def define_rules():
    """Returns what the file of the game defines, by name."""
    {body.strip()}

    return locals()


'''

    def _changes_parts(self) -> bool:
        """Test if the file asks of arrays what Python's can't do: to change many at once."""
        return any(
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Slice)
            and isinstance(node.ctx, ast.Store)
            for statement in self.needed
            for node in ast.walk(statement)
        )

    def _rename(self) -> list[str]:
        """Lines by which the rules call what they import as their file does."""
        return [f"{name} = {place}\n" for name, place in self.called.items() if name != place]

    def _find_imports(self) -> dict[str, Any]:
        """What the needed part of the file names and imports from elsewhere, by name.

        ``kept`` becomes what it imports from Python itself.
        """
        used = {
            inner.id
            for node in self.needed
            if not isinstance(node, ast.Import | ast.ImportFrom)
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name)
        }
        found, kept = dict[str, Any](), list[str]()
        for node in self.tree.body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for alias in node.names:
                name = alias.asname or alias.name
                place = (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
                words = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
                if name not in used or words == "numpy as np" or place == "__future__":
                    continue
                if place.partition(".")[0] in (*sys.stdlib_module_names, "numpy"):
                    head = f"from {place} " if isinstance(node, ast.ImportFrom) else ""
                    kept.append(f"{head}import {words}\n")
                elif isinstance(node, ast.Import):
                    raise BadValueError(
                        f"{self.game.name} imports the module {place}: to be exported, import what"
                        f" is needed by name, such as from {place} import name"
                    )
                else:
                    found[name] = self.game.plain[name]
        self.kept = "".join(kept)
        return found

    def _cut_source(self) -> str:
        """What is needed of the file, without imports, as lines of a function."""
        lines, tree = self.source.splitlines(keepends=True), self.tree
        options = tuple(f"{name.upper()} =" for name in self.game.rules._fields)
        for place, node in enumerate(tree.body):
            above = lines[tree.body[place - 1].lineno - 1] if place else ""
            if (
                isinstance(node, ast.Import | ast.ImportFrom)
                or node not in self.needed
                or (isinstance(node, ast.Expr) and (not above.strip() or above.startswith(options)))
            ):
                for number in range(node.lineno, (node.end_lineno or 0) + 1):
                    lines[number - 1] = ""
        within = {  # lines of texts in several lines stay where they are
            number
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            for number in range(node.lineno + 1, (node.end_lineno or 0) + 1)
        }
        return "".join(
            line if number in within or not line.strip() else f"    {line}"
            for number, line in enumerate(lines, 1)
        )


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
    game, decoder = cast(Any, player.game), cast(Any, player.decoder)
    code = game.code
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
# Whether the rules hide something from seats, and whether moves are tried as the seat to move knows
# the state.
HIDES, GUESSES = {"view" in game.plain}, {guesses(player)}
# What the game's file notes down for itself; whether it says which moves are worth weighing, and
# what its functions are told of this player.
NOTES = make_array("int64", [0] * {max(1, int(code.NOTES))})
PRUNES, SETTING = {bool(code.HAS_PRUNE)}, {int(player.packed.seats[0, SETTING])}
# The state before the first move and before chance; and after how many moves the arena ends a game.
FIRST_STATE = {[int(number) for number in code.START]!r}
LONGEST = {int(code.LONGEST)}
# Whether it can look ahead, how many plies it does unless it is told, and whether the rules say
# after which moves it looks farther. What the network says times UNIT is what it goes by.
{", ".join(search)} = {", ".join(map(str, search.values()))}
{_write_questions(player)}"""


def guesses(player: BredPlayer) -> bool:
    """Test if a player tries moves in what its seat knows of a state."""
    game: Any = player.game
    return bool(game.code.HAS_GUESS) and player.decoder.head == "value"


def _write_questions(player: BredPlayer) -> str:
    """Functions that ask those of the file that may be told more, as the bot calls them."""
    game: Any = player.game
    told = {"notes": "NOTES", "setting": "SETTING", "random": "int(drawn)", "kind": "kind"}
    missing, texts = [*TOLD, "script"], []
    for name in list_told(player):
        if name not in (*TOLD, *game.scripts):
            continue
        lines, given = "", TOLD.get(name, ("state", "moves", "count"))
        called, parameters = (name if name in TOLD else "script"), given
        if called == "script":
            parameters, given = (*given, "kind", "stream"), list_asked(game, name)
        given = (*given, *(told[each] for each in game.asks[name]))
        if game.scripts.get(name):
            lines = """\
    stream[0] = np.uint64(stream[0])
    drawn = next_word(stream) >> np.uint64(2)
"""
        missing.remove(called)
        texts.append(f'''

def ask_{called}({", ".join(parameters)}):
    """Asks the game's file."""
{lines}    return RULES["{name}"]({", ".join(given)})
''')
    nothing = "".join(f"ask_{name} = " for name in missing) + "None\n"
    return "".join([nothing if missing else "", *texts, "\n\n" if texts else ""])


def list_asked(game: Any, script: str) -> tuple[str, ...]:
    """The parameters that a scripted player must have: a list of moves follows, or nothing."""
    lists = int(game.code.LISTING) >> list(game.scripts).index(script) & 1
    return ("state", "moves", "count") if lists else ("state",)


def list_told(player: BredPlayer) -> list[str]:
    """What a bot asks of the file beside rules: numbers, kinds of moves, views, and a script."""
    game: Any = player.game
    head, found = player.decoder.head, [name for name, n in count_numbers(player).items() if n]
    found += ["view"] if "view" in game.plain else []
    found += ["prune"] if head == "action" and game.code.HAS_PRUNE else []
    if head == "kinds":
        found += ["kinds", list(game.scripts)[player.packed.seats[0, SCRIPT]]]
    return found


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
    game: Any = player.game
    hides, counts = "view" in game.plain, bool(game.code.HAS_PAST)
    draws = any(game.scripts.get(name) for name in list_told(player))
    facts = [
        f"game: {game.name}, {game.describe()}",
        *inside.description,
        f"head: {player.decoder.head}",
        *describe_depth(player),
    ]
    asked = "choose(view(state))" if hides else "choose(state)"
    own_program = (
        f"- Your own program: import it, and play a game with it alone; {asked} is its move."
        + write_search_help(player, "choose(state, depth=3)", "choose(state, seconds=0.5)")
    )
    as_player = (
        '- As a player of Evolve Arena: process:"python3 FILE". It reads lines "state NUMBERS" and'
        ' "go", and answers "move NUMBER".'
        + write_search_help(player, '"go depth 3"', '"go movetime 500"')
    )
    basis = "From what its seat knows" if hides else "In every position"
    promise = f"{basis} it chooses the very move that the player chooses inside Evolve Arena."
    kept = "nothing from one move to the next"
    if hides:
        as_player += " It is told no more of a state than its seat knows."
    if draws:
        promise += (
            " Where the game's file draws random numbers, it is the same from the same ones. They"
            " start from 0; choose(state, stream=[N]) takes those that start from N."
        )
    if player.packed.seats[0, UNMASKED]:
        promise += (
            " Where the player wants what the rules forbid, and so forfeits, this one does not."
        )
    told = [*(["random numbers"] if draws else []), *(["notes"] if game.code.NOTES else [])]
    if told:
        kept += f" but {' and '.join(told)}"
    if counts:
        as_player += (
            ' Lines "past NUMBERS", before that of the state, are the states since the last move'
            " that made progress, oldest first: earlier positions can end this game."
        )
    uses = [wrap(f"- {use}", "  ") for use in game.sites.USES] if game.sites else []
    title = f"The {game.name} player {write_name(player.name)}, bred by Evolve Arena"
    form = (
        f"A state is a list of {len(game.code.START)} whole numbers, and a move is a number below"
    )
    form += f" {game.code.MOVES}."
    if hides:
        form += " view(state, seat) is what a seat knows of a state, in the same form."
    return f"""{title}: one file that plays.

How to use it:

{wrap(own_program, "  ")}

{_write_example(counts, hides)}
{wrap(f"  {form}", "  ")}
  The section "The game" has all rules; its file says:

{_quote_file(player)}

{chr(10).join([wrap(as_player, "  "), *uses])}

{wrap(f"It needs Python 3.8 or later{needs}, and keeps {kept}.")}

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

{wrap(f"{promise} {inside.remark}".rstrip())}
"""


def _write_example(has_past: bool, hides: bool) -> str:
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
    view, known = (", view", "view(state)") if hides else ("", "state")
    return f"""\
    from FILE import LONGEST, choose, legal, play, result, start{view}

    state = start()
    for _ in range(LONGEST):
        if result(state) is None:
            move = choose({known})
            assert move in legal(state)
            state = play(state, move)
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
