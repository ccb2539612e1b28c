"""Checkpoints: a method's state as a safetensors blob, and the newest usable one of a run."""

from __future__ import annotations

import hashlib
import json
import reprlib
from dataclasses import Field, asdict, fields, is_dataclass, make_dataclass
from typing import Any, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import spell
from evolve_arena.core.logs import LOG
from evolve_arena.core.types import Array, Arrays, JsonObject
from evolve_arena.evolve.method import AnyState, Method, State
from evolve_arena.genomes.limits import MAX_BYTES
from evolve_arena.genomes.neat.population import NeatPopulation
from evolve_arena.genomes.tensors import (
    DamagedFileError,
    NewerFormatError,
    is_newer_format,
    read_blob,
    read_tensors,
    write_tensors,
)
from evolve_arena.genomes.tuples import TuplePopulation
from evolve_arena.runs.errors import CheckpointError, StorageError
from evolve_arena.runs.recipes.sections import RunConfig
from evolve_arena.runs.store.directory import RunDirectory
from evolve_arena.runs.store.files import explain_storage_errors

FORMAT = 1
LARGEST = MAX_BYTES // 2
"""Maximum bytes of a checkpoint that is read: half of the memory that a generation may take."""


def write_state(state: State, method: Method[State], run: RunConfig | None = None) -> bytes:
    """Serialise *state*: arrays as tensors, everything else as JSON.

    Args:
        state: State of *method*.
        method: The run's method.
        run: Section ``[run]`` of the recipe, whose id and seed are written as well.
    """
    arrays: Arrays = {}
    values = _take_apart(state, "", arrays)
    description: JsonObject = {
        "method": method.name,
        "decoder": asdict(method.decoder),
        "state": values,
    }
    if run is not None and run.id is not None:
        description |= {"run": run.id, "seed": run.seed}
    return write_tensors("checkpoint", FORMAT, arrays, description)


def read_state(blob: bytes, method: Method[State], run: RunConfig | None = None) -> State:
    """Return the state that :func:`write_state` wrote.

    Args:
        blob: Content of the checkpoint.
        method: Method that the state must belong to.
        run: Section ``[run]`` of the recipe that the state must belong to, if any.

    Raises:
        DamagedFileError: The blob is incomplete, or of another method, decoder or run.
        NewerFormatError: A later version wrote it.
    """
    content = read_tensors("checkpoint", FORMAT, blob)
    # The description is compared with the recipe before anything is made of it.
    if content.description.get("method") != method.name:
        raise DamagedFileError(f"it is of the method {_show(content.description.get('method'))}")
    if mismatch := _compare_decoders(content.description.get("decoder"), method):
        raise DamagedFileError(f"it does not fit the recipe: {mismatch}")
    if run is not None and content.description.get("run") != run.id:
        raise DamagedFileError("it belongs to another run")
    # The state must use every array, and have every field.
    try:
        arrays = dict(content.arrays)
        state: State = _put_together(method.state_type, content.description["state"], "", arrays)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"its state is incomplete ({error})") from None
    if arrays:
        raise DamagedFileError(f"its state has no {sorted(arrays)[0]!r}")
    if run is not None and state.seed != run.seed:
        raise DamagedFileError(f"it belongs to a run with the seed {state.seed}, not {run.seed}")
    return state


def digest_population(population: object) -> str:
    """Return the SHA-256 of an array, or of all arrays of a dataclass, as hexadecimal digits."""
    digest = hashlib.sha256()
    arrays = {"": population}
    if is_dataclass(population):
        arrays = {field.name: getattr(population, field.name) for field in fields(population)}
    for name, array in arrays.items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _compare_decoders(written: object, method: Method[State]) -> str | None:
    """Describe a difference between the decoder of a checkpoint and that of *method*, if any.

    Genomes of different decoders can have the same shape.
    """
    own = json.loads(json.dumps(asdict(method.decoder)))
    for key, value in written.items() if isinstance(written, dict) else ():
        if key in own and own[key] != value:
            return f"its genomes are made for {key} {_show(value)}, not {_show(own[key])}"
    return None


def _take_apart(part: Any, prefix: str, arrays: Arrays) -> JsonObject:
    """Return the fields of the dataclass *part* except arrays, which are added to *arrays*."""
    values: JsonObject = {}
    for field in fields(part):
        value, stored = getattr(part, field.name), find_stored_name(field)
        name = prefix + stored
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif is_dataclass(value):
            values[stored] = _take_apart(value, f"{name}.", arrays)
        elif type(value) is tuple:  # of islands
            parts: list[JsonObject | None] = [None] * len(value)  # None stands for an array
            for place, each in enumerate(value):
                if isinstance(each, np.ndarray):
                    arrays[f"{name}.{place}"] = each
                else:
                    parts[place] = _take_apart(each, f"{name}.{place}.", arrays)
            values[stored] = parts
        else:
            values[stored] = value
    return values


