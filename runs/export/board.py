"""Export of any compiled board game's players as one Python file: its rules, and the network."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Collection
from pathlib import Path
from typing import cast

import numpy as np

from evolve_arena.core import stream
from evolve_arena.core.compiled import replace_constants
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import SPIEL
from evolve_arena.genomes.network import RESOLUTION
from evolve_arena.genomes.tuple_entries import AGAIN, BY_SEAT
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import constants_of
from evolve_arena.players.board.loader import TOLD
from evolve_arena.players.board.workspace import (
    DEPTH,
    ROLLOUTS,
    SCRIPT,
    SETTING,
    TAKES_WINS,
    UNMASKED,
)
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.packed import NOISE
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export import GAME, assemble, cut, read_template, wrap, write_name
from evolve_arena.runs.export.bundle import Named, bundle
from evolve_arena.runs.export.networks import NetworkSource, describe_network
from evolve_arena.runs.export.templates import board, board_numpy

ASKED = set(re.findall(r'RULES\["(\w+)"\]', read_template("board.py")))
"""Names of the functions of a game's file that exported bots call if the file defines them."""
PLAIN_NAMES = {name for name in vars(board.np) if not name.startswith("__")}
"""Attributes of NumPy that rules may use without making the bot need NumPy."""
VIEW = re.compile(r"(\b\w+(?:\[[^\[\]\n]*\])?)\.view\((np\.(?:u?int64|float(?:32|64)))\)")
"""Pattern of calls ``array.view(type)`` in the rules, which reinterpret memory as another type."""
OF_SPIEL = "whose rules are in pyspiel, so no file can hold them: export it with --to openspiel"
OF_OTHERS = (
    "which can't be exported yet: name its champion.safetensors as file:PATH wherever a player is"
    " asked for"
)
"""Reasons why players of games without a file of rules can't be exported."""


def export_python(player: EvolvedPlayer, more: Collection[str] = ()) -> str:
    """Return the source of one Python file that plays as *player* does, move for move.

    The file needs Python 3.8 or later, and NumPy if the rules use more of it than its number types.

    Args:
        player: Player to export.
        more: Names of further functions of the game's file that the file needs.

    Raises:
        BadValueError: The player makes random moves, or searches a tree by rollouts.
    """
    game = player.game
    if not isinstance(game, BoardGame):
        reason = OF_SPIEL if game.name.startswith(SPIEL) else OF_OTHERS
        raise BadValueError(f"{player.name} plays {game.name}, {reason}")
    check_search(player)
    inside = describe_network(player)
    sites = [read_template(Path(game.sites.__file__))] if game.sites else []
    asked = ASKED.intersection(game.functions)
    asked |= {name for text in sites for name in re.findall(r'RULES\["(\w+)"\]', text)}

    # Take the rules, with all that they need, and the templates of bot and network
    parts = [*map(read_template, ("board.py", *inside.templates)), *sites]
    rules = Rules(game, {*more, *list_told(player), *asked}, parts)
    outer, numbers = cut(parts[0]), parts[0]
    if rules.with_numpy:
        numbers = read_template("board_numpy.py")

    # Put the sections together, in an order in which everything is defined before it is used
    sections = {
        "Whole numbers": cut(numbers)["Whole numbers"],
        **({"What the rules import": f"{rules.imported}\n\n"} if rules.imported else {}),
        "The game": rules.text,
        "The network": f'HEAD = "{player.decoder.head}"\n{_write_facts(player)}{inside.constants}',
        "How it plays": outer["How it plays"],
        "How it looks ahead": outer["How it looks ahead"],
        **inside.sections(),
        GAME: outer[GAME],
        "How hosts ask": outer["How hosts ask"],
        "How sites ask": cut([parts[0], *sites][-1])["How sites ask"],
        "As a program": outer["As a program"],
    }
    needs = " and NumPy" if rules.with_numpy else " and no other package"
    return assemble(_write_docstring(player, inside, needs), [numbers, *parts], sections)


