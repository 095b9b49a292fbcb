"""Rules of the memory family."""
