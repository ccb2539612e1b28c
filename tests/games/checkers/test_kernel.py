"""Compiled matches of checkers are the games that Python's rules and players play."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest

from evolve_arena.arena.batch import new_results
from evolve_arena.core.compiled import find_variant
from evolve_arena.core.errors import ArenaError
from evolve_arena.core.registry import find_game
from evolve_arena.core.stream import new_stream
from evolve_arena.games.checkers.board import repetition_key
from evolve_arena.games.checkers.game import Checkers, Position
from evolve_arena.games.checkers.kernel import draw_openings
from evolve_arena.games.checkers.values import (
    DEPTH,
    FEATURES,
    LINEAR,
    QUIET,
    SEAT_FIELDS,
    TABLE_SIZE,
    UNIT,
    make_checkers_workspace,
)
from evolve_arena.players.packed import PackedPlayers, combine_players, simple_player, with_noise

GAMES = [Checkers(), Checkers(turned=1)]
MASK = 2**64 - 1


class Played(NamedTuple):
    """What came of a match."""

    outcome: int
    plies: int
    game: int


def linear(features: int, depth: int, *, quiet: int = 0, spread: float = 0.05) -> PackedPlayers:
    """A player who counts pieces and, a little, other things."""
    packed = simple_player(SEAT_FIELDS, LINEAR)
    packed.seats[0, [DEPTH, FEATURES, QUIET]] = depth, features, quiet
    worth = np.random.default_rng(features).normal(0.0, spread, features)
    worth[:4] += [1.0, 1.5, -1.0, -1.5]
    tables = np.rint(worth[:, None] * np.arange(TABLE_SIZE) * UNIT)
    return packed._replace(columns=tables.astype(np.int32).ravel())


PLAYERS = [
    simple_player(SEAT_FIELDS),
    linear(4, 1, spread=0.0),
    linear(14, 3),
    with_noise(linear(4, 4), 0.2),
    linear(14, 2, quiet=1),
]


def play(
    game: Checkers,
    packed: PackedPlayers,
    pairings: list[tuple[int, int]],
    seeds: list[int],
    openings: np.ndarray | None = None,
) -> list[Played]:
    """The matches, by the kernel."""
    count = len(pairings)
    if openings is None:
        openings = np.zeros((count, 0), dtype=np.int64)
    results = new_results(game, count)
    for array in results.arrays:
        array.fill(9)
    find_variant(find_game("checkers"), game.rules, packed)["kernel"].play_matches(
        game.rules,
        packed,
        np.array(pairings, dtype=np.int32).reshape(count, 2),
        np.array(seeds, dtype=np.uint64),
        openings,
        make_checkers_workspace(packed),
        *results.arrays,
    )
    assert (results.places.min(axis=1) == 1).all()
    assert (results.places.max(axis=1) == 1 + abs(results.outcomes)).all()
    assert results.completed.all()
    columns = results.outcomes.tolist(), results.plies.tolist(), results.games.tolist()
    return [Played(*match) for match in zip(*columns, strict=True)]


def replay(
    game: Checkers, players: list[PackedPlayers], seed: int, opening: list[int]
) -> tuple[Played, str]:
    """One match ply by ply, and why it ended; Python's rules refuse what is not legal."""
    scratches = [
        make_checkers_workspace(player)._replace(streams=stream)
        for stream in [new_stream(seed)]
        for player in players
    ]
    position = game.initial()
    record, plies = 0xCBF29CE484222325, 0
    while (outcome := game.outcome(position)) is None:
        slot = game.to_move(position)
        if plies < len(opening) and min(opening[: plies + 1]) >= 0:
            word = opening[plies]
        else:
            word = ask(players[slot], slot, position, scratches[slot])
        position = game.play(position, game.move_of(word))
        record = ((record ^ (word + 1)) * 0x100000001B3) & MASK
        plies += 1
    result = {None: 0, 0: 1, 1: -1}[outcome.winner]
    return Played(result, plies, record), outcome.reason


def ask(packed: PackedPlayers, slot: int, position: Position, workspace: object) -> int:
    """The word of the move that the packed players' first player decides on."""
    dark, light = np.uint64(position.dark), np.uint64(position.light)
    own, other = (dark, light) if position.side == 0 else (light, dark)
    boards = own, other, np.uint64(position.kings), position.side
    quiet = len(position.past)
    workspace.past[:quiet] = position.past
    workspace.past[quiet] = repetition_key(*boards)
    kernel = find_variant(find_game("checkers"), GAMES[0].rules, packed)["kernel"]
    return int(kernel.decide(packed, slot, *boards, quiet, workspace))


@pytest.mark.parametrize("game", GAMES, ids=["dark begins", "light begins"])
def test_whole_matches_are_the_same_games(game: Checkers) -> None:
    packed = combine_players(PLAYERS)
    pairings = [(a, b) for a in range(len(PLAYERS)) for b in range(len(PLAYERS))]
    seeds = [100 + match for match in range(len(pairings))]
    results = play(game, packed, pairings, seeds)
    for (first, second), seed, result in zip(pairings, seeds, results, strict=True):
        expected, _ = replay(game, [PLAYERS[first], PLAYERS[second]], seed, [])
        assert result == expected
    assert {result.outcome for result in results} == {1, 0, -1}


