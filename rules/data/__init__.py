"""Rules of the data family."""
