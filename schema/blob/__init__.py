"""Readers of delegates' blobs, one a backend: bytes in, frozen facts out."""
