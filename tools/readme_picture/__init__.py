"""The two pictures of the README: why equal errors are not equal, and all results at a glance."""