def board_game(player: EvolvedPlayer) -> BoardGame:
    """Return the game of a *player* of a board game."""
    return cast("BoardGame", player.game)


def check_search(player: EvolvedPlayer) -> None:
    """Check that exported bots can play as *player* does.

    Raises:
        BadValueError: The player makes random moves, or searches a tree by rollouts.
    """
    if player.packed.seats[0, NOISE]:
        raise BadValueError(f"{player.name} makes random moves: export it without noise")
    if player.packed.seats[0, ROLLOUTS]:
        raise BadValueError(
            f"{player.name} searches a tree by rollouts, which exported bots do not:"
            " name a depth, such as RUN,depth=2"
        )


class Rules:
    """Source code of a game's rules: some functions of its file, and all that they need.

    Args:
        game: Game, with its options.
        names: Names of the functions of the file that are needed.
        beside: Sources of the other parts of the bot.

    Raises:
        BadValueError: The file imports something that can't be exported.
    """

    def __init__(self, game: BoardGame, names: Collection[str], beside: list[str]) -> None:
        self.game = game
        self.source = replace_constants(game.source, constants_of(game.rules))
        self.tree = ast.parse(self.source)
        self.needed = _find_needed(self.tree, names)
        self.own = self._cut_source()

        # Bundle the imports, first as if the file does without NumPy
        plain = VIEW.sub(r"view_as(\1, \2)", self.own)
        named = self._find_imports()
        if game.scripts and any(game.scripts.get(name) for name in names):
            named["next_word"] = stream.next_word
        own = [node for node in self.needed if not isinstance(node, ast.Import | ast.ImportFrom)]
        beside = [*beside, *map(ast.unparse, own)]
        place = re.sub(r"\W", "_", game.name)
        self.imported, self.called = bundle(named, place, board, beside)
        texts = f"{self.imported}{plain}{self.kept}"

        # NumPy is needed if the rules use anything that the bot's own numbers lack
        used = set(re.findall(r"\bnp\.(\w+)", texts)) - PLAIN_NAMES
        self.with_numpy = bool(used) or "numpy" in self.kept or self._changes_parts()
        if not self.with_numpy:
            self.own = plain
        else:
            self.imported, self.called = bundle(named, place, board_numpy, beside)

        # Indent it all as the body of a function
        kept = [*self.kept.splitlines(keepends=True), *self._rename()]
        body = "".join([*(f"    {line}" for line in kept), self.own])
        body = re.sub(r"\n{3,}", "\n\n", body)
        self.text = f'''

def define_rules():
    """Return the definitions of the game's file, by name."""
    {body.strip()}

    return locals()


'''

    def _changes_parts(self) -> bool:
        """Test if the rules assign to slices of arrays, which Python's lists can't replace."""
        return any(
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Slice)
            and isinstance(node.ctx, ast.Store)
            for statement in self.needed
            for node in ast.walk(statement)
        )

    def _rename(self) -> list[str]:
        """Return assignments that bind bundled imports to the names that the rules use."""
        return [f"{name} = {place}\n" for name, place in self.called.items() if name != place]

    def _find_imports(self) -> dict[str, Named]:
        """Return the objects that the needed part of the file imports and must bundle, by name.

        Imports from Python's standard library and NumPy are kept as statements, in ``self.kept``.
        """
        used = {
            inner.id
            for node in self.needed
            if not isinstance(node, ast.Import | ast.ImportFrom)
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name)
        }
        found, kept = dict[str, Named](), list[str]()
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
        """Return the needed part of the file, without imports, as lines of a function."""
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
        within = {  # texts of several lines keep their indentation
            number
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            for number in range(node.lineno + 1, (node.end_lineno or 0) + 1)
        }
        return "".join(
            line if number in within or not line.strip() else f"    {line}"
            for number, line in enumerate(lines, 1)
        )


