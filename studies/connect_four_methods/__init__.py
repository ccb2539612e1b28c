"""The methods of several studies of Connect Four against each other."""
