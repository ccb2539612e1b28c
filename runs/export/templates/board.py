"""Exported bots of any compiled board game: whole numbers, choice of moves, and answers to hosts.

The rules of the game are in the exported file as they are compiled here, and use the numbers of
this file. The game and the network here only make this file a module that tools can check. It must
need nothing but Python 3.8 and its standard library.
"""

from __future__ import annotations

import sys
import time
from array import array
from collections.abc import Sequence
from random import randrange
from typing import Any

from evolve_arena.runs.export.templates.board_mlp import evaluate_planes

# --- Whole numbers ------------------------------------------------------------------------


class Word(int):
    """An unsigned whole number of 64 bits."""

    def __new__(cls, value: int = 0) -> Word:
        """Keep the lowest 64 bits of value."""
        return super().__new__(cls, int(value) & LARGEST_WORD)


LARGEST_WORD = 0xFFFFFFFFFFFFFFFF


def make_word_of(name: str) -> Any:
    """Return an operator of whole numbers whose results are cut to 64 bits."""
    operate, make = getattr(int, name), int.__new__
    return lambda word, other: make(Word, operate(word, other) & LARGEST_WORD)


def shift_left(number: int, count: int) -> Word:
    """Shift a number to the left, cut to 64 bits; a shift by 64 or more leaves 0."""
    return Word(int(number) << min(int(count), 64))


for operator in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "rshift"):
    for prefix in ("__", "__r"):
        setattr(Word, f"{prefix}{operator}__", make_word_of(f"{prefix}{operator}__"))
Word.__lshift__ = shift_left  # type: ignore[method-assign]
Word.__rlshift__ = lambda word, number: shift_left(number, word)  # type: ignore[method-assign]
Word.__invert__ = lambda word: Word(~int(word))  # type: ignore[method-assign]


class np:  # noqa: N801  (the rules know these by their names in NumPy)
    """Types of numbers that the rules use."""

    uint64 = Word
    int32 = int16 = int8 = int
    float64 = float
    bool_ = bool
    inf = float("inf")

    @staticmethod
    def int64(number: float) -> int:
        """Keep the lowest 64 bits of a number, the first of them a sign."""
        return (int(number) + (1 << 63) & LARGEST_WORD) - (1 << 63)

    @staticmethod
    def float32(number: float) -> float:
        """Round to the nearest number of 32 bits."""
        return array("f", (number,))[0]

    @staticmethod
    def sign(number: int) -> int:
        """Return 1, 0 or -1."""
        return (number > 0) - (number < 0)


class Words:
    """Words in an array; a slice shares their memory."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: Any) -> Any:
        found = self.numbers[place]
        return Words(found) if isinstance(place, slice) else Word(found)

    def __setitem__(self, place: int, word: int) -> None:
        self.numbers[place] = word


def make_words(count: int) -> Any:
    """Make an array of unsigned whole numbers, all 0."""
    return make_array("uint64", [0] * count)


def make_array(kind: str, numbers: Sequence[int]) -> Any:
    """Make an array of numbers, each of which must fit; its slices share its memory."""
    codes = {"int8": "b", "int16": "h", "int32": "i", "int64": "q"}
    codes.update({f"u{name}": code.upper() for name, code in codes.items()})
    made = memoryview(array(codes[kind], numbers))
    return Words(made) if kind == "uint64" else made


def view_as(numbers: Any, kind: Any) -> Any:
    """Return the same memory as numbers of another type, like view(kind) of NumPy's arrays."""
    code = {np.uint64: "Q", np.int64: "q", np.float64: "d", np.float32: "f"}[kind]
    shared = (numbers.numbers if isinstance(numbers, Words) else numbers).cast("B").cast(code)
    return Words(shared) if code == "Q" else shared


def make_numbers(count: int) -> memoryview:
    """Make an array of numbers, all 0."""
    return memoryview(array("d", [0.0] * count))


# --- The game -----------------------------------------------------------------------------


def define_rules() -> Any:
    """Return the definitions of a game's file, by name."""
    return {}


