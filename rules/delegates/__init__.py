"""Rules of the delegates family."""
