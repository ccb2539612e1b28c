"""Connect Four, and four in a row on other boards."""
