"""Rules of the cost family."""
