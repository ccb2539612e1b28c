"""Floor 0, core: the contract of games, errors, randomness, compiling, the registry."""
