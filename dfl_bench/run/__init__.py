"""From groups of cells to records: processes, limits, scores, searches and checks."""
