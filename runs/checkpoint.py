"""Checkpoints: a method's state as a safetensors blob, and the newest good one of a run."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np

from evolve.method import Method, State
from genomes.tensors import DamagedFileError, NewerFormatError, read_tensors, write_tensors
from runs.directory import RunDirectory
from runs.errors import CheckpointError
from runs.files import write_whole

__all__ = ["load_checkpoint", "read_state", "save_checkpoint", "write_state"]

FORMAT = 1


def write_state(state: State, method: Method[Any]) -> bytes:
    """A blob of *state*: its arrays as tensors, everything else as JSON."""
    arrays, values = {}, {}
    for field in fields(state):  # type: ignore[arg-type]
        value = getattr(state, field.name)
        if isinstance(value, np.ndarray):
            arrays[field.name] = value
        else:
            values[field.name] = value
    return write_tensors("checkpoint", FORMAT, arrays, {"method": method.name, "state": values})


def read_state(blob: bytes, method: Method[Any]) -> Any:
    """The state that :func:`write_state` wrote.

    Raises:
        DamagedFileError: The blob is not whole, or of another method.
        NewerFormatError: A later version wrote it.
    """
    content = read_tensors("checkpoint", FORMAT, blob)
    if content.description.get("method") != method.name:
        raise DamagedFileError(f"it is of the method {content.description.get('method')!r}")
    try:
        return method.state_type(**content.arrays, **content.description["state"])
    except (KeyError, TypeError) as error:
        raise DamagedFileError(f"its state is incomplete ({error})") from None


def save_checkpoint(directory: RunDirectory, state: State, method: Method[Any]) -> None:
    """Writes the checkpoint of *state*, whole or not at all.

    Raises:
        StorageError: It can't be written; all others are untouched.
    """
    write_whole(directory.checkpoint(state.generation), write_state(state, method))


def load_checkpoint(
    directory: RunDirectory, method: Method[Any], generation: int | None = None
) -> tuple[Any, list[str]]:
    """The state at *generation*, or the newest one that can be read.

    Returns:
        The state, and a line about each newer checkpoint that could not be read.

    Raises:
        CheckpointError: There is none, or the one that was asked for can't be read.
    """
    found = directory.generations()
    if generation is not None:
        if generation not in found:
            raise CheckpointError(
                f"{directory.path} has no checkpoint of generation {generation}"
                f" (it has: {_list(found)})"
            )
        found = [generation]
    problems = []
    for number in reversed(found):
        path = directory.checkpoint(number)
        try:
            state = read_state(path.read_bytes(), method)
            if state.generation != number:
                raise DamagedFileError(f"it is of generation {state.generation}")
            if mismatch := method.find_mismatch(state):
                raise DamagedFileError(f"it does not fit the recipe: {mismatch}")
        except (DamagedFileError, NewerFormatError, OSError, json.JSONDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            problems.append(f"{path.name} can't be used: {reason}")
            continue
        return state, problems
    if not found:
        raise CheckpointError(f"{directory.path} has no checkpoint; start it again with --force")
    raise CheckpointError(f"{directory.path} has no usable checkpoint: {'; '.join(problems)}")


def _list(generations: list[int]) -> str:
    texts = [str(number) for number in generations]
    if len(texts) > 10:
        texts = [*texts[:4], "...", *texts[-4:]]
    return ", ".join(texts) or "none"
