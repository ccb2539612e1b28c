"""The runs of the study ``q-learning``: six stages, each of which adopts the earlier winners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evolve_arena.core.types import JsonObject
from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.studies.study import Settings

MOST = 1000
"""Most games in a generation."""
GAMES = 50_000
"""Training games of an agent, unless a configuration changes them, as in stage one."""

ATTEMPTS = 10
"""Attempts per agent: in barely stable configurations the weights of some diverge."""

REWARDS = {
    "1": {"win": 2.0, "loss": -2.0, "draw": 0.0, "move": -0.01},
    "2": {"win": 2.0, "loss": -2.0, "draw": 0.0, "move": 0.0},
    "3": {"win": 2.0, "loss": 0.0, "draw": 0.0, "move": 0.0},
    "4": {"win": 0.0, "loss": -2.0, "draw": 0.0, "move": 0.0},
    "5": {"win": 5.0, "loss": -2.0, "draw": 0.0, "move": 0.0},
    "6": {"win": 2.0, "loss": -5.0, "draw": 0.0, "move": 0.0},
}
"""The sets of rewards of table 6.11, by number."""

Changes = JsonObject
"""Changed values of a recipe by dotted key, and the number of training games by ``games``."""
Choose = Callable[["Stage"], str]
"""Function that returns the label of the configuration of a stage that later stages adopt."""


@dataclass(frozen=True)
class Stage:
    """A stage: the settings that are varied, and the author's choice."""

    number: int
    word: str
    """The number as a word, as in names."""
    varied: str
    """The varied settings, in words."""
    options: Mapping[str, Changes]
    """Changes by label, as in the publication."""
    chosen: str
    """Label of the author's choice."""

    def name(self, label: str) -> str:
        """Return the name of a configuration, such as ``stage-one-best-known-50k``."""
        return f"stage-{self.word}-{label}"


def _vary(key: str, form: str, *values: float) -> dict[str, Changes]:
    """Return changes of a *key* of the method, by each of *values* formatted with *form*."""
    return {form.format(value): {f"method.{key}": value} for value in values}


FUTURES = {
    f"{future}-{games}k": {"method.future": future, "games": 1000 * games}
    for future in ("best-known", "mean")
    for games in (5, 10, 50, 100, 150)
}
UNITS = {str(units): {"network.hidden": [units]} for units in (25, 50, 75, 100, 125)}
RATES = _vary("learning_rate", "{:g}", 0.001, 0.01, 0.05, 0.1)
SETS = {label: {"method.rewards": rewards} for label, rewards in REWARDS.items()}
STAGES = (
    Stage(1, "one", "estimate of the future, games", FUTURES, "best-known-50k"),
    Stage(2, "two", "hidden units", UNITS, "50"),
    Stage(
        3, "three", "temperature", _vary("policy.temperature", "{:.1f}", 0.5, 1.0, 1.5, 2.0), "1.5"
    ),
    Stage(4, "four", "discount", _vary("discount", "{:.2f}", 0.0, 0.25, 0.5, 0.75, 1.0), "1.00"),
    Stage(5, "five", "learning rate", RATES, "0.05"),
    Stage(6, "six", "rewards", SETS, "6"),
)

CORRECTED = {label: f"corrected-{label}" for label in ("1", "6")}
"""Names of configurations without the program's bugs, by their set of rewards (the two best)."""


EXPLORATION: Mapping[str, Changes] = {
    "epsilon-constant": {"method.policy.exploration": "epsilon", "method.policy.epsilon": 0.1},
    "epsilon-falling": {
        "method.policy.exploration": "epsilon",
        "method.policy.epsilon": 1.0,
        "method.policy.epsilon_end": 0.0,
    },
}
"""Exploration of section 3.5.1, which the author did not try, by the configuration's name."""


REPRESENTATIONS: Mapping[str, Changes] = {
    "one-plane-signed": {"network.encoding": "signed"},
    "two-planes": {"network.encoding": "planes"},
}
"""Other inputs of the network, which chapter 7 proposes to try, by the configuration's name."""


def choose_as_published(stage: Stage) -> str:
    """Return the label of the author's choice."""
    return stage.chosen


def plan_stage(stage: Stage, settings: Settings, choose: Choose) -> list[Job]:
    """Return the jobs of all agents of all configurations of *stage*.

    Args:
        stage: Stage whose configurations are run.
        settings: Number of agents of each configuration, and scale of the study.
        choose: Function that returns, for each earlier stage, the label of the configuration to
            adopt.
    """
    before = _take_over(stage.number, choose)
    return [
        _job(stage.name(label), (stage.number, place, agent), {**before, **changes}, settings)
        for place, (label, changes) in enumerate(stage.options.items())
        for agent in settings.each_seed
    ]


def plan_extras(settings: Settings, choose: Choose) -> list[Job]:
    """Return jobs beyond the author's: without bugs, other exploration, other representations."""
    before, sets = _take_over(len(STAGES), choose), STAGES[-1].options
    right = {name: {**sets[label], "method.faithful": False} for label, name in CORRECTED.items()}
    others, seen = (
        {name: {**sets["1"], **changes} for name, changes in extras.items()}
        for extras in (EXPLORATION, REPRESENTATIONS)
    )
    return [
        _job(name, (len(STAGES) + number, place, agent), {**before, **changes}, settings)
        for number, extras in enumerate((right, others, seen), start=1)
        for place, (name, changes) in enumerate(extras.items())
        for agent in settings.each_seed
    ]


def configurations(stage: Stage) -> dict[str, str]:
    """Return the published names of the configurations of *stage*, by our names."""
    return {stage.name(label): stage.name(label).replace("-", "_") for label in stage.options}


def _take_over(number: int, choose: Choose) -> JsonObject:
    """Return the changes that stage *number* adopts from the stages before it."""
    changes: JsonObject = {}
    for stage in STAGES[: number - 1]:
        changes |= stage.options[choose(stage)]
    return changes


def _job(
    configuration: str, place: tuple[int, int, int], changes: Changes, settings: Settings
) -> Job:
    """Return the run of one agent; no two agents of the study have the same seed."""
    stage, option, agent = place
    values = {"method.faithful": True, **changes}
    games = settings.scaled(values.pop("games", GAMES))
    if "method.policy.epsilon_end" in values:
        values["method.policy.epsilon_games"] = games
    generations = max(1, round(games / MOST))
    values |= {
        "method.individuals": 1,
        "method.games": games // generations,
        "check.every": generations,
        "check.games": 2 * settings.scaled(1000),
        "check.opponents": ["random"],
        "run.seed": 100_000 * stage + 1000 * option + agent,
        "run.generations": generations,
        "run.checkpoint_every": 10,
        "run.champion": "last",
    }
    recipe = load_recipe("q-learning").change(values)
    hidden = recipe.network["hidden"][0]
    looks = 4 if recipe.method["future"] == "mean" else 1
    weight = recipe.method["games"] * (hidden + 10) * looks
    return Job(f"{configuration}-{agent}", recipe, weight, ATTEMPTS)
