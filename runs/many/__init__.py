"""Many runs and players: at once, on other machines, in sweeps, races and tournaments."""
