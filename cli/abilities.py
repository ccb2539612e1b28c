"""The abilities of a game, found by trying each: it is supported, or there is a reason why not.

``evolve game info`` shows them, and the documentation has a table of them; tests do what each cell
promises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from evolve_arena.cli.output import print_line, print_table
from evolve_arena.core.errors import ArenaError, BadValueError
from evolve_arena.core.game import AnyGame, Game, GameSpec
from evolve_arena.core.registry import find_game, game_names, load, open_game, study_learners
from evolve_arena.core.types import JsonObject, Move, State
from evolve_arena.players.dialects import find_dialect
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.players.page_board import find_page_board
from evolve_arena.players.specification import player_kinds
from evolve_arena.players.text_ui import find_text_ui
from evolve_arena.runs.export import export_player
from evolve_arena.runs.recipes.methods import METHODS
from evolve_arena.runs.recipes.recipe import make_usual
from evolve_arena.runs.targets import TARGETS

SEARCHES = ("depth", "rollouts")
"""Settings that add a search to an evolved player: alpha-beta, and MCTS."""
GENERAL = ("random", "minimax", "mcts")
"""Players that most games have."""
GENERAL_GAMES = "games that are one file of rules"


class Ability(NamedTuple):
    """Something that a game may support."""

    kind: str
    """Verb of the ability: ``breed by`` a method, ``look ahead by`` a search, ``meet`` an opponent,
    ``play at`` an interface, or ``export to`` a target."""
    name: str
    reason: str
    """Reason why it is not supported; empty if it is."""


def list_abilities(game: str) -> list[Ability]:
    """List all abilities of a *game* with its default options.

    Args:
        game: Name of a game, or path of a game in one file, which is run.

    Raises:
        UnknownNameError: There is no such game.
        ArenaError: The file is no game.
    """
    spec = open_game(game)
    methods = [*METHODS, *(name for name in study_learners(spec.name) if name not in METHODS)]
    player, graph = make_untaught(spec), make_untaught(spec, "neat")
    players = [*GENERAL, *(name for name in spec.players if name not in GENERAL)]
    return [
        *(Ability("breed by", name, _why_not_evolved(spec, name)) for name in methods),
        *(Ability("look ahead by", name, _why_no_search(player, name)) for name in SEARCHES),
        *(Ability("meet", name, _why_not_met(spec, name)) for name in players),
        *(Ability("play at", name, _why_not_shown(spec, name)) for name in PLACES),
        *(Ability("export to", name, _why_not_exported(player, graph, name)) for name in TARGETS),
    ]


def make_untaught(game: GameSpec, method: str = "tournament") -> EvolvedPlayer:
    """Return an untrained player of a *game*: the first individual of a *method*."""
    breeder = make_usual(game, {"method.name": method}).make_method()
    population = breeder.initial(1).population
    genome = population.take([0]) if breeder.genome_kind == "graph" else population[0]
    player: EvolvedPlayer = breeder.decoder.player(genome, "it")  # the name in reasons
    return player


def _why(act: Callable[[], object]) -> str:
    """Return the message of the error that *act* raises; empty if it succeeds."""
    try:
        act()
    except ArenaError as error:
        return str(error)
    return ""


def _why_not_evolved(spec: GameSpec, name: str) -> str:
    told = _why(lambda: make_usual(spec, {"method.name": name}).make_method())
    method = load(METHODS.get(name) or study_learners(spec.name)[name])
    if not told or method.networks(spec):
        return told
    if method.only_pairs and spec.most_seats > 2:
        return "its matches are of two, and more can play"
    return f"so far it teaches {GENERAL_GAMES}"


def _why_not_shown(spec: GameSpec, place: str) -> str:
    game: AnyGame = spec.make()
    return _why(lambda: PLACES[place](game, game.initial(1)))


def show_at_terminal(game: Game[State, Move], position: State) -> None:
    """Draw a *position* for a terminal, and read all legal moves as they are typed.

    Raises:
        ArenaError: The game does not support it.
    """
    ui = find_text_ui(game)
    ui.draw(game.view(position, game.to_move(position)))
    for move in game.legal_moves(position):
        _demand_move(game, ui.read(game.format_move(move), position), move)


def show_at_page(game: Game[State, Move], position: State) -> None:
    """Draw a *position* for the page, and read all legal moves as buttons or cells give them.

    Raises:
        ArenaError: The game does not support it.
    """
    view, seat = find_page_board(game), game.to_move(position)
    view.layout()
    view.draw(game.view(position, seat), seat)
    for move, told in zip(game.legal_moves(position), view.moves(position), strict=True):
        _demand_move(game, game.parse_move(told["move"]), move)


def show_to_program(game: Game[State, Move], position: State) -> None:
    """Write a *position* for a program, in the game's default dialect.

    Raises:
        ArenaError: The game has no dialect.
    """
    dialect, seat = find_dialect(game), game.to_move(position)
    dialect.greet(game, seat, dialect.limits)
    dialect.show(game.view(position, seat))


def _demand_move(game: Game[State, Move], read: Move, move: Move) -> None:
    if read != move:
        raise BadValueError(f"{game.format_move(move)} is read as another move")


PLACES = {"terminal": show_at_terminal, "page": show_at_page, "programs": show_to_program}
"""Interfaces that show positions and take moves: the terminal, the page, hosts of programs."""


def _why_no_search(player: EvolvedPlayer, name: str) -> str:
    told = _why(lambda: replace(player.decoder, **{name: 1}).player(player.genome, "searching"))
    return told.removeprefix(f"{name}: ")


def _why_not_met(spec: GameSpec, name: str) -> str:
    if name in player_kinds(spec.name):
        return ""
    game: AnyGame = spec.make()
    reason: str = getattr(game, "why_no_rollouts" if name == "mcts" else "why_no_search", "")
    return reason or f"so far it plays {GENERAL_GAMES}"


def _why_not_exported(player: EvolvedPlayer, graph: EvolvedPlayer, target: str) -> str:
    game = player.game.name
    told = _why(lambda: export_player(graph if target == "neat-python" else player, target))
    if told.endswith(f"{game}, which can't be exported to {target}"):
        return f"so far it takes {GENERAL_GAMES}"
    return told.partition(f" to {target}: ")[2] or told


def describe_games() -> list[JsonObject]:
    """Return for each game its name, the range of players, chance, and a description."""
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
    """Print a line for each game."""
    rows = []
    for game in describe_games():
        fewest, most = game["players"]
        seats = f"{fewest} to {most}" if most > fewest else str(most)
        chance = "yes" if game["chance"] else ""
        rows.append((game["name"], seats, chance, game["about"]))
    print_table("Games", ["game", "players", "chance", "about"], rows, left=4)
    print_line("Supported methods, searches, and export targets: evolve game info GAME")


def print_game(name: str) -> None:
    """Print the abilities of a game, with a reason for each that it lacks."""
    rows: list[tuple[str, str, str]] = []
    sections, before = [], ""
    for kind, what, reason in list_abilities(name):
        if kind != before:
            sections.append(len(rows))
        rows.append((kind if kind != before else "", what, reason or "yes"))
        before = kind
    title = f"Abilities of {name}"
    print_table(title, ["", "", "supported"], rows, left=3, sections=sections[1:])
