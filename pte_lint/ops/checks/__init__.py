"""Kernels' own checks, in their order."""
