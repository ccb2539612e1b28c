"""Compiled matches of a game's file: copies of modules, specialised for rules and players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.compiled import find_variant, specialise
from evolve_arena.core.game import KernelSpec
from evolve_arena.core.registry import find_game, game_of
from evolve_arena.core.types import Array, Position, Settings
from evolve_arena.genomes.network import LAYERS, RESOLUTION
from evolve_arena.players.board.workspace import (
    ACTION,
    DENSE,
    DEPTH,
    ENCODING,
    ENDGAMES,
    HEAD,
    KINDS_HEAD,
    NONE,
    POLICY,
    ROLLOUTS,
    SCRIPTED,
    SEARCH,
    UNMASKED,
    VALUE,
    BoardWorkspace,
    find_past,
    make_states,
    make_workspace,
    take_fault,
)
from evolve_arena.players.packed import (
    GRAPH,
    KIND,
    NETWORK,
    SHAPE,
    TUPLES,
    PackedPlayers,
)

if TYPE_CHECKING:
    from evolve_arena.players.board.game import Board, BoardGame
    from evolve_arena.players.player import CompiledPlayer

FLOOR = "evolve_arena.players.board"
EXAMPLE = f"{FLOOR}.example"
PLAYING = tuple(
    f"{FLOOR}.{name}" for name in ("rules", "values", "mcts", "hidden_mcts", "alpha_beta", "choose")
)
"""Modules that choose moves, in an order in which each imports only from those before."""
KIND_FLAGS = {GRAPH: "HAS_GRAPHS", TUPLES: "HAS_TUPLES", DENSE: "HAS_DENSE"}
HEAD_FLAGS = {POLICY: "HAS_POLICIES", KINDS_HEAD: "HAS_POLICIES", VALUE: "HAS_VALUES"}
SEARCH_FLAGS = {DEPTH: "HAS_SEARCHES", ROLLOUTS: "HAS_MCTS"}
"""Flags of searches, by the field that is above 0 in records of players that use them."""
DEEP_FLAG, PRIORS_FLAG, SCRIPTS_FLAG = "HAS_DEEP_VALUES", "HAS_PRIORS", "HAS_SCRIPTS"
LAYERS_FLAG = "HAS_LAYERS"
OUTPUTS_FLAG, ACTIONS_FLAG, KINDS_FLAG = "HAS_OUTPUTS", "HAS_ACTIONS", "HAS_KIND_PLAYERS"
FORFEITS_FLAG, OWN_VALUES_FLAG = "HAS_FORFEITS", "HAS_OWN_VALUES"
ENDGAMES_FLAG = "HAS_ENDGAMES"
DENSE_VALUES_FLAG, SIGHT_FLAG = "HAS_DENSE_VALUES", "HAS_DENSE_SIGHT"
FLAGS = (
    *(*HEAD_FLAGS.values(), *KIND_FLAGS.values(), *SEARCH_FLAGS.values()),
    *(DEEP_FLAG, PRIORS_FLAG, SCRIPTS_FLAG, LAYERS_FLAG),
    *(OUTPUTS_FLAG, ACTIONS_FLAG, KINDS_FLAG, DENSE_VALUES_FLAG, SIGHT_FLAG),
    *(FORFEITS_FLAG, OWN_VALUES_FLAG, ENDGAMES_FLAG),
)

TOLD_FIELDS, TOLD_BITS = [DEPTH, ROLLOUTS, UNMASKED, ENCODING, ENDGAMES], 1 << np.arange(6, 11)
"""Fields of a record that matter only as being above 0, and the bits that encode this."""


def enter(code: ModuleType, position: Board, states: Array) -> Position:
    """Return the state of a *position* for compiled *code*: a tuple, or row 0 of *states*.

    Args:
        code: Module of the compiled rules, `BoardGame.code`.
        position: Position of a match.
        states: Rows of states, such as ``workspace.states``; used only if states are arrays.
    """
    if code.IS_ARRAY:
        states[0, : len(position.state)] = position.state
        return np.int64(0)
    kinds = (type(number) for number in code.START)
    return tuple(kind(number) for kind, number in zip(kinds, position.state, strict=True))


def enter_past(game: BoardGame, position: Board, states: Array) -> None:
    """Write a *position* and the earlier ones into the records of compiled code.

    Args:
        game: Game; nothing is written unless its end depends on earlier positions.
        position: Position, with the earlier states that count in ``past``.
        states: Rows of states, such as ``workspace.states``, at the end of which the records are.
    """
    if game.code.HAS_PAST:
        past, begin = find_past(game.code, states), position.plies - len(position.past)
        words = [game.find_word(state) for state in (*position.past, position.state)]
        for place, word in enumerate(words):
            past[begin + place] = word, begin, words[: place + 1].count(word)


def rate_moves(player: CompiledPlayer, position: Board) -> dict[int, float]:
    """Return a *player*'s value of each legal move in a *position*.

    Empty for players that do not value single moves; `choose.rate_moves` lists them.
    """
    # The variant of compiled code for this player, and the position in its arrays
    spec, rules = find_game(player.game.name), player.game.rules
    variant: ModuleType = find_variant(spec, rules, player.packed)["choose"]
    code = player.game.code  # type: ignore[attr-defined]
    workspace = spec.kernel.make_workspace(rules, player.packed)
    workspace.plies[0] = position.plies
    state, ratings = enter(code, position, workspace.states), np.zeros(code.MOVES)
    enter_past(player.game, position, workspace.states)  # type: ignore[arg-type]
    count = int(variant.rate_moves(player.packed, state, workspace, ratings))
    player.game.refuse_faults(workspace.states, workspace.planes, workspace.values)  # type: ignore[attr-defined]
    if player.packed.seats[0, KIND] == TUPLES and player.packed.seats[0, DEPTH] == 0:
        ratings /= RESOLUTION
    return dict(zip(workspace.moves[:count].tolist(), ratings[:count].tolist(), strict=True))


def make_kernel(
    place: str,
    has_chance: bool,
    has_points: bool,
    longest: int,
    find_endgames: Callable[[BoardGame, int], NDArray[np.int16]],
) -> KernelSpec:
    """Return the kernel of a board game whose file became the module called *place*.

    Args:
        place: Full name of the module.
        has_chance: True if chance events decide, too.
        has_points: True if the game counts points.
        longest: Maximum number of moves.
        find_endgames: Returns the values of the first endgames of a game, so many as it is told.
    """

    # The module of the rules and the game, for given options
    @cache
    def code(rules: tuple[int, ...]) -> ModuleType:
        return specialise([place], constants_of(rules))[0]

    @cache
    def game(rules: tuple[int, ...]) -> BoardGame:
        return cast("BoardGame", game_of(rules))

    def refuse_faults(rules: tuple[int, ...], *arrays: Array) -> None:
        fault, value = take_fault(code(rules), *arrays)
        if fault:
            raise game(rules).explain_fault(fault, value)

    def decide(
        variant: Mapping[str, ModuleType],
        rules: tuple[int, ...],
        players: PackedPlayers,
        position: Board,
        workspace: BoardWorkspace,
    ) -> int:
        state = enter(code(rules), position, workspace.states)
        enter_past(game(rules), position, workspace.states)
        workspace.plies[0] = position.plies
        move = int(variant["choose"].decide(players, state, workspace))
        refuse_faults(rules, workspace.states, workspace.planes, workspace.values)
        return move

    def play(
        matches: ModuleType,
        rules: tuple[int, ...],
        players: PackedPlayers,
        pairings: Array,
        seeds: Array,
        openings: Array,
        workspace: BoardWorkspace,
        *results: Array,
    ) -> None:
        # Compiled code expects an array of points, even if it has no columns.
        told, tallies = results[: 4 + has_points], results[4 + has_points :]
        if not has_points:
            told = (*told, np.zeros((len(pairings), 0), dtype=np.int32))
        # Tallies are filled in as one array, then split into columns.
        count = int(code(rules).TALLY_COUNT)
        shape = len(pairings) if count else 0, int(code(rules).SEATS), count
        room = np.zeros(shape, dtype=np.int32)
        matches.play_matches(players, pairings, seeds, openings, workspace, *told, room)
        for number, tally in enumerate(tallies):
            tally[:, : room.shape[1]] = room[:, :, number]
        refuse_faults(rules, workspace.states, workspace.planes, workspace.values)

    def draw_openings(rules: tuple[int, ...], seeds: Array, openings: Array) -> None:
        variant: Mapping[str, ModuleType] = find_variant(find_game(game(rules).name), rules)
        moves, states = (
            np.zeros(2 * code(rules).MOVES, dtype=np.int64),
            make_states(code(rules), 1),
        )
        variant["matches"].draw_openings(seeds, openings, moves, states)
        refuse_faults(rules, states)

    def make_arrays(rules: tuple[int, ...], players: PackedPlayers) -> BoardWorkspace:
        many = int(players.seats[:, ENDGAMES].max(initial=0))
        endgames = find_endgames(game(rules), many) if many else NONE
        return make_workspace(code(rules), players, endgames)

    # All modules are compiled together, with the game's file in place of the example.
    return KernelSpec(
        modules=(place, *PLAYING, f"{FLOOR}.matches"),
        flags=FLAGS,
        needs=_needs,
        constants=lambda rules: _place_constants(place, rules),
        instead={EXAMPLE: place},
        play=play,
        decide=decide,
        make_workspace=make_arrays,
        draw_openings=None if has_chance else draw_openings,
        longest_opening=lambda rules: 0 if has_chance else int(code(rules).LONGEST) // 4,
        fewest_matches=min(256, max(8, 2**15 // longest)),
    )


def specialise_board(
    place: str,
    rules: tuple[int, ...],
    modules: Sequence[str],
    players: PackedPlayers | None = None,
    more: Settings | None = None,
) -> list[ModuleType]:
    """Return copies of the file at *place*, the modules that play by it, and more *modules*.

    Args:
        place: Full name of the game's module.
        rules: Options of the game.
        modules: Full names of further modules.
        players: Players to specialise for; ``HAS_OPPONENTS`` is True if there are any.
        more: Values of further constants, by name.
    """
    needed = _needs(players) if players else set()
    constants = {**_place_constants(place, rules), **{flag: flag in needed for flag in FLAGS}}
    constants |= more or {}
    if players:
        constants["HAS_OPPONENTS"] = True
    return specialise([place, *PLAYING, *modules], constants, {EXAMPLE: place})


def load_timing(game: BoardGame) -> ModuleType:
    """Return `evolve_arena.players.board.timing`, compiled for a *game*."""
    return specialise_board(game.place, game.rules, (f"{FLOOR}.matches", f"{FLOOR}.timing"))[-1]


def play_timed(
    game: BoardGame, timing: ModuleType, part: int, seed: int, workspace: BoardWorkspace
) -> None:
    """Play a random game with additional work at each ply; see `timing.add_part`.

    Args:
        game: Game, which explains faults.
        timing: Compiled module that :func:`load_timing` returned for the game.
        part: Additional work at each ply, such as `timing.ALL`.
        seed: Seed of the moves and of chance, from 0 to 2**64 - 1.
        workspace: Arrays for random players; see `workspace.make_workspace`.

    Raises:
        GameFileError: The rules did something that no game may do.
        IndexError: An index was out of bounds, and Numba compiled bounds checks.
    """
    timing.add_part(part, np.uint64(seed), workspace)
    game.refuse_faults(workspace.states, workspace.planes, workspace.values)


def constants_of(rules: Any) -> dict[str, int]:
    """Return the options by the names of the constants in the game's file."""
    return {name.upper(): value for name, value in rules._asdict().items()}


