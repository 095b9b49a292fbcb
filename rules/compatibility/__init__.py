"""Rules of the compatibility family."""
