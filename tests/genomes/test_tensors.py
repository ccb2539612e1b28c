"""Blobs of arrays: they come back whole, or not at all."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from evolve_arena.core.types import JsonObject
from evolve_arena.genomes.tensors import (
    DamagedFileError,
    NewerFormatError,
    Tensors,
    read_tensors,
    write_tensors,
)

ARRAYS = {
    "population": np.arange(12, dtype=np.float32).reshape(3, 4),
    "seeds": np.array([1, 2**63], dtype=np.uint64),
    "empty": np.zeros((0, 507), dtype=np.float32),
}
DESCRIPTION = {"generation": 7, "name": "żółw", "nested": {"list": [1, 2.5, None]}}
BLOB = write_tensors("state", 3, ARRAYS, DESCRIPTION)

numbers = st.sampled_from([np.float32, np.float64, np.int8, np.int32, np.int64, np.uint64]).flatmap(
    lambda kind: arrays(kind, array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False)
json_values = st.recursive(
    scalars | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
names = st.text(min_size=1, max_size=8).filter(lambda name: name != "__metadata__")


def assert_same(content: Tensors, expected: dict[str, np.ndarray], description: JsonObject) -> None:
    assert sorted(content.arrays) == sorted(expected)
    for name, array in expected.items():
        found = content.arrays[name]
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert found.tobytes() == array.tobytes()
    assert content.description == description


@given(st.dictionaries(names, numbers, max_size=4), st.dictionaries(st.text(), json_values))
@settings(max_examples=100)
def test_anything_comes_back(contents: dict, description: dict) -> None:
    content = read_tensors("state", 1, write_tensors("state", 1, contents, description))
    assert_same(content, contents, description)


def test_equal_contents_make_equal_blobs() -> None:
    turned_round = dict(reversed(ARRAYS.items()))
    strided = {**ARRAYS, "population": np.asfortranarray(ARRAYS["population"])}
    other_order = dict(reversed(DESCRIPTION.items()))
    assert write_tensors("state", 3, turned_round, DESCRIPTION) == BLOB
    assert write_tensors("state", 3, strided, other_order) == BLOB


def test_older_versions_are_read_and_newer_ones_named() -> None:
    assert read_tensors("state", 9, BLOB).description == DESCRIPTION
    with pytest.raises(NewerFormatError) as caught:
        read_tensors("state", 2, BLOB)
    assert str(caught.value) == ("written in format 3; this version of evolve reads up to 2")


def test_other_kinds_are_named() -> None:
    with pytest.raises(DamagedFileError) as caught:
        read_tensors("player", 3, BLOB)
    assert str(caught.value) == "not a player file but 'evolve-arena state'"


def with_header(change: dict[str, object], blob: bytes = BLOB) -> bytes:
    """Return the blob with some of its metadata changed."""
    length = int.from_bytes(blob[:8], "little")
    header = json.loads(blob[8 : 8 + length])
    header["__metadata__"].update(change)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + blob[8 + length :]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": "three"}, "its format's version is unreadable"),
        ({"version": ""}, "its format's version is unreadable"),
        ({"sha256": "0" * 64}, "its digest does not match its content"),
        ({"description": "{}"}, "its digest does not match its content"),
        ({"format": "else"}, "not a state file but 'else'"),
        ({"format": ""}, "not a state file"),
        ({"version": 3}, "its header has no description"),
    ],
)
def test_altered_headers_are_damage(change: dict[str, object], message: str) -> None:
    with pytest.raises(DamagedFileError) as caught:
        read_tensors("state", 3, with_header(change))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"1234567",
        b"\xff" * 8,
        b"\xff" * 100,
        bytes(8),
        (2).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        (4).to_bytes(8, "little") + b"null",
        (1).to_bytes(8, "little") + b"{",
        (200_000).to_bytes(8, "little") + b"[" * 200_000,
        (2).to_bytes(8, "little") + b"\xff\xfe",
        b"PK\x03\x04" + bytes(40),
    ],
)
def test_other_files_are_damage(blob: bytes) -> None:
    with pytest.raises(DamagedFileError):
        read_tensors("state", 3, blob)


@given(st.integers(0, len(BLOB) - 1), st.integers(1, 255))
@settings(max_examples=500)
def test_a_changed_byte_is_noticed(place: int, change: int) -> None:
    damaged = bytearray(BLOB)
    damaged[place] ^= change
    assert_refused(bytes(damaged))


@given(st.data())
@settings(max_examples=300)
def test_any_damage_is_noticed(data: st.DataObject) -> None:
    """Bytes flipped, cut out, doubled, or put in, several times over."""
    damaged = bytearray(BLOB)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, max(0, len(damaged) - 1)))
        end = data.draw(st.integers(start, min(len(damaged), start + 40)))
        damaged[start:end] = data.draw(
            st.one_of(st.binary(max_size=40), st.just(bytes(damaged[start:end]) * 2))
        )
    if bytes(damaged) != BLOB:
        assert_refused(bytes(damaged))


def assert_refused(blob: bytes) -> None:
    """Assert that the blob is refused, or read exactly as it was written."""
    try:
        content = read_tensors("state", 3, blob)
    except (DamagedFileError, NewerFormatError):
        return
    assert_same(content, ARRAYS, DESCRIPTION)
