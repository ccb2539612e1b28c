"""Search players for any board game: alpha-beta and Monte Carlo tree search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from evolve_arena.core.errors import BadValueError, quote
from evolve_arena.core.game import PlayerKind
from evolve_arena.core.stream import Stream
from evolve_arena.players.board.alpha_beta import LIMIT
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.board.solving import find_endgames
from evolve_arena.players.board.workspace import (
    DEPTH,
    ENDGAMES,
    EXPLORATION,
    EXPLORES,
    MCTS,
    NODES,
    RECORD_FIELDS,
    ROLLOUTS,
    SEARCH,
    search_fields,
)
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.packed import simple_player, with_noise
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.search import NODES as SEARCHED
from evolve_arena.players.search import WIN
from evolve_arena.players.specification import (
    make_by_settings,
    make_player,
    read_number,
    read_time,
    read_whole,
)

MAX_SECONDS = 3600.0
DEEPEST = 60
"""Maximum depth of a search by time, in plies."""
FEWEST = 256
"""Minimum number of nodes that each further iteration of such a search may visit."""


class _SearchPlayer(CompiledPlayer):
    """A search player; an evolved player may give the values of its leaves, or its priors.

    Args:
        game: Game to play.
        kind: Kind of packed players for a search without an evolved player.
        fields: Further fields of its record.
        noise: Probability of a random move, 0 to 1.
        values: Specification of the evolved player for values of leaves or priors; empty for none.
        name: Name in tables, without *noise* and *values*.

    Raises:
        BadValueError: *noise* is out of range, or *values* names a player that cannot give any.
    """

    def __init__(
        self,
        game: BoardGame,
        kind: int,
        fields: Mapping[int, int],
        noise: float,
        values: str,
        name: str,
    ) -> None:
        if not 0.0 <= noise <= 1.0:
            raise BadValueError(f"noise is {noise}: it must be from 0 to 1")
        if reason := game.why_no_search if kind == SEARCH else game.why_no_rollouts:
            raise BadValueError(reason)
        # A search of its own, or an evolved player's arrays with the fields of a search
        packed = simple_player(RECORD_FIELDS, kind)
        if values:
            player = make_player(values, game)
            if not isinstance(player, EvolvedPlayer):
                raise BadValueError(f"values is {quote(values)}: it must be run:PATH or file:PATH")
            head = player.decoder.head
            if head != "value" and (head != "policy" or kind == SEARCH):
                told = "it has a policy, but no values"
                if head != "policy":
                    told = f"its head is {head!r}, so it values no positions"
                raise BadValueError(f"values is {quote(values)}: {told}")
            if head == "value" and game.why_no_values:
                raise BadValueError(game.why_no_values)
            packed = player.packed._replace(seats=player.packed.seats.copy())
        packed.seats[0, [DEPTH, ROLLOUTS, NODES, EXPLORATION, ENDGAMES]] = 0  # of its own search
        packed.seats[0, list(fields)] = list(fields.values())
        name += f",noise={noise:.10g}" if noise else ""
        name += f",values={values}" if values else ""
        super().__init__(game, with_noise(packed, noise), name)
        self.room, self.memory = self._workspace.room, self._workspace.memory
        self.ratings = self._workspace.ratings


class MinimaxPlayer(_SearchPlayer):
    """Alpha-beta search to a fixed depth.

    It prefers early wins and late losses; between them the game's ``evaluate`` decides, or the
    player that *values* names. Ties are broken at random.

    Args:
        game: Game to play.
        depth: Plies to search, 1 to 12.
        noise: Probability of a random move, 0 to 1.
        values: Player that gives the values of leaves, such as ``run:evolved/first``; empty for the
            game's ``evaluate``.
        endgames: Number of pieces up to which positions are looked up in tables, which are made the
            first time; 0 for none.

    Raises:
        BadValueError: Something is out of range, or the game's file has no endgames.
    """

    def __init__(
        self,
        game: BoardGame,
        depth: int = 4,
        noise: float = 0.0,
        values: str = "",
        endgames: int = 0,
    ) -> None:
        fields = search_fields(game.code, depth=depth) | _know(game, endgames)
        name = f"minimax:depth={depth}{_name_endgames(endgames)}"
        super().__init__(game, SEARCH, fields, noise, values, name)


def _know(game: BoardGame, endgames: int) -> dict[int, int]:
    """Return the fields of a record for a search that knows endgames of so many pieces."""
    return {ENDGAMES: len(find_endgames(game, endgames))} if endgames else {}


def _name_endgames(endgames: int) -> str:
    return f",endgames={endgames}" if endgames else ""


class TimedPlayer(Player):
    """Alpha-beta search for a given time per move, by iterative deepening.

    Args:
        game: Game to play.
        seconds: Time for each move, up to an hour.
        noise: Probability of a random move, 0 to 1.
        values: Player that gives the values of leaves, such as ``run:evolved/first``; empty for the
            game's ``evaluate``.
        endgames: As of :class:`MinimaxPlayer`.

    Raises:
        BadValueError: Something is out of range, or the game's file has no endgames.
    """

    def __init__(
        self,
        game: BoardGame,
        seconds: float,
        noise: float = 0.0,
        values: str = "",
        endgames: int = 0,
    ) -> None:
        if not 0 < seconds <= MAX_SECONDS:
            raise BadValueError(f"time is {seconds:g} s: it must be above 0, up to an hour")
        super().__init__(game)
        name = f"minimax:time={round(1000 * seconds)}ms{_name_endgames(endgames)}"
        fields = {DEPTH: DEEPEST} | _know(game, endgames)
        self.search = _SearchPlayer(game, SEARCH, fields, noise, values, name)
        self.name, self.seconds = self.search.name, seconds
        self.depth = 0
        """Depth of the search for its last move, in plies."""

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the best move of the deepest search that was completed."""
        begun, packed, room = time.perf_counter(), self.search.packed, self.search.room
        memory, drawn, move = self.search.memory, rng.copy(), -1
        memory[SEARCHED] = room[LIMIT] = 0
        count = len(self.game.legal_moves(position))
        # Iterative deepening: each search starts from the same random numbers.
        for depth in range(1, 1 + min(DEEPEST, self.game.code.LONGEST - position.plies)):
            packed.seats[0, DEPTH] = depth
            rng[:] = drawn
            found = self.search.choose(position, rng)
            spent = time.perf_counter() - begun
            if move >= 0 and room[LIMIT] and memory[SEARCHED] > room[LIMIT]:
                break
            move, self.depth = found, depth
            if spent >= self.seconds or count == 1:
                break
            if abs(int(self.search.ratings[:count].max())) >= WIN:
                break
            # The next search may take the nodes that fit into the time left.
            speed = 0.9 * memory[SEARCHED] / spent
            room[LIMIT] = memory[SEARCHED] + max(FEWEST, speed * (self.seconds - spent))
        return move


