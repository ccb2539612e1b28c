"""Floor 1, rules: what may be played and who has won. Knows nothing of players."""
