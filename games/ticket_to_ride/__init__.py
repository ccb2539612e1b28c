"""Ticket to Ride: the map of the United States, for two to five players."""
