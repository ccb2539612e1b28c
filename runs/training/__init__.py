"""The training of one run: its loop, its champions."""
