"""From what a user asks for to groups of cells: suites, selections, protocols and plans."""
