"""Floor 6, runs: recipes, run directories, plots, export, the command line."""
