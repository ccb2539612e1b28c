"""Files of neat-python: everything in a complete one is read, and what is written is valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.neat.ini import SECTIONS, read_ini, to_neat_python, write_ini

if TYPE_CHECKING:
    import neat

CHOSEN = {
    "initial_connection": "partial_nodirect 0.75",
    "structural_mutation_surer": "false",
    "species_fitness_func": "median",
    "activation_default": "random",
    "activation_options": ("sigmoid", "relu"),
    "aggregation_default": "max",
    "aggregation_options": ("sum", "max"),
}


def other_than(default: str | float) -> str | float:
    """Return a flag, a kind of distribution or a number that is not the *default*."""
    if isinstance(default, bool | str):
        return "uniform" if default == "gaussian" else not default
    return default + 1 if isinstance(default, int) else default / 2 + 0.02


DEFAULTS = {key: field.default for key, field in NeatConfig.model_fields.items()}
CHANGED = NeatConfig(
    **{key: CHOSEN.get(key) or other_than(default) for key, default in DEFAULTS.items()}
)
"""None of its keys is at its default."""
COMPLETE = write_ini(CHANGED, 5, 3).replace("num_inputs", "time_constant_max_value = 9\nnum_inputs")


def settings_of(config: neat.Config) -> dict[str, object]:
    """Return all that neat-python took from a file, by key."""
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


@pytest.mark.parametrize("config", [NeatConfig(), CHANGED], ids=["defaults", "changed"])
def test_what_is_written_is_read_by_neat_python_and_by_us(config: NeatConfig) -> None:
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
    assert NeatConfig(**read_ini(write_ini(config, 42, 7))[0]) == config


def test_a_complete_file_is_read_but_for_what_has_no_meaning_here() -> None:
    values, remarks = read_ini(COMPLETE)
    assert {key for key in values if getattr(CHANGED, key) == DEFAULTS[key]} == set()
    assert values["pop_size"] == 151
    assert values["feed_forward"] is False
    assert values["activation_options"] == ["sigmoid", "relu"]
    assert {type(value) for value in values.values()} == {int, float, bool, str, list}
    assert [remark.partition(" = ")[0] for remark in remarks] == [
        *("fitness_criterion", "fitness_threshold", "no_fitness_termination"),
        *("time_constant_max_value", "num_inputs", "num_outputs"),
    ]
    assert remarks[0] == (
        "fitness_criterion = max was dropped: the champion is found by matches; use the recipe's "
        "checks"
    )


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
