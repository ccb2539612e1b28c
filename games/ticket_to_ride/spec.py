"""What the framework is told of Ticket to Ride."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evolve_arena.core.game import GameSpec, KernelSpec, PlayerKind
from evolve_arena.games.ticket_to_ride.choose import begin_match
from evolve_arena.games.ticket_to_ride.dialect import TicketDialect
from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.graph import TicketGraphPlayer
from evolve_arena.games.ticket_to_ride.kernel import new_table
from evolve_arena.games.ticket_to_ride.layout import MOST_PLAYERS, TicketRules
from evolve_arena.games.ticket_to_ride.move_network import MovePlayer
from evolve_arena.games.ticket_to_ride.network import DecisionPlayer
from evolve_arena.games.ticket_to_ride.page import TicketBoard
from evolve_arena.games.ticket_to_ride.position import Position
from evolve_arena.games.ticket_to_ride.scripted import make_rule_player
from evolve_arena.games.ticket_to_ride.text_ui import TicketText
from evolve_arena.games.ticket_to_ride.workspace import (
    ACTION,
    DECISION,
    HEAD,
    RULE,
    SEAT_FIELDS,
    make_ticket_workspace,
)
from evolve_arena.players.packed import GRAPH, KIND, NETWORK, PackedPlayers

FLAGS = ("HAS_NETWORKS", "HAS_GRAPHS", "HAS_DECISIONS", "HAS_MOVES", "HAS_RULE")


def needs(players: PackedPlayers) -> set[str]:
    """What the players are, as `thinking` names it."""
    kinds = players.seats[:, KIND]
    thinks = np.isin(kinds, (NETWORK, GRAPH))
    heads = players.seats[thinks, HEAD]
    occurs = {
        "HAS_NETWORKS": kinds == NETWORK,
        "HAS_GRAPHS": kinds == GRAPH,
        "HAS_DECISIONS": heads == DECISION,
        "HAS_MOVES": heads == ACTION,
        "HAS_RULE": kinds == RULE,
    }
    return {flag for flag, who in occurs.items() if who.any()}


def _decide(
    variant: Mapping[str, Any],
    rules: TicketRules,
    packed: PackedPlayers,
    position: Position,
    workspace: Any,
) -> int:
    begin_match(workspace)
    return int(variant["choose"].choose_move(rules, packed, 0, position.array.copy(), workspace))


def _play(
    kernel: Any,
    rules: TicketRules,
    packed: PackedPlayers,
    seatings: Any,
    seeds: Any,
    openings: Any,
    workspace: Any,
    *results: Any,
) -> None:
    kernel.play_matches(rules, packed, seatings, seeds, workspace, new_table(), *results)


GAME = GameSpec(
    game=TicketToRide,
    kernel=KernelSpec(
        modules=tuple(f"evolve_arena.games.ticket_to_ride.{name}" for name in ("choose", "kernel")),
        flags=FLAGS,
        needs=needs,
        play=_play,
        decide=_decide,
        make_workspace=lambda rules, players: make_ticket_workspace(players),
        record_fields=SEAT_FIELDS,
        fewest_matches=8,
    ),
    networks={"moves": MovePlayer, "decision": DecisionPlayer, "graph": TicketGraphPlayer},
    players={
        "rule": PlayerKind(
            "rule:text,early=always",
            "the rule player of Łabno (2018), in a reading of his description",
            make_rule_player,
            optional=True,
        ),
    },
    plots={"board": "evolve_arena.games.ticket_to_ride.plot_board_game:plot_board"},
    exporters={"python": "evolve_arena.games.ticket_to_ride.export_python:export_python"},
    dialects={"plain": TicketDialect()},
    learners={"imitation": "evolve_arena.games.ticket_to_ride.imitation:Imitation"},
    opponents=("rule", "random"),
    stand_in="rule",
    ladder=("rule", "rule:code", "random"),
    most_seats=MOST_PLAYERS,
    seats_option="players",
    has_chance=True,
    columns={
        "points": ("int16", True),
        "tickets_done": ("int8", True),
        "tickets_failed": ("int8", True),
        "rounds": ("int16", False),
    },
    limits=(110, 120, 140),
    make_text_ui=TicketText,
    make_board=TicketBoard,
)
