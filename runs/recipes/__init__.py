"""Recipes: their keys, their methods, and code of the user that they name."""
