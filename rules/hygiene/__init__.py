"""Rules of the hygiene family."""
