"""Checkpoints: the same state again to the last bit, or a clear word about what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.evolve.neat import Neat, NeatMethodConfig, NeatState
from evolve_arena.evolve.tournament import Tournament, TournamentConfig, TournamentState
from evolve_arena.genomes.neat.numbering import Counters
from evolve_arena.genomes.tensors import (
    DamagedFileError,
    NewerFormatError,
    read_tensors,
    write_tensors,
)
from evolve_arena.runs.errors import CheckpointError
from evolve_arena.runs.store.checkpoint import (
    FORMAT,
    load_checkpoint,
    read_state,
    save_checkpoint,
    write_state,
)
from evolve_arena.runs.store.directory import RunDirectory

NetworkDecoder: Any = find_game("connect-four").networks["mlp"].decoder_type

DECODER = NetworkDecoder(hidden=(2,))
METHOD = Tournament(TournamentConfig(individuals=4, tournament_size=2), DECODER)
FLOATS = st.floats(width=32)


def make_state(generation: int = 5, seed: int = 1) -> TournamentState:
    state = METHOD.initial(seed)
    hall = state.population[:2].copy()
    return TournamentState(seed, generation, state.population, state.strengths, hall)


def assert_same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    assert (one.seed, one.generation) == (other.seed, other.generation)
    for field in ("population", "strengths", "hall"):
        mine, yours = getattr(one, field), getattr(other, field)
        assert mine.dtype == yours.dtype
        assert mine.shape == yours.shape
        assert mine.tobytes() == yours.tobytes()


def make_directory(path: Path, generations: list[int]) -> RunDirectory:
    directory = RunDirectory(path)
    directory.create()
    with directory.lock():
        for generation in generations:
            save_checkpoint(directory, make_state(generation, seed=generation), METHOD)
    return directory


@given(
    population=arrays(np.float32, array_shapes(min_dims=2, max_dims=2), elements=FLOATS),
    hall=arrays(np.float32, st.tuples(st.integers(0, 3), st.integers(0, 4)), elements=FLOATS),
    seed=st.integers(0, 2**63 - 1),
    generation=st.integers(0, 10**9),
)
def test_a_state_comes_back_to_the_last_bit(
    population: Any, hall: Any, seed: int, generation: int
) -> None:
    state = TournamentState(seed, generation, population, population[:, 0].copy(), hall)
    blob = write_state(state, METHOD)
    assert_same(read_state(blob, METHOD), state)
    assert write_state(read_state(blob, METHOD), METHOD) == blob


BLOB = write_state(make_state(), METHOD)


@settings(max_examples=400)
@given(place=st.integers(0, len(BLOB) - 1), flip=st.integers(1, 255))
def test_a_changed_byte_is_noticed_or_does_not_matter(place: int, flip: int) -> None:
    damaged = bytearray(BLOB)
    damaged[place] ^= flip
    try:
        state = read_state(bytes(damaged), METHOD)
    except (DamagedFileError, NewerFormatError):
        return
    assert_same(state, make_state())


@given(place=st.integers(0, 400), content=st.binary(min_size=1, max_size=60))
def test_scribbled_headers_are_noticed_or_do_not_matter(place: int, content: bytes) -> None:
    damaged = BLOB[:place] + content + BLOB[place + len(content) :]
    try:
        state = read_state(damaged, METHOD)
    except (DamagedFileError, NewerFormatError):
        return
    assert_same(state, make_state())


@given(length=st.integers(0, len(BLOB) - 1))
def test_a_file_that_is_cut_short_is_noticed(length: int) -> None:
    with pytest.raises(DamagedFileError):
        read_state(BLOB[:length], METHOD)


@given(st.binary(max_size=300))
def test_a_file_of_something_else_is_noticed(content: bytes) -> None:
    with pytest.raises(DamagedFileError):
        read_state(content, METHOD)
    with pytest.raises(DamagedFileError):
        read_state(BLOB + content + b"x", METHOD)


@pytest.mark.parametrize("zeros", [16, 512])
def test_pages_that_never_reached_the_disk_are_noticed(zeros: int) -> None:
    blob = write_state(METHOD.initial(1), METHOD)
    torn = blob[: len(blob) - zeros] + bytes(zeros)
    with pytest.raises(DamagedFileError, match="digest"):
        read_state(torn, METHOD)


def test_a_newer_format_is_named() -> None:
    content = read_tensors("checkpoint", FORMAT, BLOB)
    newer = write_tensors("checkpoint", FORMAT + 1, content.arrays, content.description)
    with pytest.raises(NewerFormatError, match=rf"format {FORMAT + 1}.* up to {FORMAT}"):
        read_state(newer, METHOD)


def test_a_champion_is_no_checkpoint() -> None:
    player = DECODER.player(METHOD.initial(1).population[0], "champion")
    with pytest.raises(DamagedFileError, match=r"not a checkpoint file but .*player"):
        read_state(player.serialise(), METHOD)


@pytest.mark.parametrize(
    "change",
    [
        {"method": "other"},
        {"state": {"seed": 1}},
        {"state": {"seed": 1, "generation": 5, "more": 1}},
        {"state": None},
        {"state": [1, 5]},
        {"method": None, "state": None},
    ],
)
def test_a_state_of_another_kind_is_noticed(change: dict[str, Any]) -> None:
    content = read_tensors("checkpoint", FORMAT, BLOB)
    blob = write_tensors("checkpoint", FORMAT, content.arrays, {**content.description, **change})
    with pytest.raises(DamagedFileError):
        read_state(blob, METHOD)


def test_a_state_without_its_arrays_is_noticed() -> None:
    content = read_tensors("checkpoint", FORMAT, BLOB)
    for missing in content.arrays:
        fewer = {name: array for name, array in content.arrays.items() if name != missing}
        with pytest.raises(DamagedFileError, match=missing):
            read_state(write_tensors("checkpoint", FORMAT, fewer, content.description), METHOD)


def test_the_newest_checkpoint_is_loaded(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [0, 7, 100, 20])
    state, problems = load_checkpoint(directory, METHOD)
    assert_same(state, make_state(100, 100))
    assert problems == []
    assert_same(load_checkpoint(directory, METHOD, 7)[0], make_state(7, 7))


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-1]), id="cut"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(b"\0" * 3000), id="zeros"),
        pytest.param(lambda path: (path.unlink(), path.mkdir()), id="a folder"),
        pytest.param(
            lambda path: path.write_bytes(DECODER.player(np.zeros(DECODER.genes), "x").serialise()),
            id="a champion",
        ),
    ],
)
def test_an_older_one_stands_in_for_a_damaged_one(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    directory = make_directory(tmp_path, [0, 3, 6, 9])
    for generation in (9, 6):
        damage(directory.checkpoint(generation))
    state, problems = load_checkpoint(directory, METHOD)
    assert_same(state, make_state(3, 3))
    assert [problem.partition(" ")[0] for problem in problems] == [
        "gen-000009.safetensors",
        "gen-000006.safetensors",
    ]
    for generation in (3, 0):
        damage(directory.checkpoint(generation))
    with pytest.raises(CheckpointError, match=r"no usable checkpoint: gen-000009.*gen-000000"):
        load_checkpoint(directory, METHOD)


def test_the_one_that_was_asked_for_has_no_stand_in(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [0, 3, 6])
    directory.checkpoint(6).write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"gen-000006\.safetensors can't be used: .*short"):
        load_checkpoint(directory, METHOD, 6)
    with pytest.raises(
        CheckpointError, match=r"no checkpoint of generation 4 \(nearest: 3; it has: 0"
    ):
        load_checkpoint(directory, METHOD, 4)


def test_a_run_without_checkpoints_says_so(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [])
    with pytest.raises(CheckpointError, match="has no checkpoint"):
        load_checkpoint(directory, METHOD)
    with pytest.raises(CheckpointError, match=r"it has: none\)"):
        load_checkpoint(directory, METHOD, 3)


def test_a_checkpoint_under_a_false_name_is_not_taken_for_it(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [0, 3])
    directory.checkpoint(9).write_bytes(directory.checkpoint(3).read_bytes())
    state, problems = load_checkpoint(directory, METHOD)
    assert state.generation == 3
    assert [problem.partition(" ")[0] for problem in problems] == ["gen-000009.safetensors"]


def test_a_state_that_does_not_fit_the_recipe_is_not_used(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [0, 3])
    for config, decoder in (
        (TournamentConfig(individuals=5, tournament_size=2), DECODER),
        (TournamentConfig(individuals=3, tournament_size=2), DECODER),
        (TournamentConfig(individuals=4, tournament_size=2), NetworkDecoder(hidden=(3,))),
    ):
        with pytest.raises(CheckpointError, match="gen-000003"):
            load_checkpoint(directory, Tournament(config, decoder))


# --- graphs --------------------------------------------------------------------------------


def make_neat(
    neat: dict[str, Any] | None = None, board: tuple[int, int] = (4, 4), **network: Any
) -> Neat:
    config = NeatMethodConfig.model_validate(
        {
            "hall_of_fame": {"opponents": 1, "every": 1},
            "opponents": 2,
            "neat": {"pop_size": 8, "compatibility_threshold": 1.0, **(neat or {})},
        }
    )
    section = Neat.network_section(find_game("connect-four"), network)
    game = make_game("connect-four", columns=board[0], rows=board[1], connect=3)
    return Neat(config, Neat.make_decoder(game, section(**network), config))


NEAT = make_neat({"node_add_prob": 0.9, "enabled_mutate_rate": 0.2})


def grow_state(method: Neat, generations: int = 6) -> NeatState:
    state = method.initial(1)
    for _ in range(generations):
        state, _ = method.step(state, Arena(method.decoder, SerialExecutor()))
    return state


@cache
def grown() -> NeatState:
    return grow_state(NEAT)


@cache
def neat_blob() -> bytes:
    return write_state(grown(), NEAT)


def assert_alike(one: Any, other: Any, name: str = "state") -> None:
    """The same types, shapes and bits in all parts."""
    assert type(one) is type(other), name
    if is_dataclass(one):
        for field in fields(one):
            mine, yours = getattr(one, field.name), getattr(other, field.name)
            assert_alike(mine, yours, f"{name}.{field.name}")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), name
        assert one.tobytes() == other.tobytes(), name
    else:
        assert one == other, name


@pytest.mark.parametrize(
    "neat",
    [
        {},
        {"num_hidden": 2},
        {"initial_connection": "unconnected", "conn_add_prob": 0.0},
        {"compatibility_threshold": 0.0, "min_species_size": 1, "elitism": 0},
        {"max_stagnation": 1, "species_elitism": 0},
        {"pop_size": 2},
    ],
    ids=str,
)
def test_a_state_of_graphs_comes_back_to_the_last_bit(neat: dict[str, Any]) -> None:
    method = make_neat(neat)
    arena = Arena(method.decoder, SerialExecutor())
    state = method.initial(7)
    for _ in range(6):
        blob = write_state(state, method)
        again = read_state(blob, method)
        assert_alike(again, state)
        assert write_state(again, method) == blob
        assert method.find_mismatch(again) is None
        one, first = method.step(state, arena)
        other, second = method.step(again, arena)
        assert_alike(other, one)
        assert first == second
        state = one


def test_numbers_of_any_size_come_back() -> None:
    state = replace(
        grown(),
        seed=2**63 - 1,
        generation=10**9,
        counters=Counters(2**40, 2**31 - 1, 2**62),
        last_species=2**50,
        marks=np.array([-np.inf, np.nan, 5e-324, *grown().marks]),
    )
    assert_alike(read_state(write_state(state, NEAT), NEAT), state)


@settings(max_examples=400)
@given(place=st.integers(0, 2**20), flip=st.integers(1, 255))
def test_a_changed_byte_of_graphs_is_noticed_or_does_not_matter(place: int, flip: int) -> None:
    damaged = bytearray(neat_blob())
    damaged[place % len(damaged)] ^= flip
    try:
        state = read_state(bytes(damaged), NEAT)
    except (DamagedFileError, NewerFormatError):
        return
    assert_alike(state, grown())


@given(length=st.integers(0, 2**20))
def test_a_file_of_graphs_that_is_cut_short_is_noticed(length: int) -> None:
    with pytest.raises(DamagedFileError):
        read_state(neat_blob()[: length % len(neat_blob())], NEAT)


def sign(**changes: Any) -> bytes:
    """The checkpoint of graphs with other entries in its description, well signed."""
    content = read_tensors("checkpoint", FORMAT, neat_blob())
    description = {**content.description, **changes}
    return write_tensors("checkpoint", FORMAT, content.arrays, description)


@pytest.mark.parametrize(
    "change",
    [
        {"method": "tournament"},
        {"state": {}},
        {"state": "ab"},
    ],
)
def test_a_description_of_graphs_that_is_not_whole_is_noticed(change: dict[str, Any]) -> None:
    with pytest.raises(DamagedFileError) as caught:
        read_state(sign(**change), NEAT)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"population": None},
        {"population": "ab"},
        {"population": {"more": 1}},
        {"species": 5},
        {"counters": [1, 2]},
        {"counters": 5},
        {"counters": ...},
        {"last_species": ...},
    ],
)
def test_a_state_of_graphs_that_is_not_whole_is_noticed(change: dict[str, Any]) -> None:
    """What is changed of it; an ellipsis leaves it out."""
    whole = read_tensors("checkpoint", FORMAT, neat_blob()).description["state"] | change
    state = {key: value for key, value in whole.items() if value is not ...}
    with pytest.raises(DamagedFileError) as caught:
        read_state(sign(state=state), NEAT)
    assert "\n" not in str(caught.value)


def test_a_state_of_graphs_without_one_of_its_arrays_is_noticed() -> None:
    content = read_tensors("checkpoint", FORMAT, neat_blob())
    assert {"population.weight", "species.members", "hall.keys", "marks"} <= set(content.arrays)
    for missing in content.arrays:
        fewer = {name: array for name, array in content.arrays.items() if name != missing}
        with pytest.raises(DamagedFileError, match=missing.rpartition(".")[2]):
            read_state(write_tensors("checkpoint", FORMAT, fewer, content.description), NEAT)
    more = {**content.arrays, "population.fitness": np.zeros(3)}
    with pytest.raises(DamagedFileError, match=r"no 'population\.fitness'"):
        read_state(write_tensors("checkpoint", FORMAT, more, content.description), NEAT)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (make_neat({"pop_size": 9}), "it has 8 genomes, not 9"),
        (make_neat(head="policy"), "its genomes are made for head 'value', not 'policy'"),
        (make_neat(encoding="numbered"), "for encoding 'planes', not 'numbered'"),
        (make_neat(encoding="signed"), "for encoding 'planes', not 'signed'"),
        (make_neat(board=(4, 5)), "for rows 4, not 5"),
        (METHOD, "it is of the method 'neat'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_graphs_of_another_recipe_are_named(tmp_path: Path, method: Any, message: str) -> None:
    """Also where they have a form that graphs of this recipe could have."""
    directory = RunDirectory(tmp_path)
    directory.create()
    with directory.lock():
        save_checkpoint(directory, grown(), NEAT)
    assert load_checkpoint(directory, NEAT)[0].generation == 6
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(directory, method)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("decoder", "message"),
    [
        (NetworkDecoder(hidden=(3,)), r"for hidden \[2\], not \[3\]"),
        (NetworkDecoder(hidden=(2,), activation="tanh"), "activation 'relu', not 'tanh'"),
        (NetworkDecoder(hidden=(2,), encoding="signed"), "encoding 'planes', not 'signed'"),
    ],
)
def test_weights_of_another_network_are_named(decoder: Any, message: str) -> None:
    other = Tournament(TournamentConfig(individuals=4, tournament_size=2), decoder)
    with pytest.raises(DamagedFileError, match=message):
        read_state(BLOB, other)


def test_checkpoints_that_do_not_say_what_their_genomes_are_for_are_read() -> None:
    """Those of earlier versions."""
    content = read_tensors("checkpoint", FORMAT, BLOB)
    description = {key: content.description[key] for key in ("method", "state")}
    old = write_tensors("checkpoint", FORMAT, content.arrays, description)
    assert_same(read_state(old, METHOD), make_state())


# Content that no run wrote, with the right digest


def craft(
    blob: bytes, values: dict[str, Any] | None = None, arrays: dict[str, Any] | None = None
) -> bytes:
    """A checkpoint with other numbers and arrays in its state, well signed."""
    content = read_tensors("checkpoint", FORMAT, blob)
    state = {**content.description["state"], **(values or {})}
    description = {**content.description, "state": state}
    return write_tensors("checkpoint", FORMAT, {**content.arrays, **(arrays or {})}, description)


def refuse(folder: Path, blob: bytes, method: Any = METHOD, generation: int = 5) -> str:
    """What is said of a run whose only checkpoint is *blob*."""
    directory = RunDirectory(folder / "run")
    directory.create()
    directory.checkpoint(generation).write_bytes(blob)
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(directory, method)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 300 + len(str(folder))
    return text


@pytest.mark.parametrize(
    "number",
    [None, True, -1, 1.0, 5.5, 2**63, 10**40, "1", [], [1], {"a": [[[{}]]]}, "x" * 10_000],
    ids=lambda value: str(value)[:20],
)
@pytest.mark.parametrize("key", ["seed", "generation"])
def test_numbers_that_no_state_has_are_refused(tmp_path: Path, key: str, number: Any) -> None:
    said = refuse(tmp_path, craft(BLOB, {key: number}))
    assert f"{key} is" in said
    assert "no whole number from 0 to 2^63 - 1" in said


POPULATION = make_state().population


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (POPULATION.astype(np.float64), "population is of type float64, not float32"),
        (POPULATION.astype(np.int32), "population is of type int32, not float32"),
        (POPULATION[:-1], r"population has shape \(3, 303\)"),
        (POPULATION.T, r"population has shape \(303, 4\)"),
        (POPULATION[None], r"population has shape \(1, 4, 303\)"),
        (np.where(POPULATION > 0.5, np.float32(np.nan), POPULATION), "holds NaN or infinity"),
        (np.where(POPULATION > 0.5, np.float32(-np.inf), POPULATION), "holds NaN or infinity"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_arrays_that_no_state_has_are_refused(tmp_path: Path, array: Any, message: str) -> None:
    message = message.replace("303", str(DECODER.genes))
    assert re.search(message, refuse(tmp_path, craft(BLOB, arrays={"population": array})))


@pytest.mark.parametrize("name", ["strengths", "hall"])
def test_other_arrays_are_looked_at_too(tmp_path: Path, name: str) -> None:
    content = read_tensors("checkpoint", FORMAT, BLOB)
    bad = np.full_like(content.arrays[name], np.nan)
    assert f"{name} holds NaN" in refuse(tmp_path, craft(BLOB, arrays={name: bad}))


def test_a_description_that_is_no_section_is_refused(tmp_path: Path) -> None:
    content = read_tensors("checkpoint", FORMAT, BLOB)
    for description in ([], "text", 5, None):
        blob = write_tensors("checkpoint", FORMAT, content.arrays, description)  # type: ignore[arg-type]
        with pytest.raises(DamagedFileError, match="description is unreadable"):
            read_state(blob, METHOD)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"counters": [1, 2, -3]}, "counters is -3, no whole number"),
        ({"counters": [1, 2, 3.0]}, r"counters is 3\.0, no whole number"),
        ({"counters": {"genome": 1}}, "counters is .*, no list"),
        ({"counters": [1, 2, 3, 4]}, "incomplete"),
        ({"counters": [0, 0, 0]}, "the last number of a genome is 0"),
        ({"counters": [100, 2**40, 10_000]}, "the last number of a node is 1099511627776"),
        ({"counters": [2**63 - 1, 1000, 10_000]}, "the last number of a genome is 92233"),
        ({"last_species": 0}, "the last number of a species is 0"),
        ({"last_species": [1]}, r"last_species is \[1\]"),
    ],
    ids=str,
)
def test_numbers_that_no_graphs_have_are_refused(
    tmp_path: Path, values: dict[str, Any], message: str
) -> None:
    assert re.search(message, refuse(tmp_path, craft(neat_blob(), values), NEAT, 6))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("weight", np.nan, "weight holds NaN or infinity"),
        ("bias", np.inf, "bias holds NaN or infinity"),
        ("activation", 99, "has the activation 99"),
        ("aggregation", -1, "has the aggregation -1"),
        ("source", 5000, "comes from nowhere"),
        ("target", 5000, "leads to a node that does not exist"),
        ("target", -1, "leads to an input"),
    ],
)
@pytest.mark.parametrize("part", ["population", "records"])
def test_graphs_that_no_run_bred_are_refused(
    tmp_path: Path, part: str, name: str, value: float, message: str
) -> None:
    array = read_tensors("checkpoint", FORMAT, neat_blob()).arrays[f"{part}.{name}"].copy()
    array[len(array) // 2] = value
    blob = craft(neat_blob(), arrays={f"{part}.{name}": array})
    assert message in refuse(tmp_path, blob, NEAT, 6)


def test_genes_that_are_no_numbers_are_not_saved(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [0])
    population = make_state().population.copy()
    population[1, 2] = np.nan
    state = replace(make_state(), population=population)
    with directory.lock(), pytest.raises(CheckpointError, match=r"generation 5 population is no "):
        save_checkpoint(directory, state, METHOD)
    assert directory.generations() == [0]
