"""Benchmarks: ratios measured in one run. `python -m benchmarks --help` tells how."""
