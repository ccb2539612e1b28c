"""Floor 2, players: who decides a move."""
