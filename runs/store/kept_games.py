"""Kept games: files of JSON lines, one per game, from which each game can be replayed.

The files can also be used as training data; see `evolve_arena.evolve.imitation`.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from evolve_arena.arena.match import Match
from evolve_arena.core.errors import ArenaError, BadValueError, UnknownNameError, one_line
from evolve_arena.core.files import explain_unread, read_file
from evolve_arena.core.game import AnyGame
from evolve_arena.evolve.imitation_games import StoredGame
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.errors import RunExistsError
from evolve_arena.runs.store.files import explain_storage_errors, write_whole
from evolve_arena.runs.validation import Number, explain

ENDING = ".jsonl"
LARGEST = 2**28
"""Maximum bytes of a file of games that is read as training data."""


@dataclass(frozen=True)
class KeptGame:
    """A game as stored in a file."""

    game: str
    options: dict[str, Number]
    players: list[str]
    """Names of the players, by seat."""
    seed: Annotated[str, Field(pattern=r"^-?[0-9]{1,20}$")]
    """Seed of the match, as digits: numbers of JSON would lose some."""
    numbers: list[Number]
    """Numbers of the moves."""
    text: str
    """Moves in the usual notation; empty if some are hidden."""
    places: list[Number]
    sentence: str


KEPT = TypeAdapter(KeptGame)


class KeptGames:
    """Collector of matches for a file.

    Args:
        path: Path of the file, which ends in ``.jsonl``.

    Raises:
        BadValueError: The path has another ending.
        RunExistsError: The path exists.
    """

    def __init__(self, path: Path) -> None:
        check_ending(path)
        if os.path.lexists(path):
            raise RunExistsError(f"{path} exists: choose another name for the games")
        self.path = path
        self._lines: list[str] = []

    def keep(self, game: AnyGame, names: Sequence[str], seed: int, match: Match) -> None:
        """Add a *match*; see :func:`write_game`.

        Args:
            game: Game with its options.
            names: Names of the players, by seat.
            seed: Seed of the match, from which the initial position follows.
            match: Finished match.
        """
        self._lines.append(write_game(game, names, seed, match))

    def write(self) -> None:
        """Write the file, whole or not at all.

        Raises:
            StorageError: It can't be written.
        """
        write_whole(self.path, "".join(f"{line}\n" for line in self._lines).encode())


def write_game(game: AnyGame, names: Sequence[str], seed: int, match: Match) -> str:
    """Return the line of a *match*, without a line feed.

    Args:
        game: Game with its options.
        names: Names of the players, by seat.
        seed: Seed of the match, from which the initial position follows.
        match: Finished match.
    """
    text, ui = "", find_text_ui(game)
    if ui.is_open:
        positions = [game.initial(seed)]
        for move in match.moves:
            positions.append(game.play(positions[-1], move))
        text = ui.write_game(match.moves, positions)
    kept = KeptGame(
        game.name,
        dict(game.options),
        list(names),
        str(seed),
        [game.number_of(move) for move in match.moves],
        text,
        list(match.places),
        match.sentence,
    )
    return json.dumps(asdict(kept))


def add_game(path: Path, line: str) -> None:
    """Append the *line* of a game to a file, which is made if there is none.

    Raises:
        BadValueError: The path ends in something else than ``.jsonl``, or the file is full.
        StorageError: It can't be written, or is a link or no file.
    """
    check_ending(path)
    with explain_storage_errors(path):
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        with open(os.open(path, flags, 0o666), "ab") as file:
            kind = os.fstat(file.fileno())
            if not stat.S_ISREG(kind.st_mode):
                raise BadValueError(f"{path} is no file")
            if kind.st_size + len(line) >= LARGEST:
                raise BadValueError(f"{path} is full: choose another name for the games")
            file.write(f"{line}\n".encode())


def check_ending(path: Path) -> None:
    """Check the name of a file of games.

    Raises:
        BadValueError: It does not end in ``.jsonl``.
    """
    if path.suffix != ENDING:
        raise BadValueError(f"{path}: the name of a file of games ends in {ENDING}")


def parse_game(line: str, where: str) -> KeptGame:
    """Parse the game in a *line*; messages name the place *where* it is.

    Raises:
        BadValueError: The line is not a kept game.
    """
    try:
        kept = KEPT.validate_json(line, strict=True)
    except ValidationError as error:
        reason = explain(error, BaseModel)
        raise BadValueError(f"{where}: this is not a kept game: {reason}") from None
    players = [one_line(name, 80) for name in kept.players]
    return replace(kept, players=players, sentence=one_line(kept.sentence, 200))


def parse_games(text: str, game: AnyGame, where: str = "line") -> list[KeptGame]:
    """Parse the games in a *text*, which is JSON lines or the usual notation of games.

    Args:
        text: Content of a file.
        game: Game of a text in the usual notation.
        where: Words before the number of a line in messages.

    Raises:
        ArenaError: The text has no game, or an illegal move.
    """
    if text.lstrip().startswith("{"):
        lines = [line for line in text.splitlines() if line.strip()]
        return [parse_game(line, f"{where} {number}") for number, line in enumerate(lines, 1)]
    found = []
    for title, moves in find_text_ui(game).read_games(text):
        numbers = [game.number_of(move) for move in moves]
        sides = list(find_text_ui(game).sides) or ["first", "second"]
        names = [one_line(part.strip(), 80) for part in title.split(" - ")] if title else sides
        found.append(KeptGame(game.name, dict(game.options), names, "0", numbers, "", [], ""))
    return found


def read_lessons(path: str, game: AnyGame, player: str = "") -> list[StoredGame]:
    """Read training games from a file of kept games or of games in the usual notation.

    Args:
        path: Path of the file.
        game: Game with its options.
        player: Name of the player to learn from; empty for all players.

    Raises:
        BadValueError: It can't be read, a game in it has other rules or an illegal move, or nobody
            has the name.
    """
    try:
        text = read_file(Path(path), LARGEST).decode("utf-8", errors="replace")
        found = [kept for kept in parse_games(text, game) if kept.numbers]
        if player:
            names = {name for kept in found for name in kept.players}
            if found and player not in names:
                raise UnknownNameError("player of these games", player, sorted(names))
            found = [kept for kept in found if player in kept.players]
        return [_read_lesson(kept, game, player) for kept in found]
    except OSError as error:
        raise BadValueError(f"{path}: {explain_unread(error, path)}") from None
    except ArenaError as error:
        raise BadValueError(f"{path}: {error}") from None


def _read_lesson(kept: KeptGame, game: AnyGame, player: str) -> StoredGame:
    """Replay a kept game to check its moves, and return it as training data.

    Raises:
        ArenaError: It has other rules than *game*, or an illegal move.
    """
    if (kept.game, dict(kept.options)) != (game.name, dict(game.options)):
        raise BadValueError(f"a game of it was not played by the rules of {game.describe()}")
    position, chosen = game.initial(int(kept.seed)), []
    for number in map(int, kept.numbers):
        learnt = not player or kept.players[game.to_move(position)] == player
        chosen.append(number if learnt else -1)
        position = game.play(position, game.move_of(number))
    return StoredGame(int(kept.seed), [int(number) for number in kept.numbers], chosen)
