"""The package's metadata; the build backend and the tools' settings are in pyproject.toml."""

from pathlib import Path

from setuptools import find_packages, setup

DOCS = [
    "ipykernel>=6.29",
    "mkdocs>=1.6",
    "mkdocs-material>=9.6",
    "mkdocstrings[python]>=1.0",
    "nbclient>=0.10",
    "nbconvert>=7.16",
    "typer>=0.29",
]

setup(
    name="evolve-arena",
    version="0.1.0",
    description="Breed board-game players by neuroevolution, in matches against each other",
    long_description=Path(__file__).with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    python_requires=">=3.11",
    packages=find_packages(include=["evolve_arena", "evolve_arena.*"]),
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
        ]
    },
    install_requires=[
        "deap>=1.4.4",
        "matplotlib>=3.9",
        "multiprocess>=0.70.17",
        "neat-python>=2.0",
        "numba>=0.61",
        "numpy>=2.0",
        "openskill>=6.0",
        "platformdirs>=4.2",
        "psutil>=6.0",
        "pydantic>=2.8",
        "rich>=13.7",
        "safetensors>=0.4.5",
        "scikit-learn>=1.5",
        "scipy>=1.13",
        "starlette>=0.41",
        "threadpoolctl>=3.5",
        "tomli-w>=1.1",
        "typer>=0.15",
        "uvicorn>=0.32",
    ],
    extras_require={
        "docs": DOCS,
        "test": [
            *DOCS,
            "bitbully>=0.0.79",
            "hypothesis>=6.100",
            "import-linter>=2.1",
            "mypy>=1.13",
            "open_spiel>=1.5",
            "playwright>=1.45",
            "pydraughts>=0.6.7",
            "pytest>=8.3",
            "pytest-xdist>=3.6",
            "pyyaml>=6.0",
            "ruff>=0.9",
        ],
        "fuzz": ["atheris>=3"],
        "hosts": ["kaggle-environments>=1.16"],
        "openspiel": ["open_spiel>=1.5"],
        "parquet": ["pyarrow>=15"],
    },
    entry_points={"console_scripts": ["evolve = evolve_arena.runs.cli:main"]},
)
