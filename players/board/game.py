"""Board games whose rules are compiled code, as Python sees them."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
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
    quote,
)
from evolve_arena.core.game import Game, KernelSpec, Outcome, PlayerKind
from evolve_arena.core.stream import below, new_stream
from evolve_arena.players.board.matches import split_seed
from evolve_arena.players.board.workspace import (
    DEPTH,
    EXPLORATION,
    HEAD,
    MCTS,
    MOST_NODES,
    NODES,
    POLICY,
    RECORD_FIELDS,
    ROLLOUTS,
    SEARCH,
    VALUE,
    make_states,
    make_workspace,
    plane_words,
)
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import (
    GRAPH,
    KIND,
    NETWORK,
    TUPLES,
    PackedPlayers,
    simple_player,
    with_noise,
)
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import (
    make_by_settings,
    make_player,
    read_number,
    read_whole,
)

FLOOR = "evolve_arena.players.board"
EXAMPLE = f"{FLOOR}.example"
PLAYING = tuple(f"{FLOOR}.{name}" for name in ("rules", "values", "mcts", "choose"))
"""What chooses moves by a game's file, in an order in which each imports from those before."""
KIND_FLAGS = {GRAPH: "HAS_GRAPHS", TUPLES: "HAS_TUPLES"}
HEAD_FLAGS = {POLICY: "HAS_POLICIES", VALUE: "HAS_VALUES"}
SEARCH_FLAGS = {DEPTH: "HAS_SEARCHES", ROLLOUTS: "HAS_MCTS"}
"""By the field that is above 0 for those who search so."""
DEEP_FLAG = "HAS_DEEP_VALUES"
FLAGS = (*HEAD_FLAGS.values(), *KIND_FLAGS.values(), *SEARCH_FLAGS.values(), DEEP_FLAG)
GOES_ON = 2


class Board(NamedTuple):
    """A position: what is played, and the state as the game's file has it."""

    rules: Any
    state: tuple[int, ...]
    plies: int = 0
    """How many moves were made."""
    stream: int = 0
    """Where what chance decides comes from; 0 where nothing is left to it."""

    def drawing(self) -> str:
        """The numbers of the state."""
        return " ".join(map(str, self.state))


