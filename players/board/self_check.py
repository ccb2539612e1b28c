"""Checks of a game's file: its plain rules, then the compiled ones against these.

A fault is reported in a sentence with the line of the file, before any evolution.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np
from numba.core.errors import NumbaError

from evolve_arena import core
from evolve_arena.core.compiled import working_clock
from evolve_arena.core.game import KernelSpec
from evolve_arena.core.logs import LOG
from evolve_arena.core.registry import game_of
from evolve_arena.core.stream import Stream, below, new_stream, next_word
from evolve_arena.core.types import Array
from evolve_arena.players.board.accelerator_check import compare_accelerators, list_answers
from evolve_arena.players.board.count_check import check_counts, find_difference
from evolve_arena.players.board.game import GOES_ON, Board, BoardGame, GameFileError
from evolve_arena.players.board.kernel import enter
from evolve_arena.players.board.scripted import check_scripts, compare_scripts
from evolve_arena.players.board.watch import Watch
from evolve_arena.players.board.workspace import (
    MAX_OUTCOMES,
    RECORD_FIELDS,
    make_notes,
    plane_words,
)
from evolve_arena.players.packed import NOISE, combine_players, simple_player

CHECKED = "checked-4"
"""Empty file that marks a folder of the cache as checked; it is renamed when checks are added."""

GAMES = 20
"""Number of random games by plain rules, if they take no longer than :data:`SECONDS`."""
SECONDS = 1.0
FEWEST = 5
"""Number of undecided games after which the game counts as endless."""
LARGEST_VALUE = 2**30
MAX_NAMES = 5000
"""Maximum number of moves whose names are compared with each other."""
NONSENSE = ("", "?", "x", "help", "zz99", "a1-", "-1", "1 2 3", "99999999999999999999")
"""Texts that people may type and that hardly name a move."""

ADVICE = (
    (
        r"recursion: \w+ with other types",
        "a function must call itself with the types it was called with: write np.int64(...), say",
    ),
    (
        r"NRT required|returning of array|allocat",
        "this makes an array, a list or a text, for which compiled rules have no room: use numbers,"
        " the state, and constants from the top of the file",
    ),
    (
        r"Untyped global name '(\w+)'|global.*?'(\w+)'.*list|reflected list",
        "constants must be numbers, tuples or NumPy arrays: write a tuple in place of a list, a"
        " dict or a set",
    ),
    (
        r"float64|Cannot unify .*float",
        "this makes a float: divide with //, and write np.uint64(...) beside words",
    ),
    (r"unicode_type|UnicodeType|'str'", "compiled rules have no texts: give whole numbers"),
    (
        r"\bnone\b|NoneType|omitted",
        "on some path this gives nothing: every path must give a number (or a state)",
    ),
    (
        r"Cannot unify|[Uu]nif",
        "one variable holds things of two types: give each its own name",
    ),
    (
        r"Unknown attribute|[Uu]nsupported|not supported|No implementation",
        "Numba does not know this: write a loop over numbers",
    ),
)
"""Advice by patterns in Numba's messages."""


@dataclass(frozen=True)
class PlainGames:
    """Statistics of random games by the plain rules."""

    games: int
    shortest: int
    longest: int
    unfinished: int
    """Number of games that were not over after LONGEST moves."""
    moves: float
    """Mean number of legal moves."""


def check_plain(game: BoardGame, games: int = GAMES, seconds: float = SECONDS) -> PlainGames:
    """Play random *games* by the plain rules, and check all their results.

    Args:
        game: Game.
        games: Number of games.
        seconds: Time after which no further game begins.

    Returns:
        Statistics of the games.

    Raises:
        GameFileError: The rules fail, or a result is invalid; the message names the line.
    """
    checker = _PlainChecker(game)
    _ = game.neighbours  # raises if they are wrong
    # Games, until there are enough or time is up
    begun, lengths, unfinished = time.monotonic(), [], 0
    choices: list[int] = []
    decided = False
    for seed in range(games):
        late = time.monotonic() - begun > seconds
        if late and (decided or seed >= FEWEST):
            break
        length, ended, won = checker.play(seed + 1, choices)
        lengths.append(length)
        unfinished += not ended
        decided |= ended or won
    if not decided and len(lengths) >= min(FEWEST, games):
        checker.fail(
            "LONGEST",
            f"{unfinished} of {len(lengths)} random games were not over after {game.code.LONGEST}"
            " moves (LONGEST): the game does not end, or LONGEST is too small",
        )
    checker.check_names()
    compare_accelerators(game, games, seconds)
    return PlainGames(len(lengths), min(lengths), max(lengths), unfinished, float(np.mean(choices)))


