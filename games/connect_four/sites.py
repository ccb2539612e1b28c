"""Connect Four on contest sites: The AI Games (2016), and exported bots for Kaggle.

The classes are the host's side; the sections below them are copied into exported bots.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import cast

from evolve_arena.core.registry import find_game
from evolve_arena.players.board.game import Board, BoardGame
from evolve_arena.players.dialects import Dialect, Limits
from evolve_arena.runs.export.templates.board import RULES, choose


class AIGames(Dialect):
    """The protocol of The AI Games, as recorded from its host."""

    answer = "'place_disc' and a column"
    limits = Limits(time_bank=10_000, per_move=500)

    def greet(self, game: BoardGame, side: int, limits: Limits) -> str:
        """Return the settings as the host announces them.

        Args:
            game: Game to be played, whose numbers of columns and rows are announced.
            side: 0 if the bot moves first, 1 if it moves second.
            limits: Resources of the bot, of which the times are announced, in milliseconds.
        """
        settings = {
            "timebank": limits.time_bank,
            "time_per_move": limits.per_move,
            "player_names": "player1,player2",
            "your_bot": f"player{1 + side}",
            "your_botid": 1 + side,
            "field_columns": game.rules.columns,
            "field_rows": game.rules.rows,
        }
        return "".join(f"settings {key} {value}\n" for key, value in settings.items())

    def show(self, position: Board) -> str:
        """Return the round, counted in moves from 1, and the field."""
        game = cast(BoardGame, find_game("connect-four").game(**position.rules._asdict()))
        return f"update game round {position.state[2] + 1}\n{self.echo(game, position)}"

    def ask(self, bank: int, limits: Limits) -> str:
        """Return the request for a move, with the milliseconds left in the time bank."""
        return f"action move {bank}\n"

    def read(self, game: BoardGame, position: Board, line: bytes) -> int | None:
        """Return the column of a ``place_disc COLUMN`` answer, or None for any other line.

        Args:
            game: Game that is played.
            position: Position in which the bot was asked for a move.
            line: Answer of the bot, without the line break.

        Raises:
            IllegalMoveError: The column is full, or there is none of this number.
        """
        found = re.fullmatch(rb"place_disc[ \t]+([+-]?[0-9]{1,9})(?:[ \t].*)?", line)
        if found is None:
            return None
        game.play(position, int(found[1]))
        return int(found[1])

    def echo(self, game: BoardGame, position: Board, move: int | None = None) -> str:
        """Return the field, after a *move* if given: rows from the top, 1 for the first player.

        Args:
            game: Game that is played.
            position: Position to show, or the one in which *move* is played.
            move: Column that is played first, counted from 0; None if *position* itself is shown.
        """
        shown = position if move is None else game.play(position, move)
        first, second = game.observe(shown, 0)[:, game.grid]
        rows = (",".join(map(str, row)) for row in (first + 2 * second).tolist())
        return f"update game field {';'.join(rows)}\n"


DIALECTS = {"ai-games": AIGames()}
"""Protocols of sites; the first is the default."""
USES = (
    "Kaggle's connectx or open_spiel_connect_four: submit this file as it is. Its last function,"
    " agent(), is the agent.",
    "The AI Games, or any host that speaks its text protocol: let the host run"
    ' "python3" with this file.',
)
"""Uses of bots with the following section: one item of their docstring each."""

# --- How sites ask ------------------------------------------------------------------------
SETTINGS: dict[str, str] = {}


def answer_site(words: Sequence[str]) -> None:
    """Read a line of The AI Games, and answer it if it asks for a move."""
    if words[:1] == ["settings"] and len(words) > 2:
        SETTINGS[words[1]] = words[2]
    elif words[:3] == ["update", "game", "field"] and len(words) > 3:
        SETTINGS["field"] = words[3]
    elif words[:2] == ["action", "move"]:
        cells = SETTINGS.get("field", "").replace(";", ",").split(",")
        mark = int(SETTINGS.get("your_botid", "0"))
        print("place_disc", choose_by_marks([int(cell) for cell in cells], mark), flush=True)


def choose_by_marks(board: Sequence[int], mark: int) -> int:
    """Return the column to play on a board, for the mark of the player to move.

    Mark 1 began, 2 is the other, 0 is empty. Cells are listed row by row from the top.
    """
    columns, rows = RULES["COLUMNS"], RULES["ROWS"]
    if len(board) != columns * rows or mark not in (1, 2):
        raise ValueError(
            f"expected a board of {columns} columns and {rows} rows, and mark 1 or 2;"
            f" got {len(board)} cells and mark {mark!r}"
        )
    above = [disc and not below for disc, below in zip(board, board[columns:])]  # noqa: B905
    if min(board) < 0 or max(board) > 2 or any(above):
        raise ValueError("expected a board of 0, 1 and 2, and no disc above an empty cell")
    first, second = ([int(disc == player) for disc in board] for player in (1, 2))
    if sum(first) - sum(second) != mark - 1:
        raise ValueError(f"{sum(first)} discs of 1, {sum(second)} of 2: mark {mark} is not to move")
    return choose([int(number) for number in RULES["pettingzoo_state"](first, second, mark - 1)])


def agent(observation: object, configuration: object = None) -> int | dict[str, int]:
    """Answer Kaggle, which takes the last function in this file as the agent.

    ConnectX expects a column; open_spiel_connect_four, which lists the lowest row first, expects it
    in a dictionary, and -1 if it is not this player's turn.
    """
    seen = observation if isinstance(observation, dict) else vars(observation)
    if "board" in seen:
        return choose_by_marks(seen["board"], seen["mark"])
    if not seen.get("observationString") or seen["currentPlayer"] != seen["playerId"]:
        return {"submission": -1}
    try:
        rows = json.loads(seen["observationString"])["board"]
        board = [".xo".index(sign) for row in rows[::-1] for sign in row]
    except (LookupError, TypeError, ValueError):
        raise ValueError("the observationString holds no board") from None
    return {"submission": choose_by_marks(board, 1 + seen["playerId"])}
