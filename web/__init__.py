"""Layer 6, web: the page of ``evolve serve``: watch runs, play against champions, replay games."""
