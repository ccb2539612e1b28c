"""Floor 3, players: who decides a move."""
