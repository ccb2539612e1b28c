"""Floor 4, methods: a state in, the next state out. Touches no file, clock or screen."""
