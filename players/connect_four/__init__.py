"""Players of Connect Four: what they see of the board and how each kind chooses a column."""
