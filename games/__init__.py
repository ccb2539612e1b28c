"""Floor 7, games: a folder or a file for each, which knows nothing of the others."""

USUAL = "connect-four"
"""What is played if nobody says anything."""
