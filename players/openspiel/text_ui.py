"""How people and programs talk about games of OpenSpiel."""

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
from evolve_arena.players.bred import NeatPlayer, VectorPlayer
from evolve_arena.players.openspiel.game import SpielGame, SpielPosition
from evolve_arena.players.text_ui import TextUI, shorten

MOST_LISTED = 60
"""How many moves a sentence lists."""


class SpielText(TextUI):
    """Draws positions and names moves as OpenSpiel does.

    Args:
        game: What is played.
    """

    game: SpielGame
    greeting = "The name of a move plays it, or its number; moves lists the names."

    def read(self, text: str, position: SpielPosition) -> int:
        """The move that *text* names."""
        return self.game.find_move(position, text)

    def name(self, move: int, position: SpielPosition) -> str:
        """As OpenSpiel has it, with underscores for blanks."""
        return self.game.name_move(position, move)

    def question(self, position: SpielPosition) -> str:
        """A legal move for example."""
        moves = self.game.legal_moves(position)
        return f"a move such as {self.name(moves[0], position)}" if moves else "a move"

    def list_moves(self, position: SpielPosition) -> str:
        """Which moves are legal."""
        moves = self.game.legal_moves(position)
        names = [self.name(move, position) for move in moves[:MOST_LISTED]]
        if len(moves) == 1:
            return f"Only {names[0]} can be played."
        more = f" and {len(moves) - MOST_LISTED} more" if len(moves) > MOST_LISTED else ""
        return f"These moves can be played: {', '.join(names)}{more}."

    def draw(
        self,
        position: SpielPosition,
        last: int | None = None,
        *,
        colour: bool = False,
        names: Sequence[str] = (),
    ) -> str:
        """What OpenSpiel writes of the state."""
        return str(self.game.state_of(position)).rstrip("\n")

    def has_values(self, player: Any) -> bool:
        """Networks have."""
        return isinstance(player, VectorPlayer | NeatPlayer)

    def find_values(self, player: Any, position: SpielPosition) -> dict[int, float]:
        """The outputs for moves, or for what they lead to; an infinite one wins at once."""
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

    def describe_values(self, player: Any, position: SpielPosition) -> str:
        """The values of all moves, eight in a line."""
        values = self.find_values(player, position)
        return list_values(player, values, lambda move: self.name(move, position))

    def write_game(self, moves: Sequence[int], positions: Sequence[SpielPosition]) -> str:
        """The names of the moves, with blanks between."""
        pairs = zip(moves, positions, strict=False)
        return " ".join(self.name(move, position) for move, position in pairs)

    def read_game(self, text: str) -> tuple[int, ...]:
        """Moves by their names or numbers; none where chance decides between them."""
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
    """Lines of words: a position is given as all actions so far, those of chance included.

    A program that asks pyspiel for the rules applies these to a new state.
    """

    def show(self, position: SpielPosition) -> str:  # type: ignore[override]
        """The actions."""
        return f"history {' '.join(map(str, position.history))}".rstrip() + "\n"

    def read(self, game: AnyGame, position: SpielPosition, line: bytes) -> int | None:  # type: ignore[override]
        """The move of ``move 19`` or ``move a2a3``."""
        found = re.fullmatch(rb"move[ \t]+(\S[ -~]{0,60})", line.rstrip())
        if found is None:
            return None
        move: int = game.find_move(position, found[1].decode("ascii", "replace"))  # type: ignore[attr-defined]
        game.play(position, move)
        return move
