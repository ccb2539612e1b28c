"""The study ``ticket-to-ride``: Łabno (2018), a rule player and networks that imitate it.

``seeds`` is how many networks, and evolved players, of each setting are bred here; the publication
has one of each.
"""

from __future__ import annotations

from functools import partial

from evolve_arena.studies.study import Study, TableKind
from evolve_arena.studies.ticket_to_ride.mixed import measure_mixed
from evolve_arena.studies.ticket_to_ride.plan import (
    ADAGRAD,
    EVOLVED,
    PROOF,
    UNIVERSAL,
    needs,
    plan,
    specific,
)
from evolve_arena.studies.ticket_to_ride.proof import measure_proof
from evolve_arena.studies.ticket_to_ride.published import COUNTS
from evolve_arena.studies.ticket_to_ride.readings import measure_readings
from evolve_arena.studies.ticket_to_ride.tables import (
    measure_network,
    measure_rule_player,
    measure_specific,
    measure_universal,
)

SPECIFIC = [specific(count) for count in COUNTS]

TICKET_TO_RIDE = Study(
    name="ticket-to-ride",
    summary="Ticket to Ride: a rule player, networks that imitate it, and evolved players.",
    source=(
        "Paweł Łabno, Implementacja Sztucznej Inteligencji dla gry Wsiąść do Pociągu (Uniwersytet"
        " Jagielloński, 2018)"
    ),
    plan=plan,
    seeds=3,
    tables=(
        TableKind("3.1", "the rule player (figures 3.3 to 3.5)", measure_rule_player, needs()),
        TableKind("readings", "the rule player's readings", measure_readings, needs()),
        TableKind(
            "4.3", "the imitating network (figures 4.1 to 4.3)", measure_network, needs(UNIVERSAL)
        ),
        TableKind(
            "5.1",
            "models for one number of players (figure 5.1)",
            measure_specific,
            needs(UNIVERSAL, *SPECIFIC),
        ),
        TableKind(
            "5.2",
            "the model for all numbers of players",
            measure_universal,
            needs(UNIVERSAL, *SPECIFIC),
        ),
        TableKind("6.1", "a network while it learns (figure 6.1)", measure_proof, needs(PROOF)),
        TableKind(
            f"4.3{ADAGRAD}",
            "the imitating network, learnt as in section 4.4",
            partial(measure_network, optimiser=ADAGRAD),
            needs(UNIVERSAL + ADAGRAD),
        ),
        TableKind(
            f"6.1{ADAGRAD}",
            "a network while it learns as in section 4.4",
            partial(measure_proof, optimiser=ADAGRAD),
            needs(PROOF + ADAGRAD),
        ),
        TableKind(
            "mixed", "two against two at tables of four", measure_mixed, needs(UNIVERSAL, *EVOLVED)
        ),
    ),
)
