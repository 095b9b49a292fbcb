"""Generators of pages, one file a kind."""
