"""A person at a table of Ticket to Ride: what he sees, types, and is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.arena.arena import warm_up
from evolve_arena.arena.match import Termination
from evolve_arena.cli.play import Session
from evolve_arena.cli.play.prompt import COMMANDS, ONLY_OPEN, Command, read_input
from evolve_arena.core.errors import ArenaError, IllegalMoveError
from evolve_arena.core.game import AnyGame
from evolve_arena.core.registry import make_game
from evolve_arena.core.stream import Stream
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.layout import DRAW_DECK, KEEP_FIRST, SECOND_CARD
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.text_ui import TicketText
from evolve_arena.players.player import Forfeit, ForfeitError, Player
from tests import terminal
from tests.terminal import invite

GAME = TicketToRide(players=3)
MOVE = "Your move, such as deck, COLOUR, tickets or claim CITY-CITY, or help: "


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    warm_up(GAME)


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    """A position in which tickets are kept, one at the beginning of a turn, and one within it."""
    found = [GAME.initial(5)]
    position = found[0]
    while position.phase == KEEP_FIRST:
        position = GAME.play(position, max(GAME.legal_moves(position)))
    return [*found, position, GAME.play(position, DRAW_DECK)]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def sit(typed: str, names: list[str], **wishes: Any) -> tuple[Session, str]:
    wishes = {"game": GAME.name, "seats": GAME.seats, "seed": 5, "first": True, **wishes}
    return invite(typed, names=names, **wishes)


def test_a_person_sees_cards_tickets_and_what_others_did() -> None:
    _, shown = sit("all\ndeck\ndeck\nq\n", ["random"])
    assert shown.startswith("Game 1, in order of moving: you, random #1, random #2.\n")
    assert "First tickets" in shown
    assert "  offered  1: " in shown
    assert "Your move, tickets to keep, 2 at least (such as keep 1 2), or help: all" in shown
    assert len(re.findall(r"^random #[12] keeps [23] of 3 tickets\.$", shown, re.M)) == 2
    assert "Round 1" in shown
    assert f"{MOVE}deck" in shown
    assert "Your move, the second card: deck or COLOUR, or help: deck" in shown
    drawn = re.findall(r"^You have drawn \[(\w+)\]\.$", shown, re.M)
    assert len(drawn) == 2
    last = shown[shown.rindex("Round 2") :]
    hand = re.findall(r"\[(\d+) (\w+)\]", last)
    assert sum(int(count) for count, _ in hand) == 6
    assert set(drawn) <= {name for _, name in hand}
    assert shown.endswith("Goodbye.\n")


def test_others_cards_from_the_deck_and_their_tickets_stay_hidden() -> None:
    _, shown = sit("all\n" + "deck\ndeck\n" * 12 + "q\n", ["random"])
    told = re.findall(r"^random.*\.$", shown, re.M)
    assert len(told) > 20
    for line in told:
        assert not re.search(r"\([1-9]\d?\).*\(", line)
        assert "draws from the deck (" not in line
    assert "draws 2 cards from the deck." in shown or "draws from the deck" in shown
    assert shown.count("You have drawn [") == 24


def test_commands_are_obeyed_and_then_asked_again(tmp_path: Path) -> None:
    typed = "all\nhelp\nroutes\nmoves\nboard\nclaimed\nhint\nmap\nhnit\nresin\nfoo\n\nq\n"
    _, shown = sit(typed, ["random"], advisor="rule")
    for name, meaning in {**COMMANDS, **TicketText.extras, **TicketText.meanings}.items():
        told = re.search(rf"^  {name} +{re.escape(meaning)}$", shown, re.M)
        assert bool(told) == (name not in ONLY_OPEN)
    assert re.search(r"^  Dallas – Houston +1 train, +1 point +\[", shown, re.M)
    assert "You can play draw deck, " in shown
    assert re.search(r"^  claim Dallas-Houston \w+$", shown, re.M)
    assert "  you: no route" in shown
    assert re.search(r"^rule:text would play \w.*\w\.$", shown, re.M)
    known = "board, claimed, help, hint, map, moves, new, quit, resign, routes"
    assert f"unknown command 'hnit': did you mean 'hint'? (known: {known})." in shown
    assert "unknown command 'resin': did you mean 'resign'?" in shown
    assert "Not possible: 'foo' is neither a move nor a route." in shown
    assert "The map is in ticket-to-ride.png." in shown
    assert (tmp_path / "ticket-to-ride.png").read_bytes().startswith(b"\x89PNG")


def test_commands_for_games_without_secrets_are_refused() -> None:
    _, shown = sit("all\nundo\nundo 2\nswap\nvalues\nq\n", ["random"])
    assert shown.count("Not possible: there is no taking back in a game with hidden cards") == 2
    assert "Not possible: nobody changes seats in a game with hidden cards." in shown
    assert "Not possible: programs do not say what they think in a game with hidden" in shown


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("re", Command("resign")),
        ("ro", Command("routes")),
        ("cl", Command("claimed")),
        ("bo", Command("board")),
        ("hi", Command("hint")),
        ("QU", Command("quit")),
        ("d", DRAW_DECK),
        ("deck!", DRAW_DECK),
    ],
)
def test_beginnings_are_moves_or_commands(
    typed: str, meant: Any, positions: list[Position]
) -> None:
    found = read_input(TicketText(GAME), typed, positions[1])
    assert found == (meant if isinstance(meant, Command) else [meant])


def test_every_command_is_one_in_every_phase(positions: list[Position]) -> None:
    names = [*TicketText.extras, *COMMANDS]
    for position in positions:
        found = [read_input(TicketText(GAME), name, position) for name in names]
        assert found == [Command(name) for name in names]
        near = [read_input(TicketText(GAME), name[:2], position) for name in names]
        assert near == found


def test_a_route_half_named_is_no_command(positions: list[Position]) -> None:
    for text, why in (("claim dal", "'dal' names no route"), ("deck 2", "neither a move")):
        with pytest.raises(IllegalMoveError, match=why):
            read_input(TicketText(GAME), text, positions[1])


def test_hints_come_from_the_first_opponent_unless_another_is_named() -> None:
    _, shown = sit("all\nhint\nq\n", ["human", "rule:code", "random"])
    assert "rule:code would play " in shown
    plain, _ = sit("all\n" + "deck\ndeck\n" * 3 + "resign\nq\n", ["random"])
    asked, shown = sit("all\nhint\n" + "deck\nhint\ndeck\n" * 3 + "resign\nq\n", ["random"])
    assert shown.count("random would play ") == 4
    assert asked.matches[0].moves == plain.matches[0].moves


def test_who_resigns_is_last() -> None:
    session, shown = sit("all\nresign\nmoves\ndeck\nundo\n\nall\nquit\n", ["random"])
    (match,) = session.matches
    assert match.termination is Termination.RESIGNED
    assert match.places[match.offender] == 3
    assert re.search(r"^ +3  you .* forfeited$", shown, re.M)
    assert "Enter for another game, or quit: moves\nNot possible: this game is over.\n" in shown
    assert "Enter for another game, or quit: deck\nNot possible: this game is over.\n" in shown
    assert "Enter for another game, or quit: undo\nNot possible: there is no taking back" in shown
    assert re.search(r"^You resign\. random #[12] wins \(resigned\)\.$", shown, re.M)
    # In the next game everybody sits one seat further on.
    assert "Game 2, in order of moving: random #2, you, random #1." in shown


def test_another_game_does_not_count() -> None:
    session, shown = sit("all\nnew\nq\n", ["random"])
    assert session.matches == []
    assert "Game 2" in shown


def test_the_end_of_the_input_ends_the_session() -> None:
    session, shown = sit("all\ndeck\n", ["random"])
    assert session.matches == []
    assert shown.endswith("The input has ended. Goodbye.\n")


def test_programs_are_watched_to_the_end() -> None:
    session, shown = sit("", ["rule", "random"], games=1)
    (match,) = session.matches
    assert match.sentence in shown
    assert shown.startswith("Game 1, in order of moving: rule:text #1, random, rule:text #2.\n")
    claims = re.findall(r"^  (?:rule:text #[12]|random) claims (.*)\.$", shown, re.M)
    assert len(claims) > 20
    table = shown[shown.index("  place ") :]
    names = ("rule:text #1", "random", "rule:text #2")
    for name, points in zip(names, match.columns["points"], strict=True):
        row = next(line for line in table.splitlines() if name in line)
        total, routes, tickets = map(int, re.findall(r"[+-]?\d+(?= |$)", row.split(name)[1]))
        assert total == points == routes + tickets
    done = table.count(" done") - table.count("NOT done")
    assert done == sum(match.columns["tickets_done"])
    assert table.count("NOT done") == sum(match.columns["tickets_failed"])
    again, _ = sit("", ["rule", "random"], games=1)
    assert again.matches[0].moves == match.moves


class Quitter(Player):
    """Keeps all tickets, takes one card from the deck, and gives up."""

    name = "quitter"

    def choose(self, position: Position, stream: Stream) -> int:
        """Its move by the phase."""
        if position.phase == SECOND_CARD:
            raise ForfeitError(Forfeit.RESIGNED, "quitter has had enough.")
        return TicketText(GAME).read("all" if position.phase == KEEP_FIRST else "deck", position)


def test_what_was_done_of_a_turn_is_told_although_its_player_forfeits() -> None:
    game = TicketToRide(players=2)
    _, shown = terminal.sit(game, "all\nq\n", [Quitter(), None])
    end = "quitter draws from the deck.\n\nquitter has had enough. You win (resigned).\n\n  place "
    assert end in shown
    _, shown = terminal.sit(game, "", [Quitter(), Quitter()])
    assert "\nRound 1\n  quitter #1 draws from the deck.\n\nquitter has" in shown


def test_games_on_end() -> None:
    session, shown = sit("", ["random", "random"], games=2, seats=2)
    assert len(session.matches) == 2
    assert "Game 2" in shown
    assert session.matches[0].moves != session.matches[1].moves


@pytest.mark.parametrize(
    ("names", "wishes", "game"),
    [
        (["rule"], {}, TicketToRide()),
        (["random"], {"game": "ticket-to-ride"}, TicketToRide()),
        (["random"], {"seats": 3}, GAME),
        (["human", "rule", "random"], {}, GAME),
        (["human", "rule"], {}, TicketToRide(players=2)),
        (["random", "rule"], {"games": 1}, TicketToRide(players=2)),
        (["human", "rule"], {"seats": 3}, GAME),
        (["rule"], {"options": {"longest_path": 1}}, TicketToRide(longest_path=1)),
        (["rule"], {"options": {"cards": 92}, "seats": 3}, TicketToRide(players=3, cards=92)),
        (["random"], {}, make_game("connect-four")),
        ([], {}, make_game("connect-four")),
        (["random"], {"game": "checkers"}, make_game("checkers")),
        (["random"], {"options": {"columns": 5}}, make_game("connect-four", columns=5)),
    ],
)
def test_which_game_is_wanted_and_for_how_many(
    names: list[str], wishes: dict[str, Any], game: AnyGame
) -> None:
    session, _ = invite("q\n", names=names, seed=1, **wishes)
    assert (session.game.name, session.game.rules) == (game.name, game.rules)
    assert len(session.party.names) == game.seats


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"game": "checkers", "seats": 3}, "two play checkers"),
        ({"names": ["human", "rule", "rule", "rule"], "seats": 3}, "4 players are named, and 3"),
        ({"names": ["human"] * 2, "seats": 2}, "others would see his cards"),
        ({"names": ["rule"], "options": {"columns": 5}}, "rule plays ticket-to-ride, not conn"),
        ({"seats": 3, "options": {"columns": 5}}, "but this is ticket-to-ride"),
        ({"names": ["rule"], "seats": 6}, "players is 6: it must be from 2 to 5"),
        ({"names": ["rule"], "moves": "3"}, "games of ticket-to-ride can't begin with moves"),
        ({"names": ["rule"], "opening_plies": 2}, "--openings is not for ticket-to-ride"),
        ({"names": ["rule"], "values": True}, "--values is not for ticket-to-ride"),
    ],
)
def test_what_cannot_be_played_is_explained(wishes: dict[str, Any], message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        invite("", **{"names": ["random"], "seed": 1, **wishes})
