"""The abilities of a game, found out by trying: what can be done with it, and why the rest can't.

``evolve games`` shows it, and the documentation has a table of it; tests do what a cell promises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from evolve_arena.cli.output import print_line, print_table
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.game import GameSpec
from evolve_arena.core.registry import find_game, game_names, load, open_game, study_learners
from evolve_arena.players.board_view import find_board_view
from evolve_arena.players.bred import BredPlayer
from evolve_arena.players.dialects import find_dialect
from evolve_arena.players.specification import player_kinds
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.export import export_player
from evolve_arena.runs.recipes.methods import METHODS
from evolve_arena.runs.recipes.recipe import make_usual
from evolve_arena.runs.targets import TARGETS

SEARCHES = ("depth", "rollouts")
"""The settings that ask for a search over what was bred: alpha-beta, and MCTS."""
GENERAL = ("random", "minimax", "mcts")
"""Players that games may have in common."""
GENERAL_GAMES = "games that are one file of rules"


class Ability(NamedTuple):
    """Something that may be done with a game."""

    kind: str
    """``breed by``, ``look ahead by``, ``meet``, ``play at`` or ``export to``."""
    name: str
    reason: str
    """Why it can't be done; empty if it can."""


def list_abilities(game: str) -> list[Ability]:
    """List what can be done with a *game* with its default options, and why the rest can't.

    Args:
        game: Its name, or the path of a game in one file, which is run.

    Raises:
        UnknownNameError: There is no such game.
        ArenaError: The file is no game.
    """
    spec = open_game(game)
    methods = [*METHODS, *(name for name in study_learners(spec.name) if name not in METHODS)]
    player, graph = make_untaught(spec), make_untaught(spec, "neat")
    players = [*GENERAL, *(name for name in spec.players if name not in GENERAL)]
    return [
        *(Ability("breed by", name, _why_not_bred(spec, name)) for name in methods),
        *(Ability("look ahead by", name, _why_no_search(player, name)) for name in SEARCHES),
        *(Ability("meet", name, _why_not_met(spec, name)) for name in players),
        *(Ability("play at", name, _why_not_shown(spec, name)) for name in PLACES),
        *(Ability("export to", name, _why_not_exported(player, graph, name)) for name in TARGETS),
    ]


def make_untaught(game: GameSpec, method: str = "tournament") -> BredPlayer:
    """A player of a *game* that has learned nothing: the first that a *method* begins with."""
    breeder: Any = make_usual(game, {"method.name": method}).make_method()
    population = breeder.initial(1).population
    genome = population.take([0]) if breeder.genome_kind == "graph" else population[0]
    player: BredPlayer = breeder.decoder.player(genome, "it")  # so reasons tell of it
    return player


def _why(act: Callable[[], Any]) -> str:
    """The message of an attempt that fails; nothing if it succeeds."""
    try:
        act()
    except ArenaError as error:
        return str(error)
    return ""


def _why_not_bred(spec: GameSpec, name: str) -> str:
    told = _why(lambda: make_usual(spec, {"method.name": name}).make_method())
    method: Any = load(METHODS.get(name) or study_learners(spec.name)[name])
    if not told or method.networks(spec):
        return told
    if method.only_pairs and spec.most_seats > 2:
        return "its matches are of two, and more can play"
    return f"so far it teaches {GENERAL_GAMES}"


def _why_not_shown(spec: GameSpec, place: str) -> str:
    game: Any = spec.make()
    return _why(lambda: PLACES[place](game, game.initial(1)))


def show_at_terminal(game: Any, position: Any) -> None:
    """Show a *position* to who is to move at a terminal, and read its moves as they are written.

    Raises:
        ArenaError: That can't be done.
    """
    ui = find_text_ui(game)
    ui.draw(game.view(position, game.to_move(position)))
    for move in game.legal_moves(position):
        _demand_move(game, ui.read(game.format_move(move), position), move)


def show_at_page(game: Any, position: Any) -> None:
    """The same at the page, which is told the board, and the moves as buttons or cells to click.

    Raises:
        ArenaError: That can't be done.
    """
    view, seat = find_board_view(game), game.to_move(position)
    view.layout()
    view.draw(game.view(position, seat), seat)
    for move, told in zip(game.legal_moves(position), view.moves(position), strict=True):
        _demand_move(game, game.parse_move(told["move"]), move)


def show_to_program(game: Any, position: Any) -> None:
    """The same to a program, in the dialect of the game that is usual.

    Raises:
        ArenaError: There is none.
    """
    dialect, seat = find_dialect(game), game.to_move(position)
    dialect.greet(game, seat, dialect.limits)
    dialect.show(game.view(position, seat))


def _demand_move(game: Any, read: Any, move: Any) -> None:
    if read != move:
        raise BadValueError(f"{game.format_move(move)} is read as another move")


PLACES = {"terminal": show_at_terminal, "page": show_at_page, "programs": show_to_program}
"""The places that show positions and take moves: a terminal, the page, the hosts of programs."""


def _why_no_search(player: BredPlayer, name: str) -> str:
    told = _why(lambda: replace(player.decoder, **{name: 1}).player(player.genome, "searching"))
    return told.removeprefix(f"{name}: ")


def _why_not_met(spec: GameSpec, name: str) -> str:
    if name in player_kinds(spec.name):
        return ""
    game: Any = spec.make()
    reason = getattr(game, "why_no_rollouts" if name == "mcts" else "why_no_search", "")
    return reason or f"so far it plays {GENERAL_GAMES}"


def _why_not_exported(player: BredPlayer, graph: BredPlayer, target: str) -> str:
    game = player.game.name
    told = _why(lambda: export_player(graph if target == "neat-python" else player, target))
    if told.endswith(f"{game}, which can't be exported to {target}"):
        return f"so far it takes {GENERAL_GAMES}"
    return told.partition(f" to {target}: ")[2] or told


def describe_games() -> list[dict[str, Any]]:
    """Of each game: its name, how many play, if chance decides, and the first line of its file."""
    found = []
    for name in game_names():
        spec = find_game(name)
        about = (
            str(spec.game.__doc__ or "").strip().partition("\n")[0].rstrip(":.").replace("``", "")
        )
        seats = [2, spec.most_seats] if spec.seats_option else [spec.game().seats] * 2
        found.append({"name": name, "players": seats, "chance": spec.has_chance, "about": about})
    return found


def print_games() -> None:
    """Prints a line for each game."""
    rows = []
    for game in describe_games():
        fewest, most = game["players"]
        seats = f"{fewest} to {most}" if most > fewest else str(most)
        chance = "yes" if game["chance"] else ""
        rows.append((game["name"], seats, chance, game["about"]))
    print_table("Games", ["game", "players", "chance", "about"], rows, left=4)
    print_line("All that can be done with one, and why the rest can't: evolve games GAME")


def print_game(name: str) -> None:
    """Prints all that can be done with a game, and why the rest can't."""
    rows: list[tuple[str, str, str]] = []
    sections, before = [], ""
    for kind, what, reason in list_abilities(name):
        if kind != before:
            sections.append(len(rows))
        rows.append((kind if kind != before else "", what, reason or "yes"))
        before = kind
    title = f"{name}: what can be done with it"
    print_table(title, ["", "", "or why not"], rows, left=3, sections=sections[1:])
