"""One game at the table: who sits where, whose turn it is, how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve_arena.arena.match import Match, Termination
from evolve_arena.core.errors import one_line
from evolve_arena.players.forfeit import Forfeit, ForfeitError
from evolve_arena.players.player import Player, distinct_names
from evolve_arena.runs.play.phrasebook import phrasebook_of
from evolve_arena.runs.play.record import Record
from evolve_arena.runs.play.seat import Seat

__all__ = ["Party", "Table"]


class Party:
    """The two participants of a sitting.

    Args:
        players: Who takes part; None is a person.
    """

    def __init__(self, players: Sequence[Player | None]) -> None:
        self.seats = [None if player is None else Seat(player) for player in players]
        names = distinct_names([one_line(p.name) if p else "person" for p in players])
        self.people = self.seats.count(None)
        """How many of them are people."""
        self.names = [
            "you" if seat is None and self.people == 1 else name
            for seat, name in zip(self.seats, names, strict=True)
        ]

    def phrase(self, who: int, verb: str, *, start: bool = True) -> str:
        """Participant *who* with a *verb*: "You win", "test-bot wins"."""
        name = self.names[who]
        if name == "you":
            return f"{'You' if start else 'you'} {verb}"
        irregular = {"are": "is"}
        return f"{name} {irregular.get(verb, f'{verb}s')}"


class Table:
    """A game of a *party*, of which moves can be taken back.

    Args:
        party: Who plays.
        record: The moves that it begins with.
        first: Who of the party begins: 0 or 1.
    """

    def __init__(self, party: Party, record: Record, first: int) -> None:
        self.party = party
        self.record = record
        self._first = first
        self._sides = phrasebook_of(record.game).speech.sides
        self._forfeit: tuple[int, ForfeitError] | None = None

    @property
    def whose(self) -> int:
        """Who of the party is to move."""
        return self._holder(self.record.side)

    @property
    def seat(self) -> Seat | None:
        """The program that is to move; None if it is a person's turn."""
        return self.party.seats[self.whose]

    @property
    def mover(self) -> str:
        """The name of who is to move."""
        return self.party.names[self.whose]

    @property
    def mark(self) -> str:
        """The side whose turn it is, as players call it."""
        return self._sides[self.record.side]

    def describe_sides(self) -> str:
        """Who has which pieces: "you are x, test-bot is o"."""
        first, second = (
            self.party.phrase(self._holder(side), "are", start=False) for side in (0, 1)
        )
        return f"{first} {self._sides[0]}, {second} {self._sides[1]}"

    def ask_program(self) -> Any:
        """Lets the program whose turn it is move; gives its move, None if it forfeits."""
        seat, record = self.seat, self.record
        assert seat is not None
        try:
            move = seat.choose(record, record.stream)
        except ForfeitError as error:
            self._forfeit = (record.side, error)
            return None
        record.play(move)
        return move

    def resign(self) -> None:
        """The person whose turn it is loses."""
        sentence = f"{self.party.phrase(self.whose, 'resign')}."
        self._forfeit = (self.record.side, ForfeitError(Forfeit.RESIGNED, sentence))

    def swap(self) -> None:
        """Lets the two change sides; programs find their way into the other one's game."""
        self._first = 1 - self._first

    def take_back(self, times: int) -> bool:
        """Goes back to an earlier turn of a person; whether there is one.

        Args:
            times: How many of them to go back; to the earliest if there are fewer.
        """
        last = len(self.record.moves) - 1
        turns = [ply for ply in range(last, -1, -1) if self._is_persons(ply)]
        if self._forfeit:
            resigned = self._is_persons(last + 1)
            turns = [last + 1, *turns] if resigned else turns
        if not turns:
            return False
        self._forfeit = None
        self.record.take_back(turns[: max(times, 1)][-1])
        return True

    @property
    def result(self) -> Match | None:
        """How the game ended, None while it goes on."""
        moves = tuple(self.record.moves)
        numbers = tuple(self.record.game.number_of(move) for move in moves)
        return self._judge(moves, () if numbers == moves else numbers)

    def _judge(self, moves: tuple[Any, ...], numbers: tuple[int, ...]) -> Match | None:
        if self._forfeit:
            side, error = self._forfeit
            places = (2, 1) if side == 0 else (1, 2)
            return Match(moves, places, Termination(error.kind), str(error), numbers, side)
        outcome = self.record.outcome
        if outcome is None:
            return None
        if outcome.winner is None:
            return Match(
                moves, outcome.places, Termination.DRAW, f"A draw: {outcome.reason}.", numbers
            )
        sentence = f"{self.party.phrase(self._holder(outcome.winner), 'win')}: {outcome.reason}."
        return Match(moves, outcome.places, Termination.WIN, sentence, numbers)

    @property
    def winner(self) -> int | None:
        """Who of the party won; None if nobody did."""
        result = self.result
        if result is None or result.outcome == 0:
            return None
        return self._holder(0 if result.outcome > 0 else 1)

    def describe_result(self) -> str:
        """How the game ended, with the winner where the sentence does not say."""
        result, winner = self.result, self.winner
        if result is None:
            return "The game is not over."
        if winner is None or result.termination is Termination.WIN:
            return result.sentence
        return f"{result.sentence} {self.party.phrase(winner, 'win')} ({result.termination})."

    def leave(self) -> None:
        """Tells the programs that the game is over."""
        for seat in self.party.seats:
            if seat is not None:
                seat.leave()

    def _holder(self, side: int) -> int:
        """Who of the party plays *side*."""
        return self._first if side == 0 else 1 - self._first

    def _is_persons(self, ply: int) -> bool:
        return self.party.seats[self._holder(ply % 2)] is None
