"""Names of packages and the folders that hold them; all other metadata is in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import find_packages, setup

LAYERS = ["arena", "cli", "core", "evolve", "games", "genomes", "players", "runs", "studies", "web"]
"""Folders that are built as packages inside ``evolve_arena``. The links of that folder are for
tools alone: a clone without symbolic links has small text files in their place."""

missing = [f"{layer}/" for layer in LAYERS if not Path(layer, "__init__.py").is_file()]
if missing:
    sys.exit(f"evolve-arena cannot be built: {', '.join(missing)} should lie beside setup.py")

setup(
    package_dir={f"evolve_arena.{layer}": layer for layer in LAYERS},
    packages=[
        "evolve_arena",
        *(f"evolve_arena.{name}" for name in find_packages() if name.split(".")[0] in LAYERS),
    ],
    package_data={
        "": [
            "recipes/*.toml",
            "*.csv",
            "data/*.csv",
            "data/*.json",
            "data/*/*.safetensors",
            "page/*",
            "py.typed",
            "*.txt",
            "static/*",
            "templates/*.c",
        ]
    },
)
