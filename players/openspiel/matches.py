"""Matches of games whose rules pyspiel has, many side by side.

Python plays by pyspiel's rules, and compiled code chooses the moves of many turns at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import KernelSpec
from evolve_arena.core.types import Array
from evolve_arena.genomes.network import LAYERS, SIZES, padded
from evolve_arena.players.board.workspace import (
    HEAD,
    POLICY,
    SLOTS,
    TAKES_WINS,
    TERMS,
)
from evolve_arena.players.openspiel.game import (
    Dice,
    SpielGame,
    SpielPosition,
    find_places,
    one_line_errors,
    split_seed,
)
from evolve_arena.players.openspiel.trial import Pyspiel, try_games
from evolve_arena.players.packed import GRAPH, KIND, NETWORK, NOISE, RANDOM, PackedPlayers

FLAGS = {NETWORK: "HAS_NETWORKS", GRAPH: "HAS_GRAPHS"}
SIDE_BY_SIDE = 64
"""Number of matches that are played at the same time."""
MAX_SEEN = 1 << 16
"""Maximum of rows times inputs in a batch of observations, so that it fits into a core's cache."""
FEWEST_ROWS = 64
FNV_START, FNV_PRIME, WORD = 0xCBF29CE484222325, 0x100000001B3, 2**64 - 1
TRIES = 1000
"""Maximum number of openings to draw before giving up."""


class SpielWorkspace(NamedTuple):
    """Arrays for matches of some players, reused from match to match."""

    streams: NDArray[np.uint64]
    """State of the random numbers of a player outside matches, shape ``(1,)``."""
    rows: NDArray[np.float32]
    """Observations, shape ``(positions, inputs)``."""
    active: NDArray[np.int64]
    """Indices of the first layer's columns whose inputs are not 0, shape ``(inputs,)``."""
    factors: NDArray[np.float32]
    """Inputs other than 1, by which these columns are multiplied, shape ``(inputs,)``."""
    ping: NDArray[np.float32]
    """Activations of a layer, as wide as the widest layer."""
    pong: NDArray[np.float32]
    """Activations of the next layer, of the same width."""
    block: NDArray[np.float32]
    """Outputs of a policy for one block of adjacent moves."""
    outputs: NDArray[np.float64]
    """Outputs for the legal moves, shape ``(actions,)``."""
    values: NDArray[np.float64]
    """Values of a graph's nodes, then its terms."""


class Turn(Dice):
    """A match in progress, and the random generator of its players.

    Args:
        state: State of pyspiel, which is changed.
        players: Row of the player at each seat.
        rng: Seed of the players' random numbers.
    """

    __slots__ = ("after", "dice", "game", "move", "number", "players", "plies", "state")

    def __init__(self, state: Pyspiel, players: Sequence[int], rng: int) -> None:
        super().__init__(rng)
        self.state, self.players = state, players
        self.move, self.after, self.plies, self.game = -1, None, 0, FNV_START
        self.number, self.dice = 0, Dice(0)


