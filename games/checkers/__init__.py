"""English checkers."""
