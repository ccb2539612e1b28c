"""Tests of a game file's accelerators and guesses against its rules, in random games.

An accelerator is an optional function or constant that makes players faster and changes no result,
such as ``wins`` or ``key``: it is wrong if it contradicts the rules. A guess at hidden information
is wrong if the seat could tell it from the truth. A message names the first such position by the
moves that lead there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from evolve_arena.players.board.game import GOES_ON, Board, BoardGame, GameFileError
from evolve_arena.players.board.workspace import MAX_OUTCOMES, plane_words

MAX_BITS = 64
LISTS, OF_MOVES, OF_STATES = (
    ("wins", "safe"),
    ("gain", "order", "progress"),
    ("key", "quiet", "legal_bits", "endgame"),
)
ACCELERATORS = (*LISTS, "gain", "order", *OF_STATES, "changes")
GUESSED, MAX_GUESSES = 4, 1000
"""Number of determinizations of each position, and maximum number of guesses in each of them."""
LAST, OTHERS = 3, 2
"""Numbers of positions to compare in each game: the last ones, where games are won, and others."""
MAX_MOVES = 40
"""Maximum number of moves that are tried in a position, and that a message names."""
MAX_KEYS = 100_000
LARGEST = 2**30


def compare_accelerators(game: BoardGame, games: int, seconds: float) -> int:
    """Compare all accelerators and guesses of a *game*'s file with its plain rules.

    Args:
        game: Game, played at random.
        games: Number of games.
        seconds: Time after which no further game begins.

    Returns:
        Number of positions compared; 0 if there is nothing to compare.

    Raises:
        GameFileError: They differ.
    """
    checker, begun, compared = _Checker(game), time.monotonic(), 0
    if not checker.names:
        return 0
    for seed in range(1, games + 1):
        if seed > 1 and time.monotonic() - begun > seconds:
            break
        # A random game, then the last positions and a sample of the others
        choices, states = random.Random(seed), [game.initial(seed)]
        checker.made = []
        while moves := game.legal_moves(states[-1]):
            checker.made.append(choices.choice(moves))
            states.append(game.play(states[-1], checker.made[-1]))
        rest = range(len(states) - 1 - LAST)
        chosen = {*choices.sample(rest, min(OTHERS, len(rest))), *range(len(states) - 1)[-LAST:]}
        for ply in sorted(chosen):
            checker.compare(states[ply]._replace(past=()))  # they tell of the rules alone
        compared += len(chosen)
    return compared


def locate(game: BoardGame, made: list[int], state: Board) -> str:
    """Describe for messages how a *state* was reached: the moves *made*; with chance its numbers.

    Args:
        game: Game.
        made: Moves of the game, at least up to the state; later ones are not named.
        state: Position to describe.
    """
    moves = [game.format_move(move) for move in made[: state.plies]]
    few = " ".join(moves[:MAX_MOVES]) + " ..." * (len(moves) > MAX_MOVES)
    where = f", after {few}" if moves else ", at the start"
    if game.code.HAS_CHANCE and len(state.state) <= MAX_MOVES:
        where += f", in {state.state}"
    return where


class _Checker:
    """Comparison of accelerators and guesses with the rules, one position after another."""

    def __init__(self, game: BoardGame) -> None:
        self.game = game
        self.names = [name for name in (*ACCELERATORS, "guess") if name in game.plain]
        if game.plain.get("MOVES_STAY"):
            self.names.append("MOVES_STAY")
        if game.plain.get("ONLY_WINS") and "wins" not in self.names:
            self.fail("ONLY_WINS", "ONLY_WINS needs a function wins")
        if "safe" in self.names and ("wins" not in self.names or game.code.HAS_CHANCE):
            self.fail("safe", "safe needs a function wins, and a game without chance")
        if "gain" in self.names and "evaluate" not in game.plain:
            self.fail("gain", "gain needs a function evaluate")
        if "legal_bits" in self.names and game.code.MOVES > MAX_BITS:
            text = f"legal_bits is for games with at most {MAX_BITS} moves, not {game.code.MOVES}"
            self.fail("legal_bits", text)
        self.made: list[int] = []
        self.keys: dict[int, Board] = {}
        self.choices = random.Random(1)

    def compare(self, state: Board) -> None:
        """Compare all accelerators with the rules in a *state* that is not over."""
        moves = self.game.legal_moves(state)
        after = {move: self.game.follow(state, "play", move) for move in moves}
        for name in self.names:
            getattr(self, f"_compare_{name.lower()}")(state, after)

    def fail(self, name: str, sentence: str, state: Board | None = None) -> NoReturn:
        """Reject the file because of an accelerator called *name*.

        Args:
            name: Name whose line in the file the message gives.
            sentence: Message.
            state: Position that the message describes; None for none.

        Raises:
            GameFileError: Always.
        """
        game, where = self.game, ""
        if state is not None:
            where = locate(game, self.made, state)
        raise GameFileError(f"{game.file}{game.find_line(name)}: {sentence}{where}")

    def _name(self, moves: list[int]) -> str:
        return ", ".join(map(self.game.format_move, moves)) or "none"

    def _ask(self, name: str, state: Board, *given: object, at: Board | None = None) -> int:
        """Call an accelerator, which must return a whole number and not change the state.

        A message names the position *at*; by default the state.
        """
        thawed = self.game.to_native(state)
        answer = self.game.ask(name, thawed, *given)
        at = at or state
        if self.game.code.IS_ARRAY and tuple(thawed.tolist()) != state.state:
            self.fail(name, f"{name} changes the state, which only play and resolve may do", at)
        if not isinstance(answer, int | np.integer | np.bool_):
            self.fail(name, f"{name} gives {answer!r:.60}: it must give a whole number", at)
        return int(answer)

    def _list(self, name: str, state: Board) -> list[int]:
        room = np.full(self.game.code.MOVES, -1, dtype=np.int64)
        count = self._ask(name, state, room)
        if not 0 <= count <= len(room):
            self.fail(name, f"{name} gives {count}: it must give 0 to {len(room)}", state)
        return [int(move) for move in room[:count]]

    def _is_won(self, state: Board, mover: int) -> bool:
        outcome = self.game.outcome(state)
        return bool(
            outcome and outcome.places[mover] == 1 and outcome.places.count(1) == 1
        ) and not self._is_open(state)

    def _is_open(self, state: Board) -> bool:
        """Test whether the game goes on in a *state*, or a chance event is next."""
        if self.game.code.HAS_CHANCE and self.game.ask("chance", self.game.to_native(state)):
            return True
        return self.game.adjudicate(state) == GOES_ON

    def _compare_wins(self, state: Board, after: dict[int, Board]) -> None:
        mover = self.game.to_move(state)
        listed = self._list("wins", state)
        wins = [move for move, then in after.items() if self._is_won(then, mover)]
        if listed != wins:
            text = f"wins lists {self._name(listed)}, but {self._name(wins)} would win at once"
            if sorted(set(listed)) == wins:
                text = f"wins lists {self._name(listed)}: it must list each move once, ascending"
            self.fail("wins", text, state)
        if self.game.plain.get("ONLY_WINS") and state.plies + 1 < self.game.code.LONGEST:
            for move, then in after.items():
                if move not in wins and not self._is_open(then):
                    text = f"ONLY_WINS is set, but the game is over without a win with {move}"
                    self.fail("ONLY_WINS", text.replace(f"{move}", self._name([move])), state)

    def _compare_moves_stay(self, state: Board, after: dict[int, Board]) -> None:
        for move in list(after)[:MAX_MOVES]:
            then, left = after[move], [other for other in after if other != move]
            if self.game.code.HAS_CHANCE and self.game.ask("chance", self.game.to_native(then)):
                continue
            if self._is_open(then) and (found := self.game.legal_moves(then)) != left:
                odd = [
                    other
                    for other in range(self.game.code.MOVES)
                    if (other in left) != (other in found)
                ]
                text = f"MOVES_STAY is set, but with {self._name([move])} other moves come or go: "
                self.fail("MOVES_STAY", text + self._name(odd[:MAX_MOVES]), state)

    def _compare_safe(self, state: Board, after: dict[int, Board]) -> None:
        if self._list("wins", state):  # then nobody asks
            return
        listed, safe = self._list("safe", state), list(after)
        for move, then in after.items():
            if not self._is_open(then) or self.game.to_move(then) == self.game.to_move(state):
                continue
            other = self.game.to_move(then)
            replies = self.game.legal_moves(then)
            if any(self._is_won(self.game.follow(then, "play", reply), other) for reply in replies):
                safe.remove(move)
        if listed != safe:
            text = f"safe lists {self._name(listed)}, but {self._name(safe)} are safe"
            self.fail("safe", text, state)

    def _compare_changes(self, state: Board, after: dict[int, Board]) -> None:
        code = self.game.code
        plane_bits = 64 * plane_words(code)
        for seat in range(self.game.seats):
            before = self.game.observe(state, seat).astype(int)
            for move in list(after)[:MAX_MOVES]:
                bits = np.zeros(2 * code.PLANES * plane_bits, dtype=np.int64)
                count = self._ask("changes", state, move, seat, bits)
                if not 0 <= count <= len(bits):
                    self.fail("changes", f"changes gives {count}", state)
                listed = sorted(bits[:count].tolist())
                planes, cells = np.nonzero(self.game.observe(after[move], seat) - before)
                numbers = (plane_bits * planes + cells).tolist()
                flat = dict(zip(numbers, before[planes, cells], strict=True))
                right = sorted(~bit if flat[bit] else bit for bit in numbers)
                if listed != right:
                    named = self.game.format_move(move)
                    self.fail(
                        "changes",
                        f"changes lists {listed} for {named} at seat {seat}, but see changes"
                        f" {right}",
                        state,
                    )

    def _compare_gain(self, state: Board, after: dict[int, Board]) -> None:
        mover, game = self.game.to_move(state), self.game
        values = [int(game.ask("evaluate", game.to_native(state), seat)) for seat in range(2)]
        if sum(values):
            text = f"gain needs evaluations that add up to 0; for the seats they are {values}"
            self.fail("evaluate", text, state)
        for move, then in after.items():
            gain = self._ask("gain", state, move)
            if self._is_open(then):
                grown = int(game.ask("evaluate", game.to_native(then), mover)) - values[mover]
                if gain != grown:
                    named = game.format_move(move)
                    text = f"gain gives {gain} for {named}, but evaluate grows by {grown}"
                    self.fail("gain", text, state)

    def _compare_order(self, state: Board, after: dict[int, Board]) -> None:
        for move in after:
            if not abs(self._ask("order", state, move)) < LARGEST:
                self.fail("order", "order gives a number that is not below 2**30", state)

    def _compare_quiet(self, state: Board, after: dict[int, Board]) -> None:
        if self._ask("quiet", state) not in (0, 1):
            self.fail("quiet", "quiet gives neither True nor False", state)

    def _compare_legal_bits(self, state: Board, after: dict[int, Board]) -> None:
        word = self._ask("legal_bits", state) % 2**64
        told, moves = [move for move in range(MAX_BITS) if word >> move & 1], list(after)
        if told != moves:
            known = [move for move in told if move < self.game.code.MOVES]
            more = "".join(f" and {move}" for move in told[len(known) :][:1])
            named = f"{self._name(known)}{more}, but legal lists {self._name(moves)}"
            self.fail("legal_bits", f"legal_bits gives {word}, the moves {named}", state)

    def _compare_endgame(self, state: Board, after: dict[int, Board]) -> None:
        number, total = self._ask("endgame", state), sum(n for _, n in self.game.plain["ENDGAMES"])
        if not -1 <= number < total:
            text = f"endgame gives {number}: it must give -1, or a number below {total:,}"
            self.fail("endgame", text, state)
        if number >= 0:
            found = self.game.to_state(self.game.ask("endgame_state", number))
            if found != state.state:
                text = f"endgame gives {number}, but endgame_state of that is {found}"
                self.fail("endgame_state", text, state)

    def _compare_guess(self, state: Board, after: dict[int, Board]) -> None:
        """Test that guesses are consistent with a seat's view, and depend on nothing else."""
        game = self.game
        seat = game.to_move(state)
        view = game.view(state, seat)
        if game.view(view, seat) != view:
            text = f"view of what seat {seat} is shown gives something else than that"
            self.fail("view", text, state)
        if game.to_move(view) != seat or game.legal_moves(view) != list(after):
            text = f"in what view gives, seat {seat} has other moves than {self._name(list(after))}"
            self.fail("view", text, state)
        for _ in range(GUESSED):
            numbers: list[int] = []
            guess = self._guess(view, seat, numbers, state)
            if game.view(guess, seat) != view:
                text = f"seat {seat} is shown something else in what guess gives, {guess.state}"
                self.fail("guess", text, state)
            if game.to_move(guess) != seat or game.legal_moves(guess) != list(after):
                text = f"seat {seat} has other moves in what guess gives, {guess.state}"
                self.fail("guess", text, state)
            again = self._guess(game.view(guess, seat), seat, list(numbers), state)
            if again != guess:
                text = f"guess gives {guess.state} or {again.state} for the same view and numbers"
                self.fail("guess", text, state)

    def _guess(self, known: Board, seat: int, numbers: list[int], state: Board) -> Board:
        """Guess all hidden items by the *numbers*; if this list is empty, append random ones."""
        step, given = 0, len(numbers)
        while count := self._ask("guesses", known, seat, at=state):
            if not 0 < count <= MAX_OUTCOMES:
                text = f"guesses gives {count}: it must give 0 to {MAX_OUTCOMES}"
                self.fail("guesses", text, state)
            if step == MAX_GUESSES:
                text = f"guesses still gives {count} after {MAX_GUESSES} guesses"
                self.fail("guesses", text, state)
            if step >= given:
                numbers.append(self.choices.randrange(count))
            known = self._fill(known, seat, min(numbers[step], count - 1), state)
            step += 1
        return known

    def _fill(self, known: Board, seat: int, number: int, state: Board) -> Board:
        """Return the state after the guess *number*, and check that it is a valid state."""
        thawed = self.game.to_native(known)
        answer = self.game.ask("guess", thawed, seat, number)
        if self.game.code.IS_ARRAY:
            if answer is not None:
                text = f"guess gives {answer!r:.40}: it must change the array, and give nothing"
                self.fail("guess", text, state)
            return known._replace(state=tuple(thawed.tolist()))
        size = len(self.game.code.START)
        whole = isinstance(answer, tuple) and all(
            isinstance(one, int | np.integer | np.bool_) for one in answer
        )
        if not whole or len(answer) != size:
            text = f"guess gives {answer!r:.60}: it must give a state of {size} numbers"
            self.fail("guess", text, state)
        return known._replace(state=self.game.to_state(answer))

    def _compare_key(self, state: Board, after: dict[int, Board]) -> None:
        for each in (state, *after.values()):
            if not self._is_open(each):
                continue
            key = self._ask("key", each) % 2**64
            other = self.keys.setdefault(key, each) if len(self.keys) < MAX_KEYS else each
            if other.state != each.state and not self._play_alike(each, other):
                move = next((move for move, then in after.items() if then is each), None)
                named = "" if move is None else f"{self.game.format_move(move)} leads to "
                text = (
                    f"key is {key} in two positions that differ: {named}{each.state}, {other.state}"
                )
                self.fail("key", text, state)

    def _play_alike(self, one: Board, other: Board) -> bool:
        """Test whether two states have equal moves, observations and values, also a ply later."""
        game = self.game
        moves = [game.legal_moves(each) for each in (one, other)]
        if moves[0] != moves[1] or not self._look_alike(one, other):
            return False
        return all(
            self._look_alike(game.follow(one, "play", move), game.follow(other, "play", move))
            for move in moves[0]
        )

    def _look_alike(self, one: Board, other: Board) -> bool:
        if self.game.to_move(one) != self.game.to_move(other):
            return False
        if self.game.adjudicate(one) != self.game.adjudicate(other):
            return False
        if "evaluate" in self.game.plain and self.game.adjudicate(one) == GOES_ON:
            values = [
                self.game.ask("evaluate", self.game.to_native(each), 0) for each in (one, other)
            ]
            if values[0] != values[1]:
                return False
        return all(
            np.array_equal(self.game.observe(one, seat), self.game.observe(other, seat))
            for seat in range(self.game.seats)
        )