class Chooser:
    """Choice of moves in many matches at once.

    Args:
        game: Game.
        code: Compiled copy of `evolve_arena.players.openspiel.choose`.
        players: Packed players.
        workspace: Arrays to compute in.
    """

    def __init__(
        self,
        game: type[SpielGame],
        code: ModuleType,
        players: PackedPlayers,
        workspace: SpielWorkspace,
    ) -> None:
        self.loaded, self.players, self.code = game.loaded, players, code
        self.seats = game.loaded.num_players()
        self.records = players.seats[:, [KIND, NOISE, HEAD, TAKES_WINS]].tolist()
        self.observation, self.seen = make_observation(game.loaded)
        self.workspace = workspace
        self.views = self._cut(workspace.rows)

    def _cut(self, rows: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        return list(rows[:, : rows.shape[1] - self.seats])

    def decide(self, turns: Sequence[Turn]) -> None:
        """Set the move of each of *turns*, and the state after it if it is known."""
        asked: list[tuple[Turn, list[int], list[Pyspiel]]] = []
        numbers: list[tuple[int, ...]] = []
        moves: list[int] = []
        row = 0
        set_from, seen, views = self.observation.set_from, self.seen, self.views
        for turn in turns:
            state = turn.state
            seat = state.current_player()
            player = turn.players[seat]
            kind, noise, head, takes_wins = self.records[player]
            legal = state.legal_actions()
            count = len(legal)
            turn.after = None
            strays = noise and turn.word() >> 32 < noise
            # Moves that need no network: forced, random, or winning at once
            if count == 1:
                turn.move = legal[0]
                continue
            if strays or kind == RANDOM:
                turn.move = legal[turn.below(count)]
                continue
            after: list[Pyspiel] = []
            if head == POLICY:
                shown = [state]
            else:
                shown = after = [state.child(move) for move in legal]
                if takes_wins and (place := find_win(after, seat)) >= 0:
                    turn.move, turn.after = legal[place], after[place]
                    continue
            # Observations are collected until the rows are full.
            if row + len(shown) > len(views):
                self._ask(asked, numbers, moves)
                asked, numbers, moves, row = [], [], [], 0
                if len(shown) > len(views):
                    self._grow(len(shown))
                    views = self.views
            # The turn is noted with its rows and its moves.
            asked.append((turn, legal, after))
            numbers.append((player, seat, row, count, len(moves)))
            moves += legal
            for one in shown:
                set_from(one, seat)
                views[row][:] = seen
                row += 1
        if asked:
            self._ask(asked, numbers, moves)

    def _ask(
        self,
        asked: Sequence[tuple[Turn, list[int], list[Pyspiel]]],
        numbers: Sequence[tuple[int, ...]],
        moves: Sequence[int],
    ) -> None:
        """Let networks choose the moves of the turns collected."""
        picks = np.zeros(len(asked), dtype=np.int64)
        self.code.choose(
            self.players,
            np.array(numbers, dtype=np.int64).reshape(-1, 5),
            np.array(moves, dtype=np.int64),
            self.workspace.rows,
            self.seats,
            picks,
            self.workspace,
        )
        for (turn, legal, after), pick in zip(asked, picks.tolist(), strict=True):
            turn.move = legal[pick]
            turn.after = after[pick] if after else None

    def _grow(self, rows: int) -> None:
        room = np.zeros((rows, self.workspace.rows.shape[1]), dtype=np.float32)
        self.workspace = self.workspace._replace(rows=room)
        self.views = self._cut(room)


def find_win(states: Sequence[Pyspiel], seat: int) -> int:
    """Return the index of the first of *states* in which *seat* alone has won, or -1."""
    for place, state in enumerate(states):
        if state.is_terminal():
            returns = state.returns()
            best = returns[seat]
            if returns.count(best) == 1 and best == max(returns):
                return place
    return -1


def make_observation(source: Pyspiel) -> tuple[Pyspiel, NDArray[np.float32]]:
    """Return an observer that writes a state's tensor into an array, and that array."""
    import pyspiel

    kind = pyspiel.IIGObservationType(perfect_recall=False)
    observation = pyspiel._Observation(source, source.make_observer(kind, {}))
    return observation, np.frombuffer(observation, dtype=np.float32)


def make_kernel(game: type[SpielGame]) -> KernelSpec:
    """Return the kernel that plays matches of a *game*."""

    def decide(
        variant: Mapping[str, ModuleType],
        rules: Any,
        players: PackedPlayers,
        position: SpielPosition,
        workspace: SpielWorkspace,
    ) -> int:
        with one_line_errors(game.name):
            state = game(**rules._asdict()).state_of(position)
            turn = Turn(state, [0] * game.loaded.num_players(), int(workspace.streams[0]))
            Chooser(game, variant["choose"], players, workspace).decide([turn])
        workspace.streams[0] = turn.value
        return turn.move

    def play(
        code: ModuleType,
        rules: Any,
        players: PackedPlayers,
        pairings: Array,
        seeds: Array,
        openings: Array,
        workspace: SpielWorkspace,
        *results: Array,
    ) -> None:
        # A batch of no matches only compiles.
        chooser = Chooser(game, code, players, workspace)
        if len(seeds) == 0:
            chooser._ask([], [], [])
        with one_line_errors(game.name):
            _play(game, chooser, pairings.tolist(), seeds.tolist(), openings.tolist(), results)

    @cache
    def longest_opening() -> int:
        return 0 if is_left_to_seeds else try_games(game.loaded) // 2

    is_left_to_seeds = game.has_chance or game.loaded.num_players() > 2
    return KernelSpec(
        modules=("evolve_arena.players.openspiel.choose",),
        flags=tuple(FLAGS.values()),
        needs=find_needs,
        decide=decide,
        play=play,
        make_workspace=lambda rules, players: make_workspace(game, players),
        draw_openings=None if is_left_to_seeds else lambda *given: _draw_openings(game, *given),
        longest_opening=lambda rules: longest_opening(),
        fewest_matches=SIDE_BY_SIDE,
    )


def find_needs(players: PackedPlayers) -> set[str]:
    """Return the flags of compiled code that packed *players* need."""
    return {FLAGS[kind] for kind in players.seats[:, KIND].tolist() if kind in FLAGS}


def make_workspace(game: type[SpielGame], players: PackedPlayers) -> SpielWorkspace:
    """Return arrays for matches of packed *players*."""
    # The widest layer and the largest graph among the players
    inputs = int(game().code.CELLS)
    widest = 16
    for shape in players.shapes:
        units = shape[SIZES + 1 : SIZES + 1 + shape[LAYERS]]
        widest = max(widest, int(padded(int(units.max(initial=0)))))
    graphs = players.seats[players.seats[:, KIND] == GRAPH]
    # In the order of the fields
    return SpielWorkspace(
        np.zeros(1, dtype=np.uint64),
        np.zeros((max(FEWEST_ROWS, MAX_SEEN // inputs), inputs), dtype=np.float32),
        np.zeros(inputs, dtype=np.int64),
        np.zeros(inputs, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(widest, dtype=np.float32),
        np.zeros(16, dtype=np.float32),
        np.zeros(game.loaded.num_distinct_actions(), dtype=np.float64),
        np.zeros(int((graphs[:, SLOTS] + graphs[:, TERMS]).max(initial=0)), dtype=np.float64),
    )


def _play(
    game: type[SpielGame],
    chooser: Chooser,
    pairings: list[list[int]],
    seeds: list[int],
    openings: list[list[int]],
    results: Sequence[Array],
) -> None:
    """Play a match for each of *pairings*, and fill in the *results*."""
    places, plies, offenders, games, *columns = results
    offenders[:] = -1
    left = iter(range(len(seeds)))
    turns: list[Turn] = []
    while True:
        # New matches, then a move in each match
        while len(turns) < SIDE_BY_SIDE and (number := next(left, None)) is not None:
            turns.append(_begin(game, number, pairings[number], seeds[number], openings[number]))
        if not turns:
            return
        chooser.decide([turn for turn in turns if not turn.state.is_terminal()])
        # Results of matches that are over
        going = []
        for turn in turns:
            if turn.move >= 0:
                _advance(game, turn)
            if not turn.state.is_terminal():
                going.append(turn)
                continue
            number, returns = turn.number, turn.state.returns()
            places[number, : len(returns)] = find_places(returns)
            plies[number], games[number] = turn.plies, turn.game
            for column in columns:
                column[number, : len(returns)] = [round(value) for value in returns]
        turns = going


def _begin(
    game: type[SpielGame], number: int, players: Sequence[int], seed: int, opening: Sequence[int]
) -> Turn:
    """Begin a match; return it after its *opening*."""
    rng = split_seed(seed) if game.has_chance else seed
    turn = Turn(game.loaded.new_initial_state(), players, rng)
    turn.number, turn.dice = number, Dice(seed)
    if game.has_chance:
        turn.dice.settle(turn.state)
    for move in opening:
        if move < 0 or turn.state.is_terminal():
            break
        turn.move = move
        _advance(game, turn)
    turn.move = -1
    return turn


def _advance(game: type[SpielGame], turn: Turn) -> None:
    """Play the move of a *turn*."""
    if turn.after is None:
        turn.state.apply_action(turn.move)
    else:
        turn.state, turn.after = turn.after, None
    turn.game = (turn.game ^ turn.move + 1) * FNV_PRIME & WORD
    turn.plies += 1
    if game.has_chance:
        turn.dice.settle(turn.state)


def _draw_openings(game: type[SpielGame], rules: Any, seeds: Array, openings: Array) -> None:
    """Fill each row of *openings* with random moves after which the game goes on."""
    for row, seed in enumerate(seeds.tolist()):
        dice = Dice(seed)
        for _ in range(TRIES):
            # Games that end within the opening are drawn again.
            state = game.loaded.new_initial_state()
            moves: list[int] = []
            while len(moves) < openings.shape[1] and not state.is_terminal():
                legal = state.legal_actions()
                moves.append(legal[dice.below(len(legal))])
                state.apply_action(moves[-1])
            if not state.is_terminal():
                openings[row] = moves
                break
        else:
            raise BadValueError(f"{game.name} has no openings of {openings.shape[1]} plies")
