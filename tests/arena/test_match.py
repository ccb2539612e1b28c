"""One match, move by move: who is asked, what is watched, how it ends."""

from __future__ import annotations

import pytest

from evolve_arena.arena.match import Match, Termination, play_match
from evolve_arena.core.errors import IllegalMoveError
from evolve_arena.core.stream import Stream
from evolve_arena.games.connect_four.game import ConnectFour, Position
from evolve_arena.games.connect_four.spec import make_test_bot
from evolve_arena.players.forfeit import Forfeit, ForfeitError
from evolve_arena.players.player import Player
from evolve_arena.players.scripted import make_random

GAME = ConnectFour()


class Scripted(Player):
    """Plays the moves it is given, and writes down what it is told."""

    def __init__(self, name: str, *moves: int | Exception) -> None:
        self.name = name
        self.moves = list(moves)
        self.log: list[str] = []

    def begin(self, side: int) -> None:
        """Notes the side."""
        self.log.append(f"begin {side}")

    def choose(self, position: Position, stream: Stream) -> int:
        """The next move of the script."""
        self.log.append(f"choose at {position.ply}")
        move = self.moves.pop(0)
        if isinstance(move, Exception):
            raise move
        return move

    def end(self) -> None:
        """Notes the end."""
        self.log.append("end")


def test_a_win_of_the_first() -> None:
    first, second = Scripted("Ada", 0, 0, 0, 0), Scripted("Bob", 1, 1, 1)
    match = play_match(GAME, [first, second])
    assert match == Match((0, 1, 0, 1, 0, 1, 0), 1, Termination.WIN, "Ada wins: 4 in a row.")
    assert first.log == ["begin 0", *[f"choose at {ply}" for ply in (0, 2, 4, 6)], "end"]
    assert second.log == ["begin 1", *[f"choose at {ply}" for ply in (1, 3, 5)], "end"]


def test_a_win_of_the_second() -> None:
    match = play_match(GAME, [Scripted("Ada", 0, 0, 0, 6), Scripted("Bob", 1, 1, 1, 1)])
    assert match.outcome == -1
    assert match.sentence == "Bob wins: 4 in a row."


def test_a_draw() -> None:
    game = ConnectFour(3, 1, 3)
    match = play_match(game, [Scripted("Ada", 0, 1), Scripted("Bob", 2)])
    assert match == Match((0, 2, 1), 0, Termination.DRAW, "A draw: the board is full.")


def test_the_opening_is_played_without_asking() -> None:
    first, second = Scripted("Ada", 0), Scripted("Bob")
    match = play_match(GAME, [first, second], opening=(0, 1, 0, 1, 0, 1))
    assert match.moves == (0, 1, 0, 1, 0, 1, 0)
    assert first.log == ["begin 0", "choose at 6", "end"]
    assert second.log == ["begin 1", "end"]


def test_an_opening_that_ends_the_game_is_the_game() -> None:
    match = play_match(GAME, [Scripted("Ada"), Scripted("Bob")], opening=(0, 1, 0, 1, 0, 1, 0))
    assert match.outcome == 1


def test_an_illegal_opening_is_the_callers_mistake() -> None:
    player = Scripted("Ada")
    with pytest.raises(IllegalMoveError, match="column 0 is full"):
        play_match(GAME, [player, player], opening=(0,) * 7)
    assert player.log == ["begin 0", "begin 1", "end", "end"]


@pytest.mark.parametrize("move", [7, -1, 1])
def test_an_illegal_move_loses(move: int) -> None:
    full = (1, 1, 1, 1, 1, 1)
    first, second = Scripted("Ada", move), Scripted("Bob")
    match = play_match(GAME, [first, second], opening=full)
    assert match.outcome == -1
    assert match.termination == Termination.ILLEGAL_MOVE
    assert match.sentence == f"Ada plays {move}, which is not legal here."
    assert match.moves == full
    assert first.log[-1] == second.log[-1] == "end"


@pytest.mark.parametrize("kind", Forfeit)
def test_every_kind_of_forfeit_loses_and_is_named(kind: Forfeit) -> None:
    second = Scripted("Bob", ForfeitError(kind, "Bob cannot go on."))
    match = play_match(GAME, [Scripted("Ada", 3), second])
    assert match == Match((3,), 1, Termination(kind.value), "Bob cannot go on.", offender=1)


def test_other_errors_are_not_swallowed_but_players_are_told_of_the_end() -> None:
    first, second = Scripted("Ada", RuntimeError("a mistake of ours")), Scripted("Bob")
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        play_match(GAME, [first, second])
    assert first.log[-1] == second.log[-1] == "end"


def test_every_position_is_watched() -> None:
    seen: list[tuple[int, int | None]] = []
    match = play_match(
        GAME,
        [make_random(GAME), make_test_bot(GAME)],
        seed=3,
        opening=(3, 3),
        watch=lambda position, move: seen.append((position.ply, move)),
    )
    assert seen == [(0, None), *[(ply + 1, move) for ply, move in enumerate(match.moves)]]


def test_the_seed_decides() -> None:
    players = [make_random(GAME), make_test_bot(GAME)]
    matches = [play_match(GAME, players, seed=seed) for seed in range(20)]
    assert matches == [play_match(GAME, players, seed=seed) for seed in range(20)]
    assert len({match.moves for match in matches}) == 20


def test_the_hash_is_that_of_fowler_noll_and_vo() -> None:
    """FNV-1a, 64 bits, over bytes that are the moves plus one; known: of nothing, of "a"."""
    draw = Match((), 0, Termination.DRAW, "")
    assert draw.game == 0xCBF29CE484222325
    assert Match((ord("a") - 1,), 0, Termination.DRAW, "").game == 0xAF63DC4C8601EC8C
    foobar = tuple(ord(letter) - 1 for letter in "foobar")
    assert Match(foobar, 0, Termination.DRAW, "").game == 0x85944171F73967E8
