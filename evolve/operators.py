"""Selection, crossover and mutation by name.

Ours work on whole generations. Any operator of ``deap.tools`` can be named instead: it then
handles one individual after the other, as a list, and its draws from Python's global random
numbers are seeded and put back around the call.

A selection of ours is a function below and a line in :data:`SELECTIONS`; all methods know it then.
The user's own functions are named like players: ``my_ops.py:blend``, or as they were registered.
:data:`FORMS` has their parameters.
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from deap import base, tools
from numpy.typing import NDArray

from evolve_arena.core.errors import BadValueError, UnknownNameError, quote
from evolve_arena.core.stream import Stream, next_word
from evolve_arena.core.user_code import (
    AbsentCode,
    UserCodeError,
    call,
    find_code,
    name_of,
    parameters_of,
)
from evolve_arena.evolve.matches import TournamentResults
from evolve_arena.evolve.settings.variation import OWN_OPERATORS, Operator, VariationConfig
from evolve_arena.genomes.mlp import Genomes
from evolve_arena.genomes.variation import cross_uniformly, mutate_gaussian

PREFIXES = {"selection": "sel", "crossover": "cx", "mutation": "mut"}
Selection = Callable[[NDArray[np.float64], int, "Stream | np.random.Generator"], NDArray[np.int64]]
"""Function of the fitness of all individuals, a count and a random source that returns the rows of
the selected individuals, shape ``(count,)``."""
FORMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "selection": (("fitness", "rng"), ("fitness", "count", "rng")),
    "crossover": (("first", "second", "rng"), ("population", "pairs", "rng")),
    "mutation": (("genome", "rng"), ("population", "rng")),
    "initialisation": (("genes", "rng"), ("individuals", "genes", "rng")),
}
"""Parameters of a user's function of each kind, for one individual at a time and for a whole
generation. ``rng`` is a `numpy.random.Generator`; other parameters are options."""
FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""Errors of an operator of ``deap.tools`` that can't handle its arguments."""
REFERRED = ("MY_OPS.py:FUNCTION",)
HANDED = frozenset(
    ("individuals", "k", "individual", "ind1", "ind2", "fit_attr", "fitness", "count", "generator")
)
"""Parameters of operators that the caller sets, and that are no options."""


def operator_names(kind: str) -> list[str]:
    """Return the names of operators for ``selection``, ``crossover`` or ``mutation``."""
    return [OWN_OPERATORS[kind], *(SELECTIONS if kind == "selection" else ()), *_deap_names(kind)]


def select_best(fitness: NDArray[np.float64], count: int, generator: Any) -> NDArray[np.int64]:
    """Select the fittest *count* individuals, starting over if there are fewer.

    Args:
        fitness: Fitness of all individuals in falling order, shape ``(individuals,)``.
        count: Number of individuals to select.
        generator: Not used, as nothing is drawn.

    Returns:
        Places in *fitness*, shape ``(count,)``.
    """
    return np.resize(np.arange(len(fitness)), count)


def select_by_truncation(
    fitness: NDArray[np.float64], count: int, generator: np.random.Generator, share: float = 0.2
) -> NDArray[np.int64]:
    """Select at random from the fittest *share* of all, and from at least two.

    Args:
        fitness: Fitness of all individuals in falling order, shape ``(individuals,)``.
        count: Number of individuals to select; one may be selected several times.
        generator: Source of random numbers.
        share: Share of the individuals that may be selected, from 0 to 1.

    Returns:
        Places in *fitness*, shape ``(count,)``.
    """
    pool = min(len(fitness), max(2, math.ceil(share * len(fitness))))
    return generator.integers(pool, size=count)


def select_by_tournament(
    fitness: NDArray[np.float64], count: int, generator: np.random.Generator, size: int = 3
) -> NDArray[np.int64]:
    """Select the fittest of *size* individuals that are drawn at random.

    Args:
        fitness: Fitness of all individuals in falling order, shape ``(individuals,)``.
        count: Number of individuals to select; one may be selected several times.
        generator: Source of random numbers.
        size: Individuals of a tournament, drawn with replacement.

    Returns:
        Places in *fitness*, shape ``(count,)``.
    """
    drawn = generator.integers(len(fitness), size=(count, size))
    return np.asarray(drawn.min(axis=1), dtype=np.int64)