class BoardGame(Game[Board, int]):
    """A game whose rules are a file like `evolve_arena.players.board.example`.

    Python plays by the file as it stands, compiled matches by copies of it; that both are the same
    is checked when the file is loaded.
    """

    place: ClassVar[str]
    """The full name of the module that is copied to be compiled."""
    source: ClassVar[str]
    """The file as its author wrote it."""
    file: ClassVar[Path]
    """Where it lies."""
    functions: ClassVar[Collection[str]]
    """Those of its functions that are compiled."""
    title: ClassVar[str]
    """The first line of its docstring."""
    symmetry: ClassVar[str] = ""
    """Where the bits that networks see are the cells of a board: ``none``, ``mirror`` if left and
    right may be exchanged, ``turn`` if it may be turned by half, ``all`` if it may be turned and
    mirrored in any way."""

    def __init__(self, **options: int) -> None:
        super().__init__(**options)
        self.seats = int(self.code.SEATS)

    @cached_property
    def code(self) -> ModuleType:
        """The rules to be compiled for these options; its constants are those of the game."""
        return specialise([self.place], constants_of(self.rules))[0]

    @cached_property
    def plain(self) -> dict[str, Any]:
        """What the file defines, by name, with these options; nothing of it is compiled."""
        return run_plain(self.source, self.file, constants_of(self.rules))

    def ask(self, name: str, *given: Any) -> Any:
        """What the function of the file called *name* says.

        Raises:
            GameFileError: It fails.
        """
        try:
            with np.errstate(over="ignore"):
                return self.plain[name](*given)
        except Exception as error:
            raise GameFileError(describe_failure(error, self.file)) from error

    def describe(self) -> str:
        """Its name, with its options."""
        options = ", ".join(f"{name} {value}" for name, value in self.options.items())
        return self.name + (f" with {options}" if options else "")

    def initial(self, seed: int = 0) -> Board:
        """The board before the first move; all that is left to chance follows from *seed*."""
        state = tuple(self.code.START.tolist() if self.code.IS_ARRAY else map(int, self.code.START))
        return self._settle(Board(self.rules, state, 0, seed if self.code.HAS_CHANCE else 0))

    def stream_seed(self, seed: int) -> int:
        """The seed of the players' stream, which is another one if the game needs its own."""
        return int(split_seed(np.uint64(seed))) if self.code.HAS_CHANCE else seed

    def to_move(self, state: Board) -> int:
        """The seat whose turn it is."""
        return int(self.ask("to_move", self.thaw(state)))

    def legal_moves(self, state: Board) -> list[int]:
        """The moves, ascending; none once the game is over."""
        if self._judge(state) != GOES_ON or state.plies >= self.code.LONGEST:
            return []
        moves = np.zeros(self.code.MOVES, dtype=np.int64)
        return [int(move) for move in moves[: self.ask("legal", self.thaw(state), moves)]]

    def play(self, state: Board, move: int) -> Board:
        """The board after *move*, and after all that chance decides then."""
        legal = self.legal_moves(state)
        if not legal:
            raise GameOverError("the game is over")
        if move not in legal:
            raise IllegalMoveError(f"{self.format_move(move)} can't be played here")
        return self._settle(self.follow(state, "play", move)._replace(plies=state.plies + 1))

    def follow(self, state: Board, name: str, number: int) -> Board:
        """The board after the *number* of a move, or of an outcome of chance."""
        before = self.thaw(state)
        after = self.ask(name, before, number)
        return state._replace(state=self.freeze(before if self.code.IS_ARRAY else after))

    def _settle(self, state: Board) -> Board:
        while self.code.HAS_CHANCE and (count := int(self.ask("chance", self.thaw(state)))) > 0:
            stream = new_stream(state.stream)
            state = self.follow(state, "resolve", int(below(stream, count)))
            state = state._replace(stream=int(stream[0]))
        return state

    def outcome(self, state: Board) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        verdict, longest = self._judge(state), int(self.code.LONGEST)
        if verdict == GOES_ON and state.plies < longest:
            return None
        points = [self._count_points(state, verdict, seat) for seat in range(self.seats)]
        places = tuple(1 + sum(other > own for other in points) for own in points)
        if verdict == GOES_ON:
            reason = f"{longest} moves were made"
        else:
            reason = self.endings[places.count(1) > 1]
        return Outcome(places, reason, tuple(points) if self.code.HAS_POINTS else None)

    def tally(self, state: Board) -> tuple[tuple[int, ...], dict[str, Any]]:
        """The places, and the points if the game counts some."""
        outcome = self.outcome(state)
        places = outcome.places if outcome else (1,) * self.seats
        if not self.code.HAS_POINTS:
            return places, {}
        verdict = self._judge(state)
        points = [self._count_points(state, verdict, seat) for seat in range(self.seats)]
        return places, {"points": points}

    @property
    def endings(self) -> tuple[str, str]:
        """How a game ends, in half a sentence: if somebody has won, if several are first."""
        first, second = self.plain.get("ENDINGS", ("a win", "a draw"))
        return str(first), str(second)

    def _judge(self, state: Board) -> int:
        if not self.code.HAS_POINTS:
            return int(self.ask("result", self.thaw(state)))
        if not self.ask("is_over", self.thaw(state)):
            return GOES_ON
        first, second = (int(self.ask("points", self.thaw(state), seat)) for seat in range(2))
        return int(np.sign(first - second))

    def _count_points(self, state: Board, verdict: int, seat: int) -> int:
        if self.code.HAS_POINTS:
            return int(self.ask("points", self.thaw(state), seat))
        return 0 if verdict == GOES_ON else verdict * (1 - 2 * seat)

    def perft(self, state: Board, depth: int) -> int:
        """The number of move sequences of *depth* plies from here; games may end on the way."""
        *_, matches = specialise_board(self.place, self.rules, (f"{FLOOR}.matches",))
        moves = np.zeros(max(depth, 1) * self.code.MOVES, dtype=np.int64)
        states = make_states(self.code, max(depth, 1) + 1)
        root = enter(self.code, state, states)
        return int(matches.count_sequences(root, depth, moves, states, np.int64(0)))

    def view(self, state: Board, seat: int) -> Board:
        """What *seat* may know."""
        if "view" not in self.plain:
            return state
        before = self.thaw(state)
        after = self.ask("view", before, seat)
        return state._replace(state=self.freeze(before if after is None else after), stream=0)

    def observe(self, state: Board, seat: int) -> NDArray[np.uint8]:
        """The bits that networks see, shape ``(planes, cells)``."""
        code, words = self.code, plane_words(self.code)
        if code.SEES_CELLS:
            contents = np.array(state.state[: code.CELLS], dtype=np.int64)
            cells = np.flatnonzero(contents)
            owned, kinds = code.SEATS * code.PIECES, contents[cells] - 1
            turned = (kinds - seat * code.PIECES) % owned
            bits = np.zeros((code.PLANES, code.CELLS), dtype=np.uint8)
            bits[np.where(kinds < owned, turned, kinds), cells] = 1
            return bits
        planes = np.zeros(code.PLANES * words, dtype=np.uint64)
        self.ask("see", self.thaw(state), seat, planes)
        bits = np.unpackbits(planes.astype("<u8").view(np.uint8), bitorder="little")
        return bits.reshape(code.PLANES, 64 * words)[:, : code.CELLS]

    @cached_property
    def _names(self) -> dict[str, int]:
        """What moves are called."""
        return {self.format_move(move).lower(): move for move in range(self.code.MOVES)}

    def parse_move(self, text: str) -> int:
        """The move that *text* names."""
        bare = text.strip()
        if "read_move" in self.plain:
            move = self.ask("read_move", bare)
            if move is None or not 0 <= int(move) < self.code.MOVES:
                raise IllegalMoveError(f"{bare[:20]!r} names no move")
            return int(move)
        if bare.lower() in self._names:
            return self._names[bare.lower()]
        few = [self.format_move(move) for move in (0, self.code.MOVES - 1)]
        raise IllegalMoveError(f"{bare[:20]!r} is no move, as {few[0]} and {few[1]} are")

    def format_move(self, move: int) -> str:
        """The text that :meth:`parse_move` reads: the file's, the name of a cell, or a number."""
        if "name_move" in self.plain:
            return str(self.ask("name_move", move))
        if self.symmetry and self.code.MOVES == self.code.CELLS:
            row, column = divmod(move, int(self.code.WIDTH))
            return f"{name_column(column)}{row + 1}"
        return str(move)

    def parse_position(self, text: str) -> Board:
        """The board after the moves that *text* gives, with blanks between."""
        board = self.initial()
        for number, word in enumerate(text.split(), 1):
            try:
                board = self.play(board, self.parse_move(word))
            except (IllegalMoveError, GameOverError) as error:
                raise PositionError(f"move {number}: {error}") from None
        return board

    def thaw(self, state: Board) -> Any:
        """The state as the file's functions take it; they may change it."""
        if self.code.IS_ARRAY:
            return np.array(state.state, dtype=self.code.START.dtype)
        kinds = (type(number) for number in self.code.START)
        pairs = zip(kinds, state.state, strict=True)
        return tuple(kind(number) if kind is np.uint64 else number for kind, number in pairs)

    def freeze(self, state: Any) -> tuple[int, ...]:
        """The numbers of a state, with their types: what is too large loses its highest bits."""
        if self.code.IS_ARRAY:
            return tuple(state.tolist())
        return tuple(map(int, self.code.cast_state.py_func(state)))


