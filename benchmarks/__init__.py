"""Benchmarks: ratios measured in one run. `python -m benchmarks --help` tells how."""

import os

# What is measured is judging a file, not remembering what was said about it.
os.environ["PTE_LINT_NO_CACHE"] = "1"
