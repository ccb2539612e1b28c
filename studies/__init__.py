"""Floor 8, studies: published results, repeated and printed beside what is measured here."""
