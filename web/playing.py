"""A game on the page, between people and programs; it runs in a worker of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from evolve_arena.arena.table import Party, Program, Table
from evolve_arena.core.errors import ArenaError, BadValueError, one_line
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import find_game, make_game
from evolve_arena.core.types import JsonObject, State
from evolve_arena.players.page_board import find_page_board
from evolve_arena.players.player import ForfeitError, Player
from evolve_arena.players.specification import make_player
from evolve_arena.runs.players import with_seats
from evolve_arena.runs.plots.network_view import look_inside
from evolve_arena.runs.run import Run
from evolve_arena.runs.store.kept_games import write_game

PERSON = "human"
FOREIGN = re.compile(r"\b(file|process)\s*:|\.py\b")
OF_RUN = re.compile(r"\brun:([^,@\s]+)")
ANY_RUN = re.compile(r"\brun\s*:")


class Desk:
    """One game with fixed players; moves can be taken back if nothing is hidden.

    Args:
        runs: Paths of the runs that *players* name.
        game: Name of the game; if None, the game of the first run.
        options: Its options.
        players: The players by seat: ``human``, ``run:NAME``, ``run:NAME@GENERATION``, or the
            specification of a player that runs no program.
        numbers: The moves of an earlier game, by their numbers, to be replayed only.
        names: Names of its players.
        seed: Seed of chance and programs; None for a new one.
    """

    def __init__(
        self,
        runs: dict[str, str],
        game: str | None,
        options: dict[str, int],
        players: Sequence[str],
        numbers: Sequence[int] = (),
        names: Sequence[str] = (),
        seed: int | None = None,
    ) -> None:
        self._runs, self._asked = runs, (game, options, list(players))
        self._numbers, self._names = list(numbers), list(names)
        self.seed = int.from_bytes(os.urandom(4)) if seed is None else seed
        self._table: Table | None = None
        self._advisors: dict[str, Program] = {}

    # --- Requests of the page ---------------------------------------------------------------

    def look(self, ply: int | None = None) -> JsonObject:
        """Return the game as the page shows it: now, or after *ply* moves."""
        table = self._find_table()
        return self._describe(table, _find_ply(table, ply))

    def play(self, move: str) -> JsonObject:
        """Play a *move* of the person to move."""
        table = self._find_table()
        if table.result is not None or self._numbers:
            raise BadValueError("this game is over")
        if table.program is not None:
            raise BadValueError("it is not your turn")
        table.play(table.game.parse_move(move))
        return self.look()

    def step(self) -> JsonObject:
        """Let the program to move play."""
        table = self._find_table()
        if table.result is None and table.program is not None:
            table.ask_program()
        return self.look()

    def undo(self, times: int = 1) -> JsonObject:
        """Go back to an earlier turn of a person."""
        table = self._find_open_table()
        if not table.take_back(times):
            raise BadValueError("there is no move of yours to take back")
        return self.look()

    def resign(self) -> JsonObject:
        """Resign for the person to move."""
        table = self._find_table()
        if table.result is None and table.program is None:
            table.resign()
        return self.look()

    def swap(self) -> JsonObject:
        """Exchange the seats of two players."""
        table = self._find_open_table()
        if table.game.seats != 2 or table.result is not None:
            raise BadValueError("only two players can change sides, and only during the game")
        table.swap()
        return self.look()

    def hint(self, player: str | None = None) -> JsonObject:
        """Return the move that *player* would choose; if None, that of the game's first program."""
        table = self._find_table()
        if table.result is not None:
            raise BadValueError("this game is over")
        if table.program is not None:
            self._find_open_table()
        advisor = self._find_advisor(table, player)
        try:
            move = advisor.choose(table, table.rng.copy())
        except ForfeitError as error:
            raise BadValueError(f"no hint: {error}") from None
        return {
            "by": one_line(advisor.player.name, 80),
            "move": table.game.format_move(move),
            "name": table.ui.name(move, table.position),
        }

    def values(self, player: str | None = None, ply: int | None = None) -> JsonObject:
        """Return a *player*'s value of each move: a number, or a string if it wins or loses."""
        table = self._find_open_table()
        position = table.positions[_find_ply(table, ply)]
        if table.game.outcome(position) is not None:
            return {"by": "", "values": {}}
        thinker = self._find_thinker(table, player)
        if thinker is None:
            return {"by": "", "values": {}}
        values = table.ui.find_values(thinker, position)
        return {
            "by": one_line(thinker.name, 80),
            "values": {
                table.game.format_move(move): value
                if isfinite(value)
                else ("wins" if value > 0 else "loses")
                for move, value in values.items()
            },
        }

    def inside(self, player: str | None = None, ply: int | None = None) -> JsonObject:
        """Return the activations of *player*'s network; if None, of a player of this game."""
        table = self._find_open_table()
        position = table.positions[_find_ply(table, ply)]
        for each in self._find_asked(table, player):
            if found := look_inside(each, position):
                return {"by": one_line(each.name, 80), "inside": found}
        return {"by": "", "inside": None}

    def text(self) -> JsonObject:
        """Return the game as text that can be opened again."""
        table = self._find_open_table()
        return {"text": str(table), "game": table.game.name, "options": table.game.options}

    def keep(self) -> JsonObject:
        """Return the finished game as a line of a file of kept games."""
        table = self._find_table()
        if table.result is None or self._numbers:
            raise BadValueError("only a game that was played here to its end can be kept")
        if table.changed_sides:
            raise BadValueError("a game in which players changed sides can't be kept")
        return {"line": write_game(table.game, table.names, table.seed, table.result)}

    # --- Internals -----------------------------------------------------------------------------

    def _find_open_table(self) -> Table:
        """Return the table if nothing is hidden there.

        Raises:
            BadValueError: Something is hidden, and the answer would show it.
        """
        table = self._find_table()
        if table.party.people and not (table.ui.is_open or self._numbers):
            raise BadValueError("this would show what is hidden in this game")
        return table

    def _find_table(self) -> Table:
        """Return the table, which the first request makes, so that this request gets the errors."""
        if self._table is None:
            name, options, players = self._asked
            game = self._choose_game(name, options, players)
            if find_game(game.name).seats_option and len(players) != game.seats:
                game = with_seats(game, len(players))
            for named, what in ((players, "players"), (self._names or players, "names")):
                if len(named) != game.seats:
                    raise BadValueError(f"there are {len(named)} {what}, and {game.seats} play")
            made = [self._make_player(player, game) for player in players]
            beginning = [game.move_of(number) for number in self._numbers]
            self._table = Table(game, Party(made), range(game.seats), self.seed, beginning)
            self._view = find_page_board(game)
            self.layout = self._view.layout()
        return self._table

    def _choose_game(
        self, name: str | None, options: dict[str, int], players: Sequence[str]
    ) -> AnyGame:
        game: AnyGame
        if name:
            find_game(name)  # which opens no file, as make_game would
            game = make_game(name, **options)
            return game
        for player in players:
            if found := OF_RUN.search(player):
                game = self._open_run(found[1]).recipe.make_game()
                return game
        raise BadValueError("name a game, or the champion of a run")

    def _open_run(self, name: str) -> Run:
        if name not in self._runs:
            raise BadValueError(f"there is no run {name:.60} here")
        return Run.open(Path(self._runs[name]))

    def _make_player(self, text: str, game: AnyGame) -> Player | None:
        """Return the player with this name; None for a person."""
        text = text.strip()
        if text == PERSON:
            return None
        named = OF_RUN.findall(text)
        if FOREIGN.search(text) or len(ANY_RUN.findall(text)) != len(named):
            raise BadValueError(
                f"{text:.60}: here a player is a kind or run:NAME; programs and files play at the"
                " terminal (evolve play)"
            )
        for name in named:
            self._open_run(name)  # or it is none
        placed = OF_RUN.sub(lambda found: f"run:{self._runs[found[1]]}", text)
        return make_player(placed, game)

    def _find_advisor(self, table: Table, player: str | None) -> Program:
        if player is None:
            programs = [each for each in table.party.programs if each is not None]
            if not programs:
                raise BadValueError("no program plays here: choose a player that gives hints")
            player = "own"
            self._advisors.setdefault(player, Program(programs[0].player))
        if player not in self._advisors:
            made = self._make_player(player, table.game)
            if made is None:
                raise BadValueError("a person gives hints without being asked")
            self._advisors[player] = Program(made)
        return self._advisors[player]

    def _find_asked(self, table: Table, player: str | None) -> list[Player]:
        """Return the players to query: *player*, or those of this game, the one to move first."""
        if player is not None:
            return [self._find_advisor(table, player).player]
        own = [table.program] if table.result is None else []
        return [each.player for each in (*own, *table.party.programs) if each is not None]

    def _find_thinker(self, table: Table, player: str | None) -> Player | None:
        asked = self._find_asked(table, player)
        return next((each for each in asked if table.ui.has_values(each)), None)

    def _describe(self, table: Table, ply: int) -> JsonObject:
        game, position, now = table.game, table.positions[ply], ply == len(table.moves)
        over = game.outcome(position) is not None or (now and table.result is not None)
        mover = None if over else game.to_move(position)
        seat = self._find_viewer(table, position, over)
        yours = (
            now
            and mover is not None
            and not self._numbers
            and table.party.programs[table.order[mover]] is None
        )
        names = [one_line(name, 80) for name in self._names or table.names]
        result = table.result if now else None
        return {
            "game": game.name,
            "describe": game.describe(),
            "layout": self.layout,
            "options": game.options,
            "drawing": self._view.draw(position, seat) | ({"to_move": None} if over else {}),
            "seat": seat,
            "seats": [
                {
                    "name": name,
                    "side": table.ui.sides[place] if table.ui.sides else f"seat {place + 1}",
                    "person": table.party.programs[table.order[place]] is None,
                }
                for place, name in enumerate(names)
            ],
            "mover": mover,
            "moves": self._view.moves(position) if yours or (table.ui.is_open and not over) else [],
            "yours": yours,
            "ply": ply,
            "played": self._name_moves(table),
            "last": self._find_last(table, ply),
            "result": None
            if result is None
            else {
                "text": one_line(table.describe_result(), 200),
                "winner": table.winner if table.winner is None else table.order.index(table.winner),
            },
            "open": table.ui.is_open,
            "replay": bool(self._numbers),
        }

    def _find_viewer(self, table: Table, position: State, over: bool) -> int:
        """Return the seat whose view the page shows: the only person's, else the one to move."""
        people = [
            seat
            for seat in range(table.game.seats)
            if table.party.programs[table.order[seat]] is None
        ]
        if len(people) == 1 and not self._numbers:
            return people[0]
        return 0 if over else int(table.game.to_move(position))

    def _name_moves(self, table: Table) -> list[JsonObject]:
        """Return the moves so far; none while something is hidden."""
        if not (table.ui.is_open or self._numbers):
            return []
        return [
            {"move": table.game.format_move(move), "seat": table.game.to_move(position)}
            for move, position in zip(table.moves, table.positions, strict=False)
        ]

    def _find_last(self, table: Table, ply: int) -> list[int]:
        """Return the cells of the last move."""
        if ply == 0:
            return []
        text = table.game.format_move(table.moves[ply - 1])
        for move in self._view.moves(table.positions[ply - 1]):
            if move["move"] == text:
                return list(move["path"])
        return []


def _find_ply(table: Table, ply: int | None) -> int:
    """Return *ply*, or the number of all moves if it is None, after a check of its range."""
    last = len(table.moves)
    if ply is not None and not 0 <= ply <= last:
        raise BadValueError(f"ply is {ply}: it must be from 0 to {last}")
    return last if ply is None else ply


__all__ = ["ArenaError", "Desk"]
