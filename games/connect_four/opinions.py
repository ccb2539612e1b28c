"""What a network thinks of each column: the numbers that its move comes from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evolve_arena.core.errors import one_line
from evolve_arena.games.connect_four.board_view import BoardView
from evolve_arena.games.connect_four.column_player import ColumnPlayer
from evolve_arena.games.connect_four.game import Position
from evolve_arena.games.connect_four.graph import GraphPlayer
from evolve_arena.games.connect_four.network import NetworkPlayer
from evolve_arena.genomes.neat.graph import compile_graphs, evaluate


def describe_opinions(player: ColumnPlayer, position: Position, earlier: Sequence[Position]) -> str:
    """The opinions in two lines, the best one with a star; see :func:`find_opinions`."""
    game, values = player.game, find_opinions(player, position, earlier)
    open_columns = game.legal_moves(position)
    best = max(open_columns, key=lambda column: values[column])
    texts = _write_apart([float(values[column]) for column in open_columns])
    parts = [
        f"{game.format_move(column)}: {text}{'*' if column == best else ''}"
        for column, text in zip(open_columns, texts, strict=True)
    ]
    notes = ""
    if player.design.head == "value":
        ends = {column: game.outcome(game.play(position, column)) for column in open_columns}
        wins = [column for column, end in ends.items() if end and end.winner is not None]
        if wins:
            notes = f"; column {game.format_move(wins[0])} wins at once"
        if _is_recurrent(player):
            notes += "; without what it remembers of the game"
    return f"{one_line(player.name)}'s {_WORDS[player.design.head]}{notes}:\n  {'  '.join(parts)}"


def find_opinions(
    player: ColumnPlayer, position: Position, earlier: Sequence[Position]
) -> NDArray[np.float64]:
    """What the network thinks of each column, for who is to move; the greater, the better.

    Args:
        player: Who is asked. A value network says what it thinks of the position after each
            move, an action network what it thinks of the move, a policy network gives its
            outputs, to which rounding of the weights that it plays with adds an error of some
            0.0001.
        position: The position, which is not over.
        earlier: Those before, in which a recurrent policy network has been asked.

    Returns:
        Shape ``(columns,)``; not a number where a column is full.
    """
    if player.design.head != "policy":
        return player.value_columns(position)
    seen = [*(earlier if _is_recurrent(player) else ()), position]
    inputs = np.array([_encode(player.design, board) for board in seen])
    if isinstance(player, GraphPlayer):
        design = player.design
        graphs = compile_graphs(player.genome, design.inputs, design.outputs, design.feed_forward)
        outputs = evaluate(graphs, 0, inputs)[-1]
    elif isinstance(player, NetworkPlayer):
        genome = player.design.expand(player.genome[None])[0]
        outputs = player.design.mlp.evaluate(genome, inputs)[-1]
    else:
        raise TypeError(f"{type(player).__name__} is no kind of network that is known here")
    values = np.full(player.design.columns, np.nan)
    for column in player.game.legal_moves(position):
        values[column] = outputs[column]
    return values


_WORDS = {
    "policy": "preferences",
    "value": "values of the positions after each column",
    "action": "values of each column",
}


def _write_apart(values: Sequence[float]) -> list[str]:
    """The values with three decimals, or with as many more as tell them apart, up to nine."""
    texts: list[str] = []
    for decimals in range(3, 10):
        texts = [f"{value:.{decimals}f}" for value in values]
        if len(set(texts)) == len(set(values)):
            break
    return texts


def _is_recurrent(player: ColumnPlayer) -> bool:
    return isinstance(player, GraphPlayer) and not player.design.feed_forward


def _encode(design: BoardView, position: Position) -> NDArray[np.float64]:
    """The inputs that show the *position* to a network whose turn it is."""
    discs = [position.first, position.second]
    if design.viewpoint == "mover" and position.ply % 2:
        discs.reverse()
    bits = design.columns * (design.rows + 1)
    both = discs[0] | discs[1] << bits
    inputs = np.zeros(design.inputs)
    for feature in range(design.board.features):
        if both >> feature & 1:
            inputs[design.board.index[feature]] += design.board.factor[feature]
    return inputs
