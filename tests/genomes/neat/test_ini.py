"""Files of neat-python: everything in a complete one is read, and what is written is valid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.ini import SECTIONS, read_ini, to_neat_python, write_ini

COMPLETE = """\
# A configuration with every key, none of them at our default.
[NEAT]
fitness_criterion      = max
fitness_threshold      = 3.9
no_fitness_termination = False
seed                   = 12
pop_size               = 90
reset_on_extinction    = False

[DefaultGenome]
num_inputs                         = 5
num_outputs                        = 3
num_hidden                         = 2
feed_forward                       = False
compatibility_disjoint_coefficient = 1.5
compatibility_weight_coefficient   = 0.25
conn_add_prob                      = 0.11
conn_delete_prob                   = 0.12
node_add_prob                      = 0.13
node_delete_prob                   = 0.14
single_structural_mutation         = True
structural_mutation_surer          = false
initial_connection                 = partial_nodirect 0.75
bias_init_mean                     = 0.1
bias_init_stdev                    = 0.2
bias_init_type                     = uniform
bias_max_value                     = 11.0
bias_min_value                     = -12.0
bias_mutate_power                  = 0.3
bias_mutate_rate                   = 0.4
bias_replace_rate                  = 0.05
response_init_mean                 = 1.1
response_init_stdev                = 0.12
response_init_type                 = uniform
response_max_value                 = 13.0
response_min_value                 = -14.0
response_mutate_power              = 0.01
response_mutate_rate               = 0.02
response_replace_rate              = 0.03
time_constant_init_mean            = 1.0
time_constant_init_stdev           = 0.0
time_constant_init_type            = gaussian
time_constant_max_value            = 10.0
time_constant_min_value            = 0.01
time_constant_mutate_power         = 0.0
time_constant_mutate_rate          = 0.0
time_constant_replace_rate         = 0.0
weight_init_mean                   = 0.7
weight_init_stdev                  = 0.8
weight_init_type                   = uniform
weight_max_value                   = 15
weight_min_value                   = -16
weight_mutate_power                = 0.9
weight_mutate_rate                 = 0.6
weight_replace_rate                = 0.2
activation_default                 = random
activation_options                 = sigmoid relu
activation_mutate_rate             = 0.21
aggregation_default                = max
aggregation_options                = sum max
aggregation_mutate_rate            = 0.22
enabled_default                    = False
enabled_mutate_rate                = 0.23
enabled_rate_to_true_add           = 0.24
enabled_rate_to_false_add          = 0.25

[DefaultSpeciesSet]
compatibility_threshold = 2.5

[DefaultStagnation]
species_fitness_func = median
max_stagnation       = 33
species_elitism      = 4

[DefaultReproduction]
elitism            = 1
survival_threshold = 0.35
min_species_size   = 3
"""


def neat_python(file: Path) -> Any:
    import neat

    return neat.Config(
        neat.DefaultGenome,
        neat.DefaultReproduction,
        neat.DefaultSpeciesSet,
        neat.DefaultStagnation,
        str(file),
    )


def settings_of(config: Any) -> dict[str, Any]:
    """All that neat-python took from a file, by key."""
    parts = (
        config,
        config.genome_config,
        config.species_set_config,
        config.stagnation_config,
        config.reproduction_config,
    )
    names = {key for keys in SECTIONS.values() for key in keys}
    found = {name: value for part in parts for name, value in vars(part).items() if name in names}
    fraction = config.genome_config.connection_fraction
    if fraction is not None:
        found["initial_connection"] += f" {fraction}"
    return found


def test_a_complete_file_means_the_same_here_and_there(tmp_path: Path) -> None:
    file = tmp_path / "complete.ini"
    file.write_text(COMPLETE)
    theirs = settings_of(neat_python(file))
    values, remarks = read_ini(COMPLETE)
    config = NeatConfig(**values)
    assert set(values) == set(NeatConfig.model_fields)
    for key, value in theirs.items():
        ours = getattr(config, key)
        if isinstance(value, list):
            assert list(ours) == value, key
        elif key == "enabled_default":
            assert str(ours) == value
        else:
            assert ours == value, key
        assert ours != NeatConfig.model_fields[key].default, f"{key} is at its default"
    assert len(remarks) == 6 + 8
    assert remarks[0] == (
        "fitness_criterion = max was dropped: the champion is found by matches; use the recipe's "
        "checks"
    )
    assert any(remark.startswith("time_constant_init_mean = 1.0 was dropped") for remark in remarks)


def test_values_have_the_types_of_a_recipe() -> None:
    values, _ = read_ini(COMPLETE)
    assert values["pop_size"] == 90
    assert values["feed_forward"] is False
    assert values["activation_options"] == ["sigmoid", "relu"]
    assert values["initial_connection"] == "partial_nodirect 0.75"
    assert {type(value) for value in values.values()} == {int, float, bool, str, list}


def test_what_is_written_is_read_by_neat_python_and_by_us() -> None:
    values, _ = read_ini(COMPLETE)
    for config in (NeatConfig(), NeatConfig(**values)):
        theirs = to_neat_python(config, 42, 7)
        assert (theirs.genome_config.num_inputs, theirs.genome_config.num_outputs) == (42, 7)
        found = settings_of(theirs)
        assert set(found) == set(NeatConfig.model_fields)
        for key, value in found.items():
            ours = getattr(config, key)
            if key in ("enabled_default", "initial_connection"):
                assert value == str(ours)
            else:
                assert value == (list(ours) if isinstance(ours, tuple) else ours), key
        again, _ = read_ini(write_ini(config, 42, 7))
        assert NeatConfig(**again) == config


def test_unknown_keys_are_dropped_where_neat_python_drops_them_and_refused_elsewhere() -> None:
    values, remarks = read_ini("[DefaultGenome]\nconn_ad_prob = 0.5\n")
    assert values == {}
    assert remarks == [
        "conn_ad_prob = 0.5 was dropped: neat-python does not read it; did you mean "
        "'conn_add_prob'?"
    ]
    with pytest.raises(UnknownNameError, match=r"key of \[DefaultStagnation\] 'max_stagnaton'"):
        read_ini("[DefaultStagnation]\nmax_stagnaton = 5\n")
    with pytest.raises(UnknownNameError, match="unknown section 'DefaultGenom'"):
        read_ini("[DefaultGenom]\nfeed_forward = True\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "no configuration of neat-python: it has no section"),
        ("pop_size = 3", "no configuration of neat-python: File contains no section headers"),
        ("[NEAT]\npop_size = 3\npop_size = 4", "no configuration of neat-python: While reading"),
        ("[NEAT]\npop_size = %(x)s", "no configuration of neat-python: Bad value substitution"),
    ],
)
def test_what_is_no_such_file_is_refused_in_one_line(text: str, expected: str) -> None:
    with pytest.raises(BadValueError) as caught:
        read_ini(text)
    assert str(caught.value).startswith(expected)
    assert "\n" not in str(caught.value)


LINES = st.lists(
    st.one_of(
        st.sampled_from(COMPLETE.splitlines()),
        st.text(max_size=30),
        st.sampled_from(["[NEAT]", "[DefaultGenome]", "pop_size = x", "weight_init_mean = nan"]),
    ),
    max_size=12,
)


@given(LINES)
def test_no_text_does_worse_than_being_refused(lines: list[str]) -> None:
    try:
        values, remarks = read_ini("\n".join(lines))
    except ArenaError as error:
        values, remarks = {}, [str(error)]
    assert set(values) <= set(NeatConfig.model_fields)
    assert not any("\n" in remark for remark in remarks)
