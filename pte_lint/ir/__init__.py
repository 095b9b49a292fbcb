"""A method as the file describes it, nothing worked out."""
