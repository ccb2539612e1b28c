"""The games of the teacher in imitation learning, and their positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.tasks import Task
from evolve_arena.core.errors import ArenaError, BadValueError, quote
from evolve_arena.core.registry import load
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.core.types import Floats
from evolve_arena.evolve.learning.imitation_learning import Rows
from evolve_arena.evolve.learning.imitation_lessons import (
    LESSONS,
    make_room,
    make_rows,
    take_rows,
)
from evolve_arena.evolve.learning.learner import make_compiled
from evolve_arena.evolve.settings.learning import ImitationConfig
from evolve_arena.players.board.kernel import specialise_board
from evolve_arena.players.board.workspace import SPARE_WORDS
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import CompiledPlayer

READER = "evolve_arena.runs.store.kept_games:read_lessons"
"""Import path of a function in a higher layer that reads files of games."""
STORED = "games:"
"""Prefix of a teacher specification that names a file of games."""
MAX_COMPARED = 100
"""Maximum number of games, the first held-out ones, in which learners and teacher are compared."""


class StoredGame(NamedTuple):
    """A game that was read from a file."""

    seed: int
    moves: Sequence[int]
    """Numbers of the moves, all of them legal."""
    chosen: Sequence[int]
    """The same, with -1 in place of moves of players that are not learned from."""


@dataclass(frozen=True, eq=False)
class ImitationState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: Floats
    """Weights of the learners, shape ``(individuals, genes)``."""
    memory: Floats
    """Adam's two moments of each weight, shape ``(individuals, 2, genes)``."""
    played: NDArray[np.int32]
    """The moves of all games so far, shape ``(games, plies)``; -1 after a game's last move."""
    chosen: NDArray[np.int32]
    """The teacher's choice at each ply, shape ``(games, plies)``; -1 where it made none."""
    seeds: NDArray[np.uint64]
    """The seeds of the games, shape ``(games,)``."""


class TeacherGames:
    """Plays the teacher's games, or reads them from a file.

    Args:
        config: The section ``[method]``.
        decoder: Makes players of learners.
    """

    def __init__(self, config: ImitationConfig, decoder: Any) -> None:
        self.config = config
        self.decoder = decoder

    @property
    def are_stored(self) -> bool:
        """True if the games come from a file."""
        return self.config.teacher.startswith(STORED)

    @cached_property
    def player(self) -> CompiledPlayer:
        """The player that is imitated.

        Raises:
            BadValueError: The specification names no player, or one that is not compiled.
        """
        hint = "; let it play a duel with --keep-games FILE.jsonl, and write games:FILE.jsonl"
        return make_compiled(self.config.teacher, self.decoder.game, "method.teacher", hint)

    def add(self, state: ImitationState, arena: Arena) -> ImitationState:
        """Return the *state* with the games of this generation: those of a file, or new ones."""
        config = self.config
        if self.are_stored:
            return state if len(state.played) else self._read(state)
        count = min(config.teacher_games, config.max_teacher_games - len(state.played))
        if count <= 0:
            return state
        seeds = derive_seeds(state.seed, state.generation, "the teacher's games", count)
        played = np.full((count, int(self.decoder.game.code.LONGEST)), -1, dtype=np.int32)
        rows = np.zeros(count, dtype=np.int64)
        played, chosen = self.play(
            arena, self.player.packed, rows, seeds, played, config.exploration
        )
        return _join_games(state, played, chosen, seeds)

    def _read(self, state: ImitationState) -> ImitationState:
        """Return the *state* with the games of a file."""
        path, _, player = self.config.teacher.removeprefix(STORED).partition(",player=")
        try:
            games = list(load(READER)(path.strip(), self.decoder.game, player))
        except ArenaError as error:
            raise BadValueError(f"method.teacher: {error}") from None
        if not games:
            raise BadValueError(f"method.teacher: {quote(path)} has no games")
        longest = max(1, *(len(game.moves) for game in games))
        played, chosen = np.full((2, len(games), longest), -1, dtype=np.int32)
        for place, game in enumerate(games):
            played[place, : len(game.moves)] = game.moves
            chosen[place, : len(game.moves)] = game.chosen
        seeds = np.array([game.seed % 2**64 for game in games], dtype=np.uint64)
        return _join_games(state, played, chosen, seeds)

    def play(
        self,
        arena: Arena,
        packed: PackedPlayers,
        rows: NDArray[np.int64],
        seeds: NDArray[np.uint64],
        played: NDArray[np.int32],
        exploration: float,
    ) -> list[NDArray[np.int32]]:
        """Play or replay games of packed players, and return their moves and choices.

        Args:
            arena: Arena whose executor plays the games.
            packed: Packed players.
            rows: Row in *packed* of each game's player, who has all seats, shape ``(games,)``.
            seeds: Seed of each game, shape ``(games,)``.
            played: Moves of each game, shape ``(games, plies)``: a row that begins with -1 is for a
                game to be played, any other for moves to be replayed.
            exploration: Probability of a random legal move in place of the player's choice.

        Returns:
            The moves that were played and the choices at each ply, both of the shape of *played*;
            -1 where there are none.
        """
        game = self.decoder.game
        work = Task(
            kernel="evolve_arena.evolve.learning.imitation_lessons:play_part",
            inputs=(*packed, rows, seeds, played),
            outputs=(("int32", played.shape), ("int32", played.shape)),
            options={"game": game.name, "rules": list(game.rules), "exploration": exploration},
            fewest=4,
        )
        return arena.executor.run(work)

    def find_agreement(self, state: ImitationState, arena: Arena) -> float:
        """Return the share of positions in held-out games in which learners choose as the teacher.

        If no game is held out yet, the other games are compared.
        """
        held = self.find_held_out(len(state.played))
        games = np.flatnonzero(held if held.any() else ~held)[:MAX_COMPARED]
        learners = len(state.population)
        played = np.tile(state.played[games], (learners, 1))
        rows = np.repeat(np.arange(learners), len(games))
        seeds = np.tile(state.seeds[games], learners)
        packed = self.decoder.pack(state.population)
        _, chosen = self.play(arena, packed, rows, seeds, played, 0.0)
        wanted = np.tile(state.chosen[games], (learners, 1))
        asked = (wanted >= 0) & (chosen >= 0)
        return float((chosen == wanted)[asked].mean()) if asked.any() else 0.0

    def find_held_out(self, games: int) -> NDArray[np.bool_]:
        """Return a mask of the games that are held out, shape ``(games,)``."""
        every = self.config.held_out
        numbers = np.arange(games)
        return numbers % every == every - 1 if every > 1 else np.zeros(games, dtype=np.bool_)


