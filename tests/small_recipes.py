"""For each method a shipped recipe, made so small that it runs in a moment."""

from __future__ import annotations

FROM_THE_START = {"openings": {"plies": 0, "count": 1}}
"""Settings of methods whose matches all begin at the start."""
ONE_GAME = {"colours": "one", **FROM_THE_START}
"""And in which each pair meets once."""
ALIKE = ["run.generations=12", "run.checkpoint_every=3", "check.every=4", "check.games=20"]
ALIKE += ["check.share=1.0", "check.opponents=['random']"]
ROWS = "tic-tac-toe-evolved"
FAMOUS = ["matches.hall_of_fame.opponents=2", "matches.hall_of_fame.every=2"]
TAUGHT = ["network.hidden=[8]", "method.games=100"]
TWO = ["method.individuals=2", "network.activation=tanh", *TAUGHT]
CHANGES: dict[str, tuple[str, list[str]]] = {
    "tournament": (
        "connect-four",
        ["network.hidden=[8]", "method.individuals=30", "variation.self_adaptive=true", *FAMOUS],
    ),
    "neat": ("connect-four-neat", ["neat.pop_size=20"]),
    "neat by neat-python": (
        "connect-four-neat",
        ["method.engine=neat-python", "neat.pop_size=20", "neat.node_add_prob=0.3", *FAMOUS],
    ),
    "evolution-strategy": (
        ROWS,
        ["method.name=evolution-strategy", "method.individuals=10", "network.hidden=[8]", *FAMOUS],
    ),
    "cma-es of lines": (
        "othello-evolved",
        [
            *("method.name=cma-es", "method.individuals=6", "network.kind=lines"),
            *("network.straight=1", "network.squares=false"),
        ],
    ),
    "growth of lines": (
        "othello-evolved",
        [
            *("method.individuals=6", "network.straight=2", "network.squares=false"),
            "growth.stages=[{generations=5, network={straight=1},"
            " method={name='cma-es', individuals=4}}]",
        ],
    ),
    "growth of layers": (
        ROWS,
        [
            *("method.individuals=8", "network.hidden=[9]", *FAMOUS),
            "growth.stages=[{generations=3, network={hidden=[3]}, method={individuals=6}},"
            " {generations=4, network={hidden=[6]}}]",
        ],
    ),
    "population-based-training": (
        "tic-tac-toe",
        [
            *("method.name=population-based-training", "method.individuals=3"),
            *("network.tuples=8", "network.length=3", "method.games=50"),
        ],
    ),
    "rivals that learn": (
        ROWS,
        [
            *("method.name=population-based-training", "network.kind=mlp", "network.hidden=[8]"),
            *("method.inheritance=lamarck", "method.games=50", "method.genes.learning_rate=0.3"),
        ],
    ),
    "individuals that learn in vain": (
        "tic-tac-toe",
        [
            *("method.name=population-based-training", "method.inheritance=baldwin"),
            *("method.individuals=2", "network.tuples=8", "network.length=3", "method.games=50"),
        ],
    ),
    "td": ("td-lambda", TAUGHT),
    "q-learning": ("q-learning", TAUGHT),
    "td in one file": (ROWS, ["method.name=td", *TWO]),
    "td against others": (
        ROWS,
        ["method.name=td", "method.opponents=['self', 'minimax:depth=2']", *TWO],
    ),
    "linear td of three": (
        "pig-evolved",
        [
            *("game.seats=3", "method.name=td", "network.hidden=[]"),
            *("network.activation=tanh", "method.games=20"),
        ],
    ),
    "td-tuples against others": (
        "tic-tac-toe",
        [
            *("method.opponents=['self', 'random']", "method.individuals=2"),
            *("network.tuples=8", "network.length=3", "method.games=100"),
        ],
    ),
    "q-learning in one file": (
        ROWS,
        [
            *("method.name=q-learning", "method.opponents=['self', 'random']"),
            *("method.individuals=2", "network.hidden=[8, 8]", "method.games=100"),
        ],
    ),
    "imitation": (
        ROWS,
        [
            *("method.name=imitation", "method.teacher='minimax:depth=2'"),
            *("method.individuals=2", "method.teacher_games=20", "method.max_teacher_games=150"),
            *("method.batches=10", "network.hidden=[8, 8]"),
        ],
    ),
    "td-tuples": (
        "connect-four-td",
        [
            *("network.tuples=8", "network.length=4", "method.games=100", "method.shards=2"),
            "method.individuals=1",
        ],
    ),
    "td-linear": ("checkers-06-rafalmore", ["method.games=4"]),
    "evolutionary-programming": (
        "checkers-features",
        [
            *("network.depth=2", "method.individuals=4"),
            *("matches.opponents=2", "matches.training_depths=[1, 2]"),
        ],
    ),
    "imitation-decisions": (
        "ticket-to-ride-imitation",
        [
            *("network.hidden=[8]", "method.data.games=2"),
            *("method.data.minimum_points=50", "method.batches=20"),
        ],
    ),
}
SMALL_RECIPES = {name: (recipe, [*own, *ALIKE]) for name, (recipe, own) in CHANGES.items()}
