"""The settings of the methods that learn: ``td``, ``q-learning``, ``td-tuples``, ``imitation``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from evolve_arena.core.game import Config


class FinalConfig(Config):
    """The section ``[method.final]``: matches that decide which of several learners is champion."""

    opponent: str | None = None
    """Player that all of them meet; if it is left out, they meet one another, draws a half."""
    games: int = Field(default=200, ge=2, le=100_000)
    """Games of each learner, colours balanced; among learners from random openings."""


class SharedLearnerConfig(Config):
    """The keys of ``[method]`` of all methods that learn."""

    individuals: int = Field(default=1, ge=1, le=1000)
    """Learners, side by side."""
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
    """γ: the worth of a result one move earlier; 1: just as much."""
    exploration: float = Field(default=0.1, ge=0.0, le=1.0)
    """ε: the share of moves that are played at random."""


class NetworkConfig(TemporalConfig):
    """The keys of those among them that teach multilayer perceptrons."""

    rate_scale: float = Field(default=0.3, gt=0.0, le=100.0)
    """Factor of the learning rates, which are 1 / units of the layer before: 1 / inputs in the
    first one."""
    initialisation: str = "fan-in"
    """See `evolve_arena.genomes.mlp.INITIALISATIONS`."""


class TdConfig(NetworkConfig):
    """The section ``[method]`` of the method ``td``."""

    name: Literal["td"] = "td"
    """The name of this method."""
    gradient: Literal["cross-entropy", "squared"] = "cross-entropy"
    """The error whose gradient a step goes down. That of the squared error has tanh's slope
    as a factor, so that what is thought certain is hardly ever learned anew."""


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
    """Plies that the champion looks ahead by alpha-beta, up to 12; 0: only at its moves."""
    rollouts: int = 0
    """Rollouts of Monte Carlo tree search over its values, for each move; 0: none."""


class QLearningConfig(NetworkConfig):
    """The section ``[method]`` of the method ``q-learning``."""

    name: Literal["q-learning"] = "q-learning"
    """The name of this method."""
    trace_decay: float = Field(default=0.5, ge=0.0, le=1.0)
    """λ: the share of a temporal difference that reaches one move farther back, as far as the moves
    were the best ones. 0: Watkins's Q-learning of single moves."""
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
    """The section ``[method.schedule]``: learning rate and running mean of tuple networks."""

    learning_rate: float = Field(default=0.004, ge=0.0, le=1.0)
    """α: the share of its error by which a table entry moves, at the start."""
    final_learning_rate: float | None = Field(default=None, ge=0.0, le=1.0)
    """The learning rate at the end of the schedule; if it is left out, it stays what it is."""
    games: int = Field(default=1_000_000, ge=1)
    """Games of a learner until the end of the schedule; the rate changes by the same difference
    per game."""

    averaging: float = Field(default=0.05, gt=0.0, le=1.0)
    """Weight with which each generation enters the running mean of the tables, which plays; 1: no
    mean at all."""

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
    """Shares of the games of each learner. They begin a generation with the same tables and are
    brought together at its end, so they can be played side by side. Their number is part of the
    result, the number of cores that play them is not."""
    schedule: ScheduleConfig = ScheduleConfig()
    """The learning rate, game by game, and the running mean of the tables."""
    explore_wins: bool = True
    """true: a random move may be played where another one wins at once; false: the win is played,
    and the file must list such moves (``wins``)."""
    gradient: Literal["cross-entropy", "squared"] = "cross-entropy"
    """The error whose gradient a step goes down. That of the squared error has tanh's slope
    as a factor, so that what is thought certain is hardly ever learned anew."""

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
    games that were kept: ``games:PATH.jsonl``."""
    teacher_games: int = Field(default=100, ge=1, le=100_000)
    """Games that it plays in a generation, while there are fewer than ``max_teacher_games``."""
    max_teacher_games: int = Field(default=2000, ge=1, le=1_000_000)
    """Games that it plays in all. Later generations only learn."""
    exploration: float = Field(default=0.1, ge=0.0, le=1.0)
    """The share of its moves that a random one replaces; the teacher's own is learned."""
    held_out: int = Field(default=10, ge=0, le=1000)
    """Interval of games that are held out: one in so many is not learned from, but measures the
    learners; 0: none."""
    batch_size: int = Field(default=64, ge=1, le=100_000)
    """Positions of one step."""
    batches: int = Field(default=200, ge=1, le=1_000_000)
    """Steps of a generation."""
    learning_rate: float = Field(default=0.002, gt=0.0, le=10.0)
    """The size of a step of Adam."""
    initialisation: str = "glorot"
    """See `evolve_arena.genomes.mlp.INITIALISATIONS`."""


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
    """Plies that the champion looks ahead by alpha-beta, up to 12; 0: only at its moves."""
    rollouts: int = 0
    """Rollouts of Monte Carlo tree search over its values, for each move; 0: none."""
