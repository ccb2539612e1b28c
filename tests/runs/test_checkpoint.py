"""Checkpoints: the same state again to the last bit, or a clear word about what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from evolve_arena.arena.arena import Arena
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.types import Array, Arrays, Floats, Json, Settings
from evolve_arena.evolve.neat import Neat
from evolve_arena.evolve.neat_state import NeatState
from evolve_arena.evolve.settings.neat import NeatMethodConfig
from evolve_arena.evolve.settings.tournament import TournamentConfig
from evolve_arena.evolve.tournament import Tournament, TournamentState
from evolve_arena.genomes.neat.numbering import Counters
from evolve_arena.genomes.tensors import (
    DamagedFileError,
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

NetworkDecoder = find_game("connect-four").networks["mlp"].decoder_type

DECODER = NetworkDecoder(hidden=(2,))
METHOD = Tournament(TournamentConfig(individuals=4, tournament_size=2), DECODER)
FLOATS = st.floats(width=32)


def make_state(generation: int = 5, seed: int = 1) -> TournamentState:
    state = METHOD.initial(seed)
    hall = state.population[:2].copy()
    return TournamentState(seed, generation, state.population, state.step_sizes, hall)


def make_directory(path: Path, generations: list[int]) -> RunDirectory:
    directory = RunDirectory(path)
    directory.create()
    with directory.lock():
        for generation in generations:
            save_checkpoint(directory, make_state(generation, seed=generation), METHOD)
    return directory


def assert_alike(one: object, other: object, name: str = "state") -> None:
    """Assert the same types, shapes and bits in all parts."""
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


def make_neat(
    neat: Settings | None = None, board: tuple[int, int] = (4, 4), **network: object
) -> Neat:
    config = NeatMethodConfig.model_validate(
        {
            "matches": {"hall_of_fame": {"opponents": 1, "every": 1}, "opponents": 2},
            "neat": {"pop_size": 8, "compatibility_threshold": 1.0, **(neat or {})},
        }
    )
    section = Neat.network_section(find_game("connect-four"), network)
    game = make_game("connect-four", columns=board[0], rows=board[1], connect=3)
    return Neat(config, Neat.make_decoder(game, section(**network), config))


NEAT = make_neat({"node_add_prob": 0.9, "enabled_mutate_rate": 0.2})


@cache
def grow_state() -> NeatState:
    state = NEAT.initial(1)
    for _ in range(6):
        state, _ = NEAT.step(state, Arena(NEAT.decoder, SerialExecutor()))
    return state


@cache
def make_blob(method: Tournament | Neat = METHOD) -> bytes:
    return write_state(grow_state() if method is NEAT else make_state(), method)


of_both_kinds = pytest.mark.parametrize("method", [METHOD, NEAT], ids=["vectors", "graphs"])


@given(
    population=arrays(np.float32, array_shapes(min_dims=2, max_dims=2), elements=FLOATS),
    hall=arrays(np.float32, st.tuples(st.integers(0, 3), st.integers(0, 4)), elements=FLOATS),
    seed=st.integers(0, 2**63 - 1),
    generation=st.integers(0, 10**9),
)
def test_every_bit_comes_back(population: Floats, hall: Floats, seed: int, generation: int) -> None:
    state = TournamentState(seed, generation, population, population[:, 0].copy(), hall)
    blob = write_state(state, METHOD)
    assert_alike(read_state(blob, METHOD), state)
    assert write_state(read_state(blob, METHOD), METHOD) == blob


@of_both_kinds
@pytest.mark.parametrize(
    "change",
    [
        {"method": "other"},
        *({"state": state} for state in (None, {}, "ab", [1, 5], {"seed": 1})),
        {"state": {"seed": 1, "generation": 5, "more": 1}},
        {"method": None, "state": None},
    ],
    ids=str,
)
def test_a_state_of_another_kind_is_noticed(method: Tournament | Neat, change: Settings) -> None:
    content = read_tensors("checkpoint", FORMAT, make_blob(method))
    blob = write_tensors("checkpoint", FORMAT, content.arrays, {**content.description, **change})
    with pytest.raises(DamagedFileError) as caught:
        read_state(blob, method)
    assert "\n" not in str(caught.value)


@of_both_kinds
def test_a_state_without_one_of_its_arrays_is_noticed(method: Tournament | Neat) -> None:
    content = read_tensors("checkpoint", FORMAT, make_blob(method))
    if method is NEAT:
        assert {"population.weight", "species.members", "hall.keys", "marks"} <= {*content.arrays}
    for missing in content.arrays:
        fewer = {name: array for name, array in content.arrays.items() if name != missing}
        with pytest.raises(DamagedFileError, match=missing.rpartition(".")[2]):
            read_state(write_tensors("checkpoint", FORMAT, fewer, content.description), method)
    more = {**content.arrays, "population.fitness": np.zeros(3)}
    with pytest.raises(DamagedFileError, match=r"no '(population\.)?fitness'"):
        read_state(write_tensors("checkpoint", FORMAT, more, content.description), method)


def test_the_newest_checkpoint_is_loaded(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [0, 7, 100, 20])
    state, problems = load_checkpoint(directory, METHOD)
    assert_alike(state, make_state(100, 100))
    assert problems == []
    assert_alike(load_checkpoint(directory, METHOD, 7)[0], make_state(7, 7))


CHAMPION = DECODER.player(np.zeros(DECODER.genes), "x").serialise()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\0" * 3000),
        lambda path: path.write_bytes(CHAMPION),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=["cut", "empty", "zeros", "a champion", "a folder"],
)
def test_an_older_one_stands_in(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    directory = make_directory(tmp_path, [0, 3, 6, 9])
    for generation in (9, 6):
        damage(directory.checkpoint(generation))
    state, problems = load_checkpoint(directory, METHOD)
    assert_alike(state, make_state(3, 3))
    names = [f"gen-00000{generation}.safetensors" for generation in (9, 6)]
    assert [problem.partition(" ")[0] for problem in problems] == names
    for generation in (3, 0):
        damage(directory.checkpoint(generation))
    with pytest.raises(CheckpointError, match=r"no usable checkpoint: gen-000009.*gen-000000"):
        load_checkpoint(directory, METHOD)


def test_the_one_that_was_asked_for_has_no_stand_in(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [0, 3, 6])
    directory.checkpoint(6).write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"gen-000006\.safetensors can't be used: .*short"):
        load_checkpoint(directory, METHOD, 6)
    told = r"no checkpoint of generation 4 \(nearest: 3; it has: 0"
    with pytest.raises(CheckpointError, match=told):
        load_checkpoint(directory, METHOD, 4)


def test_a_run_without_checkpoints_says_so(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [])
    for generation, told in ((None, "has no checkpoint"), (3, r"it has: none\)")):
        with pytest.raises(CheckpointError, match=told):
            load_checkpoint(directory, METHOD, generation)


def test_a_checkpoint_under_a_false_name_is_not_taken_for_it(tmp_path: Path) -> None:
    directory = make_directory(tmp_path, [0, 3])
    directory.checkpoint(9).write_bytes(directory.checkpoint(3).read_bytes())
    state, problems = load_checkpoint(directory, METHOD)
    assert state.generation == 3
    assert [problem.partition(" ")[0] for problem in problems] == ["gen-000009.safetensors"]


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
def test_a_state_of_graphs_comes_back_to_the_last_bit(neat: Settings) -> None:
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
        grow_state(),
        seed=2**63 - 1,
        generation=10**9,
        counters=Counters(2**40, 2**31 - 1, 2**62),
        last_species=2**50,
        best_scores=np.array([-np.inf, np.nan, 5e-324, *grow_state().best_scores]),
    )
    assert_alike(read_state(write_state(state, NEAT), NEAT), state)


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        *({"population": value} for value in (None, "ab", {"more": 1})),
        {"species": 5},
        *({"counters": value} for value in ([1, 2], 5, ...)),
        {"last_species": ...},
    ],
    ids=str,
)
def test_a_state_of_graphs_that_is_not_whole_is_noticed(change: Settings) -> None:
    """Parts of it have other values; an ellipsis leaves one out."""
    content = read_tensors("checkpoint", FORMAT, make_blob(NEAT))
    state = {**content.description["state"], **change}
    state = {key: value for key, value in state.items() if value is not ...}
    description = {**content.description, "state": state}
    with pytest.raises(DamagedFileError) as caught:
        read_state(write_tensors("checkpoint", FORMAT, content.arrays, description), NEAT)
    assert "\n" not in str(caught.value)


def test_checkpoints_that_do_not_say_what_their_genomes_are_for_are_read() -> None:
    """Those of earlier versions."""
    content = read_tensors("checkpoint", FORMAT, make_blob())
    description = {key: content.description[key] for key in ("method", "state")}
    old = write_tensors("checkpoint", FORMAT, content.arrays, description)
    assert_alike(read_state(old, METHOD), make_state())


# Content that no run wrote, with the right digest


def craft(blob: bytes, values: Settings | None = None, arrays: Arrays | None = None) -> bytes:
    """Return a checkpoint with other numbers and arrays in its state, well signed."""
    content = read_tensors("checkpoint", FORMAT, blob)
    state = {**content.description["state"], **(values or {})}
    description = {**content.description, "state": state}
    return write_tensors("checkpoint", FORMAT, {**content.arrays, **(arrays or {})}, description)


def refuse(
    folder: Path, blob: bytes, method: Tournament | Neat = METHOD, generation: int = 5
) -> str:
    """Return the error for a run whose only checkpoint is *blob*."""
    directory = RunDirectory(folder / "run")
    directory.create()
    directory.checkpoint(generation).write_bytes(blob)
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(directory, method)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 300 + len(str(folder))
    return text


def make_tournament(individuals: int = 4, **network: object) -> Tournament:
    decoder = NetworkDecoder(**{"hidden": (2,), **network})
    return Tournament(TournamentConfig(individuals=individuals, tournament_size=2), decoder)


@pytest.mark.parametrize(
    ("kind", "method", "message"),
    [
        (METHOD, make_tournament(individuals=5), "shape"),
        (METHOD, make_tournament(individuals=3), "shape"),
        (METHOD, make_tournament(hidden=(3,)), "for hidden [2], not [3]"),
        (METHOD, make_tournament(activation="tanh"), "activation 'relu', not 'tanh'"),
        (METHOD, make_tournament(encoding="signed"), "encoding 'planes', not 'signed'"),
        (NEAT, make_neat({"pop_size": 9}), "it has 8 genomes, not 9"),
        (NEAT, make_neat(head="policy"), "its genomes are made for head 'value', not 'policy'"),
        (NEAT, make_neat(encoding="numbered"), "for encoding 'planes', not 'numbered'"),
        (NEAT, make_neat(encoding="signed"), "for encoding 'planes', not 'signed'"),
        (NEAT, make_neat(board=(4, 5)), "for rows 4, not 5"),
        (NEAT, METHOD, "it is of the method 'neat'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_states_of_others_are_named(
    tmp_path: Path, kind: Tournament | Neat, method: Tournament | Neat, message: str
) -> None:
    """Also where it has a form that a state of this one could have."""
    assert message in refuse(tmp_path, make_blob(kind), method, 6 if kind is NEAT else 5)


@pytest.mark.parametrize(
    "number",
    [None, True, -1, 1.0, 5.5, 2**63, 10**40, "1", [], [1], {"a": [[[{}]]]}, "x" * 10_000],
    ids=lambda value: str(value)[:20],
)
@pytest.mark.parametrize("key", ["seed", "generation"])
def test_numbers_that_no_state_has_are_refused(tmp_path: Path, key: str, number: Json) -> None:
    said = refuse(tmp_path, craft(make_blob(), {key: number}))
    assert f"{key} is" in said
    assert "not a whole number from 0 to 2^63 - 1" in said


WHOLE = make_state().population


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("population", WHOLE.astype(np.float64), "is of type float64, not float32"),
        ("population", WHOLE.astype(np.int32), "is of type int32, not float32"),
        ("population", WHOLE[:-1], f"has shape (3, {DECODER.genes})"),
        ("population", WHOLE.T, f"has shape ({DECODER.genes}, 4)"),
        ("population", WHOLE[None], f"has shape (1, 4, {DECODER.genes})"),
        ("population", np.where(WHOLE > 0.5, np.float32(-np.inf), WHOLE), "holds NaN or infinity"),
        ("population", np.where(WHOLE > 0.5, np.float32(np.nan), WHOLE), "holds NaN or infinity"),
        ("strengths", np.full_like(make_state().step_sizes, np.nan), "holds NaN"),
        ("hall", np.full_like(make_state().hall, np.nan), "holds NaN"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_arrays_of_no_state_are_named(
    tmp_path: Path, name: str, array: Array, message: str
) -> None:
    assert f"{name} {message}" in refuse(tmp_path, craft(make_blob(), arrays={name: array}))


def test_a_description_that_is_no_section_is_refused(tmp_path: Path) -> None:
    content = read_tensors("checkpoint", FORMAT, make_blob())
    for description in ([], "text", 5, None):
        blob = write_tensors("checkpoint", FORMAT, content.arrays, description)  # type: ignore[arg-type]
        with pytest.raises(DamagedFileError, match="description is unreadable"):
            read_state(blob, METHOD)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"counters": [1, 2, -3]}, "counters is -3, not a whole number"),
        ({"counters": [1, 2, 3.0]}, r"counters is 3\.0, not a whole number"),
        ({"counters": {"genome": 1}}, "counters is .*, not a list"),
        ({"counters": [1, 2, 3, 4]}, "incomplete"),
        ({"counters": [0, 0, 0]}, "the last number of a genome is 0"),
        ({"counters": [100, 2**40, 10_000]}, "the last number of a node is 1099511627776"),
        ({"counters": [2**63 - 1, 1000, 10_000]}, "the last number of a genome is 92233"),
        ({"last_species": 0}, "the last number of a species is 0"),
        ({"last_species": [1]}, r"last_species is \[1\]"),
    ],
    ids=str,
)
def test_numbers_of_no_graphs_are_refused(tmp_path: Path, values: Settings, message: str) -> None:
    assert re.search(message, refuse(tmp_path, craft(make_blob(NEAT), values), NEAT, 6))


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
    array = read_tensors("checkpoint", FORMAT, make_blob(NEAT)).arrays[f"{part}.{name}"].copy()
    array[len(array) // 2] = value
    blob = craft(make_blob(NEAT), arrays={f"{part}.{name}": array})
    assert message in refuse(tmp_path, blob, NEAT, 6)
