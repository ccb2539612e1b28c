"""Players as arrays: packed one by one or together, they play the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve_arena.arena.arena import run_kernel
from evolve_arena.arena.batch import make_batch
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.players.board.workspace import RECORD_FIELDS, SCRIPTED
from evolve_arena.players.packed import (
    KIND,
    NETWORK,
    RANDOM,
    PackedPlayers,
    combine_players,
    simple_player,
)
from evolve_arena.players.specification import make_player

NetworkDecoder: Any = find_game("connect-four").networks["mlp"].decoder_type

GAME = make_game("connect-four")
TEST_BOT: Any = make_player("test-bot", GAME)


def pack(count: int, **options: object) -> PackedPlayers:
    decoder = NetworkDecoder(**options)
    return decoder.pack(decoder.initialise(count, "normal", np.random.default_rng(count)))


PARTS = [
    pack(3),
    TEST_BOT.packed,
    pack(2, head="value", encoding="planes", hidden=(40,)),
    simple_player(RECORD_FIELDS),
    pack(1, hidden=(), head="policy"),
    pack(2, hidden=(5, 70, 3), activation="tanh"),
]


def play(packed: PackedPlayers, first: int, second: int) -> list[tuple[int, int, int]]:
    pairings = np.tile(np.array([[first, second]], dtype=np.int32), (8, 1))
    batch = make_batch(GAME, packed, pairings, derive_seeds(1, 0, "matches", 8))
    results = run_kernel(batch)
    columns = results.outcomes, results.plies, results.games
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_players_move_alike_alone_and_in_company() -> None:
    everybody = combine_players(PARTS)
    assert len(everybody.seats) == sum(len(part.seats) for part in PARTS) == 10
    start = 0
    for part in PARTS:
        for row in range(len(part.seats)):
            versus_random = combine_players([part, simple_player(RECORD_FIELDS)])
            expected = play(versus_random, row, len(part.seats))
            assert play(everybody, start + row, 5 + 1) == expected
            mirrored = play(versus_random, len(part.seats), row)
            assert play(everybody, 5 + 1, start + row) == mirrored
        start += len(part.seats)


def test_kinds_stay_in_order() -> None:
    kinds = combine_players(PARTS).seats[:, KIND].tolist()
    assert kinds == [*[NETWORK] * 3, SCRIPTED, *[NETWORK] * 2, RANDOM, *[NETWORK] * 3]


def test_combining_changes_none_of_the_parts() -> None:
    before = [[array.tobytes() for array in part] for part in PARTS]
    combine_players(PARTS)
    combine_players([*PARTS, *PARTS])
    assert [[array.tobytes() for array in part] for part in PARTS] == before


def test_combining_twice_is_combining_once() -> None:
    together = combine_players(PARTS)
    in_steps = combine_players([combine_players(PARTS[:3]), combine_players(PARTS[3:])])
    assert [a.tobytes() for a in together] == [a.tobytes() for a in in_steps]
    assert combine_players(PARTS[:1]) is PARTS[0]
