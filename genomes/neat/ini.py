"""Configuration files of neat-python: conversion to settings of this package, and back.

neat-python's settings are INI files with a section for each of its classes; ours are one flat
section of a recipe with the same keys.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from configparser import ConfigParser
from configparser import Error as IniError
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.extras import MissingPackageError
from evolve_arena.core.types import Json, JsonObject
from evolve_arena.genomes.neat.config import NeatConfig, explain_meaningless

GENOME = "DefaultGenome"
NEAT_KEYS = ("pop_size", "reset_on_extinction")
OTHER_KEYS = {
    "DefaultSpeciesSet": ("compatibility_threshold",),
    "DefaultStagnation": ("species_fitness_func", "max_stagnation", "species_elitism"),
    "DefaultReproduction": ("elitism", "survival_threshold", "min_species_size"),
}
SECTIONS = {
    "NEAT": NEAT_KEYS,
    GENOME: tuple(
        key
        for key in NeatConfig.model_fields
        if key not in NEAT_KEYS and all(key not in keys for keys in OTHER_KEYS.values())
    ),
    **OTHER_KEYS,
}
"""Our keys in each of neat-python's sections."""
USED = ("num_inputs", "num_outputs", "seed")
"""Keys without a counterpart among our settings that :func:`read_whole_ini` uses nevertheless."""


def read_ini(text: str) -> tuple[JsonObject, list[str]]:
    r"""Read the settings in a configuration file of neat-python.

    Values get the types that they would have in a recipe; :class:`NeatConfig` validates them.

    Args:
        text: The content of the file.

    Returns:
        The settings by key, and a remark for each one that was dropped since it has no meaning here
        or, in the section of genomes, where neat-python ignores unknown keys, is unknown.

    Raises:
        BadValueError: The text is no configuration file of neat-python.
        UnknownNameError: A section or a key is unknown.

    >>> read_ini("[NEAT]\npop_size = 80\nfitness_threshold = 3.9")[0]
    {'pop_size': 80}
    """
    parser = ConfigParser()
    try:
        parser.read_string(text)
        entries = {section: parser.items(section) for section in parser.sections()}
    except IniError as error:
        raise BadValueError(f"no configuration of neat-python: {_one_line(error)}") from None
    if not entries:
        raise BadValueError("no configuration of neat-python: it has no section")
    values: JsonObject = {}
    remarks: list[str] = []
    for section, items in entries.items():
        if section not in SECTIONS:
            raise UnknownNameError("section", section, SECTIONS)
        for key, value in items:
            reason = explain_meaningless(key)
            if key not in SECTIONS[section] and not reason:
                unknown = UnknownNameError(f"key of [{section}]", key, SECTIONS[section])
                if section != GENOME:
                    raise unknown
                hint = f"; did you mean {unknown.nearest!r}?" if unknown.nearest else ""
                reason = f"neat-python does not read it{hint}"
            if reason:
                remarks.append(f"{key} = {_one_line(value)} was dropped: {reason}")
            else:
                values[key] = _to_native(key, value)
    return values, remarks


@dataclass(frozen=True)
class WholeIni:
    """A configuration file as neat-python itself reads it."""

    values: JsonObject
    """All our settings, by key; neat-python's defaults where the file has none."""
    inputs: int
    outputs: int
    seed: int | None
    remarks: tuple[str, ...]
    """Parts of the file that have no effect here, with reasons."""


def read_whole_ini(text: str) -> WholeIni:
    """Read the settings of a complete configuration file with neat-python itself.

    Raises:
        BadValueError: neat-python can't use the file, or the text is no such file.
        UnknownNameError: A section or a key is unknown.
        MissingPackageError: neat-python is not installed.
    """
    _, dropped = read_ini(text)
    remarks = _group(each for each in dropped if each.partition(" ")[0] not in USED)
    config = _load(text)
    places = {
        "NEAT": config,
        GENOME: config.genome_config,
        "DefaultSpeciesSet": config.species_set_config,
        "DefaultStagnation": config.stagnation_config,
        "DefaultReproduction": config.reproduction_config,
    }
    values = {key: getattr(places[name], key) for name, keys in SECTIONS.items() for key in keys}
    genome = config.genome_config
    if genome.connection_fraction is not None:
        values["initial_connection"] += f" {genome.connection_fraction}"
    for key in ("activation_options", "aggregation_options"):
        values[key] = [name for name in values[key] if name]
    if values["single_structural_mutation"] == "false":
        # Its default is the text "false", which Python takes for true.
        values["single_structural_mutation"] = True
        remarks.append(
            "single_structural_mutation is left out, which neat-python takes for True: write it"
        )
    return WholeIni(values, genome.num_inputs, genome.num_outputs, config.seed, tuple(remarks))


def write_ini(config: NeatConfig, inputs: int, outputs: int) -> str:
    """Write *config* as a configuration file of neat-python, for networks of that size.

    Args:
        config: Settings of NEAT.
        inputs: Number of inputs of the networks.
        outputs: Number of outputs.
    """
    fixed = {
        "NEAT": {
            "fitness_criterion": "max",
            "fitness_threshold": "0.0",
            "no_fitness_termination": "True",
        },
        GENOME: {"num_inputs": str(inputs), "num_outputs": str(outputs)},
    }
    lines: list[str] = []
    for section, keys in SECTIONS.items():
        lines.append(f"[{section}]")
        own = {key: _to_text(getattr(config, key)) for key in keys}
        lines += [f"{key} = {text}" for key, text in (fixed.get(section, {}) | own).items()]
        lines.append("")
    return "\n".join(lines)


def import_neat_python() -> Any:
    """Import neat-python, which only these conversions need.

    Raises:
        MissingPackageError: neat-python is not installed.
    """
    try:
        return import_module("neat")
    except ModuleNotFoundError:
        raise MissingPackageError("this needs neat-python: pip install neat-python") from None


def to_neat_python(config: NeatConfig, inputs: int, outputs: int) -> Any:
    """Convert *config* to a ``neat.Config`` for networks of that size.

    Args:
        config: Settings of NEAT.
        inputs: Number of inputs of the networks.
        outputs: Number of outputs.

    Raises:
        MissingPackageError: neat-python is not installed.
        BadValueError: neat-python refuses the settings.
    """
    return _load(write_ini(config, inputs, outputs))


def _load(text: str) -> Any:
    """Return the ``neat.Config`` of the *text* of a file."""
    neat = import_neat_python()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "neat.ini"
        file.write_text(text, encoding="utf-8")
        try:
            return neat.Config(
                neat.DefaultGenome,
                neat.DefaultReproduction,
                neat.DefaultSpeciesSet,
                neat.DefaultStagnation,
                str(file),
            )
        except Exception as error:  # neat-python raises no narrower ones
            told = _one_line(error) or type(error).__name__
            raise BadValueError(f"neat-python can't use this configuration: {told}") from error


def _group(remarks: Iterable[str]) -> list[str]:
    """Join *remarks* with the same reason."""
    keys: dict[str, list[str]] = {}
    for remark in remarks:
        key, _, reason = remark.partition(" was dropped: ")
        keys.setdefault(reason, []).append(key)
    return [
        f"{', '.join(each)} {'were' if len(each) > 1 else 'was'} dropped: {reason}"
        for reason, each in keys.items()
    ]


def _to_native(key: str, text: str) -> Json:
    if key.endswith("_options"):
        return text.split()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _to_text(value: object) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
