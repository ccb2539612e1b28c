"""Löfroth and Dalenius (2011): TD(λ) for Connect Four, reproduced."""

LEARNERS = {"connect-four": {"td": "evolve_arena.studies.td_lambda.td:Td"}}
