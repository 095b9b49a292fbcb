"""What XNNPACK's graphs compute, in PyTorch's terms. Imported by PyTorch's process only."""
