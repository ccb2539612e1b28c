"""Floor 1, genomes: what evolves, and the networks it becomes. Knows nothing of games."""
