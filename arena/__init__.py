"""Layer 3, the arena: matches, their results, and ratings; independent of evolution."""