# --- The network --------------------------------------------------------------------------
HEAD = "value"
TAKES_WINS = True
# How many moves, planes, cells, seats and kinds of pieces of a player the game has.
MOVES, PLANES, CELLS, SEATS, PIECES = 1, 1, 64, 2, 1
# How a state is kept: how many numbers, and the type of each, or of all of them in an array.
SIZE = 1
KINDS = (int,)
ARRAY = ""
SEES_CELLS = False
TURNS, STAGES, SPAN, STAGE_PLANES = 0, 1, 0, 0
# How many numbers the network is given that the rules count of a state, and of a move.
FEATURES, MOVE_FEATURES = 0, 0
BINS = 0
HAS_POINTS = False
HAS_CHANCE = False
# At how many occurrences of a position, and after how many moves in a row without progress, a game
# is over; 0 if never. And whether the rules tell positions apart, and progress.
REPETITION, NO_PROGRESS, HAS_KEY, HAS_PROGRESS = 0, 0, False, False
# Whether the rules hide something from seats, and whether moves are tried as the seat to move knows
# the state.
HIDES, GUESSES = False, False
# What the game's file notes down for itself; whether it says which moves are worth weighing, and
# what its functions are told of this player.
NOTES: Any = make_array("int64", [0])
PRUNES, SETTING = False, 0
# The state before the first move and before chance; and after how many moves the arena ends a game.
FIRST_STATE: list[int] = []
LONGEST = 1
# Whether it can look ahead, how many plies it does unless it is told, and whether the rules say
# after which moves it looks farther. What the network says times UNIT is what it goes by.
CAN_SEARCH, DEPTH, HAS_QUIET, UNIT = True, 0, False, 65536


def ask_features(state: Sequence[int], seat: int, out: memoryview) -> None:
    """Let the file compute the features of a state."""


def ask_describe_move(state: Sequence[int], move: int, seat: int, out: memoryview) -> None:
    """Let the file compute the features of a move."""


def ask_prune(state: Sequence[int], seat: int, moves: Sequence[int], count: int) -> int:
    """Keep the moves that are worth describing; return their number."""
    return count


def ask_script(
    state: Sequence[int], moves: Sequence[int], count: int, kind: int, stream: list[int]
) -> int:
    """Return the move of a kind that a scripted player of the file chooses."""
    return moves[0]


# --- How it plays -------------------------------------------------------------------------
WORDS = (CELLS + 63) // 64
LEAST, MOST = -(2**63), 2**64 - 1
RULES = define_rules()
STREAM: list[int] = [np.uint64(0)]


def choose(
    numbers: Sequence[int],
    depth: int = DEPTH,
    seconds: float | None = None,
    past: Sequence[Sequence[int]] = (),
    stream: list[int] = STREAM,
) -> int:
    """Return the number of the move for a state, which is given as its numbers.

    The search depth is in plies; 0 compares the moves alone. With a limit of time the search goes
    one ply deep, then two, and so on up to depth, or as far as it can, and the last completed
    search decides.

    Where repetition or a lack of progress ends a game, past is the states before this one, oldest
    first, as remember() returns them. Without them, earlier repetitions are unknown.

    Where a player makes random choices, they come from the stream: a list of one whole number of
    64 bits, which changes.
    """
    if len(numbers) != SIZE:
        raise ValueError(f"expected a state of {SIZE} numbers, got {len(numbers)}")
    if any(not LEAST <= number <= MOST for number in numbers):
        raise ValueError("a number of the state has more than 64 bits")
    state, line = thaw(numbers), [identify(thaw(each)) for each in past]
    if is_finished(state) or is_exhausted(state, line):
        raise ValueError("the game is over")
    seat = int(RULES["to_move"](state))
    if GUESSES and 0 <= seat < SEATS:
        state = know(state, seat)
    moves = list_moves(state)
    if not 0 <= seat < SEATS or not moves or min(moves) < 0 or max(moves) >= MOVES:
        raise ValueError("the rules have no such state")
    if len(moves) == 1 and HEAD != "kinds":
        return moves[0]
    if depth or seconds is not None:
        return Search(seat, seconds, line).deepen(state, moves, depth or DEEPEST)
    NOTES[0] = 0
    if HEAD == "policy":
        return pick_strongest(evaluate_planes(look(state, seat)), moves)
    if HEAD == "kinds":
        return choose_by_kind(state, seat, moves, stream)
    return (
        choose_by_action(state, seat, moves)
        if HEAD == "action"
        else choose_by_value(state, seat, moves, line)
    )


