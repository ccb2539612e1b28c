"""Games of OpenSpiel: the rules are asked of pyspiel, networks are evaluated by compiled code."""