def _put_together(kind: type[Any], values: JsonObject, prefix: str, arrays: Arrays) -> Any:
    """Build a dataclass *kind* from *values* and *arrays*; remove the arrays that it uses.

    Args:
        kind: Dataclass whose annotations decide the types.
        values: Values without arrays, by field.
        prefix: Beginning of the names of its arrays.
        arrays: Arrays by dotted name.

    Raises:
        TypeError: A value is not of the annotated type.
        KeyError: A value is missing.
    """
    if kind is AnyState:
        return _put_anything_together(values, prefix, arrays)
    names = {find_stored_name(field): field.name for field in fields(kind)}
    parts = {names.get(name, name): value for name, value in values.items()}
    hints = get_type_hints(kind)
    # A field is an array, a tuple of arrays or states (of islands), a dataclass, a named tuple of
    # counters, or a whole number.
    for field in fields(kind):
        name, hint = prefix + find_stored_name(field), hints[field.name]
        if dtype := _find_dtype(hint):
            parts[field.name] = _pick(dtype, name, arrays)
        elif get_origin(hint) is tuple:
            inner = get_args(hint)[0]
            dtype = _find_dtype(inner)
            parts[field.name] = tuple(
                _pick(dtype, f"{name}.{place}", arrays)
                if dtype
                else _put_together(inner, each, f"{name}.{place}.", arrays)
                for place, each in enumerate(parts[field.name])
            )
        elif is_dataclass(hint):
            parts[field.name] = _put_together(
                cast(type[Any], hint), parts[field.name], f"{name}.", arrays
            )
        elif isinstance(hint, type) and issubclass(hint, tuple):
            numbers = parts[field.name]
            if type(numbers) is not list:
                raise TypeError(f"{name} is {_show(numbers)}, not a list")
            checked = [_check_number(name, number) for number in numbers]
            parts[field.name] = cast(Any, hint)(*checked)
        else:
            parts[field.name] = _check_number(name, parts[field.name])
    return kind(**parts)


def find_stored_name(field: Field[Any]) -> str:
    """Return the name of a state's *field* in files, which is kept if the field is renamed."""
    return str(field.metadata.get("stored", field.name))


def _put_anything_together(values: JsonObject, prefix: str, arrays: Arrays) -> Any:
    """Build a dataclass from all *values*, and *arrays* whose names begin with *prefix*.

    States of unknown methods, whose classes are absent here, are read in this way.
    """
    parts: JsonObject = {}
    for name, value in values.items():
        place = f"{prefix}{name}"
        if isinstance(value, dict):
            parts[name] = _put_anything_together(value, f"{place}.", arrays)
        else:
            is_number = name in ("seed", "generation")
            parts[name] = _check_number(place, value) if is_number else value
    for name in [name for name in arrays if name.startswith(prefix)]:
        parts[name.removeprefix(prefix)] = arrays.pop(name)
    for kind in (NeatPopulation, TuplePopulation):
        if parts.keys() == {field.name for field in fields(kind)}:
            return kind(**parts)
    return make_dataclass("State", parts, frozen=True, eq=False)(**parts)