class Positions:
    """Draws positions from the teacher's games.

    Args:
        config: The section ``[method]``.
        decoder: Makes players of learners.
        teacher: Source of the games; it decides which games are held out.
    """

    def __init__(self, config: ImitationConfig, decoder: Any, teacher: TeacherGames) -> None:
        self.config = config
        self.decoder = decoder
        self.teacher = teacher
        self._rows: tuple[ImitationState, Rows] | None = None

    def draw(self, state: ImitationState) -> Rows:
        """Draw the positions of a generation, with replacement, from games not held out."""
        rows = self.list_all(state)
        held = self.teacher.find_held_out(len(state.played))
        usable = np.flatnonzero(~held[rows.games])
        if not len(usable):  # before the first game
            return take_rows(rows, usable)
        rng = derive_generator(state.seed, state.generation, "positions")
        drawn = rng.integers(0, len(usable), self.config.batch_size * self.config.batches)
        return take_rows(rows, usable[drawn])

    def list_all(self, state: ImitationState) -> Rows:
        """Return all positions of the games of a *state*; those of earlier games are cached."""
        known, rows = self._rows or (None, None)
        count = len(known.played) if known is not None and _begins_with(state, known) else 0
        if rows is None or count < max(1, len(state.played)):
            new = list_positions(self.decoder, state, count)
            if rows is not None and count:
                pairs: Any = zip(rows, new, strict=True)
                new = Rows(*map(np.concatenate, pairs))
            rows, self._rows = new, (state, new)
        return rows


def list_positions(decoder: Any, state: ImitationState, first: int) -> Rows:
    """Return the positions of a state's games from number *first* on, as inputs of networks.

    Args:
        decoder: Maker of players of the learners. For a policy positions before moves are listed,
            for a value network those after.
        state: State with the games so far, the teacher's choices and the seeds.
        first: Index of the first game that is listed, from 0.

    Raises:
        GameFileError: The rules gave an invalid value, such as a move out of range.
    """
    game = decoder.game
    code, *_, lessons = specialise_board(game.place, game.rules, (LESSONS,))
    played, chosen = state.played[first:], state.chosen[first:]
    most = int((chosen >= 0).sum()) + 1
    rows = make_rows(code, lessons, most)
    room = make_room(code, decoder.board.index, decoder.board.factor)
    count = int(
        lessons.list_rows(
            np.ascontiguousarray(played),
            np.ascontiguousarray(chosen),
            state.seeds[first:].copy(),
            decoder.head == "value",
            rows,
            room,
        )
    )
    game.refuse_faults(room.states, rows.seen)
    rows.games[:count] += first
    return take_rows(rows._replace(seen=rows.seen[:-SPARE_WORDS]), np.arange(count))


def _begins_with(state: ImitationState, known: ImitationState) -> bool:
    """Test if the games of *state* begin with those of *known*."""
    games, plies = known.played.shape
    begins = len(state.played) >= games and state.played.shape[1] >= plies
    return (
        begins
        and all(
            np.array_equal(getattr(state, name)[:games, :plies], getattr(known, name))
            and (getattr(state, name)[:games, plies:] < 0).all()
            for name in ("played", "chosen")
        )
        and np.array_equal(state.seeds[:games], known.seeds)
    )


def _join_games(
    state: ImitationState,
    played: NDArray[np.int32],
    chosen: NDArray[np.int32],
    seeds: NDArray[np.uint64],
) -> ImitationState:
    """Return the *state* with games appended, with as many columns as the longest game needs."""
    used = np.flatnonzero((played >= 0).any(axis=0))
    plies = max(1, state.played.shape[1], 1 + int(used.max(initial=0)))

    def join(old: NDArray[np.int32], new: NDArray[np.int32]) -> NDArray[np.int32]:
        rows = np.full((len(old) + len(new), plies), -1, dtype=np.int32)
        rows[: len(old), : old.shape[1]] = old
        rows[len(old) :, : min(plies, new.shape[1])] = new[:, :plies]
        return rows

    return replace(
        state,
        played=join(state.played, played),
        chosen=join(state.chosen, chosen),
        seeds=np.concatenate([state.seeds, seeds]),
    )
