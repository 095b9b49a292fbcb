"""Segments, constants, external data and delegate blobs, as rules ask about them."""
