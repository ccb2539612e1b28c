"""The method ``td``: value networks that learn by playing, by TD(λ).

In any game that is a file of rules, for any number of players, against themselves or fixed
opponents. A study may have a method of that name for its game instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.work import Work
from evolve_arena.core.game import GameSpec
from evolve_arena.core.registry import find_game, game_of
from evolve_arena.core.seeding import derive_generator, derive_seeds
from evolve_arena.evolve.learning.backprop import new_pupil
from evolve_arena.evolve.learning.layers import new_layers, pad_numbers, unpad_numbers
from evolve_arena.evolve.learning.learner import Learner, pack_opponents
from evolve_arena.evolve.learning.network_learning import NetworkWorkspace
from evolve_arena.evolve.learning.tuple_learning import (
    DRAWS,
    ERROR,
    FIGURES,
    FIRST_WINS,
    PLIES,
    LearningSettings,
)
from evolve_arena.evolve.settings.learning import TdConfig, TemporalConfig, ValueNetworkConfig
from evolve_arena.genomes.mlp import MLP
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import specialise_board
from evolve_arena.players.board.workspace import (
    SPARE_WORDS,
    count_changes,
    counted_size,
    make_notes,
    make_states,
    seen_words,
)
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.packed import PackedPlayers

OPPONENTS = "evolve_arena.evolve.learning.opponents"
RETURNS = "evolve_arena.evolve.learning.returns"
LESSONS = "evolve_arena.evolve.learning.network_learning"


@dataclass(frozen=True, eq=False)
class LearnerState:
    """Everything that the future of a run depends on."""

    seed: int
    generation: int
    population: NDArray[np.float32]
    """Shape ``(individuals, genes)``."""


class VectorLearner(Learner[LearnerState]):
    """Base of the learning methods whose learners are vectors of weights.

    Raises:
        UnknownNameError: There is no such initialisation.
    """

    genome_kind = "vector"
    state_type = LearnerState
    kernel: ClassVar[str]
    """A kernel of `evolve_arena.arena.work` that plays and learns; see :meth:`arrange`."""
    purpose: ClassVar[str] = "games"
    """What the seeds of games are derived for."""

    def __init__(self, config: Any, decoder: Any) -> None:
        super().__init__(config, decoder)
        self.draw(0, np.random.default_rng(0))

    def draw(self, count: int, generator: np.random.Generator) -> NDArray[np.float32]:
        """The first weights of so many learners."""
        genomes: NDArray[np.float32] = self.decoder.initialise(
            count, self.config.initialisation, generator
        )
        return genomes

    def initial(self, seed: int) -> LearnerState:
        """Learners who know nothing yet."""
        generator = derive_generator(seed, 0, "initialisation")
        return LearnerState(seed, 0, self.draw(self.config.individuals, generator))

    def find_mismatch(self, state: LearnerState) -> str | None:
        """Compares the shape of the population with the configuration."""
        return self.find_other_genes(state.population, self.decoder.genes)

    def arrange(
        self, state: LearnerState, inputs: Sequence[NDArray[Any]], options: Mapping[str, Any]
    ) -> Work:
        """Work of which a learner's games of one generation are a part; see :func:`each_learner`.

        Its *inputs* follow the weights and seeds, and its *options* the game.
        """
        learners, game = len(state.population), self.decoder.game
        seeds = derive_seeds(state.seed, state.generation, self.purpose, learners)
        return Work(
            kernel=self.kernel,
            inputs=(state.population, seeds, *inputs),
            outputs=(("float32", state.population.shape), ("float64", (learners, FIGURES))),
            options={"game": game.name, "rules": list(game.rules), **options},
            coarse=True,
            games=self.config.games,
        )

    def epsilon_at(self, generation: int) -> float | None:
        """The share of random moves in a *generation*, if its report is to have it."""
        return None

    def update(
        self, state: LearnerState, outputs: Sequence[NDArray[Any]]
    ) -> tuple[LearnerState, dict[str, float]]:
        """The weights after the games, and means over all of these."""
        population, figures = outputs
        sums = figures.sum(axis=0)
        statistics = self.describe_games(
            error=sums[ERROR], plies=sums[PLIES], first_wins=sums[FIRST_WINS], draws=sums[DRAWS]
        )
        epsilon = self.epsilon_at(state.generation)
        if epsilon is not None:
            statistics["epsilon"] = epsilon
        after = replace(state, generation=state.generation + 1, population=population)
        return after, statistics

    def describe(self, state: LearnerState) -> dict[str, Any]:
        """Individuals, genes of each, and the games that each has learned from."""
        individuals, genes = state.population.shape
        games = state.generation * self.config.games
        return {"individuals": individuals, "genes": genes, "games_learned": games}


def each_learner(
    inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]], part: slice
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.uint64], NDArray[np.float64]]]:
    """The learners of a *part* of the work that :meth:`VectorLearner.arrange` makes.

    Of each its weights, which are to be changed, the stream of its games, and their figures. If the
    part is empty, so that its kernel is only to be compiled, there is one who must not play.
    """
    population, seeds, *_ = inputs
    if part.start == part.stop:
        yield population[0].copy(), seeds[:1].copy(), np.zeros(FIGURES)
    for row in range(part.start, part.stop):
        genes, figures = outputs[0][row], outputs[1][row]
        genes[:], figures[:] = population[row], 0.0
        yield genes, seeds[row : row + 1].copy(), figures


def find_game_of(options: Mapping[str, Any]) -> Any:
    """The game of the *options* that :meth:`VectorLearner.arrange` gives work."""
    return game_of(find_game(options["game"]).game.make_rules(*options["rules"]))


class TemporalLearner(VectorLearner):
    """Base of the methods whose networks learn from differences in time.

    Each of them plays a generation's games, against itself or others, and learns from them.
    """

    rate = "method.rate_scale"
    network_kind = "mlp"
    purpose = "learning"
    config: TemporalConfig

    def __init__(self, config: TemporalConfig, decoder: Any) -> None:
        super().__init__(config, decoder)
        self._opponents = pack_opponents(config.opponents, decoder.game)

    @classmethod
    def networks(cls, game: GameSpec) -> dict[str, type[BredPlayer]]:
        """Multilayer perceptrons of games in one file."""
        return super().networks(game) if issubclass(game.game, BoardGame) else {}

    def make_work(self, state: LearnerState) -> Work:
        """A learner's games of one generation are a part."""
        config, decoder = self.config, self.decoder
        bits = decoder.inputs_of_bits
        learning = LearningSettings(
            games=config.games,
            step=0.0,
            decay=config.trace_decay,
            discount=config.discount,
            exploration=config.exploration,
            damped=float(getattr(config, "gradient", "") == "squared"),
        )
        options = {
            "sizes": list(decoder.mlp.sizes),
            "activation": decoder.activation,
            "learning": list(learning),
            "rates": [config.rate_scale / size for size in decoder.mlp.sizes[:-1]],
            "features": decoder.encoding == "features",
        }
        inputs = bits[:, 0].astype(np.int64), bits[:, 1].astype(np.float32), *self._opponents
        return self.arrange(state, inputs, options)

    def epsilon_at(self, generation: int) -> float:
        """The share of random moves, in all generations."""
        return self.config.exploration


