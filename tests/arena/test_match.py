"""Matches, move by move: requests, watchers and endings; and compiled alike."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from evolve_arena.arena.batch import make_batch, seat_players
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.arena.match import Match, Termination, play_match, play_matches
from evolve_arena.core.errors import BadValueError, IllegalMoveError
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.games.ticket_to_ride import layout
from evolve_arena.games.ticket_to_ride.scoring import count_tickets, ticket_points
from evolve_arena.players.board.game import Board
from evolve_arena.players.packed import PackedPlayers, combine_players
from evolve_arena.players.player import CompiledPlayer, Forfeit, ForfeitError, Player, make_random
from evolve_arena.players.specification import make_player
from tests.evolved import make_evolved

GAME = make_game("connect-four")


class Scripted(Player):
    """Player of a script of moves that notes all calls."""

    def __init__(self, name: str, *moves: int | BaseException) -> None:
        self.name = name
        self.moves = list(moves)
        self.log: list[str] = []

    def begin(self, side: int) -> None:
        """Note the side."""
        self.log.append(f"begin {side}")

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the next move of the script."""
        self.log.append(f"choose at {position.plies}")
        move = self.moves.pop(0)
        if isinstance(move, BaseException):
            raise move
        return move

    def end(self) -> None:
        """Note the end."""
        self.log.append("end")


def test_a_win_of_the_first() -> None:
    first, second = Scripted("Ada", 0, 0, 0, 0), Scripted("Bob", 1, 1, 1)
    match = play_match(GAME, [first, second])
    assert match.outcome == 1
    assert match == Match((0, 1, 0, 1, 0, 1, 0), (1, 2), Termination.WIN, "Ada wins: 4 in a row.")
    assert first.log == ["begin 0", *[f"choose at {ply}" for ply in (0, 2, 4, 6)], "end"]
    assert second.log == ["begin 1", *[f"choose at {ply}" for ply in (1, 3, 5)], "end"]


def test_the_opening_is_played_without_asking() -> None:
    first, second = Scripted("Ada", 0), Scripted("Bob")
    match = play_match(GAME, [first, second], opening=(0, 1, 0, 1, 0, 1))
    assert match.moves == (0, 1, 0, 1, 0, 1, 0)
    assert first.log == ["begin 0", "choose at 6", "end"]
    assert second.log == ["begin 1", "end"]


def test_an_illegal_opening_is_the_callers_mistake() -> None:
    player = Scripted("Ada")
    with pytest.raises(IllegalMoveError, match="0 can't be played here"):
        play_match(GAME, [player, player], opening=(0,) * 7)
    assert player.log == ["begin 0", "begin 1", "end", "end"]


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        (7, "Ada plays 7, which is not legal here."),
        (-1, "Ada wants to do what can't be done here."),
        (1, "Ada plays 1, which is not legal here."),
    ],
)
def test_an_illegal_move_loses(move: int, sentence: str) -> None:
    full = (1, 1, 1, 1, 1, 1)
    first, second = Scripted("Ada", move), Scripted("Bob")
    match = play_match(GAME, [first, second], opening=full)
    assert match.outcome == -1
    assert match.termination == Termination.ILLEGAL_MOVE
    assert match.sentence == sentence
    assert match.moves == full
    assert first.log[-1] == second.log[-1] == "end"


@pytest.mark.parametrize("kind", Forfeit)
def test_every_kind_of_forfeit_loses_and_is_named(kind: Forfeit) -> None:
    second = Scripted("Bob", ForfeitError(kind, "Bob cannot go on."))
    match = play_match(GAME, [Scripted("Ada", 3), second])
    ending = Termination(kind.value), "Bob cannot go on."
    assert match == Match((3,), (1, 2), *ending, offender=1)
    assert match.outcome == 1


def test_an_interrupt_is_not_swallowed_but_players_are_told_of_the_end() -> None:
    first, second = Scripted("Ada", KeyboardInterrupt()), Scripted("Bob")
    with pytest.raises(KeyboardInterrupt):
        play_match(GAME, [first, second])
    assert first.log[-1] == second.log[-1] == "end"


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("by zero"), IllegalMoveError("no"), SystemExit(0)]
)
def test_a_player_whose_code_fails_has_forfeited(error: BaseException) -> None:
    match = play_match(GAME, [Scripted("Ada", 3), Scripted("Bob", error)])
    line = Scripted.choose.__code__.co_firstlineno + 5
    assert match.termination is Termination.CRASH
    assert match.places == (1, 2)
    assert match.offender == 1
    assert match.sentence == (
        f"Bob crashes: {type(error).__name__}: {error} (test_match.py, line {line})."
    )
    assert match.errors[-1].endswith(f"{type(error).__name__}: {error}")


