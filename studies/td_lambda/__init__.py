"""A published study, reproduced."""

LEARNERS = {"connect-four": {"td": "evolve_arena.studies.td_lambda.td:Td"}}
