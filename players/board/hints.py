"""Advice on a valid game file: inputs that its networks lack, and cells drawn in other places.

The advice comes from positions of random games. A number of the state is tested by replacing it
with a value that it had elsewhere, and by observing what changes by the rules.
"""

from __future__ import annotations

import ast
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from types import FrameType
from typing import Any

import numpy as np

from evolve_arena.core.errors import ArenaError
from evolve_arena.core.types import Array
from evolve_arena.players.board.game import Board, BoardGame, GameFileError

SECONDS = 2.0
TRIED = 20
"""Number of positions in which a number of the state is replaced by another value."""
MAX_TRIED = 3
"""Maximum number of moves played after each, and of values tried in each final position."""
LINES = 100_000
"""Maximum number of lines that functions may execute on states with a changed number."""
MAX_FEATURES = 600
"""Maximum number of terms when a number is fitted by a linear function of observed bits."""
MAX_NAMED = 6
MANY = 10
"""Median number of legal moves from which on the cost of listing them matters."""
MAX_VIEWS, MAX_ENUMERATED, OFTEN = 20, 1000, 20
"""Maximum number of views to examine, the most frequent first; maximum number of guesses for each;
and occurrences of a view per guess, from which on each guess should have been true in one."""
CELL = re.compile(r"[a-z]{1,2}\d{1,2}")
Games = list[list[Board]]


def find_hints(game: BoardGame, games: int, seconds: float = SECONDS) -> list[str]:
    """Return sentences of advice on a *game*'s file that has no faults.

    Args:
        game: Game.
        games: Number of random games to examine.
        seconds: Time of this process after which no further game begins.

    Raises:
        GameFileError: A number of the state overflows its type.
    """
    played, latest = Games(), time.process_time() + seconds
    for seed in range(games):
        if seed and time.process_time() > latest:
            break
        played.append(_play(game, seed))
    repetition = list(_find_repetition(game, played))
    # What follows is about the rules alone.
    played = [[state._replace(past=()) for state in states] for states in played]
    ends = [states.pop() for states in played]
    hints = [
        _find_wrapping(game, played),
        *_find_unseen(_Sample(game, played, ends)),
        _find_misnamed(game, played),
        _find_other_neighbours(game),
        *repetition,
        *_find_staying(game, played),
        *_find_misguessed(game),
    ]
    return [hint for hint in hints if hint]


def _play(game: BoardGame, seed: int) -> list[Board]:
    """Return all positions of a random game, the final one included."""
    choices, states = random.Random(seed), [game.initial(seed)]
    while moves := game.legal_moves(states[-1]):
        move = choices.choice(moves)
        _refuse_wrapping(game, states[-1], move)
        states.append(game.play(states[-1], move))
    return states


# Repetition


def _find_repetition(game: BoardGame, games: Games) -> Iterator[str]:
    """Yield advice on REPETITION and NO_PROGRESS, by which earlier positions end games."""
    counts = [len({state.state for state in states}) for states in games]
    recurring = sum(count < len(states) for count, states in zip(counts, games, strict=True))
    longest = int(game.code.LONGEST)
    if game.code.REPETITION:
        words = [[game.find_word(state.state) for state in states] for states in games]
        if all(len(set(each)) == len(each) for each in words):
            yield (
                f"REPETITION is {game.code.REPETITION}, but no position occurred twice in"
                f" {len(games)} random games: if a number of the state counts moves, add a"
                " function key(state) that leaves it out; if none can recur, leave REPETITION out"
            )
    elif not game.code.HAS_CHANCE and "view" not in game.plain and 2 * recurring > len(games):
        cut = sum(states[-1].plies >= longest for states in games)
        if 2 * cut > len(games):
            yield (
                f"positions recur in {recurring} of {len(games)} random games, of which {cut} last"
                f" LONGEST, {longest}, moves: REPETITION = 3 would make the third occurrence a draw"
            )
    if longest <= game.code.NO_PROGRESS:
        yield f"NO_PROGRESS is not below LONGEST, {longest}: it ends no game"
    if "progress" in game.plain and not game.code.HAS_PAST:
        yield "progress is never called: it is for REPETITION and NO_PROGRESS, which the file lacks"


