"""Layer 6, cli: the command line, with its tables, its live view, and play at the terminal."""
