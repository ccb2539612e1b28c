"""Layer 5, runs: recipes, run directories, training, plots, export."""
