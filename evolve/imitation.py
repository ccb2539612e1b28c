"""The method ``imitation``: networks that learn to play as a teacher does.

In any game that is a file of rules. A generation:

1. The teacher plays games against itself, some of its moves replaced by random ones, until there
   are enough of them.
2. Each learner learns positions of these games, drawn at random: a policy the teacher's moves, by
   cross-entropy; a value network the results, by regression (Pomerleau 1991; Silver et al. 2016).
3. In games that nobody learns from, the learners' moves are compared with the teacher's.

The games are part of the state, so that a run that goes on does not play them again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.work import Work
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.errors import ArenaError, BadValueError, quote
from evolve_arena.core.game import GameSpec
from evolve_arena.core.registry import find_game, load
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.evolve.learning.imitation_learning import Drill, LessonRoom, Rows
from evolve_arena.evolve.learning.layers import new_layers, pad_numbers, unpad_numbers
from evolve_arena.evolve.learning.learner import Learner, make_compiled
from evolve_arena.evolve.method import Report
from evolve_arena.evolve.settings.learning import ImitationConfig, ImitationNetworkConfig
from evolve_arena.genomes.limits import COPIES
from evolve_arena.genomes.mlp import MLP
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import specialise_board
from evolve_arena.players.board.workspace import (
    SPARE_WORDS,
    count_changes,
    make_states,
    seen_words,
)
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import PackedPlayers
from evolve_arena.players.player import CompiledPlayer

LESSONS = "evolve_arena.evolve.learning.imitation_learning"
READER = "evolve_arena.runs.store.kept_games:read_lessons"
"""A function of a layer above that reads files of games."""
STORED = "games:"
"""The beginning of a teacher that is a file of games."""
MOST_COMPARED = 100
"""Games in which learners and teacher are compared, at most: the first ones held out."""


class StoredGame(NamedTuple):
    """A game of a file."""

    seed: int
    moves: Sequence[int]
    """By their numbers; each is legal."""


@dataclass(frozen=True, eq=False)
class ImitationState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: NDArray[np.float32]
    """Shape ``(individuals, genes)``."""
    memory: NDArray[np.float32]
    """Adam's two moments of each weight, shape ``(individuals, 2, genes)``."""
    played: NDArray[np.int32]
    """The moves of the games so far, shape ``(games, plies)``; -1 behind the last one."""
    chosen: NDArray[np.int32]
    """The teacher's choices, of the same shape; -1 where it had none."""
    seeds: NDArray[np.uint64]
    """Of the games."""


