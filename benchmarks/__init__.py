"""Benchmarks of speed, most as ratios to a baseline in the same run: ``python -m benchmarks``."""
