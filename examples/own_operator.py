"""Replace crossover and mutation by functions of your own.

The names of a function's parameters say what it works on: two genomes, or a whole generation.
"""

import evolve_arena as ea


def blend(first, second, rng):
    """Cross two genomes: the child lies between its parents."""
    share = rng.random(len(first))
    return share * first + (1 - share) * second


def jolt(population, rng, strength, probability=0.05):
    """Mutate all children at once, shape (individuals, genes): few genes, by large steps."""
    chosen = rng.random(population.shape) < probability
    return population + chosen * rng.normal(0.0, strength, population.shape)


if __name__ == "__main__":
    small = {"method.individuals": 20, "check.every": 4, "check.games": 100}
    own = {"variation.crossover": blend, "variation.mutation": jolt}
    for name, changes in (("usual", small), ("own", small | own)):
        run = ea.start(
            "connect-four", run=f"evolved/{name}", generations=8, seed=1, changes=changes
        )
        print(name, run.history()["diversity"].round(3))
    result = ea.duel("run:evolved/own", "run:evolved/usual", games=400, opening_plies=4, seed=2)
    print(result)
