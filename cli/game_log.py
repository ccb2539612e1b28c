"""Games that were kept in a file, as text: all of them, or one move by move."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from evolve_arena.cli.output import print_line, print_table
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import default_game, find_game, make_game
from evolve_arena.core.types import JsonObject
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.store.kept_games import LARGEST, KeptGame, parse_games


def read_log(file: Path, game: str | None = None) -> list[KeptGame]:
    """Return the games in a *file*.

    Args:
        file: JSON lines, which name their game, or games as people write them.
        game: What is played, if the file does not say; the usual game if None.

    Raises:
        ArenaError: The file cannot be read, or a game in it is broken.
    """
    try:
        text = read_file(file, LARGEST).decode("utf-8", errors="replace")
    except OSError as error:
        raise BadValueError(f"{file}: {explain_unread(error, str(file))}") from None
    found = parse_games(text, make_game(game or default_game()), f"{file}, line")
    if not any(kept.numbers for kept in found):
        raise BadValueError(f"{file} holds no games")
    return found


def describe_logged(kept: KeptGame) -> JsonObject:
    """Return a game with its moves in the game's notation, ready for JSON."""
    rules, positions = _replay(kept)
    return {
        "game": kept.game,
        "options": kept.options,
        "players": kept.players,
        "seed": kept.seed,
        "moves": [move for _, move in _list_moves(kept, rules, positions)],
        "places": kept.places,
        "result": kept.sentence,
    }


def print_logs(games: Sequence[KeptGame]) -> None:
    """Print a line for each game."""
    rows = [
        (str(number), kept.game, " - ".join(kept.players), str(len(kept.numbers)), kept.sentence)
        for number, kept in enumerate(games, 1)
    ]
    print_table("Games", ["number", "game", "players", "moves", "result"], rows, left=5)


def print_logged(kept: KeptGame) -> None:
    """Print a game move by move, then its last position and its result."""
    rules, positions = _replay(kept)
    moves = _list_moves(kept, rules, positions)
    rows = [(str(ply), name, move) for ply, (name, move) in enumerate(moves, 1)]
    print_table(f"{kept.game}: {' - '.join(kept.players)}", ["ply", "player", "move"], rows, left=3)
    last = rules.move_of(int(kept.numbers[-1])) if kept.numbers else None
    colour = os.isatty(1) and not os.environ.get("NO_COLOR")
    print(f"\n{find_text_ui(rules).draw(positions[-1], last, colour=colour, names=kept.players)}\n")
    if kept.sentence:
        print_line(kept.sentence)


def _replay(kept: KeptGame) -> tuple[AnyGame, list[object]]:
    """Return the rules and all positions of a game, which is played again.

    Raises:
        ArenaError: The game is unknown, or a move is against its rules.
    """
    find_game(kept.game)  # a name alone: it opens no file
    rules: AnyGame = make_game(kept.game, **kept.options)
    if len(kept.players) != rules.seats:
        raise BadValueError(
            f"{len(kept.players)} players are named, and {rules.seats} play {kept.game}"
        )
    positions = [rules.initial(int(kept.seed))]
    for number in kept.numbers:
        positions.append(rules.play(positions[-1], rules.move_of(int(number))))
    return rules, positions


def _list_moves(
    kept: KeptGame, rules: AnyGame, positions: Sequence[object]
) -> list[tuple[str, str]]:
    """Return the name of each move's player, and the move as text."""
    moves = zip(kept.numbers, positions, strict=False)
    return [
        (kept.players[rules.to_move(position)], rules.format_move(rules.move_of(int(number))))
        for number, position in moves
    ]
