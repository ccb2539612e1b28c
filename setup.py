"""The package's metadata; the build backend and the tools' settings are in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import find_packages, setup

LAYERS = ["arena", "cli", "core", "evolve", "games", "genomes", "players", "runs", "studies", "web"]
"""Folders that are built as packages inside ``evolve_arena``. The links of that folder are for
tools alone: a clone without symbolic links has small text files in their place."""
DOCS = [
    "ipykernel>=6.29",
    "mkdocs>=1.6",
    "mkdocs-material>=9.6",
    "nbclient>=0.10",
    "nbconvert>=7.16",
    "pandas>=2",
    "scipy>=1.13",
    "typer>=0.29",
]
PAGE = ["starlette>=0.41", "uvicorn>=0.32"]
RATINGS = ["openskill>=6.0"]
STUDIES = ["scipy>=1.13"]

missing = [f"{layer}/" for layer in LAYERS if not Path(layer, "__init__.py").is_file()]
if missing:
    sys.exit(f"evolve-arena cannot be built: {', '.join(missing)} should lie beside setup.py")

setup(
    name="evolve-arena",
    version="0.1.0",
    description="Breed board-game players by neuroevolution, in matches against each other",
    long_description=Path(__file__).with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    python_requires=">=3.11",
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
    install_requires=[
        "deap>=1.4.4",
        "dill>=0.3.9",
        "matplotlib>=3.9",
        "multiprocess>=0.70.17",
        "neat-python>=2.0",
        "numba>=0.61",
        "numpy>=2.0",
        "platformdirs>=4.2",
        "psutil>=6.0",
        "pydantic>=2.8",
        "rich>=13.7",
        "safetensors>=0.4.5",
        "tomli-w>=1.1",
        "typer>=0.15",
    ],
    extras_require={
        "docs": DOCS,
        "test": [
            *DOCS,
            *PAGE,
            *RATINGS,
            *STUDIES,
            "alembic>=1.13",
            "bitbully>=0.0.79",
            "hypothesis>=6.100",
            "import-linter>=2.1",
            "mlflow-skinny>=3",
            "mypy>=1.13",
            "networkx>=3.3",
            "onnx>=1.16",
            "onnxruntime>=1.20",
            "open_spiel>=1.5",
            "pettingzoo>=1.24",
            "playwright>=1.45",
            "pydraughts>=0.6.7",
            "pygame>=2.3",
            "pyte>=0.8",
            "pytest>=9.0",
            "pytest-xdist>=3.6",
            "pyyaml>=6.0",
            "ray[client]>=2.52",
            "ruff>=0.9",
            "setuptools>=70.1",
            "sqlalchemy>=2",
            "tensorboardX>=2.6",
            "wandb>=0.19",
        ],
        "fuzz": ["atheris>=3"],
        "hosts": ["kaggle-environments>=1.16", "pettingzoo>=1.24", "pygame>=2.3"],
        "notebook": ["ipykernel>=6", "pandas>=2"],
        "onnx": ["onnx>=1.16"],
        "openspiel": ["open_spiel>=1.5"],
        "page": PAGE,
        "pandas": ["pandas>=2"],
        "parquet": ["pyarrow>=15"],
        "ratings": RATINGS,
        "ray": ["ray[client]>=2.52"],
        "studies": STUDIES,
    },
    entry_points={"console_scripts": ["evolve = evolve_arena.cli.main:main"]},
)