@cache
def _place_constants(place: str, rules: tuple[int, ...]) -> dict[str, int]:
    """Return the options as constants of the file alone, as other modules may share their names."""
    return {f"{place}:{name}": value for name, value in constants_of(rules).items()}


def _needs(players: PackedPlayers) -> set[str]:
    """Return the flags that packed *players* need, in few passes, as each batch calls this."""
    seats = players.seats
    # All that matters of a record is packed into one number, so that equal players count once.
    told = np.minimum(seats[:, KIND], SCRIPTED) | seats[:, HEAD] << 4
    told |= (seats[:, TOLD_FIELDS] > 0) @ TOLD_BITS
    told |= (players.shapes[seats[:, SHAPE], LAYERS] != 2) * np.int64(1 << 11)
    return set().union(*map(_list_flags, set(told.tolist())))


@cache
def _list_flags(told: int) -> frozenset[str]:
    """Return the flags that one player needs, unpacked from the number that `_needs` makes."""
    # Unpack the record, and derive what the player is
    kind, head = told & 15, told >> 4 & 3
    depth, rollouts, unmasked, features, knows, layered = (told >> bit & 1 for bit in range(6, 12))
    network, dense = kind == NETWORK, kind in (DENSE, GRAPH)
    values = kind == TUPLES or (head == VALUE and (network or dense))
    guided = rollouts and head == POLICY and (network or dense)
    needed = {
        KIND_FLAGS.get(kind, ""): True,
        HEAD_FLAGS.get(head, ""): network,
        LAYERS_FLAG: network and layered,
        SCRIPTS_FLAG: kind == SCRIPTED or head == KINDS_HEAD,
        OUTPUTS_FLAG: (network or dense) and head in (POLICY, KINDS_HEAD),
        ACTIONS_FLAG: (network or dense) and head == ACTION,
        KINDS_FLAG: (network or dense) and head == KINDS_HEAD,
        FORFEITS_FLAG: unmasked,
        SIGHT_FLAG: dense and not features,
        DENSE_VALUES_FLAG: dense and values,
        OWN_VALUES_FLAG: values and not (depth or rollouts),
        PRIORS_FLAG: guided,
        SEARCH_FLAGS[DEPTH]: depth,
        SEARCH_FLAGS[ROLLOUTS]: rollouts,
        ENDGAMES_FLAG: knows,
        DEEP_FLAG: (depth or rollouts) and kind < SEARCH and not guided,
    }
    return frozenset(flag for flag, wanted in needed.items() if flag and wanted)
