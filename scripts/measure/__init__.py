"""Compares what the runtime computes with PyTorch; needs torch and executorch, see docs/values.md."""
