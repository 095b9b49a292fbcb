"""Fuzzing pte-lint against the real runtime; see README.md."""
