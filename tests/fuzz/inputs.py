"""Hypothesis strategies for hostile values, texts and files."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import hypothesis
import numpy as np
import tomli_w
from hypothesis import strategies as st

from evolve_arena.core.types import Array, Arrays, Json, Number
from evolve_arena.genomes.tensors import read_tensors, write_tensors

NASTY_TEXTS = [
    *("", " ", "\0", "\n", "\x1b[31m", "[/b]", "$$", "٣", "²", "é", "\udc80", "\ufeff", "..", "/"),
    *("~", "nan", "inf", "-0", "1e999", "0x" + "f" * 5000, "9" * 30, "9" * 5000, "-" + "9" * 5000),
    *("x" * 300, "x" * 100_000, "[" * 3000, '{"a":' * 3000, "(" * 3000, '"', "'", '"""', "@", "="),
    ",",
]
NASTY_NUMBERS = [
    *(0, 1, -1, 2, 10, 64, 65, 255, 256, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63),
    *(-(2**63), -(2**63) - 1, 10**30, 10**400, 0.0, -0.0, 0.5, 1e308, 5e-324, -1e308),
    *(float("nan"), float("inf"), float("-inf")),
]
texts = st.one_of(st.sampled_from(NASTY_TEXTS), st.text(max_size=12))
numbers = st.one_of(st.sampled_from(NASTY_NUMBERS), st.integers(-20, 100), st.floats(width=32))
values = st.recursive(
    st.one_of(numbers, texts, st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)


@st.composite
def change_text(
    draw: st.DrawFn, bases: st.SearchStrategy[str], pieces: st.SearchStrategy[str]
) -> bytes:
    """Draw one of the texts *bases*, with pieces cut out, doubled, or replaced by *pieces*."""
    text = draw(bases)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2, 3]))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 2, 5, 20, 1000])))
        piece = draw(st.one_of(pieces, st.just(""), st.just(text[start:end] * 2), texts))
        text = text[:start] + piece + text[end:]
    return text[:300_000].encode("utf-8", "surrogatepass")


@st.composite
def change_bytes(draw: st.DrawFn, bases: st.SearchStrategy[bytes], within: int = 3000) -> bytes:
    """Draw one of *bases*, with bytes changed *within* so many, or cut."""
    blob = bytearray(draw(bases))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, min(len(blob), within) - 1)))
        blob[place : place + draw(st.integers(0, 2))] = draw(st.binary(max_size=3))
    return bytes(blob[: draw(st.one_of(st.just(len(blob)), st.integers(0, len(blob))))])


def words(*pieces: str) -> st.SearchStrategy[str]:
    """Return pieces of a language, now and then a text that does not belong there."""
    return st.one_of(st.sampled_from(pieces), st.sampled_from(pieces), texts)


def lines(piece: st.SearchStrategy[str], most: int, between: str = " ") -> st.SearchStrategy[bytes]:
    """Return texts of up to *most* pieces."""
    joined = st.lists(piece, max_size=most).map(between.join)
    return joined.map(lambda text: text[:300_000].encode("utf-8", "surrogatepass"))


@st.composite
def change_json(draw: st.DrawFn, bases: st.SearchStrategy[Json]) -> Json:
    """Draw one of *bases*, which are as JSON or TOML gives them, with up to three other values."""
    tree = json.loads(json.dumps(draw(bases)))
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 3]))):
        tree = _change_somewhere(draw, tree)
    return tree


def _change_somewhere(draw: st.DrawFn, tree: Json) -> Json:
    """Replace, remove, rename or add something at a random place of the *tree*."""
    keys = (
        list(tree)
        if isinstance(tree, dict)
        else list(range(len(tree)))
        if isinstance(tree, list)
        else []
    )
    if not keys or draw(st.integers(0, 5)) == 0:
        return draw(values)
    key = draw(st.sampled_from(keys))
    action = draw(st.sampled_from(["down", "down", "down", "remove", "rename", "double"]))
    if action == "down":
        tree[key] = _change_somewhere(draw, tree[key])
    elif action == "remove":
        del tree[key]
    elif isinstance(tree, list):
        tree.append(tree[key])
    else:
        tree[draw(texts)] = tree.pop(key) if action == "rename" else tree[key]
    return tree


