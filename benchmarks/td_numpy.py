"""The baseline: TD(λ) self-play of Connect Four as a good user of NumPy would write it.

It plays the games of the compiled method, from the same seeds, so both end with the same
weights, but for how sums round. Boards are Python integers; all moves of a position are valued
in one go, from sums that a disc changes by one row; a training step is two products of a vector
and a matrix and two outer products.
"""

from __future__ import annotations

import math

import numpy as np

from evolve_arena.core.stream import Stream, below, chance, new_stream
from evolve_arena.core.types import Array
from evolve_arena.players.board.networks import NetworkDecoder
from evolve_arena.studies.td_lambda.td_kernel import EXPLORATIONS, RANDOM_LESSONS, TDLambdaSettings

__all__ = ["NumpyLearner"]


class NumpyLearner:
    """A value network that plays itself and learns.

    Args:
        decoder: The network's decoder.
        genome: Its weights, shape ``(genes,)``.
        learning: Settings of play and learning.
        seed: Seed of its games.
        dtype: Type of the numbers with which it computes.
    """

    def __init__(
        self,
        decoder: NetworkDecoder,
        genome: Array,
        learning: TDLambdaSettings,
        seed: int,
        dtype: type[np.floating] = np.float32,
    ) -> None:
        self.rules = decoder.game.rules
        self.index = decoder.board.index
        self.bits = len(self.index) // 2
        self.factor = decoder.board.factor.astype(dtype)
        self.learning = learning
        self.rng: Stream = new_stream(seed)
        self.dtype = dtype
        inputs, (units,) = decoder.inputs, decoder.hidden
        split = inputs * units
        self.first = genome[:split].reshape(inputs, units).astype(dtype)
        self.first_biases = genome[split : split + units].astype(dtype)
        self.last = genome[split + units : -1].astype(dtype)
        self.last_bias = dtype(genome[-1])
        self.plies = 0
        self.error = 0.0
        self.seat = -1
        """Seat whose positions are learned from; both if -1."""

    @property
    def genome(self) -> Array:
        """The current weights, shape ``(genes,)``."""
        parts = [self.first.ravel(), self.first_biases, self.last, np.array([self.last_bias])]
        return np.concatenate(parts)

    def play_games(self, games: int) -> None:
        """Play *games* games and learn from each."""
        learning = self.learning
        for game in range(learning.played, learning.played + games):
            done = min(1.0, game / learning.epsilon_games)
            epsilon = (
                learning.epsilon_start + (learning.epsilon_end - learning.epsilon_start) * done
            )
            self._learn(*self._play(epsilon))

    def _play(self, epsilon: float) -> tuple[list[Array], list[float], list[float], int]:
        """Play a game; return views and values after plies, values of better moves, and result."""
        columns, rows = self.rules[:2]
        heights = [0] * columns
        discs = [0, 0]
        views = np.zeros((2, self.first.shape[0]), dtype=self.dtype)
        sums = np.stack([self.first_biases, self.first_biases])
        boards: list[Array] = []
        values: list[float] = []
        rivals: list[float] = []
        for ply in range(columns * rows):
            side = ply & 1
            moves = [column for column in range(columns) if heights[column] < rows]
            column, value, rival = self._choose(moves, heights, sums[side], discs[side], epsilon)
            cell = column * (rows + 1) + heights[column]
            heights[column] += 1
            discs[side] |= 1 << cell
            for viewer in range(2):
                feature = cell if viewer == side else self.bits + cell
                source, factor = self.index[feature], self.factor[feature]
                views[viewer, source] += factor
                sums[viewer] += factor * self.first[source]
            boards.append(views[side].copy())
            values.append(value)
            rivals.append(rival)
            if self._has_line(discs[side]):
                return boards, values, rivals, 1 - 2 * side
        return boards, values, rivals, 0

    def _choose(
        self, moves: list[int], heights: list[int], sums: Array, own: int, epsilon: float
    ) -> tuple[int, float, float]:
        """Return a column, its value, and the value of the best one if it was drawn instead."""
        learning = self.learning
        at_random = learning.exploration == EXPLORATIONS["epsilon"] and chance(self.rng) < epsilon
        taught = learning.random_lesson == RANDOM_LESSONS["played"]
        blind = at_random and learning.any_move and taught
        if blind:
            moves = [moves[below(self.rng, len(moves))]]
        cells = np.array([column * (self.rules.rows + 1) + heights[column] for column in moves])
        rows = self.first[self.index[cells]]
        rows *= self.factor[cells][:, None]
        rows += sums
        np.tanh(rows, out=rows)
        outputs = rows @ self.last + self.last_bias
        if blind:
            return moves[0], math.tanh(outputs[0]), math.nan
        place = -1
        if learning.take_wins and not at_random:
            wins = [k for k, cell in enumerate(cells) if self._has_line(own | 1 << int(cell))]
            place = wins[0] if wins else -1
        if place < 0:
            place = best = self._draw(outputs)
            if at_random:
                place = self._draw_other(best, len(outputs))
            if place != best:
                return moves[place], math.tanh(outputs[place]), math.tanh(outputs[best])
        return moves[place], math.tanh(outputs[place]), math.nan

    def _draw(self, outputs: Array) -> int:
        if self.learning.exploration == EXPLORATIONS["softmax"]:
            weights = np.exp(np.tanh(outputs.astype(np.float64)) / self.learning.temperature)
            limits = np.cumsum(weights / weights.sum())
            place = np.searchsorted(limits, chance(self.rng), side="right")
            return min(int(place), len(outputs) - 1)
        best = np.flatnonzero(outputs == outputs.max())
        return int(best[0] if len(best) == 1 else best[below(self.rng, len(best))])

    def _draw_other(self, best: int, count: int) -> int:
        places = [place for place in range(count) if self.learning.any_move or place != best]
        return places[below(self.rng, len(places))] if places else best

    def _learn(
        self, boards: list[Array], values: list[float], rivals: list[float], outcome: int
    ) -> None:
        plies = len(boards)
        targets = np.empty(plies)
        for side in range(min(2, plies)):
            places = range(side, plies, 2)
            over = (plies - 1) % 2 == side
            reward = outcome if side == 0 else -outcome
            targets[side::2] = self.find_targets(
                [values[p] for p in places], [rivals[p] for p in places], reward, over
            )
        order = list(range(plies))
        if self.learning.backward:
            order.reverse()
        if not self.learning.mixed:
            order.sort(key=lambda place: place % 2)
        if self.seat >= 0:
            order = [place for place in order if place % 2 == self.seat]
        for place in order:
            self._train(boards[place], targets[place])
            self.error += abs(float(targets[place]) - values[place])
        self.plies += plies

    def find_targets(
        self, values: list[float], rivals: list[float], reward: float, over: bool
    ) -> Array:
        """Return the targets of an episode; each temporal difference also changes earlier ones."""
        learning = self.learning
        targets = np.array(values)
        last = len(values) - 1
        since = 0  # surprises do not reach positions before this one
        for place, value in enumerate(values):
            if (
                place > 0
                and learning.random_lesson != RANDOM_LESSONS["played"]
                and not math.isnan(rivals[place])
            ):
                since = place
            if learning.exact_end and over and place == last:
                since = place
            if place == last or (learning.exact_end and over and place == last - 1):
                surprise = reward - value
            else:
                surprise = learning.discount * values[place + 1] - value
            if place < last and not math.isnan(rivals[place + 1]):
                if learning.random_lesson == RANDOM_LESSONS["best"]:
                    surprise = learning.discount * rivals[place + 1] - value
                elif learning.random_lesson == RANDOM_LESSONS["nothing"]:
                    surprise = 0.0
            for before in range(since, place + 1):
                share = (learning.discount * learning.trace) ** (place - before)
                targets[before] += learning.step * surprise * share
        return targets

    def _train(self, board: Array, target: float) -> None:
        learning = self.learning
        hidden = board @ self.first
        hidden += self.first_biases
        np.tanh(hidden, out=hidden)
        value = math.tanh(hidden @ self.last + self.last_bias)
        error = (target - value) * (1.0 - value * value)
        step = self.last * (1.0 - hidden * hidden)
        step *= self.dtype(learning.hidden_rate * error)
        output_step = self.dtype(learning.output_rate * error)
        self.first += np.multiply.outer(board, step)
        self.last += output_step * hidden
        if learning.biases:
            self.first_biases += step
            self.last_bias += output_step

    def _has_line(self, discs: int) -> bool:
        height = self.rules.rows + 1
        for step in (1, height, height + 1, height - 1):
            run = discs
            for _ in range(self.rules.connect - 1):
                run &= run >> step
            if run:
                return True
        return False
