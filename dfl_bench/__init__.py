"""A benchmark suite for decision-focused learning."""