def choose_by_value(state: Sequence[int], seat: int, moves: list[int], line: list[str]) -> int:
    """Return the first move that leads to the state of the best value, or wins at once."""
    best, best_value = -1, 0.0
    for move in moves:
        after = follow(state, move)
        if TAKES_WINS and is_finished(after) and has_won(after, seat):
            return move
        value = value_after(after, seat, extend_line(line, state, move))
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


def choose_by_action(state: Sequence[int], seat: int, moves: list[int]) -> int:
    """Return the first move of the best value, among those that are worth describing."""
    best, best_value, seen = -1, 0.0, look(state, seat)
    for move in prune(state, seat, moves) if PRUNES else moves:
        value = evaluate_planes(seen + look_at_move(state, move, seat))[0]
        if best < 0 or value > best_value:
            best, best_value = move, value
    return best


def prune(state: Sequence[int], seat: int, moves: list[int]) -> list[int]:
    """Return the moves that are worth describing."""
    room = make_room(moves)
    return [int(move) for move in room[: ask_prune(state, seat, room, len(moves))]]


def choose_by_kind(state: Sequence[int], seat: int, moves: list[int], stream: list[int]) -> int:
    """Return a scripted player's move of the legal kind whose output is the largest."""
    allowed = int(RULES["kinds"](state))
    kinds = [kind for kind in range(allowed.bit_length()) if allowed >> kind & 1]
    best = kinds[0]
    if len(kinds) > 1:
        best = pick_strongest(evaluate_planes(look(state, seat)), kinds)
    move = int(ask_script(know(state, seat), make_room(moves), len(moves), best, stream))
    return move if move in moves else moves[0]


def pick_strongest(outputs: Sequence[float], numbers: list[int]) -> int:
    """Return the first of some numbers whose output is the largest."""
    best = numbers[0]
    for number in numbers[1:]:
        if outputs[number] > outputs[best]:
            best = number
    return best


def know(state: Sequence[int], seat: int) -> Any:
    """Return the state as a seat knows it."""
    if not HIDES:
        return state
    known = make_array(ARRAY, state) if ARRAY else state
    changed = RULES["view"](known, seat)
    return known if changed is None else thaw(changed)


def list_moves(state: Sequence[int]) -> list[int]:
    """Return the numbers of the legal moves in a state that is not over."""
    found = make_room([])
    return [int(move) for move in found[: RULES["legal"](state, found)]]


def make_room(moves: list[int]) -> Any:
    """Make an array with room for all moves that begins with these."""
    return make_array("int64", moves + [0] * (MOVES - len(moves)))


def value_after(state: Sequence[int], seat: int, line: list[str]) -> float:
    """Return the value of an afterstate: the network's output, unless the line ends the game.

    In that case it is 0, as for a draw, except where points decide the winner.
    """
    if is_exhausted(state, line) and not is_finished(state):
        lost = SEATS == 2 and has_won(state, 1 - seat)
        return 2.0**30 * (int(has_won(state, seat)) - int(lost))
    return evaluate_planes(look(state, seat))[0]


def identify(state: Sequence[int]) -> str:
    """Return a text that is the same for the same positions."""
    if HAS_KEY:
        return str(int(RULES["key"](state)))
    return " ".join([str(int(number)) for number in state])


def extend_line(
    line: list[str], state: Sequence[int], move: int, name: str | None = None
) -> list[str]:
    """Return the positions since the last move that made progress, after one more move.

    A search names the positions that it reaches "": they count, but none of them recurs.
    """
    if not REPETITION and not NO_PROGRESS:
        return line
    if HAS_PROGRESS and RULES["progress"](state, move):
        return []
    return [*line, identify(state) if name is None else name]


