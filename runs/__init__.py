"""Floor 6, runs."""