def list_answers(
    game: BoardGame, state: Board, ask: Callable[..., Any]
) -> Iterator[tuple[str, object]]:
    """Yield the results of all accelerators in a *state*; *ask* calls one, compiled or not.

    Args:
        game: Game.
        state: Position that is not over.
        ask: Calls a function of the file by name, with a state and further arguments:
            ``ask(name, state, *given)``.

    Yields:
        Name of the accelerator, and its results: a number or list for the state, or a list of
        results for its moves.
    """
    moves = game.legal_moves(state)
    for name in (*ACCELERATORS, *(["progress"] if game.code.HAS_PAST else [])):
        if name not in game.plain:
            continue
        if name in LISTS:
            room = np.zeros(game.code.MOVES, dtype=np.int64)
            yield name, room[: int(ask(name, state, room))].tolist()
        elif name in OF_STATES:
            yield name, int(ask(name, state)) % 2**64
        elif name in OF_MOVES:
            yield name, [int(ask(name, state, move)) for move in moves]
        else:
            told = []
            for seat in range(game.seats):
                for move in moves[:MAX_MOVES]:
                    size = 128 * game.code.PLANES * plane_words(game.code)
                    bits = np.zeros(size, dtype=np.int64)
                    told.append(bits[: int(ask(name, state, move, seat, bits))].tolist())
            yield name, told