def recipes(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return TOML of recipes with other values, other letters, or both."""
    trees = [tomllib.loads(sample.decode()) for sample in samples]
    pieces = words("[", "]", "[[", "=", "'", "\n", "#", "{", "}", ".", "1_0", "\r")
    return change_text(change_json(st.sampled_from(trees)).map(_write_toml), pieces)


def _write_toml(tree: Json) -> str:
    try:
        return tomli_w.dumps(tree)
    except (AttributeError, TypeError, ValueError, UnicodeError):  # TOML has no null, for one
        return json.dumps(tree)


def change_tensors(kind: str, version: int, blobs: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return *blobs* with other arrays or another description, and the right digest."""

    @st.composite  # takes no arguments: hypothesis would write them out
    def make(draw: st.DrawFn) -> bytes:
        return _change_tensors(draw, kind, version, blobs[draw(st.integers(0, len(blobs) - 1))])

    return make()


def _change_tensors(draw: st.DrawFn, kind: str, version: int, blob: bytes) -> bytes:
    if draw(st.integers(0, 9)) == 0:
        return bytes(draw(change_bytes(st.just(blob))))
    content = read_tensors(kind, version, blob)
    arrays, description = dict(content.arrays), content.description
    for _ in range(draw(st.integers(0, 2))):
        name = draw(st.sampled_from(sorted(arrays) or [""]))
        if name:
            arrays[name] = draw(_change_array(arrays[name]))
        action = draw(st.integers(0, 12))
        if action == 0:
            arrays.pop(name, None)
        elif action == 1:
            arrays[draw(st.sampled_from(["more", "", "a.b", "\0"]))] = np.zeros(3)
        elif action == 2 and name:
            other = draw(st.sampled_from(sorted(arrays) or [name]))
            arrays[name] = arrays.get(other, np.zeros(1))
    if draw(st.booleans()):
        description = draw(change_json(st.just(description)))
    written = draw(st.sampled_from([version] * 12 + [version + 1, 0, -1, 10**30]))
    return _write(kind, written, arrays, description, blob)


def _write(kind: str, version: int, arrays: Arrays, description: Json, instead: bytes) -> bytes:
    try:
        return write_tensors(kind, version, arrays, description)
    except (TypeError, ValueError, KeyError, UnicodeError):  # what the format can't say
        return instead


@st.composite
def _change_array(draw: st.DrawFn, array: Array) -> Array:
    action = draw(
        st.sampled_from(["one", "one", "one", "fill", "kind", "form", "size", "order", "not"])
    )
    array = array.copy()
    with np.errstate(all="ignore"):
        if action in ("one", "fill") and array.size:
            place = draw(st.integers(0, array.size - 1)) if action == "one" else slice(None)
            array.reshape(-1)[place] = _fit(draw(numbers), array.dtype)
        elif action == "kind":
            kinds = ["f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u8", "?"]
            array = array.astype(draw(st.sampled_from(kinds)))
        elif action == "form":
            forms = [(-1,), (1, -1), (-1, 1), (1, 1, -1)]
            array = array.reshape(draw(st.sampled_from(forms)))
        elif action == "size":
            array = np.resize(array, draw(st.sampled_from([(0,), (1,), (array.size + 1,), ()])))
        elif action == "order":
            array = np.ascontiguousarray(array[::-1]) if array.ndim else array
    return array


def _is_nan(number: float) -> bool:
    return isinstance(number, float) and math.isnan(number)


def _fit(number: float, dtype: np.dtype) -> Number:
    """Return the nearest number of that kind; 0 for NaN if it must be whole."""
    if dtype.kind == "f":
        return dtype.type(number if -1e300 < number < 1e300 or _is_nan(number) else np.inf)
    if dtype.kind == "b":
        return bool(number)
    limits = np.iinfo(dtype)
    return int(min(max(number, limits.min), limits.max)) if not _is_nan(number) else 0


@dataclass(frozen=True, repr=False)
class _Hidden:
    """An input of which hypothesis makes no text."""

    data: bytes


def generate(
    feed_one: Callable[[bytes], None], inputs: st.SearchStrategy[bytes], count: int, seed: int
) -> None:
    """Feed the inputs that hypothesis makes."""

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(inputs.map(_Hidden))
    def feed_all(hidden: _Hidden) -> None:
        feed_one(hidden.data)

    feed_all()
