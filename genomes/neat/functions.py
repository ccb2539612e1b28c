"""The activations and aggregations of neat-python, compiled."""

from __future__ import annotations

__all__ = ["ACTIVATIONS", "AGGREGATIONS"]

ACTIVATIONS = (
    "sigmoid",
    "tanh",
    "sin",
    "gauss",
    "relu",
    "elu",
    "lelu",
    "selu",
    "softplus",
    "identity",
    "clamped",
    "inv",
    "log",
    "exp",
    "abs",
    "hat",
    "square",
    "cube",
)
"""The names of neat-python's activations; a genome holds a name's place in this row."""

AGGREGATIONS = ("product", "sum", "max", "min", "maxabs", "median", "mean")
"""The names of neat-python's aggregations; a genome holds a name's place in this row."""