def is_exhausted(state: Sequence[int], line: list[str], most: int = REPETITION) -> bool:
    """Test if repetition or a lack of progress ends the game after a line of positions."""
    if REPETITION and line and line.count(identify(state)) + 1 >= most:
        return True
    return 0 < NO_PROGRESS <= len(line)


def thaw(numbers: Sequence[int]) -> Any:
    """Return the state of these numbers, in the form that the rules take."""
    if ARRAY:
        return make_array(ARRAY, numbers)
    return tuple(KINDS[place](number) for place, number in enumerate(numbers))


def follow(state: Sequence[int], move: int) -> Any:
    """Return the state after a move, before chance decides."""
    after = make_array(ARRAY, state) if ARRAY else state
    changed = RULES["play"](after, move)
    return after if ARRAY else thaw(changed)


def is_finished(state: Sequence[int]) -> bool:
    """Test if the game is over."""
    return bool(RULES["is_over"](state)) if HAS_POINTS else int(RULES["result"](state)) != 2


def has_won(state: Sequence[int], seat: int) -> bool:
    """Test if the seat has won a game that is over."""
    if not HAS_POINTS:
        return int(RULES["result"](state)) == 1 - 2 * seat
    others = [int(RULES["points"](state, other)) for other in range(SEATS) if other != seat]
    return int(RULES["points"](state, seat)) > max(others)


def look(state: Sequence[int], seat: int) -> list[Any]:
    """Return the network's inputs for a state: its planes, or features."""
    if not FEATURES:
        return list_planes(state, seat)
    counted, NOTES[0] = make_numbers(FEATURES), 0
    ask_features(state, seat, counted)
    if BINS:
        bins = [int(max(0, min(number, BINS - 1))) for number in counted]
        return [float(value == number) for number in bins for value in range(BINS)]
    return round_numbers(counted)


def look_at_move(state: Sequence[int], move: int, seat: int) -> list[float]:
    """Return the network's inputs for a move, before it is played."""
    counted = make_numbers(MOVE_FEATURES)
    ask_describe_move(state, move, seat, counted)
    return round_numbers(counted)


def round_numbers(numbers: Sequence[float]) -> list[float]:
    """Round each number to the nearest of 32 bits."""
    return array("f", [float(number) for number in numbers]).tolist()


