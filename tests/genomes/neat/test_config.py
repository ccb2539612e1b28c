"""NeatConfig: neat-python's keys, their ranges, and what is said about each mistake."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import ValidationError

from evolve_arena.core.types import Settings
from evolve_arena.genomes.neat.config import CONNECTIONS, NeatConfig, explain_meaningless
from evolve_arena.runs.validation import explain


def complaint(**values: object) -> str:
    """Return the message for a user about *values*."""
    with pytest.raises(ValidationError) as caught:
        NeatConfig(**values)
    return explain(caught.value, NeatConfig)


def test_keys_are_those_of_neat_python_and_have_defaults() -> None:
    import neat

    asked: set[str] = {"pop_size", "reset_on_extinction"}

    class Recorder(dict[str, str]):
        """Object that answers every question, and notes each."""

        def get(self, key: str, default: str | None = None) -> str:
            asked.add(key)
            field = NeatConfig.model_fields.get(key)
            value = field.default if field else "gaussian" if key.endswith("_type") else 1
            return " ".join(value) if isinstance(value, tuple) else str(value)

    for part in ("Genome", "SpeciesSet", "Stagnation", "Reproduction"):
        getattr(neat, f"Default{part}").parse_config(Recorder())
    meaningful = {key for key in asked if explain_meaningless(key) is None}
    assert set(NeatConfig.model_fields) == meaningful
    assert asked - meaningful > {"num_inputs", "num_outputs", "time_constant_mutate_rate"}
    assert NeatConfig().pop_size == 150


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("pop_size", "40", 40),
        ("feed_forward", "False", False),
        ("weight_init_stdev", "2.5", 2.5),
        ("weight_init_type", "Normal", "gaussian"),
        ("bias_init_type", "UNIFORM", "uniform"),
        ("activation_options", "tanh  relu sin", ("tanh", "relu", "sin")),
        ("activation_default", "None", "random"),
        ("enabled_default", "off", False),
        ("enabled_default", "0", False),
        ("enabled_default", "on", True),
        ("enabled_default", 1, True),
        ("enabled_default", "None", "random"),
    ],
)
def test_texts_of_neat_python_are_understood(key: str, text: str, value: object) -> None:
    found = getattr(NeatConfig(**{key: text}), key)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("single", [True, False])
def test_surer_by_default_follows_single_structural_mutation(single: bool) -> None:
    assert NeatConfig(single_structural_mutation=single).surer is single
    for word, value in (("true", True), ("no", False)):
        config = NeatConfig.model_validate(
            {"single_structural_mutation": single, "structural_mutation_surer": word}
        )
        assert config.surer is value


def test_every_kind_of_initial_connection_is_accepted() -> None:
    for kind in CONNECTIONS:
        text = f"{kind} 0.5" if kind.startswith("partial") else kind
        config = NeatConfig(initial_connection=text)
        assert config.connection_kind == kind
        assert config.connection_fraction == (0.5 if kind.startswith("partial") else 1.0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"fitness_threshold": 3.9}, "fitness_threshold has no meaning here: the length of a run "),
        ({"seed": 1}, "seed has no meaning here: the seed of a run is the recipe's run.seed"),
        ({"num_inputs": 42}, "num_inputs has no meaning here: it follows from the board and the "),
        ({"time_constant_init_mean": 0.1}, "time_constant_init_mean has no meaning here: only "),
        ({"weight_mutate_rate": 1.5}, "weight_mutate_rate is 1.5: it must be at most 1.0"),
        ({"elitism": "two"}, "elitism is 'two': it must be a whole number"),
        ({"bias_min_value": 40}, "bias_min_value is 40.0, above bias_max_value, 30.0"),
        (
            {"weight_init_type": "uniform", "weight_init_mean": 40},
            "weight_init_mean is 40.0, so far from weight_min_value, -30.0, or "
            "weight_max_value, 30.0, that no number can be drawn",
        ),
        (
            {"activation_default": "relu"},
            "activation_default is 'relu', which activation_options lacks: name one of them "
            "(tanh) or 'random'",
        ),
        ({"pop_size": 5, "elitism": 6}, "elitism is 6, more than pop_size, 5"),
        ({"aggregation_options": []}, "aggregation_options: it must name at least one"),
        ({"initial_connection": "partial"}, "initial_connection: it wants a fraction from 0 to 1"),
        ({"initial_connection": "partial_direct 1.5"}, "initial_connection: it wants a fraction "),
        ({"initial_connection": "full 0.5"}, "initial_connection: only partial connections have"),
        ({"initial_connection": "fulll"}, "initial_connection: unknown initial connection 'fulll'"),
        (
            {"weight_mutate_rat": 0.5},
            "weight_mutate_rat is an unknown setting: did you mean 'weight_mutate_ra",
        ),
        (
            {"activation_options": ["tanh", "sigmoyd"]},
            "activation_options: unknown activation 'sigmoyd': did you mean 'sigmoid'?",
        ),
        ({"weight_init_mean": float("nan")}, "weight_init_mean is nan: "),
    ],
)
def test_mistakes_are_named_in_one_line(values: Settings, expected: str) -> None:
    text = complaint(**values)
    assert text.startswith(expected)
    assert "\n" not in text


def test_configurations_can_not_be_changed() -> None:
    with pytest.raises(ValidationError):
        NeatConfig().pop_size = 3  # type: ignore[misc]


def test_neat_python_is_not_loaded_for_a_configuration() -> None:
    code = (
        "import sys\n"
        "from evolve_arena.genomes.neat import breeding, config, creation, ini\n"
        "print(any(name.partition('.')[0] == 'neat' for name in sys.modules))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "False"
