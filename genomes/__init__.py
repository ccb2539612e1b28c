"""Layer 1, genomes: what evolves, and the networks that it becomes; independent of games."""
