"""Helpers of the tests: a writer for the three formats and a builder of small programs."""