class MctsPlayer(_SearchPlayer):
    """Monte Carlo tree search; see `evolve_arena.players.board.mcts`.

    Args:
        game: Game to play.
        rollouts: Rollouts for each move, 1 to 1,000,000.
        exploration: Constant of the upper confidence bound; shares of the win go from 0 to 1.
        noise: Probability of a random move, 0 to 1.
        values: Player whose values of leaves replace random simulations, for two seats; or whose
            policy gives priors.

    Raises:
        BadValueError: Something is out of range.
    """

    def __init__(
        self,
        game: BoardGame,
        rollouts: int = 1000,
        exploration: float = EXPLORES,
        noise: float = 0.0,
        values: str = "",
    ) -> None:
        fields = search_fields(game.code, rollouts=rollouts, exploration=exploration)
        name = f"mcts:rollouts={rollouts}"
        name += f",exploration={exploration:.10g}" if exploration != EXPLORES else ""
        super().__init__(game, MCTS, fields, noise, values, name)


def _make_minimax(game: BoardGame, time: float | None = None, **settings: Any) -> Player:
    """Return an alpha-beta search to a depth, or for a *time* in seconds per move.

    Raises:
        BadValueError: Both are given.
    """
    if time is None:
        return MinimaxPlayer(game, **settings)
    if "depth" in settings:
        raise BadValueError("give a depth or a time")
    return TimedPlayer(game, time, **settings)


def _make_kind(
    form: str, summary: str, make: Callable[..., Player], **readers: Callable[[str], object]
) -> PlayerKind:
    kind = form.partition(":")[0]
    readers |= {"noise": read_number, "values": str}

    def read(text: str, game: BoardGame) -> Player:
        return make_by_settings(kind, text, readers, lambda **all: make(game, **all))

    return PlayerKind(form, summary, read, optional=True, takes_values=True)


SEARCHES = {
    "minimax": _make_kind(
        "minimax:depth=4,noise=0.2",
        "searches 1 to 12 plies deep and plays 20 % of its moves at random; or time=100ms; also"
        " endgames=4, if the game's file has endgames",
        _make_minimax,
        depth=read_whole,
        time=read_time,
        endgames=read_whole,
    ),
    "mcts": _make_kind(
        "mcts:rollouts=1000",
        "Monte Carlo tree search, 1 to 1,000,000 rollouts for each move",
        MctsPlayer,
        rollouts=read_whole,
        exploration=read_number,
    ),
}
"""Kinds of search players that games offer."""
