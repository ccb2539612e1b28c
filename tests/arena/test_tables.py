"""Matches at tables: the same games compiled or not, and players that forfeit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from evolve_arena.games.ticket_to_ride.design import make_ticket_design

from evolve_arena.arena.batch import make_batch, seat_players
from evolve_arena.arena.duel import duel
from evolve_arena.arena.duel_result import ForfeitCount
from evolve_arena.arena.executors import SerialExecutor
from evolve_arena.arena.match import Match, Termination, play_match, play_matches
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import make_game
from evolve_arena.core.seeding import derive_seeds
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.games.ticket_to_ride.layout import DRAW_DECK, KEEP_FIRST, KEEP_TICKETS
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.players.forfeit import Forfeit, ForfeitError
from evolve_arena.players.lineup import Lineup, combine_lineups, with_noise
from evolve_arena.players.player import CompiledPlayer, Player
from evolve_arena.players.specification import make_player


class Slow(Player):
    """A compiled player that is asked for each move, as a program or a person would be."""

    def __init__(self, player: CompiledPlayer) -> None:
        self.player = player
        self.name = player.name
        self.seats: list[int] = []
        self.ended = 0

    def begin(self, side: int) -> None:
        """Notes its seat."""
        self.seats.append(side)

    def choose(self, position: Position, stream: Stream) -> int:
        """The very move of the compiled player."""
        assert position.seen_by == position.to_move
        return self.player.choose(position, stream)

    def end(self) -> None:
        """Notes the end."""
        self.ended += 1


class Drawer(Player):
    """Keeps the first two tickets, and does one thing ever after."""

    name = "drawer"

    def __init__(self, then: Any = DRAW_DECK) -> None:
        self.then = then

    def choose(self, position: Position, stream: Stream) -> int:
        """The one thing, which may be an error to raise."""
        if position.phase == KEEP_FIRST:
            return KEEP_TICKETS + 3
        if isinstance(self.then, Exception):
            raise self.then
        return self.then


def make_players(players: int) -> list[CompiledPlayer]:
    """Players of several kinds, with and without chance."""
    game = make_game("ticket-to-ride", players=players)
    designs = [
        make_ticket_design(kind="decision", players=players, masked=masked)
        for masked in (True, False)
    ]
    genome = designs[0].initialise(1, "uniform", np.random.default_rng(5))[0]
    noisy = make_player("rule:code", game)
    return [
        make_player("rule", game),
        CompiledPlayer(game, with_noise(noisy.lineup, 0.1), "noisy"),
        make_player("random", game),
        *(design.player(genome, f"network {place}") for place, design in enumerate(designs)),
    ]


def lineup_of(players: list[CompiledPlayer]) -> Lineup:
    return combine_lineups([player.lineup for player in players])


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_compiled_or_not_is_the_same(players: int) -> None:
    """Move by move each player gets to see its own view only; the kernel has the whole state."""
    game = make_game("ticket-to-ride", players=players)
    kinds = make_players(players)
    tables = np.random.default_rng(players).integers(0, len(kinds), (16, players))
    seatings, seeds = seat_players(tables), derive_seeds(players, 0, "test", 16)
    batch = make_batch(game, lineup_of(kinds), seatings, seeds)
    expected = SerialExecutor().seat(batch)
    slow: list[Player] = [Slow(kind) for kind in kinds]
    results, forfeits = play_matches(game, slow, seatings, seeds)
    for field in ("games", "points", "places", "done", "failed", "rounds", "offenders"):
        assert np.array_equal(getattr(results, field), getattr(expected, field)), field
    assert {row.kind for row in forfeits} == {"illegal move"}
    culprits = seatings[np.arange(16), expected.offenders][expected.offenders >= 0]
    assert {row.player: row.games for row in forfeits} == Counter(culprits.tolist())
    assert (expected.offenders >= 0).any()
    assert (expected.offenders < 0).any()


def test_everybody_begins_and_ends_each_match() -> None:
    game = make_game("ticket-to-ride", players=3)
    players = [Slow(make_player("random", game)) for _ in range(3)]
    play_match(game, players, seed=4)
    play_match(game, [players[2], players[0], players[0]], seed=4)
    assert [player.seats for player in players] == [[0, 1, 2], [1], [2, 0]]
    assert [player.ended for player in players] == [3, 1, 2]


def test_a_finished_match_tells_how_it_ended() -> None:
    game = make_game("ticket-to-ride", players=2)
    seen: list[tuple[Position, Any]] = []
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
    assert outcome.points == match.points
    assert match.rounds == position.round
    assert match.places == (1, 2)
    assert match.offender == -1
    assert match.termination == Termination.WIN
    points = ", ".join(str(number) for number in match.points)
    assert match.sentence == f"{players[0].name} wins: {points} points."
    for seat in range(2):
        held = position.tickets(seat)
        assert match.done[seat] == sum(position.is_done(seat, ticket) for ticket in held)
        assert match.done[seat] + match.failed[seat] == len(held)


def test_two_with_the_same_points_are_both_first() -> None:
    game = make_game("ticket-to-ride", players=2)
    rules = [make_player("rule", game)] * 2
    seeds = np.arange(250, dtype=np.uint64)
    results, _ = play_matches(game, rules, seat_players([[0, 1]] * 250), seeds)
    tied = np.flatnonzero(results.points[:, 0] == results.points[:, 1])
    assert len(tied) > 1
    assert (results.places[tied, :2] == 1).all()
    for seed in tied[:2].tolist():
        match = play_match(game, rules, seed=seed)
        (points,) = set(match.points)
        assert (match.places, match.termination) == ((1, 1), Termination.DRAW)
        told = f"rule:text #1 and rule:text #2 are first: {points}, {points} points."
        assert match.sentence == told


def test_seeds_give_different_decks_to_the_same_players() -> None:
    game = make_game("ticket-to-ride")
    rules = [make_player("rule", game)] * 4
    matches = [play_match(game, rules, seed=seed) for seed in (1, 2, 1)]
    assert matches[0] == matches[2]
    assert matches[0].game == matches[2].game != matches[1].game


def test_players_draw_from_another_stream_than_the_decks() -> None:
    """If they did not, a random player could foresee cards."""
    game = make_game("ticket-to-ride", players=2)
    words: list[int] = []

    class Listener(Drawer):
        def choose(self, position: Position, stream: Stream) -> int:
            words.append(int(stream[0]))
            raise ForfeitError(Forfeit.RESIGNED, "Enough.")

    play_match(game, [Listener()] * 2, seed=77)
    assert words[0] not in (77, int(new_stream(77)[0]))
    assert len(words) == 1


@pytest.mark.parametrize(
    ("then", "termination", "sentence"),
    [
        (-1, "illegal move", "drawer wants to do what can't be done here."),
        (918, "illegal move", "drawer plays 918, which is not legal here."),
        (ForfeitError(Forfeit.TIMEOUT, "Too slow."), "time-out", "Too slow."),
        (ForfeitError(Forfeit.RESIGNED, "Alas."), "resigned", "Alas."),
    ],
)
def test_who_forfeits_is_last_and_points_stay_as_they_stood(
    then: Any, termination: str, sentence: str
) -> None:
    game = make_game("ticket-to-ride", players=3)
    others = Drawer(), Drawer()
    match = play_match(game, [others[0], Drawer(then), others[1]], seed=1)
    assert (match.offender, match.termination, match.sentence) == (1, termination, sentence)
    assert match.places[1] == 3
    assert sorted(match.places) == [1, 2, 3]
    # Nobody has claimed anything: what counts are two tickets each, none of them done.
    position = game.initial(1)
    for move in match.moves:
        position = game.play(position, move)
    expected = tuple(-position_points(position, seat) for seat in range(3))
    assert match.points == expected
    assert (match.points[0] < match.points[2]) == (match.places[0] > match.places[2])
    assert match.done == (0, 0, 0)
    assert match.failed == (2, 2, 2)


def position_points(position: Position, seat: int) -> int:
    """What the tickets of a seat are worth, read off the text that people see."""
    text = str(position).split(f"player {seat + 1}: ")[-1].split("tickets: ")[1].splitlines()[0]
    return sum(int(part.split("(")[1].split(")")[0]) for part in text.split(", "))


def test_forfeits_are_counted_in_duels() -> None:
    game = make_game("ticket-to-ride", players=2)
    late = Drawer(ForfeitError(Forfeit.TIMEOUT, "Too slow."))
    result = duel(game, late, make_player("random", game), games=4)
    assert (result.wins, result.losses, result.counted, result.games) == (0, 0, 4, 4)
    assert result.forfeits == (ForfeitCount(0, "time-out", 4, "Too slow."),)
    assert result.terminations == {"time-out": 4}
    assert result.forbidden == (4, 0)


def test_a_table_is_full() -> None:
    game = make_game("ticket-to-ride", players=4)
    with pytest.raises(BadValueError, match="3 players sit at a table of 4 seats"):
        play_match(game, [Drawer()] * 3)


def test_two_who_are_first_share_it() -> None:
    match = Match((1, 2), (5, 5, 1), (1, 1, 3), (0, 0, 0), (0, 0, 0), 9, -1, Termination.DRAW, "x")
    assert (
        match.game
        == ((0xCBF29CE484222325 ^ 2) * 0x100000001B3 % 2**64 ^ 3) * (0x100000001B3) % 2**64
    )