def test_every_way_to_end_is_noticed() -> None:
    """Players who only count pieces often know nothing better than to shuffle kings."""
    quick, idle = linear(4, 2, spread=0.0), simple_player(SEAT_FIELDS)
    reasons: Counter[str] = Counter()
    for players, count in (([idle, idle], 60), ([quick, quick], 60)):
        packed = combine_players(players)
        results = play(GAMES[0], packed, [(0, 1)] * count, list(range(count)))
        for seed, result in enumerate(results):
            expected, reason = replay(GAMES[0], players, seed, [])
            assert result == expected
            reasons[reason] += 1
    assert reasons["dark has no move"] > 10
    assert reasons["light has no move"] > 10
    assert reasons["the same position for the third time"] > 5
    assert reasons["40 moves each without a capture or a man's move"] > 5


def test_a_match_does_not_depend_on_those_before() -> None:
    """Tables, counts of cuts and past positions stay where they are."""
    packed = combine_players([linear(14, 5), linear(4, 5, spread=0.1)])
    pairings = [(0, 1), (1, 0), (0, 0), (1, 1)] * 2
    together = play(GAMES[0], packed, pairings, list(range(8)))
    alone = [play(GAMES[0], packed, [pairing], [seed])[0] for seed, pairing in enumerate(pairings)]
    assert together == alone


def test_openings_are_played_first() -> None:
    openings = np.full((30, 6), -1, dtype=np.int64)
    draw_openings(GAMES[0].rules, np.arange(30, dtype=np.uint64), openings)
    openings[10:20, 3:] = -1
    openings[20:, :] = -1
    packed = combine_players(PLAYERS[1:3])
    results = play(GAMES[0], packed, [(0, 1)] * 30, list(range(30)), openings)
    for seed in range(0, 30, 3):
        expected, _ = replay(GAMES[0], PLAYERS[1:3], seed, openings[seed].tolist())
        assert results[seed] == expected
    same = play(GAMES[0], packed, [(0, 1)] * 10, list(range(20, 30)))
    assert results[20:] == same
    assert results[:10] != play(GAMES[0], packed, [(0, 1)] * 10, list(range(10)))


def test_a_match_may_end_within_its_opening() -> None:
    game = GAMES[0]
    position, words = game.initial(), []
    stream = new_stream(6)
    packed, workspace = PLAYERS[0], make_checkers_workspace(PLAYERS[0])._replace(streams=stream)
    while game.outcome(position) is None:
        words.append(ask(packed, game.to_move(position), position, workspace))
        position = game.play(position, game.move_of(words[-1]))
    opening = np.array([[*words, words[0], words[1]]], dtype=np.int64)
    (result,) = play(game, packed, [(0, 0)], [1], opening)
    winner = game.outcome(position).winner
    assert (result.outcome, result.plies) == ({None: 0, 0: 1, 1: -1}[winner], len(words))


@pytest.mark.parametrize("game", GAMES, ids=["dark begins", "light begins"])
def test_openings_are_random_legal_moves(game: Checkers) -> None:
    openings = np.full((700, 8), -1, dtype=np.int64)
    seeds = np.arange(700, dtype=np.uint64)
    draw_openings(game.rules, seeds, openings)
    firsts: Counter[int] = Counter(openings[:, 0].tolist())
    assert {game.move_of(word) for word in firsts} == set(game.legal_moves(game.initial()))
    assert all(abs(count - 100) < 4 * np.sqrt(100 * 6 / 7) for count in firsts.values())
    for opening in openings[:100].tolist():
        position = game.initial()
        for word in opening:
            position = game.play(position, game.move_of(word))
        assert game.outcome(position) is None
    again = np.full((1, 8), -1, dtype=np.int64)
    draw_openings(game.rules, np.array([17], dtype=np.uint64), again)
    assert again[0].tolist() == openings[17].tolist()


def test_openings_that_end_the_game_are_drawn_anew() -> None:
    """Of games that last 70 plies in the mean few are left after 70, but some."""
    openings = np.full((20, 70), -1, dtype=np.int64)
    draw_openings(GAMES[0].rules, np.arange(20, dtype=np.uint64), openings)
    for opening in openings.tolist():
        position = GAMES[0].initial()
        for word in opening:
            position = GAMES[0].play(position, GAMES[0].move_of(word))
        assert GAMES[0].outcome(position) is None


def test_python_refuses_what_is_not_legal() -> None:
    """Or the replays above would prove nothing."""
    with pytest.raises(ArenaError):
        GAMES[0].play(GAMES[0].initial(), GAMES[0].move_of(GAMES[0].number_of(_jump())))


def _jump() -> object:
    return GAMES[0].parse_move("9x18")
