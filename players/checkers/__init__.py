"""Players of checkers: what they see of a position, and how they search."""
