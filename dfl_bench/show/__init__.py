"""From tables to eyes: the terminal, the page and the report."""
