"""A target of the fuzzer, and what several of them need."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from hypothesis import strategies as st

from evolve_arena.core.errors import LONGEST, ArenaError
from evolve_arena.core.types import Json
from tests.fuzz.inputs import change_json, change_text, lines, words


@dataclass(frozen=True)
class Target:
    """A parser."""

    name: str
    samples: Callable[[], Sequence[bytes]]
    """Makes inputs that are in order."""
    inputs: Callable[[Sequence[bytes]], st.SearchStrategy[bytes]]
    """Makes others of these."""
    check: Callable[[bytes], None]
    weight: int = 10
    """Its share of all inputs; less if one takes long."""
    needs: tuple[str, ...] = ()
    """Programs without which it is left out."""


def read(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def put(name: str, data: bytes) -> Path:
    """Write a file in the working folder, which is the fuzzer's own."""
    Path(name).write_bytes(data)
    return Path(name)


JSON_WORDS = ("{", "}", "[", "]", ":", ",", '"', "null", "NaN", "Infinity", "1e400", "-")


def dump(tree: Json) -> str:
    try:
        return json.dumps(tree)
    except ValueError:
        return "9" * 5000


def check_error(error: ArenaError) -> None:
    text = str(error)
    assert text.isprintable(), text
    assert len(text) <= LONGEST, text


Kind = TypeVar("Kind")


def try_each(kinds: Sequence[Kind], act: Callable[[Kind], object]) -> None:
    """Act on each of some *kinds*; an input is refused if all refuse it."""
    refused: list[ArenaError] = []
    for kind in kinds:
        try:
            act(kind)
        except ArenaError as error:
            check_error(error)
            refused.append(error)
    if len(refused) == len(kinds):
        raise refused[0]


def encode(*samples: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [text.encode() for text in samples]


def change_pieces(*pieces: str) -> Callable[[Sequence[bytes]], st.SearchStrategy[bytes]]:
    """Return a maker of strategies: samples with other pieces, and texts of nothing but pieces."""
    between = words(*pieces)

    def make(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
        changed = change_text(st.sampled_from([read(sample) for sample in samples]), between)
        return st.one_of(changed, changed, lines(between, 12, between=""), lines(between, 12))

    return make


def change_trees(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    trees = change_json(st.sampled_from([json.loads(sample) for sample in samples]))
    return change_text(trees.map(dump), words(*JSON_WORDS))