def _find_staying(game: BoardGame, games: Games) -> Iterator[str]:
    """Yield the advice to set MOVES_STAY, if all moves stay legal until they are played."""
    if game.plain.get("MOVES_STAY"):
        return
    lists = [[game.legal_moves(state) for state in states] for states in games]
    lengths = [len(moves) for each in lists for moves in each]
    stay = all(
        set(then) < set(now) and len(then) == len(now) - 1
        for each in lists
        for now, then in pairwise(each)
    )
    if stay and len(lengths) > len(games) and np.median(lengths) >= MANY:
        yield (
            f"legal moves stayed legal until they were played in all of {len(games)} random games:"
            " MOVES_STAY = True says so, and tree search lists them less often"
        )


# Numbers that are too small


def _refuse_wrapping(game: BoardGame, state: Board, move: int) -> None:
    """Compare the state after a *move* with that in numbers of 64 bits, to find overflows.

    Raises:
        GameFileError: A number overflows its type.
    """
    if not game.code.IS_ARRAY or game.code.START.itemsize == 8:
        return
    kind = game.code.START.dtype
    wide = np.array(state.state, dtype=np.int64)
    try:
        game.ask("play", wide, move)
    except GameFileError:
        return
    limits = np.iinfo(kind)
    lowest = limits.min if limits.min < 0 else -(2**63)  # below 0 words of bits may be turned over
    after = game.follow(state, "play", move).state
    for place in np.flatnonzero(wide != np.array(after)).tolist():
        if not lowest <= wide[place] <= limits.max:
            raise GameFileError(
                f"{game.file}{game.find_line('play')}: play makes {wide[place]} of"
                f" {_name(game, [place])}, of which np.{kind} leaves {after[place]}: begin with"
                f" np.{_wider(game)} in start"
            )


def _wider(game: BoardGame) -> str:
    return {1: "int16", 2: "int32"}.get(game.code.START.itemsize, "int64")


def _find_wrapping(game: BoardGame, games: Games) -> str:
    """Return advice on a number that counts moves and would overflow."""
    if not game.code.IS_ARRAY:
        return ""
    most = int(np.iinfo(game.code.START.dtype).max)
    first = games[0][0].state
    longest = int(game.code.LONGEST)
    states = [state for states in games for state in states]
    if max(state.plies for state in states) < 2:
        return ""
    for place, begin in enumerate(first):
        if begin + longest > most and all(
            state.state[place] == begin + state.plies for state in states
        ):
            return (
                f"{_name(game, [place])} counts the moves, and np.{game.code.START.dtype} can't"
                f" count beyond {most}: LONGEST is {longest}, so begin with np.{_wider(game)} in"
                " start"
            )
    return ""


# Guesses at hidden information


def _find_misguessed(game: BoardGame, seconds: float = SECONDS) -> Iterator[str]:
    """Yield advice on guesses that are never true, always true, or true in no game.

    Positions are grouped by the view of the player to move; few such views are frequent enough.
    """
    if not game.code.HAS_GUESS:
        return
    seen: defaultdict[tuple[int, Board], list[Board]] = defaultdict(list)
    seed, latest = 0, time.process_time() + seconds
    while time.process_time() < latest:
        seed += 1
        choices, state = random.Random(seed), game.initial(seed)
        while moves := game.legal_moves(state):
            seat = game.to_move(state)
            seen[seat, game.view(state, seat)].append(state._replace(rng=0))
            state = game.play(state, choices.choice(moves))
    guessed, looked, latest = 0, False, latest + seconds
    for (seat, view), truths in sorted(seen.items(), key=lambda item: -len(item[1])):
        if guessed == MAX_VIEWS or time.process_time() > latest:
            break
        guesses = list(islice(game.list_guesses(view, seat), MAX_ENUMERATED))
        guessed, looked = guessed + (len(guesses) > 1), True
        if len(guesses) == MAX_ENUMERATED:
            continue
        if missing := next((state for state in truths if state not in guesses), None):
            yield (
                f"guess never gives {missing.state}, which a game had where seat {seat} is shown"
                f" {view.state}: searches do not reckon with it"
            )
            return
        impossible = next((guess for guess in guesses if guess not in truths), None)
        if impossible and len(truths) >= OFTEN * len(guesses):
            yield (
                f"guess gives {impossible.state} where seat {seat} is shown {view.state}, but none"
                f" of {len(truths)} games that came there had it"
            )
            return
    if looked and not guessed:
        yield "guess gives one state alone, the true one: does view leave something to be seen?"


