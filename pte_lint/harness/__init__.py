"""Runs programs on the real runtime in a sandboxed child and compares with findings."""
