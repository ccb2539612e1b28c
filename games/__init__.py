"""The games layer: a folder or a file for each, independent of all others."""

DEFAULT_GAME = "connect-four"
"""The game that is played by default."""
