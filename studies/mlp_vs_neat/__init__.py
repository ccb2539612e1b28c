"""The comparison of weight vectors with NEAT."""
