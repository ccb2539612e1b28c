"""What exported Python files are cut from."""