def select_by_rank(
    fitness: NDArray[np.float64],
    count: int,
    generator: np.random.Generator,
    pressure: float = 2.0,
) -> NDArray[np.int64]:
    """Select by linear ranking: probabilities fall linearly from *pressure* times the mean.

    Source: Baker, "Adaptive selection methods for genetic algorithms", ICGA 1985.

    Args:
        fitness: Fitness of all individuals in falling order, shape ``(individuals,)``.
        count: Number of individuals to select; one may be selected several times.
        generator: Source of random numbers.
        pressure: Probability of the fittest as a multiple of the mean, from 1, where all are
            equal, to 2, where the least fit has probability 0.

    Returns:
        Places in *fitness*, shape ``(count,)``.
    """
    steps = np.linspace(pressure, 2.0 - pressure, len(fitness)).clip(0.0)
    return generator.choice(len(fitness), size=count, p=steps / steps.sum())


SELECTIONS: dict[str, Callable[..., NDArray[np.int64]]] = {
    "best": select_best,
    "truncation": select_by_truncation,
    "tournament": select_by_tournament,
    "rank": select_by_rank,
}
"""Selections of this project: functions of fitness in falling order that return indices into it."""


def make_selection(operator: Operator, key: str, **defaults: Any) -> Selection:
    """Return the selection that *operator* names.

    Args:
        operator: One of :data:`SELECTIONS`, or a selection of ``deap.tools``, with its options.
        key: Key of the recipe, for messages.
        defaults: Values of options that the recipe does not give, if the operator has them.

    Raises:
        UnknownNameError: There is no selection of that name.
        BadValueError: An option is unknown or missing, or out of range.
    """
    name = operator.name
    known = [*SELECTIONS, *_deap_names("selection")]
    if (own := find_code(name)) is not None:
        return partial(_select_by_own, _OwnFunction(key, "selection", own, operator.options))
    if name not in known:
        raise UnknownNameError(key, name, [*known, *REFERRED])
    if name not in SELECTIONS:
        given = _complete(key, operator, getattr(tools, name), defaults)
        call = partial(_call, f"{key}: {name!r}", given)
        return partial(_select_by_deap, partial(call, getattr(tools, name)))
    function = SELECTIONS[name]
    options = _complete(key, operator, function, defaults)
    for option, (least, most) in {"share": (0, 1), "size": (1, 1000), "pressure": (1, 2)}.items():
        value = options.get(option, least)
        if not isinstance(value, int | float) or not least <= value <= most:
            raise BadValueError(
                f"{key}: {option} of {name!r} is {value!r}: it must be from {least} to {most}"
            )

    def select(
        fitness: NDArray[np.float64], count: int, chance: Stream | np.random.Generator
    ) -> NDArray[np.int64]:
        numbers = np.nan_to_num(fitness)
        order = np.argsort(-numbers, kind="stable")
        return order[function(numbers[order], count, _generator(chance), **options)]

    return select


def make_toolbox(config: VariationConfig, tournament_size: int) -> Any:
    """Return a ``deap.base.Toolbox`` with the operators of a generation.

    - ``select(tournaments, count, stream)`` returns the rows of *count* parents;
    - ``mate(genomes, first, second, stream)`` returns one child for each pair of parents;
    - ``mutate(genomes, step_sizes, stream)`` returns mutated copies.

    Args:
        config: The section ``[variation]``.
        tournament_size: Default size of tournaments, for selections that draw them.

    Raises:
        UnknownNameError: An operator has an unknown name.
        BadValueError: An option is unknown, or one is missing.
    """
    toolbox = base.Toolbox()
    # Arguments that an operator has and the recipe does not give, by their names in deap.tools.
    sizes = {"tournsize": tournament_size, "size": tournament_size}
    crossing = {"indpb": config.crossover_probability, "alpha": 0.5, "eta": 15.0}
    mutating = {"indpb": config.mutation_probability, "mu": 0.0, "sigma": config.step_size}

    _check_known("selection", config.selection)
    toolbox.register("select", _make_tournament_selection(config.selection, sizes))
    toolbox.register("mate", _make_operator("crossover", config.crossover, crossing))
    toolbox.register("mutate", _make_operator("mutation", config.mutation, mutating))
    return toolbox


def _check_known(kind: str, operator: Operator) -> None:
    if find_code(operator.name) is None and operator.name not in operator_names(kind):
        known = [*operator_names(kind), *REFERRED]
        raise UnknownNameError(f"operator for {kind!r}", operator.name, known)


