"""What the kernels share: NumPy arrays and torch tensors in one call, and batches divided among threads."""
