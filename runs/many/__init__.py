"""Many runs and players: in parallel, on other machines, in sweeps, races and tournaments."""
