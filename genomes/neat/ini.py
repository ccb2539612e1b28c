"""Configuration files of neat-python: read for our use, and written for its.

neat-python keeps its settings in INI files with a section for each of its classes; ours are
one flat section of a recipe with the same keys.
"""

from __future__ import annotations

import tempfile
from configparser import ConfigParser
from configparser import Error as IniError
from importlib import import_module
from pathlib import Path
from typing import Any

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.extras import MissingPackageError
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
"""Which of our keys stands in which of neat-python's sections."""


def read_ini(text: str) -> tuple[dict[str, Any], list[str]]:
    r"""The settings in a configuration file of neat-python.

    Values get the types that a recipe would give them; whether they are valid is for
    :class:`NeatConfig` to say.

    Args:
        text: The content of the file.

    Returns:
        The settings by key, and a remark for each one that was dropped since it has no meaning
        here, or (in the section of genomes, where neat-python overlooks such) is no key at all.

    Raises:
        BadValueError: The text is no INI file, or none of neat-python's.
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
    values: dict[str, Any] = {}
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


def write_ini(config: NeatConfig, inputs: int, outputs: int) -> str:
    """*config* as a configuration file of neat-python, for networks of that size."""
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
    """The package of neat-python, which nothing but this needs.

    Raises:
        MissingPackageError: It is not installed.
    """
    try:
        return import_module("neat")
    except ModuleNotFoundError:
        raise MissingPackageError("this needs neat-python: pip install neat-python") from None


def to_neat_python(config: NeatConfig, inputs: int, outputs: int) -> Any:
    """*config* as a ``neat.Config`` for networks of that size."""
    neat = import_neat_python()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "neat.ini"
        file.write_text(write_ini(config, inputs, outputs), encoding="utf-8")
        return neat.Config(
            neat.DefaultGenome,
            neat.DefaultReproduction,
            neat.DefaultSpeciesSet,
            neat.DefaultStagnation,
            str(file),
        )


def _to_native(key: str, text: str) -> Any:
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


def _to_text(value: Any) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