def _find_needed(tree: ast.Module, names: Collection[str]) -> list[ast.AST]:
    """Return the statements that define *names*, all that they need, and those without a name."""
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
    # Follow the names that each statement uses
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.append(one)
            used = {inner.id for inner in ast.walk(one) if isinstance(inner, ast.Name)}
            waiting += [other for name in used for other in defined.get(name, ())]
    return found


def find_facts(player: EvolvedPlayer) -> dict[str, int]:
    """Return the constants of its game and its player that an exported bot needs, by name."""
    game = board_game(player)
    decoder = player.decoder
    code, seat = game.code, player.packed.seats[0]
    names = ("MOVES", "PLANES", "CELLS", "SEATS", "PIECES", "SEES_CELLS", "HAS_POINTS", "LONGEST")
    facts: dict[str, int] = {name: getattr(code, name) for name in names}
    is_value = decoder.head == "value"
    turns = BY_SEAT if getattr(decoder, "by_seat", False) else AGAIN * bool(_read(decoder, "turns"))
    return facts | {
        "SIZE": len(code.START),
        "HAS_CHANCE": bool(code.HAS_CHANCE),
        # Whether a network also sees whether it is its turn, or its seat.
        "TURNS": turns,
        "STAGES": max(1, _read(decoder, "stages")),
        "SPAN": _read(decoder, "span"),
        "STAGE_PLANES": _read(decoder, "stage_planes"),
        "TAKES_WINS": bool(seat[TAKES_WINS]),
        "SETTING": int(seat[SETTING]),
        # The numbers that the file's functions write.
        "FEATURES": _read(decoder, "counted"),
        "MOVE_FEATURES": int(code.MOVE_FEATURE_COUNT) * (decoder.head == "action"),
        "BINS": _read(decoder, "bins"),
        # Whether moves are tried in what a seat knows of a state.
        "GUESSES": bool(code.HAS_GUESS) and is_value,
        # How earlier positions end a game.
        "REPETITION": int(code.REPETITION),
        "NO_PROGRESS": int(code.NO_PROGRESS),
        "HAS_KEY": "key" in game.plain and bool(code.REPETITION),
        "HAS_PROGRESS": "progress" in game.plain and bool(code.HAS_PAST),
        # How it looks ahead.
        "CAN_SEARCH": is_value and not game.why_no_search,
        "DEPTH": int(seat[DEPTH]),
        "HAS_QUIET": bool(code.HAS_QUIET),
        "UNIT": 1 if isinstance(player, TuplePlayer) else RESOLUTION,
    }


def _read(decoder: object, name: str) -> int:
    """Return a number of a *decoder*, or 0 if its class lacks that attribute."""
    return int(getattr(decoder, name, 0))


def _write_facts(player: EvolvedPlayer) -> str:
    """Write the definitions of the constants that the rest of the bot needs."""
    game = board_game(player)
    facts, code = find_facts(player), game.code
    kinds = ["np.uint64" if isinstance(number, np.uint64) else "int" for number in code.START]

    def tell(*names: str) -> str:
        return f"{', '.join(names)} = {', '.join(str(facts[name]) for name in names)}"

    return f"""\
{tell("TAKES_WINS")}
# What the network sees beside its planes: 1 if it is its turn, 2 the number of its seat; and at how
# many stages of a game, by the number of pieces, it differs, how many numbers make a stage, and
# from which plane on pieces, or numbers, count.
{tell("TURNS", "STAGES", "SPAN", "STAGE_PLANES")}
# How many numbers the network is given that the rules count of a state, and of a move.
{tell("FEATURES", "MOVE_FEATURES")}
# If above 0, so many values of each of the former are told apart, the last one from less alone.
{tell("BINS")}
# How many moves, planes, cells, seats and kinds of pieces of a player the game has.
{tell("MOVES", "PLANES", "CELLS", "SEATS", "PIECES")}
# How a state is kept: how many numbers, and the type of each, or of all of them in an array.
{tell("SIZE")}
KINDS = {"()" if code.IS_ARRAY else f"({', '.join(kinds)},)"}
ARRAY = "{code.START.dtype if code.IS_ARRAY else ""}"
{tell("SEES_CELLS")}
{tell("HAS_POINTS")}
{tell("HAS_CHANCE")}
# At how many occurrences of a position, and after how many moves in a row without progress, a game
# is over; 0 if never. And whether the rules tell positions apart, and progress.
{tell("REPETITION", "NO_PROGRESS", "HAS_KEY", "HAS_PROGRESS")}
# Whether the rules hide something from seats, and whether moves are tried as the seat to move knows
# the state.
HIDES, GUESSES = {"view" in game.plain}, {facts["GUESSES"]}
# What the game's file notes down for itself; whether it says which moves are worth weighing, and
# what its functions are told of this player.
NOTES = make_array("int64", [0] * {max(1, int(code.NOTES))})
PRUNES, SETTING = {bool(code.HAS_PRUNE)}, {facts["SETTING"]}
# The state before the first move and before chance; and after how many moves the arena ends a game.
FIRST_STATE = {[int(number) for number in code.START]!r}
{tell("LONGEST")}
# Whether it can look ahead, how many plies it does unless it is told, and whether the rules say
# after which moves it looks farther. What the network says times UNIT is what it goes by.
{tell("CAN_SEARCH", "DEPTH", "HAS_QUIET", "UNIT")}
{_write_questions(player)}"""