# Numbers that networks do not observe


def _find_unseen(sample: _Sample) -> Iterator[str]:
    """Yield advice on numbers that matter, and on the turn, if networks do not see them."""
    unseen = [place for place in sample.list_hidden() if sample.matters(place)]
    if unseen:
        yield (
            f"networks do not see {_name(sample.game, unseen)}, which"
            f" {'changes' if len(unseen) == 1 else 'change'} and can't be told from what they see:"
            " they may play better with a function see that shows it, on a board in a plane that"
            " PLANE_NUMBERS lists"
        )
    if sample.hides_turn():
        bits = "a bit"
        if "SYMMETRY" in sample.game.plain:  # one bit would not turn with the board
            bits = "in a plane of its own the bits of all cells that are empty in the others"
        yield (
            "the same player may move again, and networks do not see whose turn it is: let see"
            f" set {bits} if to_move(state) == seat"
        )


class _Sample:
    """Positions of random games that are not over, and the final positions."""

    def __init__(self, game: BoardGame, games: Games, ends: list[Board]) -> None:
        self.game, self.games, self.ends = game, games, ends
        self.states = [state for states in games for state in states]
        self.numbers = np.array([state.state for state in self.states], dtype=object)
        self.turns = [game.to_move(state) for state in self.states]
        pairs = zip(self.states, self.turns, strict=True)
        self.seen = np.array([game.observe(state, seat) for state, seat in pairs])
        self.choices = random.Random(1)

    def list_hidden(self) -> list[int]:
        """List indices of numbers that vary, and that observation and turn do not determine.

        If at least as many numbers vary as there are cells, a number is listed only if it differs
        for equal observations. If fewer vary, it is also listed if it differs for equal counts of
        the pieces of each kind, and is no linear function of the observed bits.
        """
        found = []
        code = self.game.code
        places = range(int(code.CELLS) if code.SEES_CELLS else 0, self.numbers.shape[1])
        changing = [place for place in places if len(set(self.numbers[:, place])) > 1]
        notes = len(changing) >= code.CELLS
        for place in changing:
            secret = self._find_secret(place)
            rows = [row for row, turn in enumerate(self.turns) if turn not in secret]
            if not rows or self._is_seen(place):
                continue
            values = self.numbers[rows, place]
            if self._follows(values, self._boards(rows)) and (
                notes or self._follows(values, self._counts(rows)) or self._is_sum(values, rows)
            ):
                continue
            found.append(place)
        return found

    def matters(self, place: int) -> bool:
        """Test whether the number at index *place* affects the game, and outlasts the next move."""
        decides = self._decides_end(place)
        lasts = False
        for state, other in self._change(place):
            with _bounded():
                try:
                    if self.game.to_move(state) != self.game.to_move(other):
                        continue
                    moves = self.game.legal_moves(state)
                    decides |= moves != self.game.legal_moves(other)
                    decides |= self._count(state) != self._count(other)
                    for move in self.choices.sample(moves, min(MAX_TRIED, len(moves))):
                        one, two = (self.game.follow(each, "play", move) for each in (state, other))
                        differ = np.flatnonzero(np.array(one.state) != np.array(two.state))
                        lasts |= len(differ) > 0
                        decides |= bool(set(differ.tolist()) - {place})
                except (ArenaError, IndexError):
                    continue
            if decides and lasts:
                return True
        return False

    def _decides_end(self, place: int) -> bool:
        """Test whether finished games would have other results with another number at *place*."""
        values = sorted(set(self.numbers[:, place]))
        for state in self.choices.sample(self.ends, min(3 * TRIED, len(self.ends))):
            with _bounded():
                try:
                    count = self._count(state)
                    for value in self.choices.sample(values, min(MAX_TRIED, len(values))):
                        if self._count(_replace(state, place, value)) != count:
                            return True
                except (ArenaError, IndexError):
                    continue
        return False

    def hides_turn(self) -> bool:
        """Test whether a player may move again, and no observation shows whose turn it is."""
        again = any(
            self.game.to_move(before) == self.game.to_move(after)
            for states in self.games
            for before, after in pairwise(states)
        )
        if not again:
            return False
        for place in range(self.numbers.shape[1]):
            for state, other in self._change(place):
                with _bounded():
                    try:
                        if self.game.to_move(state) == self.game.to_move(other):
                            continue
                    except ArenaError:
                        continue
                if self._differs(state, other):
                    return False
        turns = np.array(self.turns, dtype=object)
        fixed = np.array([self.game.observe(state, 0) for state in self.states])
        counts = [each.sum(axis=1).tobytes() for each in fixed]
        return not self._follows(turns, counts)

    def _boards(self, rows: list[int]) -> list[Hashable]:
        return [(self.seen[row].tobytes(), self.turns[row]) for row in rows]

    def _counts(self, rows: list[int]) -> list[Hashable]:
        return [(self.seen[row].sum(axis=1).tobytes(), self.turns[row]) for row in rows]

    def _follows(self, values: Array, keys: Sequence[Hashable]) -> bool:
        """Test whether equal *keys* always have equal *values*."""
        known: dict[Hashable, object] = {}
        return all(
            known.setdefault(key, value) == value for key, value in zip(keys, values, strict=True)
        )

    def _is_sum(self, values: Array, rows: list[int]) -> bool:
        """Test whether *values* are a linear function of the observed bits."""
        flat = self.seen[rows].reshape(len(rows), -1).astype(float)
        turns = np.array(self.turns)[rows]
        table = np.column_stack([flat[:, flat.any(axis=0)], turns, np.ones(len(rows))])
        half = len(values) // 2
        if table.shape[1] > min(MAX_FEATURES, half) or max(map(abs, values)) > 2**31:
            return False
        wanted = np.array(values, dtype=float)
        weights = np.linalg.lstsq(table[:half], wanted[:half], rcond=None)[0]
        return bool(np.abs(table[half:] @ weights - wanted[half:]).max() < 0.01)

    def _find_secret(self, place: int) -> set[int]:
        """Return the seats from which the file's view hides a number."""
        if "view" not in self.game.plain:
            return set()
        return {
            seat
            for state, _ in self._pick()
            for seat in range(self.game.seats)
            if self.game.view(state, seat).state[place] != state.state[place]
        }

    def _is_seen(self, place: int) -> bool:
        return any(self._differs(*pair) for pair in self._change(place))

    def _differs(self, state: Board, other: Board) -> bool:
        """Test whether the observations of two states differ at any seat."""
        with _bounded():
            try:
                return any(
                    not np.array_equal(
                        self.game.observe(state, seat), self.game.observe(other, seat)
                    )
                    for seat in range(self.game.seats)
                )
            except (ArenaError, IndexError):
                return True

    def _pick(self) -> list[tuple[Board, int]]:
        pairs = list(zip(self.states, self.turns, strict=True))
        return self.choices.sample(pairs, min(TRIED, len(pairs)))

    def _change(self, place: int) -> Iterator[tuple[Board, Board]]:
        """Yield some states, each with a copy that has another value at index *place*."""
        values = sorted(set(self.numbers[:, place]))
        for state, _ in self._pick():
            others = [value for value in values if value != state.state[place]]
            if others:
                yield state, _replace(state, place, self.choices.choice(others))

    def _count(self, state: Board) -> list[int]:
        """Return the points of a state, the number of chance outcomes, and the result."""
        game, thawed = self.game, self.game.to_native(state)
        counted = (
            [int(game.ask("points", thawed, seat)) for seat in range(game.seats)]
            if game.code.HAS_POINTS
            else []
        )
        counted.append(int(game.ask("chance", thawed)) if game.code.HAS_CHANCE else 0)
        return [*counted, int(game.ask("is_over" if game.code.HAS_POINTS else "result", thawed))]