class Td(TemporalLearner):
    """Lets value networks play and learn by temporal differences."""

    name = "td"
    config_type = TdConfig
    network_type = ValueNetworkConfig
    kernel = "evolve_arena.evolve.td:teach_part"
    takes_features = True


class Lesson(NamedTuple):
    """The rules of a game and what teaches by them, compiled, and the opponents."""

    game: BoardGame
    code: Any
    """The rules, compiled."""
    lessons: Any
    """The module that teaches by them."""
    opponents: Any
    """See `opponents.seat_opponents`."""

    def share(self, workspace: Any) -> Any:
        """A learner's *workspace* with the states and wins on which opponents play, too."""
        if not self.opponents:
            return workspace
        room = self.opponents[2]
        return workspace._replace(states=room.states, wins=room.wins)

    def refuse_faults(self, states: NDArray[Any], *seen: NDArray[Any]) -> None:
        """Looks at what the rules noted while they were used, by opponents, too.

        Raises:
            GameFileError: They did what no game may do.
        """
        self.game.refuse_faults(states, *seen)
        if self.opponents:
            self.game.refuse_faults(states, self.opponents[2].planes, self.opponents[2].values)


def make_lesson(game: BoardGame, against: Sequence[Any], *modules: str, **flags: bool) -> Lesson:
    """Compile what teaches in a *game*.

    Args:
        game: With its options.
        against: What `pack_opponents` gave.
        modules: What teaches comes last, behind what it needs.
        flags: Constants of these modules.
    """
    packed = PackedPlayers(*against[1:]) if against else None
    needed = OPPONENTS, *modules
    code, *_, lessons = specialise_board(game.place, game.rules, needed, packed, flags)
    opponents = None
    if packed:
        room = find_game(game.name).kernel.make_workspace(game.rules, packed)
        opponents = packed, against[0], room
    return Lesson(game, code, lessons, opponents)