class Imitation(Learner[ImitationState]):
    """Teaches networks the moves of a player, or the results of its games."""

    name = "imitation"
    rate = "method.learning_rate"
    config_type = ImitationConfig
    genome_kind = "vector"
    network_kind = "mlp"
    network_type = ImitationNetworkConfig
    state_type = ImitationState
    config: ImitationConfig

    def __init__(self, config: ImitationConfig, decoder: Any) -> None:
        super().__init__(config, decoder)
        self._rows: tuple[ImitationState, Rows] | None = None

    @classmethod
    def networks(cls, game: GameSpec) -> dict[str, type[BredPlayer]]:
        """Multilayer perceptrons of games in one file."""
        return super().networks(game) if issubclass(game.game, BoardGame) else {}

    @classmethod
    def estimate_bytes(cls, config: ImitationConfig, decoder: Any) -> int:
        """The learners with their moments, and the games and their positions."""
        code = decoder.game.code
        position = 48 + 8 * seen_words(code) + int(code.MOVES) // 8
        games = config.max_teacher_games * int(code.LONGEST) * position
        return COPIES * 12 * config.individuals * int(decoder.genes) + games

    def check_ready(self) -> None:
        """Make the teacher, unless it is a file: that is read once, as a run begins."""
        if not self.config.teacher.startswith(STORED):
            _ = self._teacher

    def initial(self, seed: int) -> ImitationState:
        """Learners who know nothing, and no games."""
        config, genes = self.config, self.decoder.genes
        generator = derive_generator(seed, 0, "initialisation")
        population = self.decoder.initialise(config.individuals, config.initialisation, generator)
        memory = np.zeros((config.individuals, 2, genes), dtype=np.float32)
        none = np.zeros((0, 1), dtype=np.int32)
        return ImitationState(seed, 0, population, memory, none, none, np.zeros(0, np.uint64))

    def find_mismatch(self, state: ImitationState) -> str | None:
        """Compares the shapes of the arrays with the configuration."""
        if told := self.find_other_genes(state.population, self.decoder.genes):
            return told
        shape = self.config.individuals, 2, self.decoder.genes
        if state.memory.shape != shape or state.memory.dtype != np.float32:
            return f"its memory has shape {state.memory.shape}, not {shape}"
        games, plies = state.played.shape if state.played.ndim == 2 else (-1, 0)
        if state.chosen.shape != (games, plies) or state.seeds.shape != (games,) or not plies:
            return "its games, choices and seeds do not fit together"
        moves = int(self.decoder.game.code.MOVES)
        for array in (state.played, state.chosen):
            least, most = array.min(initial=-1), array.max(initial=0)
            if array.dtype != np.int32 or least < -1 or most >= moves:
                return "its games have moves that are none"
        return None

    def step(self, state: ImitationState, arena: Arena) -> tuple[ImitationState, Report]:
        """Lets the teacher play, and the learners learn.

        Raises:
            DivergedError: The weights of one of them are no numbers any more.
            BadValueError: The file of games can't be read, or has none.
        """
        before = len(state.played)
        state = self._add_games(state, arena)
        games = len(state.played) - before
        if self.config.teacher.startswith(STORED):
            games = 0  # nobody played them
        arena.games += games
        outputs = arena.executor.do(self.make_work(state))
        lost = np.flatnonzero(~np.isfinite(outputs[0]).all(axis=1))
        if len(lost):
            self.face_lost(state, outputs, lost)
        after, statistics = self.update(state, outputs)
        statistics["agreement"] = self._find_agreement(after, arena)
        return after, Report(state.generation, games, statistics)

    def make_work(self, state: ImitationState) -> Work:
        """A learner is a part; all learn the same positions."""
        config, decoder = self.config, self.decoder
        rows = self._draw_rows(state)
        learners, genes = state.population.shape
        return Work(
            kernel="evolve_arena.evolve.imitation:teach_part",
            inputs=(
                state.population,
                state.memory.reshape(learners, 2 * genes),
                *rows,
                decoder.board.index.astype(np.int64),
                decoder.board.factor.astype(np.float32),
            ),
            outputs=(
                ("float32", (learners, genes)),
                ("float32", (learners, 2 * genes)),
                ("float64", (learners,)),
            ),
            options={
                "game": decoder.game.name,
                "rules": list(decoder.game.rules),
                "hidden": list(decoder.hidden),
                "activation": decoder.activation,
                "inputs": decoder.inputs,
                "outputs": decoder.outputs,
                "drill": [config.batch_size, config.learning_rate],
                "values": decoder.head == "value",
                "steps": state.generation * config.batches,
            },
            coarse=True,
        )

    def update(
        self, state: ImitationState, outputs: Sequence[NDArray[Any]]
    ) -> tuple[ImitationState, dict[str, float]]:
        """The networks that have learned, and their mean loss."""
        population, memory, losses = outputs
        rows = self.config.batch_size * self.config.batches
        statistics = {
            "loss": float(losses.mean() / rows),
            "teacher_games": float(len(state.played)),
            "plies": float((state.played >= 0).sum() / max(1, len(state.played))),
        }
        after = replace(
            state,
            generation=state.generation + 1,
            population=population,
            memory=memory.reshape(state.memory.shape),
        )
        return after, statistics

    def describe(self, state: ImitationState) -> dict[str, Any]:
        """Individuals, genes of each, games to learn from, and the steps taken."""
        individuals, genes = state.population.shape
        steps = state.generation * self.config.batches
        games = len(state.played)
        return {"individuals": individuals, "genes": genes, "games": games, "steps": steps}

    # Games

    @cached_property
    def _teacher(self) -> CompiledPlayer:
        """The player that is imitated.

        Raises:
            BadValueError: The specification names nobody, or a program or a class of somebody's.
        """
        hint = "; let it play a duel with --keep-games FILE.jsonl, and write games:FILE.jsonl"
        return make_compiled(self.config.teacher, self.decoder.game, "method.teacher", hint)

    def _add_games(self, state: ImitationState, arena: Arena) -> ImitationState:
        """The *state* with the games of this generation: those of a file, or new ones."""
        config = self.config
        if config.teacher.startswith(STORED):
            return state if len(state.played) else self._read_games(state)
        count = min(config.teacher_games, config.max_teacher_games - len(state.played))
        if count <= 0:
            return state
        seeds = derive_seeds(state.seed, state.generation, "the teacher's games", count)
        played = np.full((count, int(self.decoder.game.code.LONGEST)), -1, dtype=np.int32)
        rows = np.zeros(count, dtype=np.int64)
        played, chosen = self._play(
            arena, self._teacher.packed, rows, seeds, played, config.exploration
        )
        return _join_games(state, played, chosen, seeds)

    def _read_games(self, state: ImitationState) -> ImitationState:
        """The *state* with the games of a file."""
        path = self.config.teacher.removeprefix(STORED).strip()
        try:
            games = list(load(READER)(path, self.decoder.game))
        except ArenaError as error:
            raise BadValueError(f"method.teacher: {error}") from None
        if not games:
            raise BadValueError(f"method.teacher: {quote(path)} has no games")
        longest = max(1, *(len(game.moves) for game in games))
        played = np.full((len(games), longest), -1, dtype=np.int32)
        for row, game in zip(played, games, strict=True):
            row[: len(game.moves)] = game.moves
        seeds = np.array([game.seed % 2**64 for game in games], dtype=np.uint64)
        return _join_games(state, played, played, seeds)

    def _play(
        self,
        arena: Arena,
        packed: PackedPlayers,
        rows: NDArray[np.int64],
        seeds: NDArray[np.uint64],
        played: NDArray[np.int32],
        exploration: float,
    ) -> list[NDArray[np.int32]]:
        """Moves and choices in games of packed players; see `matches.record_matches`."""
        game = self.decoder.game
        work = Work(
            kernel="evolve_arena.evolve.imitation:play_part",
            inputs=(*packed, rows, seeds, played),
            outputs=(("int32", played.shape), ("int32", played.shape)),
            options={"game": game.name, "rules": list(game.rules), "exploration": exploration},
            fewest=4,
        )
        return arena.executor.do(work)

    def _find_agreement(self, state: ImitationState, arena: Arena) -> float:
        """The share of the teacher's choices that are the learners', in games held out.

        If there are no such games yet, in the others.
        """
        held = self._find_held_out(len(state.played))
        games = np.flatnonzero(held if held.any() else ~held)[:MOST_COMPARED]
        learners = len(state.population)
        played = np.tile(state.played[games], (learners, 1))
        rows = np.repeat(np.arange(learners), len(games))
        seeds = np.tile(state.seeds[games], learners)
        packed = self.decoder.pack(state.population)
        _, chosen = self._play(arena, packed, rows, seeds, played, 0.0)
        wanted = np.tile(state.chosen[games], (learners, 1))
        asked = (wanted >= 0) & (chosen >= 0)
        return float((chosen == wanted)[asked].mean()) if asked.any() else 0.0

    def _find_held_out(self, games: int) -> NDArray[np.bool_]:
        """The games, by number, that nobody learns from."""
        every = self.config.held_out
        numbers = np.arange(games)
        return numbers % every == every - 1 if every > 1 else np.zeros(games, dtype=np.bool_)

    # Positions

    def _draw_rows(self, state: ImitationState) -> Rows:
        """The positions that are learned in a generation, each drawn at random from all."""
        rows = self._list_rows(state)
        held = self._find_held_out(len(state.played))
        usable = np.flatnonzero(~held[rows.games])
        if not len(usable):  # before the first game
            return _take(rows, usable)
        generator = derive_generator(state.seed, state.generation, "positions")
        drawn = generator.integers(0, len(usable), self.config.batch_size * self.config.batches)
        return _take(rows, usable[drawn])

    def _list_rows(self, state: ImitationState) -> Rows:
        """All positions of the games of a *state*; those of games known already are kept."""
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
    """The positions of the games of a *state* from number *first* on, as networks see them.

    Raises:
        GameFileError: The rules did what no game may do.
    """
    game = decoder.game
    code, *_, lessons = specialise_board(game.place, game.rules, (LESSONS,))
    played, chosen = state.played[first:], state.chosen[first:]
    most = int((chosen >= 0).sum()) + 1
    rows = _make_rows(code, lessons, most)
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
    return _take(rows._replace(seen=rows.seen[:-SPARE_WORDS]), np.arange(count))