def _make_operator(
    kind: str, operator: Operator, defaults: dict[str, Any]
) -> Callable[..., Genomes]:
    """Return the crossover or mutation that *operator* names: ours, the user's, or DEAP's."""
    key = f"variation.{kind}"
    own: Callable[..., Genomes]
    by_user: Callable[..., Genomes]
    by_deap: Callable[..., Genomes]
    if kind == "crossover":
        own, by_user, by_deap = cross_uniformly, _mate_by_own, _mate_by_deap
    else:
        own, by_user, by_deap = mutate_gaussian, _mutate_by_own, _mutate_by_deap
    _check_known(kind, operator)
    probability, step_size = defaults["indpb"], defaults.get("sigma")
    if operator.name == OWN_OPERATORS[kind]:
        given = {"probability": probability}
        given |= _checked(key, operator, list(given))
        _check_probability(key, operator.name, given["probability"])
        return partial(own, **given)
    if (function := find_code(operator.name)) is not None:
        usual = {"probability": probability, "step_size": step_size, "strength": step_size}
        return partial(by_user, _OwnFunction(key, kind, function, operator.options, usual))
    made = getattr(tools, operator.name)
    options = _complete(key, operator, made, defaults)
    return partial(by_deap, partial(_call, f"{key}: {operator.name!r}", options, made))


def check_initialisation(decoder: Any, name: str) -> None:
    """Raise an error if the initialisation *name* is unknown or fails; see :func:`initialise`."""
    if not isinstance(find_code(name), AbsentCode):
        initialise(decoder, 1, name, np.random.default_rng(0))


def initialise(
    decoder: Any, individuals: int, name: str, generator: np.random.Generator
) -> Genomes:
    """Return a random population: by the decoder, or by the user's function of that *name*.

    Args:
        decoder: Maker of players; it says how many genes a genome has.
        individuals: Number of genomes.
        name: A distribution that the decoder knows, such as ``uniform:0.5``, or a function of the
            user's, such as ``my_ops.py:draw``.
        generator: Source of random numbers.

    Returns:
        Genomes, shape ``(individuals, genes)`` (``float32``).

    Raises:
        ArenaError: There is no initialisation of that name, or it fails.
    """
    function = find_code(name)
    if function is None:
        made: Genomes = decoder.initialise(individuals, name, generator)
        return made
    own = _OwnFunction("method.initialisation", "initialisation", function, {})
    if own.is_whole:
        rows = own(individuals=individuals, genes=decoder.genes, rng=generator)
    else:
        rows = [own(genes=decoder.genes, rng=generator) for _ in range(individuals)]
    return own.check_genomes(rows, (individuals, decoder.genes))