def _replace(state: Board, place: int, value: int) -> Board:
    return state._replace(state=(*state.state[:place], value, *state.state[place + 1 :]))


@contextmanager
def _bounded() -> Iterator[None]:
    """End the file's functions with an error when they run too many lines.

    They get states that no game reaches, with which they may never end.
    """
    before, left = sys.gettrace(), LINES

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise GameFileError("this does not end")
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def _name(game: BoardGame, places: list[int]) -> str:
    """Return a text that names the numbers of the state at *places*, as the file does.

    A number has the name of the constant that is its index, or of the variable that unpacks it.
    """
    names: dict[int, str] = {}
    for node in ast.walk(ast.parse(game.source)):
        if isinstance(node, ast.Subscript):
            index, behind = node.slice, range(1)
            if isinstance(index, ast.BinOp) and isinstance(index.op, ast.Add):
                added: object = getattr(index.right, "value", None)
                behind = range(added, added + 1) if isinstance(added, int) else range(game.seats)
                index = index.left
            value = game.plain.get(index.id) if isinstance(index, ast.Name) else None
            if isinstance(index, ast.Name) and isinstance(value, int):
                for place in behind:  # a number for each seat, if which one is computed
                    names.setdefault(value + place, f"{index.id} + {place}" if place else index.id)
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Name)
            and isinstance(node.targets[0], ast.Tuple)
            and len(node.targets[0].elts) == len(game.code.START)
        ):
            for place, each in enumerate(node.targets[0].elts):
                if isinstance(each, ast.Name):
                    names.setdefault(place, each.id)
    told = [
        f"state[{place}]" + (f" ({names[place]})" if place in names else "") for place in places
    ]
    more = len(told) - MAX_NAMED
    return ", ".join(told[:MAX_NAMED]) + (f" and {more} more numbers" if more > 0 else "")


