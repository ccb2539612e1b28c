"""Games of OpenSpiel: pyspiel has the rules, compiled code evaluates the networks."""