def _find_dtype(hint: object) -> np.dtype[Any] | None:
    """Return the element type of an annotation ``NDArray[...]``; None if it is another one."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is np.ndarray:
        arguments = get_args(arguments[1])
    elif origin is not NDArray:  # a type alias since NumPy 2.5
        return None
    dtype: np.dtype[Any] = np.dtype(arguments[0])
    return dtype


def _pick(dtype: np.dtype[Any], name: str, arrays: Arrays) -> Array:
    """Remove the array called *name* of type *dtype* from *arrays* and return it."""
    array = arrays.pop(name)
    if array.dtype != dtype:
        raise TypeError(f"{name} is of type {array.dtype}, not {dtype}")
    return array


def _check_number(name: str, value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise TypeError(f"{name} is {_show(value)}, not a whole number from 0 to 2^63 - 1")
    return value


def _find_lost_numbers(part: Any) -> str | None:
    """Return the name of an array in the dataclass *part* with NaN or infinity; None if none."""
    for field in fields(part):
        value = getattr(part, field.name)
        if type(value) is tuple:
            found = (_find_lost_numbers(part) for part in value if is_dataclass(part))
            if lost := next(filter(None, found), None):
                return f"{find_stored_name(field)}.{lost}"
        if is_dataclass(value):
            if lost := _find_lost_numbers(value):
                return f"{find_stored_name(field)}.{lost}"
        elif not isinstance(value, np.ndarray) or not field.metadata.get("finite", True):
            continue
        elif not np.isfinite(value).all():
            return find_stored_name(field)
    return None


def _show(value: object) -> str:
    return reprlib.repr(value)


def save_checkpoint(
    directory: RunDirectory, state: State, method: Method[State], run: RunConfig | None = None
) -> None:
    """Write the checkpoint of *state*, whole or not at all.

    Args:
        directory: Run directory, which must be locked.
        state: State of *method*.
        method: The run's method.
        run: Section ``[run]`` of the recipe, which identifies the run.

    Raises:
        CheckpointError: The state holds NaN or infinity.
        StorageError: It can't be written; other checkpoints are untouched.
    """
    if name := _find_lost_numbers(state):
        raise CheckpointError(
            f"{directory.path}: in generation {state.generation} {name} is no longer finite (NaN"
            " or infinity came up), so nothing is saved; continue from the last checkpoint with"
            " smaller mutations"
        )
    blob, file = write_state(state, method, run), directory.checkpoint(state.generation)
    directory.write(file, blob)
    LOG.info("checkpoint: %s, %d bytes", file.name, len(blob))


def drop_checkpoints(directory: RunDirectory, run: RunConfig) -> None:
    """Delete the checkpoints that the section ``[run]`` of the recipe does not keep.

    Raises:
        StorageError: One can't be deleted.
    """
    found = directory.generations()
    dropped = sorted(set(found) - run.keeps(found))
    for path in map(directory.checkpoint, dropped):
        if not is_newer_format("checkpoint", FORMAT, path):
            directory.check_held()
            with explain_storage_errors(path):
                path.unlink(missing_ok=True)


def load_checkpoint(
    directory: RunDirectory,
    method: Method[State],
    generation: int | None = None,
    run: RunConfig | None = None,
) -> tuple[State, list[str]]:
    """Return the state at *generation*, or the newest one that can be read.

    Args:
        directory: Run directory.
        method: The run's method.
        generation: Generation of the checkpoint; the newest usable one if None.
        run: Section ``[run]`` of the recipe; checkpoints of other runs are not used.

    Returns:
        The state, and a line about each newer checkpoint that could not be read.

    Raises:
        CheckpointError: There is no usable checkpoint, or a newer version wrote the newest one.
        StorageError: A checkpoint can't be read from the disk.
    """
    found = directory.generations()
    if generation is not None:
        if generation not in found:
            near = min(found, key=lambda each: abs(each - generation), default="none")
            raise CheckpointError(
                f"{directory.path} has no checkpoint of generation {generation}"
                f" (nearest: {near}; it has: {_list(found)})"
            )
        found = [generation]
    problems: list[str] = []
    for number in reversed(found):
        try:
            return read_checkpoint(directory, method, number, run), problems
        except NewerFormatError as error:
            raise CheckpointError(
                f"{directory.checkpoint(number)} is of a newer version of evolve ({error}): update"
                " evolve, or choose an earlier checkpoint with"
                f" {spell('--from', 'from_generation=')}"
            ) from None
        except DamagedFileError as error:
            problems.append(f"{directory.checkpoint(number).name} can't be used: {error}")
    if not found:
        again = f"start it again with {spell('--force', 'force=True')}"
        raise CheckpointError(f"{directory.path} has no checkpoint; {again}")
    raise CheckpointError(f"{directory.path} has no usable checkpoint: {'; '.join(problems)}")


def read_checkpoint(
    directory: RunDirectory, method: Method[State], generation: int, run: RunConfig | None
) -> State:
    """Return the state in the checkpoint of *generation*; see :func:`load_checkpoint`.

    Args:
        directory: Run directory.
        method: Method that the state must belong to.
        generation: Generation of the checkpoint.
        run: Section ``[run]`` of the recipe that the state must belong to; any if None.

    Raises:
        DamagedFileError: It is incomplete, or of another run, method or generation.
        NewerFormatError: A later version wrote it.
        StorageError: It can't be read from the disk.
    """
    path = directory.checkpoint(generation)
    try:
        blob = read_blob("checkpoint", FORMAT, path, LARGEST)
    except OSError as error:  # the file may well be whole, so it must not be renamed
        raise StorageError(f"{path} can't be read: {error.strerror}") from None
    state = read_state(blob, method, run)
    if state.generation != generation:
        raise DamagedFileError(f"it is of generation {state.generation}")
    if name := _find_lost_numbers(state):
        raise DamagedFileError(f"{name} holds NaN or infinity")
    if mismatch := method.find_mismatch(state):
        raise DamagedFileError(f"it does not fit the recipe: {mismatch}")
    return state


def _list(generations: list[int]) -> str:
    texts = [str(number) for number in generations]
    if len(texts) > 10:
        texts = [*texts[:4], "...", *texts[-4:]]
    return ", ".join(texts) or "none"
