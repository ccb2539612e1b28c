"""For each method a shipped recipe, made so small that it runs in a moment."""

from __future__ import annotations

FROM_THE_START = {"openings": {"plies": 0, "count": 1}}
"""Settings of methods whose matches all begin at the start."""
ONE_GAME = {"colours": "one", **FROM_THE_START}
"""And in which each pair meets once."""
ALIKE = [
    "run.generations=12",
    "run.checkpoint_every=3",
    "check.every=4",
    "check.games=20",
    "check.share=1.0",
    "check.opponents=['random']",
]
SMALL_RECIPES = {
    "tournament": (
        "connect-four",
        [
            "network.hidden=[8]",
            "method.individuals=30",
            "method.self_adaptive=true",
            "method.hall_of_fame.opponents=2",
            "method.hall_of_fame.every=2",
            *ALIKE,
        ],
    ),
    "neat": ("connect-four-neat", ["neat.pop_size=20", *ALIKE]),
    "neat by neat-python": (
        "connect-four-neat",
        [
            "method.engine=neat-python",
            "method.hall_of_fame.opponents=2",
            "method.hall_of_fame.every=2",
            "neat.pop_size=20",
            "neat.node_add_prob=0.3",
            *ALIKE,
        ],
    ),
    "td": ("td-lambda", ["network.hidden=[8]", "method.games=100", *ALIKE]),
    "q-learning": ("q-learning", ["network.hidden=[8]", "method.games=100", *ALIKE]),
    "td in one file": (
        "tic-tac-toe-evolved",
        [
            "method.name=td",
            "method.individuals=2",
            "network.hidden=[8]",
            "network.activation=tanh",
            "method.games=100",
            *ALIKE,
        ],
    ),
    "td against others": (
        "tic-tac-toe-evolved",
        [
            "method.name=td",
            "method.opponents=['self', 'minimax:depth=2']",
            "method.individuals=2",
            "network.hidden=[8]",
            "network.activation=tanh",
            "method.games=100",
            *ALIKE,
        ],
    ),
    "linear td of three": (
        "pig-evolved",
        [
            "game.seats=3",
            "method.name=td",
            "network.hidden=[]",
            "network.activation=tanh",
            "method.games=20",
            *ALIKE,
        ],
    ),
    "td-tuples against others": (
        "tic-tac-toe",
        [
            "method.opponents=['self', 'random']",
            "method.individuals=2",
            "network.tuples=8",
            "network.length=3",
            "method.games=100",
            *ALIKE,
        ],
    ),
    "q-learning in one file": (
        "tic-tac-toe-evolved",
        [
            "method.name=q-learning",
            "method.opponents=['self', 'random']",
            "method.individuals=2",
            "network.hidden=[8, 8]",
            "method.games=100",
            *ALIKE,
        ],
    ),
    "imitation": (
        "tic-tac-toe-evolved",
        [
            "method.name=imitation",
            "method.teacher='minimax:depth=2'",
            "method.individuals=2",
            "method.teacher_games=20",
            "method.most_games=150",
            "method.batches=10",
            "network.hidden=[8, 8]",
            *ALIKE,
        ],
    ),
    "td-tuples": (
        "connect-four-td",
        ["network.tuples=8", "network.length=4", "method.games=100", "method.shards=2", *ALIKE],
    ),
    "td-linear": ("checkers-06-rafalmore", ["method.games=4", *ALIKE]),
    "evolutionary-programming": (
        "checkers-features",
        [
            "network.depth=2",
            "method.individuals=4",
            "method.opponents=2",
            "method.training_depths=[1, 2]",
            *ALIKE,
        ],
    ),
    "imitation-decisions": (
        "ticket-to-ride-imitation",
        [
            "network.hidden=[8]",
            "method.games=2",
            "method.minimum_points=50",
            "method.batches=20",
            *ALIKE,
        ],
    ),
}