# Cells


def _find_misnamed(game: BoardGame, games: Games) -> str:
    """Return advice on moves that have the names of other cells than those that change."""
    if not game.symmetry or "name_move" not in game.plain:
        return ""
    names = {game.name_cell(cell).lower(): cell for cell in game.drawn}
    tally: dict[bool, int] = defaultdict(int)
    example = ""
    choices = random.Random(1)
    states = [state for states in games for state in states]
    for state in choices.sample(states, min(5 * TRIED, len(states))):
        move = choices.choice(game.legal_moves(state))
        name = game.format_move(move).lower()
        named = CELL.findall(name)
        if not named or re.search(r"[a-z\d]", CELL.sub("", name)):
            continue
        before, after = (
            game.observe(each, 0) for each in (state, game.follow(state, "play", move))
        )
        changed = np.flatnonzero((before != after).any(axis=0)).tolist()
        fits = names.get(named[-1]) in changed
        tally[fits] += 1
        if not fits and changed:
            there = ", ".join(name for name, cell in names.items() if cell in changed[:3])
            example = f"{name} changes {there}"
    if tally[False] <= tally[True] or not example:
        return ""
    return (
        f"name_move names other cells than the page, where {example}: there cells have the names of"
        " name_cell, or else columns are letters from the left, and rows are numbered from the top,"
        " in the order of the cells"
    )


def _find_other_neighbours(game: BoardGame) -> str:
    """Return advice on NEIGHBOURS if most cells are drawn elsewhere than in rows of WIDTH."""
    if not game.symmetry or game.stacks or game.neighbours or not game.has_places:
        return ""
    width, steps = int(game.code.WIDTH), Counter[tuple[float, float]]()
    for cell, (one, two) in enumerate(pairwise(game.places), 1):
        if cell % width and one is not None and two is not None:
            steps[two[0] - one[0], two[1] - one[1]] += 1
    if not steps or 2 * max(steps.values()) > steps.total():
        return ""  # cells beside each other are drawn alike, as in rows that are shifted
    return (
        f"the page draws the {width} cells of a row of WIDTH elsewhere than in a row, and tuple"
        " networks take them for neighbours: NEIGHBOURS, for each cell a list of the cells next to"
        " it, can make them much stronger on such a board"
    )