def teach_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """A kernel of `evolve_arena.arena.work`; see :meth:`Imitation.make_work`."""
    population, memory, *arrays, index, factor = inputs
    game: Any = find_game(options["game"]).game
    made = game(**game.make_rules(*options["rules"])._asdict())
    code, *_, lessons = specialise_board(game.place, made.rules, (LESSONS,))
    batch, rate = options["drill"]
    drill = Drill(batch, np.float32(rate), options["values"])
    hidden = tuple(options["hidden"])
    layers = new_layers(MLP(options["inputs"], hidden, options["outputs"], options["activation"]))
    rows, room = Rows(*arrays), make_room(code, index, factor)
    rates = np.ones(len(layers.rows), dtype=np.float32)
    moments = np.zeros((2, len(layers.weights)), dtype=np.float32)
    gradient = np.zeros(len(layers.weights), dtype=np.float32)
    taught = (drill, layers, moments, gradient, rates, options["steps"])
    if part.start == part.stop:  # only to compile
        lessons.learn_rows(*taught, _take(rows, np.zeros(0, dtype=np.int64)), room)
    for row in range(part.start, part.stop):
        gradient[:] = 0.0
        pad_numbers(layers, population[row], layers.weights)
        for moment, kept in zip(moments, np.split(memory[row], 2), strict=True):
            pad_numbers(layers, kept, moment)
        outputs[2][row] = lessons.learn_rows(*taught, rows, room)
        unpad_numbers(layers, layers.weights, outputs[0][row])
        for moment, kept in zip(moments, np.split(outputs[1][row], 2), strict=True):
            unpad_numbers(layers, moment, kept)


