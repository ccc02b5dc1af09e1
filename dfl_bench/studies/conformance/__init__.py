"""Is every loss the one it claims to be? `python -m dfl_bench.studies.conformance` shows it."""
