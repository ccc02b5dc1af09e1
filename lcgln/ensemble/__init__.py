"""A tool box of its own: small models trained as one batch, one member for each seed."""
