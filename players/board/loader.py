"""Loader of games in one file, which users write in plain Python.

`evolve_arena.players.board.example` is such a file, with all optional parts. The file is run, and
its definitions are checked. Compiled matches import a copy: the file first, unchanged, so that line
numbers stay right, then defaults for missing parts, and decorators for the functions to compile.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import os
import sys
import tempfile
from collections import namedtuple
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Annotated, Any, NoReturn

import numpy as np

from evolve_arena.core import compiled
from evolve_arena.core.attribute_docs import read_docs
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.game import MAX_SEATS, GameSpec, Option
from evolve_arena.core.types import Position
from evolve_arena.core.user_code import describe_failure
from evolve_arena.players.board.game import COUNTS, BoardGame, GameFileError, run_plain
from evolve_arena.players.board.kernel import make_kernel
from evolve_arena.players.board.networks import make_networks
from evolve_arena.players.board.page_board import UNDRAWN, BoardGamePage
from evolve_arena.players.board.scripted import make_kinds, name_kind
from evolve_arena.players.board.searching import SEARCHES
from evolve_arena.players.board.self_check import check_at_first, guard, watch
from evolve_arena.players.board.solving import find_first_endgames
from evolve_arena.players.board.text_ui import BoardDialect, BoardText
from evolve_arena.players.dialects import HOSTS, Dialect
from evolve_arena.players.page_board import SHAPES
from evolve_arena.players.specification import EVOLVED, KINDS

OURS = Path(__file__).resolve().parents[2] / "games"
"""Folder of the shipped games, which tests check, so that they are loaded without a check."""
LARGEST = 1 << 20
"""Maximum bytes of a file."""
ALWAYS = ("start", "to_move", "legal", "play")
WITH_POINTS = ("is_over", "points")
WITH_CHANCE = ("chance", "resolve")
WITH_GUESS = ("view", "guesses")
DEFAULTS = {
    "result": "def result(state):\n    return 2\n",
    "is_over": "def is_over(state):\n    return False\n",
    "points": "def points(state, seat):\n    return 0\n",
    "see": "def see(state, seat, planes):\n    pass\n",
    "evaluate": "def evaluate(state, seat):\n    return 0\n",
    "wins": "def wins(state, moves):\n    return 0\n",
    "changes": "def changes(state, move, seat, bits):\n    return 0\n",
    "safe": "def safe(state, moves):\n    return 0\n",
    "gain": "def gain(state, move):\n    return 0\n",
    "order": "def order(state, move):\n    return 0\n",
    "quiet": "def quiet(state):\n    return True\n",
    "key": "def key(state):\n    return 0\n",
    "legal_bits": "def legal_bits(state):\n    return 0\n",
    "endgame": "def endgame(state):\n    return -1\n",
    "endgame_state": "def endgame_state(number):\n    return START\n",
    "features": "def features(state, seat, out):\n    pass\n",
    "describe_move": "def describe_move(state, move, seat, out):\n    pass\n",
    "prune": "def prune(state, seat, moves, count):\n    return count\n",
    "kinds": "def kinds(state):\n    return 1\n",
    "tally": "def tally(state, seat, out):\n    pass\n",
    "progress": "def progress(state, move):\n    return False\n",
    "chance": "def chance(state):\n    return 0\n",
    "resolve": "def resolve(state, outcome):\n    return state\n",
    "guesses": "def guesses(state, seat):\n    return 0\n",
    "guess": "def guess(state, seat, number):\n    return state\n",
}
"""Default definitions of functions that a file leaves out."""
OPTIONAL = (
    *("wins", "safe", "changes", "gain", "order", "quiet", "key", "legal_bits", *COUNTS),
    *("prune", "kinds", "endgame", "endgame_state"),
)
"""Functions that make players faster without changing results, or that some networks need."""
FILLED = {
    **{"SEATS": 2, "CELLS": 64, "WIDTH": "CELLS", "PIECES": 1, "ONLY_WINS": False},
    **{"MOVES_STAY": False, "STACKS": False, "REPETITION": 0, "NO_PROGRESS": 0, "STAKE": 0},
    **{"NOTES": 0},
}
"""Constants that a file may leave out, with their defaults."""
FREE = (
    *("MOVES", "LONGEST", "OPTIONS", "SEATS", "CELLS", "WIDTH", "SHAPE", "PIECES", "PLANES"),
    *("REPETITION", "NO_PROGRESS", "STAKE", "NOTES", "KINDS", "TALLIES", "LIMITS"),
    *COUNTS.values(),
    *(
        "ONLY_WINS",
        "MOVES_STAY",
        "STACKS",
        "PLANE_NAMES",
        "PLANE_VALUES",
        "FEATURE_VALUES",
        *("SYMMETRY", "NEIGHBOURS"),
    ),
    *("SIDES", "SIGNS", "ENDINGS", "ENDGAMES"),
    *("OPPONENTS", "LADDER", "PLAYERS", "POSITIONS", *(host.upper() for host in HOSTS)),
    *("view", "name_move", "read_move", "name_turn", "read_position", "place_cell", "name_cell"),
    *("draw", "find_owner", "find_cell", "tell"),
    *("show", "openspiel_move", "pettingzoo_state", "SITES", "read_setting", "name_setting"),
)
"""Other names that a file may define."""
COMPILED = ("to_move", "legal", "play", *DEFAULTS)
"""Functions that compiled matches call."""
RULES = tuple(
    name
    for name in COMPILED
    if name not in (*OPTIONAL, "guesses", "guess", "tally") or name == "quiet"
)
"""Functions needed to play by a file, also with a search."""
SYMMETRIES = ("none", "mirror", "turn", "all")
MAX_MOVES = 1 << 16
MAX_PLIES = 2**15 - 1
ENDS = {"REPETITION": (2, 100), "NO_PROGRESS": (1, MAX_PLIES)}
"""Constants that end games because of earlier positions, with their lowest and highest values."""
MAX_CELLS = 1 << 12
MAX_PLANES = 256
MAX_FEATURES = 1 << 12
MAX_PLAYERS = 32
MAX_NOTES = 1 << 16
MAX_KINDS = 16
MAX_TALLIES = 16
MAX_ENDGAMES = 1 << 27
ASKED = ("state", "moves", "count")
"""First parameters of a scripted player, the last two of them optional; others may follow."""
TOLD = {
    "features": ("state", "seat", "out"),
    "describe_move": ("state", "move", "seat", "out"),
    "prune": ("state", "seat", "moves", "count"),
}
"""Parameters of functions after which *notes* and *setting* may follow."""
MORE = ("notes", "setting")


def load_game(
    path: Path | str, name: str | None = None, source: str | bytes | None = None
) -> GameSpec:
    """Load the game in the file at *path*, which is run.

    A game that does not ship is checked: at once by its plain rules, and before the first match by
    the compiled ones; see `evolve_arena.players.board.self_check`.

    Args:
        path: File as described in docs/guides/your-own-game.md.
        name: Name of the game; by default that of the file, with hyphens.
        source: Text of the file if it was read before; by default it is read.

    Raises:
        GameFileError: The file cannot be read, fails, or lacks something; the message names the
            line.
    """
    path = Path(path)
    try:
        if source is None:
            source = read_file(path, LARGEST)
        text = source if isinstance(source, str) else source.decode("utf-8")
    except OSError as error:
        raise GameFileError(f"{path}: {explain_unread(error, path)}") from None
    except UnicodeDecodeError:
        raise GameFileError(f"{path}: this is no text") from None
    # The file and its class
    with watch(path):
        file = _GameFile(path, text)
    game = file.make_class(name or path.stem.replace("_", "-"))
    seats = file.options.get("SEATS", (file.number("SEATS", 2, 2, MAX_SEATS),))
    two = list(seats) == [2]
    # Searches that the rules allow, and default opponents of increasing strength
    searches, is_open = dict(SEARCHES), "view" not in file.plain
    trees = is_open or file.has_guess
    ladder = ["random", *(f"mcts:rollouts={10**power}" for power in range(1, 4) if trees)]
    usual = "mcts:rollouts=100" if trees else ""
    if 2 not in seats or not is_open:
        searches.pop("minimax", None)
    if two and is_open and "evaluate" in file.plain:
        usual = "minimax:depth=2,noise=0.2"
        ladder[1:1] = (f"minimax:depth={depth},noise=0.2" for depth in range(1, 5))
    opponents = file.plain.get("OPPONENTS", (usual, "random") if usual else ("random",))
    # Scripted players
    told = [str(file.plain[name].__doc__ or "").strip() for name in file.scripts]
    scripted = make_kinds(game, [text.partition("\n")[0].rstrip(".") for text in told])
    ladder[1:1] = (name for name in opponents if name in scripted)
    ladder = list(file.plain.get("LADDER", ladder))
    # Networks and compiled matches; foreign files are checked first.
    networks = make_networks(game)
    longest = file.plain["LONGEST"]
    kernel = make_kernel(game.place, file.has_chance, file.has_points, longest, find_first_endgames)
    if not path.resolve().is_relative_to(OURS):
        with watch(path):
            check_at_first(game)
        kernel = guard(kernel)
    return GameSpec(
        game=game,
        kernel=kernel,
        networks=networks,
        players={**searches, **scripted},
        opponents=tuple(opponents),
        ladder=tuple(ladder),
        most_seats=max(seats),
        seats_option="seats" if "SEATS" in file.options else None,
        has_chance=file.has_chance,
        columns=dict.fromkeys(file.list_columns(), ("int32", True)),
        limits=file.plain.get("LIMITS", ()),
        positions=file.positions,
        make_text_ui=BoardText,
        make_board=BoardGamePage,
        dialects={**file.find_dialects(), "plain": BoardDialect()},
    )


def find_misspelt(source: str) -> list[str]:
    r"""Return unused names of a *source* that nearly equal those of a game's file.

    >>> find_misspelt("SYMETRY = 'all'\ndef pionts(state, seat): ...")
    ['SYMETRY (line 1): did you mean SYMMETRY?', 'pionts (line 2): did you mean points?']
    """
    # Names defined at the top level, and all names that are used
    tree = ast.parse(source)
    lines: dict[str, int] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            lines[node.name] = node.lineno
        elif isinstance(node, ast.Assign):
            names = (each for each in ast.walk(node) if isinstance(each, ast.Name))
            lines |= {each.id: node.lineno for each in names if isinstance(each.ctx, ast.Store)}
    used = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    } | {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    # Unused ones that resemble a name of the framework, functions and constants apart
    known = {*ALWAYS, *DEFAULTS, *FREE}
    found = []
    for name in lines.keys() - used - known:
        same_kind = [each for each in known - lines.keys() if each.isupper() == name.isupper()]
        near = difflib.get_close_matches(name, sorted(same_kind), n=1, cutoff=0.75)
        found += [(lines[name], f"{name} (line {lines[name]}): did you mean {n}?") for n in near]
    return [sentence for _, sentence in sorted(found)]


class _GameFile:
    """Definitions of a game's file.

    Args:
        path: Path of the file.
        source: Text of the file.

    Raises:
        GameFileError: The file is no game.
    """

    def __init__(self, path: Path, source: str) -> None:
        self.path, self.source = path, source
        try:
            self.tree = ast.parse(source, str(path))
            self.plain = run_plain(source, path, {})
        except Exception as error:
            raise GameFileError(describe_failure(error, path)) from None
        self.has_points = "points" in self.plain
        self.has_chance = "chance" in self.plain
        self.has_guess = "guess" in self.plain
        # Functions that must be there
        needed = [*ALWAYS, *(WITH_POINTS if self.has_points else ("result",))]
        needed += WITH_CHANCE if self.has_chance else ()
        needed += WITH_GUESS if self.has_guess else ()
        for name in needed:
            if not callable(self.plain.get(name)):
                misspelt = "; ".join(find_misspelt(source))
                raise GameFileError(
                    f"{path} has no function {name}{f': {misspelt}' if misspelt else ''}"
                )
        # Constants, then functions of features and scripted players
        self.options = self._read_options()
        self.moves = self.number("MOVES", None, 1, MAX_MOVES)
        self.number("LONGEST", None, 1, MAX_PLIES)
        self.number("SEATS", 2, 2, MAX_SEATS)
        if self.number("STAKE", 0, 0, 2**30) and not self.has_points:
            self.fail("STAKE", "STAKE needs functions is_over and points")
        for host in HOSTS:
            if not isinstance(self.plain.get(host.upper(), ""), str):
                self.fail(host.upper(), f"{host.upper()} must be the game's name there, a text")
        self.positions = self._find_positions()
        self._check_past()
        self.begin = self._begin()
        self._check_view_of_networks()
        for function, name in COUNTS.items():
            self._check_counts(function, name)
        self._check_endgames()
        self._check_lists()
        self.number("NOTES", 0, 0, MAX_NOTES)
        self._functions = {
            node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)
        }
        self.asks = {name: self._find_more(name, told) for name, told in TOLD.items()}
        self.scripts = self._find_scripts()
        self._check_kinds()

    def find_dialects(self) -> dict[str, Dialect]:
        """Return the protocols of contest sites, by name; see `BoardGame.sites`.

        Raises:
            GameFileError: There is no such module.
        """
        name = self.plain.get("SITES")
        if name is None:
            return {}
        try:
            return dict(import_module(name).DIALECTS)
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            self.fail("SITES", f"SITES is {name!r:.60}: it must be a module: {error}")

    def _find_positions(self) -> tuple[Path, ...]:
        """Return the files that POSITIONS names, relative to this one's folder."""
        told = self.plain.get("POSITIONS", ())
        found = [told] if isinstance(told, str) else told
        if not isinstance(found, tuple | list) or not all(map(_is_csv_beside, found)):
            example = '"data/positions.csv", the path of a file beside this one, or several'
            self.fail("POSITIONS", f"POSITIONS is {told!r:.60}: it must look like {example}")
        return tuple(self.path.parent / name for name in found)

    def _find_scripts(self) -> dict[str, bool]:
        """Return the functions that PLAYERS names: True for those that get a random number."""
        told, found = self.plain.get("PLAYERS", ()), dict[str, bool]()
        if not isinstance(told, tuple | list) or len(told) > MAX_PLAYERS:
            self.fail("PLAYERS", f'PLAYERS must look like ("greedy",), with up to {MAX_PLAYERS}')
        for name in told:
            if not isinstance(name, str) or name not in self._functions:
                self.fail("PLAYERS", f"PLAYERS names {name!r:.40}, but there is no such function")
            if name in (*ALWAYS, *DEFAULTS, *FREE) or name_kind(name) in (
                *KINDS,
                *EVOLVED,
                *SEARCHES,
            ):
                self.fail("PLAYERS", f"no player can be called {name}: that means something else")
            self.asks[name] = self._find_more(name, ASKED, ("random", *MORE, "kind"))
            found[name] = "random" in self.asks[name]
        return found

    def _find_more(
        self, name: str, told: tuple[str, ...], more: tuple[str, ...] = MORE
    ) -> tuple[str, ...]:
        """Return the optional parameters of a function after the required ones: some of *more*."""
        if name not in self._functions:
            return ()
        parameters = tuple(each.arg for each in self._functions[name].args.args)
        least = told[:1] if told == ASKED and "moves" not in parameters else told
        rest = parameters[len(least) :]
        if parameters[: len(least)] != least or not set(rest) <= set(more):
            *most, last = more
            self.fail(
                name,
                f"{name} takes ({', '.join(parameters)}): write ({', '.join(told)}), and behind"
                f" them {', '.join(most)} or {last} if it needs them",
            )
        if "notes" in rest and not self.plain.get("NOTES"):
            self.fail(name, f"{name} takes notes: say how many numbers, such as NOTES = 16")
        return rest

    def _list_parameters(self, name: str) -> set[str]:
        return {each.arg for each in self._functions[name].args.args}

    def list_columns(self) -> list[str]:
        """List the columns of results: ``points`` and TALLIES of each seat; none without points."""
        told = self.plain.get("TALLIES", ())
        return ["points", *(name.replace(" ", "_") for name in told)] if self.has_points else []

    def _check_kinds(self) -> None:
        """Check that KINDS and TALLIES agree with the functions of the file.

        Raises:
            GameFileError: They do not.
        """
        for name, function, least, most in (
            ("KINDS", "kinds", 2, MAX_KINDS),
            ("TALLIES", "tally", 1, MAX_TALLIES),
        ):
            told = self.plain.get(name)
            if (function in self.plain) != (told is not None):
                given, lacking = (
                    (function, name) if told is None else (name, f"function {function}")
                )
                self.fail(given, f"{given} needs {lacking}")
            if told is not None and not (
                isinstance(told, tuple | list)
                and least <= len(told) <= most
                and all(isinstance(each, str) and each.strip() for each in told)
                and len(set(told)) == len(told)
            ):
                self.fail(name, f"{name} must be a list of {least} to {most} different names")
        if "TALLIES" in self.plain and not self.has_points:
            self.fail("TALLIES", "TALLIES needs functions is_over and points")
        if "KINDS" in self.plain and not any("kind" in self.asks[name] for name in self.scripts):
            text = "KINDS needs a scripted player with a parameter kind, which chooses the move"
            self.fail("KINDS", text)

    def _check_lists(self) -> None:
        """Check that values of planes and features, and marks of pieces, are valid lists.

        Raises:
            GameFileError: One is not.
        """
        for name, kinds, what in (
            ("PLANE_VALUES", (int, float), "numbers, such as (1.0, -1.0)"),
            ("FEATURE_VALUES", (int, float), "numbers, such as (1.0, -1.0)"),
            ("MARKS", (str,), "texts, one for each kind of piece"),
        ):
            told = self.plain.get(name)
            is_list = isinstance(told, tuple | list) and len(told) > 0
            if told is not None and not (is_list and all(isinstance(n, kinds) for n in told)):
                self.fail(name, f"{name} is {told!r:.40}: it must be a list of {what}")

    def _check_past(self) -> None:
        """Check the constants by which earlier positions end games."""
        self.ends_by = [name for name in ENDS if name in self.plain]
        for name in self.ends_by:
            self.number(name, None, *ENDS[name])
            if self.has_chance or "view" in self.plain:
                self.fail(name, f"{name} is for games without chance in which nothing is hidden")
        if "NO_PROGRESS" in self.ends_by and "progress" not in self.plain:
            self.fail("NO_PROGRESS", "NO_PROGRESS needs a function progress(state, move)")

    def number(self, name: str, default: int | None, lowest: int, highest: int) -> int:
        """Return the whole number that the file calls *name*.

        Args:
            name: Name of a constant of the file, such as ``MOVES``.
            default: Value if the file does not define it; None if it must.
            lowest: Lowest value allowed.
            highest: Highest value allowed.

        Raises:
            GameFileError: It is no whole number, out of range, or missing without a default.
        """
        value = self.plain.get(name, default)
        if value is None:
            raise GameFileError(f"{self.path} does not define {name}")
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            self.fail(name, f"{name} is {value!r:.60}: it must be a whole number")
        if not lowest <= value <= highest:
            self.fail(name, f"{name} is {value}: it must be from {lowest} to {highest:,}")
        return int(value)

    def fail(self, name: str, sentence: str) -> NoReturn:
        """Reject the file because of its definition of *name*.

        Raises:
            GameFileError: Always.
        """
        raise GameFileError(f"{self.path}{self._find_line(name)}: {sentence}")

    def _find_line(self, name: str) -> str:
        """Return ``, line N``, where the file defines a *name*; empty if it does not."""
        for node in self.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [node]
            for target in targets:
                inner = target.elts if isinstance(target, ast.Tuple) else [target]
                names = [getattr(each, "id", getattr(each, "name", None)) for each in inner]
                if name in names:
                    return f", line {node.lineno}"
        return ""

    def _read_options(self) -> dict[str, tuple[int, ...]]:
        """Return the possible values of each of OPTIONS."""
        found = {}
        given = self.plain.get("OPTIONS", {})
        if not isinstance(given, Mapping):
            self.fail("OPTIONS", 'OPTIONS must look like {"SIZE": range(5, 20)}')
        for name, values in given.items():
            own = self.plain.get(name)
            if not isinstance(own, int) or not isinstance(values, range | tuple | list):
                self.fail("OPTIONS", f"the option {name} needs a line {name} = ... and its values")
            if own not in values:
                self.fail("OPTIONS", f"{name} is {own}, which its option does not allow")
            line = f"{name} = "
            if not any(text.startswith(line) for text in self.source.splitlines()):
                self.fail("OPTIONS", f"an option needs a line of its own: {name} = {own}")
            found[name] = tuple(values)
        return found

    def _begin(self) -> Position:
        """Return the state before the first move, after checking what ``start`` returns."""
        try:
            begin, again = self.plain["start"](), self.plain["start"]()
        except Exception as error:
            raise GameFileError(describe_failure(error, self.path)) from None
        if isinstance(begin, np.ndarray):
            if begin.ndim != 1 or begin.dtype.kind not in "iu" or not begin.size:
                self.fail("start", "start must give a flat array of whole numbers")
        elif not (
            isinstance(begin, tuple)
            and begin
            and all(isinstance(number, int | np.integer) for number in begin)
        ):
            self.fail(
                "start",
                f"start gives {begin!r:.60}: a state is a tuple of whole numbers, or an array",
            )
        if not np.array_equal(np.array(begin, dtype=object), np.array(again, dtype=object)):
            self.fail("start", "start gives another state each time: leave that to chance(state)")
        return begin

    def _check_view_of_networks(self) -> None:
        if "see" in self.plain:
            self.number("PLANES", None, 1, MAX_PLANES)
            cells = self.number("CELLS", 64, 1, MAX_CELLS)
            self._check_numbers(cells)
            return
        if "CELLS" not in self.plain:
            raise GameFileError(
                f"{self.path} has no function see, and no CELLS from which to derive it"
            )
        cells = self.number("CELLS", None, 1, MAX_CELLS)
        self._check_numbers(cells)
        array = self.begin
        if not isinstance(array, np.ndarray) or array.size < cells:
            self.fail(
                "start",
                "without a function see, a state must be an array of whole numbers, such as"
                f" np.int8, that begins with the {cells} cells",
            )

    def _check_numbers(self, cells: int) -> None:
        """Check PLANE_NUMBERS: one number for all planes, or beside a board one for each plane.

        Raises:
            GameFileError: It is neither.
        """
        told = self.plain.get("PLANE_NUMBERS", 1)
        if not isinstance(told, tuple | list):
            self.number("PLANE_NUMBERS", 1, 1, cells)
            return
        planes = self.plain.get("PLANES")
        if "see" not in self.plain:
            fault = "a list of numbers is for planes that a function see fills"
        elif not self.find_symmetry():
            fault = "a list of numbers is for planes beside a board, with WIDTH and SYMMETRY"
        elif self.plain.get("STACKS"):
            fault = "with STACKS networks see no numbers"
        elif len(told) != planes:
            fault = f"PLANES is {planes}: it must list so many numbers"
        elif not all(isinstance(each, int) and 0 <= each <= cells for each in told):
            fault = f"each must be a whole number from 0 to CELLS, {cells}"
        elif told[0] or 0 in told[told.count(0) :]:
            fault = "zeros, for planes of cells, come first, such as (0, 0, 9, 9)"
        else:
            return
        self.fail("PLANE_NUMBERS", f"PLANE_NUMBERS is {told}: {fault}")

    def _check_counts(self, function: str, name: str) -> None:
        """Check that a *function* of features has its constant *name*, such as FEATURES.

        Raises:
            GameFileError: One of them is missing, or the names are invalid.
        """
        if (function in self.plain) != (name in self.plain):
            given = function if function in self.plain else name
            what = name if given == function else f"a function {function}"
            self.fail(given, f"{given} needs {what}: how many numbers are counted, or their names")
        told = self.plain.get(name, 1)
        if not isinstance(told, tuple | list):
            self.number(name, 1, 1, MAX_FEATURES)
        elif not (
            1 <= len(told) <= MAX_FEATURES
            and all(isinstance(each, str) and each.strip() for each in told)
            and len(set(told)) == len(told)
        ):
            self.fail(name, f"{name} must name each number by another text, such as ('seeds',)")

    def _check_endgames(self) -> None:
        """Check that ENDGAMES and its two functions are there together, and list groups.

        Raises:
            GameFileError: They are not, or do not.
        """
        parts = [name for name in ("ENDGAMES", "endgame", "endgame_state") if name in self.plain]
        if not parts:
            return
        if len(parts) < 3:
            self.fail(parts[0], "ENDGAMES, endgame and endgame_state are needed together")
        told, example = self.plain["ENDGAMES"], "such as ((2, 1000), (3, 40000))"
        try:
            pieces = [count for count, size in told if size > 0]
            total = sum(size for _, size in told)
        except (TypeError, ValueError):
            self.fail("ENDGAMES", f"ENDGAMES must list pieces and sizes of groups, {example}")
        if len(pieces) < len(told) or pieces != sorted(pieces) or not 0 < total <= MAX_ENDGAMES:
            self.fail(
                "ENDGAMES",
                "ENDGAMES must list groups with fewer pieces first, with up to"
                f" {MAX_ENDGAMES:,} endgames in all, {example}",
            )
        if isinstance(self.begin, np.ndarray) or self.has_chance:
            self.fail("ENDGAMES", "ENDGAMES are for games without chance whose state is a tuple")

    def find_symmetry(self) -> str:
        """Return the symmetry of the board; empty if networks see no cells of a board."""
        if "CELLS" in self.plain and ("SYMMETRY" in self.plain or "see" not in self.plain):
            return str(self.plain.get("SYMMETRY", "none"))
        return ""

    def make_class(self, name: str) -> type[BoardGame]:
        """Return the class of the game."""
        symmetry = self.find_symmetry()
        if symmetry and symmetry not in SYMMETRIES:
            self.fail("SYMMETRY", f"SYMMETRY must be one of {', '.join(SYMMETRIES)}")
        kinds = self.plain.get("SEATS", 2) * self.plain.get("PIECES", 1)
        if self.plain.get("STACKS") and not (symmetry and self.plain.get("PLANES", kinds) == 2):
            self.fail("STACKS", "STACKS is for boards with SYMMETRY, of pieces of one kind")
        if self.plain.get("SHAPE", "square") not in (shapes := (*SHAPES, UNDRAWN)):
            self.fail("SHAPE", f"SHAPE must be one of {', '.join(shapes)}")
        needed = (*RULES, "key") if "REPETITION" in self.ends_by else RULES
        rules = self._make_rules()
        members = {
            "name": name,
            "rules_type": rules,
            "place": self._write_module(),
            "source": self.source,
            "file": self.path,
            "functions": frozenset(_reach(needed, self._find_calls())),
            "scripts": self.scripts,
            "asks": self.asks,
            "title": (ast.get_docstring(self.tree) or name).partition("\n")[0],
            "symmetry": symmetry,
            "__doc__": ast.get_docstring(self.tree),
        }
        made = type(name, (BoardGame,), members)
        rules._game = made
        return made

    def _make_rules(self) -> type[Any]:
        names = [name.lower() for name in self.options]
        defaults = [self.plain[key] for key in self.options]
        rules: Any = namedtuple("Rules", names, defaults=defaults)  # type: ignore[misc]
        rules.__annotations__ = {
            name.lower(): Annotated[
                int, Option() if values == (0, 1) else Option(min(values), max(values), values)
            ]
            for name, values in self.options.items()
        }
        for name, text in read_docs(self.tree.body).items():
            if name in self.options:
                getattr(rules, name.lower()).__doc__ = text
        return rules

    def _write_module(self) -> str:
        """Write the module to compile into the cache; return its full name."""
        text = self.source.rstrip("\n") + "\n\n\n" + self._write_rest()
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        package = f"game_{digest}"
        folder = compiled.cache_folder() / package
        file = folder / "game.py"
        if not file.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", dir=folder, delete=False
            ) as new:
                new.write(text)
            os.replace(new.name, file)
        holder = ModuleType(package)
        holder.__path__ = [str(folder)]
        sys.modules.setdefault(package, holder)
        return f"{package}.game"

    def _write_rest(self) -> str:
        """Return the text that follows the file in the compiled module."""
        missing = {name: text for name, text in DEFAULTS.items() if name not in self.plain}
        is_array = isinstance(self.begin, np.ndarray)
        sees_cells = "see" not in self.plain
        lines = [
            "# What follows was added by Evolve Arena.",
            "import numpy as _np",
            f"from {compiled.__name__} import compiled as _compiled, inlined as _inlined",
            "from evolve_arena.core.stream import hash_word as _hash_word",
            "from evolve_arena.genomes.simd import peek as _peek, poke as _poke",
        ]
        # Defaults of constants and functions
        for name, value in FILLED.items():
            if name not in self.plain:
                lines.append(f"{name} = {value}")
        if "PLANES" not in self.plain:
            lines.append("PLANES = SEATS * PIECES")
        lines += missing.values()
        # Conversion, storing and hashing of states
        if is_array:
            lines += ["START = start()", "def cast_state(state):", "    return state"]
            lines += ["def hash_state(state):", "    return 0"]
            lines += ["def store_state(room, at, state):", "    pass"]
            lines += ["def load_state(room, at):", "    return 0"]
        else:
            kinds = [
                "uint64" if isinstance(number, np.uint64) else "int64" for number in self.begin
            ]
            numbers = [f"_np.{kind}(state[{place}])" for place, kind in enumerate(kinds)]
            lines += ["def cast_state(state):", f"    return ({', '.join(numbers)},)"]
            lines.append("START = cast_state(start())")
            lines.append("def store_state(room, at, state):")
            for place in range(len(kinds)):
                lines.append(f"    _poke(room, at + {place}, _np.int64(state[{place}]))")
            numbers = [f"_np.{kind}(_peek(room, at + {k}))" for k, kind in enumerate(kinds)]
            lines += ["def load_state(room, at):", f"    return ({', '.join(numbers)},)"]
            parts = [
                f"_np.uint64(_hash_word(_np.uint64(state[{place}]), {place + 1}))"
                for place in range(len(kinds))
            ]
            lines += ["def hash_state(state):", f"    return {' + '.join(parts)}"]
        # Views, flags, adapters and counts
        known = "view(state, seat)" if self._compiles_view() else "state"
        numbers = self.plain.get("PLANE_NUMBERS", ())
        beside = np.count_nonzero(numbers) if isinstance(numbers, tuple | list) else 0
        lines += ["def view_state(state, seat):", f"    return {known}"]
        flags = {
            "IS_ARRAY": is_array,
            "SEES_CELLS": sees_cells,
            "HAS_POINTS": self.has_points,
            "HAS_CHANCE": self.has_chance,
            "BOARD_PLANES": f"PLANES - {beside}" if self.find_symmetry() else 0,
            "HAS_PAST": bool(self.ends_by),
            "HAS_GUESS": self.has_guess,
            **{f"HAS_{name.upper()}": name in self.plain for name in OPTIONAL},
        }
        lines += [f"{name} = {value}" for name, value in flags.items()]
        lines += self._write_scripts()
        for name in COUNTS.values():
            count = f"{name} if isinstance({name}, int) else len({name})"
            lines.append(f"{name[:-1]}_COUNT = {count if name in self.plain else 0}")
        lines += [
            f"{count} = {len(self.plain.get(name, ()))}"
            for name, count in (("KINDS", "KIND_COUNT"), ("TALLIES", "TALLY_COUNT"))
        ]
        # Decorators; recursive functions and those with notes cannot be inlined.
        added = ("cast_state", "hash_state", "store_state", "load_state")
        lines += [f"{name} = _inlined({name})" for name in added]
        calls = self._find_calls()
        called = (*COMPILED, *self.scripts, *(("view",) if self._compiles_view() else ()))
        for name in _reach(called, calls):
            recurs = name in _reach(tuple(calls.get(name, ())), calls)
            mark = "_compiled" if recurs or "notes" in self.asks.get(name, ()) else "_inlined"
            lines.append(f"{name} = {mark}({name})")
        wrappers = ("view_state", "choose_scripted", *(f"ask_{name}" for name in TOLD))
        lines += [f"{name} = _inlined({name})" for name in wrappers]
        return "\n".join(lines) + "\n"

    def _compiles_view(self) -> bool:
        """Test whether compiled players need the view of a seat."""
        return self.has_guess or ("view" in self.plain and bool(self.scripts))

    def _write_scripts(self) -> list[str]:
        """Return adapters to scripted players and to functions with optional parameters."""
        drawing = sum(draws << number for number, draws in enumerate(self.scripts.values()))
        lists = [set(ASKED) <= self._list_parameters(name) for name in self.scripts]
        listing = sum(needs << number for number, needs in enumerate(lists))
        lines = [f"SCRIPTS, DRAWING, LISTING = {len(self.scripts)}, {drawing}, {listing}"]
        every = ", ".join(("state", "number", *ASKED[1:], "random", *MORE, "kind"))
        lines.append(f"def choose_scripted({every}):")
        for number, name in enumerate(self.scripts):
            given = ", ".join((*ASKED[: 3 if lists[number] else 1], *self.asks[name]))
            lines += [f"    if number == {number}:", f"        return _np.int64({name}({given}))"]
        lines.append("    return _np.int64(moves[0])")
        for name, told in TOLD.items():
            lines.append(f"def ask_{name}({', '.join((*told, *MORE))}):")
            lines.append(f"    return {name}({', '.join((*told, *self.asks[name]))})")
        return lines

    def _find_calls(self) -> dict[str, set[str]]:
        """Return for each function of the file the names of others that it uses."""
        functions = {
            node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)
        }
        return {
            name: {
                inner.id
                for inner in ast.walk(node)
                if isinstance(inner, ast.Name) and inner.id in functions
            }
            for name, node in functions.items()
        } | {name: set() for name in DEFAULTS if name not in functions}


def _is_csv_beside(name: object) -> bool:
    """Test whether *name* is the relative path of a CSV file in the same folder, or below."""
    path = PurePosixPath(name if isinstance(name, str) else "")
    return path.suffix == ".csv" and not path.is_absolute() and ".." not in path.parts


def _reach(names: tuple[str, ...], calls: Mapping[str, set[str]]) -> list[str]:
    """Return *names*, and all functions that they call, directly or indirectly."""
    found, waiting = [], list(names)
    while waiting:
        name = waiting.pop(0)
        if name in calls and name not in found:
            found.append(name)
            waiting += sorted(calls[name])
    return found
