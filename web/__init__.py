"""The page that ``evolve serve`` shows: watch runs, play against what was bred, replay games."""
