"""Named answers about a method."""
