"""Checkpoints: a method's state as a safetensors blob, and the newest good one of a run."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields, is_dataclass
from typing import Any, cast, get_type_hints

import numpy as np
from numpy.typing import NDArray

from evolve.method import Method, State
from genomes.tensors import DamagedFileError, NewerFormatError, read_tensors, write_tensors
from runs.directory import RunDirectory
from runs.errors import CheckpointError, StorageError
from runs.files import write_whole

__all__ = ["digest_population", "load_checkpoint", "read_state", "save_checkpoint", "write_state"]

FORMAT = 1


def write_state(state: State, method: Method[Any]) -> bytes:
    """A blob of *state*: its arrays as tensors, everything else as JSON."""
    arrays: dict[str, NDArray[Any]] = {}
    values = _take_apart(state, "", arrays)
    description = {"method": method.name, "design": asdict(method.design), "state": values}
    return write_tensors("checkpoint", FORMAT, arrays, description)


def read_state(blob: bytes, method: Method[Any]) -> Any:
    """The state that :func:`write_state` wrote.

    Raises:
        DamagedFileError: The blob is not whole, or of another method or design.
        NewerFormatError: A later version wrote it.
    """
    content = read_tensors("checkpoint", FORMAT, blob)
    if content.description.get("method") != method.name:
        raise DamagedFileError(f"it is of the method {content.description.get('method')!r}")
    if mismatch := _compare_designs(content.description.get("design"), method):
        raise DamagedFileError(f"it does not fit the recipe: {mismatch}")
    try:
        arrays = dict(content.arrays)
        state = _put_together(method.state_type, content.description["state"], "", arrays)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"its state is incomplete ({error})") from None
    if arrays:
        raise DamagedFileError(f"its state has no {sorted(arrays)[0]!r}")
    return state


def digest_population(population: Any) -> str:
    """The SHA-256 of an array, or of all arrays of a dataclass, as hexadecimal digits."""
    digest = hashlib.sha256()
    arrays = {"": population}
    if is_dataclass(population):
        arrays = {field.name: getattr(population, field.name) for field in fields(population)}
    for name, array in arrays.items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _compare_designs(written: Any, method: Method[Any]) -> str | None:
    """In what a checkpoint's genomes mean other players than those of *method*.

    Genomes of one design can have the form of those of another one.
    """
    own = json.loads(json.dumps(asdict(method.design)))
    for key, value in written.items() if isinstance(written, dict) else ():
        if key in own and own[key] != value:
            return f"its genomes are made for {key} {value!r}, not {own[key]!r}"
    return None


def _take_apart(part: Any, prefix: str, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """What is no array in the dataclass *part*; arrays go to *arrays*, by dotted name."""
    values: dict[str, Any] = {}
    for field in fields(part):
        value, name = getattr(part, field.name), prefix + field.name
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif is_dataclass(value):
            values[field.name] = _take_apart(value, f"{name}.", arrays)
        else:
            values[field.name] = value
    return values


def _put_together(
    kind: type[Any], values: dict[str, Any], prefix: str, arrays: dict[str, NDArray[Any]]
) -> Any:
    """The dataclass *kind* of these *values*, and of *arrays*, which are taken out of there."""
    parts = dict(values)
    hints = get_type_hints(kind)
    for field in fields(kind):
        name, hint = prefix + field.name, hints[field.name]
        if name in arrays:
            parts[field.name] = arrays.pop(name)
        elif is_dataclass(hint):
            parts[field.name] = _put_together(
                cast(type[Any], hint), parts[field.name], f"{name}.", arrays
            )
        elif isinstance(hint, type) and issubclass(hint, tuple):
            parts[field.name] = hint(*parts[field.name])
    return kind(**parts)


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
        CheckpointError: There is none, or the one that was asked for is of no use.
        StorageError: One can't be read from the disk.
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
        except IsADirectoryError:
            problems.append(f"{path.name} can't be used: it is a folder")
            continue
        except OSError as error:  # it may well be whole: nothing is to be put aside
            raise StorageError(f"{path} can't be read: {error.strerror}") from None
        except (DamagedFileError, NewerFormatError, json.JSONDecodeError) as error:
            problems.append(f"{path.name} can't be used: {error}")
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