def name_column(column: int) -> str:
    """The letters of a *column*: a to z, then aa.

    >>> [name_column(column) for column in (0, 25, 26)]
    ['a', 'z', 'aa']
    """
    letters = "abcdefghijklmnopqrstuvwxyz"
    return (letters[column // 26 - 1] if column >= 26 else "") + letters[column % 26]


def run_plain(source: str, file: Path, constants: Mapping[str, Any]) -> dict[str, Any]:
    """What a game's *source* defines, by name, with other *constants*; nothing is compiled."""
    space: dict[str, Any] = {"__name__": file.stem, "__file__": str(file)}
    exec(compile(replace_constants(source, constants), str(file), "exec"), space)
    return space


class GameFileError(ArenaError):
    """A game's file does something that no game may do."""


def describe_failure(error: BaseException, file: Path) -> str:
    """What happened where in a game's *file*: its name, a line, and the error."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(file)
    ]
    if isinstance(error, SyntaxError) and error.filename == str(file):
        lines.append(error.lineno)
    where = f", line {lines[-1]}" if lines else ""
    text = error.msg if isinstance(error, SyntaxError) else f"{type(error).__name__}: {error}"
    return f"{file}{where}: {text}"


def enter(code: ModuleType, position: Board, states: NDArray[Any]) -> Any:
    """The state of a *position* as compiled *code* takes it: a tuple, or in row 0 of *states*."""
    if code.IS_ARRAY:
        states[0, : len(position.state)] = position.state
        return np.int64(0)
    kinds = (type(number) for number in code.START)
    return tuple(kind(number) for kind, number in zip(kinds, position.state, strict=True))


def make_kernel(place: str, has_chance: bool) -> KernelSpec:
    """How matches of a board game are played whose file became the module called *place*."""

    def code(rules: Any) -> ModuleType:
        return specialise([place], constants_of(rules))[0]

    def decide(
        variant: Mapping[str, Any],
        rules: Any,
        players: PackedPlayers,
        position: Board,
        workspace: Any,
    ) -> int:
        state = enter(code(rules), position, workspace.states)
        workspace.plies[0] = position.plies
        return int(variant["choose"].decide(players, state, workspace))

    def play(
        matches: Any,
        rules: Any,
        players: PackedPlayers,
        seatings: Any,
        seeds: Any,
        openings: Any,
        workspace: Any,
        places: Any,
        plies: Any,
        offenders: Any,
        games: Any,
        points: Any = None,
    ) -> None:
        if points is None:
            points = np.zeros((len(games), 0), dtype=np.int32)
        results = (places, plies, offenders, games, points)
        matches.play_matches(players, seatings, seeds, openings, workspace, *results)

    def draw_openings(rules: Any, seeds: Any, openings: Any) -> None:
        *_, matches = specialise_board(place, rules, (f"{FLOOR}.matches",))
        moves = np.zeros(code(rules).MOVES, dtype=np.int64)
        matches.draw_openings(seeds, openings, moves, make_states(code(rules), 1))

    return KernelSpec(
        modules=(place, *PLAYING, f"{FLOOR}.matches"),
        flags=FLAGS,
        needs=_needs,
        constants=lambda rules: _place_constants(place, rules),
        instead={EXAMPLE: place},
        play=play,
        decide=decide,
        make_workspace=lambda rules, players: make_workspace(code(rules), players),
        record_fields=RECORD_FIELDS,
        draw_openings=None if has_chance else draw_openings,
        longest_opening=lambda rules: 0 if has_chance else int(code(rules).LONGEST) // 4,
    )


def specialise_board(place: str, rules: Any, modules: Sequence[str]) -> list[ModuleType]:
    """The file at *place*, and what plays by it for no players at all, and copies of *modules*."""
    constants = {**_place_constants(place, rules), **dict.fromkeys(FLAGS, False)}
    return specialise([place, *PLAYING, *modules], constants, {EXAMPLE: place})


def constants_of(rules: Any) -> dict[str, Any]:
    """The options as they are called in the game's file."""
    return {name.upper(): value for name, value in rules._asdict().items()}


def _place_constants(place: str, rules: Any) -> dict[str, Any]:
    """The options, which hold in the game's file alone: what plays by it has names of its own."""
    return {f"{place}:{name}": value for name, value in constants_of(rules).items()}


def _needs(players: PackedPlayers) -> set[str]:
    kinds = {int(kind) for kind in np.unique(players.seats[:, KIND])}
    heads = np.unique(players.seats[players.seats[:, KIND] == NETWORK, HEAD])
    needed = {HEAD_FLAGS[int(head)] for head in heads}
    needed |= {flag for kind, flag in KIND_FLAGS.items() if kind in kinds}
    for field, flag in SEARCH_FLAGS.items():
        searching = players.seats[:, field] > 0
        needed |= {flag} if searching.any() else set()
        needed |= {DEEP_FLAG} if (searching & (players.seats[:, KIND] < SEARCH)).any() else set()
    return needed


MAX_DEPTH = 12
MAX_ROLLOUTS = 1_000_000
MAX_EXPLORATION = 1000.0
EXPLORES = 0.7


class _SearchPlayer(CompiledPlayer):
    """A search; what was bred may give the values of its leaves.

    Args:
        game: What it plays.
        kind: A kind of packed players, if nobody gives values.
        fields: What its record says beside.
        noise: How often it plays any legal move instead, 0 to 1.
        values: Who gives the values of leaves, if anybody: a specification.
        name: How tables call it, but for *noise* and *values*.

    Raises:
        BadValueError: *noise* is out of range, or *values* names nobody who gives some.
    """

    def __init__(
        self, game: Any, kind: int, fields: Mapping[int, int], noise: float, values: str, name: str
    ) -> None:
        if not 0.0 <= noise <= 1.0:
            raise BadValueError(f"noise is {noise}: it must be from 0 to 1")
        packed = simple_player(RECORD_FIELDS, kind)
        if values:
            player = make_player(values, game)
            if not isinstance(player, BredPlayer):
                raise BadValueError(f"values is {quote(values)}: it must be run:PATH or file:PATH")
            if player.decoder.head != "value":
                raise BadValueError(f"values is {quote(values)}: it has a policy, but no values")
            packed = player.packed._replace(seats=player.packed.seats.copy())
        packed.seats[0, list(fields)] = list(fields.values())
        name += f",noise={noise:.10g}" if noise else ""
        name += f",values={values}" if values else ""
        super().__init__(game, with_noise(packed, noise), name)


class MinimaxPlayer(_SearchPlayer):
    """Chooses by alpha-beta search, *depth* plies deep.

    Wins come first, the sooner the better, losses last, the later the better; between them the
    game's ``evaluate`` decides, or what *values* names. Of equally good moves each is as likely.

    Args:
        game: What it plays.
        depth: How many plies it looks ahead, 1 to 12.
        noise: How often it plays any legal move instead, 0 to 1.
        values: Who gives the values of leaves, such as ``run:evolved/first``; the game if empty.

    Raises:
        BadValueError: Something is out of range.
    """

    def __init__(self, game: Any, depth: int = 4, noise: float = 0.0, values: str = "") -> None:
        if not 1 <= depth <= MAX_DEPTH:
            raise BadValueError(f"depth is {depth}: it must be from 1 to {MAX_DEPTH}")
        super().__init__(game, SEARCH, {DEPTH: depth}, noise, values, f"minimax:depth={depth}")


class MctsPlayer(_SearchPlayer):
    """Chooses by Monte Carlo tree search, see `evolve_arena.players.board.mcts`.

    Args:
        game: What it plays.
        rollouts: How many there are for each move, 1 to 1,000,000.
        exploration: The constant of the upper confidence bound; shares of the win go from 0 to 1.
        noise: How often it plays any legal move instead, 0 to 1.
        values: Who gives the values of leaves, in place of random rollouts; for two seats.

    Raises:
        BadValueError: Something is out of range.
    """

    def __init__(
        self,
        game: Any,
        rollouts: int = 1000,
        exploration: float = EXPLORES,
        noise: float = 0.0,
        values: str = "",
    ) -> None:
        if not 1 <= rollouts <= MAX_ROLLOUTS:
            raise BadValueError(f"rollouts is {rollouts}: it must be from 1 to {MAX_ROLLOUTS:,}")
        if not 0.0 <= exploration <= MAX_EXPLORATION:
            raise BadValueError(
                f"exploration is {exploration}: it must be from 0 to {MAX_EXPLORATION:g}"
            )
        if values and game.seats != 2:
            raise BadValueError("values is only for games of two")
        fields = {
            ROLLOUTS: rollouts,
            NODES: min((rollouts + 1) * (game.code.MOVES + 1), MOST_NODES),
            EXPLORATION: round(exploration * 2**32),
        }
        name = f"mcts:rollouts={rollouts}"
        name += f",exploration={exploration:.10g}" if exploration != EXPLORES else ""
        super().__init__(game, MCTS, fields, noise, values, name)


def _make_kind(form: str, summary: str, make: Callable[..., Player], **readers: Any) -> PlayerKind:
    kind = form.partition(":")[0]
    readers |= {"noise": read_number, "values": str}

    def read(text: str, game: Any) -> Player:
        return make_by_settings(kind, text, readers, lambda **all: make(game, **all))

    return PlayerKind(form, summary, read, optional=True)


SEARCHES = {
    "minimax": _make_kind(
        "minimax:depth=4,noise=0.2",
        "searches 1 to 12 plies deep, of 5 moves plays one at random",
        MinimaxPlayer,
        depth=read_whole,
    ),
    "mcts": _make_kind(
        "mcts:rollouts=1000",
        "Monte Carlo tree search, 1 to 1,000,000 rollouts for each move",
        MctsPlayer,
        rollouts=read_whole,
        exploration=read_number,
    ),
}
"""What a game lists among its players."""
