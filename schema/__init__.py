"""Bytes to a decoded, frozen program. Knows no graph, no rule, no report."""
