"""Is every loss the one it claims to be? `python -m dfl_bench.studies.conformance` writes docs/conformance.md."""
