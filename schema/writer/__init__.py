"""A decoded, changed program back to a valid file."""
