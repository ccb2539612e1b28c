"""The studies layer: published results, repeated and printed beside our measurements."""
