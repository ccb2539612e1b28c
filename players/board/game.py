"""Python interface of board games whose rules are compiled code."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import replace_constants, specialise
from evolve_arena.core.errors import (
    ArenaError,
    BadValueError,
    GameOverError,
    IllegalMoveError,
    PositionError,
)
from evolve_arena.core.game import AnyGame, Game, Outcome
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import below, hash_word, new_stream
from evolve_arena.core.types import Array, JsonObject, Position, Settings
from evolve_arena.core.user_code import describe_failure
from evolve_arena.players.board.kernel import (
    FLOOR,
    constants_of,
    enter,
    enter_past,
    specialise_board,
)
from evolve_arena.players.board.matches import split_seed
from evolve_arena.players.board.workspace import (
    BAD_CELL,
    BAD_CHANGE,
    BAD_CHOICE,
    BAD_COUNT,
    BAD_DESCRIPTION,
    BAD_FEATURE,
    BAD_GUESSES,
    BAD_KIND,
    BAD_MOVE,
    BAD_OUTCOMES,
    BAD_PRUNING,
    BAD_SEAT,
    BAD_SIGHT,
    BAD_WINS,
    BAD_WRITE,
    MAX_OUTCOMES,
    PAST_SPARE,
    make_states,
    plane_words,
    take_fault,
)

GOES_ON = 2
COUNTS = {"features": "FEATURES", "describe_move": "MOVE_FEATURES"}
"""Functions of features, and the constant that names or counts the numbers that each writes."""
FEW = 3
"""Number of legal moves that a message names."""
MAX_TURNS = 1000
"""Maximum number of positions to visit in listing all turns of several moves."""
RESULTS = ("*", "1-0", "0-1", "1/2-1/2")
"""Results that may follow the last move of a game."""
OUTCOME = "*"
"""Sign before the number of an outcome of chance, from 0, among the moves of a game."""
COUNTED = {2: "twice", 3: "three times"}
RANDOM_GAMES, RANDOM_PLIES = 10, 100
"""Random games, and maximum plies of each, to find out if a player may move twice in a row."""
FAULTS = {
    BAD_COUNT: ("legal", "legal gives {value}: it must give 1 to {moves}"),
    BAD_MOVE: ("legal", "legal lists move {value}: they are 0 to {last}"),
    BAD_SEAT: ("to_move", "to_move gives {value}: it must give 0 to {seats}"),
    BAD_CELL: ("play", "a cell holds {value}: it must be 0 if empty, else 1 to {planes}"),
    BAD_SIGHT: ("see", "see sets one cell's bit in two planes, which SYMMETRY does not allow"),
    BAD_OUTCOMES: ("chance", "chance gives {value}: it must give 0 to {outcomes}"),
    BAD_WINS: ("wins", "wins gives {value}: it must give 0 to {moves}"),
    BAD_CHANGE: ("changes", "changes gives {value}: bits are numbered 0 to {bits}"),
    BAD_FEATURE: ("features", "features writes no finite number into out[{value}]"),
    BAD_DESCRIPTION: (
        "describe_move",
        "describe_move writes no finite number into out[{value}]",
    ),
    BAD_GUESSES: ("guesses", "guesses gives {value}: it must give 0 to {outcomes}"),
    BAD_KIND: ("kinds", "kinds gives {value}: it must set the bits of some of KINDS"),
    BAD_PRUNING: ("prune", "prune gives {value}: it must keep 1 to all of the moves"),
    BAD_WRITE: ("play", "a function writes beyond the end of its array; look for indices"),
}
"""Faults that compiled rules record: the function to blame, and the message."""


class Board(NamedTuple):
    """A position: the rules, and the state as the game's file represents it."""

    rules: Any
    state: tuple[int, ...]
    plies: int = 0
    """Number of moves made so far."""
    rng: int = 0
    """State of the random generator of chance events; 0 in games without chance."""
    past: tuple[tuple[int, ...], ...] = ()
    """Earlier states since the last move that made progress, oldest first; empty where the game's
    end does not depend on them."""

    def __str__(self) -> str:
        """Return the drawing for a terminal."""
        from evolve_arena.players.board.text_ui import BoardText

        return BoardText(type(self.rules)._game(**self.rules._asdict())).draw(self)

    def drawing(self) -> str:
        """Return the numbers of the state."""
        return " ".join(map(str, self.state))