class _OwnFunction:
    """A user's function as an operator.

    Args:
        key: Key of the recipe, for messages.
        verb: Kind of operator, a key of :data:`FORMS`.
        function: The function.
        options: Options from the recipe, by parameter.
        usual: Values of parameters of these names that have no defaults.

    Raises:
        UserCodeError: Its parameters match no form of :data:`FORMS`.
        BadValueError: An option is unknown or missing.
    """

    def __init__(
        self,
        key: str,
        verb: str,
        function: Callable[..., Any],
        options: dict[str, Any],
        usual: dict[str, Any] | None = None,
    ) -> None:
        self.key, self.function = key, function
        self.name = name_of(function)
        self.is_whole, self.options = True, options
        if isinstance(function, AbsentCode):
            return
        taken = parameters_of(function)
        one, whole = FORMS[verb]
        form = max((f for f in (one, whole) if set(f) <= set(taken)), key=len, default=None)
        if form is None:
            raise UserCodeError(
                f"{key}: {self.name} takes ({', '.join(taken)}): write ({', '.join(one)}) for one"
                f" at a time, or ({', '.join(whole)}) for a whole generation"
            )
        self.is_whole = form == whole
        own = {name: default for name, default in taken.items() if name not in form}
        if unknown := [name for name in options if name not in own]:
            has = ", ".join(own) or "none"
            raise BadValueError(f"{key}: {self.name} has no option {unknown[0]!r} (it has: {has})")
        usual = usual or {}
        self.options = {k: usual[k] for k, value in own.items() if value is ... and k in usual}
        self.options |= options
        if missing := [k for k, value in own.items() if value is ... and k not in self.options]:
            raise BadValueError(
                f'{key}: {self.name} needs the option {missing[0]!r}, as in {{ name = "...",'
                f" {missing[0]} = ... }}"
            )

    def __call__(self, **given: Any) -> Any:
        return call(self.function, **given, **self.options)

    def check_genomes(self, rows: Any, shape: tuple[int, int]) -> Genomes:
        """Return the genomes *rows* that the function made, as ``float32``.

        Raises:
            UserCodeError: They do not have this *shape*, or are not finite.
        """
        try:
            genomes = np.array(rows, dtype=np.float32)
        except (TypeError, ValueError) as error:
            self._check_form(rows, shape)
            raise UserCodeError(f"{self.key}: {self.name} makes no genomes ({error})") from None
        if genomes.shape != shape:
            self._check_form(rows, shape)
            raise UserCodeError(
                f"{self.key}: {self.name} makes genomes of shape {genomes.shape}, not {shape}"
            )
        if not np.isfinite(genomes).all():
            raise UserCodeError(f"{self.key}: {self.name} makes a gene that is no finite number")
        return genomes

    def _check_form(self, rows: Any, shape: tuple[int, int]) -> None:
        """Refuse None, and tuples such as DEAP's operators return."""
        for given in [rows] if self.is_whole else rows:
            if given is None or isinstance(given, tuple):
                returned = "None" if given is None else f"a tuple of {len(given)}"
                wanted = f"one array of shape {shape if self.is_whole else shape[1:]}"
                raise UserCodeError(f"{self.key}: {self.name} returns {returned}, not {wanted}")


def _select_by_own(
    own: _OwnFunction,
    fitness: NDArray[np.float64],
    count: int,
    chance: Stream | np.random.Generator,
) -> NDArray[np.int64]:
    rng, fitness = _generator(chance), fitness.copy()
    if own.is_whole:
        chosen = own(fitness=fitness, count=count, rng=rng)
    else:
        chosen = [own(fitness=fitness, rng=rng) for _ in range(count)]
    numbers = np.asarray(chosen)
    if numbers.shape != (count,) or numbers.dtype.kind not in "iu":
        raise UserCodeError(
            f"{own.key}: {own.name} gives {quote(chosen if own.is_whole else chosen[0])}: it must"
            f" give {f'the numbers of {count} individuals' if own.is_whole else 'one number'}"
        )
    if not 0 <= numbers.min() <= numbers.max() < len(fitness):
        raise UserCodeError(
            f"{own.key}: {own.name} chooses an individual that is not from 0 to {len(fitness) - 1}"
        )
    return numbers.astype(np.int64)


def _mate_by_own(
    own: _OwnFunction,
    genomes: Genomes,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    stream: Stream,
) -> Genomes:
    rng = _generator(stream)
    if own.is_whole:
        pairs = np.stack([first, second], axis=1)
        rows = own(population=genomes.copy(), pairs=pairs, rng=rng)
    else:
        both = zip(genomes[first], genomes[second], strict=True)
        rows = [own(first=one, second=other, rng=rng) for one, other in both]
    return own.check_genomes(rows, (len(first), genomes.shape[1]))


def _mutate_by_own(
    own: _OwnFunction, genomes: Genomes, strengths: NDArray[np.float32], stream: Stream
) -> Genomes:
    rng = _generator(stream)
    if own.is_whole:
        rows = own(population=genomes.copy(), rng=rng)
    else:
        rows = [own(genome=genome, rng=rng) for genome in genomes.copy()]
    return own.check_genomes(rows, genomes.shape)


def _generator(chance: Stream | np.random.Generator) -> np.random.Generator:
    if isinstance(chance, np.random.Generator):
        return chance
    return np.random.default_rng(int(next_word(chance)))


def _make_tournament_selection(
    operator: Operator, defaults: dict[str, Any]
) -> Callable[[TournamentResults, int, Stream], NDArray[np.int64]]:
    """Return a selection that takes the results of tournaments that were played."""
    key = "variation.selection"
    if operator.name == OWN_OPERATORS["selection"]:
        _checked(key, operator, [])
        return lambda played, count, stream: np.resize(played.winners(stream), count)
    select = make_selection(operator, key, **defaults)
    return lambda played, count, stream: select(played.fitness, count, stream)


