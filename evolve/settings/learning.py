"""The settings of the methods that learn: ``td``, ``q-learning``, ``td-tuples``, ``imitation``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from evolve_arena.core.game import Config


class FinalConfig(Config):
    """The section ``[method.final]``: matches that decide which of several learners is champion."""

    opponent: str | None = None
    """Player that all learners meet; if left out, they meet one another, a draw counting a half."""
    games: int = Field(default=200, ge=2, le=100_000)
    """Games of each learner, colours balanced; games among learners begin with random openings."""


class SharedLearnerConfig(Config):
    """The keys of ``[method]`` of all methods that learn."""

    individuals: int = Field(default=1, ge=1, le=1000)
    """Number of learners, which learn independently."""
    final: FinalConfig = FinalConfig()
    """Matches that decide which of several learners is the champion."""


class LearnerConfig(SharedLearnerConfig):
    """Settings of learners that play games themselves."""

    games: int = Field(default=1000, ge=1, le=1_000_000)
    """Games that each learner plays against itself in a generation."""


class TemporalConfig(LearnerConfig):
    """The keys that the sections ``[method]`` of temporal-difference learners share."""

    games: int = Field(default=2000, ge=1, le=1_000_000)
    """Games that each learner plays in a generation."""
    opponents: tuple[str, ...] = ()
    """Opponents in these games, by turns and from each seat: players that are compiled, such as
    ``minimax:depth=2`` or ``run:PATH``, and ``self``; without any it plays itself."""
    trace_decay: float = Field(default=0.8, ge=0.0, le=1.0)
    """λ: the share of a temporal difference that reaches one move farther back; 0: nothing, 1: all
    of it."""
    discount: float = Field(default=1.0, ge=0.0, le=1.0)
    """γ: the discount factor per move; 1: no discount."""
    exploration: float = Field(default=0.1, ge=0.0, le=1.0)
    """ε: the share of moves that are played at random."""


class NetworkConfig(TemporalConfig):
    """The keys of ``[method]`` of the temporal-difference methods for multilayer perceptrons."""

    rate_scale: float = Field(default=0.3, gt=0.0, le=100.0)
    """Factor of the learning rates, which are 1 / units of the layer before: 1 / inputs in the
    first one."""
    initialisation: str = "fan-in"
    """Distribution of the first weights; see `evolve_arena.genomes.mlp.INITIALISATIONS`."""


class StartsConfig(Config):
    """The section ``[method.schedule]`` of the method ``td``: the beginnings of its games."""

    random_starts: float = Field(default=0.0, ge=0.0, le=1.0)
    """Share of games that begin with random moves."""
    start_plies: int = Field(default=10, ge=1, le=1000)
    """The most random moves that a game begins with, if it does."""


class TdConfig(NetworkConfig):
    """The section ``[method]`` of the method ``td``."""

    name: Literal["td"] = "td"
    """The name of this method."""
    gradient: Literal["cross-entropy", "squared"] = "cross-entropy"
    """The error whose gradient a step goes down. That of the squared error has tanh's slope
    as a factor, so that values near -1 and 1 hardly change any more."""
    schedule: StartsConfig = StartsConfig()
    """Beginnings of games."""


class ValueNetworkConfig(Config):
    """The section ``[network]`` of the method ``td``."""

    head: Literal["value"] = "value"
    """One output, which scores every state that a move leads to."""
    encoding: str = "planes"
    """``planes``: an input for each cell and kind of piece. ``signed``: an input for each cell, 1
    for one's own piece and -1 for the opponent's. ``features``: the numbers that the file's
    ``features`` writes."""
    take_wins: bool = True
    """true: a move that wins the game is played at once."""
    hidden: tuple[int, ...] = (32,)
    """Units of each hidden layer, from the inputs on; ``[]``: a weight for each input."""
    activation: Literal["tanh"] = "tanh"
    """The function of the hidden units."""
    depth: int = 0
    """Depth of the champion's alpha-beta search in plies, up to 12; 0: it compares its moves."""
    rollouts: int = 0
    """Rollouts of Monte Carlo tree search over its values, for each move; 0: none."""


class LearnedMlpConfig(ValueNetworkConfig):
    """The section ``[network]`` of a multilayer perceptron beside other kinds of networks."""

    kind: Literal["mlp"] = "mlp"
    """The kind of network."""


class QLearningConfig(NetworkConfig):
    """The section ``[method]`` of the method ``q-learning``."""

    name: Literal["q-learning"] = "q-learning"
    """The name of this method."""
    trace_decay: float = Field(default=0.5, ge=0.0, le=1.0)
    """λ: the share of a temporal difference that reaches one move farther back, as long as moves
    were greedy; 0: Watkins's one-step Q-learning."""
    exploration: float = Field(default=0.2, ge=0.0, le=1.0)
    """ε: the share of moves that are played at random."""
    rate_scale: float = Field(default=1.0, gt=0.0, le=100.0)
    """Factor of the learning rates, which are 1 / units of the layer before: 1 / inputs in the
    first one."""


class ActionNetworkConfig(Config):
    """The section ``[network]`` of the method ``q-learning``."""

    head: Literal["policy"] = "policy"
    """An output for each move: its value. The legal move of the highest one is played."""
    encoding: str = "planes"
    """``planes``: an input for each cell and kind of piece. ``signed``: an input for each cell, 1
    for one's own piece and -1 for the opponent's."""
    hidden: tuple[int, ...] = (64,)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "tanh"
    """The function of the hidden units: ``sigmoid``, ``tanh`` or ``relu``."""


