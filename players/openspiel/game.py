"""Games whose rules pyspiel has, the Python bindings of OpenSpiel."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from types import SimpleNamespace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import ArenaError, GameOverError, IllegalMoveError, PositionError
from evolve_arena.core.game import Game, Outcome
from evolve_arena.core.stream import GOLDEN
from evolve_arena.core.types import JsonObject
from evolve_arena.players.openspiel.trial import FAILURES, Pyspiel

WORD = 2**64 - 1
MAX_STATES = 1024
"""Number of states that a game caches, to avoid replaying positions from the start."""


class SpielPosition(NamedTuple):
    """A position: the rules, and the history of actions."""

    rules: tuple[int, ...]
    history: tuple[int, ...]
    """Actions so far, with those of chance."""
    rng: int = 0
    """State of the random generator of chance events; 0 in games without chance."""


class Dice:
    """Random generator of `evolve_arena.core.stream` in plain Python, for rules not compiled.

    Args:
        value: State of the generator.
    """

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value

    def word(self) -> int:
        """Return the next 64 random bits."""
        self.value = word = self.value + 0x9E3779B97F4A7C15 & WORD
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
        word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
        return word ^ word >> 31

    def below(self, count: int) -> int:
        """Return a random integer from 0 to *count* - 1."""
        return (self.word() >> 32) * count >> 32

    def settle(self, state: Pyspiel) -> None:
        """Draw chance events in a *state* until a player is to move, or the game is over."""
        while state.is_chance_node():
            left, chosen = (self.word() >> 11) / 2**53, 0
            for action, probability in state.chance_outcomes():
                left, chosen = left - probability, action
                if left < 0:
                    break
            state.apply_action(chosen)


class SpielGame(Game[SpielPosition, int]):
    """A game of OpenSpiel; `evolve_arena.players.openspiel.loader` derives a class for each."""

    loaded: ClassVar[Pyspiel]
    """Game object of pyspiel."""
    title: ClassVar[str]
    """Name in words."""
    has_chance: ClassVar[bool]
    has_points: ClassVar[bool]
    """True if returns count as points: with chance, more than two seats, or returns above 1."""
    symmetry: ClassVar[str] = ""
    states: ClassVar[dict[tuple[int, ...], Pyspiel]]
    """States by history, which are never changed."""

    def __init__(self, **options: int) -> None:
        super().__init__(**options)
        self.seats = self.loaded.num_players()

    why_no_values = why_no_search = why_no_rollouts = (
        "so far it is for games that are one file of rules"
    )
    highest_number = 0
    numbers_beside = ()
    stacks = False
    """No plane encodes numbers, and no pieces are stacked; the names are those of `BoardGame`."""

    @cached_property
    def code(self) -> SimpleNamespace:
        """Numbers of inputs and moves, under the names that compiled games use.

        After the tensor there is an input for each seat, 1 for the own one: most tensors of games
        of perfect information are the same for all seats.
        """
        cells = self.loaded.observation_tensor_size() + self.seats
        counts = {"FEATURE_COUNT": 0, "MOVE_FEATURE_COUNT": 0}
        moves = self.loaded.num_distinct_actions()
        return SimpleNamespace(PLANES=1, CELLS=cells, MOVES=moves, HAS_GUESS=False, **counts)

    @property
    def drawn(self) -> range:
        """All inputs; see :attr:`evolve_arena.players.board.game.BoardGame.drawn`."""
        return range(self.code.CELLS)

    @property
    def grid(self) -> NDArray[np.int64]:
        """All inputs in one row; see :attr:`evolve_arena.players.board.game.BoardGame.grid`."""
        return np.arange(self.code.CELLS)[None]

    @property
    def planes(self) -> list[tuple[str, int, int]]:
        """Planes of the tensor, if it has rows and columns, and the seats."""
        shape = list(self.loaded.observation_tensor_shape())
        count, rows, columns = shape if len(shape) == 3 else (1, 1, int(np.prod(shape)))
        names = [f"plane {number}" for number in range(1, count + 1)]
        planes = [(name if count > 1 else "the tensor", rows, columns) for name in names]
        return [*planes, ("own seat", 1, self.seats)]

    def describe(self) -> str:
        """Return the game's name with its parameters."""
        return self.name

    def initial(self, seed: int = 0) -> SpielPosition:
        """Return the position before the first move; *seed* determines all chance."""
        rng = seed & WORD if self.has_chance else 0
        with one_line_errors(self.name):
            return self._settle(SpielPosition(self.rules, (), rng), self.loaded.new_initial_state())

    def stream_seed(self, seed: int) -> int:
        """Return the seed of the players' random numbers: *seed*, or one derived from it."""
        return split_seed(seed) if self.has_chance else seed

    def state_of(self, position: SpielPosition) -> Pyspiel:
        """Return pyspiel's state of a *position*, which must not be changed."""
        known = self.states.get(position.history)
        if known is None:
            before = self.states.get(position.history[:-1])
            if before is not None and position.history:
                known = before.child(position.history[-1])
            else:
                known = self.loaded.new_initial_state()
                for action in position.history:
                    known.apply_action(action)
            self._remember(position.history, known)
        return known

    def _remember(self, history: tuple[int, ...], state: Pyspiel) -> None:
        if len(self.states) >= MAX_STATES:
            self.states.clear()
        self.states[history] = state

    def _settle(self, position: SpielPosition, state: Pyspiel) -> SpielPosition:
        """Return the position with this *state* after all chance events that come next."""
        if self.has_chance:
            dice = Dice(position.rng)
            dice.settle(state)
            position = position._replace(history=tuple(state.history()), rng=dice.value)
        self._remember(position.history, state)
        return position

    def to_move(self, state: SpielPosition) -> int:
        """Return the seat to move."""
        return max(0, int(self.state_of(state).current_player()))

    def legal_moves(self, state: SpielPosition) -> list[int]:
        """Return the legal actions, ascending; none once the game is over."""
        known = self.state_of(state)
        return [] if known.is_terminal() else list(known.legal_actions())

    def play(self, state: SpielPosition, move: int) -> SpielPosition:
        """Return the position after *move* and the chance events that follow."""
        legal = self.legal_moves(state)
        if not legal:
            raise GameOverError("the game is over")
        if move not in legal:
            raise IllegalMoveError(f"action {move} can't be played here")
        with one_line_errors(self.name):
            after = self.state_of(state).child(move)
            return self._settle(state._replace(history=(*state.history, move)), after)

    def outcome(self, state: SpielPosition) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        known = self.state_of(state)
        if not known.is_terminal():
            return None
        returns = known.returns()
        told = " to ".join(f"{value:g}" for value in returns)
        points = tuple(map(round, returns)) if self.has_points else None
        return Outcome(find_places(returns), f"the returns are {told}", points)

    def tally(self, state: SpielPosition) -> tuple[tuple[int, ...], JsonObject]:
        """Return the places, and the points if the game counts any."""
        places, _ = super().tally(state)
        if not self.has_points:
            return places, {}
        return places, {"points": list(map(round, self.state_of(state).returns()))}

    def observe(self, state: SpielPosition, seat: int) -> NDArray[np.float32]:
        """Return the inputs of networks: the tensor, and an input for each seat."""
        tensor = self.state_of(state).observation_tensor(seat)
        own = np.eye(self.seats, dtype=np.float32)[seat]
        return np.concatenate([np.array(tensor, dtype=np.float32), own])

    def parse_move(self, text: str) -> int:
        """Return the move of that number; names depend on the position, see `find_move`."""
        bare = text.strip()
        if not (bare.isascii() and bare.isdecimal() and len(bare) < 10):
            raise IllegalMoveError(f"{bare[:20]!r} is no number of an action")
        return int(bare)

    def format_move(self, move: int) -> str:
        """Return the number of a *move*."""
        return str(move)

    def name_move(self, position: SpielPosition, move: int) -> str:
        """Return OpenSpiel's name of a *move* in a *position*, with underscores for blanks."""
        state = self.state_of(position)
        return "_".join(str(state.action_to_string(state.current_player(), move)).split())

    def find_move(self, position: SpielPosition, text: str) -> int:
        """Return the move that *text* names in a *position*: OpenSpiel's name, or a number.

        Raises:
            IllegalMoveError: No move, or several, have the name.
        """
        bare = "_".join(text.split())
        names = {move: self.name_move(position, move) for move in self.legal_moves(position)}
        for same in (str, str.lower):
            found = [move for move, name in names.items() if same(name) == same(bare)]
            if len(found) == 1:
                return found[0]
        if found:
            raise IllegalMoveError(f"{bare[:20]!r} is the name of several moves: write its number")
        if not (bare.isascii() and bare.isdecimal()):
            raise IllegalMoveError(f"{bare[:20]!r} is no move here")
        return self.parse_move(bare)

    def parse_position(self, text: str) -> SpielPosition:
        """Return the position after the moves in *text*, separated by blanks."""
        position = self.initial()
        for number, word in enumerate(text.split(), 1):
            try:
                position = self.play(position, self.find_move(position, word))
            except (IllegalMoveError, GameOverError) as error:
                raise PositionError(f"move {number}: {error}") from None
        return position


def split_seed(seed: int) -> int:
    """Derive the seed of the players' random numbers from that of the game's."""
    return Dice((seed ^ int(GOLDEN)) & WORD).word()


def find_places(returns: list[float]) -> tuple[int, ...]:
    """Return the places of the seats: higher returns are better, equals share the better place.

    >>> find_places([-1.0, 3.0, -1.0])
    (2, 1, 2)
    """
    return tuple(1 + sum(other > own for other in returns) for own in returns)


@contextmanager
def one_line_errors(name: str) -> Iterator[None]:
    """Convert errors of pyspiel to `ArenaError`."""
    try:
        yield
    except FAILURES as error:
        raise ArenaError(f"{name} fails: {error or type(error).__name__}") from None