def _deap_names(verb: str) -> list[str]:
    found = [name for name in dir(tools) if name.startswith(PREFIXES[verb])]
    return [name for name in found if callable(getattr(tools, name))]


def _checked(key: str, operator: Operator, known: list[str]) -> dict[str, Any]:
    for option in operator.options:
        if option not in known:
            text = ", ".join(known) or "none"
            raise BadValueError(
                f"{key}: {operator.name!r} has no option {option!r} (it has: {text})"
            )
    return operator.options


def _check_probability(key: str, name: str, value: object) -> None:
    if not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise BadValueError(f"{key}: probability of {name!r} is {value!r}: it must be from 0 to 1")


def _complete(
    key: str, operator: Operator, function: Callable[..., Any], defaults: dict[str, Any]
) -> dict[str, Any]:
    """Return the options of *operator*, completed by those *defaults* that the *function* has."""
    parameters = inspect.signature(function).parameters
    names = [name for name in parameters if name not in HANDED]
    options = _checked(key, operator, names)
    for name in names:
        if name in options:
            continue
        if name in defaults:
            options[name] = defaults[name]
        elif parameters[name].default is inspect.Parameter.empty:
            raise BadValueError(
                f"{key}: {operator.name!r} needs the option {name!r}, as in"
                f' {key.rpartition(".")[2]} = {{ name = "{operator.name}", {name} = ... }}'
            )
    return options


class _Individual(list[float]):
    """An individual as DEAP's operators expect it: a list with a fitness."""

    def __init__(self, genes: list[float], number: int = 0, value: float = 0.0) -> None:
        super().__init__(genes)
        self.number = number
        self.fitness = _Fitness((value,))


class _Fitness(base.Fitness):  # type: ignore[misc]
    weights = (1.0,)


def _select_by_deap(
    operator: Callable[..., Any],
    fitness: NDArray[np.float64],
    count: int,
    chance: Stream | np.random.Generator,
) -> NDArray[np.int64]:
    fitness = np.nan_to_num(fitness)
    if not fitness.any():  # wheels of fortune have no room for anybody then
        fitness = np.ones_like(fitness)
    individuals = [_Individual([], number, value) for number, value in enumerate(fitness.tolist())]
    with seeded_global_random(chance):
        chosen = operator(individuals, k=count)
    numbers = np.array([individual.number for individual in chosen], dtype=np.int64)
    return np.resize(numbers, count)  # selBest and its like give each individual but once


def _mate_by_deap(
    operator: Callable[..., Any],
    genomes: Genomes,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    stream: Stream,
) -> Genomes:
    children = []
    with seeded_global_random(stream):
        for one, other in zip(genomes[first].tolist(), genomes[second].tolist(), strict=True):
            child, _ = operator(_Individual(one), _Individual(other))
            children.append(child)
    return _to_array(children)


def _mutate_by_deap(
    operator: Callable[..., Any],
    genomes: Genomes,
    strengths: NDArray[np.float32],
    stream: Stream,
) -> Genomes:
    children = []
    with seeded_global_random(stream):
        for genes in genomes.tolist():
            (child,) = operator(_Individual(genes))
            children.append(child)
    return _to_array(children)


def _call(
    name: str, options: dict[str, Any], operator: Callable[..., Any], *items: Any, **more: Any
) -> Any:
    """Call DEAP's *operator*, and name it in the error if it can't handle weights."""
    genes = len(items[0])
    try:
        result = operator(*items, **more, **options)
    except FAULTS as error:
        raise BadValueError(f"{name} does not work on lists of weights ({error})") from None
    if isinstance(items[0], _Individual) and any(len(child) != genes for child in result):
        raise BadValueError(f"{name} changes how many genes a child has")
    return result


def _to_array(children: list[Any]) -> Genomes:
    try:
        return np.array(children, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise BadValueError(f"an operator of deap.tools made a gene no number ({error})") from None


@contextmanager
def seeded_global_random(chance: Stream | np.random.Generator) -> Iterator[None]:
    """Seed Python's global random numbers for a library, and restore them afterwards."""
    before = random.getstate()
    if isinstance(chance, np.random.Generator):
        random.seed(int(chance.integers(2**63)))
    else:
        random.seed(int(next_word(chance)))
    try:
        yield
    finally:
        random.setstate(before)
