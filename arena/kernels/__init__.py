"""The compiled match loops, one file per game."""
