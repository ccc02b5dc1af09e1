"""The figures of the page: one module for each kind."""