def read_options(
    options: Mapping[str, Any],
) -> tuple[BoardGame, LearningSettings, NDArray[np.float32]]:
    """The game, the settings, and the rate of each layer, of :meth:`TemporalLearner.make_work`."""
    rates = np.array(options["rates"], dtype=np.float32)
    return find_game_of(options), LearningSettings(*options["learning"]), rates


def teach_part(
    options: Mapping[str, Any],
    inputs: Sequence[NDArray[Any]],
    outputs: Sequence[NDArray[Any]],
    part: slice,
) -> None:
    """A kernel of `evolve_arena.arena.work`; see :meth:`TemporalLearner.make_work`."""
    _, _, index, factor, *against = inputs
    first, *hidden, last = options["sizes"]
    flags = {"COUNTS_FEATURES": bool(options["features"]), "HAS_LAYERS": len(hidden) != 1}
    game, learning, rates = read_options(options)
    lesson = make_lesson(game, against, RETURNS, LESSONS, **flags)
    pupil: Any
    if has_layers := flags["HAS_LAYERS"]:
        pupil = new_layers(MLP(first, tuple(hidden), last, options["activation"]))
    else:
        pupil = new_pupil(first, hidden[0])
    width = 0 if has_layers else pupil.width
    workspace = lesson.share(_make_workspace(lesson.code, width, index, factor))
    if part.start == part.stop:
        learning = learning._replace(games=0)
    for genes, stream, figures in each_learner(inputs, outputs, part):
        if has_layers:
            pad_numbers(pupil, genes, pupil.weights)
        given = learning, rates, pupil, genes, stream, workspace, figures
        lesson.lessons.teach(*given, lesson.opponents)
        if has_layers:
            unpad_numbers(pupil, pupil.weights, genes)
        seen = workspace.seen if has_layers else workspace.planes
        lesson.refuse_faults(workspace.states, seen, workspace.counted)


def _make_workspace(
    code: Any, width: int, index: NDArray[Any], factor: NDArray[Any]
) -> NetworkWorkspace:
    """Room for a game by the rules of a compiled module, of networks so wide."""
    words, bits, plies = seen_words(code), count_changes(code), code.LONGEST + 1
    features = int(code.FEATURE_COUNT)
    return NetworkWorkspace(
        inputs_of_bits=np.array(index),
        factors=np.array(factor),
        sums=np.zeros((code.SEATS + 1) * width, dtype=np.float32),
        sources=np.arange(max(bits, features), dtype=np.int64),
        inputs=np.zeros(max(bits, features), dtype=np.float32),
        seen=np.zeros(plies * words + SPARE_WORDS, dtype=np.uint64),
        values=np.zeros(plies, dtype=np.float32),
        explored=np.zeros(plies, dtype=np.uint8),
        movers=np.zeros(plies, dtype=np.int64),
        ends=np.zeros(3 * code.SEATS, dtype=np.float32),
        moves=np.zeros(2 * code.MOVES, dtype=np.int64),
        wins=np.zeros(2 * code.MOVES, dtype=np.int64),
        planes=np.zeros((code.SEATS + 1) * words + 8, dtype=np.uint64),
        changes=np.zeros(bits, dtype=np.int64),
        states=make_states(code, 2),
        counted=np.zeros(counted_size(code)),
        features=np.zeros(plies * features, dtype=np.float32),
        notes=make_notes(code),
    )
