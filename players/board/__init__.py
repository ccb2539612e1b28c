"""Players of any board game that says its rules in compiled code."""
