"""Floor 6, cli: the command line: commands, tables, the live view, play at the terminal."""
