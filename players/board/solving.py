"""Exact values of moves in any game of two players with open information, whose rules are a file.

`evolve_arena.players.board.proof` searches games that end by themselves. Where positions may
recur or chance decides, `evolve_arena.players.board.retrograde` lists all positions instead.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena import core
from evolve_arena.core.compiled import cache_folder
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.game import AnyGame
from evolve_arena.players.board.alpha_beta import LIMIT
from evolve_arena.players.board.game import OUTCOME, Board, BoardGame, GameFileError
from evolve_arena.players.board.kernel import FLOOR, enter, specialise_board
from evolve_arena.players.board.proof import ABORTED, MAX_LEVELS, TOP, TOUCHED
from evolve_arena.players.board.retrograde import CHANCE, LEAVES, OVER
from evolve_arena.players.board.workspace import make_states
from evolve_arena.players.search import make_memory

NODES = 3_000_000
"""Default limit of nodes in the search of a position, or of positions in a list."""
MAX_POSITIONS = 1 << 22
"""Maximum number of positions in a list; it takes some 500 MiB."""
EDGES = 12
"""Maximum number of moves of each of them on average."""
TABLE_BITS = 22
"""Size of the transposition table, as a power of two: 64 MiB."""
SCALE = 1_000_000
"""Score of a certain win in games of chance."""


class Graph(NamedTuple):
    """All positions that can be reached from one, by number; that one is number 0."""

    size: int
    """Number of positions."""
    states: Any
    rows: Any
    table: Any
    words: Any
    depths: Any
    """Number of moves made before each."""
    movers: Any
    firsts: Any
    edges: Any
    values: Any
    """Value of each to seat 0."""

    def follow(self, at: int) -> list[int]:
        """Return the positions after *at*, in the order of its moves or outcomes."""
        return list(map(int, self.edges[self.firsts[at] : self.firsts[at + 1]]))


def _load_solvers(game: BoardGame) -> tuple[Any, Any]:
    names = (f"{FLOOR}.proof", f"{FLOOR}.retrograde")
    *_, proof, retrograde = specialise_board(game.place, game.rules, names)
    return proof, retrograde


class Solver:
    """Prover of exact values of moves in a game.

    Args:
        game: Game of two players without hidden information, whose rules are a file.
        distance: True if values shall tell how soon a game ends; False for win, draw or loss.
        nodes: Limit of nodes in the search of a position, or of positions that are listed.

    Raises:
        BadValueError: The game is none of these.
    """

    def __init__(self, game: AnyGame, *, distance: bool = False, nodes: int = NODES) -> None:
        if not isinstance(game, BoardGame):
            raise BadValueError(f"{game.name} can't be solved: its rules are no file")
        if game.why_no_search:
            raise BadValueError(f"{game.name} can't be solved: {game.why_no_search}")
        self.game, self.distance, self.nodes = game, distance, nodes
        self.code = game.code
        if self.code.HAS_PAST and self.code.HAS_POINTS:
            raise BadValueError(
                f"{game.name} can't be solved: points decide where positions recur, so values"
                " depend on earlier positions"
            )
        self.lists = bool(self.code.HAS_CHANCE or self.code.HAS_PAST)
        """True if positions are listed, False if they are searched."""
        self.recurs = bool(self.code.HAS_PAST)
        """True if positions may occur again in a game."""
        self._graph: Graph | None = None
        self._by_ply = 0
        self._moves = np.zeros(self.code.MOVES, dtype=np.int64)

    @cached_property
    def _modules(self) -> tuple[Any, Any]:
        return _load_solvers(self.game)

    @cached_property
    def _search_room(self) -> tuple[Any, Any, Any]:
        levels = min(int(self.code.LONGEST), MAX_LEVELS) + 2
        room = np.zeros(4 + (2 * levels + 5) * self.code.MOVES, dtype=np.int64)
        return make_states(self.code, levels + 1), room, make_memory(TABLE_BITS)

    def score(self, position: Board) -> dict[int, int] | None:
        """Return the exact score of each legal move; None if it is not proven within the limit.

        A score is positive if the player to move wins, 0 for a draw. With distance, a win in *n*
        plies is LONGEST + 1 - *n*, else 1. In games of chance, scores are expected results in
        units of 1 / SCALE.
        """
        if self._depends_on_past(position):
            return None
        if not self.lists:
            return self._search(position, self.game.legal_moves(position))
        graph = self._find_graph(position)
        at = -1 if graph is None else self._find(graph, position)
        return self._read(graph, at, position) if graph and at >= 0 else None

    def _search(self, position: Board, moves: list[int]) -> dict[int, int] | None:
        """Prove the values of *moves* by alpha-beta search."""
        states, room, memory = self._search_room
        values, count = np.zeros(len(moves), dtype=np.int64), len(moves)
        self._moves[:count] = moves
        state = enter(self.code, position, states)
        while True:
            room[LIMIT] = self.nodes
            ended = self._modules[0].prove_moves(
                *(state, np.int64(position.plies), np.int64(self._by_ply), np.int64(self.distance)),
                *(self._moves, np.int64(count), values, states, room, memory),
            )
            self.game.refuse_faults(states)
            if ended != TOUCHED:
                break
            self._by_ply = 1  # LONGEST matters
            memory[:] = 0
        if ended == ABORTED:
            return None
        return {move: self._scale(float(value)) for move, value in zip(moves, values, strict=True)}

    def _scale(self, value: float) -> int:
        """Return the score of a *value* that counts the plies to the end of the game."""
        if not self.distance or value == 0:
            return int(np.sign(value))
        plies = int(TOP) - int(abs(value))
        return int(np.sign(value)) * max(1, int(self.code.LONGEST) + 1 - plies)

    def _find_graph(self, position: Board) -> Graph | None:
        """Return a list of positions that has this one, the last list if possible."""
        if self._graph is not None and self._find(self._graph, position) >= 0:
            return self._graph
        # In games of chance, all positions are listed at once.
        graph = self.list_positions(self.game.begin() if self.code.HAS_CHANCE else position)
        self._graph = graph or self._graph
        return graph

    def list_positions(self, position: Board) -> Graph | None:
        """List and value all positions that can be reached from this one.

        Args:
            position: The first of the list.

        Returns:
            The positions, their moves and values; None if there are more than `nodes`.

        Raises:
            BadValueError: The game has chance, and its values do not settle.
        """
        most, code, kernels = min(self.nodes, MAX_POSITIONS), self.code, self._modules[1]
        states = make_states(code, most + 1 if code.IS_ARRAY else 1)
        table = np.full(1 << (2 * most).bit_length(), -1, dtype=np.int32)
        graph = Graph(
            *(0, states, np.zeros(0 if code.IS_ARRAY else (most + 1) * len(code.START), np.int64)),
            *(table, np.zeros(most, np.uint64), np.zeros(most + 1, np.int32)),
            *(np.zeros(most, np.int8), np.zeros(most + 1, np.int64)),
            *(np.zeros(EDGES * most, np.int32), np.zeros(most)),
        )
        state = enter(code, position, states)
        count = kernels.list_positions(state, np.int64(position.plies), *graph[1:], self._moves)
        self.game.refuse_faults(states[:1] if code.IS_ARRAY and not code.HAS_PAST else states)
        if count < 0:
            return None
        movers, firsts, edges, values = graph[-4:]
        if code.HAS_CHANCE:
            if kernels.iterate(count, movers, firsts, edges, values) < 0:
                raise BadValueError(f"{self.game.name} can't be solved: its values do not settle")
        else:
            before, queue = np.zeros(count + 2, np.int64), np.zeros(count, np.int32)
            sources, pending = np.zeros(int(firsts[count]), np.int32), np.zeros(count, np.int32)
            kernels.propagate(
                *(count, movers, firsts, edges, values, before, sources, pending, queue)
            )
        return graph._replace(size=int(count))

    def _find(self, graph: Graph, position: Board) -> int:
        """Return the number of a *position* in the list, or -1."""
        room = make_states(self.code, 1)
        state = enter(self.code, position, room)
        given = state, np.int64(position.plies), room, graph.table, graph.words
        return int(self._modules[1].find_position(*given))

    def _read(self, graph: Graph, at: int, position: Board) -> dict[int, int] | None:
        """Return the scores of the moves in a *position*, number *at*; None if they may differ."""
        sign, scores = 1 - 2 * int(graph.movers[at]), {}
        for move, after in zip(self.game.legal_moves(position), graph.follow(at), strict=True):
            value = sign * float(graph.values[after])
            if self.code.HAS_CHANCE:
                scores[move] = round(SCALE * value)
                continue
            value -= np.sign(value)
            if value and self._ends_before(position, int(TOP - abs(value))):
                return None
            scores[move] = self._scale(value)
        return scores

    def _depends_on_past(self, position: Board) -> bool:
        """Test whether earlier positions may decide.

        They do not as long as none recurred: whoever wins need not come back to any position, so
        that the third time never comes.
        """
        words = [self.game.find_word(state) for state in (*position.past, position.state)]
        often = 0 < int(self.code.REPETITION) < 3
        return len(words) > 1 and (often or len({*words}) < len(words))

    def _ends_before(self, position: Board, plies: int) -> bool:
        """Test whether lack of progress or LONGEST may end the game within so many *plies*."""
        quiet, longest = int(self.code.NO_PROGRESS), int(self.code.LONGEST)
        late = 0 < quiet < plies + len(position.past) or position.plies + plies > longest
        return self.recurs and late

    def solve_all(self) -> Iterator[tuple[list[str], Board, dict[int, int]]]:
        """Yield all positions of the game with their scores, each after the words that lead to it.

        The words are moves, and outcomes of chance as `BoardGame.parse_game` reads them.

        Raises:
            BadValueError: They are too many.
        """
        begin = self.game.begin()
        graph = self.list_positions(begin)
        if graph is None:
            most = min(self.nodes, MAX_POSITIONS)
            raise BadValueError(f"{self.game.name} has more than {most:,} positions")
        # Each position is reached from the one before it that was listed first.
        _, edges = np.unique(graph.edges[: graph.firsts[graph.size]], return_index=True)
        found = {0: (list[str](), begin)}
        for edge in np.sort(edges).tolist():
            before = int(np.searchsorted(graph.firsts[: graph.size + 1], edge, "right")) - 1
            after, number = int(graph.edges[edge]), edge - int(graph.firsts[before])
            words, board = found[before]
            if graph.movers[before] == CHANCE:
                word, board = f"{OUTCOME}{number}", self.game.follow(board, "resolve", number)
            else:
                move = self.game.legal_moves(board)[number]
                word, board = self.game.format_move(move), self.game.make_move(board, move)
            found.setdefault(after, ([*words, word], board))
        for at, (words, board) in sorted(found.items()):
            if graph.movers[at] not in (CHANCE, OVER) and not self._depends_on_past(board):
                scores = self._read(graph, at, board)
                if scores is not None:
                    yield words, board, scores


LONGEST_END = 4096
"""Most turns to the end of a solved endgame."""
SPEED = 1_000_000.0
"""Approximate number of endgames that are solved in a second."""
TURNS = 32
"""Most moves of one player in a turn."""


def find_endgames(game: BoardGame, pieces: int) -> NDArray[np.int16]:
    """Return the values of a game's endgames by number, from a file that is made the first time.

    Earlier positions do not count in them: a win takes as many turns as it needs.

    Args:
        game: Game whose file has ``endgame``.
        pieces: Maximum number of pieces, as the file's ``ENDGAMES`` count them.

    Returns:
        For each endgame, to the player to move: 1 plus the turns to a win, minus that for a loss,
        or 0 for a draw, shape ``(n,)``. A copy-on-write map of a file that processes share.

    Raises:
        BadValueError: The file has no endgames, or none with so many pieces.
        GameFileError: What it says of them contradicts its rules.
    """
    known = [count for count, _ in _groups(game)]
    if pieces not in known:
        told = f"from {known[0]} to {known[-1]}" if known else f"0: {game.name} has none"
        raise BadValueError(f"endgames is {pieces}: it must be {told}")
    return _read_endgames(game, pieces)


def find_first_endgames(game: BoardGame, many: int) -> NDArray[np.int16]:
    """Return the result of :func:`find_endgames` that has so *many* values."""
    total, pieces = 0, 0
    for pieces, size in _groups(game):  # noqa: B007  (the last one counts)
        total += size
        if total == many:
            break
    return _read_endgames(game, pieces)


def _groups(game: BoardGame) -> tuple[tuple[int, int], ...]:
    return tuple(game.plain["ENDGAMES"]) if game.code.HAS_ENDGAME else ()


@cache
def _read_endgames(game: BoardGame, pieces: int) -> NDArray[np.int16]:
    name = "-".join(map(str, ("endgames", pieces, *game.rules)))
    file = cache_folder() / game.place.partition(".")[0] / f"{name}.npy"
    if not file.exists():
        many = sum(size for count, size in _groups(game) if count <= pieces)
        if core.on_compile and many > SPEED:
            core.on_compile(f"the table of endgames of {game.name}", many / SPEED)
        values = _solve_endgames(game, pieces)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as new:
            np.save(new, values)
        os.replace(new.name, file)
    return np.asarray(np.load(file, mmap_mode="c"))


def _solve_endgames(game: BoardGame, pieces: int) -> NDArray[np.int16]:
    code, kernels = game.code, _load_solvers(game)[1]
    sizes = [size for count, size in _groups(game) if count <= pieces]
    values, first = np.zeros(sum(sizes), np.int16), 0
    moves, states = np.zeros(TURNS * int(code.MOVES), np.int64), make_states(code, 1)
    for size in sizes:
        movers, pending = np.zeros(size, np.int8), np.zeros(size, np.int32)
        wins, losses = np.zeros((2, size), np.int16)
        firsts = np.zeros(size + 1, np.int64)
        edges = np.zeros(EDGES * size + len(moves), np.int32)
        given = movers, wins, losses, pending, firsts, edges
        count = kernels.list_group(first, size, values, *given, moves, states)
        game.refuse_faults(states)
        if count < 0:
            why = "a move leads out of the endgames" if count == LEAVES else "they have many moves"
            raise GameFileError(f"{game.file}: ENDGAMES from {first} on can't be solved: {why}")
        before, sources = np.zeros(size + 2, np.int64), np.zeros(count, np.int32)
        heads, links = np.full(LONGEST_END, -1, np.int32), np.zeros((3 * size, 2), np.int32)
        own = values[first : first + size]
        kernels.solve_group(size, own, *given, before, sources, heads, links)
        if heads[-1] >= 0:
            raise GameFileError(f"{game.file}: an endgame takes more than {LONGEST_END - 2} turns")
        first += size
    return values
