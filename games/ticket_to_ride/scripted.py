"""The rule player of Ticket to Ride as a player that can be named."""

from __future__ import annotations

from evolve_arena.games.ticket_to_ride.game import TicketToRide
from evolve_arena.games.ticket_to_ride.options import describe_variant, parse_variant
from evolve_arena.games.ticket_to_ride.workspace import RULE, SEAT_FIELDS, VARIANT
from evolve_arena.players.packed import simple_player
from evolve_arena.players.player import CompiledPlayer


def make_rule_player(argument: str, game: TicketToRide) -> CompiledPlayer:
    """The rule player of Łabno (2018), in the reading that *argument* names.

    Args:
        argument: As :func:`evolve_arena.games.ticket_to_ride.options.parse_variant` takes it;
            empty for the text's reading.
        game: What it plays.

    Raises:
        UnknownNameError: There is no such variant or option.
        BadValueError: An option has no such value.
    """
    bits = parse_variant(argument or "text")
    packed = simple_player(SEAT_FIELDS, RULE)
    packed.seats[0, VARIANT] = bits
    return CompiledPlayer(game, packed, f"rule:{describe_variant(bits)}")
