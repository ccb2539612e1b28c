"""Players against exact play: ``python -m benchmarks.exact_play PLAYER ... [--games 2000]``.

Tic-tac-toe and Chomp are solved: games begin with each opening of two plies that is a draw, or with
each opening if none is; each opening is played twice, with the player moving first once. The solver
wins as soon as it can, loses as late as it can, and chooses at random among equal moves. For Pig
with two seats value iteration finds the best policy (Neller and Presser, "Optimal play of the dice
game Pig", 2004). No player can expect a score above 0.5 against them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np
from numpy.typing import NDArray

from evolve_arena.arena.batch import seat_players
from evolve_arena.arena.duel import duel, summarise
from evolve_arena.arena.duel_result import DuelResult
from evolve_arena.arena.match import play_matches
from evolve_arena.core.registry import find_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.games.pig import HOLD, ROLL
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.player import Player
from evolve_arena.runs.players import find_player, game_for

SOLVED = ("tic-tac-toe", "chomp")
SOON = 1000
"""A win in n plies is worth SOON - n."""


class ExactPlayer(Player):
    """Solver of a small game of two players with alternate moves."""

    name = "exact play"

    def __init__(self, game: BoardGame) -> None:
        super().__init__(game)
        self.known: dict[tuple[int, ...], int] = {}

    def choose(self, position: Board, rng: Stream) -> int:
        """Return one of the best moves."""
        return self.pick(self.find_best(position), rng)

    def find_best(self, position: Board) -> list[int]:
        """Return the best moves, by how soon they win or how late they lose."""
        worth = {
            move: -self.value(self.game.play(position, move))
            for move in self.game.legal_moves(position)
        }
        best = max(worth.values())
        return [move for move, value in worth.items() if value == best]

    def value(self, position: Board) -> int:
        """Return the value for the player to move: above 0 if it wins, below if it loses."""
        key = tuple(int(number) for number in position.state)
        if key not in self.known:
            outcome = self.game.outcome(position)
            if outcome is not None:
                own = outcome.scores[self.game.to_move(position)]
                self.known[key] = round(2 * own - 1) * SOON
            else:
                after = (self.game.play(position, move) for move in self.game.legal_moves(position))
                best = max(-self.value(each) for each in after)
                self.known[key] = best - (best > 0) + (best < 0)
        return self.known[key]

    def won_positions(self) -> list[Board]:
        """Return all positions of the game in which the player to move wins, once each."""
        start = self.game.initial()
        found, left = {tuple(map(int, start.state)): start}, [start]
        while left:
            position = left.pop()
            if self.game.outcome(position) is None:
                for move in self.game.legal_moves(position):
                    after = self.game.play(position, move)
                    if (key := tuple(map(int, after.state))) not in found:
                        found[key] = after
                        left.append(after)
        return [
            position
            for position in found.values()
            if self.game.outcome(position) is None and self.value(position) > 0
        ]

    def openings(self) -> list[tuple[int, int]]:
        """Return the drawn openings of two plies, or all unfinished ones if none is a draw."""
        drawn, others = [], []
        start = self.game.initial()
        for first in self.game.legal_moves(start):
            between = self.game.play(start, first)
            for second in () if self.game.outcome(between) else self.game.legal_moves(between):
                after = self.game.play(between, second)
                if self.game.outcome(after) is None:
                    (others if self.value(after) else drawn).append((first, second))
        return drawn or others


class PigPlayer(Player):
    """The best policy for Pig with two seats."""

    name = "exact play"

    def __init__(self, game: BoardGame) -> None:
        super().__init__(game)
        _, self.rolls = solve_pig(game.options["goal"])

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the move that wins more often."""
        points, seat = [int(number) for number in position.state[:3]], self.game.to_move(position)
        return ROLL if self.rolls[points[2], points[seat], points[1 - seat]] else HOLD


def solve_pig(goal: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the mover's probability of winning, and True where it should roll, of each state.

    Both are found by value iteration, and have the shape ``(goal + 7, goal, goal)``: points of this
    turn, the mover's points, and the opponent's.
    """
    chances = np.full((goal + 7, goal, goal), 0.5)
    rolls = np.zeros(chances.shape, dtype=np.bool_)
    for turn in range(goal + 7):
        chances[turn, max(0, goal - turn) :] = 1.0
    change = 1.0
    while change > 1e-12:
        before = chances[0].copy()
        for turn in range(goal - 1, -1, -1):
            points = goal - turn  # whoever has so many wins by holding
            hold = 1 - chances[0, :, turn:].T
            lost = 1 - chances[0, :, :points].T
            roll = (lost + chances[turn + 2 : turn + 7, :points].sum(axis=0)) / 6
            rolls[turn, :points] = roll > hold
            chances[turn, :points] = np.maximum(hold, roll)
        change = float(np.abs(chances[0] - before).max())
    return chances, rolls


def meet(player: Player, exact: Player, games: int, seed: int) -> DuelResult:
    """Play games against *exact* and return the result."""
    game = exact.game
    if isinstance(exact, PigPlayer):
        return duel(game, player, exact, games=games, seed=seed)
    assert isinstance(exact, ExactPlayer)
    pairs = (games + 1) // 2
    openings = np.array(list(islice(cycle(exact.openings()), pairs)), dtype=np.int64)
    spec = find_game(game.name)
    pairings = seat_players(np.tile([[0, 1], [1, 0]], (pairs, 1)), spec.most_seats)
    seeds = derive_seeds(seed, 0, "exact play", 2 * pairs)
    played = play_matches(game, (player, exact), pairings, seeds, np.repeat(openings, 2, axis=0))
    return summarise(spec, (player.name, exact.name), pairings, *played)


def count_kept(player: Player, exact: ExactPlayer) -> tuple[int, int]:
    """Count the won positions that the *player*'s move keeps won, and all won positions."""
    positions = exact.won_positions()
    kept = sum(
        exact.value(exact.game.play(position, player.choose(position, new_stream(number)))) < 0
        for number, position in enumerate(positions)
    )
    return kept, len(positions)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="run:DIR or file:PATH")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=77)
    arguments = parser.parse_args(words)
    for text in arguments.players:
        game = game_for([text])
        if game.name not in SOLVED and (game.name, game.seats) != ("pig", 2):
            parser.error(f"{text} plays {game.name}: known are tic-tac-toe, chomp and pig for two")
        player = find_player(text, game)
        exact = ExactPlayer(game) if game.name in SOLVED else PigPlayer(game)
        result = meet(player, exact, arguments.games, arguments.seed)
        low, high = result.wilson_95
        told = (
            f"{text}: {result.wins} won, {result.draws} drawn, {result.losses} lost of"
            f" {result.games} against exact play ({result.distinct_games} distinct);"
            f" score {result.score:.3f} [{low:.3f}, {high:.3f}]"
        )
        if isinstance(exact, ExactPlayer):
            kept, all_ = count_kept(player, exact)
            told += f"; keeps the win in {kept / all_:.3f} of {all_} won positions"
        print(told, flush=True)
        player.close()


if __name__ == "__main__":
    main()
