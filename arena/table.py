"""One game at the terminal: who sits where, whose turn it is, how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve_arena.arena.match import Match, Termination, judge
from evolve_arena.core.errors import one_line
from evolve_arena.core.game import AnyGame
from evolve_arena.core.stream import Stream, new_stream
from evolve_arena.players.player import (
    CompiledPlayer,
    Forfeit,
    ForfeitError,
    Player,
    distinct_names,
)
from evolve_arena.players.process import ProcessPlayer
from evolve_arena.players.text_ui import find_text_ui


class Program:
    """A player, and the positions of this game in which it was asked so far.

    If those are not what the table says (moves were taken back, sides were swapped, or the
    player is asked for the first time), the player begins anew, and one that remembers is led
    through the game: it is asked once more in each earlier position of its seat.
    """

    def __init__(self, player: Player) -> None:
        self.player = player
        self._seat: int | None = None
        self._asked: list[Any] = []

    def choose(self, table: Table, stream: Stream) -> Any:
        """The move that the player decides on; chance comes from *stream*.

        Raises:
            ForfeitError: It cannot go on, or its move is not legal.
        """
        game, seat, earlier = table.game, table.seat, table.earlier(table.seat)
        try:
            if (seat, earlier) != (self._seat, self._asked):
                self._begin(game, seat, earlier)
            move = self.player.choose(game.view(table.position, seat), stream)
            if move not in game.legal_moves(table.position):
                sentence = f"{self.player.name} plays {move}, which is not legal here."
                raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence)
        except ForfeitError:
            self.leave()
            raise
        self._asked.append(table.position)
        return move

    def leave(self) -> None:
        """The game is over, or given up."""
        if self._seat is not None:
            self._seat, self._asked = None, []
            self.player.end()

    def _begin(self, game: AnyGame, seat: int, earlier: list[Any]) -> None:
        self.leave()
        self._seat = seat
        self.player.begin(seat)
        if _remembers(self.player):
            spare = new_stream(0)
            for position in earlier:
                self.player.choose(game.view(position, seat), spare)
        self._asked = earlier


def _remembers(player: Player) -> bool:
    """Whether a player may choose otherwise if it saw other positions before.

    A program is shown the whole board each time, and asking it again would cost its time.
    """
    return not isinstance(player, CompiledPlayer | ProcessPlayer)


class Party:
    """Those who play.

    Args:
        players: Who takes part; None is a person.
    """

    def __init__(self, players: Sequence[Player | None]) -> None:
        self.programs = [None if player is None else Program(player) for player in players]
        self.people = self.programs.count(None)
        """How many of them are people."""
        person = "person" if self.people > 1 else "you"
        called = [one_line(player.name) if player else person for player in players]
        self.names = distinct_names(called)

    def phrase(self, who: int, verb: str, *, start: bool = True) -> str:
        """Participant *who* with a *verb*: "You win", "random wins"."""
        name = self.names[who]
        if name == "you":
            return f"{'You' if start else 'you'} {verb}"
        irregular = {"are": "is"}
        return f"{name} {irregular.get(verb, f'{verb}s')}"


class Table:
    """A game of a *party*, of which moves can be taken back if everybody sees everything.

    The stream of random numbers goes back with the moves: who plays the same again gets the same
    answers. As in :func:`evolve_arena.arena.match.play_match` all players draw from it.

    Args:
        game: The rules.
        party: Who plays.
        order: Who of the party sits where, in order of moving.
        seed: Seeds the game and the stream.
        beginning: Moves that nobody decides.
    """

    def __init__(
        self,
        game: AnyGame,
        party: Party,
        order: Sequence[int],
        seed: int,
        beginning: Sequence[Any] = (),
    ) -> None:
        self.game = game
        self.party = party
        self.ui = find_text_ui(game)
        self.order = list(order)
        self.moves: list[Any] = []
        self.positions = [game.initial(seed)]
        """Before each move, and the one on the board."""
        self.stream = new_stream(game.stream_seed(seed))
        self._states = [int(self.stream[0])]
        self._forfeit: tuple[int, ForfeitError] | None = None
        for move in beginning:
            self.play(move)
        self.start = len(self.moves)
        """How many moves nobody decided; fewer once some of them were taken back."""

    @property
    def position(self) -> Any:
        """What lies on the board."""
        return self.positions[-1]

    @property
    def last(self) -> Any:
        """The last move, or None."""
        return self.moves[-1] if self.moves else None

    @property
    def seat(self) -> int:
        """The seat whose turn it is."""
        return self.game.to_move(self.position)

    @property
    def whose(self) -> int:
        """Who of the party is to move."""
        return self.order[self.seat]

    @property
    def program(self) -> Program | None:
        """The program that is to move; None if it is a person's turn."""
        return self.party.programs[self.whose]

    @property
    def names(self) -> list[str]:
        """The players, seat by seat."""
        return [self.party.names[who] for who in self.order]

    @property
    def mover(self) -> str:
        """Who is to move, with the name of the pieces: "random (x)"."""
        return self.called(self.seat)

    def called(self, seat: int) -> str:
        """Who sits at *seat*, with the name of the pieces."""
        name = self.names[seat]
        return f"{name} ({self.ui.sides[seat]})" if self.ui.sides else name

    def describe_seats(self) -> str:
        """Who has which pieces: "you are x, random is o"; or who sits where."""
        if not self.ui.sides:
            return f"in order of moving: {', '.join(self.names)}"
        return ", ".join(
            f"{self.party.phrase(who, 'are', start=False)} {side}"
            for who, side in zip(self.order, self.ui.sides, strict=True)
        )

    def earlier(self, seat: int) -> list[Any]:
        """The positions before this one in which *seat* had to decide."""
        return [
            self.positions[ply]
            for ply in range(self.start, len(self.moves))
            if self.game.to_move(self.positions[ply]) == seat
        ]

    def play(self, move: Any) -> None:
        """Adds a *move*.

        Raises:
            IllegalMoveError: The rules do not allow it.
        """
        self.positions.append(self.game.play(self.position, move))
        self.moves.append(move)
        self._states.append(int(self.stream[0]))

    def ask_program(self) -> bool:
        """Lets the program whose turn it is move; whether it did not forfeit."""
        seat, program = self.seat, self.program
        assert program is not None
        try:
            move = program.choose(self, self.stream)
        except ForfeitError as error:
            self._forfeit = seat, error
            return False
        self.play(move)
        return True

    def resign(self) -> None:
        """The person whose turn it is loses."""
        sentence = f"{self.party.phrase(self.whose, 'resign')}."
        self._forfeit = self.seat, ForfeitError(Forfeit.RESIGNED, sentence)

    def swap(self) -> None:
        """Lets two players change seats; programs find their way into the other one's game."""
        self.order.reverse()

    def take_back(self, times: int) -> bool:
        """Goes back to an earlier turn of a person; whether there is one.

        Args:
            times: How many of them to go back; to the earliest if there are fewer.
        """
        last = len(self.moves) - 1
        turns = [ply for ply in range(last, -1, -1) if self._is_persons(ply)]
        if self._forfeit:
            turns = [last + 1, *turns] if self._is_persons(last + 1) else turns
        if not turns:
            return False
        self._forfeit = None
        ply = turns[: max(times, 1)][-1]
        del self.moves[ply:], self.positions[ply + 1 :], self._states[ply + 1 :]
        self.stream[0] = self._states[-1]
        self.start = min(self.start, ply)
        return True

    @property
    def result(self) -> Match | None:
        """How the game ended, None while it goes on."""
        if self._forfeit is None and self.game.outcome(self.position) is None:
            return None
        return judge(self.game, self.position, tuple(self.moves), self._forfeit, self._tell)

    @property
    def winner(self) -> int | None:
        """Who of the party won; None if nobody did alone."""
        result = self.result
        if result is None or result.places.count(1) != 1:
            return None
        return self.order[result.places.index(1)]

    def describe_result(self) -> str:
        """How the game ended, with the winner where the sentence does not say."""
        result, winner = self.result, self.winner
        if result is None:
            return "The game is not over."
        sentence = result.sentence
        if winner is not None and result.termination is not Termination.WIN:
            sentence += f" {self.party.phrase(winner, 'win')} ({result.termination})."
        return sentence

    def leave(self) -> None:
        """Tells the programs that the game is over."""
        for program in self.party.programs:
            if program is not None:
                program.leave()

    def _tell(self, seats: Sequence[int], reason: str) -> str:
        """The sentence about who is first."""
        if len(seats) == 1:
            return f"{self.party.phrase(self.order[seats[0]], 'win')}: {reason}."
        if len(seats) == self.game.seats:
            return f"A draw: {reason}."
        return f"{' and '.join(self.names[seat] for seat in seats)} are first: {reason}."

    def _is_persons(self, ply: int) -> bool:
        seat = self.game.to_move(self.positions[ply])
        return self.party.programs[self.order[seat]] is None

    def __str__(self) -> str:
        return self.ui.write_game(self.moves, self.positions)
