"""States of Ticket to Ride for tests: games played at random, and states made by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from evolve_arena.games.ticket_to_ride.board import (
    CITY_NAMES,
    COLOURS,
    LINE_COLOUR,
    LINE_FROM,
    LINE_TO,
)
from evolve_arena.games.ticket_to_ride.layout import (
    CARDS,
    DECK_AT,
    DECK_SIZE,
    DISCARD_AT,
    DISCARD_SIZE,
    HAND_AT,
    MOST_CARDS,
    MOVES,
    OPEN_AT,
    OPEN_CARDS,
    OPEN_SIZE,
    PHASE,
    STATE_FIELDS,
    TURN,
    TicketRules,
    player_at,
)
from evolve_arena.games.ticket_to_ride.legality import list_moves
from evolve_arena.games.ticket_to_ride.rules import apply_move, deal


@pytest.fixture(scope="session")
def play_game() -> Callable[..., Iterator[Any]]:
    """Gives each state of a game whose moves are drawn at random, as an array, and its moves."""
    return _play_game


@pytest.fixture(scope="session")
def make_state() -> Callable[..., Any]:
    """A state in which seat 0 begins its turn, with these cards and no tickets held by anybody."""
    return _make_state


@pytest.fixture(scope="session")
def line_of() -> Callable[..., int]:
    """The line between two cities, of a colour if it has one."""
    return _line_of


def _play_game(rules: TicketRules, players: int, seed: int, choices: int) -> Iterator[Any]:
    chooser = random.Random(choices)
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    moves = np.zeros(MOVES, dtype=np.int64)
    deal(rules, players, np.uint64(seed), state)
    while True:
        count = list_moves(rules, state, moves)
        listed = moves[:count].tolist()
        yield state, listed
        if not listed:
            return
        apply_move(rules, state, chooser.choice(listed))


def _make_state(
    players: int = 2,
    *,
    hands: tuple[str, ...] = (),
    deck: str = "",
    opened: str = "",
    discarded: str = "",
) -> Any:
    """Cards are words; the last word of the *deck* is its top card. Other cards do not exist."""
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    deal(TicketRules(), players, np.uint64(1), state)
    state[PHASE] = TURN
    state[DECK_AT : DECK_AT + MOST_CARDS] = -1
    state[OPEN_AT : OPEN_AT + OPEN_CARDS] = -1
    state[DISCARD_AT : DISCARD_AT + len(COLOURS)] = _count(discarded)
    state[DISCARD_SIZE] = len(discarded.split())
    for at, size, text in ((DECK_AT, DECK_SIZE, deck), (OPEN_AT, OPEN_SIZE, opened)):
        cards = [_colour(word) for word in text.split()]
        state[at : at + len(cards)] = cards
        state[size] = len(cards)
    for seat in range(players):
        text = hands[seat] if seat < len(hands) else ""
        at = player_at(seat)
        state[at + HAND_AT : at + HAND_AT + len(COLOURS)] = _count(text)
        state[at + CARDS] = len(text.split())
    return state


def _count(text: str) -> Any:
    return np.bincount([_colour(word) for word in text.split()], minlength=len(COLOURS))


def _colour(word: str) -> int:
    return COLOURS.index("locomotive" if word == "loco" else word)


def _line_of(one: str, other: str, colour: str = "", second: bool = False) -> int:
    ends = {CITY_NAMES.index(one), CITY_NAMES.index(other)}
    lines = [
        line
        for line in range(len(LINE_COLOUR))
        if {int(LINE_FROM[line]), int(LINE_TO[line])} == ends
        and (not colour or COLOURS[LINE_COLOUR[line]] == colour)
    ]
    return lines[1 if second else 0]
