"""Floor 5, runs: recipes, run directories, plots, export."""
