"""What the kernels share: arrays of NumPy or torch, and how a batch is divided among threads."""
