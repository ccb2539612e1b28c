"""Layer 4, methods: functions from a state to the next one, without files, clock or screen."""