class BoardGame(Game[Board, int]):
    """A game whose rules are a file like `evolve_arena.players.board.example`.

    Python runs the file as it is, compiled matches run copies of it; loading the file checks that
    both agree.
    """

    place: ClassVar[str]
    """Full name of the module that is copied to be compiled."""
    source: ClassVar[str]
    """Text of the file as its author wrote it."""
    file: ClassVar[Path]
    """Path of the file."""
    functions: ClassVar[Collection[str]]
    """Names of the file's functions that make up the rules, without accelerators."""
    title: ClassVar[str]
    """First line of the file's docstring."""
    scripts: ClassVar[Mapping[str, bool]] = {}
    """Names of the functions that are scripted players; True for those that get a random number."""
    asks: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Optional last parameters, such as *random* or *notes*, by the name of the function."""
    symmetry: ClassVar[str] = ""
    """Symmetry of a board whose cells are the bits that networks see: ``none``, ``mirror`` (left
    and right), ``turn`` (half a turn), or ``all`` (any rotation and reflection). Empty if the bits
    are no cells."""

    def __init__(self, **options: int) -> None:
        super().__init__(**options)
        try:
            self.seats = int(self.code.SEATS)
        except ValueError as error:  # each option may be, but not all of them together
            raise BadValueError(str(error)) from None

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the name and the options: the class is made anew in each process."""
        return _restore, (self.name, dict(self.options))

    @cached_property
    def code(self) -> ModuleType:
        """Module of the rules to compile for these options, with the game's constants."""
        return specialise([self.place], constants_of(self.rules))[0]

    @cached_property
    def plain(self) -> dict[str, Any]:
        """Definitions of the file with these options, by name, not compiled."""
        return run_plain(self.source, self.file, constants_of(self.rules))

    @cached_property
    def why_no_values(self) -> str:
        """Reason why no search that values states can play the game; empty if one can."""
        return (
            "" if self.seats == 2 else f"seats is {self.seats}: such searches are for games of two"
        )

    @cached_property
    def why_no_search(self) -> str:
        """Reason why alpha-beta cannot play the game; empty if it can."""
        hidden = "something is hidden, and a search would see it" if "view" in self.plain else ""
        return self.why_no_values or hidden

    @cached_property
    def why_no_rollouts(self) -> str:
        """Reason why Monte Carlo tree search cannot play the game; empty if it can."""
        if "view" in self.plain and not self.code.HAS_GUESS:
            return (
                "something is hidden, and a search would see it: give the file functions guesses"
                " and guess, which draw it anew"
            )
        return ""

    @cached_property
    def highest_number(self) -> int:
        """Highest number that a plane encodes by the count of its bits; 0 if none does.

        The file sets it in ``PLANE_NUMBERS``.
        """
        return 0 if self.symmetry else int(self.plain.get("PLANE_NUMBERS", 0))

    @cached_property
    def numbers_beside(self) -> tuple[int, ...]:
        """Highest number of each plane, the last ones, that encodes a number beside a board.

        The file's ``PLANE_NUMBERS`` lists them, after zeros for the planes of the board's cells.
        """
        told = self.plain.get("PLANE_NUMBERS", ())
        return tuple(filter(None, told)) if isinstance(told, tuple | list) else ()

    @property
    def board_planes(self) -> int:
        """Number of planes, the first ones, whose bits are cells."""
        return int(self.code.PLANES) - len(self.numbers_beside)

    def name_features(self, name: str) -> list[str]:
        """Return the names of the features; *name* is FEATURES or MOVE_FEATURES."""
        told = self.plain.get(name, 0)
        if isinstance(told, tuple | list):
            return list(map(str, told))
        return [f"{name.lower().replace('_', ' ')[:-1]} {number}" for number in range(1, told + 1)]

    def count(
        self, name: str, state: Board, *given: object, many: int = 0, setting: int = 0
    ) -> NDArray[np.float32]:
        """Return the features that the file's function *name*, such as ``features``, computes.

        Args:
            name: Function of the file: ``features`` or ``describe_move``.
            state: Position.
            given: Further arguments, such as the seat.
            many: Number of features to compute, the first ones; 0 for all.
            setting: Setting of the function; see `evolve_arena.players.board.example`.

        Returns:
            Features, a one-dimensional array.

        Raises:
            GameFileError: The function fails.
        """
        code = self.code
        out = np.zeros(
            many or (code.FEATURE_COUNT if name == "features" else code.MOVE_FEATURE_COUNT)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            self.ask(name, self.to_native(state), *given, out, *self.tell(name, setting=setting))
        return out.astype(np.float32)

    def tell(
        self,
        name: str,
        random: int = 0,
        setting: int = 0,
        notes: NDArray[np.int64] | None = None,
        kind: int = -1,
    ) -> list[object]:
        """Return the values of the optional last parameters of the function called *name*.

        Args:
            name: Name of the function; there are no values if it has no such parameters.
            random: Random number.
            setting: Setting; see `evolve_arena.players.board.example`.
            notes: Array for notes; a new one if None.
            kind: Kind of move that is wanted, or -1.
        """
        told: dict[str, object] = {
            "random": random,
            "setting": setting,
            "notes": notes,
            "kind": kind,
        }
        if notes is None:
            told["notes"] = np.zeros(int(self.code.NOTES), dtype=np.int64)
        return [told[parameter] for parameter in self.asks.get(name, ())]

    def read_setting(self, text: str) -> int:
        """Return the number that encodes a *text*, the setting of a scripted player; 0 for none.

        Raises:
            BadValueError: The file has no settings, or rejects this one.
        """
        if not text.strip():
            return 0
        if "read_setting" not in self.plain:
            raise BadValueError(f"scripted players of {self.name} take no setting {text.strip()!r}")
        try:
            setting = int(self.plain["read_setting"](text.strip()))
        except ValueError as error:
            raise BadValueError(str(error)) from None
        return setting

    def name_setting(self, setting: int) -> str:
        """Return the text of a *setting*, by the file's ``name_setting``; empty without one."""
        if not setting and "name_setting" not in self.plain:
            return ""
        return str(self.ask("name_setting", setting)) if "name_setting" in self.plain else ""

    @cached_property
    def planes(self) -> list[tuple[str, int, int]]:
        """Name, rows and columns of each plane that networks see.

        The file may set names in ``PLANE_NAMES``.
        """
        code, cells = self.code, len(self.drawn)
        width = int(code.WIDTH) if self.symmetry else int(code.CELLS)
        if cells < code.CELLS:
            lines = len({place[1] for place in self.places if place is not None})
            width = cells // lines if cells % lines == 0 else cells
        names = tuple(map(str, self.plain.get("PLANE_NAMES", ())))
        if len(names) != code.PLANES:
            names = tuple(f"plane {number}" for number in range(1, int(code.PLANES) + 1))
            if self.symmetry and code.PLANES == code.SEATS == 2:
                names = ("own pieces", "the opponent's")
        return [(name, cells // width, width) for name in names]

    @property
    def sites(self) -> Any:
        """Module about contest sites that the file names in ``SITES``; None if it names none.

        It has ``DIALECTS``, the protocols of sites by name, the default first; ``USES``, sentences
        about exported bots; and, for their Python files, a section "How sites ask" with a function
        ``answer_site(words)``, which takes each line that other hosts do not send.
        """
        return import_module(self.plain["SITES"]) if "SITES" in self.plain else None

    def ask(self, name: str, *given: object) -> Any:
        """Call the file's function called *name* and return its result.

        Raises:
            GameFileError: The function fails.
        """
        try:
            with np.errstate(over="ignore"):
                return self.plain[name](*given)
        except Exception as error:
            raise GameFileError(describe_failure(error, self.file)) from error

    def find_line(self, name: str) -> str:
        """Return ``, line N``, where the file defines a *name*; empty if it does not."""
        pattern = re.compile(rf"\s*(def {name}\(|{name}\b[^=(]*=[^=])")
        for number, line in enumerate(self.source.splitlines(), 1):
            if pattern.match(line):
                return f", line {number}"
        return ""

    def refuse_faults(self, states: Array, *rooms: Array) -> None:
        """Check *states* for faults that compiled rules noted in them.

        Args:
            states: Rows of states.
            rooms: Arrays ``planes`` and ``values`` of the workspace, if used; see `take_fault`.

        Raises:
            GameFileError: There is a fault.
        """
        fault, value = take_fault(self.code, states, *rooms)
        if fault:
            raise self.explain_fault(fault, value)

    def explain_fault(self, fault: int, value: int) -> GameFileError:
        """Return the error, for the author of the file, that explains a *fault*."""
        code = self.code
        if fault >= BAD_CHOICE:
            name = list(self.scripts)[fault - BAD_CHOICE]
            sentence = f"{name} gives {{value}}, which is no legal move there"
        else:
            name, sentence = FAULTS[fault]
        told = sentence.format(
            value=value,
            moves=code.MOVES,
            last=code.MOVES - 1,
            seats=code.SEATS - 1,
            planes=code.PLANES,
            outcomes=MAX_OUTCOMES,
            bits=64 * code.PLANES * plane_words(code) - 1,
        )
        return GameFileError(f"{self.file}{self.find_line(name)}: in a game, {told}")

    def describe(self) -> str:
        """Return the game's name with its options."""
        options = ", ".join(f"{name} {value}" for name, value in self.options.items())
        return self.name + (f" with {options}" if options else "")

    def initial(self, seed: int = 0) -> Board:
        """Return the position before the first move; *seed* determines all chance."""
        return self._settle(self.begin()._replace(rng=seed if self.code.HAS_CHANCE else 0))

    def stream_seed(self, seed: int) -> int:
        """Return the seed of the players' random numbers: *seed*, or one derived from it."""
        return int(split_seed(np.uint64(seed))) if self.code.HAS_CHANCE else seed

    def to_move(self, state: Board) -> int:
        """Return the seat to move."""
        return int(self.ask("to_move", self.to_native(state)))

    def legal_moves(self, state: Board) -> list[int]:
        """Return the legal moves, ascending; none once the game is over."""
        if self.is_over(state) or state.plies >= self.code.LONGEST:
            return []
        moves = np.zeros(self.code.MOVES, dtype=np.int64)
        return [int(move) for move in moves[: self.ask("legal", self.to_native(state), moves)]]

    def play(self, state: Board, move: int) -> Board:
        """Return the position after *move* and the chance events that follow."""
        self.check_legal(state, move)
        return self._settle(self.make_move(state, move))

    def check_legal(self, state: Board, move: int) -> None:
        """Make sure that a *move* is legal.

        Raises:
            IllegalMoveError: It is not.
            GameOverError: The game has ended.
        """
        legal = self.legal_moves(state)
        if not legal:
            raise GameOverError("the game is over")
        if move not in legal:
            name = self.format_move(move) if 0 <= move < self.code.MOVES else str(move)
            raise IllegalMoveError(f"{name} can't be played here, but {self._name_few(state)} can")

    def make_move(self, state: Board, move: int) -> Board:
        """Return the position after a legal *move*, before the chance events that follow."""
        return self.follow(state, "play", move)._replace(plies=state.plies + 1)

    def follow(self, state: Board, name: str, *given: int) -> Board:
        """Return the position after the file's function *name*, such as ``play``, changed it."""
        before, past = self.to_native(state), state.past
        if self.code.HAS_PAST and name == "play":
            lasts = "progress" in self.plain and self.ask("progress", before, *given)
            past = () if lasts else (*past, state.state)
        after = self.ask(name, before, *given)
        return state._replace(
            state=self.to_state(before if self.code.IS_ARRAY else after), past=past
        )

    def _settle(self, state: Board) -> Board:
        while (
            self.code.HAS_CHANCE and (count := int(self.ask("chance", self.to_native(state)))) > 0
        ):
            rng = new_stream(state.rng)
            state = self.follow(state, "resolve", int(below(rng, count)))
            state = state._replace(rng=int(rng[0]))
        return state

    def outcome(self, state: Board) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        # The rules come first, then repetition and progress, then LONGEST.
        verdict, longest = self.adjudicate(state), int(self.code.LONGEST)
        exhausted = self.find_exhaustion(state) if verdict == GOES_ON else ""
        if verdict == GOES_ON and not exhausted and state.plies < longest:
            return None
        points = [self._count_points(state, verdict, seat) for seat in range(self.seats)]
        places = tuple(1 + sum(other > own for other in points) for own in points)
        if verdict == GOES_ON:
            reason = exhausted or f"{longest} moves were made"
        else:
            reason = self.endings[places.count(1) > 1]
        return Outcome(places, reason, tuple(points) if self.code.HAS_POINTS else None)

    def tally(self, state: Board) -> tuple[tuple[int, ...], JsonObject]:
        """Return the places, and the points and tallies of games that have them."""
        if not self.code.HAS_POINTS:
            return super().tally(state)
        points = [
            int(self.ask("points", self.to_native(state), seat)) for seat in range(self.seats)
        ]
        places = tuple(1 + sum(other > own for other in points) for own in points)
        rows = [np.zeros(self.code.TALLY_COUNT, dtype=np.int32) for _ in range(self.seats)]
        for seat, row in enumerate(rows if "tally" in self.plain else ()):
            self.ask("tally", self.to_native(state), seat, row)
        names = [name.replace(" ", "_") for name in self.plain.get("TALLIES", ())]
        tallies = {name: [int(row[place]) for row in rows] for place, name in enumerate(names)}
        return places, {"points": points, **tallies}

    @property
    def endings(self) -> tuple[str, str]:
        """Phrases for the end of a game: with a single winner, and without one."""
        first, second = self.plain.get("ENDINGS", ("a win", "a draw"))
        return str(first), str(second)

    def adjudicate(self, state: Board) -> int:
        """Return the result for the first player, 1, 0 or -1, or GOES_ON."""
        if not self.code.HAS_POINTS:
            return int(self.ask("result", self.to_native(state)))
        if not self.ask("is_over", self.to_native(state)):
            return GOES_ON
        first, second = (int(self.ask("points", self.to_native(state), seat)) for seat in range(2))
        return int(np.sign(first - second))

    def is_over(self, state: Board) -> bool:
        """Test whether the game is over, disregarding LONGEST."""
        return self.adjudicate(state) != GOES_ON or bool(self.find_exhaustion(state))

    def find_exhaustion(self, state: Board) -> str:
        """Return why earlier positions end the game, in half a sentence; empty if they do not.

        The file sets REPETITION and NO_PROGRESS; its other rules take precedence.
        """
        repetition, most = int(self.code.REPETITION), int(self.code.NO_PROGRESS)
        if 0 < repetition <= len(state.past) + 1:
            word = self.find_word(state.state)
            if 1 + sum(self.find_word(other) == word for other in state.past) >= repetition:
                return f"the position occurred {COUNTED.get(repetition, f'{repetition} times')}"
        return f"{most} moves in a row made no progress" if 0 < most <= len(state.past) else ""

    @cached_property
    def find_word(self) -> Callable[[tuple[int, ...]], int]:
        """Function from a state to the word that identifies it, as `rules.identify` computes it."""
        return lru_cache(maxsize=1 << 14)(self._make_word)

    def _make_word(self, numbers: tuple[int, ...]) -> int:
        # The same three ways as in `rules.identify`: the file's key, or a hash of the numbers
        state = self.to_native(Board(self.rules, numbers))
        with np.errstate(over="ignore"):
            if "key" in self.plain:
                return int(self.ask("key", state)) % 2**64
            if not self.code.IS_ARRAY:
                words = tuple(np.uint64(number % 2**64) for number in numbers)
                return int(self.code.hash_state.py_func(words))
            parts = np.zeros(-(-state.nbytes // 8), dtype=np.uint64)
            parts.view(state.dtype)[: len(state)] = state
            return sum(int(hash_word(part, place)) for place, part in enumerate(parts, 1)) % 2**64

    def _count_points(self, state: Board, verdict: int, seat: int) -> int:
        if self.code.HAS_POINTS:
            return int(self.ask("points", self.to_native(state), seat))
        return 0 if verdict == GOES_ON else verdict * (1 - 2 * seat)

    def perft(self, state: Board, depth: int) -> int:
        """Count the move sequences of *depth* plies from *state*; games may end on the way.

        Raises:
            BadValueError: *depth* is too large for a game in which earlier positions count.
        """
        if self.code.HAS_PAST and state.plies + depth >= self.code.LONGEST + PAST_SPARE:
            raise BadValueError(f"depth is {depth}: it must be below {PAST_SPARE}")
        # Compiled rules count, in arrays with a row for each level.
        *_, matches = specialise_board(self.place, self.rules, (f"{FLOOR}.matches",))
        moves = np.zeros((max(depth, 1) + 1) * self.code.MOVES, dtype=np.int64)
        states = make_states(self.code, max(depth, 1) + 1)
        root = enter(self.code, state, states)
        enter_past(self, state, states)
        plies = np.int64(state.plies)
        count = int(matches.count_sequences(root, depth, moves, states, np.int64(0), plies))
        self.refuse_faults(states)
        return count

    def repeats_turns(self) -> bool:
        """Test whether a player moves twice in a row in one of a few random games.

        Raises:
            GameFileError: The file fails.
        """
        rng = new_stream(1)
        for _ in range(RANDOM_GAMES):
            state, before = self.initial(int(rng[0])), -1
            for _ in range(RANDOM_PLIES):
                moves = self.legal_moves(state)
                if not moves:
                    break
                if self.to_move(state) == before:
                    return True
                before = self.to_move(state)
                state = self.play(state, moves[int(below(rng, len(moves)))])
        return False

    def view(self, state: Board, seat: int) -> Board:
        """Return *state* as far as *seat* may know it."""
        if "view" not in self.plain:
            return state
        before = self.to_native(state)
        after = self.ask("view", before, seat)
        return state._replace(state=self.to_state(before if after is None else after), rng=0)

    def list_guesses(self, state: Board, seat: int) -> Iterator[Board]:
        """Yield all states that are consistent with the knowledge of *seat*.

        Raises:
            GameFileError: The file fails.
        """
        yield from self._list_guesses(self.view(state, seat), seat)

    def _list_guesses(self, known: Board, seat: int) -> Iterator[Board]:
        count = int(self.ask("guesses", self.to_native(known), seat))
        if count <= 0:
            yield known
        for number in range(count):
            yield from self._list_guesses(self.follow(known, "guess", seat, number), seat)

    def observe(self, state: Board, seat: int) -> NDArray[np.uint8]:
        """Return the observation of *seat*, bits of shape ``(planes, cells)``."""
        code, words = self.code, plane_words(self.code)
        if code.SEES_CELLS:
            # A plane for each content of cells, the own pieces first
            contents = np.array(state.state[: code.CELLS], dtype=np.int64)
            cells = np.flatnonzero(contents)
            if contents.min() < 0 or contents.max() > code.PLANES:
                raise self.explain_fault(BAD_CELL, max(contents.tolist(), key=abs))
            owned, kinds = code.SEATS * code.PIECES, contents[cells] - 1
            turned = (kinds - seat * code.PIECES) % owned
            bits = np.zeros((code.PLANES, code.CELLS), dtype=np.uint8)
            bits[np.where(kinds < owned, turned, kinds), cells] = 1
            return bits
        # Else the file sets bits of words.
        planes = np.zeros(code.PLANES * words, dtype=np.uint64)
        self.ask("see", self.to_native(state), seat, planes)
        bits = np.unpackbits(planes.astype("<u8").view(np.uint8), bitorder="little")
        return bits.reshape(code.PLANES, 64 * words)[:, : code.CELLS]

    @property
    def has_places(self) -> bool:
        """True if the file has ``place_cell``, which gives the place of each cell."""
        return "place_cell" in self.plain

    @cached_property
    def places(self) -> list[tuple[float, float] | None]:
        """Column and row of each cell on the board; None for a cell that is not drawn.

        The file may set them in ``place_cell``.
        """
        cells, width = range(int(self.code.CELLS)), int(self.code.WIDTH)
        if not self.has_places:
            return [(cell % width, cell // width) for cell in cells]
        return [self._place_cell(cell) for cell in cells]

    def _place_cell(self, cell: int) -> tuple[float, float] | None:
        match self.ask("place_cell", cell):
            case None:
                return None
            case (int() | float() as column, int() | float() as row):
                return float(column), float(row)
            case told:
                raise GameFileError(
                    f"{self.file}{self.find_line('place_cell')}: place_cell gives {told!r:.40} for"
                    f" cell {cell}: it must give a column and a row, or None"
                )

    @cached_property
    def drawn(self) -> list[int]:
        """Cells that are drawn, row by row; networks see no others."""
        drawn = [(place[::-1], cell) for cell, place in enumerate(self.places) if place is not None]
        return [cell for _, cell in sorted(drawn)] if self.has_places else list(range(len(drawn)))

    @property
    def stacks(self) -> bool:
        """True if pieces are stacked in the columns of the board as it is drawn."""
        return bool(self.code.STACKS)

    @cached_property
    def grid(self) -> NDArray[np.int64]:
        """Cells by row and column, for random walks of tuples, shape ``(rows, columns)``.

        They are arranged as drawn where pieces are stacked, else as numbered.

        Raises:
            GameFileError: The drawn board is not rectangular.
        """
        if not self.stacks:
            width = int(self.code.WIDTH) if self.symmetry else int(self.code.CELLS)
            return np.arange(int(self.code.CELLS)).reshape(-1, width)
        rows = {place[1] for place in self.places if place is not None}
        if len(self.drawn) % len(rows):
            raise GameFileError(f"{self.file}{self.find_line('STACKS')}: the board is no rectangle")
        return np.array(self.drawn).reshape(len(rows), -1)

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """For each cell the cells next to it, for random walks of tuples; empty on a grid.

        The file lists them in ``NEIGHBOURS``, where numbers that are no cells fill up rows.

        Raises:
            GameFileError: They are not neighbours in both directions, or not all are connected.
        """
        if "NEIGHBOURS" not in self.plain:
            return []
        where, cells = f"{self.file}{self.find_line('NEIGHBOURS')}", int(self.code.CELLS)
        if not self.symmetry or self.stacks:
            text = "NEIGHBOURS is for boards with SYMMETRY and without STACKS"
            raise GameFileError(f"{where}: {text}")
        try:
            found = [
                [int(other) for other in near if 0 <= other < cells]
                for near in self.plain["NEIGHBOURS"]
            ]
        except (TypeError, ValueError):
            found = []
        if len(found) != cells:
            text = f"NEIGHBOURS must have, for each of {cells} cells, a list of those next to it"
            raise GameFileError(f"{where}: {text}")
        for cell, near in enumerate(found):
            for other in near:
                if cell not in found[other]:
                    text = f"{other} next to cell {cell}, but not {cell} next to cell {other}"
                    raise GameFileError(f"{where}: NEIGHBOURS lists {text}")
        reached = [0]
        for cell in reached:  # grows while it is read
            reached += [other for other in dict.fromkeys(found[cell]) if other not in reached]
        if len(reached) < cells:
            lost = min(set(range(cells)) - set(reached))
            text = f"no walk along NEIGHBOURS leads from cell 0 to cell {lost}"
            raise GameFileError(f"{where}: {text}")
        return found

    @cached_property
    def column_names(self) -> list[str]:
        """Names of the moves that drop a piece into each column of the grid."""
        begin, names = self.initial(), [""] * self.grid.shape[1]
        for move in self.legal_moves(begin):
            after = self.follow(begin, "play", move)
            pieces = self.observe(after, 0).max(axis=0)[self.grid]
            for column in np.flatnonzero(pieces.max(axis=0)):
                names[column] = self.format_move(move)
        return names

    def name_cell(self, cell: int) -> str:
        """Return the name of a *cell*, by default such as d3; see the file's ``name_cell``."""
        if "name_cell" in self.plain:
            return str(self.ask("name_cell", cell))
        row, column = divmod(cell, int(self.code.WIDTH))
        return f"{name_column(column)}{row + 1}"

    @cached_property
    def _names(self) -> dict[str, int]:
        """Moves by their names in lower case."""
        return {self.format_move(move).lower(): move for move in range(self.code.MOVES)}

    def parse_move(self, text: str, state: Board | None = None) -> int:
        """Return the move that *text* names.

        Args:
            text: Name of a move.
            state: Position whose legal moves a message may name; by default the first one.

        Raises:
            IllegalMoveError: There is no such move. A `ValueError` of the file's ``read_move``
                gives the message.
        """
        bare = text.strip()
        if "read_move" in self.plain:
            try:
                move = self.ask("read_move", bare)
            except GameFileError as error:
                if isinstance(error.__cause__, ValueError | IllegalMoveError):
                    raise IllegalMoveError(str(error.__cause__)) from None
                raise
        else:
            move = self._names.get(bare.lower())
        if move is None or not 0 <= int(move) < self.code.MOVES:
            raise IllegalMoveError(f"{bare[:20]!r} is no move, such as {self._name_few(state)}")
        return int(move)

    def _name_few(self, state: Board | None) -> str:
        """Return a few legal moves of *state*, or of the first position, in words."""
        legal = (state and self.legal_moves(state)) or self.legal_moves(self.initial())
        *most, last = map(self.format_move, legal[:FEW])
        return f"{', '.join(most)} or {last}" if most else last

    def format_move(self, move: int) -> str:
        """Return the name of *move*: the file's, that of a cell, or the number."""
        if "name_move" in self.plain:
            return str(self.ask("name_move", move))
        if self.symmetry and self.code.MOVES == self.code.CELLS:
            return self.name_cell(move)
        return str(move)

    def parse_turn(self, text: str, state: Board) -> list[int]:
        """Return the moves that *text* names: one, or all of a turn with several moves.

        The file's ``name_turn(moves)`` lists all names of such a turn, the usual one first.

        Raises:
            IllegalMoveError: No turn, or several, have the name.
        """
        legal, bare = self.legal_moves(state), text.strip().lower()
        try:
            move = self.parse_move(bare, state)
        except IllegalMoveError:
            move = -1
        # The name of a whole turn, if it is no move
        if move not in legal and "name_turn" in self.plain:
            turns = {turn: self.name_turn(turn) for turn in self._list_turns(state)}
            found = sorted(turn for turn, names in turns.items() if bare in names)
            if len({turns[turn][0] for turn in found}) > 1:
                names = " or ".join(turns[turn][0] for turn in found)
                raise IllegalMoveError(f"{bare[:40]}: this could be {names}")
            if found:
                return list(found[0])
        return [move if move >= 0 else self.parse_move(bare, state)]

    def name_turn(self, moves: Sequence[int]) -> list[str]:
        """Return all names of a turn of several *moves*, the usual one first."""
        if len(moves) > 1 and "name_turn" in self.plain:
            told = self.ask("name_turn", list(moves))
            if not isinstance(told, list | tuple) or not told:
                raise GameFileError(
                    f"{self.file}{self.find_line('name_turn')}: name_turn gives {told!r:.40}: it"
                    " must give a list of names"
                )
            return [str(name) for name in told]
        return [" ".join(map(self.format_move, moves))]

    def _list_turns(self, state: Board) -> Iterator[tuple[int, ...]]:
        """Yield all turns of several moves by the player to move."""
        seat, waiting = self.to_move(state), [(state, tuple[int, ...]())]
        for _ in range(MAX_TURNS):
            if not waiting:
                return
            before, made = waiting.pop()
            for move in self.legal_moves(before):
                after = self.play(before, move)
                if not self.is_over(after) and self.to_move(after) == seat:
                    waiting.append((after, (*made, move)))
                elif made:
                    yield (*made, move)

    def parse_game(self, text: str) -> tuple[list[int], Board]:
        """Return the moves in *text*, separated by blanks, and the position after them.

        Blanks may be left out if the names of all moves have one character. Numbers such as ``1.``
        may precede moves, and a result may follow the last one. In games of chance, outcomes may
        stand among the moves, such as ``*3``; without any, they are those of seed 0.

        Raises:
            PositionError: A move cannot be played.
        """
        # Without numbers of moves, and without the result
        board, moves = self.initial(), list[int]()
        words = re.sub(r"(?<!\S)\d+\.+", " ", text).split()
        if self.code.HAS_CHANCE and OUTCOME in text:
            return self._replay(words)
        if words and words[-1] in RESULTS:
            words.pop()
        if "read_move" not in self.plain and all(len(name) == 1 for name in self._names):
            words = [*"".join(words)]
        for number, word in enumerate(words, 1):
            try:
                for move in self.parse_turn(word, board):
                    board = self.play(board, move)
                    moves.append(move)
            except (IllegalMoveError, GameOverError) as error:
                raise PositionError(f"move {number}: {error}") from None
        return moves, board

    def begin(self) -> Board:
        """Return the position before the first move and before any chance event."""
        state = tuple(self.code.START.tolist() if self.code.IS_ARRAY else map(int, self.code.START))
        return Board(self.rules, state)

    def _replay(self, words: Sequence[str]) -> tuple[list[int], Board]:
        """Return the moves among *words*, which are moves and outcomes, and the position."""
        board, moves = self.begin(), list[int]()
        for number, word in enumerate([*words, ""], 1):
            count = int(self.ask("chance", self.to_native(board)))
            outcome = word.removeprefix(OUTCOME)
            if count > 0:  # an outcome must come next
                if word == outcome or not outcome.isdecimal() or not int(outcome[:9]) < count:
                    text = f"{OUTCOME}0 to {OUTCOME}{count - 1}, an outcome of chance"
                    raise PositionError(f"word {number}: {word[:20]!r} must be {text}")
                board = self.follow(board, "resolve", int(outcome))
            elif word:
                try:
                    moves.append(self.parse_move(word, board))
                    self.check_legal(board, moves[-1])
                except IllegalMoveError as error:
                    raise PositionError(f"word {number}: {error}") from None
                board = self.make_move(board, moves[-1])
        return moves, board

    def parse_position(self, text: str) -> Board:
        """Return the position after the moves in *text*, as :meth:`parse_game` reads them.

        The file's ``read_position``, if there is one, is called first: it returns the state that
        the text describes, or None, or raises `ValueError` with a message.

        Raises:
            PositionError: A move cannot be played, or the position is invalid.
        """
        if "read_position" in self.plain and text.strip():
            try:
                state = self.plain["read_position"](text.strip())
            except ValueError as error:
                raise PositionError(f"{text.strip()[:40]!r}: {error}") from None
            if state is not None:
                return Board(self.rules, self.to_state(state))
        return self.parse_game(text)[1]

    def to_native(self, state: Board) -> Position:
        """Return a copy of the state as the file's functions take it, which may change it."""
        if self.code.IS_ARRAY:
            return np.array(state.state, dtype=self.code.START.dtype)
        kinds = (type(number) for number in self.code.START)
        pairs = zip(kinds, state.state, strict=True)
        return tuple(kind(number) if kind is np.uint64 else number for kind, number in pairs)

    def to_state(self, state: Position) -> tuple[int, ...]:
        """Return the numbers of a state, wrapped to the width of their types."""
        if self.code.IS_ARRAY:
            return tuple(state.tolist())
        return tuple(map(int, self.code.cast_state.py_func(state)))


def _restore(name: str, options: dict[str, int]) -> AnyGame:
    game: AnyGame = make_game(name, **options)
    return game


def name_column(column: int) -> str:
    """Return the letters of a *column*: a to z, then aa.

    >>> [name_column(column) for column in (0, 25, 26)]
    ['a', 'z', 'aa']
    """
    letters = "abcdefghijklmnopqrstuvwxyz"
    return (letters[column // 26 - 1] if column >= 26 else "") + letters[column % 26]


def run_plain(source: str, file: Path, constants: Settings) -> dict[str, Any]:
    """Run a game's *source* with other *constants*; return its definitions, not compiled.

    Args:
        source: Text of the game's file.
        file: Path of that file, for messages; it is not read.
        constants: Values by name, in place of those that the file assigns.
    """
    space: dict[str, Any] = {"__name__": file.stem, "__file__": str(file)}
    exec(compile(replace_constants(source, constants), str(file), "exec"), space)
    return space


class GameFileError(ArenaError):
    """Raised if a game's file does something that no game may do."""
