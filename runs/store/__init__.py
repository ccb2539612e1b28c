"""Run directories: checkpoints, the history, the log and kept games."""
