"""Changes of a program as values: small, named, and to be combined."""
