"""A published study, reproduced."""
