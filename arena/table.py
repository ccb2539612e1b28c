"""A game of people and programs, whose moves can be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from evolve_arena.arena.match import Match, Termination, adjudicate
from evolve_arena.core.errors import one_line
from evolve_arena.core.game import AnyGame, AnyMove, AnyPosition
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
    """A player, and the positions of this game in which it has chosen a move so far.

    If those differ from the game's history (moves were taken back, sides were swapped, or it is the
    player's first move), the player begins anew. If it has a memory, the game is replayed to it: it
    chooses once more in each earlier position of its seat.
    """

    def __init__(self, player: Player) -> None:
        self.player = player
        self._seat: int | None = None
        self._asked: list[AnyPosition] = []

    def choose(self, table: Table, rng: Stream) -> AnyMove:
        """Return the player's move, with random numbers from *rng*.

        Raises:
            ForfeitError: The player can't continue, or its move is not legal.
        """
        game, seat, earlier = table.game, table.seat, table.earlier(table.seat)
        try:
            # Another history than the player's: moves were taken back, or sides swapped.
            if (seat, earlier) != (self._seat, self._asked):
                self._begin(game, seat, earlier)
            move = self.player.choose(game.view(table.position, seat), rng)
            if move not in game.legal_moves(table.position):
                sentence = f"{self.player.name} plays {move}, which is not legal here."
                raise ForfeitError(Forfeit.ILLEGAL_MOVE, sentence)
        except ForfeitError:
            self.leave()
            raise
        self._asked.append(table.position)
        return move

    def leave(self) -> None:
        """End the game for the player: it is over or abandoned."""
        if self._seat is not None:
            self._seat, self._asked = None, []
            self.player.end()

    def _begin(self, game: AnyGame, seat: int, earlier: list[AnyPosition]) -> None:
        self.leave()
        self._seat = seat
        self.player.begin(seat)
        if _remembers(self.player):
            spare = new_stream(0)
            for position in earlier:
                self.player.choose(game.view(position, seat), spare)
        self._asked = earlier


def _remembers(player: Player) -> bool:
    """Return True if a player's choice may depend on earlier positions.

    An external program sees the whole board each time, and replaying the game would cost its time.
    """
    return not isinstance(player, CompiledPlayer | ProcessPlayer)


class Party:
    """The participants of a game.

    Args:
        players: The participants; None is a person.
    """

    def __init__(self, players: Sequence[Player | None]) -> None:
        self.programs = [None if player is None else Program(player) for player in players]
        self.people = self.programs.count(None)
        """Number of people among them."""
        person = "person" if self.people > 1 else "you"
        called = [one_line(player.name) if player else person for player in players]
        self.names = distinct_names(called)

    def phrase(self, who: int, verb: str, *, start: bool = True) -> str:
        """Return participant *who* with a *verb*: "You win", "random wins".

        Args:
            who: Place of the participant among the players of the party.
            verb: Verb in the form that goes with "you", such as "win".
            start: True at the beginning of a sentence, where "you" has a capital letter.
        """
        name = self.names[who]
        if name == "you":
            return f"{'You' if start else 'you'} {verb}"
        irregular = {"are": "is"}
        return f"{name} {irregular.get(verb, f'{verb}s')}"


class Table:
    """A game of a *party*, whose moves can be taken back if there is no hidden information.

    The random stream goes back with the moves: the same move again gets the same answer. As in
    :func:`evolve_arena.arena.match.play_match` all players draw from it.

    Args:
        game: The rules.
        party: The participants.
        order: The participant at each seat, in order of moving.
        seed: Seed of the game and the stream.
        beginning: Moves before the first decision.
    """

    def __init__(
        self,
        game: AnyGame,
        party: Party,
        order: Sequence[int],
        seed: int,
        beginning: Sequence[AnyMove] = (),
    ) -> None:
        self.game = game
        self.party = party
        self.seed = seed
        self.changed_sides = False
        """True if players changed sides after a move, so that moves are not those of one player."""
        self.ui = find_text_ui(game)
        self.order = list(order)
        self.moves: list[AnyMove] = []
        self.positions = [game.initial(seed)]
        """The positions before each move, and the current one."""
        self.rng = new_stream(game.stream_seed(seed))
        self._states = [int(self.rng[0])]
        self._forfeit: tuple[int, ForfeitError] | None = None
        for move in beginning:
            self.play(move)
        self.start = len(self.moves)
        """Number of moves before the first decision; fewer once some of them were taken back."""

    @property
    def position(self) -> AnyPosition:
        """The current position."""
        return self.positions[-1]

    @property
    def last(self) -> AnyMove | None:
        """The last move, or None."""
        return self.moves[-1] if self.moves else None

    @property
    def seat(self) -> int:
        """The seat of the player to move."""
        return self.game.to_move(self.position)

    @property
    def whose(self) -> int:
        """The index of the participant to move."""
        return self.order[self.seat]

    @property
    def program(self) -> Program | None:
        """The program to move; None if it is a person's turn."""
        return self.party.programs[self.whose]

    @property
    def names(self) -> list[str]:
        """The names of the players, seat by seat."""
        return [self.party.names[who] for who in self.order]

    @property
    def mover(self) -> str:
        """The name of the player to move, with that of its pieces: "random (x)"."""
        return self.called(self.seat)

    def called(self, seat: int) -> str:
        """Return the name of the player at *seat*, with that of its pieces."""
        name = self.names[seat]
        return f"{name} ({self.ui.sides[seat]})" if self.ui.sides else name

    def describe_seats(self) -> str:
        """Describe the seats: "you are x, random is o", or the order of moving."""
        if not self.ui.sides:
            return f"in order of moving: {', '.join(self.names)}"
        return ", ".join(
            f"{self.party.phrase(who, 'are', start=False)} {side}"
            for who, side in zip(self.order, self.ui.sides, strict=True)
        )

    def earlier(self, seat: int) -> list[AnyPosition]:
        """Return the earlier positions in which *seat* was to move."""
        return [
            self.positions[ply]
            for ply in range(self.start, len(self.moves))
            if self.game.to_move(self.positions[ply]) == seat
        ]

    def play(self, move: AnyMove) -> None:
        """Play a *move*.

        Raises:
            IllegalMoveError: The rules do not allow it.
        """
        self.positions.append(self.game.play(self.position, move))
        self.moves.append(move)
        self._states.append(int(self.rng[0]))

    def ask_program(self) -> bool:
        """Play the move of the program to move; return False if it forfeits."""
        seat, program = self.seat, self.program
        assert program is not None
        try:
            move = program.choose(self, self.rng)
        except ForfeitError as error:
            self._forfeit = seat, error
            return False
        self.play(move)
        return True

    def resign(self) -> None:
        """Resign for the person to move."""
        sentence = f"{self.party.phrase(self.whose, 'resign')}."
        self._forfeit = self.seat, ForfeitError(Forfeit.RESIGNED, sentence)

    def swap(self) -> None:
        """Swap the seats of two players; programs adapt to the other side at their next move."""
        self.order.reverse()
        self.changed_sides |= len(self.moves) > self.start

    def take_back(self, times: int) -> bool:
        """Go back to an earlier turn of a person; return False if there is none.

        Args:
            times: Number of turns to go back; to the earliest if there are fewer.
        """
        # The turns of people, the latest first; after a forfeit, the current one, too.
        last = len(self.moves) - 1
        turns = [ply for ply in range(last, -1, -1) if self._is_persons(ply)]
        if self._forfeit:
            turns = [last + 1, *turns] if self._is_persons(last + 1) else turns
        if not turns:
            return False
        self._forfeit = None
        ply = turns[: max(times, 1)][-1]
        # The random stream goes back, too.
        del self.moves[ply:], self.positions[ply + 1 :], self._states[ply + 1 :]
        self.rng[0] = self._states[-1]
        self.start = min(self.start, ply)
        return True

    @property
    def result(self) -> Match | None:
        """The finished match; None while the game goes on."""
        if self._forfeit is None and self.game.outcome(self.position) is None:
            return None
        return adjudicate(self.game, self.position, tuple(self.moves), self._forfeit, self._report)

    @property
    def winner(self) -> int | None:
        """The index of the participant who won; None without a single winner."""
        result = self.result
        if result is None or result.places.count(1) != 1:
            return None
        return self.order[result.places.index(1)]

    def describe_result(self) -> str:
        """Describe the end of the game, with the winner where the sentence does not name it."""
        result, winner = self.result, self.winner
        if result is None:
            return "The game is not over."
        sentence = result.sentence
        if winner is not None and result.termination is not Termination.WIN:
            sentence += f" {self.party.phrase(winner, 'win')} ({result.termination})."
        return sentence

    def leave(self) -> None:
        """Tell the programs that the game is over."""
        for program in self.party.programs:
            if program is not None:
                program.leave()

    def _report(self, seats: Sequence[int], reason: str) -> str:
        """Return the sentence about the *seats* in first place."""
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