def test_every_position_is_watched() -> None:
    seen: list[tuple[int, int | None]] = []
    match = play_match(
        GAME,
        [make_random(GAME), make_player("test-bot", GAME)],
        seed=3,
        opening=(3, 3),
        watch=lambda position, move: seen.append((position.plies, move)),
    )
    assert seen == [(0, None), *[(ply + 1, move) for ply, move in enumerate(match.moves)]]


def test_the_hash_is_that_of_fowler_noll_and_vo() -> None:
    """FNV-1a, 64 bits, over bytes that are the moves plus one; known: of nothing, of "a"."""
    draw = Match((), (1, 1), Termination.DRAW, "")
    assert draw.game_hash == 0xCBF29CE484222325
    assert Match((ord("a") - 1,), (1, 1), Termination.DRAW, "").game_hash == 0xAF63DC4C8601EC8C
    foobar = tuple(ord(letter) - 1 for letter in "foobar")
    assert Match(foobar, (1, 1), Termination.DRAW, "").game_hash == 0x85944171F73967E8


class Slow(Player):
    """A compiled player that is asked for each move, as a program or a person would be."""

    def __init__(self, player: CompiledPlayer) -> None:
        self.player = player
        self.name = player.name

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the compiled player's move."""
        assert position.state[layout.SECRETS] == 2  # a view, from which guesses may be made
        return self.player.choose(position, rng)


class Drawer(Player):
    """Player that keeps the first two tickets, and then always moves alike."""

    name = "drawer"

    def __init__(self, then: int | Exception = layout.DRAW_DECK) -> None:
        self.then = then

    def choose(self, position: Board, rng: Stream) -> int:
        """Return the given move, or raise it if it is an error."""
        if position.state[layout.PHASE] == layout.KEEP_FIRST:
            return layout.KEEP_TICKETS + 3
        if isinstance(self.then, Exception):
            raise self.then
        return self.then


def make_players(seats: int) -> list[CompiledPlayer]:
    """Make players with and without chance; at tables of four networks of several kinds, too.

    Each number of seats is compiled on its own.
    """
    game = make_game("ticket-to-ride", seats=seats)
    noisy = make_player("rule:code,noise=0.1", game)
    players = [make_player("rule", game), noisy, make_player("random", game)]
    networks = ({}, {"masked": False}, {"masked": False, "script": "rule:code,long=5"})
    if seats == 4:
        players += [
            make_evolved("ticket-to-ride", "mlp", 5, head="kinds", encoding="features", **settings)
            for settings in networks
        ]
        for network in ("mlp", "graph"):
            settings = {"head": "action", "encoding": "features"}
            players.append(make_evolved("ticket-to-ride", network, 5, **settings))
    return players


def packed_of(players: list[CompiledPlayer]) -> PackedPlayers:
    return combine_players([player.packed for player in players])


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_tables_compiled_or_not_are_the_same(players: int) -> None:
    """Move by move each player gets to see its own view only; the kernel has the whole state."""
    game = make_game("ticket-to-ride", seats=players)
    kinds = make_players(players)
    tables = np.random.default_rng(players).integers(0, len(kinds), (16, players))
    pairings = seat_players(tables, layout.MAX_PLAYERS)
    seeds = derive_seeds(players, 0, "test", 16)
    batch = make_batch(game, packed_of(kinds), pairings, seeds)
    expected = SerialExecutor().play(batch)
    slow: list[Player] = [Slow(kind) for kind in kinds]
    results, forfeits = play_matches(game, slow, pairings, seeds)
    for field in ("game_hashes", "places", "plies", "offenders"):
        assert np.array_equal(getattr(results, field), getattr(expected, field)), field
    assert list(results.columns) == ["points", "tickets_done", "tickets_failed", "rounds"]
    for name, numbers in results.columns.items():
        assert np.array_equal(numbers, expected.columns[name]), name
    assert {row.kind for row in forfeits} == {"illegal move"} or players != 4
    culprits = pairings[np.arange(16), expected.offenders][expected.offenders >= 0]
    assert {row.player: row.games for row in forfeits} == Counter(culprits.tolist())
    assert (expected.offenders >= 0).any() == (players == 4)
    assert (expected.offenders < 0).any()


