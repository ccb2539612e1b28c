"""The base of all learning methods: a population of learners that learn independently.

A generation is a number of games that every learner plays and learns from. Each learner is one part
of a task, so that executors train learners in parallel.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.batch import Pairings, Results, seat_players
from evolve_arena.arena.pairings import (
    both_colours,
    gauntlet,
    longest_opening,
    over_openings,
    random_openings,
    random_opponents,
)
from evolve_arena.arena.tasks import Task
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.game import AnyGame, Config
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.types import Array
from evolve_arena.evolve.learning.tuple_learning import (
    DRAWS,
    ERROR,
    FIRST_WINS,
    PLIES,
    TDSettings,
)
from evolve_arena.evolve.matches import sum_points
from evolve_arena.evolve.method import Method, Report, State
from evolve_arena.players.packed import PackedPlayers, combine_players
from evolve_arena.players.player import CompiledPlayer
from evolve_arena.players.specification import make_player

S = TypeVar("S", bound=State)

SELF = "self"
"""Name of the learner itself in a list of opponents."""
MAX_PLIES = 4
"""Random plies that matches among learners begin with, if the game allows as many."""


class DivergedError(ArenaError):
    """Raised if a learner's weights are no longer finite."""


class Learner(Method[S]):
    """Base of the learning methods.

    Raises:
        BadValueError: There are several learners in a game for more than two players, or the
            opponent of the final is unknown or not compiled.
    """

    config: Any
    """The settings, a `SharedLearnerConfig`."""
    rate: ClassVar[str]
    """Recipe key that a user should lower if learning diverges."""
    takes_features: ClassVar[bool] = False
    """True if the method can teach networks whose inputs are the features of a game's file."""

    @classmethod
    def make_decoder(cls, game: AnyGame, network: Config, config: Any) -> Any:
        """Return the maker of players from genomes.

        Args:
            game: The game that learners play.
            network: An instance of the model of :meth:`network_section`.
            config: An instance of :attr:`config_type`.

        Raises:
            BadValueError: The network has features as inputs, or a shortcut, and the method can't
                teach such networks.
        """
        decoder = super().make_decoder(game, network, config)
        if getattr(decoder, "encoding", "") == "features" and not cls.takes_features:
            raise BadValueError(
                f"network.encoding is 'features': the method {cls.name!r} teaches what sees the"
                " board, such as 'planes'"
            )
        if getattr(decoder, "shortcut", False):
            raise BadValueError(f"network.shortcut: the method {cls.name!r} can't teach with it")
        return decoder

    def __init__(self, config: Any, decoder: Any) -> None:
        super().__init__(config, decoder)
        if decoder.game.seats > 2 and config.individuals > 1:
            raise BadValueError(
                f"method.individuals is {config.individuals}: where more than two play, one learns"
            )
        self._judge = (
            self._make_judge() if config.final.opponent and config.individuals > 1 else None
        )

    @abstractmethod
    def make_task(self, state: S) -> Task:
        """Return the task of the next games of all learners; its first output is their weights."""

    @abstractmethod
    def update(self, state: S, outputs: Sequence[Array]) -> tuple[S, dict[str, float]]:
        """Return the state after a task with these *outputs*, and statistics of its games."""

    def step(self, state: S, arena: Arena) -> tuple[S, Report]:
        """Let every learner play and learn.

        Raises:
            DivergedError: A learner's weights are no longer finite.
        """
        outputs = self.learn(state, arena)
        after, statistics = self.update(state, outputs)
        games = self.config.individuals * self.config.games
        return after, Report(state.generation, games, statistics)

    def learn(
        self, state: S, arena: Arena, settings: Sequence[TDSettings] | None = None
    ) -> Sequence[Array]:
        """Let every learner play and learn, and return the outputs of the task.

        Args:
            state: State before the games.
            arena: Arena whose executor runs the task.
            settings: Settings of each learner, for temporal-difference learners; those of the
                recipe if None.

        Raises:
            DivergedError: A learner's weights are no longer finite.
        """
        made: Any = self.make_task
        outputs = arena.executor.run(made(state, settings) if settings else made(state))
        lost = np.flatnonzero(~np.isfinite(outputs[0]).all(axis=1))
        if len(lost):
            self.handle_divergence(state, outputs, lost)
        arena.games_played += self.config.individuals * self.config.games
        return outputs

    def handle_divergence(
        self, state: S, outputs: Sequence[Array], lost: NDArray[np.int64]
    ) -> None:
        """Handle weights that are no longer finite: by default the run ends.

        Args:
            state: State before the task.
            outputs: Outputs of the task, which may be changed in place.
            lost: Rows of the first output with such weights.

        Raises:
            DivergedError: Always, unless a subclass overrides this.
        """
        learner = lost[0] * self.config.individuals // len(outputs[0])
        raise DivergedError(
            f"learner {learner}: its weights grew beyond all bounds in generation "
            f"{state.generation}; lower {self.rate}"
        )

    def describe_games(
        self, *, error: float, plies: float, first_wins: float, draws: float
    ) -> dict[str, float]:
        """Return figures about a generation's games, from sums over all games of all learners.

        Args:
            error: Absolute differences between values and targets.
            plies: Plies that were played.
            first_wins: Games that the first player won.
            draws: Games that were drawn.
        """
        games = self.config.games * self.config.individuals
        return {
            "error": float(error / max(1.0, plies)),
            "first_wins": float(first_wins / games),
            "draws": float(draws / games),
            "plies": float(plies / games),
        }

    def sum_figures(self, figures: Array) -> dict[str, float]:
        """Return figures about a generation's games, from rows of `tuple_learning.FIGURES`."""
        sums = figures.sum(axis=0)
        return self.describe_games(
            error=sums[ERROR], plies=sums[PLIES], first_wins=sums[FIRST_WINS], draws=sums[DRAWS]
        )

    def champion(self, state: S, arena: Arena) -> tuple[Any, Report]:
        """Return the learner with most points in the final; a single learner plays no final."""
        genomes = self.candidates(state)
        count = len(genomes)
        if count == 1:
            return genomes[0], Report(state.generation, 0, {"points": 0.0, "matches": 0.0})
        meet = self.meet_one_another if self._judge is None else self._meet_judge
        results, pairings = meet(state, arena, genomes)
        points, played = sum_points(results, pairings, int(pairings.max()) + 1, 0.5)
        best = int(np.argmax(points[:count]))
        figures = {"points": float(points[best]), "matches": float(played[best])}
        return genomes[best], Report(state.generation, len(pairings), figures)

    def meet_one_another(self, state: S, arena: Arena, genomes: Any) -> tuple[Results, Pairings]:
        """Play a round robin, or random pairings of many learners, in both colours per opening.

        Args:
            state: State, whose seed and generation decide the openings.
            arena: Arena for the matches, which counts them.
            genomes: The learners as they play.

        Returns:
            The results, and the rows of the players of each match, shape ``(matches, 2)``.
        """
        game, seeded = self.decoder.game, (state.seed, state.generation)
        rounds = max(1, self.config.final.games // 2)
        drawn = derive_seeds(*seeded, "who meets whom", 1)
        pairings = both_colours(random_opponents(len(genomes), rounds, drawn))
        rounds = max(1, rounds // (len(pairings) // len(genomes)))
        plies = min(MAX_PLIES, longest_opening(game))
        openings = random_openings(game, plies, rounds, state.seed, generation=state.generation)
        seeds = np.tile(derive_seeds(*seeded, "judge", rounds), len(pairings))
        pairings, openings = over_openings(pairings, openings)
        pairings = seat_players(pairings, find_game(game.name).most_seats)
        return arena.play(genomes, pairings, seeds, openings), pairings

    def _meet_judge(self, state: S, arena: Arena, genomes: Any) -> tuple[Results, Pairings]:
        assert self._judge is not None
        order = np.arange(len(genomes) + 1, dtype=np.int32)
        pairings = both_colours(gauntlet(order[:-1], order[-1:]))
        pairings = np.repeat(pairings, max(1, self.config.final.games // 2), axis=0)
        seeds = derive_seeds(state.seed, state.generation, "judge", len(pairings))
        return arena.play(genomes, pairings, seeds, others=[self._judge]), pairings

    def _make_judge(self) -> PackedPlayers:
        assert self.config.final.opponent
        return make_compiled(
            self.config.final.opponent, self.decoder.game, "method.final.opponent"
        ).packed


def pack_opponents(opponents: Sequence[str], game: AnyGame) -> tuple[Array, ...]:
    """Return the row of each of the *opponents*, -1 for the learner itself, and packed players.

    Return an empty tuple if there is no opponent but the learner itself.

    Raises:
        BadValueError: See :func:`make_compiled`; the key is ``method.opponents``.
    """
    named = [text for text in opponents if text != SELF]
    if not named:
        return ()
    packed = [make_compiled(text, game, "method.opponents").packed for text in named]
    rows = [-1 if text == SELF else named.index(text) for text in opponents]
    return (np.array(rows, dtype=np.int64), *combine_players(packed))


def make_compiled(specification: str, game: AnyGame, key: str, hint: str = "") -> CompiledPlayer:
    """Return the player that a *key* of a recipe names, for compiled matches.

    Args:
        specification: Specification of a player, such as ``minimax:depth=2``.
        game: Game that the player plays.
        key: Key of the recipe, for messages.
        hint: Advice in the message if the player is not compiled.

    Raises:
        BadValueError: The specification names no player, or one that is not compiled.
    """
    try:
        player = make_player(specification, game)
    except ArenaError as error:
        raise BadValueError(f"{key}: {error}") from None
    if not isinstance(player, CompiledPlayer):
        player.close()
        raise BadValueError(f"{key}: {specification} can't play compiled matches{hint}")
    return player
