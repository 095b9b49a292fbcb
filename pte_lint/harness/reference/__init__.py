"""Compares what kernels make of their arguments with what operators of PyTorch make of them."""