def play_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """A kernel of `evolve_arena.arena.work`; see :meth:`Imitation._play`."""
    spec = find_game(options["game"])
    rules = spec.game.make_rules(*options["rules"])
    *players, rows, seeds, given = inputs
    packed = PackedPlayers(*players)
    played, chosen = (array[part] for array in outputs)
    played[:], chosen[:] = given[part], -1
    workspace = spec.kernel.make_workspace(rules, packed)
    variant: Any = find_variant(spec, rules, packed)["matches"]
    variant.record_matches(
        *(packed, rows[part], seeds[part], float(options["exploration"])),
        *(workspace, played, chosen),
    )
    game: Any = spec.game(**rules._asdict())
    game.refuse_faults(workspace.states, workspace.planes)


def make_room(code: Any, index: NDArray[Any], factor: NDArray[Any]) -> LessonRoom:
    """Room for a position of a compiled game, whose bits raise inputs as `Encoding` says."""
    bits = count_changes(code)
    return LessonRoom(
        inputs_of_bits=np.array(index, dtype=np.int64),
        factors=np.array(factor, dtype=np.float32),
        sources=np.zeros(bits, dtype=np.int64),
        inputs=np.zeros(bits, dtype=np.float32),
        bits=np.zeros(bits, dtype=np.int64),
        moves=np.zeros(2 * code.MOVES, dtype=np.int64),
        chance=np.zeros(1, dtype=np.uint64),
        states=make_states(code, 2),
    )


def _make_rows(code: Any, lessons: Any, count: int) -> Rows:
    """Room for so many positions."""
    return Rows(
        seen=np.zeros(count * seen_words(code) + SPARE_WORDS, dtype=np.uint64),
        allowed=np.zeros(count * int(lessons.MOVE_WORDS), dtype=np.uint64),
        moves=np.zeros(count, dtype=np.int64),
        seats=np.zeros(count, dtype=np.int64),
        targets=np.zeros(count, dtype=np.float32),
        games=np.zeros(count, dtype=np.int64),
    )


def _take(rows: Rows, places: NDArray[np.int64]) -> Rows:
    """The rows at these *places*."""
    count = max(1, len(rows.games))
    return _change_rows(
        rows, lambda array: array.reshape(count, -1)[places].ravel() if len(places) else array[:0]
    )


def _change_rows(rows: Rows, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Rows:
    arrays: list[Any] = [change(array) for array in rows]
    return Rows(*arrays)


def _begins_with(state: ImitationState, known: ImitationState) -> bool:
    """Test if the games of a *state* begin with those of another."""
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
    """The *state* with more games; there are no more columns than the longest one needs."""
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
