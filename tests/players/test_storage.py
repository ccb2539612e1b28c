"""Files of bred players: the same player again to the last bit, or a clear word."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.types import Settings
from evolve_arena.genomes.neat.config import NeatConfig
from evolve_arena.genomes.tensors import (
    DamagedFileError,
    NewerFormatError,
    read_tensors,
    write_tensors,
)
from evolve_arena.players.evolved import FORMAT, Decoder, EvolvedPlayer, read_player
from evolve_arena.players.specification import make_player
from tests.evolved import grow

NetworkDecoder = find_game("connect-four").networks["mlp"].decoder_type
GraphDecoder = find_game("connect-four").networks["graph"].decoder_type

DECODERS = [
    GraphDecoder(head="policy"),
    GraphDecoder(),
    GraphDecoder(columns=9, rows=6, connect=5, encoding="signed"),
    NetworkDecoder(hidden=(4,)),
    NetworkDecoder(head="value", hidden=(), symmetric=True),
]


def make(decoder: Decoder, name: str = "żółw") -> EvolvedPlayer:
    if isinstance(decoder, GraphDecoder):
        config = NeatConfig(pop_size=2, node_add_prob=0.5)
        return decoder.player(grow(decoder, 1, config), name)
    return decoder.player(decoder.initialise(1, "normal", np.random.default_rng(1))[0], name)


def assert_same(one: EvolvedPlayer, other: EvolvedPlayer) -> None:
    assert type(one) is type(other)
    assert one.decoder == other.decoder
    assert set(one.arrays) == set(other.arrays)
    for name, array in one.arrays.items():
        assert array.dtype == other.arrays[name].dtype
        assert array.tobytes() == other.arrays[name].tobytes()
    assert [a.tobytes() for a in one.packed] == [a.tobytes() for a in other.packed]


@pytest.mark.parametrize("decoder", DECODERS, ids=str)
def test_a_player_of_any_kind_comes_back_from_its_file(decoder: Decoder, tmp_path: Path) -> None:
    player = make(decoder)
    blob = player.serialise(run="alpha", generation=3)
    again = read_player(blob)
    assert_same(again, player)
    assert again.name == "żółw"
    assert again.remarks == {"run": "alpha", "generation": 3}
    assert again.serialise(run="alpha", generation=3) == blob
    assert read_player(blob, "other").name == "other"
    file = tmp_path / "champion.safetensors"
    file.write_bytes(blob)
    by_name = make_player(f"file:{file}", decoder.game)
    assert isinstance(by_name, EvolvedPlayer)
    assert_same(by_name, player)


def test_a_graph_for_another_board_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "wide.safetensors"
    file.write_bytes(make(DECODERS[2]).serialise())
    with pytest.raises(ArenaError, match="plays on connect-four with columns 9, rows 6, connect 5"):
        make_player(f"file:{file}", make_game("connect-four"))


PLAYER = make(DECODERS[1], "graph")
BLOB = PLAYER.serialise(generation=3)
CONTENT = read_tensors("player", FORMAT, BLOB)


def change(**changes: object) -> bytes:
    """Return the graph's file with other entries in its description; None leaves one out."""
    description = {**CONTENT.description, **changes}
    description = {key: value for key, value in description.items() if value is not None}
    return write_tensors("player", FORMAT, CONTENT.arrays, description)


DECODER = json.loads(json.dumps(asdict(DECODERS[1])))


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (change(kind="perceptron"), "perceptron"),
        (change(kind=None), "kind"),
        (change(kind=["neat"]), "wrong or incomplete"),
        (change(decoder=None), "decoder"),
        (change(decoder="none"), "wrong or incomplete"),
        (change(decoder={**DECODER, "hidden": [3]}), "hidden"),
        (change(decoder={**DECODER, "head": "policy"}), "first 7 nodes are not the outputs"),
        (change(decoder={**DECODER, "encoding": "numbered"}), "comes from nowhere"),
        (change(decoder={**DECODER, "columns": "7"}), "columns is '7': it must be from 1 to 32"),
        (change(decoder={**DECODER, "rows": 5}), "comes from nowhere"),
        (change(decoder={**DECODER, "take_wins": []}), r"take_wins is \[\]"),
        (change(name=None), "name"),
        (change(remarks=None), "remarks"),
        (write_tensors("player", FORMAT, {}, CONTENT.description), "wrong or incomplete"),
        (write_tensors("state", FORMAT, {}, {}), "not a player file"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_line(blob: bytes, message: str) -> None:
    with pytest.raises(DamagedFileError, match=message) as caught:
        read_player(blob)
    assert "\n" not in str(caught.value)


def test_a_file_of_a_later_version_is_named() -> None:
    newer = write_tensors("player", FORMAT + 1, CONTENT.arrays, CONTENT.description)
    with pytest.raises(NewerFormatError, match=f"format {FORMAT + 1}"):
        read_player(newer)


@settings(max_examples=200)
@given(st.integers(0, len(BLOB) - 1), st.integers(1, 255))
def test_a_changed_byte_gives_the_same_player_or_damage(place: int, flip: int) -> None:
    damaged = bytearray(BLOB)
    damaged[place] ^= flip
    try:
        player = read_player(bytes(damaged))
    except (DamagedFileError, NewerFormatError):
        return
    assert_same(player, PLAYER)


# Content that nothing here wrote, with the right digest

VECTOR = make(DECODERS[3], "vector")
SIGNED = read_tensors("player", FORMAT, VECTOR.serialise(generation=3))


def sign(decoder: Settings | None = None, **arrays: object) -> bytes:
    """Return the perceptron's file with another decoder or other arrays."""
    description = {
        **SIGNED.description,
        "decoder": {**SIGNED.description["decoder"], **(decoder or {})},
    }
    return write_tensors("player", FORMAT, {**SIGNED.arrays, **arrays}, description)


GENOME = SIGNED.arrays["genome"]


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (sign({"hidden": [10**9], "symmetric": True}), "more than 8,388,608 weights"),
        (sign({"hidden": [10**400]}), "more than 8,388,608 weights"),
        (sign({"hidden": [2.0]}), r"'2.0' is no whole number of units"),
        (sign({"hidden": [True]}), "wrong or incomplete"),
        (sign({"symmetric": None}), "symmetric is None: it must be true or false"),
        (sign(genome=GENOME.astype(np.float64)), "are float64 of shape"),
        (sign(genome=np.full_like(GENOME, np.nan)), "its genome holds NaN or infinity"),
        (sign(genome=GENOME[None]), "expected float32 of shape"),
        (change(name=7), "its name is no text"),
        (change(remarks=[1]), "its remarks are no section"),
        (change(game=["checkers"]), r"\['checkers'\] has no kind of player 'neat'"),
    ],
)
def test_crafted_content_is_one_line_and_takes_no_memory(blob: bytes, message: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(DamagedFileError, match=message) as caught:
            read_player(blob)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_player_of_a_game_that_is_not_here_is_not_damaged() -> None:
    with pytest.raises(BadValueError, match="it plays 'chess', which is no game here"):
        read_player(change(game="chess"))
