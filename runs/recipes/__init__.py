"""The recipes that ship with the package."""
