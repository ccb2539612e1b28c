"""Text interface of games of OpenSpiel, for terminals and for programs that play."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from evolve_arena.core.errors import PositionError
from evolve_arena.core.game import AnyGame
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate
from evolve_arena.players.board.text_ui import BoardDialect, list_values
from evolve_arena.players.evolved import NeatPlayer, VectorPlayer
from evolve_arena.players.openspiel.game import SpielGame, SpielPosition
from evolve_arena.players.player import Player
from evolve_arena.players.text_ui import TextUI, shorten

MAX_LISTED = 60
"""Maximum number of moves that a sentence lists."""


class SpielText(TextUI):
    """Text interface with OpenSpiel's drawings and names of moves.

    Args:
        game: Game to play.
    """

    game: SpielGame
    greeting = "The name of a move plays it, or its number; moves lists the names."

    def read(self, text: str, position: SpielPosition) -> int:
        """Return the move that *text* names."""
        return self.game.find_move(position, text)

    def name(self, move: int, position: SpielPosition) -> str:
        """Return OpenSpiel's name of *move*, with underscores for blanks."""
        return self.game.name_move(position, move)

    def question(self, position: SpielPosition) -> str:
        """Return the expected entry, with a legal move as an example."""
        moves = self.game.legal_moves(position)
        return f"a move such as {self.name(moves[0], position)}" if moves else "a move"

    def list_moves(self, position: SpielPosition) -> str:
        """Return a sentence with the legal moves."""
        moves = self.game.legal_moves(position)
        names = [self.name(move, position) for move in moves[:MAX_LISTED]]
        if len(moves) == 1:
            return f"Only {names[0]} can be played."
        more = f" and {len(moves) - MAX_LISTED} more" if len(moves) > MAX_LISTED else ""
        return f"These moves can be played: {', '.join(names)}{more}."

    def draw(
        self,
        position: SpielPosition,
        last: int | None = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """Return OpenSpiel's text of the state.

        Args:
            position: Position to draw.
            last: Last move, which the text does not mark.
            colour: True if colours are allowed; the text has none.
            names: Names of the players, which the text does not show.
        """
        return str(self.game.state_of(position)).rstrip("\n")

    def has_values(self, player: Player) -> bool:
        """Test whether *player* values moves: networks do."""
        return isinstance(player, VectorPlayer | NeatPlayer)

    def find_values(self, player: Any, position: SpielPosition) -> dict[int, float]:
        """Return the outputs for moves or their afterstates; that of a win at once is infinite."""
        game, decoder, seat = self.game, player.decoder, self.game.to_move(position)
        moves, values = game.legal_moves(position), decoder.head == "value"
        places = [game.play(position, move) for move in moves] if values else [position]
        rows = np.array([game.observe(place, seat) for place in places], dtype=np.float64)
        if isinstance(player, NeatPlayer):
            graphs = compile_graphs(player.genome, decoder.inputs, decoder.outputs, True)
            outputs = evaluate(graphs, 0, rows)
        else:
            outputs = decoder.mlp.evaluate(player.genome, rows)
        if not values:
            return {move: float(outputs[0, move]) for move in moves}
        ends = [game.outcome(place) if decoder.take_wins else None for place in places]
        return {
            move: inf if end and end.winner == seat else float(output)
            for move, end, (output,) in zip(moves, ends, outputs, strict=True)
        }

    def describe_values(self, player: Player, position: SpielPosition) -> str:
        """Return the values of all moves, eight in a line."""
        values = self.find_values(player, position)
        return list_values(player, values, lambda move: self.name(move, position))

    def write_game(self, moves: Sequence[int], positions: Sequence[SpielPosition]) -> str:
        """Return the names of the moves, separated by blanks."""
        pairs = zip(moves, positions, strict=False)
        return " ".join(self.name(move, position) for move, position in pairs)

    def read_game(self, text: str) -> tuple[int, ...]:
        """Return the moves of a text by names or numbers; games of chance have none."""
        if self.game.has_chance:
            return super().read_game(text)
        moves: list[int] = []
        position = self.game.initial()
        for word in text.split():
            try:
                moves.append(self.game.find_move(position, word))
                position = self.game.play(position, moves[-1])
            except ValueError:
                raise PositionError(f"moves {shorten(text)!r}") from None
        return tuple(moves)


class SpielDialect(BoardDialect):
    """Protocol in lines of words: a position is sent as all actions so far, with those of chance.

    A program that uses pyspiel applies these to a new state.
    """

    def show(self, position: SpielPosition) -> str:  # type: ignore[override]
        """Return the actions so far."""
        return f"history {' '.join(map(str, position.history))}".rstrip() + "\n"

    def read(self, game: AnyGame, position: SpielPosition, line: bytes) -> int | None:  # type: ignore[override]
        """Return the move of ``move 19`` or ``move a2a3``.

        Args:
            game: Game that is played.
            position: Position in which the bot is to move.
            line: Answer of the bot, one line.

        Raises:
            IllegalMoveError: The rules do not allow the move.
        """
        found = re.fullmatch(rb"move[ \t]+(\S[ -~]{0,60})", line.rstrip())
        if found is None:
            return None
        move: int = game.find_move(position, found[1].decode("ascii", "replace"))  # type: ignore[attr-defined]
        game.play(position, move)
        return move
