"""The runs of the study ``td-lambda``: their settings, lengths and names."""

from __future__ import annotations

from dataclasses import dataclass

from evolve_arena.runs.many.parallel_runs import Job
from evolve_arena.runs.recipes.recipe import load_recipe
from evolve_arena.studies.study import Settings

GAMES = 1_000_000
SHORT = 300_000
LONG = 5_000_000
CHECKS = 25
"""Number of checks of a run; the publication does not say."""
MOST = 4000
"""Most games in a generation."""

HIDDEN = {"G1": 20, "G2": 40, "G3": 80, "G4": 120}
ENCODINGS = {"R1": "signed", "R2": "planes"}
TRACES = {"L1": 0.0, "L2": 0.3, "L3": 0.6}
LADDER = {f"MM{depth}": f"minimax:depth={depth},noise=0.2" for depth in (1, 2, 3, 4)}
OPPONENTS = {"random": "random", **LADDER}
"""Specifications of the five opponents, by our names."""


@dataclass(frozen=True)
class Setting:
    """A setting of the learning method, shared by several individuals."""

    encoding: str = "R1"
    hidden: str = "G4"
    trace: str = "L1"
    end: float = 0.1
    """Final probability of a random move."""
    games: int = GAMES
    policy: str = "epsilon"
    """Choice of moves in training games, as `method.policy.exploration` of the recipe."""
    temperature: float = 0.1
    """Temperature of soft-max."""
    against: str = ""
    """Opponent in training games, one of :data:`LADDER`; without it, networks play themselves."""
    as_written: bool = False
    """True if learning rates and initial weights are those of the text, not of the recipe."""

    @property
    def name(self) -> str:
        """Name such as ``R1-G4-L1``, followed by other values that differ from the defaults."""
        name = f"{self.encoding}-{self.hidden}-{self.trace}"
        name += "" if self.end == 0.1 else f"-end-{self.end:g}"
        name += "" if self.policy == "epsilon" else f"-{self.policy}"
        name += f"-{self.temperature:g}" if self.policy == "softmax" else ""
        name += f"-against-{self.against}" if self.against else ""
        name += "-as-written" if self.as_written else ""
        return name + {SHORT: "-300k", LONG: "-5M"}.get(self.games, "")

    def job(self, individual: int, settings: Settings) -> Job:
        """Return the job of one individual; its number is its seed."""
        games = settings.scaled(self.games, least=20 * CHECKS)
        between = max(1, round(games / CHECKS / MOST))
        each = games // (CHECKS * between)
        hidden = HIDDEN[self.hidden]
        changes = {
            "network.encoding": ENCODINGS[self.encoding],
            "network.hidden": [hidden],
            "method.individuals": 1,
            "method.games": each,
            "method.trace": TRACES[self.trace],
            "method.policy.exploration": self.policy,
            "method.policy.temperature": self.temperature,
            "method.policy.epsilon": 0.5,
            "method.policy.epsilon_end": self.end,
            "method.policy.epsilon_games": games,
            "check.every": between,
            "check.games": settings.scaled(1000),
            "check.opponents": list(OPPONENTS.values()),
            "run.seed": individual,
            "run.generations": CHECKS * between,
            "run.checkpoint_every": min(5 * between, 50),
            "run.champion": "last",
        }
        if self.against:
            changes["method.opponents"] = [LADDER[self.against]]
        if self.as_written:
            changes |= {"method.learning_rates.scale": 1.0, "method.initialisation": "inverse"}
        recipe = load_recipe("td-lambda").change(changes)
        return Job(f"{self.name}-{individual}", recipe, weight=each * (hidden + 10))


def plan(settings: Settings, chosen: list[Setting]) -> list[Job]:
    """Return the jobs of all individuals of the *chosen* settings, each setting once."""
    return [
        setting.job(individual, settings)
        for setting in dict.fromkeys(chosen)
        for individual in settings.each_seed
    ]