class _PlainChecker:
    """A player of games by the plain rules that checks each result."""

    def __init__(self, game: BoardGame) -> None:
        self.game, self.code = game, game.code
        self.plane_bits = 64 * -(-int(game.code.CELLS) // 64)
        self._notes = make_notes(game.code)

    def fail(self, name: str, sentence: str) -> None:
        """Reject the file.

        Raises:
            GameFileError: Always.
        """
        raise GameFileError(f"{self.game.file}{self.game.find_line(name)}: {sentence}")

    def ask(self, name: str, state: Board, *given: object) -> Any:
        """Return the result of a function of the file on a *state*, which it must not change."""
        thawed = self.game.to_native(state)
        answer = self.game.ask(name, thawed, *given)
        if self.code.IS_ARRAY and tuple(thawed.tolist()) != state.state:
            self.fail(name, f"{name} changes the state, which only play and resolve may do")
        return answer

    def number(self, name: str, lowest: int, highest: int, state: Board, *given: object) -> int:
        """Call a function, and return its result, which must be a whole number in range.

        Args:
            name: Name of the function in the file.
            lowest: Lowest valid result.
            highest: Highest valid result.
            state: Position with which to call it, as first argument.
            given: Further arguments.

        Raises:
            GameFileError: The function fails, changes the state, or gives anything else.
        """
        answer = self.ask(name, state, *given)
        if not isinstance(answer, int | np.integer | np.bool_):
            self.fail(name, f"{name} gives {answer!r:.60}: it must give a whole number")
        if not lowest <= int(answer) <= highest:
            self.fail(name, f"{name} gives {answer}: it must give {lowest} to {highest}")
        return int(answer)

    def play(self, seed: int, choices: list[int]) -> tuple[int, bool, bool]:
        """Play a game; return its length, and whether it was over at the end, and won."""
        state = self._settle(self.game.initial(seed)._replace(rng=seed))
        rng, made = new_stream(seed), list[int]()
        left: dict[int, int] = {}
        while self._goes_on(state) and not self.game.find_exhaustion(state):
            if state.plies >= self.code.LONGEST:
                return state.plies, False, self._is_won(state)
            moves = self._list_moves(state)
            choices.append(len(moves))
            self._look(state)
            # Observations, features and scripted players
            check_counts(self.game, state, moves, self._notes)
            check_scripts(self.game, state, moves, made)
            move = moves[int(below(rng, len(moves)))]
            made.append(move)
            # A random move, played twice, must give the same state.
            before, state = state, self._change(state, "play", move)
            if self._change(before, "play", move) != state:
                self.fail(
                    "play",
                    f"play gives another state for the same move {move} the second time: it may"
                    " depend on nothing but the state and the move",
                )
            # Features must be valid where chance is next, or the game is over.
            check_counts(self.game, state, [], self._notes)
            state = self._settle(state._replace(plies=before.plies + 1))
            # Earlier positions, where they count
            if self.code.HAS_PAST:
                state = self._add_past(before, move, state, left)
        self._look(state)
        if not made:
            self.fail("start", "the game is over before the first move")
        return state.plies, True, self._is_won(state)

    def _add_past(self, before: Board, move: int, state: Board, left: dict[int, int]) -> Board:
        """Return the *state* after a *move*, with the earlier positions that count.

        Positions that cannot recur, by the file's ``progress``, are added to *left*, with the
        number of moves before each.
        """
        past = (*before.past, before.state)
        if "progress" in self.game.plain and self.number("progress", 0, 1, before, move):
            left |= {
                self.game.find_word(each): state.plies - len(past) + place
                for place, each in enumerate(past)
            }
            past = ()
        again = left.get(self.game.find_word(state.state))
        if again is not None:
            self.fail(
                "progress",
                f"progress rules out a position that occurs again: the one after {again}"
                f" moves of a random game, with {self.game.format_move(move)} as move"
                f" {state.plies}",
            )
        return state._replace(past=past)

    def _is_won(self, state: Board) -> bool:
        outcome = self.game.outcome(state)
        return outcome is not None and outcome.places.count(1) == 1

    def _goes_on(self, state: Board) -> bool:
        if self.code.HAS_POINTS:
            for seat in range(self.game.seats):
                self.number("points", -(2**31), 2**31 - 1, state, seat)
            goes_on = not self.number("is_over", 0, 1, state)
            stake = int(self.code.STAKE)
            for seat in range(self.game.seats if stake and not goes_on else 0):
                self.number("points", -stake, stake, state, seat)
            return goes_on
        answer = self.ask("result", state)
        if answer is None:
            self.fail("result", "result gives nothing: 2 means that the game goes on")
        if not isinstance(answer, int | np.integer) or int(answer) not in (-1, 0, 1, GOES_ON):
            self.fail(
                "result",
                f"result gives {answer!r:.60}: it must give 1, 0 or -1 for seat 0, or 2"
                " if the game goes on",
            )
        return int(answer) == GOES_ON

    def _settle(self, state: Board) -> Board:
        count = 0
        while self.code.HAS_CHANCE:
            outcomes = self.number("chance", 0, MAX_OUTCOMES, state)
            if not outcomes:
                break
            rng = new_stream(state.rng)
            state = self._change(state, "resolve", int(below(rng, outcomes)))
            state = state._replace(rng=int(rng[0]))
            count += 1
            if count > MAX_OUTCOMES:
                self.fail("chance", "chance decides again and again: it must give 0 at some time")
        return state

    def _list_moves(self, state: Board) -> list[int]:
        self.number("to_move", 0, self.game.seats - 1, state)
        moves = np.full(self.code.MOVES, -1, dtype=np.int64)
        count = self.number("legal", 1, self.code.MOVES, state, moves)
        found: list[int] = moves[:count].tolist()
        for move in found:
            if not 0 <= move < self.code.MOVES:
                self.fail("legal", f"legal lists move {move}: they are 0 to {self.code.MOVES - 1}")
        if found != sorted(set(found)):
            self.fail("legal", "legal must list each move once, in ascending order")
        return found

    def _change(self, state: Board, name: str, number: int) -> Board:
        """Return the state after the move or chance outcome *number*; check that it is valid."""
        thawed = self.game.to_native(state)
        answer = self.game.ask(name, thawed, number)
        if self.code.IS_ARRAY:
            if answer is not None:
                self.fail(
                    name, f"{name} gives {answer!r:.40}: it must change the array, and give nothing"
                )
            return state._replace(state=tuple(thawed.tolist()))
        size = len(self.code.START)
        if not isinstance(answer, tuple) or len(answer) != size:
            self.fail(name, f"{name} gives {answer!r:.60}: it must give a state of {size} numbers")
        for one in answer:
            if not isinstance(one, int | np.integer | np.bool_):
                self.fail(name, f"{name} gives a state with {one!r:.60}, which is no whole number")
        for one, kind in zip(answer, map(type, self.code.START), strict=True):
            limits = np.iinfo(kind)
            if not limits.min <= int(one) <= limits.max:
                self.fail(
                    name,
                    f"{name} gives a state with {int(one)}, which {kind.__name__} can't hold: begin"
                    " with np.uint64(...) in start, or keep to 64 bits",
                )
        return state._replace(state=self.game.to_state(answer))

    def _look(self, state: Board) -> None:
        """Check that observations are valid, and reveal nothing hidden."""
        for seat in range(self.game.seats):
            if self.code.SEES_CELLS:
                owned = self.code.SEATS * self.code.PIECES
                if owned > self.code.PLANES:
                    self.fail("PLANES", f"PLANES must be at least SEATS * PIECES, {owned}")
                cells = state.state[: self.code.CELLS]
                if min(cells) < 0 or max(cells) > self.code.PLANES:
                    value = min(cells) if min(cells) < 0 else max(cells)
                    advice = (
                        f"; if it is a neutral piece, set PLANES = {value}; if it is a player's"
                        " piece, raise PIECES"
                    )
                    self.fail(
                        "start" if state.state == tuple(self.code.START.tolist()) else "play",
                        f"a cell holds {value}: it must be 0 if empty, else 1 to"
                        f" {self.code.PLANES} (SEATS * PIECES, or PLANES)"
                        f"{advice if value > 0 else ''}",
                    )
                continue
            seen = self._see(state, seat)
            if self.game.symmetry:
                planes = seen.reshape(self.code.PLANES, -1)[: self.game.board_planes]
                if np.bitwise_or.reduce(planes).tolist() != planes.sum(axis=0).tolist():
                    self.fail(
                        "see",
                        "see sets one cell's bit in two planes, but with SYMMETRY tuples of cells"
                        " need one content for each: show numbers in planes that PLANE_NUMBERS"
                        " lists, and the turn as such a number, or on cells that are empty in all"
                        " other planes",
                    )
            if "view" in self.game.plain:
                view = self.game.view(state, seat)
                if not np.array_equal(self._see(view, seat), seen):
                    self.fail("see", "see shows something that view hides from that seat")
        if self.game.stacks:
            lies = self.game.observe(state, 0).sum(axis=0)[self.game.grid] > 0
            if (lies[:-1] & ~lies[1:]).any():
                self.fail("STACKS", "STACKS is set, but a piece lies above an empty cell")
        if "evaluate" in self.game.plain and self._goes_on(state):
            self.number("evaluate", 1 - LARGEST_VALUE, LARGEST_VALUE - 1, state, 0)
        if "show" in self.game.plain and not isinstance(self.ask("show", state), str):
            self.fail("show", "show must give a text")

    def _see(self, state: Board, seat: int) -> Array:
        words = self.code.PLANES * self.plane_bits // 64
        planes = np.zeros(words, dtype=np.uint64)
        self.ask("see", state, seat, planes)
        bits = np.unpackbits(planes.astype("<u8").view(np.uint8), bitorder="little")
        if bits.reshape(-1, self.plane_bits)[:, self.code.CELLS :].any():
            self.fail(
                "see", f"see sets a bit beyond the {self.code.CELLS} cells of a plane (CELLS)"
            )
        return planes

    def check_names(self) -> None:
        """Check that moves are read as they are written."""
        names: dict[str, int] = {}
        for move in range(min(self.code.MOVES, MAX_NAMES)):
            name = self.game.format_move(move)
            if not name.strip() or len(name.split()) != 1:
                self.fail("name_move", f"name_move calls move {move} {name!r:.40}: use one word")
            if names.setdefault(name.lower(), move) != move:
                self.fail(
                    "name_move", f"moves {names[name.lower()]} and {move} are both called {name!r}"
                )
            if "read_move" in self.game.plain:
                self.check_reading(name, move)

    def check_reading(self, text: str, move: int | None) -> None:
        """Check that ``read_move`` reads a *text* as a *move*; for None, that it does not fail."""
        try:
            read = self.game.ask("read_move", text)
        except GameFileError as error:
            meant = "which names no move: give None for it" if move is None else f"move {move}"
            raise GameFileError(f"{error} (read_move was given {text!r:.40}, {meant})") from None
        if move is not None and (read is None or int(read) != move):
            self.fail("read_move", f"read_move reads {text!r:.40}, move {move}, as {read!r:.40}")


def check_typed(game: BoardGame) -> None:
    """Check that ``read_move`` reads names in lower case, and fails for no text people may type.

    Raises:
        GameFileError: It fails, or misreads the name of a move.
    """
    checker = _PlainChecker(game)
    if "read_move" in game.plain:
        for move in range(min(game.code.MOVES, MAX_NAMES)):
            checker.check_reading(game.format_move(move).lower(), move)
        for text in NONSENSE:
            checker.check_reading(text, None)


def explain_compiling(error: Exception, game: BoardGame) -> GameFileError:
    """Translate Numba's *error* for the author of the *game*'s file: the line, and advice."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba colours it if colorama is there
    found = re.search(r"game\.py\"?(?:, line | \()(\d+)", text)
    reason = next(
        (line.strip() for line in text.splitlines() if line.strip() and "Failed in" not in line),
        type(error).__name__,
    )
    advice = next((advice for pattern, advice in ADVICE if re.search(pattern, text)), "")
    line = int(found[1]) if found else 0
    own = game.source.splitlines()
    written = own[line - 1].strip() if 0 < line <= len(own) else ""
    where = f", line {line} ({written:.60})" if written else ""
    sentence = advice or "this can't be compiled"
    return GameFileError(f"{game.file}{where}: {sentence} (Numba: {reason:.80})")


def check_compiled(
    game: BoardGame,
    play: Callable[[int], tuple[int, int]],
    games: int = GAMES,
    seconds: float = SECONDS,
) -> int:
    """Compare random games of the compiled kernel, and observations in one, with the plain rules.

    Args:
        game: Game.
        play: Plays the compiled game of a seed; returns its hash and its length.
        games: Number of games, of the seeds 0, 1, ...
        seconds: Time after which no further game begins.

    Returns:
        Number of games compared.

    Raises:
        GameFileError: They differ.
    """
    begun = working_clock()
    for seed in range(games):
        if seed and working_clock() - begun > seconds:
            games = seed
            break
        plain = _hash_plain(game, seed)  # first, as it reports more if it never ends
        if plain != play(seed):
            raise _find_difference(game, seed)
    _compare_looks(game)
    compare_compiled_scripts(game, games, seconds)
    return games


def compare_compiled_scripts(game: BoardGame, games: int, seconds: float) -> int:
    """Compare scripted players as `compare_scripts` does; return the number of positions.

    Args:
        game: Game whose file has compiled functions.
        games: Maximum number of random games.
        seconds: Time after which no further game begins.

    Raises:
        GameFileError: They differ from the plain file; the message names the position.
    """
    return compare_scripts(game, _call, games, seconds)


def _compare_looks(game: BoardGame) -> None:
    """Compare compiled observations, values and features in the states of a random game."""
    state, rng, notes = game.initial(), new_stream(0), make_notes(game.code)
    moves = game.legal_moves(state)
    while moves:
        for seat in range(game.seats):
            if "see" in game.plain:
                size = game.code.PLANES * plane_words(game.code)
                seen, theirs = np.zeros((2, size), dtype=np.uint64)
                game.ask("see", game.to_native(state), seat, seen)
                _call(game, "see", state, seat, theirs)
                if not np.array_equal(seen, theirs):
                    raise _differs(game, "see", state, seen.tolist(), theirs.tolist())
            if "evaluate" in game.plain:
                value = game.ask("evaluate", game.to_native(state), seat)
                compiled = _call(game, "evaluate", state, seat)
                if int(value) != int(compiled):
                    raise _differs(game, "evaluate", state, value, compiled)
        if differing := find_difference(game, state, moves, _call, notes):
            name, counted, compiled = differing
            raise _differs(game, name, state, counted, compiled)
        if game.code.HAS_GUESS:
            _compare_guesses(game, state, rng.copy())
        plain = list_answers(game, state, partial(_ask_named, game))
        theirs = list_answers(game, state, partial(_call, game))
        for (name, answer), (_, other) in zip(plain, theirs, strict=True):
            if answer != other:
                raise _differs(game, name, state, answer, other)
        state = game.play(state, moves[int(below(rng, len(moves)))])
        moves = game.legal_moves(state)


def _compare_guesses(game: BoardGame, state: Board, rng: Stream) -> None:
    """Compare the view of each seat, and a guess at the hidden part, compiled and plain."""
    for seat in range(game.seats):
        known = game.view(state, seat)
        theirs = _follow_compiled(game, "view_state", state, seat)
        if theirs != known.state:
            raise _differs(game, "view", state, known.state, theirs)
        if seat != game.to_move(state):
            continue
        while (count := int(game.ask("guesses", game.to_native(known), seat))) > 0:
            if count != int(_call(game, "guesses", known, seat)):
                raise _differs(game, "guesses", state, count, _call(game, "guesses", known, seat))
            number = int(below(rng, count))
            theirs = _follow_compiled(game, "guess", known, seat, number)
            known = game.follow(known, "guess", seat, number)
            if theirs != known.state:
                raise _differs(game, "guess", state, known.state, theirs)


def _ask_named(game: BoardGame, name: str, state: Board, *given: object) -> Any:
    return game.ask(name, game.to_native(state), *given)


def _hash_plain(game: BoardGame, seed: int) -> tuple[int, int]:
    """Return the hash and the length of the random game of a *seed*, by the plain rules."""
    state, rng = game.initial(seed), new_stream(game.stream_seed(seed))
    moves = game.legal_moves(state)
    value = 0xCBF29CE484222325
    while moves:
        move = _choose(game, state, moves, rng)
        value = (value ^ (move + 1)) * 0x100000001B3 % 2**64
        state = game.play(state, move)
        moves = game.legal_moves(state)
    return value, state.plies


def follow_all(game: BoardGame, seed: int) -> None:
    """Play a random game by the plain rules and try all moves, as `timing.add_part` does.

    Raises:
        GameFileError: A function fails; the message names the line.
    """
    state, rng = game.initial(seed), new_stream(seed)
    while moves := game.legal_moves(state):
        seat = game.to_move(state)
        for _ in list_answers(game, state, partial(_ask_named, game)):
            pass
        if game.code.HAS_DESCRIBE_MOVE:
            for move in moves:
                game.count("describe_move", state, move, seat)
        if game.code.HAS_GUESS:
            next(game.list_guesses(state, seat))
        check_scripts(game, state, moves, [])
        for trial in [game.follow(state, "play", move) for move in moves]:
            game.observe(trial, seat)
            if game.code.HAS_FEATURES:
                game.count("features", trial, seat)
            chance = game.code.HAS_CHANCE and game.ask("chance", game.to_native(trial))
            if game.outcome(trial) is None and not chance:
                game.legal_moves(trial)
                if "evaluate" in game.plain:
                    game.ask("evaluate", game.to_native(trial), seat)
        state = game.play(state, moves[int(below(rng, len(moves)))])


def _choose(game: BoardGame, state: Board, moves: list[int], rng: Stream) -> int:
    """Return a random player's choice; players in odd seats draw one more number."""
    if game.to_move(state) % 2:
        next_word(rng)
    return moves[int(below(rng, len(moves)))] if len(moves) > 1 else moves[0]


def _find_difference(game: BoardGame, seed: int) -> GameFileError:
    """Find the function that differs when compiled, in the random game of a *seed*."""
    code = game.code
    state, rng = game.initial(seed), new_stream(game.stream_seed(seed))
    functions = ("is_over",) if code.HAS_POINTS else ("result",)
    # The result, the player to move, the legal moves and the next state, move by move
    while True:
        for name in (*functions, "to_move"):
            plain, compiled = game.ask(name, game.to_native(state)), _call(game, name, state)
            if int(plain) != int(compiled):
                return _differs(game, name, state, plain, compiled)
        moves = game.legal_moves(state)
        if not moves:
            break
        room = np.zeros(code.MOVES, dtype=np.int64)
        count = int(_call(game, "legal", state, room))
        if room[:count].tolist() != moves:
            return _differs(game, "legal", state, moves, room[:count].tolist())
        move = _choose(game, state, moves, rng)
        after = game.play(state, move)
        if not code.HAS_CHANCE:
            theirs = _follow_compiled(game, "play", state, move)
            if theirs != after.state:
                return _differs(game, "play", state, after.state, theirs)
        state = after
    return GameFileError(
        f"{game.file}: compiled, the rules play other random games than as they stand; look for"
        " numbers of more than 64 bits, and for indices below 0 or beyond the end"
    )


def _differs(
    game: BoardGame, name: str, state: Board, plain: object, compiled: object
) -> GameFileError:
    return GameFileError(
        f"{game.file}{game.find_line(name)}: compiled, {name} gives {compiled!r:.60}, not"
        f" {plain!r:.60} as in Python (at move {state.plies + 1} of a random game); look for"
        " numbers that do not fit into their type, and for indices below 0 or beyond the end"
    )


def _call(game: BoardGame, name: str, state: Board, *given: object) -> Any:
    thawed = (
        game.to_native(state) if game.code.IS_ARRAY else enter(game.code, state, np.zeros((1, 1)))
    )
    return getattr(game.code, name)(thawed, *given)


def _follow_compiled(game: BoardGame, name: str, state: Board, *given: int) -> tuple[int, ...]:
    if game.code.IS_ARRAY:
        thawed = game.to_native(state)
        getattr(game.code, name)(thawed, *given)
        return tuple(thawed.tolist())
    return tuple(map(int, _call(game, name, state, *given)))


def check_at_first(game: type[BoardGame]) -> None:
    """Run :func:`check_plain` with the default options of a *game*, once for each text of its file.

    Raises:
        GameFileError: There is a fault.
    """
    usual = game()
    mark = Path(str(usual.code.__file__)).with_name(CHECKED)
    if not mark.exists():
        check_plain(usual)
        mark.touch()


def watch(file: Path) -> Watch:
    """Return a watchdog that logs, and tells `core.on_stuck`, if the game in *file* hangs."""

    def report(sentence: str, name: str) -> None:
        LOG.warning("%s", sentence)
        if core.on_stuck:
            core.on_stuck(sentence)

    return Watch(file, report)


def guard(kernel: KernelSpec) -> KernelSpec:
    """Return *kernel*, with newly compiled code checked against the plain rules first."""
    find = cast(Callable[[tuple[int, ...]], BoardGame], cache(game_of))

    def play(matches: ModuleType, rules: tuple[int, ...], *arrays: object) -> None:
        game = find(rules)
        mark = Path(str(matches.__file__)).with_name(CHECKED)
        with explaining(game):
            if not mark.exists():
                if game.rules != type(game)().rules:
                    check_plain(game)
                with watch(game.file):
                    check_compiled(game, partial(play_random, kernel, matches, game))
                mark.touch()
            kernel.play(matches, rules, *arrays)

    def decide(variant: Mapping[str, ModuleType], rules: tuple[int, ...], *given: Any) -> int:
        with explaining(find(rules)):
            return kernel.decide(variant, rules, *given)

    return replace(kernel, play=play, decide=decide)


@contextmanager
def explaining(game: BoardGame) -> Iterator[None]:
    """Convert errors of Numba to messages with the line of the *game*'s file."""
    try:
        yield
    except NumbaError as error:
        raise explain_compiling(error, game) from None


def play_random(
    kernel: KernelSpec, matches: ModuleType, game: BoardGame, seed: int
) -> tuple[int, int]:
    """Return the hash and the length of the random game of a *seed*, compiled.

    Args:
        kernel: Kernel of the game.
        matches: Compiled module that plays matches.
        game: Game, with its options.
        seed: Seed of the players and of chance events.
    """
    packed = combine_players([simple_player(RECORD_FIELDS), simple_player(RECORD_FIELDS)])
    packed.seats[1, NOISE] = 1  # the players in odd seats draw one more number
    order = np.arange(game.seats, dtype=np.int32) % 2
    places = np.zeros((1, game.seats), dtype=np.int8)
    plies, hashes = np.zeros(1, dtype=np.int16), np.zeros(1, dtype=np.uint64)
    kernel.play(
        matches,
        game.rules,
        packed,
        order[None],
        np.array([seed], dtype=np.uint64),
        np.zeros((1, 0), dtype=np.int64),
        kernel.make_workspace(game.rules, packed),
        places,
        plies,
        np.zeros(1, dtype=np.int8),
        hashes,
        *([np.zeros((1, game.seats), dtype=np.int32)] if game.code.HAS_POINTS else []),
    )
    return int(hashes[0]), int(plies[0])
