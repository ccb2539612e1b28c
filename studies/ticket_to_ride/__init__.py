"""Łabno (2018): a rule-based player of Ticket to Ride, and networks that imitate it."""

FOLDER = "evolve_arena.studies.ticket_to_ride"
LEARNERS = {"ticket-to-ride": {"imitation-decisions": f"{FOLDER}.imitation:DecisionImitation"}}
