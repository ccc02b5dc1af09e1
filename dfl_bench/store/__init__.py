"""Records at rest: what a cell is, what became of it, and the file that keeps it."""
