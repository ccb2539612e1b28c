"""Games whose rules are compiled, and the networks and searches that play them."""
