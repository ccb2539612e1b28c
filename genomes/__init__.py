"""Floor 2, genomes: what evolves, and the networks it becomes. Knows nothing of games."""