class ScheduleConfig(Config):
    """The section ``[method.schedule]``: what changes while tuple networks learn."""

    learning_rate: float = Field(default=0.004, ge=0.0, le=1.0)
    """α: the share of its error by which a table entry moves, at the start."""
    final_learning_rate: float | None = Field(default=None, ge=0.0, le=1.0)
    """The learning rate at the end of the schedule; if left out, the rate is constant."""
    games: int = Field(default=1_000_000, ge=1)
    """Games of a learner until the end of the schedule; the rate changes linearly."""

    averaging: float = Field(default=0.05, gt=0.0, le=1.0)
    """Weight of each generation in the running mean of the tables, with which champions play; 1: no
    averaging."""
    random_starts: float = Field(default=0.0, ge=0.0, le=1.0)
    """Share of games that begin with random moves, at the start."""
    final_random_starts: float = Field(default=0.0, ge=0.0, le=1.0)
    """That share at the end of the schedule; it changes linearly."""
    start_plies: int = Field(default=10, ge=1, le=1000)
    """The most random moves that a game begins with, if it does."""

    def find_starts(self, games: int) -> float:
        """Return the share of games with random starts of a learner that has played *games*."""
        start, end = self.random_starts, self.final_random_starts
        return start + (end - start) * min(1.0, games / self.games)

    def find_rate(self, games: int) -> float:
        """Return the learning rate of a learner that has played so many *games*."""
        start, end = self.learning_rate, self.final_learning_rate
        if end is None:
            return start
        return start + (end - start) * min(1.0, games / self.games)


class TdTuplesConfig(TemporalConfig):
    """The section ``[method]`` of the method ``td-tuples``."""

    name: Literal["td-tuples"] = "td-tuples"
    """The name of this method."""
    games: int = Field(default=20_000, ge=1, le=1_000_000)
    """Games that each learner plays in a generation; a multiple of ``shards``."""
    shards: int = Field(default=2, ge=1, le=64)
    """Number of parts of the games of each learner. They begin a generation with the same tables,
    which are merged at its end, so they can be played in parallel. Their number affects the
    result, the number of cores that play them does not."""
    schedule: ScheduleConfig = ScheduleConfig()
    """The learning rate, game by game, and the running mean of the tables."""
    explore_wins: bool = True
    """true: a random move may be played where another one wins at once; false: the win is played,
    and the file must list such moves (``wins``)."""
    gradient: Literal["cross-entropy", "squared"] = "cross-entropy"
    """The error whose gradient a step goes down. That of the squared error has tanh's slope
    as a factor, so that values near -1 and 1 hardly change any more."""

    @model_validator(mode="after")
    def _fit_together(self) -> TdTuplesConfig:
        if self.games % self.shards:
            raise ValueError(f"games is {self.games}, no multiple of the {self.shards} shards")
        return self


class ImitationConfig(SharedLearnerConfig):
    """The section ``[method]`` of the method ``imitation``."""

    name: Literal["imitation"] = "imitation"
    """The name of this method."""
    teacher: str = "mcts:rollouts=200"
    """The player that is imitated, such as ``minimax:depth=3``, ``run:PATH`` or ``file:PATH``; or
    games that were kept: ``games:PATH.jsonl``, or ``games:PATH.jsonl,player=you`` to learn the
    moves of one player alone."""
    teacher_games: int = Field(default=100, ge=1, le=100_000)
    """Games that the teacher plays in a generation, while it has played fewer than
    ``max_teacher_games``."""
    max_teacher_games: int = Field(default=2000, ge=1, le=1_000_000)
    """Games that the teacher plays in all; later generations only learn."""
    exploration: float = Field(default=0.1, ge=0.0, le=1.0)
    """Share of the teacher's moves that random ones replace; learners learn its own choices."""
    held_out: int = Field(default=10, ge=0, le=1000)
    """One in this many games is held out, not to learn from, but to measure learners; 0: none."""
    batch_size: int = Field(default=64, ge=1, le=100_000)
    """Positions per step."""
    batches: int = Field(default=200, ge=1, le=1_000_000)
    """Steps per generation."""
    learning_rate: float = Field(default=0.002, gt=0.0, le=10.0)
    """Learning rate of Adam."""
    initialisation: str = "glorot"
    """Distribution of the first weights; see `evolve_arena.genomes.mlp.INITIALISATIONS`."""


class ImitationNetworkConfig(Config):
    """The section ``[network]`` of the method ``imitation``."""

    head: Literal["policy", "value"] = "policy"
    """``policy``: an output for each move, the strongest legal one is played. ``value``: one
    output, which scores every state that a move leads to."""
    encoding: str = "planes"
    """``planes``: an input for each cell and kind of piece. ``signed``: an input for each cell, 1
    for one's own piece and -1 for the opponent's."""
    take_wins: bool = True
    """true: a move that wins the game is played at once; for the head ``value``."""
    hidden: tuple[int, ...] = (64,)
    """Units of each hidden layer, from the inputs on."""
    activation: str = "relu"
    """The function of the hidden units: ``sigmoid``, ``tanh`` or ``relu``."""
    depth: int = 0
    """Depth of the champion's alpha-beta search in plies, up to 12; 0: it compares its moves."""
    rollouts: int = 0
    """Rollouts of Monte Carlo tree search over its values, for each move; 0: none."""
