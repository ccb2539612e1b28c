"""Selection, crossover and mutation on a ``deap.base.Toolbox``, by name.

Ours work on whole generations. Any operator of ``deap.tools`` can be named instead: it then
handles one individual after the other, as a list, and its draws from Python's global random
numbers are seeded and put back around the call.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from deap import base, tools
from numpy.typing import NDArray
from pydantic import ConfigDict, model_validator

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.stream import Stream, next_word
from evolve_arena.evolve.contest import Contest
from evolve_arena.evolve.method import Config
from evolve_arena.genomes.mlp import Genomes
from evolve_arena.genomes.variation import cross_uniformly, mutate_gaussian

__all__ = ["OWN_OPERATORS", "Operator", "make_toolbox", "operator_names"]

PREFIXES = {"select": "sel", "mate": "cx", "mutate": "mut"}
OWN_OPERATORS = {"select": "played-tournament", "mate": "uniform", "mutate": "gaussian"}
"""The names of our operators, by verb."""
FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What an operator of ``deap.tools`` raises that is given what it can't handle."""


class Operator(Config):
    """An operator by name, with options of its own; in a recipe a name alone will do."""

    model_config = ConfigDict(extra="allow", frozen=True)
    name: str

    @model_validator(mode="before")
    @classmethod
    def _accept_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    @property
    def options(self) -> dict[str, Any]:
        """Everything beside the name."""
        return dict(self.model_extra or {})


def operator_names(verb: str) -> list[str]:
    """What can be named for *verb* (select, mate or mutate)."""
    found = [name for name in dir(tools) if name.startswith(PREFIXES[verb])]
    return [OWN_OPERATORS[verb], *(name for name in found if callable(getattr(tools, name)))]


def make_toolbox(
    *, select: Operator, mate: Operator, mutate: Operator, defaults: dict[str, Any]
) -> Any:
    """A ``deap.base.Toolbox`` with the verbs of a generation.

    - ``select(contest, count, stream)`` gives the numbers of *count* parents;
    - ``mate(genomes, first, second, stream)`` gives one child for each pair of parents;
    - ``mutate(genomes, strengths, stream)`` gives mutated copies.

    Args:
        select: Which selection.
        mate: Which crossover.
        mutate: Which mutation.
        defaults: Values for arguments that an operator has and the recipe does not give, by
            the names that ``deap.tools`` uses, for each verb: ``defaults["mate"]["indpb"]``.

    Raises:
        UnknownNameError: No operator bears the name.
        BadValueError: An option is unknown, or one is missing.
    """
    toolbox = base.Toolbox()
    own: dict[str, Callable[..., Any]] = {
        "select": _select_winners,
        "mate": cross_uniformly,
        "mutate": mutate_gaussian,
    }
    adapters = {"select": _select_by_deap, "mate": _mate_by_deap, "mutate": _mutate_by_deap}
    for verb, operator in (("select", select), ("mate", mate), ("mutate", mutate)):
        if operator.name not in operator_names(verb):
            raise UnknownNameError(f"operator for {verb!r}", operator.name, operator_names(verb))
        if operator.name == OWN_OPERATORS[verb]:
            function, given = own[verb], {}
            if verb != "select":
                given = {"probability": defaults[verb]["indpb"]}
            given |= _checked(verb, operator, list(given))
            _check_probability(verb, operator.name, given.get("probability", 0.0))
            toolbox.register(verb, function, **given)
        else:
            options = _complete(verb, operator, defaults[verb])
            call = partial(_call, f"method.{verb}: {operator.name!r}", options)
            toolbox.register(verb, adapters[verb], partial(call, getattr(tools, operator.name)))
    return toolbox


def _checked(verb: str, operator: Operator, known: list[str]) -> dict[str, Any]:
    for option in operator.options:
        if option not in known:
            text = ", ".join(known) or "none"
            raise BadValueError(
                f"method.{verb}: {operator.name!r} has no option {option!r} (it has: {text})"
            )
    return operator.options


def _check_probability(verb: str, name: str, value: Any) -> None:
    if not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise BadValueError(
            f"method.{verb}: probability of {name!r} is {value!r}: it must be from 0 to 1"
        )


def _complete(verb: str, operator: Operator, defaults: dict[str, Any]) -> dict[str, Any]:
    parameters = inspect.signature(getattr(tools, operator.name)).parameters
    handed = {"individuals", "k", "individual", "ind1", "ind2", "fit_attr"}
    names = [name for name in parameters if name not in handed]
    options = _checked(verb, operator, names)
    for name in names:
        if name in options or parameters[name].default is not inspect.Parameter.empty:
            continue
        if name not in defaults:
            raise BadValueError(
                f"method.{verb}: {operator.name!r} needs the option {name!r}, as in"
                f' {verb} = {{ name = "{operator.name}", {name} = ... }}'
            )
        options[name] = defaults[name]
    return options


def _select_winners(contest: Contest, count: int, stream: Stream) -> NDArray[np.int64]:
    winners = contest.winners(stream)
    return np.resize(winners, count)


class _Individual(list[float]):
    """What DEAP's operators expect: a list with a fitness."""

    def __init__(self, genes: list[float], number: int = 0, value: float = 0.0) -> None:
        super().__init__(genes)
        self.number = number
        self.fitness = _Fitness((value,))


class _Fitness(base.Fitness):  # type: ignore[misc]
    weights = (1.0,)


def _select_by_deap(
    operator: Callable[..., Any],
    contest: Contest,
    count: int,
    stream: Stream,
) -> NDArray[np.int64]:
    fitness = np.nan_to_num(contest.fitness)
    if not fitness.any():  # wheels of fortune have no room for anybody then
        fitness = np.ones_like(fitness)
    individuals = [_Individual([], number, value) for number, value in enumerate(fitness.tolist())]
    with _seeded_global_random(stream):
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
    with _seeded_global_random(stream):
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
    with _seeded_global_random(stream):
        for genes in genomes.tolist():
            (child,) = operator(_Individual(genes))
            children.append(child)
    return _to_array(children)


def _call(
    name: str, options: dict[str, Any], operator: Callable[..., Any], *items: Any, **more: Any
) -> Any:
    """Lets DEAP's *operator* do its work, and says whose fault it is if it can't."""
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
def _seeded_global_random(stream: Stream) -> Iterator[None]:
    """DEAP draws from Python's global random numbers: lends it our own and puts theirs back."""
    before = random.getstate()
    random.seed(int(next_word(stream)))
    try:
        yield
    finally:
        random.setstate(before)