def _write_questions(player: EvolvedPlayer) -> str:
    """Write wrappers for those functions of the game's file that take optional parameters."""
    game = board_game(player)
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
    """Call the function of the game's file."""
{lines}    return RULES["{name}"]({", ".join(given)})
''')
    nothing = "".join(f"ask_{name} = " for name in missing) + "None\n"
    return "".join([nothing if missing else "", *texts, "\n\n" if texts else ""])


def list_asked(game: BoardGame, script: str) -> tuple[str, ...]:
    """Return the mandatory parameters of a *script* function, with or without a list of moves."""
    lists = int(game.code.LISTING) >> list(game.scripts).index(script) & 1
    return ("state", "moves", "count") if lists else ("state",)


def list_told(player: EvolvedPlayer) -> list[str]:
    """Return names of the file's optional functions that the bot calls, such as ``features``."""
    game = board_game(player)
    head, facts = player.decoder.head, find_facts(player)
    found = ["features"] * bool(facts["FEATURES"])
    found += ["describe_move"] * bool(facts["MOVE_FEATURES"])
    found += ["view"] if "view" in game.plain else []
    found += ["prune"] if head == "action" and game.code.HAS_PRUNE else []
    if head == "kinds":
        found += ["kinds", list(game.scripts)[player.packed.seats[0, SCRIPT]]]
    return found


def _write_docstring(player: EvolvedPlayer, inside: NetworkSource, needs: str) -> str:
    game = board_game(player)
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
    """Return the docstring's example program, in which the bot plays a game, as indented lines."""
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


def describe_depth(player: EvolvedPlayer) -> list[str]:
    """Return a list with one line about the bot's search depth; empty without a search."""
    depth = find_facts(player)["DEPTH"]
    return [f"search: alpha-beta, {depth} {'ply' if depth == 1 else 'plies'}"] if depth else []


def write_search_help(player: EvolvedPlayer, deep: str, timed: str) -> str:
    """Return a sentence, after a space, on how to make the bot search; empty if it can't search.

    Args:
        player: Player that is exported.
        deep: Code or command that makes the bot look three plies ahead, as the sentence quotes it.
        timed: Code or command that makes it search for half a second.
    """
    if not find_facts(player)["CAN_SEARCH"]:
        return ""
    return f" {deep} looks three plies ahead, {timed} as far as it can in half a second."


def _quote_file(player: EvolvedPlayer) -> str:
    """Quote the docstring of the game's file, indented."""
    game = board_game(player)
    text = ast.get_docstring(ast.parse(game.source)) or "nothing"
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return textwrap.indent(text, " " * 4)
