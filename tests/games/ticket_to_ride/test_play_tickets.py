"""A person at a table of Ticket to Ride: what he sees, types, and is told."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

from evolve_arena.arena.kernel import warm_up
from evolve_arena.arena.match import Termination
from evolve_arena.core.errors import ArenaError
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.play_invitation import TicketInvitation
from evolve_arena.games.ticket_to_ride.play_person import COMMANDS
from evolve_arena.games.ticket_to_ride.play_sitting import TicketSitting
from evolve_arena.runs.play import Invitation, Screen, choose_table

GAME = TicketToRide(players=3)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    warm_up(GAME.name)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def sit(typed: str, names: list[str], **wishes: Any) -> tuple[TicketSitting, str]:
    writes = io.StringIO()
    wishes = {"game": GAME, "seed": 5, "first": True, **wishes}
    sitting = TicketInvitation(names=names, **wishes).accept(Screen(io.StringIO(typed), writes))
    return sitting, writes.getvalue()


def test_a_person_sees_cards_tickets_and_what_others_did() -> None:
    _, shown = sit("all\ndeck\ndeck\nq\n", ["random"])
    assert shown.startswith("Game 1, in order of moving: you, random #1, random #2.\n")
    assert "First tickets" in shown
    assert "  offered  1: " in shown
    assert "tickets to keep, 2 at least (such as keep 1 2): all" in shown
    assert len(re.findall(r"^  random #[12] keeps [23] of 3 tickets\.$", shown, re.M)) == 2
    assert "Round 1" in shown
    assert "move (deck, COLOUR, claim CITY-CITY COLOUR, tickets): deck" in shown
    assert "second card (deck, or the colour of an open one): deck" in shown
    drawn = re.findall(r"^You have drawn \[(\w+)\]\.$", shown, re.M)
    assert len(drawn) == 2
    last = shown[shown.rindex("Round 2") :]
    hand = re.findall(r"\[(\d+) (\w+)\]", last)
    assert sum(int(count) for count, _ in hand) == 6
    assert set(drawn) <= {name for _, name in hand}
    assert shown.endswith("Goodbye.\n")


def test_others_cards_from_the_deck_and_their_tickets_stay_hidden() -> None:
    _, shown = sit("all\n" + "deck\ndeck\n" * 12 + "q\n", ["random"])
    for line in re.findall(r"^  random.*\.$", shown, re.M):
        assert not re.search(r"\([1-9]\d?\).*\(", line)
        assert "draws from the deck (" not in line
    assert "draws 2 cards from the deck." in shown or "draws from the deck" in shown
    assert shown.count("You have drawn [") == 24


def test_commands_are_obeyed_and_then_asked_again(tmp_path: Path) -> None:
    typed = "all\nhelp\nroutes\nmoves\nboard\nhint\nundo\nmap\nhnit\nresin\nfoo\n\nq\n"
    _, shown = sit(typed, ["random"])
    for name, meaning in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(meaning)}$", shown, re.M)
    assert re.search(r"^  Dallas – Houston +1 train, +1 point +\[", shown, re.M)
    assert "You can play draw deck, " in shown
    assert re.search(r"^  claim Dallas-Houston \w+$", shown, re.M)
    assert "  you: no route" in shown
    assert "rule:text would play: " in shown
    assert "There is no taking back in a game with hidden cards" in shown
    assert "'hnit' is unknown: did you mean 'hint'?" in shown
    assert "'resin' is unknown: did you mean 'resign'?" in shown
    assert "Not possible: 'foo' is neither a move nor a route." in shown
    assert "The map is in ticket-to-ride.png." in shown
    assert (tmp_path / "ticket-to-ride.png").read_bytes().startswith(b"\x89PNG")


def test_who_resigns_is_last() -> None:
    sitting, shown = sit("all\nresign\n\nall\nquit\n", ["random"])
    (match,) = sitting.matches
    assert match.termination is Termination.RESIGNED
    assert match.places[match.offender] == 3
    assert "You resign." in shown
    assert re.search(r"^ +3  you .* forfeited$", shown, re.M)
    assert "Enter for another game, or quit: " in shown
    # In the next game everybody sits one seat further on.
    assert "Game 2, in order of moving: random #2, you, random #1." in shown


def test_another_game_does_not_count() -> None:
    sitting, shown = sit("all\nnew\nq\n", ["random"])
    assert sitting.matches == []
    assert "Game 2" in shown


def test_the_end_of_the_input_ends_the_sitting() -> None:
    sitting, shown = sit("all\ndeck\n", ["random"])
    assert sitting.matches == []
    assert shown.endswith("The input has ended. Goodbye.\n")


def test_programs_are_watched_to_the_end() -> None:
    sitting, shown = sit("", ["rule", "random"], games=1)
    (match,) = sitting.matches
    assert match.sentence in shown
    assert shown.startswith("Game 1, in order of moving: rule:text #1, random, rule:text #2.\n")
    claims = re.findall(r"^  (?:rule:text #[12]|random) claims (.*)\.$", shown, re.M)
    assert len(claims) > 20
    table = shown[shown.index("  place ") :]
    for name, points in zip(("rule:text #1", "random", "rule:text #2"), match.points, strict=True):
        row = next(line for line in table.splitlines() if name in line)
        total, routes, tickets = map(int, re.findall(r"[+-]?\d+(?= |$)", row.split(name)[1]))
        assert total == points == routes + tickets
    done = table.count(" done") - table.count("NOT done")
    assert done == sum(match.done)
    assert table.count("NOT done") == sum(match.failed)
    again, _ = sit("", ["rule", "random"], games=1)
    assert again.matches[0].moves == match.moves


def test_games_on_end() -> None:
    sitting, shown = sit("", ["random", "random"], games=2, game=TicketToRide(players=2))
    assert len(sitting.matches) == 2
    assert "Game 2" in shown
    assert sitting.matches[0].moves != sitting.matches[1].moves


@pytest.mark.parametrize(
    ("names", "game", "options", "players", "seats"),
    [
        (["rule"], None, {}, None, 4),
        (["random"], "ticket-to-ride", {}, None, 4),
        (["random"], None, {}, 3, 3),
        (["human", "rule", "random"], None, {}, None, 3),
        (["random"], None, {}, None, None),
        ([], None, {}, None, None),
        (["random"], "checkers", {}, None, None),
        (["random"], None, {"columns": 5}, None, None),
    ],
)
def test_which_table_is_wanted(
    names: list[str], game: str | None, options: dict[str, int], players: int | None, seats: int
) -> None:
    table = choose_table(names, game, options, players)
    assert (table.seats if table else None) == seats


def test_what_cannot_be_played_is_explained() -> None:
    with pytest.raises(ArenaError, match="players is an option of ticket-to-ride, but this is che"):
        choose_table(["random"], "checkers", {}, 3)
    with pytest.raises(ArenaError, match="4 opponents are named for a table of 3 seats"):
        sit("", ["human", "rule", "rule", "rule", "rule"])
    with pytest.raises(ArenaError, match="cannot be played at a terminal"):
        Invitation(names=["rule"], seed=1).accept(Screen(io.StringIO(), io.StringIO()))
