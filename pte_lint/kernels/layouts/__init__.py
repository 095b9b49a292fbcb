"""Which kernels compute something else when dimensions are not in their default order."""
