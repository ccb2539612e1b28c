"""The games layer: a package or a module for each game, independent of all others."""

DEFAULT_GAME = "connect-four"
"""The game that is played by default."""
