"""Floor 3, the arena: who plays whom, and what came of it. Knows nothing of evolution."""