def test_a_finished_match_tells_how_it_ended() -> None:
    game = make_game("ticket-to-ride", seats=2)
    seen: list[tuple[Board, int | None]] = []
    players = [make_player("rule", game), make_player("random", game)]
    match = play_match(
        game, players, seed=8, watch=lambda position, move: seen.append((position, move))
    )
    assert [move for _, move in seen] == [None, *match.moves]
    position = game.initial(8)
    for move in match.moves:
        position = game.play(position, move)
    assert position == seen[-1][0]
    outcome = game.outcome(position)
    assert outcome is not None
    assert outcome.points == tuple(match.columns["points"])
    assert match.columns["rounds"] == [position.state[layout.ROUND]] * 2
    assert match.places == outcome.places == (1, 2)
    assert match.offender == -1
    assert match.termination == Termination.WIN
    assert match.sentence == "rule wins: trains have run out."
    for seat in range(2):
        counted = [match.columns[f"tickets_{how}"][seat] for how in ("done", "failed")]
        assert tuple(counted) == count_tickets(np.array(position.state), seat)


def test_two_of_three_who_are_first_are_named() -> None:
    game = make_game("ticket-to-ride", seats=3)
    rules = [make_player("rule", game)] * 3
    seeds = np.arange(1000, dtype=np.uint64)
    pairings = seat_players([[0, 1, 2]] * 1000, layout.MAX_PLAYERS)
    results, _ = play_matches(game, rules, pairings, seeds)
    (shared, *_) = np.flatnonzero((results.places == 1).sum(axis=1) == 2).tolist()
    match = play_match(game, rules, seed=shared)
    assert sorted(match.places) == [1, 1, 3]
    assert match.termination == Termination.DRAW
    first = [f"rule #{seat + 1}" for seat in range(3) if match.places[seat] == 1]
    assert match.sentence.startswith(f"{first[0]} and {first[1]} are first: ")


def test_players_draw_from_another_stream_than_the_decks() -> None:
    """If they did not, a random player could foresee cards."""
    game = make_game("ticket-to-ride", seats=2)
    words: list[int] = []

    class Listener(Drawer):
        def choose(self, position: Board, rng: Stream) -> int:
            words.append(int(rng[0]))
            raise ForfeitError(Forfeit.RESIGNED, "Enough.")

    play_match(game, [Listener()] * 2, seed=77)
    assert words[0] not in (77, int(new_stream(77)[0]))
    assert len(words) == 1


@pytest.mark.parametrize(
    ("then", "termination", "sentence"),
    [
        (-1, "illegal move", "drawer wants to do what can't be done here."),
        (ForfeitError(Forfeit.TIMEOUT, "Too slow."), "time-out", "Too slow."),
    ],
)
def test_who_forfeits_is_last_and_points_stay_as_they_stood(
    then: int | Exception, termination: str, sentence: str
) -> None:
    game = make_game("ticket-to-ride", seats=3)
    others = Drawer(), Drawer()
    match = play_match(game, [others[0], Drawer(then), others[1]], seed=2)
    assert (match.offender, match.termination, match.sentence) == (1, termination, sentence)
    assert match.places[1] == 3
    assert sorted(match.places) == [1, 2, 3]
    # Nobody has claimed anything: what counts are two tickets each, none of them done.
    position = game.initial(2)
    for move in match.moves:
        position = game.play(position, move)
    expected = tuple(ticket_points(np.array(position.state), seat) for seat in range(3))
    points = tuple(match.columns["points"])
    assert points == expected
    assert (points[0] < points[2]) == (match.places[0] > match.places[2])
    assert match.columns["tickets_done"] == [0, 0, 0]
    assert match.columns["tickets_failed"] == [2, 2, 2]


def test_a_table_is_full() -> None:
    game = make_game("ticket-to-ride", seats=4)
    with pytest.raises(BadValueError, match="3 players sit at a table of 4 seats"):
        play_match(game, [Drawer()] * 3)
