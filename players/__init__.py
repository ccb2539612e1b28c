"""Layer 2: players, which choose the moves."""
