"""Run directories: checkpoints, the history, the log, kept games; and what they tell."""
