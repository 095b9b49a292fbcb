"""Rules of the container family."""
