"""The settings of methods, as sections of recipes."""