def list_planes(state: Sequence[int], seat: int) -> list[int]:
    """Return the bits of each plane of a state, as one whole number, and which table counts."""
    if SEES_CELLS:
        seen, owned = [0] * PLANES, SEATS * PIECES
        for cell in range(CELLS):
            kind = int(state[cell]) - 1
            if kind >= 0:
                seen[(kind - seat * PIECES) % owned if kind < owned else kind] |= 1 << cell
    else:
        words = make_words(PLANES * WORDS)
        RULES["see"](state, seat, words)
        seen = [
            sum(int(words[WORDS * plane + place]) << 64 * place for place in range(WORDS))
            for plane in range(PLANES)
        ]
    table = seat if TURNS == 2 else int(int(RULES["to_move"](state)) == seat) if TURNS else 0
    if STAGES > 1:
        pieces = sum(bin(plane).count("1") for plane in seen[STAGE_PLANES:])
        table = table * STAGES + min(pieces // SPAN, STAGES - 1)
    return [*seen, table] if TURNS or STAGES > 1 else seen


# --- How it looks ahead -------------------------------------------------------------------
WIN, INFINITE = 1 << 40, 1 << 42
LARGEST = 2**30 - 1
# It looks no farther, and so many plies farther where the rules say that a state is not quiet.
DEEPEST, MOST_EXTRA = 60, 8


class OutOfTimeError(Exception):
    """Raised when the time is up before this search is complete."""


def expect(value: int) -> int:
    """Return the expected result of a leaf's value, where chance decides: nearly its tanh."""
    x = abs(value) * (1.0 / 65536.0)
    terms = 1.0 + x * (1.0 + x * (1.0 + x * (2.0 / 3.0 + x * (1.0 / 3.0))))
    expected = int((1.0 - 1.0 / terms) * (WIN - 128))
    return expected if value > 0 else -expected


class Search:
    """One alpha-beta search.

    The value of a state for a seat is estimated from the searching player's view.
    """

    def __init__(self, searcher: int, seconds: float | None, line: list[str]) -> None:
        if not CAN_SEARCH:
            raise ValueError("this bot can't look ahead")
        self.searcher, self.line = searcher, line
        self.timed = seconds is not None
        self.deadline = time.monotonic() + (seconds or 0.0) if self.timed else float("inf")
        self.cuts: dict[int, int] = {}

    def deepen(self, state: Sequence[int], moves: list[int], depth: int) -> int:
        """Return the first of the best moves at this depth, or at the last completed one."""
        if depth < 1:
            raise ValueError(f"depth is {depth}: it must be 0 or more")
        best, value, order = moves[0], 0, list(moves)
        for plies in range(1 if self.timed else depth, depth + 1):
            try:
                values = self.value_moves(state, order, plies)
            except OutOfTimeError:
                break
            value = max(values.values())
            best = next(move for move in moves if values[move] == value)
            order = sorted(moves, key=lambda move: -values[move])
            if abs(value) >= WIN:
                break
        return best

    def value_moves(self, state: Sequence[int], order: list[int], depth: int) -> dict[int, int]:
        """Return the values of moves, bounds for those below the best. Good moves come first."""
        values, best = {}, -INFINITE
        for move in order:
            after = follow(state, move)
            # A window that begins below the best so far tells equals from worse.
            line = extend_line(self.line, state, move)
            value = self.value(after, self.searcher, depth - 1, best - 1, INFINITE, line)
            values[move], best = value, max(best, value)
        return values

    def value_leaf(self, state: Sequence[int], side: int) -> int:
        """Return the network's value of a state for the side that has moved to it."""
        seat = side if HAS_CHANCE else self.searcher
        value = UNIT * evaluate_planes(look(state, seat))[0]
        value = int(min(value, LARGEST)) if value > -LARGEST else -LARGEST
        if HAS_CHANCE:
            value = expect(value)
        return value if side == seat else -value

    def value(
        self, state: Sequence[int], side: int, depth: int, low: int, high: int, line: list[str]
    ) -> int:
        """Return the value to a side of the state after its move; a bound outside of low and high.

        A position that occurred in the game counts as a draw: it could be repeated again.
        """
        if HAS_CHANCE:
            outcomes = int(RULES["chance"](state))
            if outcomes and depth <= 0:
                return self.value_leaf(state, side)
            if outcomes:
                total = 0
                for outcome in range(outcomes):
                    after = make_array(ARRAY, state) if ARRAY else state
                    changed = RULES["resolve"](after, outcome)
                    after = after if ARRAY else thaw(changed)
                    total += self.value(after, side, depth, -INFINITE, INFINITE, line)
                return total // outcomes
        if is_finished(state) or is_exhausted(state, line, 2):
            won = int(has_won(state, side)) - int(has_won(state, 1 - side))
            return won * (WIN + depth)
        if depth <= 0 and (not HAS_QUIET or depth <= -MOST_EXTRA or RULES["quiet"](state)):
            return self.value_leaf(state, side)
        if time.monotonic() > self.deadline:
            raise OutOfTimeError
        # From here on all is seen by the player to move.
        mover, moves = int(RULES["to_move"](state)), list_moves(state)
        sign = 1 if mover == side else -1
        if sign < 0:
            low, high = -high, -low
        if not moves:
            return 0
        if depth > 1:
            cuts = self.cuts
            moves = sorted(moves, key=lambda move: -cuts.get(2 * move + mover, 0))
        best = -INFINITE
        for move in moves:
            after = follow(state, move)
            further = extend_line(line, state, move, "")
            value = self.value(after, mover, depth - 1, max(low, best), high, further)
            best = max(best, value)
            if best >= high:
                self.cuts[2 * move + mover] = self.cuts.get(2 * move + mover, 0) + depth * depth
                break
        return sign * best


# --- How a game is played -----------------------------------------------------------------


def start() -> list[int]:
    """Return the state before the first move."""
    return settle(thaw(FIRST_STATE))


def legal(numbers: Sequence[int], past: Sequence[Sequence[int]] = ()) -> list[int]:
    """Return the numbers of the moves in a state; none once the game is over.

    Whether repetition or a lack of progress ended it depends on the states in its past.
    """
    state = thaw(numbers)
    if is_finished(state) or is_exhausted(state, [identify(thaw(each)) for each in past]):
        return []
    return list_moves(state)


def play(numbers: Sequence[int], move: int) -> list[int]:
    """Return the state after a move, and after all that chance decides then."""
    if move not in legal(numbers):
        raise ValueError(f"there is no move {move!r} here")
    state = thaw(numbers)
    changed = RULES["play"](state, move)
    return settle(state if ARRAY else changed)


def view(numbers: Sequence[int], seat: int | None = None) -> list[int]:
    """Return the state as a seat knows it; by default, the player to move."""
    state = thaw(numbers)
    known = know(state, int(RULES["to_move"](state)) if seat is None else seat)
    return [int(number) for number in known]


def remember(
    past: Sequence[Sequence[int]], numbers: Sequence[int], move: int
) -> list[Sequence[int]]:
    """Return the past of the state after a move: all states that count, oldest first."""
    state = thaw(numbers)
    if (not REPETITION and not NO_PROGRESS) or (HAS_PROGRESS and RULES["progress"](state, move)):
        return []
    return [*past, list(numbers)]


def settle(state: Sequence[int]) -> list[int]:
    """Return the numbers of the state after all that chance decides there."""
    while HAS_CHANCE:
        outcomes = int(RULES["chance"](state))
        if not outcomes:
            break
        changed = RULES["resolve"](state, randrange(outcomes))
        state = state if ARRAY else changed
    return [int(number) for number in state]


def result(numbers: Sequence[int], past: Sequence[Sequence[int]] = ()) -> tuple[int, ...] | None:
    """Return None while the game goes on, else a number for each seat.

    That is 1 for a win, -1 for a loss and 0 for a draw; in games of points, the points.
    """
    state, over = thaw(numbers), is_finished(thaw(numbers))
    if not over and not is_exhausted(state, [identify(thaw(each)) for each in past]):
        return None
    if HAS_POINTS:
        return tuple(int(RULES["points"](state, seat)) for seat in range(SEATS))
    first = int(RULES["result"](state)) if over else 0
    return first, -first


# --- How hosts ask ------------------------------------------------------------------------


def play_on_stdin() -> None:
    """Answer each line "go" with "move NUMBER", for the state that a line "state ..." gave.

    "go depth 3" searches three plies deep, "go movetime 500" for so many milliseconds. Lines
    "past ..." before that of the state are the states in its past, oldest first.
    """
    state: list[int] = []
    told: list[list[int]] = []
    past: list[list[int]] = []
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["state"]:
            state, past, told = [int(word) for word in words[1:]], told, []
        elif words[:1] == ["past"]:
            told.append([int(word) for word in words[1:]])
        elif words[:2] == ["go", "depth"]:
            print("move", choose(state, min(int(words[2]), DEEPEST), None, past), flush=True)
        elif words[:2] == ["go", "movetime"]:
            # A part is kept back for the way there and back.
            seconds = max(0.9 * int(words[2]) - 5.0, 0.0) / 1000.0
            print("move", choose(state, DEEPEST, seconds, past), flush=True)
        elif words[:1] == ["go"]:
            print("move", choose(state, DEPTH, None, past), flush=True)
        else:
            answer_site(words)


# --- How sites ask ------------------------------------------------------------------------


def answer_site(words: Sequence[str]) -> None:
    """Ignore any other line; no site has commands of its own for this bot."""


# --- As a program -------------------------------------------------------------------------


if __name__ == "__main__":
    play_on_stdin()
