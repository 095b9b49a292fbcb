"""Compares what the runtime computes with PyTorch (docs/values.md); needs torch and executorch."""
