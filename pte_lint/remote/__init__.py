"""Artifacts that are far away: only what is judged is fetched, through fsspec, by ranges."""
