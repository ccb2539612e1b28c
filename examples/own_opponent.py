"""Write an opponent in Python, play against it, and breed networks against it."""

import evolve_arena as ea


class Cautious(ea.extend.Player):
    """A player that wins if it can at once, and moves at random otherwise."""

    def choose(self, position, rng):
        """Return a legal move; chance comes from *rng* alone, so that games can be repeated."""
        game = self.game
        moves = game.legal_moves(position)
        for move in moves:
            outcome = game.outcome(game.play(position, move))
            if outcome and outcome.winner == game.to_move(position):
                return move
        return self.pick(moves, rng)


if __name__ == "__main__":
    print(ea.duel(Cautious, "random", games=200, seed=1))
    # In each generation all networks meet it beside each other, and so does the champion in checks.
    run = ea.start(
        "connect-four",
        run="evolved/against-cautious",
        generations=4,
        seed=1,
        changes={
            "method.individuals": 20,
            "method.fixed_opponents.players": [Cautious],
            "check.opponents": [Cautious, "random"],
            "check.games": 100,
        },
    )
    print(run)
